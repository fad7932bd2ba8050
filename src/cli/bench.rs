//! `emilia bench`: fixed searches whose node count is the engine's checksum.

use super::found;
use super::output::grouped;
use super::stopwatch::{CpuClock, Spent, Stopwatch};
use crate::engine::defaults;
use crate::othello::Tier;
use crate::search::{Algorithm, Searcher, bench};
use anyhow::{Context, Result};
use serde_json::json;
use std::io::{Write, stdout};

/// Search fixed positions and print the node count: the engine's checksum
///
/// With one thread the count is the same on every run and every CPU tier; it changes when the
/// search or the evaluation does, or with --depth and --algorithm. The table is empty at the
/// start of each position.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia bench\n  emilia bench --algorithm mtdf\n  \
                  emilia bench --threads 2 --tier portable"
)]
pub struct Args {
    /// How the tree is searched
    #[arg(long, value_name = "NAME", value_enum, default_value_t = AlgorithmName::Negascout)]
    algorithm: AlgorithmName,

    /// Search with this many threads; more than one gives another count each time
    #[arg(long, value_name = "N", default_value_t = defaults::THREADS_OF_A_MEASUREMENT,
          value_parser = clap::value_parser!(u16).range(defaults::THREADS_ALLOWED))]
    threads: u16,

    /// Use this CPU tier (portable, avx2, avx512) instead of the best one
    #[arg(long, value_name = "TIER")]
    tier: Option<Tier>,

    /// How deep middle-game positions are searched; the endgames are solved
    #[arg(long, value_name = "PLIES", default_value_t = 14,
          value_parser = clap::value_parser!(u32).range(1..=22))]
    depth: u32,

    /// Only a small part of it: some seconds
    #[arg(long)]
    quick: bool,

    /// Print one JSON object per position, and one for the sum
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AlgorithmName {
    /// Scouts with null windows, aspiration at the root: the one that plays
    Negascout,
    /// Full windows at the principal nodes
    Alphabeta,
    /// Null windows only, driven by the last bound
    Mtdf,
}

impl From<AlgorithmName> for Algorithm {
    fn from(name: AlgorithmName) -> Algorithm {
        match name {
            AlgorithmName::Negascout => Algorithm::NegaScout,
            AlgorithmName::Alphabeta => Algorithm::AlphaBeta,
            AlgorithmName::Mtdf => Algorithm::Mtdf,
        }
    }
}

pub fn run(args: Args) -> Result<()> {
    let tier = args.tier.unwrap_or_else(Tier::best);
    let threads = usize::from(args.threads);
    let searcher = Searcher::new(bench::TABLE_BYTES)
        .with_threads(threads)
        .with_tier(tier)
        .with_algorithm(args.algorithm.into());
    let clock = CpuClock::for_threads(threads);
    let mut out = stdout().lock();
    if !args.json {
        writeln!(
            out,
            "  no empties    depth    value best           nodes     cpu s     nodes/s   ({tier})"
        )?;
    }
    let mut total = 0;
    let mut spent = Spent::default();
    let positions = if args.quick {
        bench::quick()
    } else {
        bench::positions(args.depth)
    };
    for position in positions.context("a bench game is broken")? {
        let number = position.number;
        let empties = position.board.empty_count();
        searcher.clear();
        let stopwatch = Stopwatch::start(clock);
        let result = searcher.search(position.board, &position.limits);
        let time = stopwatch.stop();
        total += result.nodes;
        spent += time;
        if args.json {
            let mut object = found::to_json(&result);
            object["number"] = number.into();
            object["empties"] = empties.into();
            object["cpu_seconds"] = time.cpu.as_secs_f64().into();
            writeln!(out, "{object}")?;
        } else {
            writeln!(
                out,
                "{number:>4} {empties:>7} {:>8} {:>8} {:>4} {:>15} {:>9.3} {:>11}",
                found::depth(&result),
                found::value(&result),
                found::move_name(result.best),
                grouped(result.nodes),
                time.cpu.as_secs_f64(),
                found::speed(result.nodes, time.cpu),
            )?;
        }
        out.flush()?;
    }
    if args.json {
        let object = json!({
            "nodes": total, "seconds": spent.wall.as_secs_f64(),
            "cpu_seconds": spent.cpu.as_secs_f64(), "cpu_clock": clock.to_string(),
            "threads": args.threads, "tier": tier.to_string(),
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(
        out,
        "{:.3} s, CPU time {:.3} s ({clock}), {} nodes/s",
        spent.wall.as_secs_f64(),
        spent.cpu.as_secs_f64(),
        found::speed(total, spent.cpu),
    )?;
    if threads > 1 {
        writeln!(out, "Nodes: {total} (no checksum: {threads} threads)")?;
    } else {
        writeln!(out, "Bench: {total}")?;
    }
    Ok(())
}
