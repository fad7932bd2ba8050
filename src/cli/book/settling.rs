//! What commands that took positions in have in common at their end.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, print_json};
use super::watch::Watch;
use crate::book::{Absorbed, Store, settle};
use crate::view::SettledView;
use anyhow::Result;
use std::io::{Write, stderr, stdout};
use std::time::Instant;

/// Carries the values up, and says so.
pub fn settle_and_flush(store: &Store, interrupt: Interrupt, as_json: bool) -> Result<()> {
    let began = Instant::now();
    let watch = Watch::new(store, "propagating", Some(interrupt))?;
    let settled = settle(store, &watch)?;
    drop(watch);
    if !settled.finished {
        return Err(interrupted(
            "interrupted while values were carried up; emilia book propagate goes on from there",
        ));
    }
    store.flush()?;
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if as_json {
        print_json(&mut out, &SettledView::of(&settled, seconds))?;
    } else {
        writeln!(
            out,
            "{} positions recomputed, {} changed  ({seconds:.1} s)",
            grouped(settled.recomputed),
            grouped(settled.changed)
        )?;
    }
    Ok(())
}

/// Lists the first positions that were left out.
pub fn report_unreachable(absorbed: &Absorbed) -> Result<()> {
    if absorbed.unreachable > 0 {
        let mut errors = stderr().lock();
        let count = grouped(absorbed.unreachable);
        writeln!(errors, "{count} positions left out: no move leads there")?;
        for key in &absorbed.unreachable_positions {
            writeln!(errors, "  {key}")?;
        }
    }
    Ok(())
}
