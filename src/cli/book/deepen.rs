//! `emilia book deepen`: search again what was searched at a lower level.

use super::super::output::grouped;
use super::effort::Effort;
use super::place::Place;
use super::watch::Watch;
use crate::book::Store;
use crate::engine::evaluate;
use anyhow::{Result, bail};
use serde_json::json;
use std::io::{Write, stdout};
use std::time::Instant;

/// Search a whole book at a level
///
/// Every leaf and every alternative that was searched at a lower level, or not at all, is searched
/// again; the rest is left alone.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book deepen --level 12\n  \
                        emilia book deepen --level 16 --time 8h --book wthor")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    effort: Effort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let crew = args.effort.start_searching()?;
    let store = Store::open(&args.place.path()?)?;
    let began = Instant::now();
    let watch = Watch::new(&store, "searching", Some(crew.interrupt.clone()))?;
    let evaluated = evaluate(&store, crew.asking(), crew.threads, &watch)?;
    drop(watch);
    store.flush()?;
    let searched = grouped(evaluated.searched);
    if crew.interrupt.is_set() {
        bail!("interrupted after {searched} searches; the same command goes on from there");
    }
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "searched": evaluated.searched, "changed": evaluated.changed,
                             "finished": evaluated.finished, "seconds": seconds });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let changed = grouped(evaluated.changed);
    writeln!(
        out,
        "{searched} searches, {changed} positions changed  ({seconds:.1} s)"
    )?;
    if !evaluated.finished {
        writeln!(out, "the time is up; the same command goes on from there")?;
    }
    Ok(())
}
