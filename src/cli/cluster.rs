//! `emilia cluster`: looks after the machines that search together.

use super::cluster_options::ClusterOptions;
use super::exit::no;
use super::interrupt::Interrupt;
use super::output::{grouped, table};
use crate::cluster::{Layout, Link, pardon, status};
use crate::view::ClusterView;
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::io::{IsTerminal, Write, stdout};
use std::time::Duration;

/// See how the machines do that search together, and set them up
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Status(StatusArgs),
    Setup(SetupArgs),
    Pardon(PardonArgs),
}

/// Show workers, books, what waits, and what nobody could answer
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia cluster status --cluster nats://HOST:4222\n  \
                  emilia cluster status --cluster nats://HOST:4222 --watch\n  \
                  emilia cluster status --cluster nats://HOST:4222 --json | jq .queue"
)]
struct StatusArgs {
    #[command(flatten)]
    cluster: ClusterOptions,

    /// Show it again every two seconds, until Ctrl-C
    #[arg(long)]
    watch: bool,

    /// Print one JSON object, one a line with --watch
    #[arg(long)]
    json: bool,
}

/// Say how the server keeps questions and answers; without it they are kept once, up to 256 MB each
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia cluster setup --cluster nats://A,nats://B,nats://C --replicas 3"
)]
struct SetupArgs {
    #[command(flatten)]
    cluster: ClusterOptions,

    /// Keep everything on this many servers of a NATS cluster
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=5))]
    replicas: u8,

    /// Let this much wait, questions and answers each
    #[arg(long, value_name = "MB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    size: u32,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Let a quarantined worker answer again, from the next command on
///
/// Exit code 1 if it is not quarantined.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia cluster pardon NAME --cluster nats://HOST:4222")]
struct PardonArgs {
    /// The worker's name
    #[arg(value_name = "NAME")]
    worker: String,

    #[command(flatten)]
    cluster: ClusterOptions,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How long a command looks for the server.
const PATIENCE: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_secs(2);

pub fn run(args: Args) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a thread")?;
    match args.command {
        Command::Status(args) => runtime.block_on(run_status(args)),
        Command::Setup(args) => runtime.block_on(run_setup(args)),
        Command::Pardon(args) => runtime.block_on(run_pardon(args)),
    }
}

async fn connected(cluster: &ClusterOptions) -> Result<Link> {
    let address = cluster.required()?;
    Ok(Link::connect(&address, "emilia cluster", Some(PATIENCE)).await?)
}

async fn run_status(args: StatusArgs) -> Result<()> {
    let link = connected(&args.cluster).await?;
    // Until here Ctrl-C ends the program by itself.
    let interrupt = Interrupt::watch()?;
    let clears = args.watch && !args.json && stdout().is_terminal();
    loop {
        let view = ClusterView::from(status(&link).await?);
        let mut out = stdout().lock();
        if clears {
            // Home, and everything below it away.
            write!(out, "\x1b[H\x1b[J")?;
        }
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&view)?)?;
        } else {
            show(&mut out, &view)?;
        }
        out.flush()?;
        drop(out);
        if !args.watch {
            return Ok(());
        }
        let until = tokio::time::Instant::now() + AGAIN;
        while tokio::time::Instant::now() < until {
            if interrupt.is_set() {
                return interrupt.end_of_service();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn show(out: &mut impl Write, view: &ClusterView) -> Result<()> {
    if view.workers.is_empty() {
        writeln!(out, "no workers; start some: emilia worker --cluster URL")?;
    } else {
        let header = [
            "worker", "", "threads", "answered", "a second", "seen", "engine",
        ];
        let mut rows = table(&header, &[2, 3, 4, 5]);
        for worker in &view.workers {
            rows.add_row([
                worker.name.clone(),
                if worker.alive { "" } else { "gone" }.to_owned(),
                worker.threads.to_string(),
                grouped(worker.answered),
                format!("{:.1}", worker.rate),
                format!("{:.0} s ago", worker.silent),
                worker.engine.clone(),
            ]);
        }
        writeln!(out, "{rows}")?;
    }
    for book in &view.books {
        let figures = &book.figures;
        writeln!(
            out,
            "\n{}: {}",
            book.name,
            if book.asking {
                "asking"
            } else {
                "not asking now"
            }
        )?;
        writeln!(
            out,
            "  {} answered, {} open, {} handed out again, {} lost and sent again",
            grouped(figures.answered),
            grouped(figures.open),
            grouped(figures.delivered_again),
            grouped(figures.sent_again)
        )?;
        writeln!(
            out,
            "  {} checked, {} disagreements, {} quarantined, {} dead, {} refused",
            grouped(figures.checked),
            grouped(figures.disagreements),
            grouped(figures.quarantined),
            grouped(figures.dead),
            grouped(figures.refused)
        )?;
    }
    let queue = &view.queue;
    writeln!(
        out,
        "\nparcels of questions: {} waiting, {} in flight ({} of them again); of answers: {}",
        grouped(queue.waiting),
        grouped(queue.in_flight),
        grouped(queue.handed_out_again),
        grouped(queue.answers)
    )?;
    for one in &view.quarantined {
        writeln!(out, "quarantined: {} ({})", one.worker, one.reason)?;
    }
    for dead in &view.dead {
        let reason = dead.reason.as_deref().unwrap_or("whoever tried it died");
        let level = dead
            .level
            .map_or_else(|| "ending".into(), |level| format!("level {level}"));
        writeln!(
            out,
            "nobody could answer: {}, {level}, {} tries: {reason}",
            dead.position, dead.tries
        )?;
    }
    Ok(())
}

async fn run_setup(args: SetupArgs) -> Result<()> {
    let layout = Layout {
        replicas: args.replicas.into(),
        bytes: i64::from(args.size) << 20,
    };
    let link = connected(&args.cluster).await?.with_layout(layout);
    link.lay_out().await?;
    let kept = link.replicas().await?;
    if kept < layout.replicas {
        bail!(
            "everything is kept on {kept} of {} servers: are the others there, and one NATS cluster \
             with this one?",
            layout.replicas
        );
    }
    if args.json {
        let object = json!({ "replicas": args.replicas, "megabytes": args.size });
        writeln!(stdout(), "{object}")?;
        return Ok(());
    }
    writeln!(
        stdout(),
        "questions and answers are kept on {} server{}, up to {} MB each",
        args.replicas,
        if args.replicas == 1 { "" } else { "s" },
        args.size
    )?;
    Ok(())
}

async fn run_pardon(args: PardonArgs) -> Result<()> {
    if args.worker.is_empty() {
        bail!("name a worker");
    }
    let link = connected(&args.cluster).await?;
    if !pardon(&link, &args.worker).await? {
        return Err(no(format!("{} is not quarantined", args.worker)));
    }
    if args.json {
        writeln!(stdout(), "{}", json!({ "pardoned": args.worker }))?;
        return Ok(());
    }
    writeln!(stdout(), "{} may answer again", args.worker)?;
    Ok(())
}
