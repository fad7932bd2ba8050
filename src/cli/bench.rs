//! `emilia bench`: fixed searches whose node count is the engine's checksum.

use super::found;
use super::output::grouped;
use super::stopwatch::{CpuClock, Spent, Stopwatch};
use crate::othello::{MoveList, Position, Tier};
use crate::search::{Algorithm, Limits, Searcher};
use anyhow::{Context, Result};
use serde_json::json;
use std::io::{Write, stdout};

/// The table is part of the checksum, so it is no option.
const TABLE_BYTES: usize = 16 << 20;

/// From this many empties down a position is solved, not searched to a depth.
const SOLVE_FROM: u32 = 22;

/// Games our own engine played against itself at depth 5 with a random move now and then.
const GAMES: [&str; 20] = [
    "c4c3e6d6c5c6d3d2",
    "c4c3c2c5e6f4c6f6d3d6d7b3",
    "c4c3c2d6c6e3d3c5e6d7f4d2f6b4b5a6",
    "d3c5b6d2e6f7c4f5f6g6g7b4d6c6c7e7b5g8d7d8",
    "e6d6c7d7c3f5c6b8c8e3a8d3e8d8e7f6f7g8d2c1f4f3",
    "e6f4d3c6e3d2c5f5c3c4b3c2b5d6e7f6c7a2f3a5b4b6e2g3",
    "f5f4e3d6c4f3d3e2c5e6f6c6f7e7g4g3f2h5h4h3g5d2c1d1c2b1",
    "e6f4d3c2g4d6c5f5f3f6e3g3e2c3c4h3g5h4h6d2c6b3d7h5b5a5h2b6",
    "e6f6c4e3f3g3f5d6d7f4g5e7g6c6d3e8f8g8c8c5f2g7f7h6g4h3e2g2h4h5",
    "c4e3f4c5e2e1d6b4d3c6d2d1c3c2c1b1b5f3a3a6a5a4a7b6b3b2f1g1a1a2b7c7",
    "f5f4f3g4c3c4e3d6e6g5g6f6h5h7h6h4f7g3d3e7h3h2g7f2e2c5b4e1d2e8d1a4f8h8",
    "d3c3b3b2b1d6c4a1c2e3f4c5d2b4a5a4a3f2b5a2f3a6f6g4f5c1f1e2g3h3b6e6g5f7h4h5",
    "c4e3f4c3d2g4b4c5d6b5d3c6f5g5e6f3a5e2e1a4a3b6b3f2d7d1c1a6a7b7f1c2g3f7b8a8f6d8",
    "f5f6d3c5d6e3f4c6e2e6c3g5e7d7f7f3c4f8b5a5g3b3b4a4a2h2h3h4h6d2g4a3a6f1g6f2c2c1e1",
    "c4e3f5b4d3e6f4f3d2f6g6g5b5e2g4c5c6g3e1f2h3h5h6h4a3d6f7c3f1c1d1g1b3c2e7g7h8h7b1a6",
    "c4e3f4c5d6f5d3f3c6c2e2d1f1c3c1b1f2b3d2e6a3b5b6a4a5d7b4c7e8c8g3a7g4h4g5g6a2h5g2h3",
    "c4e3f6c6d6e6f5b4d7e8c8d8f8f4c5e7f7b5c7g5b6a7a5b7d3b8a8g6h6g8h8c2g7h7a6h5c3a3a4b3d2",
    "c4c5d6e7d7e3f5e6f6c6d3c7b7b6e8f8g8f3g2b5d8a8f4f7g6h1b4g4g5c2h3h5d2c3f1e1g3h2f2h4b3",
    "e6f6c4c5b6c3f5d6c6b3d7b5c7e7a4f7d3a6b7d8g6a5c2a3b8a2b4h6c8e8f8c1d2g5g4a8a7g8f4h3a1g3",
    "f5f6f7g7h7g5f4e3d3h8e6d6e7e8g4h6h5g6c7h4d7g3f3f2g1e1g2e2h3h1d1f1f8g8h2c3c4d2b2a1b3c2",
];

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
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Use this CPU tier (portable, avx2, avx512) instead of the best one
    #[arg(long, value_name = "TIER")]
    tier: Option<Tier>,

    /// How deep middle-game positions are searched; the endgames are solved
    #[arg(long, value_name = "PLIES", default_value_t = 14,
          value_parser = clap::value_parser!(u32).range(1..=22))]
    depth: u32,

    /// A small part of it, for tests
    #[arg(long, hide = true)]
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
    let searcher = Searcher::new(TABLE_BYTES)
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
    for (number, game) in (1..).zip(GAMES) {
        let list = MoveList::parse(Position::START, game).context("a bench game is broken")?;
        let board = list.end.board;
        let empties = board.empty_count();
        let limits = if empties > SOLVE_FROM {
            Limits::depth(if args.quick { 6 } else { args.depth })
        } else if args.quick && empties > 18 {
            continue;
        } else {
            Limits::solve()
        };
        searcher.clear();
        let stopwatch = Stopwatch::start(clock);
        let result = searcher.search(board, &limits);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_are_legal_and_lead_to_as_many_different_positions() {
        let mut boards: Vec<_> = GAMES
            .iter()
            .map(|game| MoveList::parse(Position::START, game).unwrap().end.board)
            .collect();
        assert!(boards.iter().all(|board| !board.is_over()));
        let empties = |range: std::ops::RangeInclusive<u32>| {
            boards
                .iter()
                .filter(|b| range.contains(&b.empty_count()))
                .count()
        };
        assert_eq!((empties(23..=60), empties(18..=22)), (12, 8));
        boards.sort();
        boards.dedup();
        assert_eq!(boards.len(), GAMES.len());
    }
}
