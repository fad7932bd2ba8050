//! Forgetting a position with what only it leads to. Where that is little, only that is read and the
//! queue carries the change up; otherwise it is a trim like any other.

use super::leaving::{leave_moves, remove, unwant};
use super::trim::{Rule, TrimError, is_under_way, must_be_there, positions_of, trim};
use crate::book::Watcher;
use crate::book::codec::Profile;
use crate::book::edge::{Edge, edges};
use crate::book::key::NodeKey;
use crate::book::node::Node;
use crate::book::orphans::Roots;
use crate::book::parents::ParentFinder;
use crate::book::propagate::settle;
use crate::book::store::{Forgotten, Mark, Store, StoreError, Table};
use crate::othello::Square;
use std::collections::{BTreeMap, BTreeSet};

/// Removes a position and what only it leads to, and says how many these were. The book is to be
/// settled afterwards; what was killed is finished by the same again, which removes nothing if only
/// the settling is left.
pub fn forget(store: &Store, moves: &[Square], watcher: &dyn Watcher) -> Result<u64, TrimError> {
    let line = positions_of(moves)?;
    let last = match line.as_slice() {
        [.., last] if !moves.is_empty() => *last,
        _ => return Err(TrimError::Everything),
    };
    let reader = store.reader();
    if !reader.contains(&[last])?[0] && reader.is_being_forgotten(Forgotten::Position(last))? {
        return Ok(0);
    }
    must_be_there(&reader, &line)?;
    let rule = Rule::Without(last);
    if !is_under_way(&store.reader(), &rule)? {
        if !settle(store, watcher)?.finished {
            return Err(TrimError::Interrupted);
        }
        if let Some(few) = Few::below(store, last, watcher)? {
            return Ok(few.remove(store)?);
        }
    }
    Ok(trim(store, &rule, watcher)?.removed)
}

/// A position that is forgotten with what only it leads to, where that is little: only what is
/// removed is read, and what is directly above and below it.
pub(super) struct Few {
    forgotten: NodeKey,
    removed: BTreeSet<NodeKey>,
    /// The positions that stay and have moves to those, as they are then.
    above: BTreeMap<NodeKey, Node>,
}

/// Finding out about a position costs about as much as this many in a scan.
const SCAN_RATIO: u64 = 64;
/// So many are few in any book.
const FEW: u64 = 1000;
/// Two games seldom have as many moves in common.
const WHOLE_GAME: u8 = 40;
/// More would not be written at once.
const MOST: u64 = 1_000_000;

impl Few {
    /// None if there are many.
    pub(super) fn below(
        store: &Store,
        forgotten: NodeKey,
        watcher: &dyn Watcher,
    ) -> Result<Option<Few>, TrimError> {
        let reader = store.reader();
        let about = reader.estimated_records(Table::Nodes)?;
        let most = (about / SCAN_RATIO).clamp(FEW, MOST) as usize;
        // Where every position of whole games comes in, most games bring some of their own: the look
        // below would come to its end in vain.
        let games = reader
            .learned(forgotten)?
            .map_or(0, |learned| learned.games);
        let takes_all = |profile: Profile| profile.min_games <= 1 && profile.plies >= WHOLE_GAME;
        if games as usize > most && reader.profile()?.is_some_and(takes_all) {
            return Ok(None);
        }
        let roots = Roots::of(&reader)?;
        let mut finder = ParentFinder::new(&reader)?;
        let mut few = Few {
            forgotten,
            removed: BTreeSet::new(),
            above: BTreeMap::new(),
        };
        let mut looked_at = 0;
        let mut candidates = BTreeSet::from([forgotten]);
        while !candidates.is_empty() {
            let mut below = BTreeSet::new();
            for key in std::mem::take(&mut candidates) {
                looked_at += 1;
                if looked_at > most {
                    return Ok(None);
                }
                if watcher.should_stop() {
                    return Err(TrimError::Interrupted);
                }
                let parents = finder.find(key)?;
                let stays = |parent: &NodeKey| !few.removed.contains(parent);
                if key != forgotten && (roots.contain(key) || parents.iter().any(stays)) {
                    continue;
                }
                few.removed.insert(key);
                let children: Vec<NodeKey> =
                    edges(key.board()).iter().filter_map(Edge::child).collect();
                let there = reader.contains(&children)?;
                let there = children.into_iter().zip(there).filter(|(_, there)| *there);
                below.extend(there.map(|(child, _)| child));
            }
            candidates = below;
        }
        // What stays and has a move to what goes is above the position itself: of all others every
        // position above goes, too.
        for parent in finder.find(forgotten)? {
            if let Some(mut node) = reader.node(parent)? {
                let leaves = |child: NodeKey| few.removed.contains(&child);
                leave_moves(&reader, parent, &mut node, leaves)?;
                few.above.insert(parent, node);
            }
        }
        watcher.done(few.removed.len() as u64);
        Ok(Some(few))
    }

    pub(super) fn remove(self, store: &Store) -> Result<u64, StoreError> {
        let reader = store.reader();
        let mut batch = store.batch()?;
        for (key, node) in &self.above {
            batch.put_node(*key, node);
            batch.mark(*key, Mark::Changed, None);
        }
        for key in &self.removed {
            remove(&mut batch, *key);
            unwant(&reader, &mut batch, *key)?;
        }
        batch.note_forgotten(Forgotten::Position(self.forgotten));
        batch.commit()?;
        Ok(self.removed.len() as u64)
    }
}
