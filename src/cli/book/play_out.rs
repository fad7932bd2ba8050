//! `emilia book play-out`: the best lines, to the solver's reach.

use super::expand::{centidiscs, read_discs};
use super::grown::Common;
use crate::engine::play_out;
use anyhow::Result;

/// Play the best lines on until the solver reaches them
///
/// Wherever best play, or play within --slack, leaves the book, its best moves come in one after
/// the other until the position is solved.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book play-out\n  \
                        emilia book play-out --from f5d6c3 --slack 1 --level 10")]
pub struct Args {
    /// What all moves on the way to such a place may give away together, in discs
    #[arg(long, value_name = "DISCS", default_value = "0", value_parser = read_discs)]
    slack: f64,

    #[command(flatten)]
    common: Common,
}

pub fn run(args: Args) -> Result<()> {
    let from = args.common.from.position;
    let slack = centidiscs(args.slack);
    args.common
        .grow("playing out", |store, analyst, level, watch| {
            play_out(store, analyst, level, from, slack, watch)
        })
}
