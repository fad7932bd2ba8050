//! `emilia book deepen`: search again what was searched at a lower level.

use super::super::exit::interrupted;
use super::super::output::grouped;
use super::effort::Effort;
use super::grown::report_failures;
use super::place::Place;
use super::watch::Watch;
use crate::book::{Assignment, Cause, Errand, answer_wants};
use anyhow::Result;
use serde_json::json;
use std::io::{Write, stdout};
use std::time::Instant;

/// Search a whole book at a level
///
/// Every leaf and every alternative that was searched at a lower level, or not at all, is searched
/// again; the rest is left alone. What other commands left to be searched is searched as well.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book deepen --level 12\n  \
                        emilia book deepen --level 16 --time 8h --book wthor\n  \
                        emilia book deepen --level 12 --renew")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    effort: Effort,

    /// Search again what another engine found, at whatever level: another program, or an emilia
    /// with another evaluation
    #[arg(long)]
    renew: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let crew = args.effort.start_searching()?;
    let store = args.place.open()?;
    let mut analyst = crew.analyst(&store)?;
    let began = Instant::now();
    let watch = Watch::new(&store, "searching", Some(crew.interrupt.clone()))?;
    let errand = Errand {
        cause: Cause::Deepen,
        level: crew.level,
    };
    let assignment = Assignment {
        everything: true,
        renew: args.renew,
        ..Assignment::of(errand)
    };
    let settled = answer_wants(&store, &mut *analyst, assignment, &watch)?;
    drop(watch);
    store.flush()?;
    let searched = grouped(settled.searched);
    if crew.interrupt.is_set() {
        return Err(interrupted(format!(
            "interrupted after {searched} searches; the same command goes on from there"
        )));
    }
    report_failures(&settled.failures)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "searched": settled.searched, "changed": settled.changed,
                             "finished": settled.finished, "seconds": seconds });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let changed = grouped(settled.changed);
    writeln!(
        out,
        "{searched} searches, {changed} positions changed  ({seconds:.1} s)"
    )?;
    if !settled.finished {
        writeln!(out, "the time is up; the same command goes on from there")?;
    }
    Ok(())
}
