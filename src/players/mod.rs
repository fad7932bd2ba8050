//! The programs of the papers this project grew from, each a player of its own, built on the shared
//! rules: one folder each, with what the paper says and, in the heads of the files, what had to be
//! guessed where it says nothing.
//!
//! They know the rules, their own evaluation and their own search; the clock of a game, books and
//! protocols are the business of the rooms above.

pub mod bill;
pub mod chen;
mod ending;
pub mod iago;
pub mod keyano;
pub mod meter;
pub mod othellus;
mod own_games;
mod roster;
#[cfg(test)]
mod trials;

use crate::othello::{Board, Square};
use crate::search::StopButton;
use std::time::Duration;

pub use own_games::own_games;
pub use roster::{Listed, NotAPlayer, Roster};

/// What a move may cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thinking {
    /// What is left on the clock for the rest of the game.
    pub remaining: Option<Duration>,
    /// The same time for every move, where there is no clock.
    pub per_move: Option<Duration>,
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

/// A part of a player's evaluation, by the name its paper gives it and in the player's own units,
/// seen by who moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Component {
    pub name: &'static str,
    pub value: f64,
}

/// A program of the papers.
pub trait Historic: Send {
    /// As users call it: "iago", "bill3".
    fn name(&self) -> &'static str;

    /// A new game begins; everything random follows from the seed.
    fn begin_game(&mut self, seed: u64);

    /// A move for the player to move, who has a legal one. With nothing limited it takes about a
    /// second. Pressing the button ends it early with the best so far. It must never use more than
    /// `remaining`, and keep a reserve for stalls of the machine (5 ms a move at least).
    fn choose(&mut self, board: Board, thinking: &Thinking, stop: &StopButton) -> Choice;

    /// What it sees in a position without looking ahead, part by part.
    fn components(&self, _board: Board) -> Vec<Component> {
        Vec::new()
    }
}
