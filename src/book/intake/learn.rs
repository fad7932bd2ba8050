//! Games → positions. A game is learned once: its fingerprint is written together with what it
//! brought and wants, so that learning it again, also after a crash, changes nothing. Learning it
//! deeper adds only what lies deeper.

use crate::book::Watcher;
use crate::book::admit::{admit, insert_new, want_known};
use crate::book::analyst::{Analyst, AnalystError, ask_all};
use crate::book::archive::{ArchivedGame, Fingerprint, LearnedGame};
use crate::book::driver::{AskError, is_sweep_due_for_others};
use crate::book::endings::Ending;
use crate::book::index_write::{GAME_BYTES, Indexing, bytes_of_passages};
use crate::book::lesson::{Coming, Lesson, Path};
use crate::book::plan::Plan;
use crate::book::propagate::settle;
use crate::book::question::{EndingQuestion, Finding, Question};
use crate::book::recount::recount;
use crate::book::store::{Flag, Reader, Store, Unordered};
use crate::book::want::Errand;
use crate::games::Game;
use rayon::prelude::*;
use std::collections::HashMap;

/// Who searches what comes in.
pub struct Searching<'a> {
    pub analyst: &'a mut dyn Analyst,
    /// For whom the positions of the games are wanted; none wants nothing.
    pub errand: Option<Errand>,
    /// From this many empty squares on the endings of games are corrected; 0 corrects nothing.
    pub correct: u8,
}

/// What was learned so far, all of it written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Learned {
    /// Games that were new, or that were learned deeper.
    pub games: u64,
    /// Games that were known already.
    pub known: u64,
    /// Games that do not begin at the start position: no line of the book leads to them.
    pub other_start: u64,
    /// Positions that came into the book.
    pub positions: u64,
}

/// So many are looked up at once.
const GAMES_AT_ONCE: usize = 4096;
/// More games that wait are not written any more once somebody stopped it.
const WRITTEN_AT_THE_END: usize = 10_000;

/// Learns games in batches.
pub struct Learner<'a> {
    store: &'a Store,
    plan: Plan,
    searching: Option<Searching<'a>>,
    watcher: &'a dyn Watcher,
    waiting: Vec<Waiting>,
    /// What they will take.
    waiting_bytes: usize,
    /// From the first large batch on.
    unordered: Option<Unordered<'a>>,
    learned: Learned,
}

/// A game that is to be learned.
struct Waiting {
    fingerprint: u128,
    game: ArchivedGame,
}

impl Waiting {
    fn of(game: ArchivedGame) -> Waiting {
        let mut hash = Fingerprint::default();
        game.for_each_position(|key, _| hash.add(key));
        Waiting {
            fingerprint: hash.end(),
            game,
        }
    }

    /// What it will take while it waits and while it is written.
    fn bytes(&self, plies: u8) -> usize {
        GAME_BYTES + bytes_of_passages(1 + self.game.moves.len().min(plies.into()))
    }
}

impl<'a> Learner<'a> {
    pub fn new(store: &'a Store, plan: Plan) -> Learner<'a> {
        Learner {
            store,
            plan,
            searching: None,
            watcher: &(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            unordered: None,
            learned: Learned::default(),
        }
    }

    /// What comes in is wanted for an errand, and endings are corrected. Games whose correction is
    /// stopped are not learned.
    pub fn searching(mut self, searching: Searching<'a>, watcher: &'a dyn Watcher) -> Learner<'a> {
        self.searching = Some(searching);
        self.watcher = watcher;
        self
    }

    /// What is written so far; games that wait are not counted.
    pub fn learned(&self) -> Learned {
        self.learned
    }

    /// Takes games in, and writes when enough have come together. True if it wrote.
    pub fn add(&mut self, games: &[Game]) -> Result<bool, AskError> {
        let room = self.store.options().shares().work.as_usize();
        let coming: Vec<Option<Waiting>> = games
            .par_iter()
            .map(|game| ArchivedGame::of(game).map(Waiting::of))
            .collect();
        let mut wrote = false;
        for game in coming {
            let Some(game) = game else {
                self.learned.other_start += 1;
                continue;
            };
            self.waiting_bytes += game.bytes(self.plan.plies);
            self.waiting.push(game);
            if self.waiting.len() >= self.plan.games_at_once || self.waiting_bytes >= room {
                if !self.write()? {
                    break;
                }
                wrote = true;
            }
        }
        Ok(wrote)
    }

    /// Writes what waits and, where a number of games is asked for, takes in the positions that
    /// have reached it. If the watcher stops it before that, the plan does not become the book's.
    pub fn finish(mut self) -> Result<Learned, AskError> {
        if !self.write()? {
            return Ok(self.learned);
        }
        let reader = self.store.reader();
        if self.plan.min_games > 1 || reader.flag(Flag::HeldBack)? {
            self.learned.positions += admit(self.store, self.plan.min_games, self.errand())?;
        }
        if let Some(profile) = reader.profile()? {
            let mut wider = profile;
            wider.plies = wider.plies.max(self.plan.plies);
            wider.min_games = wider.min_games.min(self.plan.min_games.max(1));
            if wider != profile {
                let mut batch = self.store.batch()?;
                batch.set_profile(&wider);
                batch.commit()?;
            }
        }
        Ok(self.learned)
    }

    fn errand(&self) -> Option<Errand> {
        self.searching
            .as_ref()
            .and_then(|searching| searching.errand)
    }

    /// The endings of games; none for those whose correction was stopped.
    fn endings(&mut self, paths: &[&Path]) -> Result<Vec<Option<Ending>>, AnalystError> {
        let Some(searching) = self.searching.as_mut().filter(|one| one.correct > 0) else {
            let whole = |path: &&Path| Ending {
                kept: path.positions.len(),
                instead: Vec::new(),
            };
            return Ok(paths.iter().map(whole).map(Some).collect());
        };
        let limit = self.plan.plies.saturating_add(1);
        let empties = searching.correct;
        let questions = paths.iter().map(|path| {
            Question::Ending(EndingQuestion {
                path: path.keys().collect(),
                limit,
                empties,
            })
        });
        let mut endings = vec![None; paths.len()];
        let finished = ask_all(
            searching.analyst,
            questions,
            self.watcher,
            |number, finding| {
                if let (Finding::Ending(ending), Some(place)) = (finding, endings.get_mut(number)) {
                    *place = Some(ending);
                }
            },
        )?;
        if !finished {
            // Some may be in doubt, and a game that was learned is not unlearned.
            endings.fill(None);
        }
        Ok(endings)
    }

    /// Writes what waits: games, statistics, positions and what they want, in one go. False if the
    /// watcher stopped it: then what waits is not learned, unless it is so little that it is written
    /// all the same.
    pub fn write(&mut self) -> Result<bool, AskError> {
        let reader = self.store.reader();
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let watcher = self.watcher;
        let is_stopped = |games: usize| games > WRITTEN_AT_THE_END && watcher.should_stop();
        if is_stopped(waiting.len()) {
            return Ok(false);
        }
        // What it finds dropped is theirs, or nobody's.
        if is_sweep_due_for_others(self.store, self.errand())? {
            settle(self.store, self.watcher)?;
        }
        // Games go into an index that is whole.
        if reader.flag(Flag::RecountDue)? && !recount(self.store, self.watcher)? {
            return Ok(false);
        }
        let store = self.store;
        let _turn = store.turn_at_games();
        let mut learned = self.learned;
        let waiting = one_record_each(waiting, &mut learned);
        let all = waiting.len();
        let mut waiting = waiting.into_iter();
        let mut lesson = Lesson {
            plies: self.plan.plies,
            wants: self.errand().is_some(),
            batch: store.batch()?,
            indexing: Indexing::new(&reader)?,
            learned,
            instead: Vec::new(),
            wanted: Vec::new(),
        };
        loop {
            let some: Vec<Waiting> = waiting.by_ref().take(GAMES_AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            if is_stopped(all) {
                return Ok(false);
            }
            for game in self.look_up(&reader, some)? {
                lesson.take(&reader, game)?;
            }
        }
        self.write_lesson(&reader, lesson)
    }

    /// Games with what the book knows of them and, where they are to be learned deeper, with their
    /// endings; without those whose correction was stopped.
    fn look_up(
        &mut self,
        reader: &Reader<'_>,
        games: Vec<Waiting>,
    ) -> Result<Vec<Coming>, AskError> {
        let plies = self.plan.plies;
        let paths: Vec<Path> = games
            .into_par_iter()
            .map(|Waiting { fingerprint, game }| Path::of(fingerprint, game, plies))
            .collect();
        let fingerprints: Vec<u128> = paths.iter().map(|one| one.fingerprint).collect();
        let known = reader.games(&fingerprints)?;
        let deeper: Vec<&Path> = paths
            .iter()
            .zip(&known)
            .filter_map(|(path, known)| is_deeper_than(known.as_ref(), plies).then_some(path))
            .collect();
        let mut endings = self.endings(&deeper)?.into_iter();
        let mut coming = Vec::with_capacity(paths.len());
        for (path, known) in paths.into_iter().zip(known) {
            let ending = if is_deeper_than(known.as_ref(), plies) {
                match endings.next().flatten() {
                    Some(ending) => Some(ending),
                    None => continue,
                }
            } else {
                None
            };
            coming.push(Coming {
                path,
                known,
                ending,
            });
        }
        Ok(coming)
    }

    /// Commits what was put together. False if the watcher stopped it.
    fn write_lesson(&mut self, reader: &Reader<'_>, lesson: Lesson<'a>) -> Result<bool, AskError> {
        let Lesson {
            mut batch,
            indexing,
            mut learned,
            mut instead,
            wanted,
            ..
        } = lesson;
        let errand = self.errand();
        let Some(mut keys) = indexing.write(reader, &mut batch, self.watcher)? else {
            return Ok(false);
        };
        if self.plan.min_games > 1 {
            // What comes instead of an ending was reached by no game at all.
            batch.raise(Flag::HeldBack);
        } else {
            if !instead.is_empty() {
                keys.append(&mut instead);
                keys.par_sort_unstable();
                keys.dedup();
            }
            learned.positions += insert_new(self.store, reader, &mut batch, keys, errand)?;
        }
        if let Some(searching) = &self.searching
            && let Some(errand) = errand
        {
            want_known(reader, &mut batch, wanted, &*searching.analyst, errand)?;
        }
        // Known games only: the book stays as it is, to the last byte.
        if !batch.is_empty() {
            if batch.is_large() && self.unordered.is_none() {
                self.unordered = Some(self.store.leave_unordered()?);
            }
            batch.commit()?;
            self.store.sync()?;
        }
        self.learned = learned;
        Ok(true)
    }
}

fn is_deeper_than(known: Option<&LearnedGame>, plies: u8) -> bool {
    known.is_none_or(|known| known.plies < plies)
}

/// Of games that come several times, the record that says most.
fn one_record_each(games: Vec<Waiting>, learned: &mut Learned) -> Vec<Waiting> {
    let mut places: HashMap<u128, usize> = HashMap::new();
    let mut kept: Vec<Waiting> = Vec::with_capacity(games.len());
    for game in games {
        match places
            .get(&game.fingerprint)
            .and_then(|&place| kept.get_mut(place))
        {
            Some(first) => {
                first.game = first.game.clone().join(game.game);
                learned.known += 1;
            }
            None => {
                places.insert(game.fingerprint, kept.len());
                kept.push(game);
            }
        }
    }
    kept
}
