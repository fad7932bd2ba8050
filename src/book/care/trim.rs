//! Taking positions out of a book so that it stays one: what no line leads to any more goes along,
//! and a move that left the book is remembered as an alternative, because bounds and values of the
//! position above it rest on that.

use crate::book::Watcher;
use crate::book::absorb::{Absorbed, Incoming, fill};
use crate::book::edge::Destination;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Alternative, Bounds, Found, Level, Node, Value};
use crate::book::orphans::Roots;
use crate::book::propagate::settle;
use crate::book::scan::{self, LayerBelow, Link, Scanned};
use crate::book::store::{Reader, Store, StoreError, Table};
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
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Which positions stay.
enum Rule {
    /// Those of lines in which both sides together give away at most this many hundredths of a
    /// disc. A move whose value is unknown gives nothing away.
    WithinLoss(i32),
    /// Those that a line reaches without this one.
    Without(NodeKey),
    /// These, one after the other, and all below the last.
    Along(Vec<NodeKey>),
}

impl Rule {
    /// What has been given away on the way to a position; none if it goes.
    fn enters(&self, key: NodeKey, before: i32, loss: i32) -> Option<i32> {
        match self {
            Rule::WithinLoss(limit) => Some(before + loss).filter(|given| given <= limit),
            Rule::Without(forgotten) => (key != *forgotten).then_some(0),
            Rule::Along(line) => {
                let beyond = line.last().is_some_and(|last| last.layer() < key.layer());
                (beyond || line.contains(&key)).then_some(0)
            }
        }
    }
}

/// Removes the lines that nobody follows who gives away little. The book is to be settled
/// afterwards; a prune that was killed is finished by the same one.
pub fn prune(store: &Store, loss: Value, watcher: &dyn Watcher) -> Result<Trimmed, TrimError> {
    trim(store, &Rule::WithinLoss(loss.centidiscs()), watcher)
}

/// Removes a position and what only it leads to. The book is to be settled afterwards.
pub fn forget(
    store: &Store,
    moves: &[Square],
    watcher: &dyn Watcher,
) -> Result<Trimmed, TrimError> {
    let line = line(&store.reader(), moves)?;
    match line.as_slice() {
        [.., last] if !moves.is_empty() => trim(store, &Rule::Without(*last), watcher),
        _ => Err(TrimError::Everything),
    }
}

/// Fills an empty book with a line of this one and all below its end.
pub fn subtree(
    reader: &Reader<'_>,
    moves: &[Square],
    into: &Store,
    watcher: &dyn Watcher,
) -> Result<Absorbed, TrimError> {
    let rule = Rule::Along(line(reader, moves)?);
    let mut layers = Vec::new();
    for_each_layer(reader, &rule, &mut |kept, _| {
        let incoming = |row: Kept| Incoming {
            key: row.row.key,
            node: row.row.node,
            counted: row.row.counted,
            linked: true,
        };
        layers.push(kept.into_iter().map(incoming).collect());
        Ok(())
    })?;
    Ok(fill(into, layers, watcher)?)
}

/// The positions of a line, all of them in the book.
fn line(reader: &Reader<'_>, moves: &[Square]) -> Result<Vec<NodeKey>, TrimError> {
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

fn trim(store: &Store, rule: &Rule, watcher: &dyn Watcher) -> Result<Trimmed, TrimError> {
    let mut trimmed = Trimmed::default();
    // What goes is decided by values, so they must be up to date.
    if !settle(store, watcher)?.finished {
        return Err(TrimError::Interrupted);
    }
    // One write for all of it: what goes is decided by values, and values that rest on half of
    // what is to go would decide otherwise when a kill makes somebody decide again.
    let reader = store.reader();
    let something_is_wanted = reader.rows(Table::Wanted, None)?.next_row()?.is_some();
    let mut batch = store.batch()?;
    for_each_layer(&store.snapshot(), rule, &mut |kept, removed| {
        for row in kept.iter().filter(|row| row.changed) {
            batch.put_node(row.row.key, &row.row.node);
        }
        for key in &removed {
            batch.remove(Table::Nodes, &key.to_bytes());
            batch.remove(Table::Counts, &key.to_bytes());
            if something_is_wanted {
                for want in reader.wants(*key)? {
                    batch.unwant(*key, want.errand);
                }
            }
        }
        trimmed.kept += kept.len() as u64;
        trimmed.removed += removed.len() as u64;
        watcher.done((kept.len() + removed.len()) as u64);
        Ok(())
    })?;
    if watcher.should_stop() {
        return Err(TrimError::Interrupted);
    }
    batch.raise_sweep(reader.sweep_errand()?);
    batch.commit()?;
    Ok(trimmed)
}

/// A position that stays.
struct Kept {
    row: Scanned,
    /// Moves of it left the book.
    changed: bool,
}

/// Nobody has come here.
const NEVER: i32 = i32::MAX;

/// Decides about the book layer by layer from the start on, and shows what stays and what goes.
fn for_each_layer(
    reader: &Reader<'_>,
    rule: &Rule,
    see: &mut dyn FnMut(Vec<Kept>, Vec<NodeKey>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let roots = Roots::of(reader)?;
    let given_at = |rows: &[Scanned]| -> LayerTable<AtomicI32> {
        LayerTable::new(
            rows.iter()
                .map(|row| {
                    let root = roots.contain(row.key).then_some(0);
                    let root = root.and_then(|given| rule.enters(row.key, given, 0));
                    (row.key, AtomicI32::new(root.unwrap_or(NEVER)))
                })
                .collect(),
        )
    };
    let mut rows = scan::layer(reader, Layer::EMPTY, true)?;
    let mut given = given_at(&rows);
    for layer in Layer::all() {
        let next = match layer.next() {
            Some(next) => scan::layer(reader, next, true)?,
            None => Vec::new(),
        };
        let given_below = given_at(&next);
        let below = scan::below_of(&next);
        let mut removed = Vec::new();
        let mut kept = Vec::new();
        for (row, (_, given)) in rows.into_iter().zip(given.iter()) {
            match given.load(Ordering::Relaxed) {
                NEVER => removed.push(row.key),
                _ => kept.push(row),
            }
        }
        scan::map_with_links(&kept, &below, |row, links| {
            let before = given
                .get(row.key)
                .map_or(NEVER, |given| given.load(Ordering::Relaxed));
            for (key, loss) in losses(&row.node, links) {
                if let (Some(given), Some(now)) =
                    (given_below.get(key), rule.enters(key, before, loss))
                {
                    given.fetch_min(now, Ordering::Relaxed);
                }
            }
        });
        let kept = remember_moves(kept, &below, &given_below);
        see(kept, removed)?;
        rows = next;
        given = given_below;
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
    kept: Vec<Scanned>,
    below: &LayerBelow,
    given_below: &LayerTable<AtomicI32>,
) -> Vec<Kept> {
    let alternatives = scan::map_with_links(&kept, below, |row, links| {
        let mut alternative = row.node.alternative;
        for link in links {
            let (Destination::Position { key, sign }, Some(derived)) = (link.edge.to, &link.below)
            else {
                continue;
            };
            let leaves = given_below
                .get(key)
                .is_some_and(|given| given.load(Ordering::Relaxed) == NEVER);
            if let (true, Some(known)) = (leaves, &mut alternative) {
                let value = derived.value.map(|value| sign.value(value));
                let legal = row.key.board().legal_moves();
                let bounds = sign.bounds(derived.bounds);
                add_move(known, legal, link.edge.square, value, bounds);
            }
        }
        alternative
    });
    kept.into_iter()
        .zip(alternatives)
        .map(|(mut row, alternative)| {
            let changed = row.node.alternative != alternative;
            row.node.alternative = alternative;
            Kept { row, changed }
        })
        .collect()
}

/// One more of the legal moves is outside the book. The best of them may be another now, and what
/// was proven about the others holds for this one only if it is known to be no better.
pub(in crate::book) fn add_move(
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
    use crate::book::node::{EngineNumber, Evaluation};
    use crate::book::tests::{
        all_nodes, any_alternative, any_level, any_value, learn_all, new_store, raw_nodes, sound,
    };
    use crate::book::{settle, sweep};
    use crate::games::{Game, SampleGames};
    use crate::othello::{MoveList, Random};
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
        let trimmed = forget(&store, &moves("f5d6"), &()).unwrap();
        settle(&store, &()).unwrap();
        sound(&store);
        assert_eq!(trimmed.kept + trimmed.removed, before);
        assert!(trimmed.removed > 10);
        assert!(forget(&store, &moves("f5d6"), &()).is_err());
        assert!(matches!(
            forget(&store, &[], &()),
            Err(TrimError::Everything)
        ));
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
