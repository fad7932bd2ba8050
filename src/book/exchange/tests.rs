//! What each format can hold survives the way there and back; what is wrong is refused or told.

use super::super::tests::{
    Model, all_nodes, any_alternative, any_level, any_value, children, counts, new_store,
    raw_nodes, universe,
};
use super::super::{
    Alternative, Destination, EngineNumber, Evaluation, Found, Level, Node, NodeKey, Origin, Value,
    check, edges, settle, sweep,
};
use super::foreign::level_of_number;
use super::{ExchangeError, Format, Source, export, import};
use crate::book::statistics::Statistics;
use crate::book::store::Store;
use crate::othello::{Bitboard, Board, Position, Random, Square};
use std::collections::{BTreeMap, BTreeSet};
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
    let number = match random.below(4) {
        0 => 60,
        _ => 1 + random.below(59) as u8,
    };
    level_of_number(number, key.board())
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

/// The moves that do not lead to one of these positions.
fn moves_outside(key: NodeKey, keys: &BTreeSet<NodeKey>) -> Bitboard {
    let mut edges = edges(key.board());
    edges.retain(|edge| edge.child().is_none_or(|child| !keys.contains(&child)));
    edges.iter().map(|edge| edge.square).collect()
}

/// A book of what Edax's and Egaroucid's formats can hold, found by one engine: `both` says that a
/// position without others below it may have an evaluation and an alternative.
fn foreign_book(seed: u64, engine: &str, both: bool, counts: bool) -> (TempDir, Store) {
    let mut random = Random::new(seed);
    let keys = positions(&mut random);
    let (folder, store) = new_store();
    let engine = store.engine_number(engine).unwrap();
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
            let mut alternative = any_alternative(key, found, level);
            alternative.engine = engine;
            if level.solved {
                alternative.among = moves_outside(key, &keys);
            }
            node.alternative = Some(alternative);
        }
        let leads_on = children(key).iter().any(|child| keys.contains(child));
        if !leads_on && random.below(3) > 0 && (both || node.alternative.is_none()) {
            // Another value than the alternative's, which would only be repeated.
            let value = if value == Value::MAX {
                Value::MIN
            } else {
                Value::MAX
            };
            node.evaluation = Some(Evaluation {
                value,
                level,
                engine,
            });
        }
        batch.put_node(key, &node);
        if counts && random.below(2) == 0 {
            let [wins, draws, losses] = [10, 3, 10].map(|most| random.below(most) as u32 + 1);
            let counted = Statistics {
                games: wins + draws + losses,
                wins,
                draws,
                losses,
                discs_unknown: true,
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
        let (_folder, store) = foreign_book(seed, "edax", false, true);
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
        let (_folder, store) = foreign_book(seed, "egaroucid", true, false);
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
        let (_folder, store) = foreign_book(seed, "one, \"two\"", true, true);
        // Hundredths, years and sums of discs too.
        let mut random = Random::new(seed);
        let mut batch = store.batch().unwrap();
        for (key, mut node) in all_nodes(&store) {
            let (value, level) = (any_value(&mut random), any_level(&mut random));
            node.evaluation = Some(Evaluation {
                value,
                level,
                engine: EngineNumber(random.below(2) as u8),
            });
            if let Some(Alternative { found, .. }) = &mut node.alternative
                && let Found::Move(square, value) = *found
                && random.below(2) == 0
            {
                *found = Found::AtLeast(square, value);
            }
            node.origin =
                [Origin::Game, Origin::Expansion, Origin::Import][random.below(3) as usize];
            batch.put_node(key, &node);
            let counted = Statistics {
                games: 7,
                wins: 3,
                losses: 2,
                disc_sum: -13,
                discs_unknown: false,
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
    let (_folder, store) = foreign_book(30, "edax", true, true);
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
    let (_folder, store) = foreign_book(40, "edax", false, false);
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
    let (_folder, store) = foreign_book(41, "edax", false, false);
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
    let (_folder, one) = foreign_book(50, "edax", true, true);
    let (_folder, other) = foreign_book(51, "egaroucid", true, true);
    let (_folder, both) = new_store();
    super::super::merge(&both, &one, true, &()).unwrap();
    super::super::merge(&both, &other, true, &()).unwrap();
    settle(&both, &()).unwrap();
    for format in [Format::Compact, Format::JsonLines, Format::Csv] {
        let source = &mut Source::of_bytes(exported(&other, format)).unwrap();
        let (_folder, store) = new_store();
        super::super::merge(&store, &one, true, &()).unwrap();
        settle(&store, &()).unwrap();
        import(&store, source, &()).unwrap();
        settle(&store, &()).unwrap();
        assert!(raw_nodes(&store) == raw_nodes(&both), "{format}");
        assert!(counts(&store) == counts(&both), "{format}");
    }
}

#[test]
fn every_format_is_known_by_its_name_its_files_and_their_first_bytes() {
    let (_folder, store) = foreign_book(60, "edax", true, true);
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        let name = format!("a/b.{}", format.extension().to_uppercase());
        assert_eq!(Format::of_name(name.as_ref()), Some(format));
        assert!(Format::describe_all().contains(format.extension()));
        let source = Source::of_bytes(exported(&store, format));
        match source {
            Ok(source) => assert_eq!(source.format(), format),
            Err(error) => {
                assert!(!format.is_readable(), "{error}");
                assert!(error.to_string().contains(&Format::readable_names()));
            }
        }
    }
    let error = "wthor".parse::<Format>().unwrap_err().to_string();
    assert!(
        error.contains("'wthor'") && error.contains("egaroucid, lines"),
        "{error}"
    );
    // A spreadsheet may have put the longest name first.
    let text = "\"alternative_selectivity\",position,origin\n";
    assert_eq!(Source::of_bytes(text.into()).unwrap().format(), Format::Csv);
}

/// By each position the lines below it, as the definition says.
fn lines_below(key: NodeKey, keys: &BTreeSet<NodeKey>, known: &mut BTreeMap<NodeKey, u32>) -> u32 {
    if let Some(lines) = known.get(&key) {
        return *lines;
    }
    let below: BTreeSet<NodeKey> = children(key).into_iter().collect();
    let inside: Vec<&NodeKey> = below.intersection(keys).collect();
    let lines = match inside.is_empty() {
        true => 1,
        false => inside
            .iter()
            .map(|child| lines_below(**child, keys, known))
            .sum(),
    };
    known.insert(key, lines);
    lines
}

#[test]
fn other_programs_get_the_number_of_lines_below_each_position() {
    let (_folder, store) = foreign_book(70, "edax", false, false);
    let keys: BTreeSet<NodeKey> = all_nodes(&store).into_keys().collect();
    let mut known = BTreeMap::new();
    let mut counted = 0;
    let mut compare = |record: &[u8], lines: &[u8]| {
        let discs = |place: usize| u64::from_le_bytes(*record[place..].first_chunk().unwrap());
        let board = Board::new(Bitboard(discs(0)), Bitboard(discs(8))).unwrap();
        // The record of a pass tells of the position behind it.
        let board = if board.must_pass() {
            board.pass()
        } else {
            board
        };
        let expected = lines_below(NodeKey::of(board), &keys, &mut known);
        assert_eq!(lines, expected.to_le_bytes(), "{board:?}");
        counted += 1;
    };
    for record in exported(&store, Format::Egaroucid)[14..].chunks(25) {
        compare(record, &record[18..22]);
    }
    for record in edax_records(&exported(&store, Format::Edax)) {
        compare(&record, &record[28..32]);
    }
    assert!(counted > 2 * keys.len(), "there are passes in Edax's file");
}

/// After f5 a solved child and a solved search of the other moves prove a value from 4 to 6.
fn book_with_a_proof() -> (TempDir, Store) {
    let (folder, store) = new_store();
    let start = NodeKey::of(Board::START);
    let after = NodeKey::of(Board::START.play(Square::at(5, 4)).unwrap());
    let engine = store.engine_number("edax").unwrap();
    let value = |centidiscs| Value::new(centidiscs).unwrap();
    let solved = |key: NodeKey| level_of_number(60, key.board());
    let mut parent = Node::new(Origin::Import);
    let mut child = Node::new(Origin::Import);
    let keys: BTreeSet<NodeKey> = children(after).into_iter().take(1).collect();
    let below = *keys.first().unwrap();
    let limit = Found::NoneAbove(value(600));
    parent.alternative = Some(Alternative {
        engine,
        among: moves_outside(after, &keys),
        ..any_alternative(after, limit, solved(after))
    });
    child.evaluation = Some(Evaluation {
        value: value(-400),
        level: solved(below),
        engine,
    });
    let mut batch = store.batch().unwrap();
    batch.put_node(start, &Node::new(Origin::Import));
    batch.put_node(after, &parent);
    batch.put_node(below, &child);
    batch.commit().unwrap();
    sweep(&store, &()).unwrap();
    assert_eq!(bounds_after_f5(&store), (4, 6));
    (folder, store)
}

fn bounds_after_f5(store: &Store) -> (i32, i32) {
    let after = NodeKey::of(Board::START.play(Square::at(5, 4)).unwrap());
    let bounds = all_nodes(store)[&after].derived.bounds;
    (bounds.lower.discs(), bounds.upper.discs())
}

#[test]
fn a_file_that_lost_a_child_does_not_prove_the_bound_of_its_parent() {
    let (_folder, store) = book_with_a_proof();
    for format in [
        Format::Compact,
        Format::JsonLines,
        Format::Csv,
        Format::Edax,
    ] {
        let (_folder, whole) = imported(exported(&store, format));
        assert_eq!(bounds_after_f5(&whole), (4, 6), "{format}");
    }
    for format in [Format::JsonLines, Format::Csv] {
        let text = String::from_utf8(exported(&store, format)).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.pop();
        let (_folder, rest) = imported(lines.join("\n").into_bytes());
        assert_eq!(bounds_after_f5(&rest), (-64, 64), "{format}");
    }
    let edax = exported(&store, Format::Edax);
    let mut records = edax_records(&edax);
    records.pop();
    let (_folder, rest) = imported(edax_file(&edax, &records));
    assert_eq!(bounds_after_f5(&rest), (-64, 64));
}

#[test]
fn a_solved_alternative_that_does_not_say_what_it_looked_at_proves_nothing() {
    let (_folder, store) = book_with_a_proof();
    let text = String::from_utf8(exported(&store, Format::JsonLines)).unwrap();
    let (start, rest) = text.split_once(",\"alternative_among\":\"").unwrap();
    let (moves, rest) = rest.split_once('"').unwrap();
    assert_eq!(moves.len(), 4, "two of three moves");
    let with = |field: &str| format!("{start}{field}{rest}").into_bytes();
    let (_folder, unsaid) = imported(with(""));
    assert_eq!(bounds_after_f5(&unsaid), (4, 64));
    let (_folder, nothing) = imported(with(",\"alternative_among\":\"-\""));
    assert_eq!(bounds_after_f5(&nothing), (4, 64));
    for wrong in ["a1", "c3d", "zz", "c"] {
        let bytes = with(&format!(",\"alternative_among\":\"{wrong}\""));
        let error = Source::of_bytes(bytes).err().unwrap().to_string();
        assert!(error.contains("illegal move"), "{error}");
    }
}

#[test]
fn a_leaf_of_another_program_is_solved_only_if_all_other_moves_were_looked_at() {
    for format in [Format::Edax, Format::Egaroucid] {
        let (_folder, store) = book_with_a_proof();
        let after = NodeKey::of(Board::START.play(Square::at(5, 4)).unwrap());
        let mut node = all_nodes(&store)[&after];
        let known = node.alternative.as_mut().unwrap();
        let looked_at = known.among.first().unwrap();
        let changes = [
            (known.found, Bitboard::from(looked_at)),
            (Found::AtLeast(looked_at, known.found.value()), known.among),
        ];
        for (found, among) in changes {
            node.alternative = node.alternative.map(|known| Alternative {
                found,
                among,
                ..known
            });
            let mut batch = store.batch().unwrap();
            batch.put_node(after, &node);
            batch.commit().unwrap();
            sweep(&store, &()).unwrap();
            let (_folder, copy) = imported(exported(&store, format));
            let copied = all_nodes(&copy)[&after].alternative.unwrap();
            assert!(!copied.level.solved, "{format}");
            assert_eq!(copied.found.value(), found.value(), "{format}");
        }
    }
}

/// Where all moves of a position are in the book nobody searched the others, and Edax lists
/// positions by their level.
#[test]
fn edax_gets_the_books_level_where_all_moves_are_in_the_book() {
    let (_folder, store) = new_store();
    let engine = store.engine_number("edax").unwrap();
    let start = NodeKey::of(Board::START);
    let mut batch = store.batch().unwrap();
    batch.put_node(start, &Node::new(Origin::Game));
    // All moves of the start are one position.
    for (key, number) in children(start).into_iter().zip([12]) {
        let level = level_of_number(number, key.board());
        let mut node = Node::new(Origin::Game);
        let value = Value::new(100).unwrap();
        node.evaluation = Some(Evaluation {
            value,
            level,
            engine,
        });
        batch.put_node(key, &node);
    }
    batch.commit().unwrap();
    sweep(&store, &()).unwrap();
    let file = exported(&store, Format::Edax);
    let levels: Vec<u8> = edax_records(&file)
        .iter()
        .map(|record| record[39])
        .collect();
    assert_eq!(levels, [12, 12]);
    assert_eq!(
        file[18..22],
        12i32.to_le_bytes(),
        "and in the head of the file"
    );
    let (_folder, copy) = imported(file);
    assert_eq!(
        all_nodes(&copy)[&start].evaluation,
        None,
        "it was not searched itself"
    );
}

#[test]
fn an_average_that_a_file_does_not_tell_stays_unknown_through_every_format() {
    let (_folder, store) = new_store();
    let start = NodeKey::of(Board::START);
    let told = Statistics {
        games: 3,
        wins: 2,
        losses: 1,
        disc_sum: 10,
        ..Statistics::default()
    };
    let incoming = |text: &str| Source::of_bytes(text.as_bytes().to_vec()).unwrap();
    let row = format!(
        "{{\"position\":\"{start}\",\"origin\":\"import\",\"games\":3,\"wins\":2,\"draws\":0,\
         \"losses\":1,\"disc_sum\":10}}\n"
    );
    import(&store, &mut incoming(&row), &()).unwrap();
    let counted = |store: &Store| store.reader().statistics(start).unwrap().unwrap();
    assert_eq!(counted(&store), told);
    assert_eq!(counted(&store).average_discs(), Some(10.0 / 3.0));
    let (_folder, from_edax) = imported(exported(&store, Format::Edax));
    let unknown = Statistics {
        disc_sum: 0,
        discs_unknown: true,
        ..told
    };
    assert_eq!(counted(&from_edax), unknown);
    assert_eq!(unknown.average_discs(), None);
    for format in [Format::Compact, Format::JsonLines, Format::Csv] {
        let (_folder, again) = imported(exported(&from_edax, format));
        assert_eq!(counted(&again), unknown, "{format}");
    }
}

#[test]
fn engines_keep_their_names_under_other_numbers() {
    let names = ["one, with a comma", "\"two\"", "3"];
    let (_folder, store) = foreign_book(80, names[0], true, false);
    let mut batch = store.batch().unwrap();
    for (number, (key, mut node)) in (0..).zip(all_nodes(&store)) {
        let engine = match names.get(number % 4) {
            Some(name) => store.engine_number(name).unwrap(),
            None => EngineNumber::UNKNOWN,
        };
        node.evaluation = node.evaluation.map(|own| Evaluation { engine, ..own });
        node.alternative = node
            .alternative
            .map(|other| Alternative { engine, ..other });
        batch.put_node(key, &node);
    }
    batch.commit().unwrap();
    let named = |store: &Store| -> BTreeMap<NodeKey, [Option<String>; 2]> {
        let engines = store.reader().engines().unwrap();
        let name = |engine: Option<EngineNumber>| engines.name(engine?).map(str::to_owned);
        let both = |node: Node| {
            let own = node.evaluation.map(|own| own.engine);
            [own, node.alternative.map(|other| other.engine)].map(name)
        };
        let nodes = all_nodes(store).into_iter();
        nodes.map(|(key, node)| (key, both(node))).collect()
    };
    let expected = named(&store);
    for format in [Format::Compact, Format::JsonLines, Format::Csv] {
        let bytes = exported(&store, format);
        let (_folder, copy) = new_store();
        for name in ["zero", names[2], names[0]] {
            copy.engine_number(name).unwrap();
        }
        import(&copy, &mut Source::of_bytes(bytes.clone()).unwrap(), &()).unwrap();
        assert!(named(&copy) == expected, "{format}");
        // Onto a book with positions, and a second time.
        let (_folder, copy) = foreign_book(81, "zero", true, false);
        for _ in 0..2 {
            import(&copy, &mut Source::of_bytes(bytes.clone()).unwrap(), &()).unwrap();
        }
        let both: BTreeSet<Option<String>> = named(&copy).into_values().flatten().collect();
        for name in names {
            assert!(both.contains(&Some(name.to_owned())), "{format} {name}");
        }
        assert_eq!(copy.reader().engines().unwrap().iter().count(), 4);
    }
}

#[test]
fn files_that_still_tell_the_number_of_lines_are_read() {
    let start = NodeKey::of(Board::START);
    let json = format!("{{\"position\":\"{start}\",\"origin\":\"game\",\"lines\":12950}}\n");
    let csv = format!("position,origin,lines\n{start},game,1\n");
    for text in [json, csv] {
        let (_folder, store) = imported(text.into_bytes());
        assert_eq!(all_nodes(&store).len(), 1);
        let again = String::from_utf8(exported(&store, Format::JsonLines)).unwrap();
        assert!(!again.contains("lines"));
    }
}
