//! The book as a whole, in a real database. Here is what the tests share; the rules themselves are
//! judged by `judge`, and questions are answered by `scripted`.

mod answering;
mod asking;
mod checking;
mod game_index;
mod growing;
mod histories;
mod judge;
mod learning;
mod liars;
mod orientation;
mod overlapping;
mod propagation;
mod proving;
mod scripted;

use super::*;
use crate::games::{Details, Game, Moves, SampleGames};
use crate::othello::{Board, MoveList, Position, Random, Score, Square};
use judge::judged;
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

/// An alternative whose search looked at all moves.
pub(super) fn any_alternative(key: NodeKey, found: Found, level: Level) -> Alternative {
    Alternative {
        found,
        level,
        engine: EngineNumber::UNKNOWN,
        among: key.board().legal_moves(),
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

/// A book in memory.
pub(super) type Model = BTreeMap<NodeKey, Node>;

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
    raw_rows(store, Table::Nodes)
}

pub(super) fn raw_rows(store: &Store, table: Table) -> Vec<(Vec<u8>, Vec<u8>)> {
    let reader = store.reader();
    let mut rows = reader.rows(table, None).unwrap();
    let mut all = Vec::new();
    while let Some((key, value)) = rows.next_row().unwrap() {
        all.push((key.to_vec(), value.to_vec()));
    }
    all
}

/// A record without the number of a game, which tells only when it was learned.
pub(super) fn without_numbers(table: Table, bytes: Vec<u8>) -> Vec<u8> {
    match table {
        Table::Statistics => {
            let statistics = codec::statistics_from_bytes(&bytes).unwrap();
            codec::statistics_to_bytes(&statistics).to_vec()
        }
        Table::Games => {
            let mut learned = LearnedGame::from_bytes(&bytes).unwrap();
            learned.number = None;
            learned.to_bytes()
        }
        _ => bytes,
    }
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

/// The position after these moves.
fn after(line: &str) -> Position {
    MoveList::parse(Position::START, line).unwrap().end
}

fn key_after(line: &str) -> NodeKey {
    NodeKey::of(after(line).board)
}

/// A move after a line, as the canonical board has it.
fn canonical(line: &str, square: &str) -> Square {
    let (_, symmetry) = NodeKey::with_symmetry(after(line).board);
    symmetry.apply_to_square(square.parse().unwrap())
}

fn game_of(line: &str) -> Game {
    let moves = MoveList::parse(Position::START, line).unwrap().moves;
    let moves = Moves::try_from(&moves[..]).unwrap();
    Game::new(Position::START, moves, Details::default()).unwrap()
}

fn value(centidiscs: i32) -> Value {
    Value::new(centidiscs).unwrap()
}

fn value_after(store: &Store, line: &str) -> Option<Value> {
    let node = store.reader().node(key_after(line)).unwrap();
    node.and_then(|node| node.derived.value)
}

/// The book, which is settled, is what the judge says.
fn agrees_with_the_judge(store: &Store, when: &str) {
    let model = all_nodes(store);
    let expected = judged(&model);
    for (key, node) in &model {
        assert_eq!(node.derived, expected[key], "{when}: {key} with {node:?}");
    }
}
