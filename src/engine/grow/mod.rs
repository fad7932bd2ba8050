//! Growing books beyond the games they were made of: best first ([`expand`]), or in rounds over
//! everything within reach ([`grow_in_rounds`]), or until a value is proven ([`prove`]).

mod expand;
mod frontier;
mod play_out;
mod prove;
mod rounds;
mod taste;

pub use expand::{Expansion, expand};
pub use play_out::play_out;
pub use prove::prove;
pub use rounds::{Reach, grow_in_rounds};
pub use taste::{HUMAN_WEIGHT, Side, Taste};

use crate::book::{NodeKey, Store, StoreError};
use crate::othello::Position;

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Grown {
    /// Positions that came in.
    pub added: u64,
    /// Searches whose answers were written.
    pub searched: u64,
    /// Nothing is left to do; otherwise a limit was reached or the work was stopped.
    pub exhausted: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum GrowError {
    #[error("the position is not in the book ({0}); take its line in first: emilia book learn")]
    NotInBook(Position),
    #[error(transparent)]
    Store(#[from] StoreError),
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
