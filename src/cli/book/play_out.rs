//! `emilia book play-out`: the best lines, to the solver's reach.

use super::grown::Common;
use crate::engine::play_out;
use crate::engine::{centidiscs, read_discs};
use anyhow::Result;

/// Play the best lines on until the solver reaches them
///
/// Wherever best play, or play within --loss, leaves the book, its best moves come in one after
/// the other until the position is solved.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book play-out\n  \
                        emilia book play-out --from f5d6c3 --loss 1 --level 10")]
pub struct Args {
    /// How many discs all moves of a line may give away together
    #[arg(long, value_name = "DISCS", default_value = "0", value_parser = read_discs)]
    loss: f64,

    #[command(flatten)]
    common: Common,
}

pub fn run(args: Args) -> Result<()> {
    let from = args.common.from.position;
    let loss = centidiscs(args.loss);
    args.common
        .grow("playing out", |store, analyst, level, watch| {
            play_out(store, analyst, level, from, loss, watch)
        })
}
