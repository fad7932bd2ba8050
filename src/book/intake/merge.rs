//! Two books into one: the deeper knowledge of each position stands, what was proven on either side
//! holds, and every game counts once. The order of merging does not matter, nor how often it is
//! done.

use crate::book::Watcher;
use crate::book::absorb::{Absorbed, Absorber, Incoming, Linker};
use crate::book::admit::admit;
use crate::book::archive::LearnedGame;
use crate::book::engine::Renumbering;
use crate::book::index_write::{GAME_BYTES, Indexing, Passage, Role, bytes_of_passages};
use crate::book::key::Layer;
use crate::book::recount::{recount, seen_between};
use crate::book::scan::{Counts, keys_of};
use crate::book::store::{Batch, Flag, Reader, Store, StoreError, Table};
use rayon::prelude::*;

/// What a merge did.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Merged {
    pub positions: Absorbed,
    /// Games that were unknown here, or known less deep.
    pub games: u64,
    /// Games that both have.
    pub known_games: u64,
    /// Games that an early book kept without their moves: they cannot be counted here.
    pub games_without_moves: u64,
}

/// No game has more positions.
const LONGEST_GAME: usize = 61;
/// Games whose positions are looked at together.
const LESSONS_AT_ONCE: usize = 4096;
const POSITIONS_AT_ONCE: usize = 1 << 14;

/// Takes all that another book knows into this one, which is to be settled afterwards. The profile
/// of this book stays, so that its own games bring in no more than before, unless it is to be
/// widened to that of the other.
pub fn merge(
    store: &Store,
    other: &Store,
    widen: bool,
    watcher: &dyn Watcher,
) -> Result<Merged, StoreError> {
    // Games go into an index that is whole.
    if store.reader().flag(Flag::RecountDue)? && !recount(store, watcher)? {
        return Ok(Merged::default());
    }
    let expected = other.estimated_records(Table::Nodes)?;
    let other = &other.snapshot();
    let mut merged = Merged {
        positions: merge_positions(store, other, expected, watcher)?,
        ..Merged::default()
    };
    if !merged.positions.finished {
        return Ok(merged);
    }
    if !merge_games(store, other, &mut merged, watcher)? {
        merged.positions.finished = false;
        return Ok(merged);
    }
    let mut batch = store.batch()?;
    if other.flag(Flag::HeldBack)? {
        batch.raise(Flag::HeldBack);
    }
    let here = store.reader().profile()?;
    let mut min_games = 1;
    if let (Some(mut profile), Some(other)) = (here, other.profile()?) {
        if widen || profile.is_fresh() {
            profile.plies = profile.plies.max(other.plies);
            profile.min_games = profile.min_games.min(other.min_games);
            batch.set_profile(&profile);
        }
        min_games = profile.min_games;
    }
    batch.commit()?;
    if store.reader().flag(Flag::HeldBack)? {
        // Games of both books together may be enough for a position.
        merged.positions.new += admit(store, min_games, None)?;
    }
    store.sync()?;
    Ok(merged)
}

fn merge_positions(
    store: &Store,
    other: &Reader<'_>,
    expected: u64,
    watcher: &dyn Watcher,
) -> Result<Absorbed, StoreError> {
    let engines = Renumbering::new(&other.engines()?, |name| store.engine_number(name))?;
    let mut absorber = Absorber::new(store, expected)?;
    let mut linker = Linker::default();
    for layer in Layer::all() {
        let mut linked = linker.link_keys(&keys_of(other, layer)?).into_iter();
        let mut rows = other.rows(Table::Nodes, Some(layer))?;
        let mut counts = Counts::new(other, Table::Counts, layer)?;
        loop {
            let mut incoming = Vec::new();
            while incoming.len() < POSITIONS_AT_ONCE
                && let Some((key, node)) = rows.next_node()?
            {
                incoming.push(Incoming {
                    key,
                    node: node.renumbered(&engines),
                    counted: counts.at(key)?,
                    linked: linked.next().unwrap_or(false),
                });
            }
            if incoming.is_empty() {
                break;
            }
            if !absorber.take(&incoming, watcher)? {
                return absorber.end(false);
            }
        }
    }
    absorber.end(true)
}

/// False if the watcher stopped it.
fn merge_games(
    store: &Store,
    other: &Reader<'_>,
    merged: &mut Merged,
    watcher: &dyn Watcher,
) -> Result<bool, StoreError> {
    // As `learn`: the more at once, the fewer records are written twice.
    let room = store.options().shares().work.as_usize();
    let at_once = room / (GAME_BYTES + bytes_of_passages(LONGEST_GAME));
    let mut rows = other.rows(Table::Games, None)?;
    loop {
        if watcher.should_stop() {
            return Ok(false);
        }
        let mut games = Vec::new();
        while games.len() < at_once
            && let Some(game) = rows.next_game()?
        {
            games.push(game);
        }
        if games.is_empty() {
            return Ok(true);
        }
        let _turn = store.turn_at_games();
        let mut batch = store.batch()?;
        if !merge_some(&store.reader(), games, merged, &mut batch, watcher)? {
            return Ok(false);
        }
        batch.commit()?;
    }
}

/// False if the watcher stopped it; then nothing of the batch is to be written.
fn merge_some(
    here: &Reader<'_>,
    games: Vec<(u128, LearnedGame)>,
    merged: &mut Merged,
    batch: &mut Batch<'_>,
    watcher: &dyn Watcher,
) -> Result<bool, StoreError> {
    let fingerprints: Vec<u128> = games.iter().map(|(fingerprint, _)| *fingerprint).collect();
    let known = here.games(&fingerprints)?;
    let mut lessons = Vec::new();
    let mut indexing = Indexing::new(here)?;
    for ((fingerprint, mut coming), known) in games.into_iter().zip(known) {
        // The other book's.
        coming.number = None;
        if coming.game.is_none() {
            // Learned from its collection it can still be counted, as long as it is not known.
            merged.games_without_moves += 1;
            continue;
        }
        let Some(known) = known else {
            merged.games += 1;
            let number = coming
                .game
                .as_ref()
                .map(|game| indexing.number(fingerprint, game));
            coming.number = number;
            batch.put_game(fingerprint, &coming);
            let game = coming.game.zip(number);
            lessons.extend(game.map(|(game, number)| (game, number, 0..coming.counted)));
            continue;
        };
        let joined = known.clone().join(coming);
        if joined == known {
            merged.known_games += 1;
            continue;
        }
        batch.put_game(fingerprint, &joined);
        let (Some(old), Some(game), Some(number)) = (known.game, joined.game, known.number) else {
            // What it counted is not known.
            merged.games += 1;
            batch.raise(Flag::RecountDue);
            continue;
        };
        indexing.change(number, &old, &game);
        let is_deeper = joined.counted > known.counted;
        // Years cannot be taken out of a sum, so that the sum is made anew.
        let counts_otherwise = !old.counts_like(&game);
        if counts_otherwise {
            batch.recount_game(fingerprint);
        }
        if is_deeper {
            lessons.push((game, number, known.counted..joined.counted));
        }
        if is_deeper || counts_otherwise {
            merged.games += 1;
        } else {
            merged.known_games += 1;
        }
    }
    for some in lessons.chunks(LESSONS_AT_ONCE) {
        let seen: Vec<Passage> = some
            .par_iter()
            .flat_map_iter(|(game, number, some)| {
                seen_between(game, *number, some.clone(), Role::Counted)
            })
            .collect();
        indexing.see_all(seen);
    }
    Ok(indexing.write(here, batch, watcher)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::node::{EngineNumber, Evaluation, Found};
    use crate::book::tests::{any_alternative, any_level, any_value, new_store, without_numbers};
    use crate::book::{Learner, Plan, Statistics, check, settle};
    use crate::games::{Date, Details, Game, Moves, SampleGames};
    use crate::othello::{Random, Square};
    use tempfile::TempDir;

    /// A book of some games, with searches on some of its positions.
    fn book(seed: u64, games: &[Game], plies: u8, min_games: u32) -> (TempDir, Store) {
        let mut random = Random::new(seed);
        let (folder, store) = new_store();
        let plan = Plan {
            plies,
            min_games,
            games_at_once: 40,
        };
        let mut learner = Learner::new(&store, plan);
        learner.add(games).unwrap();
        learner.finish().unwrap();
        let reader = store.snapshot();
        let mut rows = reader.rows(Table::Nodes, None).unwrap();
        let mut batch = store.batch().unwrap();
        while let Some((key, mut node)) = rows.next_node().unwrap() {
            if random.below(2) == 0 {
                let (value, level) = (any_value(&mut random), any_level(&mut random));
                let engine = EngineNumber::UNKNOWN;
                node.evaluation = Some(Evaluation {
                    value,
                    level,
                    engine,
                });
            }
            if random.below(2) == 0 {
                let (value, level) = (any_value(&mut random), any_level(&mut random));
                let legal: Vec<Square> = key.board().legal_moves().into_iter().collect();
                let found = match random.below(2) {
                    0 => Found::NoneAbove(value),
                    _ => Found::Move(legal[random.below(legal.len() as u64) as usize], value),
                };
                node.alternative = Some(any_alternative(key, found, level));
            }
            batch.put_node(key, &node);
            if random.below(9) == 0 {
                let games = random.below(50) as u32;
                let counted = Statistics {
                    games,
                    wins: games,
                    ..Statistics::default()
                };
                batch.put_counts(key, &counted);
            }
        }
        batch.raise(Flag::SweepDue);
        batch.commit().unwrap();
        settle(&store, &()).unwrap();
        drop(rows);
        drop(reader);
        (folder, store)
    }

    /// The same game with another year, or none.
    fn redated(game: &Game, year: Option<u16>) -> Game {
        let details = Details {
            date: year.and_then(Date::year_only),
            ..game.details().clone()
        };
        let moves = Moves::try_from(game.moves()).unwrap();
        Game::new(game.start(), moves, details).unwrap()
    }

    /// Every record of every table, but for what a book remembers about itself.
    fn records(store: &Store) -> Vec<(Table, Vec<u8>, Vec<u8>)> {
        store.compact().unwrap();
        let reader = store.reader();
        let mut all = Vec::new();
        for table in Table::ALL {
            if matches!(table, Table::Meta | Table::Index) {
                continue;
            }
            let mut rows = reader.rows(table, None).unwrap();
            while let Some((key, value)) = rows.next_row().unwrap() {
                let value = without_numbers(table, value.to_vec());
                all.push((table, key.to_vec(), value));
            }
        }
        all
    }

    /// All of these into a new book, one after the other.
    fn merged(books: &[&Store]) -> (TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let [first, others @ ..] = books else {
            panic!("there are books");
        };
        first.copy_to(&path).unwrap();
        let store = Store::open(&path).unwrap();
        for other in others {
            merge(&store, other, true, &()).unwrap();
            settle(&store, &()).unwrap();
        }
        let found = check(&store, &()).unwrap();
        assert!(found.is_sound(), "{:?}", found.violations);
        (folder, store)
    }

    #[test]
    fn the_order_of_merging_does_not_matter() {
        let games: Vec<Game> = SampleGames::new(5).take(75).collect();
        let mut others: Vec<Game> = games[25..].to_vec();
        others[0] = redated(&others[0], Some(1901));
        others[1] = redated(&others[1], None);
        let (_a, a) = book(1, &games[..50], 20, 1);
        let (_b, b) = book(2, &others, 30, 1);
        let (_c, c) = book(3, &games[10..30], 60, 1);
        let (_f, one) = merged(&[&a, &b, &c]);
        let expected = records(&one);
        for order in [[&a, &c, &b], [&b, &a, &c], [&c, &b, &a]] {
            let (_f, other) = merged(&order);
            assert!(records(&other) == expected);
        }
        let (_f, pair) = merged(&[&b, &c]);
        let (_f, grouped) = merged(&[&a, &pair]);
        assert!(records(&grouped) == expected);
        let (_f, twice) = merged(&[&one, &a, &one, &b]);
        assert!(records(&twice) == expected);
    }

    #[test]
    fn a_book_merged_with_itself_is_the_same() {
        let games: Vec<Game> = SampleGames::new(6).take(60).collect();
        let (_a, a) = book(1, &games, 25, 1);
        let before = records(&a);
        let (_f, twice) = merged(&[&a, &a]);
        assert!(records(&twice) == before);
    }

    #[test]
    fn no_game_is_counted_twice_and_none_is_lost() {
        let games: Vec<Game> = SampleGames::new(7).take(120).collect();
        for min_games in [1, 3] {
            let (_a, a) = book(1, &games[..80], 20, min_games);
            let (_b, b) = book(2, &games[40..], 20, min_games);
            let (_all, all) = book(3, &games, 20, min_games);
            let (_f, both) = merged(&[&a, &b]);
            for table in [Table::Statistics, Table::Games] {
                let of = |store: &Store| -> Vec<_> {
                    let rows = records(store).into_iter();
                    rows.filter(|(of, ..)| *of == table).collect()
                };
                assert!(of(&both) == of(&all), "{table:?}");
            }
            let keys = |store: &Store| -> Vec<_> {
                let rows = records(store).into_iter();
                let nodes = rows.filter(|(table, ..)| *table == Table::Nodes);
                nodes.map(|(_, key, _)| key).collect()
            };
            assert!(
                keys(&both) == keys(&all),
                "positions that enough games reached"
            );
        }
    }

    #[test]
    fn into_an_empty_book_a_merge_is_a_copy() {
        let games: Vec<Game> = SampleGames::new(8).take(40).collect();
        let (_a, a) = book(1, &games, 20, 1);
        let (_f, store) = new_store();
        merge(&store, &a, false, &()).unwrap();
        settle(&store, &()).unwrap();
        assert!(records(&store) == records(&a));
    }
}
