//! Games → positions. A game is learned once: its fingerprint is written together with what it
//! brought, so that learning it again, also after a crash, changes nothing. Learning it deeper
//! adds only what lies deeper.

use crate::book::archive::{ArchivedGame, Fingerprint, LearnedGame};
use crate::book::edge::{Destination, for_each_edge};
use crate::book::endings::{Ending, Endings};
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Origin};
use crate::book::statistics::Statistics;
use crate::book::store::{Batch, Flag, Mark, Reader, Store, StoreError, Table};
use crate::games::Game;
use crate::othello::{Color, Position};
use rayon::prelude::*;
use std::collections::HashSet;

/// What to take from games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Positions after at most this many moves.
    pub plies: u8,
    /// Only positions that this many games reached; 1 or less takes all.
    pub min_games: u32,
    /// Write whenever this many games have come together: the more, the fewer records are written
    /// twice, but the more is lost when the process is killed. 10 000 take some 50 MB.
    pub games_at_once: usize,
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

/// A position that comes in costs about as much as this many in a full sweep.
const SWEEP_RATIO: u64 = 64;
/// Fewer than this go through the queue even in a small book: it knows what is new.
const SWEEP_FROM: u64 = 1000;
const KEYS_PER_JOB: usize = 1024;

/// Learns games in batches.
pub struct Learner<'a> {
    store: &'a Store,
    plan: Plan,
    endings: Option<&'a dyn Endings>,
    waiting: Vec<Lesson>,
    learned: Learned,
}

/// What a game teaches.
struct Lesson {
    fingerprint: u128,
    game: ArchivedGame,
    /// From the start on, with the colour to move.
    positions: Vec<(NodeKey, Color)>,
}

impl Lesson {
    fn of(game: ArchivedGame, plies: u8) -> Lesson {
        let mut hash = Fingerprint::default();
        let mut positions = Vec::with_capacity(usize::from(plies) + 1);
        game.for_each_position(|key, turn| {
            hash.add(key);
            if positions.len() <= usize::from(plies) && !key.board().legal_moves().is_empty() {
                positions.push((key, turn));
            }
        });
        Lesson {
            fingerprint: hash.end(),
            game,
            positions,
        }
    }
}

impl<'a> Learner<'a> {
    pub fn new(store: &'a Store, plan: Plan) -> Learner<'a> {
        Learner {
            store,
            plan,
            endings: None,
            waiting: Vec::new(),
            learned: Learned::default(),
        }
    }

    /// Corrects the endings of games before they are learned. Games whose correction is stopped
    /// are not learned.
    pub fn correcting(mut self, endings: &'a dyn Endings) -> Learner<'a> {
        self.endings = Some(endings);
        self
    }

    /// What is written so far; games that wait are not counted.
    pub fn learned(&self) -> Learned {
        self.learned
    }

    /// Takes games in, and writes when enough have come together. True if it wrote.
    pub fn add(&mut self, games: &[Game]) -> Result<bool, StoreError> {
        let plies = self.plan.plies;
        let lessons: Vec<Option<Lesson>> = games
            .par_iter()
            .map(|game| ArchivedGame::of(game).map(|game| Lesson::of(game, plies)))
            .collect();
        let mut wrote = false;
        for lesson in lessons {
            let Some(lesson) = lesson else {
                self.learned.other_start += 1;
                continue;
            };
            self.waiting.push(lesson);
            if self.waiting.len() >= self.plan.games_at_once {
                self.write()?;
                wrote = true;
            }
        }
        Ok(wrote)
    }

    /// Writes what waits and, where a number of games is asked for, takes in the positions that
    /// have reached it.
    pub fn finish(mut self) -> Result<Learned, StoreError> {
        self.write()?;
        let reader = self.store.reader();
        if self.plan.min_games > 1 || reader.flag(Flag::HeldBack)? {
            self.learned.positions += take_in(self.store, self.plan.min_games)?;
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

    /// None if its correction was stopped.
    fn ending(&self, lesson: &Lesson) -> Option<Ending> {
        let Some(endings) = self.endings else {
            return Some(Ending {
                kept: lesson.positions.len(),
                instead: Vec::new(),
            });
        };
        let path: Vec<NodeKey> = lesson.positions.iter().map(|(key, _)| *key).collect();
        endings.correct(&path, usize::from(self.plan.plies) + 1)
    }

    /// Writes what waits: games, statistics and positions in one go.
    pub fn write(&mut self) -> Result<(), StoreError> {
        let lessons = std::mem::take(&mut self.waiting);
        let reader = self.store.reader();
        let mut batch = self.store.batch()?;
        let mut learned = self.learned;

        let fingerprints: Vec<u128> = lessons.iter().map(|one| one.fingerprint).collect();
        let known = reader.games(&fingerprints)?;
        let mut in_this_batch = HashSet::new();
        let mut new: Vec<(Lesson, Option<LearnedGame>)> = Vec::new();
        for (lesson, known) in lessons.into_iter().zip(known) {
            let deeper = known
                .as_ref()
                .is_none_or(|known| known.plies < self.plan.plies);
            if deeper && in_this_batch.insert(lesson.fingerprint) {
                new.push((lesson, known));
            } else {
                learned.known += 1;
            }
        }
        let endings: Vec<Option<Ending>> = new
            .par_iter()
            .map(|(lesson, _)| self.ending(lesson))
            .collect();
        let mut seen: Vec<(NodeKey, Statistics)> = Vec::new();
        let mut instead: Vec<NodeKey> = Vec::new();
        for ((lesson, known), ending) in new.into_iter().zip(endings) {
            let Some(ending) = ending else {
                continue;
            };
            learned.games += 1;
            instead.extend(ending.instead);
            let before = known.as_ref().map_or(0, |known| known.counted);
            // No game has more positions than fit a byte.
            let kept = ending.kept.min(lesson.positions.len()) as u8;
            // What was counted already is what the record of the game says, so it stays.
            let game = known.and_then(|known| known.game).unwrap_or(lesson.game);
            let played = lesson.positions.iter().take(kept.into());
            let played = played.skip(before.into());
            seen.extend(played.map(|&(key, turn)| (key, game.statistics(turn))));
            let record = LearnedGame {
                plies: self.plan.plies,
                counted: kept.max(before),
                game: Some(game),
            };
            batch.put_game(lesson.fingerprint, &record);
        }
        let mut keys = add_up(&mut batch, seen);
        if self.plan.min_games > 1 {
            // What comes instead was reached by no game at all.
            batch.raise(Flag::HeldBack);
        } else {
            keys.extend(instead);
            keys.par_sort_unstable();
            keys.dedup();
            learned.positions += insert_new(self.store, &reader, &mut batch, &keys)?;
        }
        // Known games only: the book stays as it is, to the last byte.
        if learned.games > self.learned.games {
            batch.commit()?;
            self.store.sync()?;
        }
        self.learned = learned;
        Ok(())
    }
}

/// Adds to the statistics of positions. Gives the positions, in rising order.
pub(in crate::book) fn add_up(batch: &mut Batch<'_>, mut seen: Vec<(NodeKey, Statistics)>) -> Vec<NodeKey> {
    seen.par_sort_unstable_by_key(|(key, _)| *key);
    seen.dedup_by(|next, sum| {
        let same = next.0 == sum.0;
        if same {
            sum.1.add(&next.1);
        }
        same
    });
    for (key, statistics) in &seen {
        batch.add_statistics(*key, statistics);
    }
    seen.into_iter().map(|(key, _)| key).collect()
}

/// Puts those of the keys (in rising order) into the batch that the book does not have, and makes
/// sure that they are propagated.
fn insert_new(
    store: &Store,
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    keys: &[NodeKey],
) -> Result<u64, StoreError> {
    let there: Vec<Vec<bool>> = keys
        .par_chunks(KEYS_PER_JOB)
        .map(|keys| reader.contains(keys))
        .collect::<Result<_, _>>()?;
    let new: Vec<NodeKey> = keys
        .iter()
        .zip(there.into_iter().flatten())
        .filter_map(|(key, there)| (!there).then_some(*key))
        .collect();
    if new.is_empty() {
        return Ok(0);
    }
    let count = new.len() as u64;
    let sweep = reader.flag(Flag::SweepDue)?
        || count >= SWEEP_FROM
            && count.saturating_mul(SWEEP_RATIO) > store.estimated_records(Table::Nodes)?;
    if sweep {
        batch.raise(Flag::SweepDue);
    }
    for key in new {
        batch.put_node(key, &Node::new(Origin::Game));
        if !sweep {
            batch.mark(key, Mark::New);
        }
    }
    Ok(count)
}

/// Takes in, layer by layer from the start, the positions that enough games reached and that a
/// move from the book leads to. What comes in depends on the games, not on their order.
pub(in crate::book) fn take_in(store: &Store, min_games: u32) -> Result<u64, StoreError> {
    let mut positions = 0;
    let mut take = |keys: &[NodeKey]| -> Result<(), StoreError> {
        let mut batch = store.batch()?;
        positions += insert_new(store, &store.reader(), &mut batch, keys)?;
        batch.commit()
    };
    let start = NodeKey::of(Position::START.board);
    let enough = |found: &Statistics| found.games >= min_games;
    if store
        .reader()
        .statistics(start)?
        .is_some_and(|s| enough(&s))
    {
        take(&[start])?;
    }
    for (above, layer) in Layer::all().zip(Layer::all().skip(1)) {
        if above < Layer::FIRST {
            continue;
        }
        let reader = store.reader();
        let mut wanted = HashSet::new();
        let mut rows = reader.rows(Table::Statistics, Some(layer))?;
        while let Some((key, statistics)) = rows.next_statistics()? {
            if enough(&statistics) {
                wanted.insert(key);
            }
        }
        if wanted.is_empty() {
            continue;
        }
        let mut reached = Vec::new();
        let mut rows = reader.rows(Table::Nodes, Some(above))?;
        while let Some((key, _)) = rows.next_node()? {
            for_each_edge(key.board(), |edge| {
                if let Destination::Position { key, .. } = edge.to
                    && wanted.remove(&key)
                {
                    reached.push(key);
                }
            });
        }
        reached.sort_unstable();
        take(&reached)?;
    }
    if min_games <= 1 {
        let mut batch = store.batch()?;
        batch.lower(Flag::HeldBack);
        batch.commit()?;
    }
    store.sync()?;
    Ok(positions)
}
