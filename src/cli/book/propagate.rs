//! `emilia book propagate`: bring all values up to date.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::super::output::grouped;
use super::place::Place;
use super::watch::Watch;
use crate::book::{settle, sweep};
use anyhow::Result;
use serde_json::json;
use std::io::{Write, stdout};
use std::time::Instant;

/// Carry values up through all transpositions
///
/// Builds do this by themselves; this finishes one that was interrupted. With --full every
/// position is recomputed in one sweep over the layers, on all cores; the result is the same.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book propagate\n  \
                        emilia book propagate --full --book wthor")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Recompute every position
    #[arg(long)]
    full: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let store = args.place.open()?;
    let interrupt = Interrupt::watch()?;
    let watch = Watch::new(&store, "propagating", Some(interrupt))?;
    let began = Instant::now();
    let settled = if args.full {
        sweep(&store, &watch)?
    } else {
        settle(&store, &watch)?
    };
    drop(watch);
    if !settled.finished {
        return Err(interrupted(
            "interrupted; emilia book propagate goes on from there",
        ));
    }
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "recomputed": settled.recomputed, "changed": settled.changed,
                             "seconds": seconds });
        writeln!(out, "{object}")?;
    } else {
        writeln!(
            out,
            "{} positions recomputed, {} changed  ({seconds:.2} s)",
            grouped(settled.recomputed),
            grouped(settled.changed)
        )?;
    }
    Ok(())
}
