//! Load for `emilia serve`: many connections ask for positions of a book, and for comparison for a
//! constant answer. Run it with `tools/load-service`.

use clap::Parser;
use emilia::book::{Reader, Store, Table, Ways, look_up};
use emilia::othello::{Position, Random, moves_to_string};
use std::error::Error;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

const TOKEN: &str = "load";

#[derive(Parser)]
struct Args {
    /// The program to measure
    #[arg(long)]
    server: PathBuf,
    #[arg(long)]
    book: PathBuf,
    #[arg(long, default_value_t = 64)]
    connections: usize,
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Different requests of each kind; many more than the server remembers answers to show what
    /// it does without
    #[arg(long, default_value_t = 20_000)]
    requests: u64,
    /// Measure again while the server learns these games
    #[arg(long)]
    learn: Vec<PathBuf>,
    /// What the server is started with besides, such as --workers=2
    #[arg(last = true)]
    more: Vec<String>,
}

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let args = Args::parse();
    let requests = Arc::new(mixed_requests(&args.book, args.requests)?);
    let server = Server::start(&args)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let constant = Arc::new(vec![request("/health")]);
    let measure = |name: &str, what: &Arc<Vec<Vec<u8>>>, seconds: u64| -> Outcome<Load> {
        let load = runtime.block_on(load(&server, what.clone(), args.connections, seconds))?;
        println!("{name:<22} {load}  server {} MB", server.megabytes());
        Ok(load)
    };
    let half = args.seconds.div_ceil(2);
    measure("positions, warm-up", &requests, 3)?;
    let before = measure("constant", &constant, half)?;
    let positions = measure("positions", &requests, args.seconds)?;
    let after = measure("constant", &constant, half)?;
    let ratio = 2.0 * positions.per_second() / (before.per_second() + after.per_second());
    println!("positions / constant: {ratio:.2} of the throughput");
    if !args.learn.is_empty() {
        for file in &args.learn {
            runtime.block_on(server.learn(file))?;
        }
        let learning = measure("positions, learning", &requests, args.seconds)?;
        let ratio = learning.quantile(0.99) / positions.quantile(0.99);
        let progress = runtime.block_on(server.progress())?;
        println!("p99 while learning / p99 idle: {ratio:.2}; {progress}");
    }
    Ok(())
}

/// Half of them positions of the book, each as likely as the other; half of them lines as people
/// play them.
fn mixed_requests(book: &Path, count: u64) -> Outcome<Vec<Vec<u8>>> {
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
            let turn = emilia::othello::Color::Black;
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

fn request(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: emilia\r\n\r\n").into_bytes()
}

struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(args: &Args) -> Outcome<Server> {
        let mut command = Command::new(&args.server);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--book"])
            .arg(&args.book)
            .args(&args.more)
            .env_remove("EMILIA_TOKEN")
            .stdout(Stdio::piped());
        if !args.learn.is_empty() {
            command.env("EMILIA_TOKEN", TOKEN);
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
    fn megabytes(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) / 1024
    }

    async fn learn(&self, file: &Path) -> Outcome<()> {
        let bytes = std::fs::read(file)?;
        let head = format!(
            "POST /api/v1/games?name=x.wtb&level=0 HTTP/1.1\r\nhost: emilia\r\nauthorization: Bearer {TOKEN}\r\n\
             content-length: {}\r\n\r\n",
            bytes.len()
        );
        let stream = TcpStream::connect(self.address).await?;
        write(&stream, head.as_bytes()).await?;
        write(&stream, &bytes).await?;
        let mut answer = vec![0; 64];
        let size = read(&stream, &mut answer).await?;
        if !answer[..size].starts_with(b"HTTP/1.1 202") {
            return Err("the games were not taken".into());
        }
        Ok(())
    }

    /// How far it is with the files it was given.
    async fn progress(&self) -> Outcome<String> {
        let request = format!(
            "GET /api/v1/jobs HTTP/1.1\r\nhost: emilia\r\nauthorization: Bearer {TOKEN}\r\n\r\n"
        );
        let stream = TcpStream::connect(self.address).await?;
        let mut buffer = vec![0; 64 << 10];
        let body = exchange(&stream, request.as_bytes(), &mut buffer).await?;
        let jobs: serde_json::Value = serde_json::from_slice(body)?;
        let jobs = jobs["jobs"].as_array().ok_or("no list of jobs")?;
        let in_state = |state: &'static str| jobs.iter().filter(move |job| job["state"] == state);
        let done = in_state("done").count();
        let mut text = format!("{done} of {} files learned", jobs.len());
        if let Some(job) = in_state("running").next() {
            text += &format!(", {} {} of {}", job["message"], job["done"], job["total"]);
        }
        Ok(text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was measured: microseconds of each request, in order of length.
struct Load {
    times: Vec<u32>,
    seconds: f64,
}

impl Load {
    fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.seconds
    }

    /// In milliseconds.
    fn quantile(&self, part: f64) -> f64 {
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

async fn load(
    server: &Server,
    requests: Arc<Vec<Vec<u8>>>,
    connections: usize,
    seconds: u64,
) -> Outcome<Load> {
    let began = Instant::now();
    let end = began + Duration::from_secs(seconds);
    let tasks: Vec<_> = (0..connections)
        .map(|number| {
            let first = number * requests.len() / connections;
            tokio::spawn(ask(server.address, requests.clone(), first, end))
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let seconds = began.elapsed().as_secs_f64();
    times.sort_unstable();
    Ok(Load { times, seconds })
}

/// Asks one request after the other over one connection; any answer but 200 is an error.
async fn ask(
    address: SocketAddr,
    requests: Arc<Vec<Vec<u8>>>,
    first: usize,
    end: Instant,
) -> Outcome<Vec<u32>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut times = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    for request in requests.iter().cycle().skip(first) {
        let began = Instant::now();
        if began >= end {
            break;
        }
        exchange(&stream, request, &mut buffer).await?;
        times.push(began.elapsed().as_micros() as u32);
    }
    Ok(times)
}

/// Sends a request and gives the body of the answer.
async fn exchange<'a>(
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

async fn write(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => stream.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn read(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
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
