//! Taking positions out of a book so that it stays one: what no line leads to any more goes along,
//! and a move that left the book is remembered as an alternative, because bounds and values of the
//! position above it rest on that.

use crate::book::Watcher;
use crate::book::edge::{Destination, edges};
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Alternative, Bounds, Derived, Found, Level, Node, Value};
use crate::book::orphans::Roots;
use crate::book::propagate::settle;
use crate::book::scan::{self, LayerScan, Link, Scanned};
use crate::book::store::{Batch, Flag, Reader, Store, StoreError, Table};
use crate::othello::{Bitboard, Position, Square};
use std::sync::atomic::{AtomicI32, Ordering};

/// What a trim did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Trimmed {
    pub kept: u64,
    pub removed: u64,
}

/// A trim that cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum TrimError {
    #[error("the position after {0} moves of this line is not in the book")]
    NotInBook(usize),
    #[error("this would forget the whole book; delete its folder instead")]
    Everything,
    #[error("interrupted before anything was removed")]
    Interrupted,
    #[error("interrupted while positions were removed; the same command removes the rest")]
    Unfinished,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Which positions stay.
pub(super) enum Rule {
    /// Those of lines in which both sides together give away at most this many hundredths of a
    /// disc. A move whose value is unknown gives nothing away.
    WithinLoss(i32),
    /// Those that a line reaches without this one.
    Without(NodeKey),
}

impl Rule {
    /// What has been given away on the way to a position; none if it goes.
    fn enters(&self, key: NodeKey, before: i32, loss: i32) -> Option<i32> {
        match self {
            Rule::WithinLoss(limit) => Some(before + loss).filter(|given| given <= limit),
            Rule::Without(forgotten) => (key != *forgotten).then_some(0),
        }
    }

    /// Tells it from other rules.
    fn name(&self) -> Vec<u8> {
        match self {
            Rule::WithinLoss(limit) => [&b"loss"[..], &limit.to_be_bytes()].concat(),
            Rule::Without(key) => [&b"without"[..], &key.to_bytes()].concat(),
        }
    }
}

/// Removes the lines that nobody follows who gives away little. The book is to be settled
/// afterwards; a prune that was killed is finished by the same one.
pub fn prune(store: &Store, loss: Value, watcher: &dyn Watcher) -> Result<Trimmed, TrimError> {
    trim(store, &Rule::WithinLoss(loss.centidiscs()), watcher)
}

/// The positions of a line, all of them in the book.
pub(super) fn line(reader: &Reader<'_>, moves: &[Square]) -> Result<Vec<NodeKey>, TrimError> {
    let mut position = Position::START;
    let mut line = vec![NodeKey::of(position.board)];
    for (number, &square) in (1..).zip(moves) {
        position = position
            .play(square)
            .map_err(|_| TrimError::NotInBook(number))?;
        line.push(NodeKey::of(position.board));
    }
    let there = reader.contains(&line)?;
    match there.iter().position(|there| !there) {
        Some(number) => Err(TrimError::NotInBook(number)),
        None => Ok(line),
    }
}

/// Positions that are looked at, or written, at once; few in tests, so that these see it happen.
const AT_ONCE: usize = if cfg!(test) { 64 } else { 1 << 14 };

/// A trim by this rule has begun to take positions out, and nothing has changed the values since.
pub(super) fn is_under_way(reader: &Reader<'_>, rule: &Rule) -> Result<bool, StoreError> {
    Ok(reader.flag(Flag::SweepDue)? && reader.trim()? == Some(rule.name()))
}

/// Decides by the values as they are, and then takes out in steps what goes. Moves that leave the
/// book are written down before what they lead to is removed, and what is removed first is what
/// nothing below is left of: so whoever decides again after a kill decides the same about the rest,
/// as long as nobody has derived the values anew.
pub(super) fn trim(
    store: &Store,
    rule: &Rule,
    watcher: &dyn Watcher,
) -> Result<Trimmed, TrimError> {
    // What goes is decided by values, so they must be up to date.
    if !is_under_way(&store.reader(), rule)? && !settle(store, watcher)?.finished {
        return Err(TrimError::Interrupted);
    }
    let snapshot = store.snapshot();
    let Some(decision) = Decision::by(&snapshot, rule, watcher)? else {
        return Err(TrimError::Interrupted);
    };
    let mut writes = Writes::new(store, rule)?;
    for layer in Layer::all() {
        remember_moves(&snapshot, layer, &decision, &mut writes, watcher)?;
    }
    for layer in Layer::all().rev() {
        let mut rows = snapshot.rows(Table::Nodes, Some(layer))?;
        for stays in &decision.layers[layer.index()] {
            let Some(key) = rows.next_key()? else {
                break;
            };
            if !stays {
                writes.remove(key)?;
                writes.go_on(watcher)?;
            }
        }
        watcher.done(decision.layers[layer.index()].len() as u64);
    }
    writes.finish()?;
    Ok(decision.trimmed)
}

/// Nobody has come here.
const NEVER: i32 = i32::MAX;

/// Which positions stay.
struct Decision {
    /// By layer, in the order of keys.
    layers: Vec<Vec<bool>>,
    trimmed: Trimmed,
}

impl Decision {
    /// Layer by layer from the start on. None if the watcher stopped it.
    fn by(
        reader: &Reader<'_>,
        rule: &Rule,
        watcher: &dyn Watcher,
    ) -> Result<Option<Decision>, StoreError> {
        let mut decision = Decision {
            layers: Vec::new(),
            trimmed: Trimmed::default(),
        };
        let roots = Roots::of(reader)?;
        let given_at = |reached: &Reached| -> LayerTable<AtomicI32> {
            let given = reached.iter().map(|(board, _)| {
                let key = NodeKey::of(*board);
                let root = roots.contain(key).then_some(0);
                let root = root.and_then(|given| rule.enters(key, given, 0));
                (key, AtomicI32::new(root.unwrap_or(NEVER)))
            });
            LayerTable::new(given.collect())
        };
        let mut given = given_at(&reached_in(reader, Some(Layer::EMPTY))?);
        for layer in Layer::all() {
            let below = reached_in(reader, layer.next())?;
            let given_below = given_at(&below);
            let mut rows = LayerScan::new(reader, layer, false)?;
            loop {
                let mut chunk = rows.next_chunk(AT_ONCE)?;
                if chunk.is_empty() {
                    break;
                }
                if watcher.should_stop() {
                    return Ok(None);
                }
                let before = |key: NodeKey| {
                    let given = given.get(key);
                    given.map_or(NEVER, |given| given.load(Ordering::Relaxed))
                };
                chunk.retain(|row| before(row.key) != NEVER);
                scan::map_with_links(&chunk, &below, |row, links| {
                    for (key, loss) in losses(&row.node, links) {
                        if let (Some(given), Some(now)) = (
                            given_below.get(key),
                            rule.enters(key, before(row.key), loss),
                        ) {
                            given.fetch_min(now, Ordering::Relaxed);
                        }
                    }
                });
            }
            let stays = given
                .iter()
                .map(|(_, one)| one.load(Ordering::Relaxed) != NEVER);
            let stays: Vec<bool> = stays.collect();
            let kept = stays.iter().filter(|stays| **stays).count() as u64;
            decision.trimmed.kept += kept;
            decision.trimmed.removed += stays.len() as u64 - kept;
            decision.layers.push(stays);
            given = given_below;
        }
        Ok(Some(decision))
    }
}

/// What is derived for the positions that moves may lead to.
type Reached = LayerTable<Derived>;

fn reached_in(reader: &Reader<'_>, layer: Option<Layer>) -> Result<Reached, StoreError> {
    let mut below = Vec::new();
    if let Some(layer) = layer {
        let mut rows = reader.rows(Table::Nodes, Some(layer))?;
        while let Some((key, node)) = rows.next_node()? {
            below.push((key, node.derived));
        }
    }
    Ok(LayerTable::new(below))
}

/// Writes in steps. What a trim is about is written with the first step, and stays until the last.
struct Writes<'a> {
    store: &'a Store,
    reader: Reader<'a>,
    rule: Vec<u8>,
    something_is_wanted: bool,
    batch: Batch<'a>,
    /// Something was written, and nobody was asked since whether to go on.
    asks: bool,
}

impl<'a> Writes<'a> {
    fn new(store: &'a Store, rule: &Rule) -> Result<Writes<'a>, StoreError> {
        let reader = store.reader();
        let something_is_wanted = reader.rows(Table::Wanted, None)?.next_row()?.is_some();
        Ok(Writes {
            store,
            reader,
            rule: rule.name(),
            something_is_wanted,
            batch: store.batch()?,
            asks: false,
        })
    }

    /// An error if somebody wants to stop, who is asked after each step; what is not written yet is
    /// not.
    fn go_on(&mut self, watcher: &dyn Watcher) -> Result<(), TrimError> {
        match std::mem::take(&mut self.asks) && watcher.should_stop() {
            true => Err(TrimError::Unfinished),
            false => Ok(()),
        }
    }

    fn put(&mut self, key: NodeKey, node: &Node) -> Result<(), StoreError> {
        self.batch.put_node(key, node);
        self.write_if_full()
    }

    fn remove(&mut self, key: NodeKey) -> Result<(), StoreError> {
        remove(&mut self.batch, key);
        if self.something_is_wanted {
            unwant(&self.reader, &mut self.batch, key)?;
        }
        self.write_if_full()
    }

    fn write_if_full(&mut self) -> Result<(), StoreError> {
        if self.batch.len() < AT_ONCE {
            return Ok(());
        }
        let mut batch = std::mem::replace(&mut self.batch, self.store.batch()?);
        batch.begin_trim(&self.rule);
        batch.raise_sweep(self.reader.sweep_errand()?);
        self.asks = true;
        batch.commit()
    }

    fn finish(mut self) -> Result<(), StoreError> {
        self.batch.end_trim();
        self.batch.raise_sweep(self.reader.sweep_errand()?);
        self.batch.commit()
    }
}

pub(super) fn remove(batch: &mut Batch<'_>, key: NodeKey) {
    batch.remove(Table::Nodes, &key.to_bytes());
    batch.remove(Table::Counts, &key.to_bytes());
}

pub(super) fn unwant(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    key: NodeKey,
) -> Result<(), StoreError> {
    for want in reader.wants(key)? {
        batch.unwant(key, want.errand);
    }
    Ok(())
}

/// The positions below that are in the book, and what it costs to go there.
fn losses<'a>(node: &'a Node, links: &'a [Link]) -> impl Iterator<Item = (NodeKey, i32)> + 'a {
    links.iter().filter_map(|link| {
        let (Destination::Position { key, sign }, Some(below)) = (link.edge.to, &link.below) else {
            return None;
        };
        let loss = match (node.derived.value, below.value) {
            (Some(best), Some(value)) => best.centidiscs() - sign.value(value).centidiscs(),
            _ => 0,
        };
        Some((key, loss.max(0)))
    })
}

/// Moves that leave the book become what a search among the moves outside would have found.
fn remember_moves(
    reader: &Reader<'_>,
    layer: Layer,
    decision: &Decision,
    writes: &mut Writes<'_>,
    watcher: &dyn Watcher,
) -> Result<(), TrimError> {
    let (Some(next), stay) = (layer.next(), &decision.layers[layer.index()]) else {
        return Ok(());
    };
    let stay_below = &decision.layers[next.index()];
    if stay_below.iter().all(|stays| *stays) {
        return Ok(());
    }
    // Only of what leaves.
    let below = reached_in(reader, Some(next))?;
    let leaving = below.iter().zip(stay_below).filter(|(_, stays)| !**stays);
    let leaving = leaving.map(|((board, derived), _)| (NodeKey::of(*board), *derived));
    let leaving = LayerTable::new(leaving.collect());
    let mut rows = LayerScan::new(reader, layer, false)?;
    let mut stay = stay.iter();
    loop {
        let chunk = rows.next_chunk(AT_ONCE)?;
        if chunk.is_empty() {
            return Ok(());
        }
        let kept = chunk
            .into_iter()
            .zip(stay.by_ref())
            .filter(|(_, stays)| **stays);
        let kept: Vec<Scanned> = kept.map(|(row, _)| row).collect();
        let alternatives = scan::map_with_links(&kept, &leaving, |row, links| {
            alternative_without(row.key, &row.node, links)
        });
        for (row, alternative) in kept.into_iter().zip(alternatives) {
            if row.node.alternative != alternative {
                let node = Node {
                    alternative,
                    ..row.node
                };
                writes.put(row.key, &node)?;
                writes.go_on(watcher)?;
            }
        }
    }
}

/// What is known of the moves outside when those to `leaving` positions have left.
fn alternative_without(key: NodeKey, node: &Node, leaving: &[Link]) -> Option<Alternative> {
    let mut known = node.alternative?;
    for link in leaving {
        if let (Destination::Position { sign, .. }, Some(derived)) = (link.edge.to, &link.below) {
            let value = derived.value.map(|value| sign.value(value));
            let legal = key.board().legal_moves();
            let bounds = sign.bounds(derived.bounds);
            add_move(&mut known, legal, link.edge.square, value, bounds);
        }
    }
    Some(known)
}

/// Moves of a position to such others leave the book.
pub(super) fn leave_moves(
    reader: &Reader<'_>,
    key: NodeKey,
    node: &mut Node,
    leaves: impl Fn(NodeKey) -> bool,
) -> Result<(), StoreError> {
    let mut links = Vec::new();
    for edge in edges(key.board()) {
        let below = match edge.child().filter(|child| leaves(*child)) {
            Some(child) => reader.node(child)?.map(|below| below.derived),
            None => None,
        };
        links.push(Link { edge, below });
    }
    node.alternative = alternative_without(key, node, &links);
    Ok(())
}

/// One more of the legal moves is outside the book. The best of them may be another now, and what
/// was proven about the others holds for this one only if it is known to be no better.
fn add_move(
    known: &mut Alternative,
    legal: Bitboard,
    square: Square,
    value: Option<Value>,
    bounds: Bounds,
) {
    let limit = known.found.value();
    if known.level.solved && Value::of_score(bounds.upper) <= limit {
        known.among = known.among.with(square);
    }
    if let Some(value) = value.filter(|value| *value > limit) {
        *known = Alternative {
            found: Found::Move(square, value),
            level: Level {
                solved: false,
                ..known.level
            },
            among: legal,
            ..*known
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::care::forget::Few;
    use crate::book::node::{EngineNumber, Evaluation, Origin};
    use crate::book::tests::{
        all_nodes, any_alternative, any_level, any_value, learn_all, new_store, raw_nodes, sound,
    };
    use crate::book::{forget, settle, subtree, sweep};
    use crate::games::{Game, SampleGames};
    use crate::othello::{MoveList, Random};
    use std::collections::BTreeMap;
    use tempfile::TempDir;

    /// A book of games, evaluated at random. Nothing is solved: proofs at random contradict each
    /// other, and a value that one of them had cut would rise when it goes.
    fn book(seed: u64) -> (TempDir, Store) {
        let mut random = Random::new(seed);
        let any_level = |random: &mut Random| Level {
            solved: false,
            ..any_level(random)
        };
        let (folder, store) = new_store();
        let games: Vec<Game> = SampleGames::new(seed).take(80).collect();
        learn_all(&store, &games, 16, 1);
        let mut batch = store.batch().unwrap();
        for (key, mut node) in all_nodes(&store) {
            let (value, level) = (any_value(&mut random), any_level(&mut random));
            let engine = EngineNumber::UNKNOWN;
            node.evaluation = Some(Evaluation {
                value,
                level,
                engine,
            });
            if random.below(2) == 0 {
                let (value, level) = (any_value(&mut random), any_level(&mut random));
                let found = Found::NoneAbove(value);
                node.alternative = Some(any_alternative(key, found, level));
            }
            batch.put_node(key, &node);
        }
        batch.commit().unwrap();
        sweep(&store, &()).unwrap();
        (folder, store)
    }

    fn moves(text: &str) -> Vec<Square> {
        MoveList::parse(Position::START, text).unwrap().moves
    }

    #[test]
    fn pruning_leaves_a_sound_book_and_the_best_line() {
        let (_folder, store) = book(1);
        let before = all_nodes(&store);
        let mut kept_before = u64::MAX;
        for loss in [6400, 1000, 200, 0] {
            let trimmed = prune(&store, Value::new(loss).unwrap(), &()).unwrap();
            settle(&store, &()).unwrap();
            sound(&store);
            let after = all_nodes(&store);
            assert_eq!(after.len() as u64, trimmed.kept);
            assert!(trimmed.kept <= kept_before);
            assert!(after.keys().all(|key| before.contains_key(key)));
            kept_before = trimmed.kept;
        }
        assert!(kept_before < before.len() as u64 / 4);
        let start = NodeKey::of(Position::START.board);
        let value = |model: &crate::book::tests::Model| model[&start].derived.value;
        assert_eq!(value(&all_nodes(&store)), value(&before));
        let again = prune(&store, Value::ZERO, &()).unwrap();
        assert_eq!(again.removed, 0);
    }

    #[test]
    fn a_position_is_forgotten_with_all_that_only_it_leads_to() {
        let (_folder, store) = book(2);
        let before = all_nodes(&store).len() as u64;
        let removed = forget(&store, &moves("f5d6"), &()).unwrap();
        settle(&store, &()).unwrap();
        sound(&store);
        assert_eq!(all_nodes(&store).len() as u64 + removed, before);
        assert!(removed > 10);
        assert!(forget(&store, &moves("f5d6"), &()).is_err());
        assert!(matches!(
            forget(&store, &[], &()),
            Err(TrimError::Everything)
        ));
    }

    /// Both ways to forget, on books of their own; what becomes of the rest is the same.
    #[test]
    fn what_is_little_is_forgotten_like_what_is_much() {
        for (seed, line) in [(4, "f5d6"), (5, "f5f6"), (6, "f5d6c3d3"), (7, "f5f4")] {
            let ((_folder, one), (_other, other)) = (book(seed), book(seed));
            let moves = moves(line);
            if one.reader().contains(&[key_of(line)]).unwrap() == [false] {
                continue;
            }
            let few = Few::below(&one, key_of(line), &()).unwrap().unwrap();
            let removed = few.remove(&one).unwrap();
            let trimmed = trim(&other, &Rule::Without(key_of(line)), &()).unwrap();
            assert_eq!(removed, trimmed.removed, "{line} ({} moves)", moves.len());
            for store in [&one, &other] {
                settle(store, &()).unwrap();
                sound(store);
            }
            assert!(raw_nodes(&one) == raw_nodes(&other), "{line}");
        }
    }

    fn key_of(line: &str) -> NodeKey {
        NodeKey::of(MoveList::parse(Position::START, line).unwrap().end.board)
    }

    /// Lines are followed from the start with what they give away, one after the other.
    #[test]
    fn pruning_keeps_what_a_walk_over_all_lines_reaches() {
        for (seed, loss) in [(8, 0), (9, 150), (10, 700), (11, 2500)] {
            let (_folder, store) = book(seed);
            let all = all_nodes(&store);
            let mut kept: BTreeMap<NodeKey, i32> = BTreeMap::new();
            let mut lines = vec![(NodeKey::of(Position::START.board), 0)];
            while let Some((key, given)) = lines.pop() {
                let known = kept.entry(key).or_insert(i32::MAX);
                if given >= *known {
                    continue;
                }
                *known = given;
                for edge in edges(key.board()) {
                    let Destination::Position { key: child, sign } = edge.to else {
                        continue;
                    };
                    let Some(below) = all.get(&child) else {
                        continue;
                    };
                    let best = all[&key].derived.value;
                    let worth = below.derived.value.map(|value| sign.value(value));
                    let lost = match (best, worth) {
                        (Some(best), Some(worth)) => best.centidiscs() - worth.centidiscs(),
                        _ => 0,
                    };
                    let given = given + lost.max(0);
                    if given <= loss {
                        lines.push((child, given));
                    }
                }
            }
            let trimmed = prune(&store, Value::new(loss).unwrap(), &()).unwrap();
            assert_eq!(trimmed.removed, (all.len() - kept.len()) as u64);
            assert!(all_nodes(&store).keys().eq(kept.keys()), "{seed}");
        }
    }

    #[test]
    fn a_subtree_is_a_line_and_what_is_below_it() {
        let (_folder, store) = book(3);
        let (_other, part) = new_store();
        let absorbed = subtree(&store.reader(), &moves("f5d6c3"), &part, &()).unwrap();
        sound(&part);
        let (all, some) = (all_nodes(&store), all_nodes(&part));
        assert_eq!(some.len() as u64, absorbed.new);
        let end = MoveList::parse(Position::START, "f5d6c3").unwrap().end;
        let end = NodeKey::of(end.board);
        for (key, node) in &some {
            if key.layer() >= end.layer() {
                assert_eq!(node, &all[key], "{key}");
            } else {
                assert_eq!(some.keys().filter(|k| k.layer() == key.layer()).count(), 1);
            }
        }
        let (_third, whole) = new_store();
        subtree(&store.reader(), &[], &whole, &()).unwrap();
        assert!(raw_nodes(&whole) == raw_nodes(&store));
    }

    #[test]
    fn a_part_of_a_book_knows_who_searched_it() {
        let (_folder, store) = new_store();
        store.engine_number("somebody else").unwrap();
        let engine = store.engine_number("emilia-1").unwrap();
        let start = NodeKey::of(Position::START.board);
        let mut node = Node::new(Origin::Game);
        node.evaluation = Some(Evaluation {
            value: Value::new(100).unwrap(),
            level: Level {
                depth: 8,
                selectivity: 82,
                solved: false,
            },
            engine,
        });
        let mut batch = store.batch().unwrap();
        batch.put_node(start, &node);
        batch.commit().unwrap();
        let (_other, part) = new_store();
        // What the new book calls its engines is its own affair.
        part.engine_number("a third").unwrap();
        subtree(&store.reader(), &[], &part, &()).unwrap();
        let copied = part.reader().node(start).unwrap().unwrap();
        let engines = part.reader().engines().unwrap();
        let engine = copied.evaluation.unwrap().engine;
        assert_eq!(engines.name(engine), Some("emilia-1"));
    }

    #[test]
    fn a_better_move_outside_takes_the_proof_away() {
        let value = |centidiscs| Value::new(centidiscs).unwrap();
        let solved = Level {
            depth: 20,
            selectivity: 100,
            solved: true,
        };
        let square = Square::at(2, 3);
        let added = |worth: Option<i32>, bounds: Bounds| {
            let mut known = Alternative {
                found: Found::NoneAbove(value(200)),
                level: solved,
                engine: EngineNumber::UNKNOWN,
                among: Square::at(4, 5).into(),
            };
            let legal = known.among.with(square);
            add_move(&mut known, legal, square, worth.map(value), bounds);
            let proves = known.level.solved && known.among.contains(square);
            (known.found, proves)
        };
        let low = Bounds {
            upper: value(100).floor(),
            ..Bounds::UNKNOWN
        };
        assert_eq!(added(Some(100), low), (Found::NoneAbove(value(200)), true));
        let unproven = added(Some(100), Bounds::UNKNOWN);
        assert_eq!(unproven, (Found::NoneAbove(value(200)), false));
        let better = added(Some(300), Bounds::UNKNOWN);
        assert_eq!(better, (Found::Move(square, value(300)), false));
    }
}
