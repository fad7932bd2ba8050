//! `emilia book solve`: prove the value of a position.

use super::super::exit::interrupted;
use super::super::output::grouped;
use super::effort::Effort;
use super::grown::report_failures;
use super::place::Place;
use super::watch::Watch;
use crate::engine::prove;
use crate::othello::PositionText;
use anyhow::Result;
use serde_json::json;
use std::io::{Write, stdout};
use std::time::Instant;

/// Prove the value of a position of the book
///
/// Positions below it come in and are solved until the proven bounds meet. What was proven stays
/// in the book: after an interruption the same command goes on from there.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book solve \
                        e6f4d3c2g4d6c5f5f3f6e3g3e2c3c4h3g5h4h6d2c6b3d7h5b5a5h2b6 --reach 20")]
pub struct Args {
    /// Moves from the start, or a board string with the side to move
    #[arg(value_name = "MOVES|POSITION", allow_hyphen_values = true)]
    from: PositionText,

    #[command(flatten)]
    place: Place,

    /// Solve positions with this many empty squares outright
    #[arg(long, value_name = "E", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=36))]
    reach: u32,

    #[command(flatten)]
    effort: Effort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let crew = args.effort.start_searching()?;
    let store = args.place.open()?;
    let mut analyst = crew.analyst(&store)?;
    let began = Instant::now();
    let watch = Watch::rounds("proving", crew.interrupt.clone());
    let (grown, bounds) = prove(
        &store,
        &mut *analyst,
        crew.level,
        args.from.position,
        args.reach,
        &watch,
    )?;
    drop(watch);
    store.sync()?;
    store.flush()?;
    let seconds = began.elapsed().as_secs_f64();
    let (lower, upper) = (bounds.lower, bounds.upper);
    let searched = grouped(grown.searched);
    if crew.interrupt.is_set() {
        return Err(interrupted(format!(
            "interrupted after {searched} searches; {lower}..{upper} is proven, and the same \
             command goes on from there"
        )));
    }
    report_failures(&grown.failures)?;
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "bounds": [lower.discs(), upper.discs()],
                             "proven": bounds.is_exact(), "searched": grown.searched,
                             "seconds": seconds });
        writeln!(out, "{object}")?;
    } else if bounds.is_exact() {
        writeln!(
            out,
            "{lower} is proven  ({searched} searches, {seconds:.1} s)"
        )?;
    } else {
        writeln!(
            out,
            "{lower}..{upper} is proven  ({searched} searches, {seconds:.1} s); the time is up, \
             and the same command goes on from there"
        )?;
    }
    Ok(())
}
