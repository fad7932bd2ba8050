//! Correcting games before they are learned: near the end a solver knows better than the players
//! did, and a lost win must not count as a loss of the line.

use crate::book::key::NodeKey;
use serde::{Deserialize, Serialize};

/// What is learned in place of a game.
///
/// Human statistics are those of the game as it was played, so they go to the positions that are
/// kept, with the result as it was; what comes instead is nobody's game and has none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ending {
    /// How many positions stay as they were played.
    pub kept: usize,
    /// What follows them.
    pub instead: Vec<NodeKey>,
}
