//! A siege of `emilia serve`, and whether those who mean well notice it. Run it with
//! `tools/hostile-load`.
//!
//! The hostile ones would be other machines: their thread has the lowest priority, so that what is
//! measured is the server and not who of us gets the cores. One whose connection is closed comes
//! again after a second.

#[path = "load/mod.rs"]
mod load;

use clap::Parser;
use emilia::book::raise_file_limit;
use load::{HOST, Load, Outcome, Server, exchange, mixed_requests, request, write};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::net::{TcpSocket, TcpStream};

#[derive(Parser)]
struct Args {
    /// The program to measure
    #[arg(long)]
    server: PathBuf,
    #[arg(long)]
    book: PathBuf,
    /// How long each siege lasts
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Hostile connections of each kind
    #[arg(long, default_value_t = 1000)]
    hostile: usize,
    /// Hostile connections that say nothing at all
    #[arg(long, default_value_t = 10_000)]
    idle: usize,
    /// Addresses that they come from
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u8).range(1..=250))]
    addresses: u8,
    /// Connections of those who mean well
    #[arg(long, default_value_t = 64)]
    honest: usize,
    /// Only these kinds, by the beginning of their name
    #[arg(long)]
    only: Vec<String>,
    /// What the server is started with besides
    #[arg(last = true)]
    more: Vec<String>,
}

/// What p99 of the honest ones, and the memory that comes to the server's, may be.
const MILLISECONDS: f64 = 20.0;
const MEGABYTES: u64 = 100;

const KINDS: [Kind; 7] = [
    Kind::NoBody,
    Kind::SlowBody,
    Kind::HalfClosed,
    Kind::NeverReading,
    Kind::Rubbish,
    Kind::Bomb,
    Kind::Idle,
];

/// What a hostile connection does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    NoBody,
    SlowBody,
    HalfClosed,
    NeverReading,
    Rubbish,
    Bomb,
    Idle,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::NoBody => "no body",
            Kind::SlowBody => "slow body",
            Kind::HalfClosed => "half-closed",
            Kind::NeverReading => "never reading",
            Kind::Rubbish => "64 MB of rubbish",
            Kind::Bomb => "packed bomb",
            Kind::Idle => "idle",
        }
    }

    fn count(self, args: &Args) -> usize {
        match self {
            Kind::Idle => args.idle,
            _ => args.hostile,
        }
    }
}

fn main() -> Outcome<()> {
    let args = Args::parse();
    let needed = (args.idle + KINDS.len() * args.hostile + 1000) as u64;
    if let Some(files) = raise_file_limit(u64::MAX)
        && files < needed
    {
        println!("only {files} files may be open, {needed} would be needed: ulimit -n {needed}");
    }
    let requests = Arc::new(mixed_requests(&args.book, 20_000)?);
    let server = Server::start(&args.server, &args.book, &args.more, None)?;
    let weapons = Arc::new(Weapons::new());
    println!(
        "{:<18} {:>6}  {:>10} {:>8} {:>8} {:>8}  {:>6}  {:>12}  {:>10}",
        "besieged by",
        "of",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "longest",
        "errors",
        "newcomer ms",
        "memory MB"
    );
    let row = |name: &str, kinds: &[Kind], seconds: u64, before: u64| -> Outcome<bool> {
        let siege = Siege::begin(&server, kinds, &args, &weapons)?;
        let seen = witnesses(&server, &requests, args.honest, seconds)?;
        let more = seen.megabytes.saturating_sub(before);
        let of: usize = kinds.iter().map(|kind| kind.count(&args)).sum();
        siege.end()?;
        let [p50, p99, longest] = [0.5, 0.99, 1.0].map(|part| seen.load.quantile(part));
        println!(
            "{name:<18} {of:>6}  {:>10.0} {p50:>8.2} {p99:>8.2} {longest:>8.1}  {:>6}  {:>12.1}  {:>5} +{more}",
            seen.load.per_second(),
            seen.errors,
            seen.newcomers.quantile(1.0),
            seen.megabytes
        );
        Ok(seen.errors == 0 && p99 <= MILLISECONDS && more <= MEGABYTES)
    };
    row("nobody (warm-up)", &[], 5, 0)?;
    let before = server.megabytes();
    row("nobody", &[], args.seconds.min(20), before)?;
    let mut good = true;
    let is_wanted =
        |name: &str| args.only.is_empty() || args.only.iter().any(|o| name.starts_with(&**o));
    for kind in KINDS.into_iter().filter(|kind| is_wanted(kind.name())) {
        good &= row(kind.name(), &[kind], args.seconds, before)?;
    }
    if is_wanted("all of them") {
        good &= row("all of them", &KINDS, args.seconds, before)?;
    }
    row("nobody", &[], args.seconds.min(20), before)?;
    let verdict = if good { "yes" } else { "no" };
    println!("no error, p99 within {MILLISECONDS} ms, memory within {MEGABYTES} MB: {verdict}");
    if good {
        Ok(())
    } else {
        Err("the siege told".into())
    }
}

/// What those who mean well saw.
struct Seen {
    load: Load,
    /// Whoever comes anew for each request.
    newcomers: Load,
    errors: u64,
    /// The most that the server had.
    megabytes: u64,
}

fn witnesses(
    server: &Server,
    requests: &Arc<Vec<Vec<u8>>>,
    honest: usize,
    seconds: u64,
) -> Outcome<Seen> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let began = Instant::now();
        let end = began + Duration::from_secs(seconds);
        let errors = Arc::new(AtomicU64::new(0));
        let tasks: Vec<_> = (0..honest)
            .map(|number| {
                let first = number * requests.len() / honest;
                let (requests, errors) = (requests.clone(), errors.clone());
                tokio::spawn(ask(server.address, requests, first, end, errors))
            })
            .collect();
        let newcomers = tokio::spawn(come_anew(server.address, end, errors.clone()));
        let mut megabytes = 0;
        while Instant::now() < end {
            megabytes = megabytes.max(server.megabytes());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let mut times = Vec::new();
        for task in tasks {
            times.extend(task.await?);
        }
        let seconds = began.elapsed().as_secs_f64();
        let sorted = |mut times: Vec<u32>| {
            times.sort_unstable();
            Load { times, seconds }
        };
        Ok(Seen {
            load: sorted(times),
            newcomers: sorted(newcomers.await?),
            errors: errors.load(Relaxed),
            megabytes,
        })
    })
}

fn complain(errors: &AtomicU64, reason: &dyn std::fmt::Display) {
    if errors.fetch_add(1, Relaxed) < 3 {
        println!("  an honest client: {reason}");
    }
}

/// Asks one request after the other over one connection, which should never break.
async fn ask(
    address: SocketAddr,
    requests: Arc<Vec<Vec<u8>>>,
    first: usize,
    end: Instant,
    errors: Arc<AtomicU64>,
) -> Vec<u32> {
    let mut times = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    let mut requests = requests.iter().cycle().skip(first);
    while Instant::now() < end {
        let talk: Outcome<()> = async {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            for request in requests.by_ref() {
                let began = Instant::now();
                if began >= end {
                    break;
                }
                exchange(&stream, request, &mut buffer).await?;
                times.push(began.elapsed().as_micros() as u32);
            }
            Ok(())
        }
        .await;
        if let Err(error) = talk {
            complain(&errors, &error);
        }
    }
    times
}

/// A new connection for each look at whether the server is there, and ready.
async fn come_anew(address: SocketAddr, end: Instant, errors: Arc<AtomicU64>) -> Vec<u32> {
    let mut times = Vec::new();
    let mut buffer = vec![0; 4 << 10];
    let requests = ["/health", "/ready", "/api/v1/position?moves=f5"].map(request);
    for request in requests.iter().cycle() {
        let began = Instant::now();
        if began >= end {
            break;
        }
        let talk: Outcome<()> = async {
            let stream = TcpStream::connect(address).await?;
            exchange(&stream, request, &mut buffer).await?;
            Ok(())
        }
        .await;
        match talk {
            Ok(()) => times.push(began.elapsed().as_micros() as u32),
            Err(error) => complain(&errors, &error),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    times
}

/// What is thrown.
struct Weapons {
    rubbish: Vec<u8>,
    bomb: Vec<u8>,
    batch: Vec<u8>,
}

impl Weapons {
    fn new() -> Weapons {
        let start = b"f5d6c3d3c4f4f6\n".repeat(20);
        let pack = |bytes: &mut dyn Read| zstd::encode_all(bytes, 3).unwrap_or_default();
        let mut bomb = pack(&mut &start[..]);
        // Eight gigabytes.
        let spaces = pack(&mut std::io::repeat(b' ').take(64 << 20));
        bomb.extend(spaces.repeat(128));
        let positions = vec!["\"f5d6c3d3c4\""; 1000].join(",");
        Weapons {
            rubbish: [1, 2, 3, 4].repeat(16 << 10),
            bomb,
            batch: format!("{{\"positions\":[{positions}]}}").into_bytes(),
        }
    }
}

fn post(path: &str, length: usize) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n"
    )
    .into_bytes()
}

/// Hostile connections, on a thread of their own until they are ended.
struct Siege {
    over: tokio::sync::watch::Sender<bool>,
    thread: std::thread::JoinHandle<()>,
}

impl Siege {
    fn begin(
        server: &Server,
        kinds: &[Kind],
        args: &Args,
        weapons: &Arc<Weapons>,
    ) -> Outcome<Siege> {
        let (over, mut ended) = tokio::sync::watch::channel(false);
        let soldiers: Vec<(Kind, IpAddr)> = kinds
            .iter()
            .flat_map(|kind| (0..kind.count(args)).map(move |number| (*kind, number)))
            .map(|(kind, number)| {
                let last = 2 + (number % usize::from(args.addresses)) as u8;
                (kind, IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)))
            })
            .collect();
        let (address, weapons) = (server.address, weapons.clone());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = std::thread::spawn(move || {
            #[cfg(target_os = "linux")]
            let _ = rustix::process::nice(19);
            runtime.block_on(async {
                for (kind, source) in soldiers {
                    tokio::spawn(besiege(kind, source, address, weapons.clone()));
                }
                // An error means that nobody is left to end it.
                let _ = ended.wait_for(|over| *over).await;
            });
        });
        Ok(Siege { over, thread })
    }

    fn end(self) -> Outcome<()> {
        self.over.send(true)?;
        self.thread.join().map_err(|_| "the siege broke".into())
    }
}

/// Comes again and again.
async fn besiege(kind: Kind, source: IpAddr, address: SocketAddr, weapons: Arc<Weapons>) {
    loop {
        // However it ends, the next one follows.
        let _ = attack(kind, source, address, &weapons).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn attack(kind: Kind, source: IpAddr, address: SocketAddr, weapons: &Weapons) -> Outcome<()> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(source, 0))?;
    let stream = socket.connect(address).await?;
    match kind {
        Kind::NoBody => write(&stream, &post("/api/v1/collection", 10)).await?,
        Kind::SlowBody => {
            write(&stream, &post("/api/v1/move", 1000)).await?;
            loop {
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_secs(1)) => write(&stream, b" ").await?,
                    () = closed(&stream) => break,
                }
            }
        }
        Kind::HalfClosed => {
            write(&stream, &post("/api/v1/positions", 1000)).await?;
            let stream = stream.into_std()?;
            stream.shutdown(std::net::Shutdown::Write)?;
            closed(&TcpStream::from_std(stream)?).await;
            return Ok(());
        }
        Kind::NeverReading => {
            let request = [
                post("/api/v1/positions", weapons.batch.len()),
                weapons.batch.clone(),
            ]
            .concat();
            for _ in 0..3 {
                write(&stream, &request).await?;
            }
            // Not even to see whether it is closed: that is told by writing.
            while stream.try_write(b"\r\n").is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            return Ok(());
        }
        Kind::Rubbish => {
            write(&stream, &post("/api/v1/collection", 64 << 20)).await?;
            for _ in 0..1024 {
                write(&stream, &weapons.rubbish).await?;
            }
        }
        Kind::Bomb => {
            write(
                &stream,
                &post("/api/v1/collection?name=x.txt.zst", weapons.bomb.len()),
            )
            .await?;
            write(&stream, &weapons.bomb).await?;
        }
        Kind::Idle => {}
    }
    closed(&stream).await;
    Ok(())
}

/// Reads until there is no more.
async fn closed(stream: &TcpStream) {
    let mut buffer = [0; 4 << 10];
    while load::read(stream, &mut buffer)
        .await
        .is_ok_and(|size| size > 0)
    {}
}
