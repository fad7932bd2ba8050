//! Taking a game out of a book, as if it had never been learned: its record, what it counts in the
//! statistics, its place in the index, and the positions that only it brought in.

use super::leaving::{leave_moves, unwant};
use crate::book::archive::LearnedGame;
use crate::book::edge::edges;
use crate::book::index_key::IndexKey;
use crate::book::index_write::Indexing;
use crate::book::key::NodeKey;
use crate::book::list::{self, GameNumber};
use crate::book::node::{Node, Origin};
use crate::book::parents::ParentFinder;
use crate::book::recount::positions_between;
use crate::book::statistics::{Played, Statistics};
use crate::book::store::{Batch, Forgotten, Mark, Reader, Store, StoreError, Table};
use crate::book::tally::Tally;
use crate::book::{ArchivedGame, FindError};
use std::collections::{BTreeMap, BTreeSet};

/// What went with a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForgottenGame {
    pub game: ArchivedGame,
    /// Positions that left the book.
    pub removed: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ForgetGameError {
    #[error("there is no game {0} in the book; emilia book games lists them with their numbers")]
    NoSuchGame(GameNumber),
    #[error(transparent)]
    Find(#[from] FindError),
}

impl From<StoreError> for ForgetGameError {
    fn from(error: StoreError) -> ForgetGameError {
        ForgetGameError::Find(error.into())
    }
}

/// Whether the book has a game of this number that it can forget.
pub fn is_game(store: &Store, number: GameNumber) -> Result<bool, ForgetGameError> {
    let reader = store.snapshot();
    must_be_indexed(store, &reader)?;
    Ok(game_of(&reader, number)?.is_some())
}

fn must_be_indexed(store: &Store, reader: &Reader<'_>) -> Result<(), ForgetGameError> {
    if !reader.is_indexed()? {
        let path = store.path().to_owned();
        return Err(FindError::NotIndexed { path }.into());
    }
    Ok(())
}

/// The game of a number, its name in the archive, and how many of its positions are counted.
fn game_of(
    reader: &Reader<'_>,
    number: GameNumber,
) -> Result<Option<(u128, ArchivedGame, u8)>, StoreError> {
    let fingerprint = reader.fingerprints(&[number])?.first().copied().flatten();
    let Some(fingerprint) = fingerprint else {
        return Ok(None);
    };
    let learned = reader.games(&[fingerprint])?.pop().flatten();
    let found = learned.and_then(|LearnedGame { game, counted, .. }| Some((game?, counted)));
    Ok(found.map(|(game, counted)| (fingerprint, game, counted)))
}

/// Removes a game, all of it or nothing. The book is to be settled afterwards.
///
/// A position goes along if it came in with games, fewer games than the book asks for are left
/// there, no file counted games there, and no position of the book that stays would lose its last
/// way in. What else came in with games and only such positions lead to goes, too: what came instead
/// of the game's ending, and what enough other games reach by ways that are not in the book.
pub fn forget_game(store: &Store, number: GameNumber) -> Result<ForgottenGame, ForgetGameError> {
    let _turn = store.turn_at_games();
    let reader = store.snapshot();
    must_be_indexed(store, &reader)?;
    let none = || ForgetGameError::NoSuchGame(number);
    let (fingerprint, game, counted) = game_of(&reader, number)?.ok_or_else(none)?;
    let mut batch = store.batch()?;
    batch.remove(Table::Games, &fingerprint.to_be_bytes());
    batch.remove(Table::Index, &IndexKey::Number(number).to_bytes());
    let mut indexing = Indexing::new(&reader)?;
    indexing.remove(number, &game);
    indexing.write(&reader, &mut batch, &())?;
    let path = positions_between(&game, 0..counted);
    let mut left = BTreeMap::new();
    let mut tally = Tally::new(&reader);
    for (key, turn) in path {
        let adds = game.statistics(turn);
        let games = uncount(&reader, &mut batch, &mut tally, number, key, &adds)?;
        left.insert(key, games);
    }
    let going = going(&reader, &left)?;
    remove_positions(&reader, &mut batch, &going)?;
    batch.note_forgotten(Forgotten::Game(number));
    batch.commit()?;
    store.sync()?;
    Ok(ForgottenGame {
        game,
        removed: going.len() as u64,
    })
}

/// Takes a game out of the statistics and the list of a position. Gives how many games are left.
fn uncount(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    tally: &mut Tally<'_>,
    number: GameNumber,
    key: NodeKey,
    added: &Statistics,
) -> Result<u32, StoreError> {
    let before = reader.learned(key)?.unwrap_or_default();
    let games = reader.games_at(key)?;
    let rest = list::without(&games, &[number]);
    let played = if before.games as usize == games.len() {
        Played::by(&rest, tally.statistics(key, &rest)?)
    } else {
        // An early book counted games of which nothing else is known.
        let statistics = before.without(added);
        Played {
            statistics,
            only: None,
        }
    };
    if played.statistics.games == 0 {
        batch.remove(Table::Statistics, &key.to_bytes());
    } else {
        batch.put_played(key, &played);
    }
    // An only game needs no list.
    let listed = rest.into_iter().filter(|game| played.only != Some(*game));
    let listed: Vec<GameNumber> = listed.collect();
    batch.put_list(&IndexKey::Position(key), &listed);
    Ok(played.statistics.games)
}

/// The positions that go with a game, given its positions with the games that are left there.
fn going(
    reader: &Reader<'_>,
    left: &BTreeMap<NodeKey, u32>,
) -> Result<BTreeSet<NodeKey>, StoreError> {
    let least = reader.profile()?.map_or(1, |profile| profile.min_games);
    let least = if least == u32::MAX { 1 } else { least.max(1) };
    let mut going = BTreeSet::new();
    let keys: Vec<NodeKey> = left.keys().copied().collect();
    for (key, node) in keys.iter().zip(reader.nodes(&keys)?) {
        let few = left.get(key).is_some_and(|games| *games < least);
        if let Some(node) = node
            && few
            && came_with_games(reader, *key, &node)?
        {
            going.insert(*key);
        }
    }
    // What came instead of an ending hangs below, and what enough games reached but only a move from
    // here led to. From the fewest discs on, so that all above a position is decided before it.
    let mut finder = ParentFinder::new(reader)?;
    let mut hanging = BTreeSet::new();
    let mut above = going.clone();
    while let Some(key) = above.pop_first() {
        let below = children(key);
        for (key, node) in below.iter().zip(reader.nodes(&below)?) {
            if let Some(node) = node
                && !going.contains(key)
                && came_with_games(reader, *key, &node)?
                && finder
                    .find(*key)?
                    .iter()
                    .all(|parent| going.contains(parent))
            {
                going.insert(*key);
                hanging.insert(*key);
                above.insert(*key);
            }
        }
    }
    loop {
        let mut stays = Vec::new();
        for key in &going {
            let goes = |key: &NodeKey| going.contains(key);
            let mut held = hanging.contains(key) && !finder.find(*key)?.iter().all(goes);
            let below = children(*key);
            for (below, there) in below.iter().zip(reader.contains(&below)?) {
                held |= there && !goes(below) && finder.find(*below)?.iter().all(goes);
            }
            if held {
                stays.push(*key);
            }
        }
        if stays.is_empty() {
            return Ok(going);
        }
        going.retain(|key| !stays.contains(key));
    }
}

/// Only games brought the position in, and they are all in the archive.
fn came_with_games(reader: &Reader<'_>, key: NodeKey, node: &Node) -> Result<bool, StoreError> {
    Ok(node.origin == Origin::Game && reader.counts(key)?.is_none())
}

fn children(key: NodeKey) -> Vec<NodeKey> {
    let edges = edges(key.board());
    edges.iter().filter_map(|edge| edge.child()).collect()
}

/// Takes positions out of the book. Positions with a move to one of them remember what it was
/// worth, as when a book is pruned.
fn remove_positions(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    going: &BTreeSet<NodeKey>,
) -> Result<(), StoreError> {
    let mut finder = ParentFinder::new(reader)?;
    let mut parents = BTreeSet::new();
    for key in going {
        parents.extend(finder.find(*key)?);
        batch.remove(Table::Nodes, &key.to_bytes());
        unwant(reader, batch, *key)?;
        for (mark, errand) in reader.marks(*key)? {
            batch.unmark(*key, mark, errand);
        }
    }
    for parent in parents.into_iter().filter(|key| !going.contains(key)) {
        batch.mark(parent, Mark::Changed, None);
        let Some(mut node) = reader.node(parent)? else {
            continue;
        };
        leave_moves(reader, parent, &mut node, |child| going.contains(&child))?;
        batch.put_node(parent, &node);
    }
    Ok(())
}
