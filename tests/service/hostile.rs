//! Requests that mean no good: each gets an error or is dropped, and the others do not notice.

use super::server::{Server, client};
use emilia::othello::Random;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

pub fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream
}

/// What comes back until the connection is closed; writing may fail when the server has had enough.
pub fn talk(server: &Server, bytes: &[u8]) -> String {
    let mut stream = connect(server);
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The status of the first answer; 0 if the connection was closed without one.
pub fn status(answer: &str) -> u16 {
    let code = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    code.unwrap_or(0)
}

pub fn is_well(server: &Server) {
    let answer = server.get("/api/position?moves=f5d6");
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// One of these.
fn one_of<'a>(random: &mut Random, all: &[&'a str]) -> &'a str {
    all[random.below(all.len() as u64) as usize]
}

#[test]
fn no_query_string_breaks_the_server() {
    let server = Server::start();
    let agent = client();
    let mut random = Random::new(0x5eed);
    let pieces = [
        "moves=",
        "board=",
        "f5",
        "d6",
        "c3",
        "%00",
        "%ff",
        "%F0%9F%98%80",
        "&",
        "=",
        "+",
        "%20",
        "--",
        "pass",
        "start",
        "XXXXOOOO",
        "--------",
        "X",
        "9",
        "a9",
        "%2e%2e/",
        "level=",
        "name=",
        "skip=-1",
        "skip=99999999999999999999",
        "%",
        "%zz",
        "plies=300",
        ";",
        "[]",
        "moves[]=",
    ];
    let paths = [
        "position",
        "line",
        "stats",
        "games",
        "jobs",
        "jobs/0",
        "openings",
        "collection",
    ];
    let host = server.address;
    for _ in 0..1500 {
        let path = one_of(&mut random, &paths);
        let length = random.below(14);
        let query: String = (0..length).map(|_| one_of(&mut random, &pieces)).collect();
        let request = format!(
            "GET /api/{path}?{query} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
        );
        let answer = talk(&server, request.as_bytes());
        let status = status(&answer);
        assert!((200..500).contains(&status), "{query}: {answer}");
    }
    // As many bytes that are no text at all.
    for _ in 0..300 {
        let length = 1 + random.below(400);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        let mut stream = connect(&server);
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let status = status(&String::from_utf8_lossy(&answer));
        assert!(status == 0 || (400..500).contains(&status), "{bytes:?}");
    }
    assert_eq!(
        agent.get(server.url("/health")).call().unwrap().status(),
        200
    );
}

#[test]
fn a_huge_body_is_refused_before_it_is_sent_and_an_endless_one_cut_off() {
    let server = Server::with(&["--upload", "1"], None);
    let (gigabyte, host) = (1u64 << 30, server.address);
    for path in [
        "/api/positions",
        "/api/collection",
        "/api/analyse",
        "/api/move",
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             content-length: {gigabyte}\r\n\r\n{{"
        );
        let answer = talk(&server, head.as_bytes());
        assert_eq!(status(&answer), 413, "{path}: {answer}");
        assert!(answer.contains("too_large"), "{answer}");
    }
    let mut stream = connect(&server);
    let head = format!(
        "POST /api/collection HTTP/1.1\r\nhost: {host}\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
    let sent = (0..1000)
        .take_while(|_| stream.write_all(&chunk).is_ok())
        .count();
    assert!(sent < 900, "the server took {sent} chunks");
    is_well(&server);
}

#[test]
fn endless_heads_and_long_addresses_are_refused() {
    let server = Server::start();
    let long = format!(
        "GET /api/position?moves={} HTTP/1.1\r\nhost: x\r\n\r\n",
        "f5".repeat(50_000)
    );
    let answer = talk(&server, long.as_bytes());
    assert!(matches!(status(&answer), 0 | 400..500), "{answer}");
    let mut many = b"GET / HTTP/1.1\r\n".to_vec();
    for number in 0..5000 {
        many.extend_from_slice(format!("x-{number}: y\r\n").as_bytes());
    }
    let answer = talk(&server, &many);
    assert!(matches!(status(&answer), 0 | 400..500), "{answer}");
    is_well(&server);
}

#[test]
fn idle_connections_keep_nobody_out() {
    let server = Server::with(&["--connections", "50"], None);
    // Some say nothing, some begin to speak and stop.
    let idle: Vec<TcpStream> = (0..400)
        .map(|number| {
            let mut stream = connect(&server);
            if number % 2 == 0 {
                let _ = stream.write_all(b"GET /api/position HTTP/1.1\r\nhost:");
            }
            stream
        })
        .collect();
    for _ in 0..20 {
        is_well(&server);
    }
    let open = server.get("/metrics").text;
    let open = open
        .lines()
        .find_map(|line| line.strip_prefix("emilia_http_connections "))
        .and_then(|count| count.parse::<u32>().ok());
    assert!(open.is_some_and(|open| open <= 51), "{open:?}");
    drop(idle);
    is_well(&server);
}

#[test]
fn a_head_that_never_ends_is_given_up() {
    let server = Server::start();
    let mut stream = connect(&server);
    stream
        .write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n")
        .unwrap();
    let mut answer = Vec::new();
    // Closed by the server, not by our own patience of 30 s.
    stream.read_to_end(&mut answer).unwrap();
    is_well(&server);
}

#[test]
fn half_closed_and_vanished_clients_leave_nothing_behind() {
    let server = Server::start();
    let request = format!(
        "GET /api/position?moves=f5 HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    );
    for _ in 0..50 {
        let mut stream = connect(&server);
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        drop(connect(&server));
    }
    is_well(&server);
    // All at once, none waits for its answer.
    let together: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = connect(&server);
            let _ = stream.write_all(request.repeat(20).as_bytes());
            stream
        })
        .collect();
    drop(together);
    is_well(&server);
}
