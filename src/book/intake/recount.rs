//! Human statistics follow from the games of the book. Where they no longer do, they are made anew:
//! those of the positions of single games whose record became another, or all.

use crate::book::Watcher;
use crate::book::archive::{ArchivedGame, LearnedGame};
use crate::book::key::NodeKey;
use crate::book::learn::add_up;
use crate::book::statistics::Statistics;
use crate::book::store::{Flag, Reader, Rows, Store, StoreError, Table};
use crate::othello::Board;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

const GAMES_AT_ONCE: usize = 10_000;

/// What a game adds to some of its positions, counted from the start on.
pub fn counted_between(game: &ArchivedGame, some: Range<u8>) -> Vec<(NodeKey, Statistics)> {
    let mut positions = Vec::new();
    let mut number = 0;
    game.for_each_position(|key, turn| {
        if some.contains(&number) && !key.board().legal_moves().is_empty() {
            positions.push((key, game.statistics(turn)));
        }
        number += 1;
    });
    positions
}

fn has_games_without_moves(reader: &Reader<'_>) -> Result<bool, StoreError> {
    let mut rows = reader.rows(Table::Games, None)?;
    while let Some((_, learned)) = rows.next_game()? {
        if learned.game.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes the statistics anew from the games, where that is due. False if the watcher stopped it.
///
/// An early book kept some games without their contents: what they counted cannot be made anew, so
/// there the sums stay as they are, and one game may count with an older record of its result.
pub fn recount(store: &Store, watcher: &dyn Watcher) -> Result<bool, StoreError> {
    let reader = store.snapshot();
    let all = reader.flag(Flag::RecountDue)?;
    let some = reader.games_to_recount()?;
    if !all && some.is_empty() {
        return Ok(true);
    }
    if has_games_without_moves(&reader)? {
        tracing::warn!(
            "games of an early book are known by name only: statistics are not made anew"
        );
        let mut batch = store.batch()?;
        batch.end_recount();
        batch.commit()?;
        return Ok(true);
    }
    let finished = if all {
        recount_all(store, &reader, watcher)?
    } else {
        recount_positions_of(store, &reader, &some, watcher)?
    };
    store.sync()?;
    Ok(finished)
}

fn recount_all(
    store: &Store,
    reader: &Reader<'_>,
    watcher: &dyn Watcher,
) -> Result<bool, StoreError> {
    let mut batch = store.batch()?;
    batch.remove_all_statistics();
    batch.commit()?;
    let mut rows = reader.rows(Table::Games, None)?;
    while let Some(games) = next_games(&mut rows)? {
        if watcher.should_stop() {
            return Ok(false);
        }
        let seen: Vec<(NodeKey, Statistics)> = games
            .into_par_iter()
            .flat_map_iter(|(game, counted)| counted_between(&game, 0..counted))
            .collect();
        let mut batch = store.batch()?;
        add_up(&mut batch, seen);
        batch.commit()?;
    }
    let mut batch = store.batch()?;
    batch.end_recount();
    batch.commit()?;
    Ok(true)
}

/// All games have to be looked at, but hardly any of their positions.
fn recount_positions_of(
    store: &Store,
    reader: &Reader<'_>,
    fingerprints: &[u128],
    watcher: &dyn Watcher,
) -> Result<bool, StoreError> {
    let changed = reader.games(fingerprints)?;
    let positions = Positions::of(changed.into_iter().flatten());
    let mut sums: HashMap<NodeKey, Statistics> = HashMap::new();
    let mut rows = reader.rows(Table::Games, None)?;
    while let Some(games) = next_games(&mut rows)? {
        if watcher.should_stop() {
            return Ok(false);
        }
        let seen: Vec<(NodeKey, Statistics)> = games
            .par_iter()
            .flat_map_iter(|(game, counted)| positions.counted(game, *counted))
            .collect();
        for (key, statistics) in seen {
            sums.entry(key).or_default().add(&statistics);
        }
    }
    let mut batch = store.batch()?;
    for (key, sum) in &sums {
        batch.put_statistics(*key, sum);
    }
    batch.end_recount();
    batch.commit()?;
    Ok(true)
}

/// Some games with how many of their positions are counted; none at the end.
fn next_games(rows: &mut Rows<'_>) -> Result<Option<Vec<(ArchivedGame, u8)>>, StoreError> {
    let mut games = Vec::new();
    while games.len() < GAMES_AT_ONCE
        && let Some((_, learned)) = rows.next_game()?
    {
        games.extend(learned.game.map(|game| (game, learned.counted)));
    }
    Ok((!games.is_empty()).then_some(games))
}

/// Some positions, to be found among those of many games.
struct Positions {
    keys: HashSet<NodeKey>,
    /// Whether one of them looks alike: most boards need no key.
    looks: Vec<bool>,
}

impl Positions {
    /// All that are counted of these games.
    fn of(games: impl Iterator<Item = LearnedGame>) -> Positions {
        let keys: HashSet<NodeKey> = games
            .filter_map(|learned| Some(counted_between(&learned.game?, 0..learned.counted)))
            .flatten()
            .map(|(key, _)| key)
            .collect();
        let mut looks = vec![false; 1 << LOOK_BITS];
        for key in &keys {
            looks[look(key.board())] = true;
        }
        Positions { keys, looks }
    }

    /// What a game adds to those of them that it went through.
    fn counted(
        &self,
        game: &ArchivedGame,
        counted: u8,
    ) -> impl Iterator<Item = (NodeKey, Statistics)> {
        game.positions()
            .take(counted.into())
            .filter(|position| self.looks[look(position.board)])
            .map(|position| (NodeKey::of(position.board), position.turn))
            .filter(|(key, _)| self.keys.contains(key))
            .map(|(key, turn)| (key, game.statistics(turn)))
    }
}

const LOOK_BITS: u32 = 16;

/// The same for all images of a board, and seldom the same for others.
fn look(board: Board) -> usize {
    const SETS: [u64; 3] = [
        0xff81_8181_8181_81ff,
        0x007e_4242_4242_7e00,
        0x8142_2418_1824_4281,
    ];
    let mut hash = 0u64;
    for discs in [board.mover().0, board.opponent().0] {
        for set in SETS {
            hash = hash << 5 | u64::from((discs & set).count_ones());
        }
    }
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - LOOK_BITS)) as usize
}
