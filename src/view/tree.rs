//! The book below a position, as a tree.

use crate::book::Branch;
use serde::Serialize;

/// A position and the move that led there.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct BranchView {
    /// None at the root.
    #[serde(rename = "move")]
    pub square: Option<String>,
    pub position: String,
    /// In discs, for the player who made the move; at the root for the one to move.
    pub value: Option<f64>,
    pub proven: bool,
    pub games: u32,
    /// Where the position has a name of its own.
    pub opening: Option<&'static str>,
    /// It was told before, with what is below it: another way leads there.
    pub again: bool,
    /// Moves of the book that are left out.
    pub more: usize,
    pub branches: Vec<BranchView>,
}

impl From<&Branch> for BranchView {
    fn from(branch: &Branch) -> BranchView {
        BranchView {
            square: branch.square.map(|square| square.to_string()),
            position: branch.position.to_string(),
            value: branch.value.map(|value| value.discs()),
            proven: branch.proven,
            games: branch.games,
            opening: branch.opening.map(|opening| opening.name.as_str()),
            again: branch.again,
            more: branch.more,
            branches: branch.branches.iter().map(BranchView::from).collect(),
        }
    }
}
