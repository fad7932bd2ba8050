//! `emilia book compact`.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, progress};
use super::place::Place;
use super::watch::Watch;
use crate::book::{Store, StoreError, Table};
use anyhow::Result;
use serde_json::json;
use std::io::{Write, stdout};
use std::time::Instant;

/// Rewrite a book in its densest form
///
/// The database does this by itself little by little; after a large build it pays to do it at once.
/// After Ctrl-C, or a kill, the book is whole.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book compact --book wthor")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let began = Instant::now();
    let interrupt = Interrupt::watch()?;
    let store = args.place.open()?;
    let before = bytes_on_disk(&store)?;
    let watch = Watch::of(progress(before, "bytes", "compacting"), interrupt);
    let finished = store.compact_watched(&watch)?;
    drop(watch);
    if !finished {
        return Err(interrupted(
            "interrupted; the book is whole, and a part of it is compact",
        ));
    }
    let after = bytes_on_disk(&store)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "bytes": after, "bytes_before": before, "seconds": seconds });
        writeln!(out, "{object}")?;
    } else {
        let (after, before) = (grouped(after), grouped(before));
        writeln!(out, "{after} bytes, before {before}  ({seconds:.1} s)")?;
    }
    Ok(())
}

/// Of all tables.
pub fn bytes_on_disk(store: &Store) -> Result<u64, StoreError> {
    Table::ALL
        .into_iter()
        .map(|table| store.bytes_on_disk(table))
        .sum()
}
