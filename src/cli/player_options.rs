//! Who plays and how: what the commands that play have in common.

use super::book::Place;
use super::duration::read_duration;
use super::search_options::SearchOptions;
use crate::engine::{Confidence, Draws, Pace, Plays, Policy, Skill, TimeControl, Who, defaults};
use crate::engine::{centidiscs, read_discs};
use anyhow::{Result, anyhow};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(clap::Args)]
pub struct PlayerOptions {
    /// Who plays: emilia, or a program of the papers such as iago
    #[arg(long, value_name = "NAME", default_value = Who::OWN)]
    pub player: Who,

    #[arg(long, value_name = "LEVEL", default_value = "full",
          help = format!("How strong: {}, or a search level from 1 to 60; for programs of the \
                          papers the most plies they look ahead", Skill::names()))]
    pub level: Skill,

    /// Time for each player and game: seconds or m:ss, +SECONDS per move, /SECONDS[xMOVES] byo-yomi
    #[arg(long, value_name = "CONTROL")]
    pub clock: Option<TimeControl>,

    /// Time for each move (5, 0.5, 2m)
    #[arg(long, value_name = "T", value_parser = read_duration, conflicts_with = "clock")]
    pub move_time: Option<Duration>,

    /// Nodes for each move: the same moves on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// Milliseconds lost on each move, on the way to the other program and back
    #[arg(long, value_name = "MS", default_value_t = Pace::OVERHEAD.as_millis() as u64)]
    pub overhead: u64,

    #[command(flatten)]
    pub place: Place,

    /// Play without a book
    #[arg(long, conflicts_with = "book")]
    pub no_book: bool,

    /// Play moves that lose up to this many discs as well, the better ones more often
    #[arg(long, value_name = "DISCS", default_value_t = 0.0, value_parser = read_discs)]
    pub randomness: f64,

    /// The same for book moves alone: openings differ from game to game, and what is searched is
    /// played as well as it can be
    #[arg(long, value_name = "DISCS", default_value_t = 0.0, value_parser = read_discs)]
    pub book_randomness: f64,

    /// Choose by this number: the same seed plays the same moves [default: another each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Proven draws against estimates
    #[arg(long, value_name = "HOW", default_value = "neutral")]
    pub draws: DrawsName,

    /// Play this line from the start as long as the game follows it
    #[arg(long, value_name = "MOVES")]
    pub follow: Vec<String>,

    /// Never play the last move of this line from the start
    #[arg(long, value_name = "MOVES")]
    pub forbid: Vec<String>,

    /// Play only book moves that were searched at least this deep, or have more book below them
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    pub book_depth: u8,

    /// Play only book moves that people played in so many games
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub book_games: u32,

    /// Play only book moves whose result is proven
    #[arg(long)]
    pub book_proven: bool,

    /// Trust the book where nobody searched the moves it does not have
    #[arg(long)]
    pub no_verify: bool,

    #[command(flatten)]
    pub search: SearchOptions,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub enum DrawsName {
    Neutral,
    /// Rather a sure draw than a small advantage
    Seek,
    /// Rather a small disadvantage than a sure draw
    Avoid,
}

impl PlayerOptions {
    /// For a program whose other players think on the same machine.
    pub fn beside_others(mut self) -> PlayerOptions {
        let threads = defaults::THREADS_OF_A_PLAYER as u16;
        self.search.threads.get_or_insert(threads);
        self
    }

    pub fn pace(&self) -> Pace {
        Pace {
            control: self.clock,
            per_move: self.move_time,
            nodes: self.nodes,
            overhead: Duration::from_millis(self.overhead),
        }
    }

    pub fn policy(&self) -> Result<Policy> {
        let mut policy = Policy {
            strength: self.level,
            randomness: centidiscs(self.randomness),
            book_randomness: centidiscs(self.book_randomness),
            seed: self.seed.unwrap_or_else(other_each_time),
            draws: match self.draws {
                DrawsName::Neutral => Draws::Neutral,
                DrawsName::Seek => Draws::Seek,
                DrawsName::Avoid => Draws::Avoid,
            },
            confidence: Confidence {
                depth: self.book_depth,
                games: self.book_games,
                proven: self.book_proven,
            },
            verify: !self.no_verify,
            ..Policy::default()
        };
        let wrong = |error| anyhow!("--follow or --forbid: {error}");
        for line in &self.follow {
            policy.lines.force(line).map_err(wrong)?;
        }
        for line in &self.forbid {
            policy.lines.forbid(line).map_err(wrong)?;
        }
        Ok(policy)
    }

    /// Whoever plays, with the book where there is one to use.
    pub fn player(self) -> Result<Box<dyn Plays>> {
        let (who, policy) = (self.player, self.policy()?);
        let book = if self.no_book || !who.uses_book() {
            None
        } else {
            self.place.open_if_there()?.map(Arc::new)
        };
        who.make(policy, book, || self.search.searcher())
    }
}

fn other_each_time() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| time.as_nanos() as u64)
}
