//! How many answers a second a coordinator takes, with workers that answer at once: a build, and an
//! expansion of what it built. Run it with `tools/cluster-rate`.

use clap::Parser;
use emilia::book::{
    Analyst, Assignment, BestMove, Cause, Claim, Ending, Errand, Finding, Learner, Plan, Question,
    Searching, Store, Value, answer_wants,
};
use emilia::cluster::{Address, ClusterAnalyst, Link, Mind, Order, WorkerProfile, work};
use emilia::engine::{Expansion, engine_name, expand, worth_of_level};
use emilia::games::{Game, SampleGames, open};
use emilia::search::StopButton;
use std::error::Error;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Parser)]
struct Args {
    /// Games to build of [default: 2000 sample games]
    games: Option<PathBuf>,
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Of each worker
    #[arg(long, default_value_t = 4)]
    threads: usize,
    /// Positions to take in by expansion
    #[arg(long, default_value_t = 10_000)]
    positions: u64,
    #[arg(long, default_value_t = 4399)]
    port: u16,
    /// Be a worker with this name
    #[arg(long, hide = true)]
    worker: Option<String>,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Answers at once, the same to the same question.
struct AtOnce;

impl Mind for AtOnce {
    fn answer(&mut self, question: &Question) -> Option<Finding> {
        let asked = match question {
            Question::Moves(asked) => asked,
            Question::Ending(asked) => {
                let kept = asked.path.len();
                let instead = Vec::new();
                return Some(Finding::Ending(Ending { kept, instead }));
            }
        };
        let board = asked.position.board();
        // Some discs either way, as a real one finds.
        let value = Value::new((board.hash() % 801) as i32 - 400)?;
        let claim = match value {
            value if value <= asked.window.alpha => Claim::AtMost,
            value if value >= asked.window.beta => Claim::AtLeast,
            _ => Claim::Exactly,
        };
        Some(Finding::Moves(BestMove {
            square: asked.among().first()?,
            value,
            claim,
            level: worth_of_level(asked.level, board.empty_count()),
        }))
    }
}

/// Killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Seconds of the processor's time so far.
    fn seconds(&self) -> f64 {
        seconds_of(&self.0.id().to_string())
    }
}

fn seconds_of(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name may have anything in it, but it ends with the last bracket.
    let after = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

fn main() -> Outcome<()> {
    let args = Args::parse();
    let address = Address {
        servers: format!("nats://127.0.0.1:{}", args.port),
        ..Address::default()
    };
    if let Some(name) = args.worker {
        return be_a_worker(&address, name, args.threads);
    }
    let folder = tempfile::tempdir()?;
    let mut server = Command::new("nats-server");
    server
        .args([
            "-a",
            "127.0.0.1",
            "-p",
            &args.port.to_string(),
            "-js",
            "-sd",
        ])
        .arg(folder.path().join("nats"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = Running(server.spawn()?);
    while TcpStream::connect(("127.0.0.1", args.port)).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let this = std::env::current_exe()?;
    let mut workers = Vec::new();
    for number in 0..args.workers {
        let mut worker = Command::new(&this);
        worker
            .args(["--worker", &format!("at-once-{number}")])
            .args(["--threads", &args.threads.to_string()])
            .args(["--port", &args.port.to_string()]);
        workers.push(Running(worker.spawn()?));
    }
    std::thread::sleep(Duration::from_secs(1));

    let store = Store::open_or_create(&folder.path().join("book"))?;
    let order = Order {
        address,
        book: store.reader().identity()?.ok_or("a new book has a name")?,
        name: "cluster-rate".into(),
        deadline: None,
    };
    let mut analyst = ClusterAnalyst::start_with(order, StopButton::new(), Box::new(AtOnce))?;
    println!(
        "{} workers of {} threads that answer at once, one coordinator, one nats-server",
        args.workers, args.threads
    );
    let games = games(args.games.as_deref())?;
    let measure = |what: &str, work: &mut dyn FnMut() -> Outcome<u64>| -> Outcome<()> {
        let own = || seconds_of("self");
        let others = || workers.iter().map(Running::seconds).sum::<f64>();
        let (began, before) = (Instant::now(), (own(), server.seconds(), others()));
        let answers = work()?;
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{what}: {answers} answers in {seconds:.1} s, {:.0} a second; CPU: coordinator {:.1} s, \
             server {:.1} s, workers {:.1} s",
            answers as f64 / seconds,
            own() - before.0,
            server.seconds() - before.1,
            others() - before.2,
        );
        Ok(())
    };
    measure("build", &mut || build(&store, &games, &mut analyst))?;
    measure("expand", &mut || grow(&store, args.positions, &mut analyst))?;
    let figures = analyst.figures();
    println!(
        "{} checked, {} disagreements, {} delivered again",
        figures.checked, figures.disagreements, figures.delivered_again
    );
    Ok(())
}

fn be_a_worker(address: &Address, name: String, threads: usize) -> Outcome<()> {
    let profile = WorkerProfile {
        name,
        may_be_numbered: false,
        engine: engine_name().into(),
        threads,
        tables: None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let link = Link::connect(address, &profile.name, None).await?;
        work(link, profile, StopButton::new(), || Box::new(AtOnce)).await
    })?;
    Ok(())
}

fn games(path: Option<&Path>) -> Outcome<Vec<Game>> {
    let Some(path) = path else {
        return Ok(SampleGames::new(1).take(2000).collect());
    };
    let mut reader = open(path)?;
    let batches = std::iter::from_fn(|| reader.next_batch());
    Ok(batches.flatten().flatten().collect())
}

/// Searches at level 1 what the games bring, to move 40.
fn build(store: &Store, games: &[Game], analyst: &mut dyn Analyst) -> Outcome<u64> {
    let errand = Errand::new(Cause::Build, 1).ok_or("level 1 searches")?;
    let plan = Plan {
        plies: 40,
        min_games: 1,
        games_at_once: 10_000,
    };
    let searching = Searching {
        analyst: &mut *analyst,
        errand: Some(errand),
        correct: 0,
    };
    let mut learner = Learner::new(store, plan).searching(searching, &());
    learner.add(games)?;
    learner.finish()?;
    Ok(answer_wants(store, analyst, Assignment::of(errand), &())?.searched)
}

fn grow(store: &Store, positions: u64, analyst: &mut dyn Analyst) -> Outcome<u64> {
    let expansion = Expansion::from_start(positions);
    Ok(expand(store, analyst, 1, &expansion, &())?.searched)
}
