//! Taking positions out of a book so that it stays one: what no line leads to any more goes along,
//! and a move that left the book is remembered as an alternative, because bounds and values of the
//! position above it rest on that.

use super::leaving::{alternative_without, remove, unwant};
use super::staying::{Decision, reached_in};
use crate::book::Watcher;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::Node;
use crate::book::propagate::settle;
use crate::book::scan::{self, LayerScan, Scanned};
use crate::book::store::{Batch, Flag, Forgotten, Reader, Store, StoreError, Table};
use crate::othello::{Position, Square};

/// What a trim did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Trimmed {
    pub kept: u64,
    pub removed: u64,
}

/// A trim that cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum TrimError {
    #[error("the position after {0} moves of this line is not in the book")]
    NotInBook(usize),
    #[error("this would forget the whole book; delete its folder instead")]
    Everything,
    #[error("interrupted before anything was removed")]
    Interrupted,
    #[error("interrupted while positions were removed; the same command removes the rest")]
    Unfinished,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Which positions stay.
pub(super) enum Rule {
    /// Those of lines in which both sides together give away at most this many hundredths of a
    /// disc. A move whose value is unknown gives nothing away.
    WithinLoss(i32),
    /// Those that a line reaches without this one.
    Without(NodeKey),
}

impl Rule {
    /// What has been given away on the way to a position; none if it goes.
    pub(super) fn enters(&self, key: NodeKey, before: i32, loss: i32) -> Option<i32> {
        match self {
            Rule::WithinLoss(limit) => Some(before + loss).filter(|given| given <= limit),
            Rule::Without(forgotten) => (key != *forgotten).then_some(0),
        }
    }

    /// Tells it from other rules.
    fn name(&self) -> Vec<u8> {
        match self {
            Rule::WithinLoss(limit) => [&b"loss"[..], &limit.to_be_bytes()].concat(),
            Rule::Without(key) => [&b"without"[..], &key.to_bytes()].concat(),
        }
    }
}

/// Removes the lines on which more than `loss` centi-discs are given away. The book is to be settled
/// afterwards; a prune that was killed is finished by the same one.
pub fn prune(store: &Store, loss: i32, watcher: &dyn Watcher) -> Result<Trimmed, TrimError> {
    trim(store, &Rule::WithinLoss(loss), watcher)
}

/// Positions that are looked at, or written, at once; few in tests, so that these see it happen.
pub(super) const AT_ONCE: usize = if cfg!(test) { 64 } else { 1 << 14 };

/// A trim by this rule has begun to take positions out, and nothing has changed the values since.
pub(super) fn is_under_way(reader: &Reader<'_>, rule: &Rule) -> Result<bool, StoreError> {
    Ok(reader.flag(Flag::SweepDue)? && reader.trim()? == Some(rule.name()))
}

/// Decides by the values as they are, and then takes out in steps what goes. Moves that leave the
/// book are written down before what they lead to is removed, and what is removed first is what
/// nothing below is left of: so whoever decides again after a kill decides the same about the rest,
/// as long as nobody has derived the values anew.
pub(super) fn trim(
    store: &Store,
    rule: &Rule,
    watcher: &dyn Watcher,
) -> Result<Trimmed, TrimError> {
    // What goes is decided by values, so they must be up to date.
    if !is_under_way(&store.reader(), rule)? && !settle(store, watcher)?.finished {
        return Err(TrimError::Interrupted);
    }
    let snapshot = store.snapshot();
    let Some(decision) = Decision::by(&snapshot, rule, watcher)? else {
        return Err(TrimError::Interrupted);
    };
    let mut writes = Writes::new(store, rule)?;
    for layer in Layer::all() {
        remember_moves(&snapshot, layer, &decision, &mut writes, watcher)?;
    }
    for layer in Layer::all().rev() {
        let mut rows = snapshot.rows(Table::Nodes, Some(layer))?;
        for stays in &decision.layers[layer.index()] {
            let Some(key) = rows.next_key()? else {
                break;
            };
            if !stays {
                writes.remove(key)?;
                writes.go_on(watcher)?;
            }
        }
        watcher.done(decision.layers[layer.index()].len() as u64);
    }
    writes.finish(rule)?;
    Ok(decision.trimmed)
}

/// Moves that leave the book become what a search among the moves outside would have found.
fn remember_moves(
    reader: &Reader<'_>,
    layer: Layer,
    decision: &Decision,
    writes: &mut Writes<'_>,
    watcher: &dyn Watcher,
) -> Result<(), TrimError> {
    let (Some(next), stay) = (layer.next(), &decision.layers[layer.index()]) else {
        return Ok(());
    };
    let stay_below = &decision.layers[next.index()];
    if stay_below.iter().all(|stays| *stays) {
        return Ok(());
    }
    // Only of what leaves.
    let below = reached_in(reader, Some(next))?;
    let leaving = below.iter().zip(stay_below).filter(|(_, stays)| !**stays);
    let leaving = leaving.map(|((board, derived), _)| (NodeKey::of(*board), *derived));
    let leaving = LayerTable::new(leaving.collect());
    let mut rows = LayerScan::new(reader, layer, false)?;
    let mut stay = stay.iter();
    loop {
        let chunk = rows.next_chunk(AT_ONCE)?;
        if chunk.is_empty() {
            return Ok(());
        }
        let kept = chunk
            .into_iter()
            .zip(stay.by_ref())
            .filter(|(_, stays)| **stays);
        let kept: Vec<Scanned> = kept.map(|(row, _)| row).collect();
        let alternatives = scan::map_with_links(&kept, &leaving, |row, links| {
            alternative_without(row.key, &row.node, links)
        });
        for (row, alternative) in kept.into_iter().zip(alternatives) {
            if row.node.alternative != alternative {
                let node = Node {
                    alternative,
                    ..row.node
                };
                writes.put(row.key, &node)?;
                writes.go_on(watcher)?;
            }
        }
    }
}

/// Writes in steps. What a trim is about is written with the first step, and stays until the last.
struct Writes<'a> {
    store: &'a Store,
    reader: Reader<'a>,
    rule: Vec<u8>,
    something_is_wanted: bool,
    batch: Batch<'a>,
    /// Something was written, and nobody was asked since whether to go on.
    asks: bool,
}

impl<'a> Writes<'a> {
    fn new(store: &'a Store, rule: &Rule) -> Result<Writes<'a>, StoreError> {
        let reader = store.reader();
        let something_is_wanted = reader.rows(Table::Wanted, None)?.next_row()?.is_some();
        Ok(Writes {
            store,
            reader,
            rule: rule.name(),
            something_is_wanted,
            batch: store.batch()?,
            asks: false,
        })
    }

    /// An error if somebody wants to stop, who is asked after each step; what is not written yet is
    /// not.
    fn go_on(&mut self, watcher: &dyn Watcher) -> Result<(), TrimError> {
        match std::mem::take(&mut self.asks) && watcher.should_stop() {
            true => Err(TrimError::Unfinished),
            false => Ok(()),
        }
    }

    fn put(&mut self, key: NodeKey, node: &Node) -> Result<(), StoreError> {
        self.batch.put_node(key, node);
        self.write_if_full()
    }

    fn remove(&mut self, key: NodeKey) -> Result<(), StoreError> {
        remove(&mut self.batch, key);
        if self.something_is_wanted {
            unwant(&self.reader, &mut self.batch, key)?;
        }
        self.write_if_full()
    }

    fn write_if_full(&mut self) -> Result<(), StoreError> {
        if self.batch.len() < AT_ONCE {
            return Ok(());
        }
        let mut batch = std::mem::replace(&mut self.batch, self.store.batch()?);
        batch.begin_trim(&self.rule);
        batch.raise_sweep(self.reader.sweep_errand()?);
        self.asks = true;
        batch.commit()
    }

    fn finish(mut self, rule: &Rule) -> Result<(), StoreError> {
        self.batch.end_trim();
        if let Rule::Without(key) = rule {
            self.batch.note_forgotten(Forgotten::Position(*key));
        }
        self.batch.raise_sweep(self.reader.sweep_errand()?);
        self.batch.commit()
    }
}

/// The positions of a line, all of them in the book.
pub(super) fn line(reader: &Reader<'_>, moves: &[Square]) -> Result<Vec<NodeKey>, TrimError> {
    let line = positions_of(moves)?;
    must_be_there(reader, &line)?;
    Ok(line)
}

/// The positions of a line, in the book or not.
pub(super) fn positions_of(moves: &[Square]) -> Result<Vec<NodeKey>, TrimError> {
    let mut position = Position::START;
    let mut line = vec![NodeKey::of(position.board)];
    for (number, &square) in (1..).zip(moves) {
        position = position
            .play(square)
            .map_err(|_| TrimError::NotInBook(number))?;
        line.push(NodeKey::of(position.board));
    }
    Ok(line)
}

pub(super) fn must_be_there(reader: &Reader<'_>, line: &[NodeKey]) -> Result<(), TrimError> {
    let there = reader.contains(line)?;
    match there.iter().position(|there| !there) {
        Some(number) => Err(TrimError::NotInBook(number)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
