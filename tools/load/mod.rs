//! What the tools that load a server share: a server of their own, requests from all over its book,
//! and clients that ask one after the other and take the time.

use emilia::book::{Reader, Store, Table, Ways, look_up};
use emilia::othello::{Color, Position, Random, moves_to_string};
use std::error::Error;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::SocketAddr;
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tokio::net::TcpStream;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Half of them positions of the book, each as likely as the other; half of them lines as people
/// play them.
pub fn mixed_requests(book: &Path, count: u64) -> Outcome<Vec<Vec<u8>>> {
    let store = Store::open_read_only(book)?;
    let reader = store.reader();
    let mut random = Random::new(0x5eed);
    // Counted, not estimated: an estimate that is far too low would make up millions of requests.
    let mut positions = 0;
    let mut rows = reader.rows(Table::Nodes, None)?;
    while rows.next_row()?.is_some() {
        positions += 1;
    }
    let every = (positions / count.max(1)).max(1);
    let mut requests = Vec::new();
    let mut rows = reader.rows(Table::Nodes, None)?;
    while let Some((key, _)) = rows.next_node()? {
        if random.below(every) == 0 {
            let turn = Color::Black;
            let board = Position {
                board: key.board(),
                turn,
            }
            .to_string();
            requests.push(request(&format!(
                "/api/v1/position?board={}",
                board.replace(' ', "%20")
            )));
        }
    }
    let lines = requests.len();
    while requests.len() < 2 * lines {
        requests.extend(walk(&reader, &mut random)?);
    }
    for place in 0..requests.len() {
        requests.swap(place, random.below(place as u64 + 1) as usize);
    }
    println!(
        "{positions} positions; {} different requests",
        requests.len()
    );
    Ok(requests)
}

/// A line of moves, each as likely as people play it, and all its beginnings.
fn walk(reader: &Reader<'_>, random: &mut Random) -> Outcome<Vec<Vec<u8>>> {
    let mut position = Position::START;
    let mut moves = Vec::new();
    let mut requests = Vec::new();
    for _ in 0..30 {
        let answer = look_up(reader, position, Ways::LeftOut)?;
        let games = |m: &emilia::book::MoveAnswer| m.statistics.map_or(0, |s| u64::from(s.games));
        let all: u64 = answer.moves.iter().map(games).sum();
        if all == 0 {
            break;
        }
        let mut mark = random.below(all);
        for m in &answer.moves {
            match mark.checked_sub(games(m)) {
                Some(left) => mark = left,
                None => {
                    position = position.play(m.square)?;
                    moves.push(m.square);
                    break;
                }
            }
        }
        let line = moves_to_string(&moves);
        requests.push(request(&format!("/api/v1/position?moves={line}")));
    }
    Ok(requests)
}

/// The name that the server is told to answer to, because its port is not known beforehand.
pub const HOST: &str = "emilia";

pub fn request(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: {HOST}\r\n\r\n").into_bytes()
}

/// A server that is measured; it ends with this.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// With a token if it is to learn.
    pub fn start(
        program: &Path,
        book: &Path,
        more: &[String],
        token: Option<&str>,
    ) -> Outcome<Server> {
        let mut command = Command::new(program);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--public-host", HOST])
            .arg("--book")
            .arg(book)
            .args(more)
            .env_remove("EMILIA_TOKEN")
            .stdout(Stdio::piped());
        if let Some(token) = token {
            command.env("EMILIA_TOKEN", token);
        }
        let mut child = command.spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let address = line
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let address = address.parse()?;
        Ok(Server { child, address })
    }

    /// What it holds in memory, in megabytes.
    pub fn megabytes(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) / 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was measured: microseconds of each request, in order of length.
pub struct Load {
    pub times: Vec<u32>,
    pub seconds: f64,
}

impl Load {
    pub fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.seconds
    }

    /// In milliseconds.
    pub fn quantile(&self, part: f64) -> f64 {
        let place = (self.times.len() as f64 * part) as usize;
        let time = self.times.get(place).or(self.times.last());
        f64::from(time.copied().unwrap_or(0)) / 1000.0
    }
}

impl std::fmt::Display for Load {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [p50, p99, most] = [0.5, 0.99, 1.0].map(|part| self.quantile(part));
        write!(
            f,
            "{:>8.0} requests/s  p50 {p50:.2} ms  p99 {p99:.2} ms  longest {most:.1} ms",
            self.per_second()
        )
    }
}

/// Sends a request and gives the body of the answer.
pub async fn exchange<'a>(
    stream: &TcpStream,
    request: &[u8],
    buffer: &'a mut [u8],
) -> Outcome<&'a [u8]> {
    write(stream, request).await?;
    let mut size = 0;
    let body = loop {
        if let Some(body) = whole_body(&buffer[..size])? {
            break body;
        }
        let more = read(stream, &mut buffer[size..]).await?;
        if more == 0 {
            return Err("the server closed a connection".into());
        }
        size += more;
    };
    Ok(&buffer[body])
}

pub async fn write(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => stream.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub async fn read(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        stream.readable().await?;
        match stream.try_read(buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            done => return done,
        }
    }
}

/// Where the body is, once a whole answer has come.
fn whole_body(answer: &[u8]) -> Outcome<Option<Range<usize>>> {
    let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = std::str::from_utf8(&answer[..head])?;
    if !text.starts_with("HTTP/1.1 200") {
        return Err(text.to_owned().into());
    }
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .ok_or("no length")?;
    let body = head + 4..head + 4 + length.parse::<usize>()?;
    Ok((answer.len() >= body.end).then_some(body))
}
