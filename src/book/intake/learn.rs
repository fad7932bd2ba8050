//! Games → positions. A game is learned once: its fingerprint is written together with what it
//! brought and wants, so that learning it again, also after a crash, changes nothing. Learning it
//! deeper adds only what lies deeper.

use crate::book::Watcher;
use crate::book::analyst::{Analyst, AnalystError, ask_all};
use crate::book::archive::{ArchivedGame, Fingerprint, LearnedGame};
use crate::book::codec::Profile;
use crate::book::driver::{AskError, is_sweep_due_for_others};
use crate::book::edge::{Destination, for_each_edge};
use crate::book::endings::Ending;
use crate::book::index_write::{GAME_BYTES, Indexing, Passage, Role, bytes_of_passages};
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Origin};
use crate::book::propagate::settle;
use crate::book::question::{EndingQuestion, Finding, Question};
use crate::book::recount::{positions_between, recount, seen_between};
use crate::book::statistics::Statistics;
use crate::book::store::{Batch, Flag, Mark, Reader, Store, StoreError, Table, Unordered};
use crate::book::want::{Errand, Want};
use crate::games::Game;
use crate::othello::{Color, Position};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// What to take from games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Positions after at most this many moves.
    pub plies: u8,
    /// Only positions that this many games reached; 1 or less takes all.
    pub min_games: u32,
    /// Write whenever this many games have come together, or no more of them fit into what the book
    /// may take of memory. The more, the fewer records are written twice, but the more is lost when
    /// the process is killed.
    pub games_at_once: usize,
}

impl Plan {
    /// What a book takes from games: what is asked for, or what it took before.
    pub fn for_book(
        profile: &Profile,
        plies: Option<u8>,
        min_games: Option<u32>,
        usual_plies: u8,
    ) -> Plan {
        let (usual_plies, usual_games) = if profile.is_fresh() {
            (usual_plies, 1)
        } else {
            (profile.plies, profile.min_games)
        };
        Plan {
            plies: plies.unwrap_or(usual_plies),
            min_games: min_games.unwrap_or(usual_games),
            games_at_once: usize::MAX,
        }
    }

    /// How many positions of the games that a book knows would come in by this plan, and do not
    /// by its profile.
    pub fn would_bring_in(&self, reader: &Reader<'_>) -> Result<u64, StoreError> {
        let mut positions = 0;
        for layer in Layer::all() {
            let mut keys = Vec::new();
            let mut rows = reader.rows(Table::Statistics, Some(layer))?;
            while let Some((key, statistics)) = rows.next_statistics()? {
                if statistics.games >= self.min_games {
                    keys.push(key);
                }
            }
            for keys in keys.chunks(KEYS_PER_JOB) {
                let there = reader.contains(keys)?;
                positions += there.iter().filter(|there| !**there).count() as u64;
            }
        }
        Ok(positions)
    }

    /// Brings in more than a book with this profile takes.
    pub fn is_wider_than(&self, profile: &Profile) -> bool {
        !profile.is_fresh()
            && (self.plies > profile.plies || self.min_games.max(1) < profile.min_games)
    }
}

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

/// A position that comes in costs about as much as this many in a full sweep.
const SWEEP_RATIO: u64 = 64;
/// Fewer than this go through the queue even in a small book: it knows what is new.
const SWEEP_FROM: u64 = 1000;
const KEYS_PER_JOB: usize = 1024;
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

/// A game with its positions.
struct Path {
    fingerprint: u128,
    game: ArchivedGame,
    /// From the start on, with the colour to move.
    positions: Vec<(NodeKey, Color)>,
}

impl Path {
    fn of(waiting: Waiting, plies: u8) -> Path {
        let Waiting { fingerprint, game } = waiting;
        // The last position that counts has this number.
        let positions = positions_between(&game, 0..plies.saturating_add(1));
        Path {
            fingerprint,
            game,
            positions,
        }
    }

    fn keys(&self) -> impl Iterator<Item = NodeKey> {
        self.positions.iter().map(|(key, _)| *key)
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
        let mut batch = self.store.batch()?;
        let mut learned = self.learned;
        let waiting = one_record_each(waiting, &mut learned);
        let all = waiting.len();
        let mut waiting = waiting.into_iter();
        let plies = self.plan.plies;
        let errand = self.errand();
        let mut indexing = Indexing::new(&reader)?;
        let mut instead: Vec<NodeKey> = Vec::new();
        let mut wanted: Vec<NodeKey> = Vec::new();
        loop {
            let some: Vec<Waiting> = waiting.by_ref().take(GAMES_AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            if is_stopped(all) {
                return Ok(false);
            }
            let paths: Vec<Path> = some
                .into_par_iter()
                .map(|game| Path::of(game, plies))
                .collect();
            let fingerprints: Vec<u128> = paths.iter().map(|one| one.fingerprint).collect();
            let known = reader.games(&fingerprints)?;
            let deeper: Vec<&Path> = paths
                .iter()
                .zip(&known)
                .filter_map(|(path, known)| is_deeper_than(known.as_ref(), plies).then_some(path))
                .collect();
            let mut endings = self.endings(&deeper)?.into_iter();
            for (path, known) in paths.iter().zip(known) {
                let is_deeper = is_deeper_than(known.as_ref(), plies);
                let ending = if is_deeper {
                    match endings.next().flatten() {
                        Some(ending) => Some(ending),
                        None => continue,
                    }
                } else {
                    None
                };
                let before = known.as_ref().map_or(0, |known| known.counted);
                let counted_as = known.as_ref().and_then(|known| known.game.clone());
                // No game has more positions than fit a byte.
                let length = path.positions.len();
                let kept = ending
                    .as_ref()
                    .map_or(length, |ending| ending.kept.min(length))
                    as u8;
                let coming = LearnedGame {
                    plies: if is_deeper { plies } else { 0 },
                    counted: if is_deeper { kept } else { 0 },
                    game: Some(path.game.clone()),
                    number: None,
                };
                let mut record = match &known {
                    Some(known) => known.clone().join(coming),
                    None => coming,
                };
                let game = record.game.as_ref().unwrap_or(&path.game);
                let number = match (record.number, &counted_as) {
                    (Some(number), Some(old)) if old != game => {
                        indexing.change(number, old, game);
                        number
                    }
                    (Some(number), _) => number,
                    (None, _) => {
                        let number = indexing.number(path.fingerprint, game);
                        if before > 0 {
                            // An early book counted it, but did not know its moves.
                            let role = Role::Listed;
                            indexing.see_all(seen_between(game, number, 0..before, role));
                        }
                        number
                    }
                };
                record.number = Some(number);
                if known.as_ref() != Some(&record) {
                    batch.put_game(path.fingerprint, &record);
                }
                // Of two records of one game the one that says more stands, whichever came first.
                if let (Some(old), Some(new)) = (&counted_as, &record.game)
                    && !old.counts_like(new)
                {
                    batch.recount_game(path.fingerprint);
                }
                if errand.is_some() {
                    wanted.extend(path.keys());
                }
                let Some(ending) = ending else {
                    learned.known += 1;
                    continue;
                };
                learned.games += 1;
                let game = record.game.as_ref().unwrap_or(&path.game);
                let played = path.positions.iter().take(kept.into());
                let beyond = played.clone().skip(before.into());
                // What was taken out of the book on purpose stays out, and what only it leads to.
                let learned_before: Vec<NodeKey> =
                    played.take(before.into()).map(|(key, _)| *key).collect();
                let comes_in = before == 0 || !reader.contains(&learned_before)?.contains(&false);
                let role = if comes_in {
                    Role::ComesIn
                } else {
                    Role::Counted
                };
                indexing.see_all(beyond.map(|position| Passage::of(game, number, *position, role)));
                if comes_in {
                    instead.extend(ending.instead);
                }
            }
        }
        let Some(mut keys) = indexing.write(&reader, &mut batch, watcher)? else {
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
            learned.positions += insert_new(self.store, &reader, &mut batch, keys, errand)?;
        }
        if let Some(searching) = &self.searching
            && let Some(errand) = errand
        {
            want_known(&reader, &mut batch, wanted, &*searching.analyst, errand)?;
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

/// Wants positions of the book that are not searched to the errand's level. Which questions that
/// takes is found out when they are asked.
fn want_known(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    mut keys: Vec<NodeKey>,
    analyst: &dyn Analyst,
    errand: Errand,
) -> Result<(), StoreError> {
    keys.par_sort_unstable();
    keys.dedup();
    for keys in keys.chunks(KEYS_PER_JOB) {
        for (key, node) in keys.iter().zip(reader.nodes(keys)?) {
            let Some(node) = node else {
                continue;
            };
            let promised = analyst.promises(key.board(), errand.level);
            // A leaf's own search left one, too.
            let beside = node.alternative.map(|known| known.level);
            let is_searched = beside.is_some_and(|level| level.covers(promised));
            if !is_searched && !node.derived.bounds.is_exact() {
                batch.want(*key, Want::of(errand));
            }
        }
    }
    Ok(())
}

/// Puts those of the keys (in rising order) into the batch that the book does not have, and makes
/// sure that they are propagated.
fn insert_new(
    store: &Store,
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    mut keys: Vec<NodeKey>,
    errand: Option<Errand>,
) -> Result<u64, StoreError> {
    let there: Vec<Vec<bool>> = keys
        .par_chunks(KEYS_PER_JOB)
        .map(|keys| reader.contains(keys))
        .collect::<Result<_, _>>()?;
    let mut there = there.into_iter().flatten();
    keys.retain(|_| there.next() == Some(false));
    if keys.is_empty() {
        return Ok(0);
    }
    let count = keys.len() as u64;
    let sweep = batch.is_large()
        || reader.flag(Flag::SweepDue)?
        || count >= SWEEP_FROM
            && count.saturating_mul(SWEEP_RATIO) > store.estimated_records(Table::Nodes)?;
    if sweep {
        batch.raise_sweep(errand);
    }
    for key in keys {
        batch.put_node(key, &Node::new(Origin::Game));
        if !sweep {
            batch.mark(key, Mark::Changed, errand);
        }
        if let Some(errand) = errand {
            batch.want(key, Want::of(errand));
        }
    }
    Ok(count)
}

/// Takes in, layer by layer from the start, the positions that enough games reached and that a
/// move from the book leads to. What comes in depends on the games, not on their order.
pub(in crate::book) fn admit(
    store: &Store,
    min_games: u32,
    errand: Option<Errand>,
) -> Result<u64, StoreError> {
    let mut positions = 0;
    let mut take = |keys: Vec<NodeKey>| -> Result<(), StoreError> {
        let mut batch = store.batch()?;
        positions += insert_new(store, &store.reader(), &mut batch, keys, errand)?;
        batch.commit()
    };
    let start = NodeKey::of(Position::START.board);
    let enough = |found: &Statistics| found.games >= min_games;
    if store
        .reader()
        .statistics(start)?
        .is_some_and(|s| enough(&s))
    {
        take(vec![start])?;
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
        take(reached)?;
    }
    if min_games <= 1 {
        let mut batch = store.batch()?;
        batch.lower(Flag::HeldBack);
        batch.commit()?;
    }
    store.sync()?;
    Ok(positions)
}
