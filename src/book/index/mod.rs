//! The games behind the positions: which games went through a position, and which are a player's
//! or an event's. All of it follows from the archive of games and can be made anew from it.
//!
//! A game has a number, given when the book learned it and never given again. Lists of numbers are
//! short because they rise. Nine of ten positions were reached by one game only: its number stands
//! in their statistics, and only positions of several games have a list. What is asked of many
//! games at once (year, result, who moved) stands in rows of thousands of games, so that a million
//! can be sifted without reading one of them.

pub(super) mod agrees;
pub(super) mod facts;
pub(super) mod find;
pub(super) mod key;
pub(super) mod list;
pub(super) mod tally;
pub(super) mod write;
