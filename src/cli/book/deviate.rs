//! `emilia book deviate` and `emilia book play-out`: growth in rounds.

use super::effort::Effort;
use super::expand::{centidiscs, read_discs};
use super::grown;
use super::place::Place;
use super::watch::Watch;
use crate::book::Store;
use crate::engine::{Reach, grow_in_rounds};
use crate::othello::PositionText;
use anyhow::Result;
use std::time::Instant;

/// What both have in common.
#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    place: Place,

    /// Grow only below this position of the book: moves from the start, or a board string
    #[arg(
        long,
        value_name = "MOVES|POSITION",
        default_value = "start",
        allow_hyphen_values = true
    )]
    from: PositionText,

    /// Stop when this many positions have come in
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,

    #[command(flatten)]
    effort: Effort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

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

    /// Take in positions after at most this many moves
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u8).range(1..=60))]
    plies: u8,

    #[command(flatten)]
    common: Common,
}

pub fn run(args: Args) -> Result<()> {
    let reach = Reach {
        from: args.common.from.position,
        relative: centidiscs(args.relative),
        absolute: centidiscs(args.absolute),
        plies: args.plies,
        best_only: false,
        positions: args.common.positions,
    };
    args.common.grow(&reach, "deviating")
}

/// Play the best lines on until the solver reaches them
///
/// Wherever best play, or play within --slack, leaves the book, its best moves come in until the
/// position is solved.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book play-out\n  \
                        emilia book play-out --from f5d6c3 --slack 1 --level 10")]
pub struct PlayOutArgs {
    /// What one move, and all moves of a line together, may give away, in discs
    #[arg(long, value_name = "DISCS", default_value = "0", value_parser = read_discs)]
    slack: f64,

    #[command(flatten)]
    common: Common,
}

pub fn play_out(args: PlayOutArgs) -> Result<()> {
    let slack = centidiscs(args.slack);
    let reach = Reach {
        from: args.common.from.position,
        relative: slack,
        absolute: slack,
        plies: 60,
        best_only: true,
        positions: args.common.positions,
    };
    args.common.grow(&reach, "playing out")
}

impl Common {
    fn grow(self, reach: &Reach, doing: &'static str) -> Result<()> {
        let crew = self.effort.start_searching()?;
        let store = Store::open(&self.place.path()?)?;
        let began = Instant::now();
        let watch = Watch::over(self.positions, doing, crew.interrupt.clone());
        let grown = grow_in_rounds(&store, crew.asking(), reach, &watch)?;
        drop(watch);
        grown::report(&store, &crew, &grown, began, self.json)
    }
}
