//! Deepening where it counts: the positions that good play goes through are searched harder, the
//! rest of the book is left as it is. Nothing comes in.

use super::within_reach::walk;
use super::{GrowError, grow_below};
use crate::book::{
    Analyst, Cause, Grown, GrowthStep, NodeKey, Reader, Rounds, Store, StoreError, Watcher, Wish,
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
    let source = |from| DeepenLines {
        from,
        lines: *lines,
    };
    grow_below(
        store,
        analyst,
        (Cause::Deepen, level),
        lines.from,
        source,
        watcher,
    )
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
