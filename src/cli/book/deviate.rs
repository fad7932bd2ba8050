//! `emilia book deviate`: every move that is nearly as good as the best.

use super::grown::Common;
use crate::engine::{Reach, deviate};
use crate::engine::{centidiscs, read_discs};
use anyhow::Result;

/// Take in every move that is nearly as good as the best
///
/// Wherever the book is reached by moves that give away at most RELATIVE discs each and ABSOLUTE
/// discs together, moves within the same limits come in, again and again until none is left.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book deviate 1 2\n  \
                        emilia book deviate 0.5 0.5 --from f5d6c3 --plies 20 --level 10")]
pub struct Args {
    /// What one move may give away, in discs
    #[arg(value_name = "RELATIVE", value_parser = read_discs)]
    relative: f64,

    /// What all moves of a line may give away together, in discs
    #[arg(value_name = "ABSOLUTE", value_parser = read_discs)]
    absolute: f64,

    /// Only positions after at most this many moves
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u8).range(1..=60))]
    plies: u8,

    /// Stop when this many positions have come in
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,

    #[command(flatten)]
    common: Common,
}

pub fn run(args: Args) -> Result<()> {
    let reach = Reach {
        from: args.common.from.position,
        relative: centidiscs(args.relative),
        absolute: centidiscs(args.absolute),
        plies: args.plies,
        positions: args.positions,
    };
    args.common
        .grow("deviating", |store, analyst, level, watch| {
            deviate(store, analyst, level, &reach, watch)
        })
}
