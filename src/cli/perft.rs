//! `emilia perft`: counts the game tree's leaves, to prove and to time move generation.

use super::output::grouped;
use crate::othello::{Passes, Position, PositionText, Tier, perft_on};
use anyhow::Result;
use serde_json::json;
use std::io::{Write, stdout};
use std::time::Instant;

/// Count the leaves of the game tree: proves and times move generation
///
/// A game that ends early counts as one leaf. Known from the start: 9 plies 3005288, 10 plies
/// 24571284; with --passes-free 3005320 and 24571420.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia perft 10\n  emilia perft 9 --passes-free\n  \
                        emilia perft 8 --from f5d6c3 --tier portable"
)]
pub struct Args {
    /// How many plies deep (11 takes a second, each further ply ten times as long)
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    plies: u32,

    /// A forced pass uses up no ply
    #[arg(long)]
    passes_free: bool,

    /// Start here instead: moves from the start, or a board string
    #[arg(
        long,
        value_name = "MOVES|POSITION",
        default_value = "start",
        hide_default_value = true
    )]
    from: PositionText,

    /// Use this CPU tier (portable, avx2, avx512) instead of the best one
    #[arg(long)]
    tier: Option<Tier>,

    /// Print one JSON object per ply
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let tier = args.tier.unwrap_or_else(Tier::best);
    let passes = if args.passes_free {
        Passes::Free
    } else {
        Passes::CountAsMove
    };
    let Position { board, .. } = args.from.position;
    let mut out = stdout().lock();
    if !args.json {
        writeln!(
            out,
            "ply            leaves    seconds    leaves/s   ({tier}, one thread)"
        )?;
    }
    for ply in 0..=args.plies {
        let started = Instant::now();
        let leaves = perft_on(tier, board, ply, passes);
        let seconds = started.elapsed().as_secs_f64();
        if args.json {
            let row = json!({ "ply": ply, "leaves": leaves, "seconds": seconds,
                              "tier": tier.to_string() });
            writeln!(out, "{row}")?;
        } else {
            let rate = grouped((leaves as f64 / seconds.max(1e-9)) as u64);
            // Below a millisecond the clock says nothing about speed.
            let rate = if seconds < 0.001 { "" } else { &rate };
            writeln!(out, "{ply:>3} {leaves:>17} {seconds:>10.3} {rate:>13}")?;
        }
        out.flush()?;
    }
    Ok(())
}
