//! The book as a whole, in a real database. Here is what the tests share, above all a naive minimax
//! that shares nothing with the rule but its words.

mod asking;
mod checking;
mod learning;
mod propagation;

use super::*;
use crate::games::{Game, SampleGames};
use crate::othello::{Board, Position, Random, Score, Square};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tempfile::TempDir;

pub(super) fn any_value(random: &mut Random) -> Value {
    Value::new(random.below(4001) as i32 - 2000).unwrap()
}

pub(super) fn any_level(random: &mut Random) -> Level {
    Level {
        depth: random.below(30) as u8,
        selectivity: 68,
        solved: random.below(4) == 0,
    }
}

pub(super) fn children(key: NodeKey) -> Vec<NodeKey> {
    edges(key.board())
        .into_iter()
        .filter_map(|edge| match edge.to {
            Destination::Position { key, .. } => Some(key),
            Destination::End(_) => None,
        })
        .collect()
}

/// All positions within some moves of one, by layer.
pub(super) fn universe(root: NodeKey, plies: usize, limit: usize) -> Vec<NodeKey> {
    let mut all = BTreeSet::from([root]);
    let mut layer = all.clone();
    for _ in 0..plies {
        layer = layer.iter().flat_map(|key| children(*key)).collect();
        all.extend(layer.iter().take(limit.saturating_sub(all.len())));
    }
    all.into_iter().collect()
}

/// A position some moves before the end of a random game: passes and ends are near.
pub(super) fn late_position(random: &mut Random, empties: u32) -> NodeKey {
    loop {
        let mut position = Position::START;
        while let Some(square) = random.square(position.board.legal_moves()) {
            if position.board.empty_count() == empties {
                return NodeKey::of(position.board);
            }
            position = position.play(square).unwrap();
        }
    }
}

pub(super) type Model = BTreeMap<NodeKey, Node>;

/// Minimax as one would write it on a board: every legal move is tried, recursively.
fn naive(model: &Model, key: NodeKey, memo: &mut HashMap<NodeKey, Derived>) -> Derived {
    if let Some(known) = memo.get(&key) {
        return *known;
    }
    let node = &model[&key];
    let board = key.board();
    let mut candidates: Vec<(i32, Square)> = Vec::new();
    let mut lowers = vec![-64];
    let mut uppers = Vec::new();
    let mut lines: HashMap<NodeKey, u32> = HashMap::new();
    let mut unknown_moves = Vec::new();
    for square in board.legal_moves() {
        let played = board.play(square).unwrap();
        let (next, sign) = if played.legal_moves().is_empty() {
            (played.pass(), 1)
        } else {
            (played, -1)
        };
        if next.legal_moves().is_empty() {
            // `next` is seen by the player who moved.
            let score = next.final_score().discs();
            candidates.push((100 * score, square));
            lowers.push(score);
            uppers.push(score);
        } else if model.contains_key(&NodeKey::of(next)) {
            let child = naive(model, NodeKey::of(next), memo);
            if let Some(value) = child.value {
                candidates.push((sign * value.centidiscs(), square));
            }
            let ends = [child.bounds.lower, child.bounds.upper].map(|b| sign * b.discs());
            lowers.push(ends[0].min(ends[1]));
            uppers.push(ends[0].max(ends[1]));
            lines.insert(NodeKey::of(next), child.lines);
        } else {
            unknown_moves.push(square);
        }
    }
    let round_down = |v: Value| (f64::from(v.centidiscs()) / 100.0).floor() as i32;
    let round_up = |v: Value| (f64::from(v.centidiscs()) / 100.0).ceil() as i32;
    let mut rest = 64;
    match node.alternative.map(|a| (a.found, a.level.solved)) {
        Some((Found::Move(square, value), solved)) => {
            let in_book = board.legal_moves().contains(square) && !unknown_moves.contains(&square);
            if !in_book {
                candidates.push((value.centidiscs(), square));
                if solved {
                    lowers.push(round_down(value));
                }
            }
            if solved {
                rest = round_up(value);
            }
        }
        Some((Found::NoneAbove(value), true)) => rest = round_up(value),
        _ => {}
    }
    if !unknown_moves.is_empty() {
        uppers.push(rest);
    }
    let mut lower = lowers.into_iter().max().unwrap();
    let mut upper = uppers.into_iter().max().unwrap();
    if let Some(own) = node.evaluation.filter(|own| own.level.solved) {
        lower = lower.max(round_down(own.value));
        upper = upper.min(round_up(own.value));
    }
    upper = upper.max(lower);
    let top = candidates.iter().map(|c| c.0).max();
    let raw = top.or(node.evaluation.map(|own| own.value.centidiscs()));
    let value = raw.map(|raw| raw.clamp(100 * lower, 100 * upper));
    // The first of the best: legal moves come by square, the alternative after them.
    let best = candidates
        .iter()
        .find(|c| Some(c.0) == top)
        .filter(|c| value.is_some_and(|value| value <= c.0))
        .map(|c| c.1);
    let derived = Derived {
        value: value.and_then(Value::new),
        best,
        bounds: Bounds {
            lower: Score::new(lower).unwrap(),
            upper: Score::new(upper).unwrap(),
        },
        lines: lines
            .values()
            .fold(0u32, |a, b| a.saturating_add(*b))
            .max(1),
    };
    memo.insert(key, derived);
    derived
}

pub(super) fn all_nodes(store: &Store) -> Model {
    let reader = store.reader();
    let mut rows = reader.rows(Table::Nodes, None).unwrap();
    let mut all = Model::new();
    while let Some((key, node)) = rows.next_node().unwrap() {
        all.insert(key, node);
    }
    all
}

/// The raw bytes of the nodes: what "identical" means.
pub(super) fn raw_nodes(store: &Store) -> Vec<(Vec<u8>, Vec<u8>)> {
    let reader = store.reader();
    let mut rows = reader.rows(Table::Nodes, None).unwrap();
    let mut all = Vec::new();
    while let Some((key, value)) = rows.next_row().unwrap() {
        all.push((key.to_vec(), value.to_vec()));
    }
    all
}

pub(super) fn new_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(folder.path()).unwrap();
    (folder, store)
}

pub(super) fn learn_all(store: &Store, games: &[Game], plies: u8, min_games: u32) -> Learned {
    let plan = Plan {
        plies,
        min_games,
        games_at_once: 40,
    };
    let mut learner = Learner::new(store, plan);
    learner.add(games).unwrap();
    let learned = learner.finish().unwrap();
    assert!(settle(store, &()).unwrap().finished);
    learned
}

pub(super) fn sound(store: &Store) -> Findings {
    let findings = check(store, &()).unwrap();
    assert!(findings.is_sound(), "{:?}", findings.violations);
    assert_eq!((findings.waiting, findings.sweep_due), (0, false));
    findings
}

/// What is counted without games.
pub(super) fn counts(store: &Store) -> Vec<(NodeKey, Statistics)> {
    let reader = store.reader();
    let mut rows = reader.rows(Table::Counts, None).unwrap();
    let mut all = Vec::new();
    while let Some(row) = rows.next_statistics().unwrap() {
        all.push(row);
    }
    all
}
