//! Best-first growth: the cheapest thing to do comes first, and each answer may change what that
//! is.

use super::frontier::Frontier;
use super::taste::{HUMAN_WEIGHT, Side, Taste};
use super::{GrowError, position_of_book};
use crate::book::{
    Analyst, BestFirst, Cause, Changed, Errand, Family, Grown, Mark, Node, NodeKey, Origin, Reader,
    Store, StoreError, Todo, Value, Want, Watcher, grow_best_first,
};
use crate::othello::{Color, Position};
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

/// What to grow, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// Only below this position.
    pub from: Position,
    pub taste: Taste,
    /// Stop when this many positions have come in …
    pub positions: Option<u64>,
    /// … or when those that came in last were worth what was expected, to this many discs on
    /// average.
    pub until_error: Option<f64>,
}

impl Expansion {
    /// So many positions from the start, for both sides, where moves give away up to four discs.
    pub const fn from_start(positions: u64) -> Expansion {
        Expansion {
            from: Position::START,
            taste: Taste {
                side: Side::Both,
                slack: 400,
                human_weight: HUMAN_WEIGHT,
            },
            positions: Some(positions),
            until_error: None,
        }
    }
}

/// Over how many positions the error is averaged.
const RECENT: usize = 100;

/// Takes in the most useful positions, until a limit is reached or nothing is left to do.
pub fn expand(
    store: &Store,
    analyst: &mut dyn Analyst,
    level: u8,
    expansion: &Expansion,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    let Some(errand) = Errand::new(Cause::Expand, level) else {
        return Ok(Grown::default());
    };
    begin_empty_book(store, expansion.from, errand)?;
    let (from, position) = position_of_book(store, expansion.from)?;
    let memory = store.options().shares().work.as_usize();
    let mut source = Cheapest::new(expansion, (from, position.turn), memory);
    Ok(grow_best_first(
        store,
        analyst,
        errand,
        &mut source,
        watcher,
    )?)
}

/// An empty book gets the start.
fn begin_empty_book(store: &Store, from: Position, errand: Errand) -> Result<(), StoreError> {
    let start = NodeKey::of(Position::START.board);
    if NodeKey::of(from.board) == start && store.reader().node(start)?.is_none() {
        let mut batch = store.batch()?;
        batch.put_node(start, &Node::new(Origin::Expansion));
        batch.mark(start, Mark::Changed, Some(errand));
        batch.want(start, Want::of(errand));
        batch.commit()?;
    }
    Ok(())
}

/// The cheapest line first.
pub(super) struct Cheapest {
    expansion: Expansion,
    from: (NodeKey, Color),
    /// About how many bytes the frontier may take.
    memory: usize,
    /// Made when growth begins.
    frontier: Option<Frontier>,
    /// By how much the last positions were not worth what was expected, in centi-discs.
    errors: VecDeque<i32>,
}

impl Cheapest {
    pub(super) fn new(expansion: &Expansion, from: (NodeKey, Color), memory: usize) -> Cheapest {
        Cheapest {
            expansion: *expansion,
            from,
            memory,
            frontier: None,
            errors: VecDeque::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn has_limits(&self) -> bool {
        self.frontier.as_ref().is_some_and(Frontier::has_limits)
    }

    fn frontier(&mut self, reader: &Reader<'_>) -> Result<&mut Frontier, StoreError> {
        let frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => Frontier::new(reader, self.expansion.taste, self.memory)?,
        };
        Ok(self.frontier.insert(frontier))
    }
}

impl BestFirst for Cheapest {
    fn begin(&mut self, _: &Reader<'_>) -> Result<(), StoreError> {
        // What was known may have been taken back.
        self.frontier = None;
        Ok(())
    }

    fn next(
        &mut self,
        reader: &Reader<'_>,
        taken: &HashSet<NodeKey>,
    ) -> Result<Option<Todo>, StoreError> {
        let from = self.from;
        self.frontier(reader)?.next(reader, from, taken)
    }

    fn is_enough(&self, added: u64) -> bool {
        let full = self.expansion.positions.is_some_and(|limit| added >= limit);
        let sure = self.expansion.until_error.is_some_and(|error| {
            let sum: i64 = self.errors.iter().map(|&error| i64::from(error)).sum();
            self.errors.len() == RECENT && sum as f64 <= error * 100.0 * RECENT as f64
        });
        full || sure
    }

    fn slack(&self) -> u16 {
        u16::try_from(self.expansion.taste.slack).unwrap_or(0)
    }

    fn family(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<Family, StoreError> {
        self.frontier(reader)?.family(reader, key)
    }

    fn parents(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<Rc<[NodeKey]>, StoreError> {
        self.frontier(reader)?.parents(reader, key)
    }

    fn came_in(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
        node: &Node,
        expected: Value,
        turns: bool,
    ) -> Result<(), StoreError> {
        self.frontier(reader)?.came_in(reader, key)?;
        if let Some(value) = node.derived.value {
            let value = if turns { -value } else { value };
            if self.errors.len() == RECENT {
                self.errors.pop_front();
            }
            let error = (expected.centidiscs() - value.centidiscs()).abs();
            self.errors.push_back(error);
        }
        Ok(())
    }

    fn update(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
        node: &Node,
    ) -> Result<Changed, StoreError> {
        self.frontier(reader)?.update(reader, key, node)
    }
}
