//! A part of a book as a book of its own, copied from the start on: only what is reached is read,
//! and only one layer's keys are remembered.

use super::leaving::leave_moves;
use super::trim::{TrimError, line};
use crate::book::Watcher;
use crate::book::absorb::Absorbed;
use crate::book::edge::for_each_edge;
use crate::book::engine::Renumbering;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Told};
use crate::book::propagate::settle;
use crate::book::rule::derive;
use crate::book::scan::LayerScan;
use crate::book::store::{PutPosition, Reader, Record, Store, StoreError, Table};
use crate::othello::Square;
use rayon::prelude::*;

/// Fills an empty book with a line of this one and all below its end.
pub fn subtree(
    reader: &Reader<'_>,
    moves: &[Square],
    into: &Store,
    watcher: &dyn Watcher,
) -> Result<Absorbed, TrimError> {
    let line = line(reader, moves)?;
    reader.must_be_counted()?;
    let mut copying = Copying {
        reader,
        engines: Renumbering::new(&reader.engines()?, |name| into.engine_number(name))?,
        about: reader.estimated_records(Table::Nodes)?,
        watcher,
        positions: 0,
    };
    let finished = into.bulk_positions(|put| copying.all(&line, put))?;
    let positions = copying.positions;
    if !reader.is_settled()? {
        into.make_sweep_due()?;
        settle(into, watcher)?;
    }
    Ok(Absorbed {
        new: if finished { positions } else { 0 },
        finished,
        ..Absorbed::default()
    })
}

const AT_ONCE: usize = 1 << 14;
const PER_JOB: usize = 512;
/// Reading a position on its way costs about as much as this many in a scan.
const SCAN_RATIO: u64 = 8;

struct Copying<'a> {
    reader: &'a Reader<'a>,
    /// The new book has its own numbers for those who searched.
    engines: Renumbering,
    /// About how many positions the book has.
    about: u64,
    watcher: &'a dyn Watcher,
    positions: u64,
}

impl Copying<'_> {
    /// False if the watcher stopped it.
    fn all(&mut self, line: &[NodeKey], put: &mut PutPosition<'_>) -> Result<bool, StoreError> {
        let Some((end, before)) = line.split_last() else {
            return Ok(true);
        };
        for (key, node) in before.iter().zip(self.without_the_rest(line)?) {
            let counted = self.reader.statistics(*key)?;
            put(*key, &node.renumbered(&self.engines), counted.as_ref())?;
            self.positions += 1;
        }
        let mut reached = vec![*end];
        let mut layer = end.layer();
        loop {
            let kept = self.layer(layer, &reached, put)?;
            if self.watcher.should_stop() {
                return Ok(false);
            }
            reached = below(&kept);
            match layer.next() {
                Some(next) if !reached.is_empty() => layer = next,
                _ => return Ok(true),
            }
        }
    }

    /// The positions before the end of the line as they are when each has one move that leads on.
    fn without_the_rest(&self, line: &[NodeKey]) -> Result<Vec<Node>, StoreError> {
        let mut nodes = Vec::new();
        let mut after: Option<(NodeKey, Told)> = None;
        for &key in line.iter().rev() {
            let Some(mut node) = self.reader.node(key)? else {
                continue;
            };
            if let Some((next, told)) = after {
                leave_moves(self.reader, key, &mut node, |child| child != next)?;
                node.derived = derive(key, &node, |child| (child == next).then_some(told));
            }
            after = Some((key, node.derived.told()));
            nodes.push(node);
        }
        nodes.reverse();
        Ok(nodes)
    }

    /// Copies those of these positions of a layer, given in order, that are in the book, and says
    /// which they are.
    fn layer(
        &mut self,
        layer: Layer,
        reached: &[NodeKey],
        put: &mut PutPosition<'_>,
    ) -> Result<Vec<NodeKey>, StoreError> {
        let mut kept = Vec::new();
        let engines = &self.engines;
        let mut copy = |key, node: &Node, counted: Option<_>| -> Result<(), StoreError> {
            put(key, &node.renumbered(engines), counted.as_ref())?;
            kept.push(key);
            Ok(())
        };
        let layers = Layer::all().count() as u64;
        if (reached.len() as u64).saturating_mul(SCAN_RATIO * layers) < self.about {
            for keys in reached.chunks(AT_ONCE) {
                let records = self.reader.records(keys)?;
                for (key, Record { node, statistics }) in keys.iter().zip(records) {
                    if let Some(node) = node {
                        copy(*key, &node, statistics)?;
                    }
                }
            }
        } else {
            let mut rows = LayerScan::new(self.reader, layer, true)?;
            let mut reached = reached.iter().copied().peekable();
            while let Some(row) = rows.next()? {
                while reached.next_if(|key| *key < row.key).is_some() {}
                if reached.next_if_eq(&row.key).is_some() {
                    copy(row.key, &row.node, row.counted)?;
                }
            }
        }
        self.positions += kept.len() as u64;
        self.watcher.done(kept.len() as u64);
        Ok(kept)
    }
}

/// Where moves from these positions lead, in order, each once.
fn below(keys: &[NodeKey]) -> Vec<NodeKey> {
    let mut reached: Vec<NodeKey> = Vec::new();
    // In parts that are put in order one by one: most positions are reached several times.
    for keys in keys.chunks(64 * AT_ONCE) {
        let children = keys.par_chunks(PER_JOB).flat_map_iter(|keys| {
            let mut children = Vec::new();
            for key in keys {
                for_each_edge(key.board(), |edge| children.extend(edge.child()));
            }
            children
        });
        reached.par_extend(children);
        reached.par_sort_unstable();
        reached.dedup();
    }
    reached
}
