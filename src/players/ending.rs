//! What programs that search for the outcome first, and for the exact result where that fits, know of
//! the end of a game.

use crate::othello::Square;

/// What is known of the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The best move and the final difference of discs.
    Exact(Square, i32),
    /// A move that wins or, where none does, one that draws.
    Outcome(Square, i32),
    /// Every move loses.
    Lost,
}
