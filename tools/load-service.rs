//! Load for `emilia serve`: many connections ask for positions of a book, and for comparison for a
//! constant answer. Run it with `tools/load-service`.

#[path = "load/mod.rs"]
mod load;

use clap::Parser;
use load::{HOST, Load, Outcome, Server, exchange, mixed_requests, read, request, write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

const TOKEN: &str = "a-token-for-load";

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
    /// What the server is started with besides, such as --searches=2
    #[arg(last = true)]
    more: Vec<String>,
}

fn main() -> Outcome<()> {
    let args = Args::parse();
    let requests = Arc::new(mixed_requests(&args.book, args.requests)?);
    let token = (!args.learn.is_empty()).then_some(TOKEN);
    let server = Server::start(&args.server, &args.book, &args.more, token)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let constant = Arc::new(vec![request("/health")]);
    let measure = |name: &str, what: &Arc<Vec<Vec<u8>>>, seconds: u64| -> Outcome<Load> {
        let load = runtime.block_on(measured(&server, what.clone(), args.connections, seconds))?;
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
            runtime.block_on(learn(&server, file))?;
        }
        let learning = measure("positions, learning", &requests, args.seconds)?;
        let ratio = learning.quantile(0.99) / positions.quantile(0.99);
        let progress = runtime.block_on(progress(&server))?;
        println!("p99 while learning / p99 idle: {ratio:.2}; {progress}");
    }
    Ok(())
}

async fn learn(server: &Server, file: &Path) -> Outcome<()> {
    let bytes = std::fs::read(file)?;
    let head = format!(
        "POST /api/v1/games?name=x.wtb&level=0 HTTP/1.1\r\nhost: {HOST}\r\nauthorization: Bearer {TOKEN}\r\n\
             content-length: {}\r\n\r\n",
        bytes.len()
    );
    let stream = TcpStream::connect(server.address).await?;
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
async fn progress(server: &Server) -> Outcome<String> {
    let request = format!(
        "GET /api/v1/jobs HTTP/1.1\r\nhost: {HOST}\r\nauthorization: Bearer {TOKEN}\r\n\r\n"
    );
    let stream = TcpStream::connect(server.address).await?;
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

async fn measured(
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
