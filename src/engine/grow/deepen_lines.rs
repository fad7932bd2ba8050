//! Deepening where it counts: the positions that good play goes through are searched harder, the
//! rest of the book is left as it is. Nothing comes in.

use super::within_reach::walk;
use super::{GrowError, position_of_book};
use crate::book::{
    Analyst, Cause, Errand, Grown, GrowthStep, NodeKey, Reader, Rounds, Store, StoreError, Watcher,
    Wish, grow_in_rounds,
};
use crate::othello::Position;

/// Which lines are searched harder.
#[derive(Clone, Copy, Debug)]
pub struct GoodLines {
    pub from: Position,
    /// All moves of a line may give away this many centi-discs together.
    pub loss: i32,
    /// Positions after this many moves from the start are the last.
    pub plies: u8,
}

/// Searches again what was searched at a lower level on these lines. What is found changes which
/// lines are good, so that goes on until nothing on them is left to be searched.
pub fn deepen_lines(
    store: &Store,
    analyst: &mut dyn Analyst,
    level: u8,
    lines: &GoodLines,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    let Some(errand) = Errand::new(Cause::Deepen, level) else {
        return Ok(Grown::default());
    };
    let (from, _) = position_of_book(store, lines.from)?;
    let mut source = DeepenLines {
        from,
        lines: *lines,
    };
    Ok(grow_in_rounds(
        store,
        analyst,
        errand,
        &mut source,
        watcher,
    )?)
}

struct DeepenLines {
    from: NodeKey,
    lines: GoodLines,
}

impl Rounds for DeepenLines {
    /// Every position on the lines: what of it is known well enough is not asked, and the driver
    /// asks nothing twice that has not changed in the meantime.
    fn next(&mut self, reader: &Reader<'_>) -> Result<GrowthStep, StoreError> {
        let mut wishes = Vec::new();
        let limits = (self.lines.loss, self.lines.loss);
        walk(reader, self.from, limits, |family, _, _| {
            let key = family.key();
            if key.layer().plies() <= self.lines.plies {
                wishes.push(Wish::plain(key));
            }
        })?;
        wishes.sort_unstable_by_key(|wish| wish.key);
        Ok(GrowthStep::Want(wishes))
    }
}
