//! What the commands that grow a book have in common: their arguments, and how they tell what they
//! did.

use super::super::exit::interrupted;
use super::super::output::{grouped, print_json};
use super::effort::{Crew, Effort};
use super::place::Place;
use super::watch::Watch;
use crate::book::{Analyst, Failure, Grown, Store};
use crate::engine::GrowError;
use crate::othello::PositionText;
use crate::view::{GrownView, SearchWorkView};
use anyhow::{Result, bail};
use std::io::{Write, stdout};
use std::time::Instant;

/// The arguments of those that only grow what is there.
#[derive(clap::Args)]
pub struct Common {
    #[command(flatten)]
    place: Place,

    /// Grow only below this position of the book: moves from the start, or a board string
    #[arg(
        long,
        value_name = "MOVES|POSITION",
        default_value = "start",
        allow_hyphen_values = true
    )]
    pub from: PositionText,

    #[command(flatten)]
    effort: Effort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Common {
    /// Grows a book in rounds and reports.
    pub fn grow(
        self,
        doing: &'static str,
        work: impl FnOnce(&Store, &mut dyn Analyst, u8, &Watch) -> Result<Grown, GrowError>,
    ) -> Result<()> {
        let crew = self.effort.start_searching()?;
        let store = self.place.open()?;
        let mut analyst = crew.analyst(&store)?;
        let began = Instant::now();
        let watch = Watch::rounds(doing, crew.interrupt.clone());
        let grown = work(&store, &mut *analyst, crew.level, &watch)?;
        drop(watch);
        report(&store, &crew, &grown, began, self.json)
    }
}

/// Makes the book quick to open again, and reports. An interruption is an error, an end of the
/// time is not.
pub fn report(store: &Store, crew: &Crew, grown: &Grown, began: Instant, json: bool) -> Result<()> {
    store.sync()?;
    store.flush()?;
    let (added, searched) = (grouped(grown.added), grouped(grown.searched));
    if crew.interrupt.is_set() {
        return Err(interrupted(format!(
            "interrupted; {added} positions came in after {searched} searches, and the same \
             command goes on from there"
        )));
    }
    report_failures(&grown.failures)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if json {
        let told = GrownView {
            added: grown.added,
            work: SearchWorkView {
                searched: grown.searched,
                finished: grown.exhausted,
                seconds,
            },
        };
        return print_json(&mut out, &told);
    }
    writeln!(
        out,
        "{added} positions came in after {searched} searches  ({seconds:.1} s, {:.1} a second)",
        grown.added as f64 / seconds
    )?;
    if grown.exhausted {
        writeln!(out, "nothing is left to do here")?;
    } else if crew.is_stopped() {
        writeln!(out, "the time is up; the same command goes on from there")?;
    }
    Ok(())
}

/// An error if questions could not be answered.
pub fn report_failures(failures: &[Failure]) -> Result<()> {
    let Some(first) = failures.first() else {
        return Ok(());
    };
    bail!(
        "{} questions could not be answered, the first about {}: {}; they are still wanted, and \
         the same command asks them again",
        grouped(failures.len() as u64),
        first.position,
        first.reason
    );
}
