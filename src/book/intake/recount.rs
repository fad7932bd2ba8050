//! Human statistics and the index follow from the games of the book. Where they no longer do, they
//! are made anew: those of the positions of single games whose record became another, or all.

use crate::book::Watcher;
use crate::book::archive::ArchivedGame;
use crate::book::index_write::{Indexing, Passage, Role, bytes_of_passages};
use crate::book::key::NodeKey;
use crate::book::list::GameNumber;
use crate::book::statistics::Played;
use crate::book::store::{Flag, Reader, Store, StoreError, Table};
use crate::book::tally::Tally;
use crate::othello::Color;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

const GAMES_AT_ONCE: usize = 10_000;
/// Positions whose statistics are written at once.
const POSITIONS_AT_ONCE: usize = 100_000;

/// Some of a game's positions, counted from the start on, with the colour to move: those that count.
pub fn positions_between(game: &ArchivedGame, some: Range<u8>) -> Vec<(NodeKey, Color)> {
    let mut positions = Vec::new();
    let mut number = 0;
    game.for_each_position(|key, turn| {
        if some.contains(&number) && !key.board().legal_moves().is_empty() {
            positions.push((key, turn));
        }
        number += 1;
    });
    positions
}

/// A game at some of its positions, as it is counted there.
pub fn seen_between(
    game: &ArchivedGame,
    number: GameNumber,
    some: Range<u8>,
    role: Role,
) -> Vec<Passage> {
    let positions = positions_between(game, some).into_iter();
    positions
        .map(|position| Passage::of(game, number, position, role))
        .collect()
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

/// Makes statistics and the index anew from the games, where that is due. False if the watcher
/// stopped it: then it is due again.
///
/// An early book kept some games without their contents, and a repair loses those that cannot be
/// read: what they counted cannot be made anew, so there the sums stay as they are, and one game may
/// count with an older record of its result.
pub fn recount(store: &Store, watcher: &dyn Watcher) -> Result<bool, StoreError> {
    let _turn = store.turn_at_games();
    let reader = store.snapshot();
    let all = reader.flag(Flag::RecountDue)?;
    let some = reader.games_to_recount()?;
    if !all && some.is_empty() {
        return Ok(true);
    }
    let sums_stay = has_games_without_moves(&reader)?;
    if sums_stay {
        tracing::warn!("the moves of some games are not known: statistics are not made anew");
    }
    let finished = if all {
        recount_all(store, &reader, sums_stay, watcher)?
    } else {
        sums_stay || recount_positions_of(store, &reader, &some, watcher)?
    };
    if finished {
        let mut batch = store.batch()?;
        batch.end_recount();
        batch.commit()?;
    }
    store.sync()?;
    Ok(finished)
}

/// Makes the index of all games anew, and their statistics. False if the watcher stopped it.
pub fn index_games(store: &Store, watcher: &dyn Watcher) -> Result<bool, StoreError> {
    let mut batch = store.batch()?;
    batch.raise(Flag::RecountDue);
    batch.commit()?;
    recount(store, watcher)
}

fn recount_all(
    store: &Store,
    reader: &Reader<'_>,
    sums_stay: bool,
    watcher: &dyn Watcher,
) -> Result<bool, StoreError> {
    tracing::info!("the games of the book are counted and indexed anew");
    // Before what is left of them is removed: a damaged file can go, but not be rewritten.
    store.drop_index_files()?;
    let mut batch = store.batch()?;
    batch.remove_index();
    if !sums_stay {
        batch.raise(Flag::HalfCounted);
        batch.remove_all_statistics();
    }
    batch.set_next_game(first_free_number(reader)?);
    batch.commit()?;
    if sums_stay {
        forget_only_games(store, reader)?;
    }
    let role = if sums_stay {
        Role::Listed
    } else {
        Role::Counted
    };
    let room = store.options().shares().work.as_usize();
    let mut given = HashSet::new();
    let mut rows = reader.rows(Table::Games, None)?;
    let mut is_end = false;
    while !is_end {
        let now = store.reader();
        let mut batch = store.batch()?;
        let mut indexing = Indexing::new(&now)?;
        while bytes_of_passages(indexing.seen()) < room && !is_end {
            if watcher.should_stop() {
                return Ok(false);
            }
            let mut games = Vec::new();
            while games.len() < GAMES_AT_ONCE
                && let Some((fingerprint, learned)) = rows.next_game()?
            {
                if learned.game.is_some() {
                    games.push((fingerprint, learned));
                }
            }
            is_end = games.is_empty();
            for (fingerprint, learned) in &mut games {
                let Some(game) = &learned.game else {
                    continue;
                };
                // A number that two games have is none.
                match learned.number.filter(|number| given.insert(*number)) {
                    Some(number) => indexing.keep_number(number, *fingerprint, game),
                    None => {
                        let number = indexing.number(*fingerprint, game);
                        given.insert(number);
                        learned.number = Some(number);
                        batch.put_game(*fingerprint, learned);
                    }
                }
            }
            let seen: Vec<Passage> = games
                .par_iter()
                .filter_map(|(_, learned)| Some((learned.game.as_ref()?, learned.number?, learned)))
                .flat_map_iter(|(game, number, learned)| {
                    seen_between(game, number, 0..learned.counted, role)
                })
                .collect();
            watcher.done(seen.len() as u64);
            indexing.see_all(seen);
        }
        if indexing.write(&now, &mut batch, watcher)?.is_none() {
            return Ok(false);
        }
        batch.commit()?;
    }
    Ok(true)
}

/// Leaves the sums, but not which game is a position's only one: that is a part of the index, and the
/// game may be lost.
fn forget_only_games(store: &Store, reader: &Reader<'_>) -> Result<(), StoreError> {
    let mut batch = store.batch()?;
    let mut rows = reader.rows(Table::Statistics, None)?;
    while let Some((key, played)) = rows.next_played()? {
        if played.only.is_some() {
            let only = None;
            batch.put_played(key, &Played { only, ..played });
        }
        if batch.len() >= POSITIONS_AT_ONCE {
            std::mem::replace(&mut batch, store.batch()?).commit()?;
        }
    }
    batch.commit()
}

/// Larger than the number of any game.
fn first_free_number(reader: &Reader<'_>) -> Result<GameNumber, StoreError> {
    let mut free = reader.next_game_if_legible()?.unwrap_or(GameNumber(0));
    let mut rows = reader.rows(Table::Games, None)?;
    while let Some((_, learned)) = rows.next_game()? {
        if let Some(GameNumber(number)) = learned.number {
            free = free.max(GameNumber(number.saturating_add(1)));
        }
    }
    Ok(free)
}

/// The index knows which games went through their positions.
fn recount_positions_of(
    store: &Store,
    reader: &Reader<'_>,
    fingerprints: &[u128],
    watcher: &dyn Watcher,
) -> Result<bool, StoreError> {
    let changed = reader.games(fingerprints)?.into_iter().flatten();
    let positions: BTreeSet<NodeKey> = changed
        .filter_map(|learned| Some(positions_between(&learned.game?, 0..learned.counted)))
        .flatten()
        .map(|(key, _)| key)
        .collect();
    let positions: Vec<NodeKey> = positions.into_iter().collect();
    let mut tally = Tally::new(reader);
    for some in positions.chunks(POSITIONS_AT_ONCE) {
        if watcher.should_stop() {
            return Ok(false);
        }
        let mut batch = store.batch()?;
        for &key in some {
            let games = reader.games_at(key)?;
            batch.put_played(key, &Played::by(&games, tally.statistics(key, &games)?));
        }
        batch.commit()?;
    }
    Ok(true)
}
