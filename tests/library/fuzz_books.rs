//! Damaged book files: no panic, no partial import, and what does come in leaves a sound book.

use emilia::book::{
    Format, Learner, Plan, Reader, Source, Store, Table, check, export, import, settle,
};
use emilia::games::{Game, SampleGames};
use proptest::prelude::*;
use std::sync::OnceLock;
use tempfile::TempDir;

fn book(seed: u64, games: usize) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(folder.path()).unwrap();
    let plan = Plan {
        plies: 60,
        min_games: 1,
        games_at_once: 1000,
    };
    let games: Vec<Game> = SampleGames::new(seed).take(games).collect();
    let mut learner = Learner::new(&store, plan);
    learner.add(&games).unwrap();
    learner.finish().unwrap();
    settle(&store, &()).unwrap();
    (folder, store)
}

/// One whole file of every format that can be read.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let (_folder, store) = book(1, 3);
        let readable = Format::ALL
            .into_iter()
            .filter(|format| format.is_readable());
        readable
            .map(|format| {
                let mut bytes = Vec::new();
                export(&store.reader(), format, true, &mut bytes, &()).unwrap();
                bytes
            })
            .collect()
    })
}

/// Replaces some bytes by others: flips, cuts, insertions and repetitions are all of that kind.
#[derive(Clone, Debug)]
struct Damage {
    at: usize,
    removed: usize,
    put: Vec<u8>,
}

fn any_damage() -> impl Strategy<Value = Damage> {
    let put = prop_oneof![
        3 => prop::collection::vec(any::<u8>(), 1..2),
        2 => Just(Vec::new()),
        2 => prop::collection::vec(any::<u8>(), 0..40),
        1 => Just(vec![0xff; 4]),
        1 => (any::<prop::sample::Index>(), any::<usize>(), 1usize..200).prop_map(
            |(seed, at, length)| {
                let seed = seed.get(seeds());
                let at = at % seed.len();
                seed[at..(at + length).min(seed.len())].to_vec()
            }
        ),
    ];
    let removed = prop_oneof![3 => Just(1usize), 2 => 0usize..60, 1 => Just(usize::MAX)];
    (any::<usize>(), removed, put).prop_map(|(at, removed, put)| Damage { at, removed, put })
}

fn any_mutant() -> impl Strategy<Value = Vec<u8>> {
    let damages = prop::collection::vec(any_damage(), 1..5);
    (any::<prop::sample::Index>(), damages).prop_map(|(seed, damages)| {
        let mut bytes = seed.get(seeds()).clone();
        for Damage { at, removed, put } in damages {
            let at = at % (bytes.len() + 1);
            let end = at.saturating_add(removed).min(bytes.len());
            bytes.splice(at..end, put);
        }
        bytes
    })
}

fn records(reader: &Reader<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    for table in Table::ALL {
        let mut rows = reader.rows(table, None).unwrap();
        while let Some((key, value)) = rows.next_row().unwrap() {
            all.push((key.to_vec(), value.to_vec()));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn damaged_files_give_errors_and_leave_the_book_alone(bytes in any_mutant()) {
        thread_local! {
            static BOOK: (TempDir, Store) = book(2, 2);
        }
        BOOK.with(|(_, store)| {
            let before = records(&store.reader());
            let imported = Source::of_bytes(bytes)
                .and_then(|mut source| import(store, &mut source, &()));
            match imported {
                Ok(_) => {
                    settle(store, &()).unwrap();
                    let found = check(store, &()).unwrap();
                    prop_assert!(found.is_sound(), "{:?}", found.violations);
                }
                Err(error) => {
                    let said = error.to_string();
                    prop_assert!(said.len() < 500, "{}", said);
                    prop_assert!(records(&store.reader()) == before, "{}", said);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn random_bytes_are_no_book(bytes: Vec<u8>) {
        prop_assert!(Source::of_bytes(bytes).is_err());
    }
}
