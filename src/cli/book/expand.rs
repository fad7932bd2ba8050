//! `emilia book expand`: best-first growth.

use super::effort::Effort;
use super::grown;
use super::place::Place;
use super::watch::Watch;
use crate::engine::{Expansion, HUMAN_WEIGHT, Side, Taste, expand};
use crate::engine::{centidiscs, read_discs};
use crate::othello::{Color, PositionText};
use anyhow::{Result, bail};
use std::time::Instant;

/// Grow a book where it pays most
///
/// The next position to come in is always the one with the cheapest line: a line costs one for
/// each move and two for each disc that a player gives away on it. So best play is followed far,
/// mistakes only until they are refuted. Values are carried up after each position, and where a
/// best move turns out worse than it was, the moves beside it are searched.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book expand --positions 1000\n  \
                        emilia book expand --time 8h --level 12 --side black\n  \
                        emilia book expand --from f5d6c3d3c4 --until-error 0.5 --human-weight 1")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Stop when this many positions have come in
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,

    /// Stop when the last 100 positions were worth what was expected, to this many discs on
    /// average
    #[arg(long, value_name = "DISCS", value_parser = read_discs)]
    until_error: Option<f64>,

    /// Grow only below this position of the book: moves from the start, or a board string
    #[arg(
        long,
        value_name = "MOVES|POSITION",
        default_value = "start",
        allow_hyphen_values = true
    )]
    from: PositionText,

    /// For whom the book is: the other player may try anything, this one keeps to what is best
    #[arg(long, value_name = "SIDE", default_value = "both")]
    side: SideName,

    /// Follow no move that gives away more discs than this, unless people play it
    #[arg(long, value_name = "DISCS", default_value = "4", value_parser = read_discs)]
    slack: f64,

    /// How much it counts that people play a move, however bad: at 1 a move that half of them play
    /// is as near as one ply of our own, at 2 as half a ply; 0 asks nobody
    #[arg(long, value_name = "W", default_value_t = HUMAN_WEIGHT, value_parser = read_weight)]
    human_weight: f64,

    #[command(flatten)]
    effort: Effort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum SideName {
    Black,
    White,
    Both,
}

impl From<SideName> for Side {
    fn from(name: SideName) -> Side {
        match name {
            SideName::Black => Side::Only(Color::Black),
            SideName::White => Side::Only(Color::White),
            SideName::Both => Side::Both,
        }
    }
}

fn read_weight(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|weight| (0.0..=100.0).contains(weight))
        .ok_or_else(|| "write a weight from 0 to 100, as in 1 or 0.5".into())
}

pub fn run(args: Args) -> Result<()> {
    if args.positions.is_none() && args.until_error.is_none() && !args.effort.is_timed() {
        bail!("say when to stop: --positions N, --time T or --until-error DISCS");
    }
    let crew = args.effort.start_searching()?;
    let store = args.place.open_or_create()?;
    let mut analyst = crew.analyst(&store)?;
    let expansion = Expansion {
        from: args.from.position,
        taste: Taste {
            side: args.side.into(),
            slack: centidiscs(args.slack),
            human_weight: args.human_weight,
        },
        positions: args.positions,
        until_error: args.until_error,
    };
    let began = Instant::now();
    let interrupt = crew.interrupt.clone();
    let watch = match (args.positions, crew.time_left()) {
        (None, Some(time)) => Watch::during(time, "expanding", interrupt),
        (positions, _) => Watch::over(positions, "expanding", interrupt),
    };
    let grown = expand(&store, &mut *analyst, crew.level, &expansion, &watch)?;
    drop(watch);
    grown::report(&store, &crew, &grown, began, args.json)
}
