use crate::book::store::Store;
use super::super::super::tests::{
    any_level, any_value, counts, late_position, new_store, raw_nodes, universe,
};
use super::super::super::{
    Alternative, Evaluation, Found, Learner, Node, NodeKey, Origin, Plan, Statistics, sweep,
};
use super::super::{ExchangeError, Format, Source, export, import, unpack_into};
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
            node.evaluation = Some(Evaluation { value, level });
        }
        if random.below(3) > 0 {
            let (value, level) = (any_value(&mut random), any_level(&mut random));
            let legal: Vec<Square> = key.board().legal_moves().into_iter().collect();
            let found = match random.below(3) {
                0 => Found::NoneAbove(value),
                _ => Found::Move(legal[random.below(legal.len() as u64) as usize], value),
            };
            node.alternative = Some(Alternative { found, level });
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
    crate::book::settle(&layered, &()).unwrap();
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
    assert_eq!(&empty[..9], b"EMILIABK\x01");
    let mut newer = empty.clone();
    newer[8] = 2;
    let error = Source::of_bytes(newer).err().unwrap();
    assert!(error.to_string().contains("version 2"), "{error}");
    let error = Source::of_bytes(b"something".to_vec()).err().unwrap();
    assert!(matches!(error, ExchangeError::Unknown));
    assert_eq!(Format::of_name("x/y.EMB".as_ref()), Some(Format::Compact));
    let (_folder, copy) = new_store();
    let absorbed = import(&copy, &mut Source::of_bytes(empty).unwrap(), &()).unwrap();
    assert_eq!(absorbed.new, 0);
}
