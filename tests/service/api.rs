//! The HTTP interface: every address over a real socket, with a real book behind it.

use super::server::{Answer, SERVE, Server, TOKEN, client, emilia, games, read, samples};
use emilia::games::Format;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The events of an answer: name and data.
fn events(text: impl BufRead) -> impl Iterator<Item = (String, Value)> {
    let mut name = String::new();
    text.lines().map_while(Result::ok).filter_map(move |line| {
        if let Some(event) = line.strip_prefix("event: ") {
            name = event.to_owned();
        }
        let data = line.strip_prefix("data: ")?;
        Some((name.clone(), serde_json::from_str(data).unwrap()))
    })
}

#[test]
fn a_position_comes_with_all_its_moves_by_moves_or_by_board() {
    let server = Server::start();
    let start = server.get("/api/position").json();
    assert_eq!(start["turn"], "black");
    assert_eq!(start["in_book"], true);
    assert_eq!(start["moves"].as_array().unwrap().len(), 4);
    let games = start["statistics"]["games"].as_u64().unwrap();
    assert!(games > 300, "{start}");

    let answer = server.get("/api/position?moves=f5d6");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let by_moves = answer.json();
    assert_eq!(by_moves["line"], "f5d6");
    let board = by_moves["position"].as_str().unwrap().replace(' ', "%20");
    let by_board = server.get(&format!("/api/position?board={board}")).json();
    assert_eq!(by_board["moves"], by_moves["moves"]);
    assert_eq!(by_moves["ways_in"], Value::Null);
    let with_ways = server.get("/api/position?moves=f5d6&ways=true").json();
    assert!(with_ways["ways_in"].as_u64().unwrap() >= 1, "{with_ways}");
    assert_eq!(by_board["line"], Value::Null);
    assert_eq!(by_moves["opening"], "Perpendicular");
    let tiger = server.get("/api/position?moves=f5d6c3d3").json();
    let moves = tiger["moves"].as_array().unwrap();
    assert!(moves.iter().any(|m| m["opening"] == "Tiger"), "{tiger}");
    let f5 = &start["moves"][0]["statistics"];
    let sum = ["wins", "draws", "losses"].map(|name| f5[name].as_u64().unwrap());
    assert_eq!(f5["games"], sum.iter().sum::<u64>());
}

#[test]
fn a_finished_game_has_a_result_and_no_moves() {
    let server = Server::start();
    let end = server.get("/api/position?moves=e6f4e3f6g5d6e7f5c5").json();
    assert_eq!(end["over"], true);
    assert_eq!(end["result"], 64);
    assert_eq!(end["moves"], json!([]));
    let moved = server.post("/api/move", &json!({ "moves": "e6f4e3f6g5d6e7f5c5" }));
    assert_eq!(moved.json()["move"], Value::Null);
}

#[test]
fn the_programs_of_the_papers_are_listed_and_play() {
    let server = Server::start();
    let players = server.get("/api/players").json();
    let players = players.as_array().unwrap();
    let iago = players
        .iter()
        .find(|player| player["name"] == "iago")
        .unwrap();
    assert_eq!(iago["year"], 1981);
    for player in players {
        let wanted = json!({ "moves": "f5d6", "player": player["name"], "seconds": 0.1 });
        let moved = server.post("/api/move", &wanted).json();
        // Of them all only KEYANO's paper gives it a book.
        let source = if player["name"] == "keyano" {
            "book"
        } else {
            "search"
        };
        assert_eq!(moved["source"], source, "{moved}");
        assert!(moved["move"].is_string(), "{moved}");
    }
}

#[test]
fn a_bad_request_is_told_what_is_wrong_with_it() {
    let server = Server::start();
    for (path, status, code) in [
        ("/api/position?moves=f5f5", 422, "bad_position"),
        ("/api/position?board=XXX-----------", 422, "bad_position"),
        ("/api/position?moves=f5&board=x", 422, "bad_value"),
        ("/api/position?move=f5", 400, "bad_query"),
        ("/api/line?moves=a1", 422, "bad_position"),
        ("/api/nothing", 404, "not_found"),
        ("/api/analyse", 405, "wrong_method"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.code(), code, "{path}");
    }
    let illegal = server.get("/api/position?moves=f5f5").json();
    assert_eq!(illegal["error"]["input"], "f5f5");
    let message = illegal["error"]["message"].as_str().unwrap();
    assert_eq!(message, "move 2 (f5) is illegal: f5 is occupied");

    let no_json = read(
        client()
            .post(server.url("/api/positions"))
            .send("x")
            .unwrap(),
    );
    assert_eq!((no_json.status, no_json.code().as_str()), (415, "bad_json"));
    for (path, body, code) in [
        (
            "/api/positions",
            json!({ "positions": vec!["f5"; 1001] }),
            "bad_value",
        ),
        ("/api/positions", json!({ "boards": [] }), "bad_json"),
        ("/api/move", json!({ "level": 99 }), "bad_value"),
        ("/api/move", json!({ "seconds": -1 }), "bad_value"),
        ("/api/move", json!({ "player": "nobody" }), "bad_value"),
        ("/api/analyse", json!({ "moves": "h8" }), "bad_position"),
    ] {
        assert_eq!(server.post(path, &body).code(), code, "{path} {body}");
    }
    // The server may close the connection while the rest is still on its way.
    let large = json!({ "positions": ["f5".repeat(200_000)] });
    match client()
        .post(server.url("/api/positions"))
        .send_json(&large)
    {
        Ok(answer) => {
            let answer = read(answer);
            assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
        }
        Err(ureq::Error::Io(cut)) => {
            use std::io::ErrorKind::{BrokenPipe, ConnectionReset};
            assert!(matches!(cut.kind(), BrokenPipe | ConnectionReset), "{cut}");
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn many_positions_are_answered_at_once_each_for_itself() {
    let server = Server::start();
    let wanted = json!({ "positions": ["", "f5", "nonsense", "f5d6"] });
    let answers = server.post("/api/positions", &wanted).json();
    let answers = answers["positions"].as_array().unwrap();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0]["moves"].as_array().unwrap().len(), 4);
    assert_eq!(answers[2]["error"]["code"], "bad_position");
    assert_eq!(answers[3], server.get("/api/position?moves=f5d6").json());
    let thousand = json!({ "positions": vec!["f5d6c3d3c4"; 1000] });
    assert_eq!(server.post("/api/positions", &thousand).status, 200);
}

#[test]
fn a_line_is_told_step_by_step() {
    let server = Server::start();
    let line = server.get("/api/line?moves=e6f4e3f6g5d6e7f5c5").json();
    let steps = line["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 10);
    assert_eq!(steps[0]["move"], Value::Null);
    assert_eq!(steps[1]["move"], "e6");
    assert_eq!(steps[1]["by"], "black");
    assert_eq!(steps[9]["black_value"], 64.0);
    assert_eq!(steps[9]["exact"], true);
    let middle = server.get("/api/line?moves=f5").json();
    assert!(middle["because"][0]["rests_on"].is_string(), "{middle}");
}

#[test]
fn an_analysis_tells_of_every_depth_and_ends_with_the_last_word() {
    let server = Server::start();
    let response = client()
        .post(server.url("/api/analyse"))
        .send_json(json!({ "moves": "f5d6c3", "level": 6, "best_of": 3 }))
        .unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let told: Vec<_> = events(BufReader::new(response.into_body().into_reader())).collect();
    let (last, depths) = told.split_last().unwrap();
    assert!(depths.len() >= 6 && depths.iter().all(|(name, _)| name == "depth"));
    assert_eq!(last.0, "done");
    assert_eq!(last.1["depth"], 6);
    assert_eq!(last.1["moves"].as_array().unwrap().len(), 3);
    assert!(last.1["line"].as_str().unwrap().len() >= 2);
}

/// Waits for a count of the metrics to become this.
pub fn wait_for_metric(server: &Server, name: &str, value: u64) {
    let began = Instant::now();
    let line = format!("{name} {value}");
    while !server.get("/metrics").text.lines().any(|l| l == line) {
        assert!(began.elapsed() < Duration::from_secs(120), "never {line}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_search_ends_when_its_client_leaves_and_nobody_has_more_than_his_share() {
    let server = Server::with(&["--searches-per-client", "1"], None);
    let long = json!({ "moves": "f5", "level": 60, "seconds": 50 });
    let response = client()
        .post(server.url("/api/analyse"))
        .send_json(&long)
        .unwrap();
    let mut told = events(BufReader::new(response.into_body().into_reader()));
    assert_eq!(told.next().unwrap().0, "depth");
    wait_for_metric(&server, "emilia_searches_running", 1);
    let refused = server.post("/api/analyse", &long);
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (429, "too_many_searches")
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    drop(told);
    wait_for_metric(&server, "emilia_searches_running", 0);
    let short = json!({ "moves": "f5", "level": 2, "book": false });
    assert_eq!(server.post("/api/move", &short).status, 200);
}

#[test]
fn the_player_answers_with_a_legal_move_until_the_game_is_over() {
    use emilia::othello::{MoveList, Position};
    let server = Server::start();
    let mut moves = String::from("f5");
    loop {
        let wanted = json!({ "moves": moves, "level": "beginner", "seconds": 1 });
        let answer = server.post("/api/move", &wanted);
        assert_eq!(answer.status, 200, "{}", answer.text);
        let answer = answer.json();
        let Some(square) = answer["move"].as_str() else {
            break;
        };
        moves.push_str(square);
    }
    let end = MoveList::parse(Position::START, &moves).unwrap().end;
    assert!(end.board.is_over(), "{moves}");
}

#[test]
fn bad_games_are_told_as_the_command_line_tells_them() {
    let server = Server::start();
    let answer = server.upload(
        "/api/collection?name=mixed.txt",
        b"f5d6\nf5a1\nf5f6\n",
        None,
    );
    let view = answer.json();
    assert_eq!((&view["total"], &view["bad"]), (&2.into(), &1.into()));
    let bad = &view["bad_games"][0];
    assert_eq!(
        (&bad["file"], &bad["game"], &bad["move"]),
        (&"mixed.txt".into(), &2.into(), &2.into())
    );
    assert!(bad["reason"].as_str().unwrap().contains("a1"), "{bad}");
}

#[test]
fn a_collection_is_read_without_being_learned() {
    let server = Server::start();
    for format in Format::ALL {
        let file = games(7, 30, format);
        let name = format!("/api/collection?name=x.{}", format.extension());
        let answer = server.upload(&name, &file, None);
        assert_eq!(answer.status, 200, "{}", answer.text);
        let view = answer.json();
        assert_eq!(view["format"], format.to_string());
        assert_eq!(view["total"], 30);
        assert_eq!(view["bad"], 0);
        let game = &view["games"][0];
        assert!(game["moves"].as_str().unwrap().len() > 60, "{game}");
        assert!(game["result"].is_i64(), "{game}");
        let rest = server
            .upload(&format!("{name}&skip=25"), &file, None)
            .json();
        assert_eq!(rest["games"].as_array().unwrap().len(), 5);
    }
    let none = server.upload(
        "/api/collection?name=photo.jpg",
        b"\xff\xd8\xff not games",
        None,
    );
    assert_eq!(
        (none.status, none.code().as_str()),
        (422, "not_a_collection")
    );
    assert!(none.text.contains("photo.jpg"), "{}", none.text);
}

#[test]
fn openings_are_found_by_any_part_of_their_names() {
    let server = Server::start();
    let all = server.get("/api/openings").json();
    assert!(all["openings"].as_array().unwrap().len() >= 80);
    let tiger = server.get("/api/openings?name=tiger").json();
    let names = tiger["openings"].as_array().unwrap().iter();
    let exact = names.filter(|opening| opening["name"] == "Tiger").count();
    assert_eq!(exact, 1, "{tiger}");
}

#[test]
fn games_that_went_through_a_position_go_through_it_as_it_was_asked() {
    let server = Server::start();
    for line in ["f5d6", "c4e3", "e6f4", "d3c5"] {
        let position = server.get(&format!("/api/position?moves={line}")).json();
        let view = server.get(&format!("/api/games?position={line}&limit=3"));
        let view = view.json();
        assert_eq!(view["total"], position["statistics"]["games"], "{view}");
        let games = view["games"].as_array().unwrap();
        assert_eq!(games.len(), 3, "{view}");
        for game in games {
            assert!(game["moves"].as_str().unwrap().starts_with(line), "{game}");
            assert!(game["result"].is_i64(), "{game}");
        }
    }
    let nobody = server.get("/api/games?position=f5f6e6f4g5e7e3g6").json();
    assert_eq!(
        (&nobody["total"], &nobody["games"]),
        (&json!(0), &json!([]))
    );
    for (bad, status, code) in [
        ("position=f5f5", 422, "bad_position"),
        ("position=f5&limit=101", 400, "bad_value"),
        ("limit=x", 400, "bad_query"),
        ("years=2015-2000", 422, "bad_value"),
        ("result=won", 422, "bad_value"),
        ("player=", 422, "bad_value"),
        ("event=%20", 422, "bad_value"),
    ] {
        let answer = server.get(&format!("/api/games?{bad}"));
        assert_eq!((answer.status, answer.code().as_str()), (status, code));
    }
}

#[test]
fn games_are_sifted_and_come_page_by_page() {
    let server = Server::start();
    let get = |query: &str| server.get(&format!("/api/games?{query}")).json();
    let total = |query: &str| get(query)["total"].as_u64().unwrap();
    let all = total("");
    assert_eq!(all, 400);
    let ends = ["black", "white", "draw"].map(|end| total(&format!("result={end}")));
    assert_eq!(ends.iter().sum::<u64>(), all);
    assert_eq!(total("player=mob"), all);
    assert_eq!(get("player=mob")["players"], json!(["mobile"]));
    assert_eq!(total("event=emilia%20samples&years=2020-2030"), all);
    assert_eq!(total("years=2020"), 0);
    let won = "position=f5d6&player=greedy&result=white";
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = get(&format!("{won}&limit=40{after}"));
        for game in page["games"].as_array().unwrap() {
            assert!(game["moves"].as_str().unwrap().starts_with("f5d6"));
            assert!(game["result"].as_i64().unwrap() < 0);
            seen.push(game["number"].as_u64().unwrap());
        }
        match page["next"].as_u64() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert!(seen.is_sorted_by(|one, next| one < next));
    assert_eq!(seen.len() as u64, total(won));
}

#[test]
fn an_upload_for_which_there_is_no_room_is_told_where_it_would_go() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    let mut build = emilia();
    build.args(["book", "build", "--level", "0", "--book"]);
    build.arg(&book).arg(samples().join("sample.txt"));
    assert!(build.output().unwrap().status.success());
    let mut command = emilia();
    let nowhere = folder.path().join("no-such-folder");
    command.args(SERVE).arg(&book).env("TMPDIR", &nowhere);
    let server = Server::of_command(command, folder, None);
    let refused = server.upload("/api/v1/collection?name=x.txt", b"f5d6c3\n", None);
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (503, "no_scratch")
    );
    assert!(refused.text.contains("TMPDIR"), "{}", refused.text);
    let log = server.log();
    assert!(log.contains(nowhere.to_str().unwrap()), "{log}");
}

#[test]
fn a_page_of_no_games_is_refused_because_nothing_could_come_after_it() {
    let server = Server::start();
    for limit in ["0", "101"] {
        let refused = server.get(&format!("/api/v1/games?limit={limit}"));
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (400, "bad_value")
        );
    }
}

#[test]
fn stats_are_of_the_book_that_another_process_has_just_restored() {
    let server = Server::start();
    let on_the_book = |arguments: &[&str]| {
        let mut command = emilia();
        let done = command
            .current_dir(server.folder.path())
            .env("EMILIA_BOOK", "book")
            .arg("book")
            .args(arguments)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    let games = games(9, 50, Format::Transcript);
    std::fs::write(server.folder.path().join("few.txt"), games).unwrap();
    on_the_book(&["build", "few.txt", "--level", "0", "--book", "few"]);
    on_the_book(&["backup", "kept", "--book", "few"]);
    wait_for_counts(&server, 400);
    on_the_book(&["restore", "kept", "--force"]);
    let stats = server.get("/api/v1/stats").json();
    assert_eq!(stats["games"], 50, "{stats}");
    let counted = &stats["counted"];
    assert!(counted.is_null() || counted["games"] == 50, "{stats}");
    wait_for_counts(&server, 50);
}

/// The numbers of a walk through the whole book, which must have so many games.
fn wait_for_counts(server: &Server, games: u64) -> Value {
    let began = Instant::now();
    loop {
        let stats = server.get("/api/stats").json();
        if !stats["counted"].is_null() {
            assert_eq!(stats["counted"]["games"], games);
            return stats;
        }
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_position_shows_the_statistics_of_the_games_that_are_meant() {
    let server = Server::start();
    let games = |query: &str| {
        let view = server.get(&format!("/api/position?moves=f5d6{query}"));
        view.json()["statistics"]["games"].as_u64()
    };
    assert_eq!(games("&years=2025&player=Mobile"), games(""));
    assert_eq!(games("&years=-2024"), None);
    for bad in ["years=soon", "player="] {
        let bad = server.get(&format!("/api/position?{bad}"));
        assert_eq!((bad.status, bad.code().as_str()), (422, "bad_value"));
    }
}

#[test]
fn stats_count_the_book_in_the_background() {
    let server = Server::start();
    let stats = wait_for_counts(&server, 400);
    assert_eq!(stats["writable"], false);
    assert!(stats["counted"]["positions"].as_u64().unwrap() > 5000);
    let layers = stats["counted"]["layers"].as_array().unwrap();
    assert_eq!(layers[0]["discs"], 4);
    assert_eq!(layers[0]["positions"], 1);
    let gaps = stats["counted"]["gaps"].as_array().unwrap();
    let games = |gap: &Value| gap["games"].as_u64().unwrap();
    assert!(!gaps.is_empty() && gaps.is_sorted_by_key(|gap| u64::MAX - games(gap)));
}

#[test]
fn without_a_token_nothing_changes_and_with_a_wrong_one_neither() {
    let reading = Server::start();
    let file = games(1, 3, Format::Transcript);
    let answer = reading.upload("/api/games", &file, Some(TOKEN));
    assert_eq!((answer.status, answer.code().as_str()), (403, "read_only"));
    assert_eq!(reading.get("/api/jobs").code(), "read_only");

    let writing = Server::with_token();
    for token in [None, Some("wrong"), Some("")] {
        let answer = writing.upload("/api/games", &file, token);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (401, "wrong_token")
        );
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let jobs = with_token(&writing, "/api/jobs");
    assert_eq!(jobs.json()["jobs"], json!([]));
}

fn with_token(server: &Server, path: &str) -> Answer {
    let request = client().get(server.url(path));
    let request = request.header("authorization", format!("Bearer {TOKEN}"));
    read(request.call().unwrap())
}

#[test]
fn an_upload_is_learned_in_the_background_and_told_about() {
    let server = Server::with_token();
    let before = server.get("/api/position").json()["statistics"]["games"].clone();
    let events_of_jobs = client()
        .get(server.url("/api/jobs/events"))
        .header("authorization", format!("Bearer {TOKEN}"))
        .call()
        .unwrap();
    let file = games(99, 200, Format::Wthor);
    let answer = server.upload("/api/games?name=new.wtb&level=0", &file, Some(TOKEN));
    assert_eq!(answer.status, 202, "{}", answer.text);
    let job = answer.json();
    assert_eq!(job["kind"], "learn");
    assert_eq!(job["about"], "new.wtb");
    let id = job["id"].as_u64().unwrap();

    let told = events(BufReader::new(events_of_jobs.into_body().into_reader()));
    let done = told
        .filter_map(|(_, jobs)| jobs["jobs"].get(0).cloned())
        .find(|job| job["state"] == "done")
        .unwrap();
    assert_eq!(done["id"], id);
    assert!(
        done["message"]
            .as_str()
            .unwrap()
            .starts_with("200 games learned"),
        "{done}"
    );
    let after = server.get("/api/position").json()["statistics"]["games"].clone();
    assert_eq!(after.as_u64().unwrap(), before.as_u64().unwrap() + 200);

    let grow = |body: Value| {
        let request = client().post(server.url("/api/expand"));
        let request = request.header("authorization", format!("Bearer {TOKEN}"));
        read(request.send_json(body).unwrap())
    };
    assert_eq!(grow(json!({ "positions": 0 })).code(), "bad_value");
    assert_eq!(grow(json!({ "moves": "a1" })).code(), "bad_position");
    let job = grow(json!({ "moves": "f5", "positions": 3, "level": 2 }));
    assert_eq!(
        (job.status, job.json()["kind"].as_str()),
        (202, Some("expand"))
    );
    let began = Instant::now();
    loop {
        let job = with_token(&server, "/api/jobs").json()["jobs"][0].clone();
        if job["state"] == "done" {
            assert!(
                job["message"].as_str().unwrap().contains("new positions"),
                "{job}"
            );
            break;
        }
        let going = job["state"] == "running" || job["state"] == "waiting";
        assert!(going && began.elapsed() < Duration::from_secs(60), "{job}");
        std::thread::sleep(Duration::from_millis(50));
    }

    let none = server.upload("/api/games?name=x.wtb", b"no games", Some(TOKEN));
    assert_eq!(none.code(), "not_a_collection");
    let stop = client()
        .delete(server.url(&format!("/api/jobs/{id}")))
        .header("authorization", format!("Bearer {TOKEN}"));
    assert_eq!(read(stop.call().unwrap()).json()["state"], "done");
    let missing = client()
        .delete(server.url("/api/jobs/12345"))
        .header("authorization", format!("Bearer {TOKEN}"));
    assert_eq!(read(missing.call().unwrap()).code(), "not_found");
}

#[test]
fn a_job_tells_what_it_searches_and_is_taken_up_again_where_it_was_stopped() {
    let server = Server::with_token();
    let token = format!("Bearer {TOKEN}");
    let post = |path: &str, body: Value| {
        let request = client().post(server.url(path));
        read(
            request
                .header("authorization", &token)
                .send_json(body)
                .unwrap(),
        )
    };
    let newest = |is: &dyn Fn(&Value) -> bool| {
        let began = Instant::now();
        loop {
            let job = with_token(&server, "/api/jobs").json()["jobs"][0].clone();
            if is(&job) {
                return job;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{job}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let job = post("/api/expand", json!({ "positions": 1_000_000, "level": 4 })).json();
    let resume = format!("/api/jobs/{}/resume", job["id"]);
    assert_eq!(post(&resume, json!({})).code(), "not_found", "it runs");
    let searched = |job: &Value| job["searching"].get(0).is_some() && job["done"] != 0;
    let moves = newest(&searched)["searching"][0]["moves"].clone();
    let position = server.get(&format!("/api/position?moves={}", moves.as_str().unwrap()));
    assert_eq!(position.status, 200, "{}", position.text);
    let stop = client().delete(server.url(&format!("/api/jobs/{}", job["id"])));
    read(stop.header("authorization", &token).call().unwrap());
    let stopped = newest(&|job| job["state"] == "stopped");
    assert_eq!(stopped["resumable"], true, "{stopped}");
    assert_eq!(stopped["searching"], json!([]));

    let again = post(&resume, json!({}));
    assert_eq!(again.status, 202, "{}", again.text);
    assert_eq!(again.json()["about"], stopped["about"]);
    assert_eq!(
        post(&resume, json!({})).code(),
        "not_found",
        "once is enough"
    );
    let running = newest(&|job| job["total"].is_u64());
    let left = 1_000_000 - stopped["done"].as_u64().unwrap();
    assert_eq!(running["total"], left, "{running}");
}

#[test]
fn every_answer_has_a_number_and_tells_browsers_what_not_to_do() {
    let server = Server::with(&["-v"], None);
    for path in ["/", "/api/position", "/api/nothing", "/health"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(
            answer
                .header("x-request-id")
                .is_some_and(|id| id.len() == 16)
        );
    }
    // Only the engine's worker, which may do nothing else, compiles what it runs.
    let worker = server.get("/page/engine-worker.js");
    let policy = worker.header("content-security-policy").unwrap();
    assert_eq!(policy, "default-src 'none'; script-src 'wasm-unsafe-eval'");
    let request = client().get(server.url("/health"));
    let named = read(request.header("x-request-id", "my-own-1").call().unwrap());
    assert_eq!(named.header("x-request-id"), Some("my-own-1"));
    let log = server.log();
    let line = log.lines().find(|line| line.contains("my-own-1")).unwrap();
    assert!(
        line.contains("answered") && line.contains("status=200"),
        "{line}"
    );
}

#[test]
fn the_document_describes_every_address_and_the_page_is_there() {
    let server = Server::start();
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    for path in [
        "/api/v1/position",
        "/api/v1/positions",
        "/api/v1/line",
        "/api/v1/analyse",
        "/api/v1/move",
        "/api/v1/collection",
        "/api/v1/games",
        "/api/v1/expand",
        "/api/v1/jobs",
        "/api/v1/jobs/events",
        "/api/v1/jobs/{id}",
        "/api/v1/jobs/{id}/resume",
        "/api/v1/openings",
        "/api/v1/stats",
        "/health",
        "/metrics",
    ] {
        assert!(paths.contains_key(path), "{path}");
    }
    for (path, takes_its_turn) in [("/metrics", true), ("/health", false)] {
        let answers = &paths[path]["get"]["responses"];
        for status in ["408", "429", "503"] {
            assert_eq!(answers[status].is_object(), takes_its_turn, "{path}");
        }
    }
    assert!(document["components"]["schemas"]["PositionView"].is_object());
    for path in ["/", "/games", "/play", "/programs", "/grow", "/docs"] {
        let page = server.get(path);
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        let tag = page.header("etag").unwrap();
        let again = client().get(server.url(path)).header("if-none-match", tag);
        let again = read(again.call().unwrap());
        assert_eq!((again.status, again.text.len()), (304, 0), "{path}");
    }
    let metrics = server.get("/metrics").text;
    assert!(
        metrics.contains("emilia_http_requests_total{route=\"/openapi.json\",status=\"200\"} 1")
    );
    assert!(metrics.contains("emilia_http_connections"), "{metrics}");
    assert!(
        metrics.contains("emilia_store_bytes{table=\"nodes\"} "),
        "{metrics}"
    );
    let of_store = |line: &&str| line.starts_with("emilia_store_cache_looks_total{result=");
    assert_eq!(metrics.lines().filter(of_store).count(), 2, "{metrics}");
}

#[test]
fn ctrl_c_finishes_what_is_under_way() {
    let mut server = Server::with_token();
    let response = client()
        .post(server.url("/api/analyse"))
        .send_json(json!({ "moves": "f5", "level": 60, "seconds": 50 }))
        .unwrap();
    let mut told = events(BufReader::new(response.into_body().into_reader()));
    assert_eq!(told.next().unwrap().0, "depth");
    let file = games(5, 2000, Format::Transcript);
    assert_eq!(
        server
            .upload("/api/games?name=x.txt", &file, Some(TOKEN))
            .status,
        202
    );
    let _says_nothing = TcpStream::connect(server.address).unwrap();
    server.interrupt();
    assert_eq!(
        told.last().unwrap().0,
        "done",
        "the search says what it has"
    );
    let status = server.wait(Duration::from_secs(30)).expect("it ends");
    assert_eq!(status.code(), Some(130), "{status}");
    let book = server.folder.path().join("book");
    let check = std::process::Command::new(env!("CARGO_BIN_EXE_emilia"))
        .args(["book", "check", "--book"])
        .arg(book)
        .output()
        .unwrap();
    assert!(check.status.success(), "{check:?}");
}

#[test]
fn the_dashboard_shows_counters_that_there_are() {
    let server = Server::start();
    // Some appear with the first of what they count.
    server.get("/health");
    let counters = server.get("/metrics").text;
    let dashboard =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/grafana-emilia.json");
    let dashboard: Value = serde_json::from_slice(&std::fs::read(dashboard).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let shown: std::collections::BTreeSet<String> = panels
        .flat_map(|panel| panel["targets"].as_array().unwrap())
        .flat_map(|target| {
            let expression = target["expr"].as_str().unwrap();
            expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        })
        .filter(|word| word.starts_with("emilia_"))
        .map(|word| word.trim_end_matches("_bucket").to_owned())
        .collect();
    let there = |name: &&str| counters.contains(&format!("# TYPE {name} "));
    for name in shown.iter().map(String::as_str) {
        // Machines that search are only seen where there are any.
        assert!(name == "emilia_cluster" || there(&name), "{name}");
    }
    let counted = counters
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    for name in counted.filter_map(|line| line.split(' ').next()) {
        assert!(shown.contains(name), "{name} is not on the dashboard");
    }
}

#[test]
fn a_server_says_that_it_is_there_and_ready() {
    for server in [Server::start(), Server::with_token()] {
        for path in ["/health", "/ready"] {
            let answer = server.get(path);
            assert_eq!(
                (answer.status, answer.json()),
                (200, json!({ "status": "ok" }))
            );
        }
    }
}
