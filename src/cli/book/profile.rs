//! What a book takes from games: as much as before, unless somebody widens it; and as they were
//! played, or as they should have been.

use crate::book::{Plan, Store};
use crate::engine::{PlanError, Wishes};
use anyhow::{Result, anyhow};
use std::io::{Write, stderr};

#[derive(clap::Args)]
pub struct ProfileOptions {
    /// Only positions after at most this many moves [default: as far as the book goes; 40 for
    /// a collection and 60 for a single game in a new book]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=60))]
    plies: Option<u8>,

    /// Take in only positions that this many games reached [default: as many as the book asks for;
    /// 1 in a new book]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    min_games: Option<u32>,

    /// Let --plies and --min-games take in more than the book did so far, of its own games, too
    #[arg(long)]
    widen: bool,

    /// From this many empty squares on, replace moves that give discs away by best play before a
    /// game is learned; 0 leaves games as they are. Matters only where --plies reaches so far
    /// [default: 18 for a collection; 0 for a single game]
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u8).range(0..=30))]
    correct: Option<u8>,
}

impl ProfileOptions {
    /// From how many empty squares on endings are corrected.
    pub fn correct(&self, usual: u8) -> u8 {
        self.correct.unwrap_or(usual)
    }

    /// What to take in; an error if that is more than the book takes and nobody said --widen.
    pub fn plan(&self, store: &Store, usual_plies: u8) -> Result<Plan> {
        let wishes = Wishes {
            plies: self.plies,
            min_games: self.min_games,
            widen: self.widen,
        };
        match wishes.plan(store, usual_plies) {
            Ok((plan, None)) => Ok(plan),
            Ok((plan, Some(widening))) => {
                writeln!(stderr(), "widening: {widening}")?;
                Ok(plan)
            }
            Err(PlanError::TooWide(widening)) => Err(anyhow!(
                "{widening}; say --widen if that is what you want, or leave --plies and \
                 --min-games out"
            )),
            Err(PlanError::Store(error)) => Err(error.into()),
        }
    }
}
