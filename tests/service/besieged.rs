//! A server that is besieged: bodies that never come, files that are bombs, answers that nobody
//! reads, work that nobody waits for. The others are answered, and nothing is left behind.

use super::api::wait_for_metric;
use super::hostile::{connect, is_well, status};
use super::server::{Server, client, games};
use emilia::games::Format;
use serde_json::json;
use socket2::{Domain, Socket, Type};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A connection from another address of this machine.
fn connect_from(server: &Server, last: u8) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let source = SocketAddr::from(([127, 0, 0, last], 0));
    socket.bind(&source.into()).unwrap();
    socket.connect(&server.address.into()).unwrap();
    let stream = TcpStream::from(socket);
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).unwrap();
    stream
}

fn post(server: &Server, path: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n{more}\r\n",
        server.address,
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Sends a request from another address and reads the answer's head.
fn ask_from(server: &Server, last: u8, request: &[u8]) -> (u16, TcpStream) {
    let mut stream = connect_from(server, last);
    stream.write_all(request).unwrap();
    let mut head = [0; 12];
    let _ = stream.read_exact(&mut head);
    (status(&String::from_utf8_lossy(&head)), stream)
}

const LONG: &str = r#"{"moves":"f5","level":60,"seconds":50,"book":false}"#;
const LONG_ANALYSIS: &str = r#"{"moves":"f5","level":60,"seconds":50}"#;

fn short() -> serde_json::Value {
    json!({ "moves": "f5d6c3", "level": 2, "book": false })
}

#[test]
fn bodies_that_never_come_silence_nobody() {
    let server = Server::start();
    let silent: Vec<TcpStream> = ["/api/collection", "/api/move", "/api/positions"]
        .iter()
        .flat_map(|path| (0..100).map(move |_| path))
        .map(|path| {
            let mut stream = connect_from(&server, 2);
            let mut request = post(&server, path, "", b"0123456789");
            request.truncate(request.len() - 10);
            stream.write_all(&request).unwrap();
            stream
        })
        .collect();
    for path in ["/health", "/ready", "/api/position?moves=f5", "/api/line"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    assert_eq!(server.post("/api/move", &short()).status, 200);
    let batch = server.post("/api/positions", &json!({ "positions": ["f5"] }));
    assert_eq!(batch.status, 200);
    let file = games(3, 5, Format::Ggf);
    assert_eq!(server.upload("/api/collection", &file, None).status, 200);
    drop(silent);
    is_well(&server);
}

#[test]
fn a_body_that_comes_byte_by_byte_is_given_up() {
    let server = Server::start();
    for path in ["/api/move", "/api/collection"] {
        let mut stream = connect(&server);
        let patience = Some(Duration::from_millis(300));
        stream.set_read_timeout(patience).unwrap();
        let request = post(&server, path, "", &[b' '; 1000]);
        let head = request.len() - 1000;
        stream.write_all(&request[..head]).unwrap();
        let mut answer = Vec::new();
        // A byte, and a look whether there is an answer, for some 60 s.
        for byte in request[head..].iter().take(200) {
            let _ = stream.write_all(&[*byte]);
            let mut buffer = [0; 1024];
            match stream.read(&mut buffer) {
                Ok(size) => {
                    answer.extend_from_slice(&buffer[..size]);
                    break;
                }
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        assert_eq!(status(&answer), 408, "{path}: {answer}");
    }
}

/// Some games, and then spaces without end, in a few hundred kilobytes.
fn bomb(gigabytes: usize) -> Vec<u8> {
    let start = zstd::encode_all(&b"f5d6c3\n".repeat(20)[..], 3).unwrap();
    let spaces = zstd::encode_all(std::io::repeat(b' ').take(64 << 20), 3).unwrap();
    [start, spaces.repeat(16 * gigabytes)].concat()
}

#[test]
fn a_packed_bomb_is_cut_off_and_its_games_are_told() {
    let server = Server::with(&["--upload", "1"], None);
    let answer = server.upload("/api/collection?name=x.txt.zst", &bomb(2), None);
    let view = answer.json();
    assert_eq!(view["total"], 20, "{view}");
    let told = view["bad_games"].to_string();
    assert!(told.contains("unpacks to more than is taken"), "{view}");
}

#[test]
fn a_file_is_not_read_on_when_its_sender_has_left() {
    let server = Server::start();
    let bomb = bomb(64);
    let request = post(&server, "/api/collection?name=x.txt.zst", "", &bomb);
    for last in 2..6 {
        let mut stream = connect_from(&server, last);
        stream.write_all(&request).unwrap();
        wait_for_metric(&server, "emilia_work{kind=\"reading\"}", 1);
        drop(stream);
        wait_for_metric(&server, "emilia_work{kind=\"reading\"}", 0);
    }
}

#[test]
fn rubbish_is_seen_by_its_beginning_and_whoever_sends_it_often_has_to_wait() {
    let server = Server::start();
    let rubbish = [1; 1 << 20];
    let head = post(&server, "/api/collection", "", &[b' '; 60 << 20]);
    let head = &head[..head.len() - (60 << 20)];
    let mut statuses = Vec::new();
    for _ in 0..14 {
        let mut stream = connect_from(&server, 2);
        stream.write_all(head).unwrap();
        let mut sent = 0;
        while sent < 60 && stream.write_all(&rubbish).is_ok() {
            sent += 1;
        }
        assert!(sent < 60, "all of it was taken");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        statuses.push(status(&String::from_utf8_lossy(&answer)));
    }
    // The answer may be lost where the server closes on somebody who still sends.
    let refused = |status: &u16| matches!(status, 0 | 422 | 429);
    assert!(statuses.iter().all(refused), "{statuses:?}");
    let file = post(&server, "/api/collection", "", &games(3, 5, Format::Ggf));
    assert_eq!(ask_from(&server, 2, &file).0, 429);
    assert_eq!(ask_from(&server, 3, &file).0, 200);
}

#[test]
fn whoever_takes_a_move_back_gets_another_at_once() {
    let server = Server::with(&["--searches-per-client", "1"], None);
    for _ in 0..3 {
        let mut stream = connect(&server);
        let request = post(&server, "/api/move", "", LONG.as_bytes());
        stream.write_all(&request).unwrap();
        wait_for_metric(&server, "emilia_searches_running", 1);
        drop(stream);
        let answer = server.post("/api/move", &short());
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

#[test]
fn two_searches_of_a_minute_do_not_own_a_small_server() {
    let server = Server::with(&["--searches", "2"], None);
    let request = post(&server, "/api/analyse", "", LONG_ANALYSIS.as_bytes());
    let owners = [2, 3].map(|last| ask_from(&server, last, &request));
    assert_eq!([owners[0].0, owners[1].0], [200, 200]);
    wait_for_metric(&server, "emilia_searches_running", 2);
    let answer = server.post("/api/move", &short());
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[test]
fn only_a_named_proxy_says_who_somebody_is() {
    for (arguments, expected) in [(&["--proxy", "127.0.0.2"][..], 200), (&[], 429)] {
        let all = [
            arguments,
            &["--searches-per-client", "1", "--searches", "4"],
        ]
        .concat();
        let server = Server::with(&all, None);
        let of = |client: &str, body: &str| {
            let more = format!("x-forwarded-for: 9.9.9.9, {client}\r\n");
            let path = "/api/analyse";
            post(&server, path, &more, body.as_bytes())
        };
        let (first, _stream) = ask_from(&server, 2, &of("1.2.3.4", LONG_ANALYSIS));
        assert_eq!(first, 200);
        let (other, _) = ask_from(&server, 2, &of("5.6.7.8", r#"{"level":1}"#));
        assert_eq!(other, expected, "{arguments:?}");
        let (same, _) = ask_from(&server, 2, &of("1.2.3.4", r#"{"level":1}"#));
        assert_eq!(same, 429, "{arguments:?}");
    }
}

/// So many large answers, one after the other over one connection, are more than the system keeps
/// for those who do not fetch them.
const ANSWERS: usize = 16;

fn batches(server: &Server) -> Vec<u8> {
    let wanted = json!({ "positions": vec!["f5d6c3d3c4"; 1000] });
    post(server, "/api/positions", "", wanted.to_string().as_bytes()).repeat(ANSWERS)
}

#[test]
fn an_answer_that_is_being_fetched_is_not_cut_off_for_others() {
    let server = Server::with(&["--connections", "40"], None);
    let mut slow = connect_from(&server, 2);
    slow.write_all(&batches(&server)).unwrap();
    let mut answer = vec![0; 4096];
    slow.read_exact(&mut answer).unwrap();
    let head = String::from_utf8_lossy(&answer).into_owned();
    let head = head.split("\r\n\r\n").next().unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    // The heads differ in nothing but a number and a date of equal lengths.
    let whole = ANSWERS * (head.len() + 4 + length.unwrap().parse::<usize>().unwrap());
    assert!(whole > 10 << 20, "{whole} bytes");
    std::thread::sleep(Duration::from_millis(1500));
    // Far more than there is room for.
    let crowd: Vec<TcpStream> = (0..120)
        .map(|number| connect_from(&server, 3 + number % 20))
        .collect();
    for _ in 0..5 {
        is_well(&server);
    }
    let mut buffer = [0; 64 << 10];
    while answer.len() < whole {
        let size = slow.read(&mut buffer).unwrap();
        assert!(size > 0, "cut off after {} of {whole} bytes", answer.len());
        answer.extend_from_slice(&buffer[..size]);
    }
    drop(crowd);
}

#[test]
fn whoever_never_reads_is_dropped() {
    let server = Server::start();
    let deaf: Vec<TcpStream> = (0..10)
        .map(|number| {
            let mut stream = connect_from(&server, 2 + number % 5);
            stream.write_all(&batches(&server)).unwrap();
            stream
        })
        .collect();
    is_well(&server);
    // Only the one that asks for the counters.
    wait_for_metric(&server, "emilia_http_connections", 1);
    drop(deaf);
}

#[test]
fn names_of_players_come_with_a_file_and_not_from_beside_it() {
    let server = Server::start();
    let mut table = vec![0; 16];
    table.extend([*b"Somebody Elses Name\0"; 2000].concat());
    // Where the server keeps what it is sent.
    std::fs::write(server.folder.path().join("wthor.jou"), table).unwrap();
    let file = games(7, 5, Format::Wthor);
    let answer = server.upload("/api/collection?name=WTH_2001.wtb", &file, None);
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.text.contains("Somebody"), "{}", answer.text);
}

#[test]
fn large_answers_are_packed_for_those_who_understand_it() {
    let server = Server::start();
    let asked = |path: &str, encoding: &str| {
        let request = client().get(server.url(path));
        let mut answer = request.header("accept-encoding", encoding).call().unwrap();
        let packed = answer.headers().get("content-encoding").cloned();
        (packed, answer.body_mut().read_to_vec().unwrap())
    };
    let (none, plain) = asked("/api/position?moves=f5", "identity");
    let (gzip, packed) = asked("/api/position?moves=f5", "gzip, br");
    assert_eq!((none, gzip.unwrap().as_bytes()), (None, &b"gzip"[..]));
    assert!(packed.len() < plain.len());
    let mut unpacked = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
    decoder.read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    assert_eq!(asked("/health", "gzip").0, None, "not worth it");
}
