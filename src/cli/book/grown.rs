//! How the commands that grow a book tell what they did.

use super::super::output::grouped;
use super::effort::Crew;
use crate::book::Store;
use crate::engine::Grown;
use anyhow::{Result, bail};
use serde_json::json;
use std::io::{Write, stdout};
use std::time::Instant;

/// Makes the book quick to open again, and reports. An interruption is an error, an end of the
/// time is not.
pub fn report(store: &Store, crew: &Crew, grown: &Grown, began: Instant, json: bool) -> Result<()> {
    store.sync()?;
    store.flush()?;
    let (added, searched) = (grouped(grown.added), grouped(grown.searched));
    if crew.interrupt.is_set() {
        bail!(
            "interrupted; {added} positions came in after {searched} searches, and the same \
             command goes on from there"
        );
    }
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if json {
        let object = json!({ "added": grown.added, "searched": grown.searched,
                             "exhausted": grown.exhausted, "seconds": seconds });
        writeln!(out, "{object}")?;
        return Ok(());
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
