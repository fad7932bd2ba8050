//! The programs of the papers, playing: each built from its paper's text on the shared rules, with
//! the paper's own numbers where it gives them.
//!
//! A program is a folder. What the paper leaves open is named in the head of the file that decides
//! it. Each searches, times and ends its games in its own way: nothing here asks our solver.

pub mod bill;
pub mod keyano;

use crate::othello::{Board, Square};
use crate::search::StopButton;

/// What a move may cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thinking {
    /// What is left on the clock for the rest of the game.
    pub remaining: Option<std::time::Duration>,
    /// The same time for every move, where there is no clock.
    pub per_move: Option<std::time::Duration>,
    /// Nodes for this move: the same moves on every machine.
    pub nodes: Option<u64>,
    /// Plies to look ahead at most.
    pub depth: Option<u32>,
}

/// A move and what the player thinks of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    pub square: Square,
    /// In the player's own units made centi-discs where it has such a thing; seen by who moves.
    pub value: Option<i32>,
    /// Of winning, where the player has one (BILL 3).
    pub win_probability: Option<f64>,
    pub depth: u32,
    pub nodes: u64,
}

/// A program of the papers.
pub trait Historic: Send {
    /// As users call it: "iago", "bill3".
    fn name(&self) -> &'static str;
    /// A new game begins; everything random follows from the seed.
    fn begin_game(&mut self, seed: u64);
    /// A move for the player to move, who has a legal one. With nothing limited it takes about a second.
    /// Pressing the button ends it early with the best so far. It must never use more than `remaining`,
    /// and keep a reserve for stalls of the machine (5 ms a move at least).
    fn choose(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Choice;
}
