//! What came of taking books into a book.

use crate::book::{Absorbed, Merged};
use serde::Serialize;
use std::path::Path;

/// Positions of another book, or of a file.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct AbsorbedView {
    /// New to the book.
    pub new: u64,
    /// Known, but now something more is known about them.
    pub deeper: u64,
    /// Nothing new about them.
    pub known_positions: u64,
    /// Left out, because no move leads there from the start.
    pub unreachable: u64,
    /// The first of these.
    pub unreachable_positions: Vec<String>,
}

/// A book that was merged into another.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct MergedView<'a> {
    /// Its folder.
    pub book: &'a Path,
    #[serde(flatten)]
    pub positions: AbsorbedView,
    /// Games that were unknown, or known less deep.
    pub games: u64,
    /// Games that both have.
    pub known_games: u64,
    /// Games that an early book kept without their moves: they cannot be counted.
    pub games_without_moves: u64,
}

/// A file that was taken into a book.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct ImportedView<'a> {
    pub file: &'a Path,
    pub format: String,
    /// What is to be known about it.
    pub remarks: &'a [String],
    #[serde(flatten)]
    pub positions: AbsorbedView,
}

impl From<&Absorbed> for AbsorbedView {
    fn from(absorbed: &Absorbed) -> AbsorbedView {
        let unreachable = absorbed.unreachable_positions.iter();
        AbsorbedView {
            new: absorbed.new,
            deeper: absorbed.deeper,
            known_positions: absorbed.known,
            unreachable: absorbed.unreachable,
            unreachable_positions: unreachable.map(|key| key.to_string()).collect(),
        }
    }
}

impl<'a> MergedView<'a> {
    pub fn of(book: &'a Path, merged: &Merged) -> MergedView<'a> {
        MergedView {
            book,
            positions: AbsorbedView::from(&merged.positions),
            games: merged.games,
            known_games: merged.known_games,
            games_without_moves: merged.games_without_moves,
        }
    }
}
