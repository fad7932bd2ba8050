//! Growing books beyond the games they were made of. Each way is a source of wants for the book's
//! driver: best first ([`expand`]), everything within reach ([`deviate`]), the best lines to their
//! end ([`play_out`]), or until a value is proven ([`prove`]); what is there is searched harder where
//! good play goes ([`deepen_lines`]). Another way is another file here.

mod best_first;
mod deepen_lines;
mod frontier;
mod play_out;
mod price_limits;
mod prove;
mod taste;
mod ways;
mod within_reach;

pub use best_first::{Expansion, expand};
pub use deepen_lines::{GoodLines, deepen_lines};
pub use play_out::play_out;
pub use prove::prove;
pub use taste::{HUMAN_WEIGHT, Side, Taste};
pub use within_reach::{Reach, deviate};

use crate::book::{
    Analyst, AskError, Cause, Errand, Grown, NodeKey, Rounds, Store, StoreError, Watcher,
    grow_in_rounds,
};
use crate::othello::Position;

#[derive(Debug, thiserror::Error)]
pub enum GrowError {
    #[error("the position is not in the book ({0}); take its line in first: emilia book learn")]
    NotInBook(Position),
    #[error(transparent)]
    Ask(#[from] AskError),
}

impl From<StoreError> for GrowError {
    fn from(error: StoreError) -> GrowError {
        GrowError::Ask(error.into())
    }
}

/// Grows below a position in rounds, from a source that is made for its key; level 0 does nothing.
fn grow_below<S: Rounds>(
    store: &Store,
    analyst: &mut dyn Analyst,
    (cause, level): (Cause, u8),
    from: Position,
    source: impl FnOnce(NodeKey) -> S,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    let Some(errand) = Errand::new(cause, level) else {
        return Ok(Grown::default());
    };
    let (from, _) = position_of_book(store, from)?;
    Ok(grow_in_rounds(
        store,
        analyst,
        errand,
        &mut source(from),
        watcher,
    )?)
}

/// A position of the book that can be grown from, with a forced pass made.
fn position_of_book(store: &Store, from: Position) -> Result<(NodeKey, Position), GrowError> {
    let from = from.after_forced_pass();
    let key = NodeKey::of(from.board);
    match store.reader().node(key)? {
        Some(_) => Ok((key, from)),
        None => Err(GrowError::NotInBook(from)),
    }
}

#[cfg(test)]
mod tests;
