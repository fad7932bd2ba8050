//! What each format can hold survives the way there and back; what is wrong is refused or told.

use crate::book::statistics::Statistics;
use crate::book::store::Store;
use super::super::tests::{
    Model, all_nodes, any_level, any_value, children, counts, new_store, raw_nodes, universe,
};
use super::super::{
    Alternative, Destination, Evaluation, Found, Level, Node, NodeKey, Origin, Value, check, edges,
    settle, sweep,
};
use super::foreign::level_of_number;
use super::{ExchangeError, Format, Source, export, import};
use crate::othello::{Board, Position, Random, Square};
use std::collections::BTreeSet;
use tempfile::TempDir;

fn exported(store: &Store, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(&store.reader(), format, true, &mut bytes, &()).unwrap();
    bytes
}

/// A new book of a file's positions.
fn imported(bytes: Vec<u8>) -> (TempDir, Store) {
    let (folder, store) = new_store();
    let absorbed = import(&store, &mut Source::of_bytes(bytes).unwrap(), &()).unwrap();
    assert_eq!(absorbed.unreachable, 0);
    settle(&store, &()).unwrap();
    let found = check(&store, &()).unwrap();
    assert!(found.is_sound(), "{:?}", found.violations);
    (folder, store)
}

/// The openings, and a random game with all that is near its end: passes and ends are there.
fn positions(random: &mut Random) -> BTreeSet<NodeKey> {
    let mut keys: BTreeSet<NodeKey> = universe(NodeKey::of(Board::START), 4, 400)
        .into_iter()
        .collect();
    let mut position = Position::START;
    loop {
        let moves: Vec<Square> = position.board.legal_moves().into_iter().collect();
        if moves.is_empty() {
            return keys;
        }
        keys.insert(NodeKey::of(position.board));
        if position.board.empty_count() == 6 {
            keys.extend(universe(NodeKey::of(position.board), 7, 300));
        }
        position = position
            .play(moves[random.below(moves.len() as u64) as usize])
            .unwrap();
    }
}

/// Numbers as other programs write them.
fn whole(random: &mut Random) -> Value {
    Value::new(100 * (random.below(129) as i32 - 64)).unwrap()
}

fn level(random: &mut Random, key: NodeKey) -> Level {
    level_of_number(1 + random.below(60) as u8, key.board())
}

/// A move that neither is in the book nor ends the game.
fn outside(random: &mut Random, key: NodeKey, keys: &BTreeSet<NodeKey>) -> Option<Square> {
    let outside: Vec<Square> = edges(key.board())
        .into_iter()
        .filter_map(|edge| match edge.to {
            Destination::Position { key, .. } if !keys.contains(&key) => Some(edge.square),
            _ => None,
        })
        .collect();
    (!outside.is_empty()).then(|| outside[random.below(outside.len() as u64) as usize])
}

/// A book of what Edax's and Egaroucid's formats can hold: `both` says that a position without
/// others below it may have an evaluation and an alternative.
fn foreign_book(seed: u64, both: bool, counts: bool) -> (TempDir, Store) {
    let mut random = Random::new(seed);
    let keys = positions(&mut random);
    let (folder, store) = new_store();
    let mut batch = store.batch().unwrap();
    for &key in &keys {
        let mut node = Node::new(Origin::Import);
        let level = level(&mut random, key);
        let value = whole(&mut random);
        if random.below(3) > 0 {
            let found = match outside(&mut random, key, &keys) {
                Some(square) if random.below(3) > 0 => Found::Move(square, value),
                _ => Found::NoneAbove(value),
            };
            node.alternative = Some(Alternative { found, level });
        }
        let leads_on = children(key).iter().any(|child| keys.contains(child));
        if !leads_on && random.below(3) > 0 && (both || node.alternative.is_none()) {
            // Another value than the alternative's, which would only be repeated.
            let value = if value == Value::MAX {
                Value::MIN
            } else {
                Value::MAX
            };
            node.evaluation = Some(Evaluation { value, level });
        }
        batch.put_node(key, &node);
        if counts && random.below(2) == 0 {
            let [wins, draws, losses] = [10, 3, 10].map(|most| random.below(most) as u32 + 1);
            let counted = Statistics {
                games: wins + draws + losses,
                wins,
                draws,
                losses,
                ..Statistics::default()
            };
            batch.put_counts(key, &counted);
        }
    }
    batch.commit().unwrap();
    sweep(&store, &()).unwrap();
    (folder, store)
}

#[test]
fn all_that_edax_can_hold_survives() {
    for seed in 0..6 {
        let (_folder, store) = foreign_book(seed, false, true);
        let bytes = exported(&store, Format::Edax);
        assert_eq!(&bytes[..10], b"XADEKOOB\x04\x04");
        let (_folder, back) = imported(bytes);
        let (before, after): (Model, Model) = (all_nodes(&store), all_nodes(&back));
        assert_eq!(before.len(), after.len());
        for (key, node) in &before {
            let found = &after[key];
            assert_eq!(found.derived, node.derived, "{key}");
            assert_eq!(found.alternative, node.alternative, "{key}");
            // Where a move ends the game, the value is that move's.
            if node.evaluation.is_some() && node.derived.best.is_none() {
                assert_eq!(found.evaluation, node.evaluation, "{key}");
            }
        }
        assert!(counts(&back) == counts(&store));
    }
}

#[test]
fn all_that_egaroucid_can_hold_survives() {
    for seed in 10..16 {
        let (_folder, store) = foreign_book(seed, true, false);
        let bytes = exported(&store, Format::Egaroucid);
        assert_eq!(&bytes[..10], b"DICUORAGE\x03");
        assert_eq!(bytes.len(), 14 + 25 * all_nodes(&store).len());
        let (_folder, back) = imported(bytes.clone());
        let after = all_nodes(&back);
        for (key, node) in &all_nodes(&store) {
            assert_eq!(after.get(key), Some(node), "{key}");
        }
        assert!(exported(&back, Format::Egaroucid) == bytes);
    }
}

#[test]
fn json_lines_and_csv_lose_nothing() {
    for (seed, format) in [(20, Format::JsonLines), (21, Format::Csv)] {
        let (_folder, store) = foreign_book(seed, true, true);
        // Hundredths, years and sums of discs too.
        let mut random = Random::new(seed);
        let mut batch = store.batch().unwrap();
        for (key, mut node) in all_nodes(&store) {
            let (value, level) = (any_value(&mut random), any_level(&mut random));
            node.evaluation = Some(Evaluation { value, level });
            node.origin =
                [Origin::Game, Origin::Expansion, Origin::Import][random.below(3) as usize];
            batch.put_node(key, &node);
            let counted = Statistics {
                games: 7,
                wins: 3,
                losses: 2,
                disc_sum: -13,
                years: Some((1980, 1991)),
                ..Statistics::default()
            };
            batch.put_counts(key, &counted);
        }
        batch.commit().unwrap();
        sweep(&store, &()).unwrap();
        let bytes = exported(&store, format);
        let (_folder, back) = imported(bytes.clone());
        assert!(raw_nodes(&back) == raw_nodes(&store), "{format}");
        assert!(counts(&back) == counts(&store), "{format}");
        assert!(exported(&back, format) == bytes, "{format}");
    }
}

#[test]
fn a_spreadsheet_may_quote_and_reorder() {
    let start = NodeKey::of(Board::START);
    let text = format!("\"origin\",position\n\"game\",\"{start}\"\n\n");
    let (_folder, store) = imported(text.into_bytes());
    assert_eq!(all_nodes(&store).len(), 1);
    for (text, words) in [
        ("position,colour\n", "unknown field 'colour'"),
        ("position,origin\nx\n", "1 fields instead of 2"),
        ("position,origin\nx,game\n", "record 2"),
        ("position,origin\n\"x,game\n", "does not end"),
    ] {
        let error = Source::of_bytes(text.into()).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn people_get_the_best_line_first() {
    let (_folder, store) = foreign_book(30, true, true);
    let text = String::from_utf8(exported(&store, Format::Lines)).unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("1. "), "{text}");
    assert!(!first.contains("given away"), "{text}");
    let error = Source::of_bytes(text.into_bytes()).err().unwrap();
    assert!(matches!(error, ExchangeError::Unknown));
}

/// The records of an Edax file, each as its bytes.
fn edax_records(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = &bytes[42..];
    let mut records = Vec::new();
    while !rest.is_empty() {
        let (record, next) = rest.split_at(42 + 2 * usize::from(rest[38]));
        records.push(record.to_vec());
        rest = next;
    }
    records
}

fn edax_file(header: &[u8], records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = header[..38].to_vec();
    bytes.extend((records.len() as i32).to_le_bytes());
    bytes.extend(records.concat());
    bytes
}

#[test]
fn records_that_come_twice_or_from_nowhere_are_told() {
    let (_folder, store) = foreign_book(40, false, false);
    let good = exported(&store, Format::Edax);
    let mut records = edax_records(&good);
    records.push(records[5].clone());
    let late: Board = "XXXXXXXXOOOOOOOXXXXXXXOXXXXXXOXXXXXOOXXXXXOXXXXXXXXXXXXX-------- X"
        .parse::<Position>()
        .unwrap()
        .board;
    let late = if late.legal_moves().is_empty() {
        late.pass()
    } else {
        late
    };
    assert!(!late.legal_moves().is_empty());
    let mut orphan = Vec::new();
    orphan.extend(late.mover().0.to_le_bytes());
    orphan.extend(late.opponent().0.to_le_bytes());
    orphan.extend([0; 22]);
    orphan.extend([0, 5, 0, 65]);
    records.push(orphan);
    let mut source = Source::of_bytes(edax_file(&good, &records)).unwrap();
    assert!(
        source.remarks()[0].starts_with("1 records"),
        "{:?}",
        source.remarks()
    );
    let (_folder, back) = new_store();
    let absorbed = import(&back, &mut source, &()).unwrap();
    assert_eq!(absorbed.unreachable, 1);
    assert_eq!(absorbed.unreachable_positions, [NodeKey::of(late)]);
    assert_eq!(all_nodes(&back).len(), all_nodes(&store).len());
}

#[test]
fn a_wrong_record_refuses_the_whole_file() {
    let (_folder, store) = foreign_book(41, false, false);
    let edax = exported(&store, Format::Edax);
    let egaroucid = exported(&store, Format::Egaroucid);
    let refused = |bytes: &[u8], place: usize, new: &[u8], words: &str| {
        let mut bytes = bytes.to_vec();
        bytes[place..place + new.len()].copy_from_slice(new);
        let error = Source::of_bytes(bytes).err().map(|error| error.to_string());
        assert!(
            error.as_ref().is_some_and(|e| e.contains(words)),
            "{error:?}"
        );
    };
    refused(
        &edax,
        42,
        &[0xff; 16],
        "record 1 has two discs on one square",
    );
    refused(&edax, 42, &[0; 16], "empty square in the centre");
    refused(&edax, 42 + 32, &[100, 0], "has the value 100");
    refused(&edax, 42 + 41, &[7], "illegal move 7");
    refused(&edax, 8, &[9], "newer");
    refused(&edax, 38, &[0xff; 4], "negative");
    refused(&edax, 38, &[1, 0, 0, 0], "more positions than it says");
    refused(&edax, 38, &[0, 0, 0, 64], "ends too early");
    refused(&egaroucid, 14, &[0xff; 16], "two discs on one square");
    refused(&egaroucid, 14 + 16, &[100], "has the value 100");
    refused(&egaroucid, 14 + 22, &[0, 7, 5], "illegal move 7");
    refused(&egaroucid, 9, &[2], "older version");
    refused(&egaroucid, 10, &[0, 0, 0, 64], "ends too early");
    let cut = egaroucid[..egaroucid.len() - 1].to_vec();
    assert!(matches!(
        Source::of_bytes(cut).err(),
        Some(ExchangeError::Truncated { .. })
    ));
}

#[test]
fn an_import_into_a_book_is_a_merge() {
    let (_folder, one) = foreign_book(50, true, true);
    let (_folder, other) = foreign_book(51, true, true);
    let (_folder, both) = new_store();
    super::super::merge(&both, &one, &()).unwrap();
    super::super::merge(&both, &other, &()).unwrap();
    settle(&both, &()).unwrap();
    for format in [Format::Compact, Format::JsonLines, Format::Csv] {
        let source = &mut Source::of_bytes(exported(&other, format)).unwrap();
        let (_folder, store) = new_store();
        super::super::merge(&store, &one, &()).unwrap();
        settle(&store, &()).unwrap();
        import(&store, source, &()).unwrap();
        settle(&store, &()).unwrap();
        assert!(raw_nodes(&store) == raw_nodes(&both), "{format}");
        assert!(counts(&store) == counts(&both), "{format}");
    }
}
