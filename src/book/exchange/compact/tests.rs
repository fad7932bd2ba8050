use super::super::super::tests::{
    all_nodes, any_alternative, any_level, any_value, counts, late_position, new_store, raw_nodes,
    universe,
};
use super::super::super::{
    Alternative, EngineNumber, Evaluation, Found, Learner, Level, Node, NodeKey, Note, Origin,
    Plan, Statistics, Value, settle, sweep,
};
use super::super::{ExchangeError, Format, Source, export, import, unpack_into};
use super::columns::{Column, ColumnReader, ColumnWriter};
use super::record::take;
use super::{Header, VERSION};
use crate::book::key::Layer;
use crate::book::store::Store;
use crate::games::{Game, SampleGames};
use crate::othello::{Board, Random, Square};

fn packed(store: &Store, statistics: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(
        &store.reader(),
        Format::Compact,
        statistics,
        &mut bytes,
        &(),
    )
    .unwrap();
    bytes
}

/// A book of positions around the start and near the end, with all that a node can hold.
fn random_book(seed: u64) -> (tempfile::TempDir, Store) {
    let mut random = Random::new(seed);
    let (folder, store) = new_store();
    for name in ["one", "another"] {
        store.engine_number(name).unwrap();
    }
    let mut keys = universe(NodeKey::of(Board::START), 5, 600);
    keys.extend(universe(late_position(&mut random, 6), 7, 300));
    let mut batch = store.batch().unwrap();
    for key in keys {
        if random.below(8) == 0 && key != NodeKey::of(Board::START) {
            continue;
        }
        let mut node =
            Node::new([Origin::Game, Origin::Expansion, Origin::Import][random.below(3) as usize]);
        if random.below(3) > 0 {
            let (value, level) = (any_value(&mut random), any_level(&mut random));
            node.evaluation = Some(Evaluation {
                value,
                level,
                engine: EngineNumber(random.below(3) as u8),
            });
        }
        if random.below(3) > 0 {
            let (value, level) = (any_value(&mut random), any_level(&mut random));
            let legal: Vec<Square> = key.board().legal_moves().into_iter().collect();
            let square = legal[random.below(legal.len() as u64) as usize];
            let found = match random.below(4) {
                0 => Found::NoneAbove(value),
                1 => Found::AtLeast(square, value),
                _ => Found::Move(square, value),
            };
            let mut alternative = any_alternative(key, found, level);
            alternative.engine = EngineNumber(random.below(3) as u8);
            if level.solved {
                let some = legal.into_iter().filter(|_| random.below(2) == 0);
                alternative.among = some.collect();
            }
            node.alternative = Some(alternative);
        }
        batch.put_node(key, &node);
        if random.below(2) == 0 {
            let games = 1 + random.below(1000) as u32;
            let wins = random.below(games.into()) as u32;
            let counted = Statistics {
                games,
                wins,
                losses: games - wins,
                disc_sum: random.below(100) as i64 - 50,
                discs_unknown: false,
                years: (random.below(2) == 0).then_some((1977, 2015)),
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
fn a_book_comes_back_byte_for_byte_but_for_what_nothing_leads_to() {
    for seed in 0..8 {
        let (_folder, store) = random_book(seed);
        let bytes = packed(&store, true);
        assert!(bytes == packed(&store, true));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/book");
        let absorbed = unpack_into(&path, bytes.clone(), &()).unwrap();
        assert!(absorbed.finished);
        assert!(absorbed.unreachable > 0, "some of the endings were orphans");
        let copy = Store::open(&path).unwrap();
        let found = crate::book::check(&copy, &()).unwrap();
        assert!(found.is_sound(), "{:?}", found.violations);
        let kept = raw_nodes(&copy);
        assert_eq!(kept.len() as u64, absorbed.new);
        let all = raw_nodes(&store);
        assert_eq!(all.len() as u64, absorbed.new + absorbed.unreachable);
        let of_the_copy: Vec<_> = all.into_iter().filter(|row| kept.contains(row)).collect();
        assert!(of_the_copy == kept);
        for (key, counted) in counts(&copy) {
            assert_eq!(store.reader().counts(key).unwrap(), Some(counted));
        }

        // From there on nothing is lost, into an empty book or onto itself.
        let clean = packed(&copy, true);
        let (_folder, second) = new_store();
        import(&second, &mut Source::of_bytes(clean.clone()).unwrap(), &()).unwrap();
        assert!(raw_nodes(&second) == kept);
        assert!(counts(&second) == counts(&copy));
        assert!(packed(&second, true) == clean);
        let again = import(&second, &mut Source::of_bytes(clean).unwrap(), &()).unwrap();
        assert_eq!((again.new, again.deeper), (0, 0));
        assert!(raw_nodes(&second) == kept);
    }
}

#[test]
fn layer_by_layer_gives_the_same_book_as_all_at_once() {
    let (_folder, store) = random_book(3);
    let bytes = packed(&store, true);
    let (_folder, whole) = new_store();
    import(&whole, &mut Source::of_bytes(bytes.clone()).unwrap(), &()).unwrap();
    let (_folder, layered) = new_store();
    let mut batch = layered.batch().unwrap();
    batch.put_node(NodeKey::of(Board::START), &Node::new(Origin::Import));
    batch.commit().unwrap();
    let absorbed = import(&layered, &mut Source::of_bytes(bytes).unwrap(), &()).unwrap();
    assert!(absorbed.unreachable > 0);
    settle(&layered, &()).unwrap();
    assert!(raw_nodes(&layered) == raw_nodes(&whole));
    assert!(counts(&layered) == counts(&whole));
}

#[test]
fn the_games_of_a_book_are_told_as_counts() {
    let (_folder, store) = new_store();
    let plan = Plan {
        plies: 20,
        min_games: 1,
        games_at_once: 1000,
    };
    let games: Vec<Game> = SampleGames::new(7).take(200).collect();
    let mut learner = Learner::new(&store, plan);
    learner.add(&games).unwrap();
    learner.finish().unwrap();
    sweep(&store, &()).unwrap();
    let bytes = packed(&store, true);
    let positions = raw_nodes(&store).len();
    let without = packed(&store, false);
    assert!(without.len() < 2 * positions, "{} bytes", without.len());
    let (_folder, copy) = new_store();
    import(&copy, &mut Source::of_bytes(bytes).unwrap(), &()).unwrap();
    assert!(raw_nodes(&copy) == raw_nodes(&store));
    let start = NodeKey::of(Board::START);
    let told = copy.reader().statistics(start).unwrap();
    assert_eq!(told, store.reader().statistics(start).unwrap());
    // Onto the book that has the games they count for nothing.
    let before = told;
    let source = &mut Source::of_bytes(packed(&copy, true)).unwrap();
    import(&store, source, &()).unwrap();
    assert_eq!(store.reader().statistics(start).unwrap(), before);
}

#[test]
fn no_damaged_byte_and_no_missing_end_goes_unnoticed() {
    let (_folder, store) = random_book(1);
    let good = packed(&store, true);
    let read = |bytes: Vec<u8>| {
        let mut source = Source::of_bytes(bytes)?;
        source.check()
    };
    assert!(read(good.clone()).is_ok());
    for place in 0..good.len() {
        let mut bytes = good.clone();
        bytes[place] ^= 1 << (place % 8);
        assert!(read(bytes).is_err(), "byte {place}");
    }
    for length in (0..good.len()).step_by(7) {
        assert!(read(good[..length].to_vec()).is_err(), "{length} bytes");
    }
    let longer = [&good[..], &[0]].concat();
    assert!(matches!(read(longer), Err(ExchangeError::Damaged { .. })));
}

#[test]
fn the_first_bytes_tell_what_a_file_is() {
    let (_folder, store) = new_store();
    let empty = packed(&store, false);
    assert_eq!(&empty[..9], b"EMILIABK\x03");
    let mut newer = empty.clone();
    newer[8] = 4;
    let error = Source::of_bytes(newer).err().unwrap();
    assert!(error.to_string().contains("version 4"), "{error}");
    let error = Source::of_bytes(b"something".to_vec()).err().unwrap();
    assert!(matches!(error, ExchangeError::Unknown));
    assert_eq!(Format::of_name("x/y.EMB".as_ref()), Some(Format::Compact));
    let (_folder, copy) = new_store();
    let absorbed = import(&copy, &mut Source::of_bytes(empty).unwrap(), &()).unwrap();
    assert_eq!(absorbed.new, 0);
}

#[test]
fn a_note_goes_into_a_book_that_has_nothing_else() {
    let (_folder, store) = random_book(2);
    let note = |text: &str| Note::new(text).unwrap();
    let write = |store: &Store, text: &str| {
        let mut batch = store.batch().unwrap();
        batch.set_note(note(text).as_ref());
        batch.commit().unwrap();
    };
    assert_eq!(store.reader().note().unwrap(), None);
    write(&store, "made by a test\nof two lines");
    let bytes = packed(&store, true);
    let (_folder, copy) = new_store();
    import(&copy, &mut Source::of_bytes(bytes.clone()).unwrap(), &()).unwrap();
    assert_eq!(
        copy.reader().note().unwrap(),
        note("made by a test\nof two lines")
    );
    // A book keeps its own, also none.
    for text in ["its own", ""] {
        write(&copy, text);
        import(&copy, &mut Source::of_bytes(bytes.clone()).unwrap(), &()).unwrap();
        assert_eq!(copy.reader().note().unwrap(), note(text));
    }
}

/// Five positions, written by a program of version 2.
const OF_VERSION_2: &[u8] = include_bytes!("version_2.emb");

#[test]
fn version_2_has_engines_and_no_note() {
    let (_folder, store) = new_store();
    let mut source = Source::of_bytes(OF_VERSION_2.to_vec()).unwrap();
    import(&store, &mut source, &()).unwrap();
    let reader = store.reader();
    assert_eq!(reader.note().unwrap(), None);
    let engines = reader.engines().unwrap();
    let names: Vec<&str> = engines.iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["emilia-e7d530e08c68"]);
    assert_eq!(all_nodes(&store).len(), 5);
    let evaluated = all_nodes(&store).into_iter().filter(|(_, node)| {
        node.evaluation
            .is_some_and(|own| own.engine == EngineNumber(1))
    });
    assert_eq!(evaluated.count(), 3);
}

/// The start and the position after it, written by a program of version 1. Both have a solved
/// alternative.
const OF_VERSION_1: &[u8] = include_bytes!("version_1.emb");

#[test]
fn a_solved_alternative_of_version_1_proves_nothing() {
    let (_folder, store) = new_store();
    let mut source = Source::of_bytes(OF_VERSION_1.to_vec()).unwrap();
    import(&store, &mut source, &()).unwrap();
    let start = NodeKey::of(Board::START);
    let after = NodeKey::of(Board::START.play(Square::at(5, 4)).unwrap());
    let nodes = all_nodes(&store);
    assert_eq!(nodes.len(), 2);
    let value = |centidiscs| Value::new(centidiscs).unwrap();
    let level = |depth, selectivity, solved| Level {
        depth,
        selectivity,
        solved,
    };
    let evaluated = |centidiscs, level| {
        Some(Evaluation {
            value: value(centidiscs),
            level,
            engine: EngineNumber::UNKNOWN,
        })
    };
    assert_eq!(nodes[&start].origin, Origin::Game);
    assert_eq!(
        nodes[&start].evaluation,
        evaluated(150, level(12, 82, false))
    );
    let limit = Found::NoneAbove(value(200));
    assert_eq!(
        nodes[&start].alternative,
        Some(any_alternative(start, limit, level(60, 100, false)))
    );
    // The position's own solution still holds.
    assert_eq!(nodes[&after].origin, Origin::Expansion);
    assert_eq!(
        nodes[&after].evaluation,
        evaluated(-25, level(59, 100, true))
    );
    let bounds = nodes[&after].derived.bounds;
    assert_eq!((bounds.lower.discs(), bounds.upper.discs()), (-1, 0));
    let named = nodes[&after].alternative.unwrap();
    assert_eq!(named.found.value(), value(100));
    assert!(!named.level.solved);
    let counted = store.reader().counts(start).unwrap().unwrap();
    assert_eq!((counted.games, counted.years), (7, Some((1980, 1991))));
}

/// A file of the start alone, with an alternative whose move is this byte.
fn with_alternative(byte: u8) -> Vec<u8> {
    let start = NodeKey::of(Board::START);
    let mut columns = ColumnWriter::new(Vec::new());
    columns.put(Column::EngineNames, 0);
    columns.put(Column::Note, 0);
    for layer in Layer::all() {
        let has_one = layer == start.layer();
        columns.put(Column::Roots, has_one.into());
        if has_one {
            columns.put_all(Column::Roots, &start.to_bytes());
        }
    }
    // A game's position with an alternative that is a move and whole discs.
    columns.put(Column::Kinds, 1 << 4 | 1 << 6);
    for (column, byte) in [
        (Column::AlternativeDepth, 12),
        (Column::AlternativeSurety, 82),
        (Column::AlternativeEngine, 0),
        (Column::AlternativeMove, byte),
        (Column::Discs, 7),
        (Column::Children, 0),
    ] {
        columns.put(column, byte);
    }
    let header = Header {
        version: VERSION,
        positions: 1,
    };
    [&header.to_bytes()[..], &columns.finish().unwrap()].concat()
}

#[test]
fn an_illegal_alternative_is_refused_and_never_written() {
    let (_folder, store) = new_store();
    let import_into = |store: &Store, bytes| import(store, &mut Source::of_bytes(bytes)?, &());
    // The start has four moves. Once, the high bit named a square that was no legal move.
    for byte in [4, 0x80, 0xff] {
        let error = import_into(&store, with_alternative(byte)).unwrap_err();
        assert!(error.to_string().contains("no legal move"), "{error}");
    }
    assert!(store.is_empty().unwrap());
    import_into(&store, with_alternative(3)).unwrap();

    let (start, mut node) = all_nodes(&store).pop_first().unwrap();
    assert_eq!(node.derived.value, Value::new(700));
    let known: &mut Alternative = node.alternative.as_mut().unwrap();
    known.found = Found::Move(Square::at(0, 0), known.found.value());
    let mut batch = store.batch().unwrap();
    batch.put_node(start, &node);
    batch.commit().unwrap();
    for format in Format::ALL
        .into_iter()
        .filter(|format| format.is_readable())
    {
        let mut bytes = Vec::new();
        export(&store.reader(), format, true, &mut bytes, &()).unwrap();
        let (_folder, copy) = new_store();
        import_into(&copy, bytes).unwrap();
        assert_eq!(all_nodes(&copy)[&start].alternative, None, "{format}");
    }
}

#[test]
fn bits_of_moves_that_are_none_are_refused() {
    let start = NodeKey::of(Board::START);
    let limit = Found::NoneAbove(Value::ZERO);
    let level = Level {
        depth: 60,
        selectivity: 100,
        solved: true,
    };
    for (number, is_right) in [(0b1010, true), (0b1_0000, false), (1 << 32, false)] {
        let mut columns = ColumnWriter::new(Vec::new());
        columns.put_number(Column::LeftOut, number);
        columns.put(Column::AlternativeDepth, level.depth);
        columns.put(Column::AlternativeSurety, level.selectivity | 0x80);
        columns.put(Column::AlternativeEngine, 0);
        columns.put(Column::Discs, 0);
        columns.put(Column::Kinds, 1 << 5 | 1 << 6);
        let bytes = columns.finish().unwrap();
        let header = Header {
            version: VERSION,
            positions: 1,
        };
        let mut columns = ColumnReader::new(&bytes[..], header.columns());
        columns.begin_record().unwrap();
        let taken = take(&mut columns, header, start, Value::ZERO);
        assert_eq!(taken.is_ok(), is_right, "{number:b}");
        if let Ok((node, _)) = taken {
            let known = node.alternative.unwrap();
            assert_eq!((known.found, known.level), (limit, level));
            let legal: Vec<Square> = start.board().legal_moves().into_iter().collect();
            assert_eq!(
                known.among.into_iter().collect::<Vec<_>>(),
                [legal[0], legal[2]]
            );
        }
    }
}
