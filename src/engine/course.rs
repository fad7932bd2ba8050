//! How games are learned, whoever brings them: `book build`, `book learn`, an upload. The same
//! games with the same wishes make the same book.

use crate::book::{
    Analyst, AskError, Assignment, Cause, Errand, Learned, Learner, Plan, Profile, Searching,
    Settled, Store, StoreError, Watcher, answer_wants, settle,
};
use crate::games::{BadGame, Game, GameReader};
use std::fmt;

/// Correcting takes time: so many games at most are lost when the process is killed.
const CORRECTED_AT_ONCE: usize = 200;
/// What positions want is not among what waits for little memory: it takes as much as they do.
const WANTED_AT_ONCE: usize = 10_000;

/// What a book is to take from games; what nobody says is as it was before, or usual.
#[derive(Clone, Copy, Default, Debug)]
pub struct Wishes {
    /// Positions after at most this many moves.
    pub plies: Option<u8>,
    /// Only positions that this many games reached.
    pub min_games: Option<u32>,
    /// The book may take in more than it did so far, of its own games, too.
    pub widen: bool,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}; say widen if that is what you want, or leave plies and min-games out")]
    TooWide(Widening),
}

/// More than a book took so far.
#[derive(Clone, Copy, Debug)]
pub struct Widening {
    before: Profile,
    after: Plan,
    /// Positions of games that the book knows, and that come in besides.
    positions: u64,
}

impl fmt::Display for Widening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = |count: u32| match count {
            1 => "1 game".into(),
            count => format!("{count} games"),
        };
        write!(
            f,
            "the book goes to move {} and takes in positions that {} reached; to move {} and with \
             positions that {} reached, {} positions of the games it knows come in besides",
            self.before.plies,
            games(self.before.min_games),
            self.after.plies,
            games(self.after.min_games),
            self.positions
        )
    }
}

impl Wishes {
    /// What to take in, and how much wider that makes the book, which must have been allowed.
    /// A book without games gets the usual number of moves.
    pub fn plan(
        &self,
        store: &Store,
        usual_plies: u8,
    ) -> Result<(Plan, Option<Widening>), PlanError> {
        let reader = store.reader();
        let profile = reader.profile()?.unwrap_or_else(|| Profile::new(0));
        let plan = Plan::for_book(&profile, self.plies, self.min_games, usual_plies);
        if !plan.is_wider_than(&profile) {
            return Ok((plan, None));
        }
        let widening = Widening {
            before: profile,
            after: plan,
            positions: plan.would_bring_in(&reader)?,
        };
        if self.widen {
            Ok((plan, Some(widening)))
        } else {
            Err(PlanError::TooWide(widening))
        }
    }
}

/// The good games of a reader's next batch; `bad` hears of the others. A file whose rest cannot be
/// read is an error.
pub fn next_good_games<E: From<BadGame>>(
    reader: &mut GameReader,
    mut bad: impl FnMut(BadGame) -> Result<(), E>,
) -> Result<Option<Vec<Game>>, E> {
    let Some(batch) = reader.next_batch() else {
        return Ok(None);
    };
    let mut good = Vec::with_capacity(batch.len());
    for game in batch {
        match game {
            Ok(game) => good.push(game),
            Err(flaw) if flaw.flaw.ends_the_file() => return Err(flaw.into()),
            Err(flaw) => bad(flaw)?,
        }
    }
    Ok(Some(good))
}

/// What is learned, and how hard it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    plan: Plan,
    errand: Option<Errand>,
    correct: u8,
}

impl Course {
    /// How far a collection is learned into a new book.
    pub const USUAL_PLIES: u8 = 40;
    /// How far a single game is learned into a new book: whole.
    pub const PLIES_OF_A_GAME: u8 = 60;
    /// From how many empty squares on collections are corrected unless somebody says otherwise:
    /// the deepest that costs at most 50 ms a game on one core.
    pub const USUAL_CORRECT: u8 = 18;

    /// Level 0 does not search; `correct` is the number of empty squares from which on endings are
    /// corrected, 0 leaves games as they are.
    pub fn new(mut plan: Plan, cause: Cause, level: u8, correct: u8) -> Course {
        // The last position that is learned has this many empty squares, as a rule.
        let corrects = 60u8.saturating_sub(plan.plies) < correct;
        if corrects {
            plan.games_at_once = plan.games_at_once.min(CORRECTED_AT_ONCE);
        }
        let errand = Errand::new(cause, level);
        if errand.is_some() {
            plan.games_at_once = plan.games_at_once.min(WANTED_AT_ONCE);
        }
        Course {
            plan,
            errand,
            correct: if corrects { correct } else { 0 },
        }
    }

    /// Takes in games until there are none, or until the watcher stops it: then what was taken is
    /// written, and the same games go on from there. `written` hears of what is safe.
    pub fn take_in<E: From<AskError>>(
        &self,
        store: &Store,
        analyst: &mut dyn Analyst,
        watcher: &dyn Watcher,
        mut games: impl FnMut() -> Result<Option<Vec<Game>>, E>,
        mut written: impl FnMut(&Learned) -> Result<(), E>,
    ) -> Result<Learned, E> {
        let searching = Searching {
            analyst,
            errand: self.errand,
            correct: self.correct,
        };
        let mut learner = Learner::new(store, self.plan).searching(searching, watcher);
        while !watcher.should_stop()
            && let Some(batch) = games()?
        {
            if learner.add(&batch)? {
                written(&learner.learned())?;
            }
        }
        let learned = if watcher.should_stop() {
            learner.write()?;
            learner.learned()
        } else {
            learner.finish()?
        };
        written(&learned)?;
        Ok(learned)
    }

    /// Searches what the games want and carries the values up.
    pub fn search(
        &self,
        store: &Store,
        analyst: &mut dyn Analyst,
        watcher: &dyn Watcher,
    ) -> Result<Settled, AskError> {
        let settled = match self.errand {
            Some(errand) => answer_wants(store, analyst, Assignment::of(errand), watcher)?,
            None => settle(store, watcher)?,
        };
        store.sync()?;
        store.flush()?;
        Ok(settled)
    }

    /// Positions are searched, and not only taken in.
    pub fn searches(&self) -> bool {
        self.errand.is_some()
    }
}
