//! `emilia worker`: answers the questions of books on other machines.

use super::cluster_options::ClusterOptions;
use super::interrupt::Interrupt;
use super::output::grouped;
use crate::book::ByteCount;
use crate::cluster::{Link, WorkerProfile, host_name, work};
use crate::engine::{Searchers, defaults, engine_name};
use anyhow::{Context, Result};
use std::io::{IsTerminal, Write, stderr, stdout};

/// Answer the questions of books that grow on other machines
///
/// Pulls questions from a NATS server, searches them, and sends the answers; the book is written by
/// the command that asks, with --cluster and the same server. Start as many as there are machines.
/// Ctrl-C finishes what is begun and gives the rest back; a second one ends at once, and what was in
/// hand is done by others.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  nats-server -js -sd /var/lib/nats          # on one machine\n  \
                  emilia worker --cluster nats://HOST:4222    # on every machine that searches\n  \
                  emilia book build WTH_*.wtb --cluster nats://HOST:4222"
)]
pub struct Args {
    #[command(flatten)]
    cluster: ClusterOptions,

    /// Search this many questions at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(defaults::THREADS_ALLOWED))]
    threads: Option<u16>,

    /// What this worker is called, no other one alike [default: the machine's name, with a
    /// number where it has several]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Use at most this much for tables of known positions: fewer questions at the same time, never
    /// smaller tables [default: no limit; a question of the highest level takes 256M]
    #[arg(long, value_name = "SIZE")]
    tables: Option<ByteCount>,

    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let address = args.cluster.required()?;
    let interrupt = Interrupt::watch()?;
    let profile = WorkerProfile {
        may_be_numbered: args.name.is_none(),
        name: args.name.unwrap_or_else(host_name),
        engine: engine_name().to_owned(),
        threads: args.threads.map_or_else(defaults::threads, usize::from),
        tables: args.tables.map(ByteCount::as_usize),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the worker's threads")?;
    let button = interrupt.button().clone();
    let worked = runtime.block_on(async {
        let connecting = Link::connect(&address, &profile.name, None);
        let link = tokio::select! {
            link = connecting => link?,
            () = interrupt.pressed() => return Ok(None),
        };
        if stderr().is_terminal() {
            eprintln!(
                "{} searches with {} threads as {} for {}. Ctrl-C ends it.",
                profile.name,
                profile.threads,
                profile.engine,
                address.shown()
            );
        }
        // Searches are not cut short: what was begun is finished.
        let mind = || Box::new(Searchers::new(crate::search::StopButton::new())) as _;
        work(link, profile, button, mind).await.map(Some)
    })?;
    let answered = worked.map_or(0, |worked| worked.answered);
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::json!({ "answered": answered }))?;
    } else {
        writeln!(out, "{} questions answered", grouped(answered))?;
    }
    interrupt.end_of_service()
}
