//! What a book takes from games: as much as before, unless somebody widens it.

use super::super::output::{UsageError, grouped};
use crate::book::{Plan, Profile, Store};
use anyhow::Result;
use std::io::{Write, stderr};

#[derive(clap::Args)]
pub struct ProfileOptions {
    /// Learn the positions after at most this many moves [default: as far as the book goes; 40 for
    /// a collection and 60 for a single game in a new book]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=60))]
    plies: Option<u8>,

    /// Take in only positions that this many games reached [default: as many as the book asks for;
    /// 1 in a new book]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    min_games: Option<u32>,

    /// Let --plies and --min-games take in more than the book did so far, of its own games, too
    #[arg(long)]
    widen: bool,
}

impl ProfileOptions {
    /// What to take in; an error if that is more than the book takes and nobody said --widen.
    pub fn plan(&self, store: &Store, usual_plies: u8) -> Result<Plan> {
        let reader = store.reader();
        let profile = reader.profile()?.unwrap_or_else(|| Profile::new(0));
        let plan = Plan::for_book(&profile, self.plies, self.min_games, usual_plies);
        if !plan.is_wider_than(&profile) {
            return Ok(plan);
        }
        let known = plan.would_bring_in(&reader)?;
        let wider = format!(
            "the book in {} goes to move {} and takes in positions that {} reached; to move {} and \
             with positions that {} reached, {} positions of the games it knows come in besides",
            store.path().display(),
            profile.plies,
            games(profile.min_games),
            plan.plies,
            games(plan.min_games),
            grouped(known)
        );
        if !self.widen {
            return Err(UsageError::because(format!(
                "{wider}; say --widen if that is what you want, or leave --plies and --min-games out"
            )));
        }
        writeln!(stderr(), "widening: {wider}")?;
        Ok(plan)
    }
}

fn games(count: u32) -> String {
    match count {
        1 => "1 game".into(),
        count => format!("{} games", grouped(count.into())),
    }
}
