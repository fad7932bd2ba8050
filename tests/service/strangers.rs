//! Strangers: names that are not ours, pages of other sites, and those who guess the token.

use super::hostile::{status, talk};
use super::server::{Server, TOKEN, emilia, games};
use emilia::games::Format;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn request(method: &str, path: &str, host: &str, more: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{more}content-length: 0\r\n\
         connection: close\r\n\r\n"
    )
    .into_bytes()
}

#[test]
fn a_name_that_is_not_ours_is_refused_and_one_we_were_given_answered() {
    let server = Server::with(&["--public-host", "book.example.org"], None);
    let port = server.address.port();
    let asked = |host: &str| talk(&server, &request("GET", "/api/position", host, ""));
    for good in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        "book.example.org".into(),
        "book.example.org:443".into(),
    ] {
        assert_eq!(status(&asked(&good)), 200, "{good}");
    }
    for bad in [
        "evil.example",
        &format!("evil.example:{port}"),
        "localhost:1",
    ] {
        let answer = asked(bad);
        assert_eq!(status(&answer), 421, "{bad}: {answer}");
        assert!(answer.contains("wrong_host") && answer.contains("--public-host"));
    }
    // The page itself, and the long form of an address.
    let page = talk(&server, &request("GET", "/", "evil.example", ""));
    assert_eq!(status(&page), 421);
    let host = server.address.to_string();
    let long = request("GET", "http://evil.example/health", &host, "");
    assert_eq!(status(&talk(&server, &long)), 421);
}

#[test]
fn whoever_watches_with_an_old_version_need_not_name_a_host() {
    let server = Server::start();
    for path in ["/health", "/ready", "/api/v1/position"] {
        let answer = talk(&server, format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes());
        assert_eq!(status(&answer), 200, "{path}: {answer}");
    }
    // A name that is not ours is refused in any version, and none in a later one.
    let foreign = b"GET /health HTTP/1.0\r\nhost: evil.example\r\n\r\n";
    assert_eq!(status(&talk(&server, foreign)), 421);
    let nameless = b"GET /health HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert_eq!(status(&talk(&server, nameless)), 421);
}

#[test]
fn a_page_of_another_site_may_link_here_and_nothing_else() {
    let server = Server::with(&["--cors", "https://friend.example"], Some(TOKEN));
    let host = server.address.to_string();
    let asked =
        |method: &str, path: &str, more: &str| talk(&server, &request(method, path, &host, more));
    let token = format!("authorization: Bearer {TOKEN}\r\n");
    for (method, path) in [
        ("POST", "/api/collection"),
        ("POST", "/api/games"),
        ("DELETE", "/api/jobs/1"),
        ("GET", "/api/games?position=f5"),
    ] {
        for from in [
            "origin: https://evil.example\r\n",
            "origin: null\r\n",
            "origin: http://127.0.0.1:1\r\n",
            "sec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n",
        ] {
            let answer = asked(method, path, &format!("{from}{token}"));
            assert_eq!(status(&answer), 403, "{method} {path} {from}: {answer}");
            assert!(answer.contains("foreign_origin"), "{answer}");
            assert!(!answer.contains("access-control-allow-origin"), "{answer}");
        }
    }
    let own = format!("origin: http://{host}\r\nsec-fetch-site: same-origin\r\n");
    assert_eq!(
        status(&asked("DELETE", "/api/jobs/1", &format!("{own}{token}"))),
        404
    );
    assert_eq!(status(&asked("DELETE", "/api/jobs/1", &own)), 401);
    let link = "sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\n";
    assert_eq!(status(&asked("GET", "/?moves=f5", link)), 200);

    let friend = "origin: https://friend.example\r\nsec-fetch-site: cross-site\r\n";
    let answer = asked("GET", "/api/position", friend);
    assert_eq!(status(&answer), 200);
    let allowed = "access-control-allow-origin: https://friend.example";
    assert!(answer.contains(allowed), "{answer}");
    let preflight = format!("{friend}access-control-request-method: POST\r\n");
    let answer = asked("OPTIONS", "/api/move", &preflight);
    assert_eq!(status(&answer), 200, "{answer}");
    assert!(answer.contains(allowed), "{answer}");
}

#[test]
fn without_cors_no_answer_allows_other_sites() {
    let server = Server::start();
    let host = server.address.to_string();
    let answer = talk(&server, &request("OPTIONS", "/api/move", &host, ""));
    assert_eq!(status(&answer), 405);
    let answer = talk(&server, &request("GET", "/api/position", &host, ""));
    assert_eq!(status(&answer), 200);
    assert!(!answer.contains("access-control"), "{answer}");
}

#[test]
fn the_scheme_of_a_token_is_written_in_any_case() {
    let server = Server::with_token();
    let host = server.address.to_string();
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let more = format!("authorization: {scheme} {TOKEN}\r\n");
        let answer = talk(&server, &request("GET", "/api/jobs", &host, &more));
        assert_eq!(status(&answer), 200, "{scheme}: {answer}");
    }
}

#[test]
fn whoever_guesses_the_token_has_to_wait() {
    let server = Server::with_token();
    let file = games(1, 3, Format::Transcript);
    let codes: Vec<String> = (0..12)
        .map(|number| {
            let guess = format!("not-the-token-{number:04}");
            server.upload("/api/games", &file, Some(&guess)).code()
        })
        .collect();
    assert_eq!(codes[0], "wrong_token");
    assert_eq!(codes[11], "too_many_failures", "{codes:?}");
    let right = server.upload("/api/games", &file, Some(TOKEN));
    assert_eq!(right.status, 429, "else waiting would be no hindrance");
    assert!(right.header("retry-after").is_some());
    // Those who only read are not kept from it.
    assert_eq!(server.get("/api/position?moves=f5").status, 200);
}

/// What the program says when it is started with these, which it must refuse.
fn refusal(arguments: &[&str], token: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = emilia();
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--book"])
        .arg(folder.path().join("book"))
        .args(arguments)
        .env_remove("EMILIA_TOKEN");
    if let Some(token) = token {
        command.env("EMILIA_TOKEN", token);
    }
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // One that is not refused serves for ever.
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.code().is_some_and(|code| code != 0),
        "{arguments:?}"
    );
    assert!(!folder.path().join("book").exists(), "no book was made");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_token_is_long_enough_and_its_file_for_nobody_else() {
    let said = refusal(&[], Some("x"));
    assert!(
        said.contains("16") && said.contains("--new-token"),
        "{said}"
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let path = file.to_str().unwrap();
    let make = || {
        emilia()
            .args(["serve", "--new-token", path])
            .output()
            .unwrap()
    };
    let made = make();
    assert!(made.status.success(), "{made:?}");
    let said = String::from_utf8_lossy(&made.stdout);
    assert!(said.contains(&format!("--token-file {path}")), "{said}");
    let secret = fs::read_to_string(&file).unwrap();
    assert!(secret.trim().len() >= 16 && !said.contains(secret.trim()));
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(!make().status.success(), "a token that is there is kept");
    assert_eq!(fs::read_to_string(&file).unwrap(), secret);

    let server = Server::with(&["--token-file", path], None);
    let host = server.address.to_string();
    let more = format!("authorization: Bearer {}\r\n", secret.trim());
    let answer = talk(&server, &request("GET", "/api/jobs", &host, &more));
    assert_eq!(status(&answer), 200, "{answer}");

    for mode in [0o640, 0o604] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let said = refusal(&["--token-file", path], None);
        assert!(said.contains(&format!("chmod 600 {path}")), "{said}");
    }
}
