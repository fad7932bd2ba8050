//! Who asked: the player to move, or one who must pass first and whose opponent moves instead.

use crate::othello::Board;
use crate::search::searcher::{Bound, SearchResult};

/// How the player who asked sees what the one who moves finds out.
#[derive(Clone, Copy)]
pub struct Asker {
    must_pass: bool,
}

impl Asker {
    /// Who asks about a position, and the position that is searched.
    pub fn of(board: Board) -> (Asker, Board) {
        let must_pass = board.must_pass();
        let searched = if must_pass { board.pass() } else { board };
        (Asker { must_pass }, searched)
    }

    /// The asker's window, seen by the player whose moves are searched.
    pub fn window_of_mover(self, (alpha, beta): (i32, i32)) -> (i32, i32) {
        if self.must_pass {
            (-beta, -alpha)
        } else {
            (alpha, beta)
        }
    }

    /// The result as the asker sees it.
    pub fn sees(self, mut result: SearchResult) -> SearchResult {
        if self.must_pass {
            result.value = -result.value;
            result.best = None;
            result.bound = match result.bound {
                Bound::AtLeast => Bound::AtMost,
                Bound::AtMost => Bound::AtLeast,
                Bound::Exact => Bound::Exact,
            };
            for m in &mut result.moves {
                m.value = -m.value;
            }
        }
        result
    }
}
