//! Human statistics follow from the games of the book. Where they no longer do, they are made anew.

use crate::book::Watcher;
use crate::book::archive::ArchivedGame;
use crate::book::key::NodeKey;
use crate::book::learn::add_up;
use crate::book::statistics::Statistics;
use crate::book::store::{Flag, Reader, Store, StoreError, Table};
use rayon::prelude::*;
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

/// Makes the statistics anew from the games, if that is due. False if the watcher stopped it.
///
/// An early book kept some games without their contents: what they counted cannot be made anew, so
/// there the sums stay as they are, and one game may count with an older record of its result.
pub fn recount(store: &Store, watcher: &dyn Watcher) -> Result<bool, StoreError> {
    let reader = store.snapshot();
    if !reader.flag(Flag::RecountDue)? {
        return Ok(true);
    }
    if has_games_without_moves(&reader)? {
        tracing::warn!(
            "games of an early book are known by name only: statistics are not made anew"
        );
        let mut batch = store.batch()?;
        batch.lower(Flag::RecountDue);
        batch.commit()?;
        return Ok(true);
    }
    let mut batch = store.batch()?;
    batch.remove_all_statistics();
    batch.commit()?;
    let mut rows = reader.rows(Table::Games, None)?;
    loop {
        if watcher.should_stop() {
            return Ok(false);
        }
        let mut games = Vec::new();
        while games.len() < GAMES_AT_ONCE
            && let Some((_, learned)) = rows.next_game()?
        {
            games.extend(learned.game.map(|game| (game, learned.counted)));
        }
        if games.is_empty() {
            break;
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
    batch.lower(Flag::RecountDue);
    batch.commit()?;
    store.sync()?;
    Ok(true)
}
