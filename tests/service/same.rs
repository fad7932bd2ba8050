//! The command line and HTTP say the same, learn the same, and are as exact about what they are
//! asked as about what they answer.

use super::server::{Answer, Server, TOKEN, client, emilia, games, read, samples};
use emilia::book::{Store, Table};
use emilia::games::{Format, SampleGames};
use emilia::othello::{Position, moves_to_string};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// What `emilia book` prints of a server's book.
fn book(server: &Server, arguments: &[&str]) -> String {
    let output = emilia()
        .arg("book")
        .args(arguments)
        .arg("--book")
        .arg(server.folder.path().join("book"))
        .output()
        .unwrap();
    // A position that is not in the book is an answer, too.
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Lines of games, in the book and beyond it, and boards of the same.
fn questions() -> Vec<String> {
    let mut all = vec!["start".to_owned(), "e6f4e3f6g5d6e7f5c5".to_owned()];
    for (number, game) in SampleGames::new(11).take(12).enumerate() {
        for ply in [1, 2 + number, 20 + 2 * number, game.moves().len()] {
            let moves = &game.moves()[..ply.min(game.moves().len())];
            all.push(moves_to_string(moves));
            let end = moves.iter().try_fold(Position::START, |at, &m| at.play(m));
            all.push(end.unwrap().to_string());
        }
    }
    all
}

#[test]
fn a_position_is_the_same_object_on_the_command_line_and_over_http() {
    let server = Server::start();
    let (mut in_book, mut over) = (0, 0);
    for (number, question) in questions().iter().enumerate() {
        let name = if question.len() > 64 && question.contains(' ') {
            "board"
        } else {
            "moves"
        };
        let place = format!("{name}={}", question.replace(' ', "%20"));
        let (flags, ways) = if number % 5 == 0 {
            (&["--json", "--ways"][..], "&ways=true")
        } else {
            (&["--json"][..], "")
        };
        let answer = server.get(&format!("/api/v1/position?{place}{ways}"));
        assert_eq!(answer.status, 200, "{}", answer.text);
        let printed = book(&server, &[&["query", question], flags].concat());
        assert_eq!(printed, answer.text.clone() + "\n", "{question}");
        in_book += u32::from(answer.json()["in_book"] == true);
        over += u32::from(answer.json()["over"] == true);

        let line = server.get(&format!("/api/v1/line?{place}")).text;
        assert_eq!(book(&server, &["explain", question, "--json"]), line + "\n");
    }
    assert!(
        in_book > 20 && over > 5,
        "{in_book} in the book, {over} over"
    );
}

#[test]
fn sums_openings_and_searches_have_the_same_fields_everywhere() {
    let server = Server::start();
    let counted = counted(&server);
    let printed = book(&server, &["stats", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), counted);

    let openings = server.get("/api/v1/openings?name=rose").text;
    let output = emilia()
        .args(["book", "openings", "rose", "--json"])
        .output();
    assert_eq!(output.unwrap().stdout, (openings + "\n").into_bytes());

    let found = |text: &str| -> Vec<String> {
        let last: Value = serde_json::from_str(text).unwrap();
        last.as_object().unwrap().keys().cloned().collect()
    };
    let told = server
        .post("/api/v1/analyse", &json!({ "moves": "f5", "level": 2 }))
        .text;
    let mut told = told.lines().filter_map(|line| line.strip_prefix("data: "));
    let printed = emilia()
        .args(["analyse", "f5", "--level", "2", "--json"])
        .output();
    let printed = String::from_utf8(printed.unwrap().stdout).unwrap();
    assert_eq!(
        found(told.next_back().unwrap()),
        found(printed.lines().next().unwrap())
    );
}

/// What a walk through the book found, once it is over.
fn counted(server: &Server) -> Value {
    let began = Instant::now();
    loop {
        let stats = server.get("/api/v1/stats").json();
        if stats["counting"] == false {
            return stats["counted"].clone();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{stats}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_first_who_asks_is_told_how_many_positions_and_games_there_are() {
    let server = Server::with_token();
    let first = server.get("/api/v1/stats").json();
    assert_eq!(first["games"], 400, "{first}");
    assert_eq!(first["positions"], counted(&server)["positions"]);
    assert!(first["positions"].as_u64().unwrap() > 5000, "{first}");

    upload_and_wait(&server, "level=0", &games(77, 50, Format::Wthor));
    assert_eq!(server.get("/api/v1/stats").json()["games"], 450);
}

#[test]
fn an_empty_book_has_no_positions_and_says_so() {
    let server = Server::in_folder(tempfile::tempdir().unwrap(), &["--create"], Some(TOKEN));
    let stats = server.get("/api/v1/stats").json();
    assert_eq!(
        (&stats["positions"], &stats["games"]),
        (&json!(0), &json!(0))
    );
}

/// Uploads a file and waits until it is learned.
fn upload_and_wait(server: &Server, options: &str, file: &[u8]) {
    let answer = server.upload(&format!("/api/v1/games?{options}"), file, Some(TOKEN));
    assert_eq!(answer.status, 202, "{}", answer.text);
    let began = Instant::now();
    loop {
        let request = client().get(server.url("/api/v1/jobs"));
        let request = request.header("authorization", format!("Bearer {TOKEN}"));
        let job = read(request.call().unwrap()).json()["jobs"][0].clone();
        if job["state"] == "done" {
            return;
        }
        let going = job["state"] == "running" || job["state"] == "waiting";
        assert!(going && began.elapsed() < Duration::from_secs(300), "{job}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Everything in a book but its name and the time it was begun, to the last byte.
fn contents(path: &Path) -> BTreeMap<(&'static str, Vec<u8>), Vec<u8>> {
    let store = Store::open_read_only(path).unwrap();
    let reader = store.reader();
    let mut all = BTreeMap::new();
    for table in Table::ALL {
        let mut rows = reader.rows(table, None).unwrap();
        while let Some((key, value)) = rows.next_row().unwrap() {
            all.insert((table.name(), key.to_vec()), value.to_vec());
        }
    }
    let profile = reader.profile().unwrap().unwrap();
    for own in ["identity", "profile"] {
        all.remove(&("meta", own.as_bytes().to_vec())).unwrap();
    }
    let learned = format!("{} {}", profile.plies, profile.min_games);
    all.insert(("meta", b"profile".to_vec()), learned.into_bytes());
    all
}

#[test]
fn a_file_that_is_uploaded_makes_the_book_that_a_build_makes_of_it() {
    // As it is without a word, and with every option; a game of each file ends in a mistake or two.
    for (options, flags, games_of_file) in [
        ("", &[][..], 4),
        (
            "plies=60&min_games=2&level=2&correct=10",
            &[
                "--plies",
                "60",
                "--min-games",
                "2",
                "--level",
                "2",
                "--correct",
                "10",
            ][..],
            30,
        ),
    ] {
        let file = games(21, games_of_file, Format::Wthor);
        let folder = tempfile::tempdir().unwrap();
        let (name, built) = (folder.path().join("x.wtb"), folder.path().join("built"));
        std::fs::write(&name, &file).unwrap();
        let mut build = emilia();
        build
            .args(["book", "build"])
            .arg(&name)
            .arg("--book")
            .arg(&built);
        let output = build.args(flags).output().unwrap();
        assert!(output.status.success(), "{output:?}");

        let mut server = Server::in_folder(folder, &["--create"], Some(TOKEN));
        upload_and_wait(&server, &format!("name=x.wtb&{options}"), &file);
        server.interrupt();
        assert!(server.wait(Duration::from_secs(30)).is_some());
        let (built, uploaded) = (
            contents(&built),
            contents(&server.folder.path().join("book")),
        );
        assert!(built.len() > 50, "{}", built.len());
        assert!(built == uploaded, "the books differ with {options:?}");
    }
}

#[test]
fn an_upload_that_would_widen_the_book_is_told_so_before_anything_is_learned() {
    let server = Server::with_token();
    let file = games(5, 3, Format::Transcript);
    let upload = |options: &str| {
        let path = format!("/api/v1/games?name=x.txt&level=0&{options}");
        server.upload(&path, &file, Some(TOKEN))
    };
    let refused = upload("plies=50");
    assert_eq!((refused.status, refused.code().as_str()), (422, "too_wide"));
    assert!(refused.text.contains("widen=true"), "{}", refused.text);
    assert_eq!(upload("plies=50&widen=true").status, 202);
}

#[test]
fn what_is_not_known_is_refused_and_not_ignored() {
    let server = Server::with_token();
    let post = |path: &str, body: &Value| -> Answer {
        let request = client().post(server.url(path));
        let request = request.header("authorization", format!("Bearer {TOKEN}"));
        read(request.send_json(body).unwrap())
    };
    for path in ["analyse", "move", "expand", "positions"] {
        // A wrong name for the moves must not mean the start.
        let answer = post(&format!("/api/v1/{path}"), &json!({ "move": "f5d6" }));
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "bad_json"),
            "{path}"
        );
        assert!(answer.text.contains("move"), "{}", answer.text);
    }
    for query in [
        "position?move=f5",
        "line?move=f5",
        "openings?names=x",
        "games?position=f5&x=1",
    ] {
        let answer = server.get(&format!("/api/v1/{query}"));
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "bad_query"),
            "{query}"
        );
    }
    for (path, body) in [
        ("analyse", json!({ "best_of": 0 })),
        ("analyse", json!({ "best_of": 65 })),
        ("analyse", json!({ "level": 61 })),
        ("analyse", json!({ "seconds": 0 })),
        ("expand", json!({ "level": 31 })),
        ("expand", json!({ "slack": -1 })),
        ("move", json!({ "seed": 1u64 << 40 })),
    ] {
        assert_eq!(
            post(&format!("/api/v1/{path}"), &body).status,
            400,
            "{path} {body}"
        );
    }
    // A list is not the fields in order, and an empty one not the start.
    for body in [json!([]), json!(["f5"]), json!(null), json!("f5")] {
        assert_eq!(post("/api/v1/move", &body).code(), "bad_json", "{body}");
    }
    // A whole number may be written with a point, and only a whole one.
    let level = |level: f64| post("/api/v1/analyse", &json!({ "level": level })).status;
    assert_eq!((level(2.0), level(2.5)), (200, 400));
    // What is empty is not given.
    let start = server.get("/api/v1/position").text;
    assert_eq!(server.get("/api/v1/position?moves=&board=").text, start);
}

#[test]
fn addresses_without_a_version_are_the_first_version() {
    let server = Server::start();
    for path in [
        "position?moves=f5d6",
        "line?moves=f5",
        "openings",
        "players",
        "games?position=f5",
    ] {
        let [old, new] = ["/api", "/api/v1"].map(|api| server.get(&format!("{api}/{path}")));
        assert_eq!((new.status, &new.text), (200, &old.text), "{path}");
    }
    assert_eq!(server.get("/api/v2/position").code(), "not_found");
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap().keys();
    let mut api = paths.filter(|path| path.starts_with("/api/"));
    assert!(api.all(|path| path.starts_with("/api/v1/")), "{document}");
}

#[test]
fn a_name_with_a_typo_does_not_become_a_book() {
    let folder = tempfile::tempdir().unwrap();
    let serve = |arguments: &[&str], token: bool| {
        let mut command = emilia();
        command
            .current_dir(folder.path())
            .env_remove("EMILIA_TOKEN");
        if token {
            command.env("EMILIA_TOKEN", TOKEN);
        }
        let all = ["serve", "--book", "wthr", "--listen", "127.0.0.1:0"];
        command.args(all).args(arguments).output().unwrap()
    };
    for token in [false, true] {
        let output = serve(&[], token);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("there is no book in wthr"), "{told}");
        assert_eq!(told.contains("--create"), token, "{told}");
    }
    let output = serve(&["--create"], false);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!folder.path().join("wthr").exists());
}

#[test]
fn the_document_says_what_can_go_wrong_and_what_an_event_is() {
    let server = Server::start();
    let document = server.get("/openapi.json").json();
    let answers = |method: &str, path: &str| {
        let operation = &document["paths"][format!("/api/v1/{path}")][method];
        operation["responses"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let json = [
        "200", "400", "403", "408", "413", "415", "421", "422", "429", "500", "503",
    ];
    assert_eq!(answers("post", "analyse"), json);
    let file = [
        "202", "400", "401", "403", "408", "413", "421", "422", "429", "500", "503",
    ];
    assert_eq!(answers("post", "games"), file);
    let look = ["200", "403", "408", "421", "429", "500", "503"];
    assert_eq!(answers("get", "stats"), look);

    for (path, method, names, data) in [
        ("analyse", "post", json!(["depth", "done"]), "FoundView"),
        ("jobs/events", "get", json!(["jobs"]), "JobsView"),
    ] {
        let operation = &document["paths"][format!("/api/v1/{path}")][method];
        let content = &operation["responses"]["200"]["content"];
        let event = &content["text/event-stream"]["schema"]["properties"];
        assert_eq!(event["event"]["enum"], names, "{content}");
        let described = format!("#/components/schemas/{data}");
        assert_eq!(
            event["data"]["contentSchema"]["$ref"], described,
            "{content}"
        );
    }
    let id = &document["paths"]["/api/v1/jobs/{id}"]["delete"]["parameters"][0]["schema"];
    assert_eq!(
        (&id["minimum"], &id["maximum"]),
        (&json!(1), &json!((1u64 << 53) - 1))
    );
    // A collection can be pasted as it is: the sample games are read.
    let file = std::fs::read(samples().join("sample.txt")).unwrap();
    assert_eq!(
        server
            .upload("/api/v1/collection?name=x.txt", &file, None)
            .status,
        200
    );
}

#[test]
fn the_examples_of_the_document_work_when_they_are_sent() {
    let server = Server::with_token();
    let document = server.get("/openapi.json").json();
    let mut sent = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let mut address = path.clone();
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let mut queries = Vec::new();
            for parameter in parameters.filter(|parameter| !parameter["example"].is_null()) {
                let name = parameter["name"].as_str().unwrap();
                let value = parameter["example"].to_string().replace('"', "");
                match parameter["in"].as_str() {
                    Some("path") => address = address.replace(&format!("{{{name}}}"), &value),
                    _ => queries.push(format!("{name}={value}")),
                }
            }
            let url = server.url(&format!("{address}?{}", queries.join("&")));
            let agent = client();
            let bearer = format!("Bearer {TOKEN}");
            let content = &operation["requestBody"]["content"];
            let answer = match method.as_str() {
                "get" => agent.get(url).header("authorization", bearer).call(),
                "delete" => agent.delete(url).header("authorization", bearer).call(),
                _ if content["application/json"].is_object() => {
                    let schema = content["application/json"]["schema"]["$ref"]
                        .as_str()
                        .unwrap();
                    let schema = document.pointer(schema.trim_start_matches('#')).unwrap();
                    // An example of the whole, or of its only field.
                    let example = match &schema["example"] {
                        Value::Null => json!({
                            "positions": schema["properties"]["positions"]["example"]
                        }),
                        example => example.clone(),
                    };
                    let request = agent.post(url).header("authorization", bearer);
                    request.send_json(example)
                }
                _ => {
                    let file = content["application/octet-stream"]["example"].as_str();
                    let request = agent.post(url).header("authorization", bearer);
                    request.send(file.unwrap_or_default())
                }
            };
            let status = answer.unwrap().status();
            // There is no cluster to ask about, and no job that was stopped half way.
            let missing = ["/api/v1/cluster", "/api/v1/jobs/{id}/resume"];
            let expected = status.is_success() || missing.contains(&path.as_str());
            assert!(expected, "{method} {path}: {status}");
            sent += 1;
        }
    }
    assert!(sent >= 17, "{sent}");
}
