//! Where wants come from besides games: a way for a book to grow is one type that says what it
//! wants next. The driver does the rest.

use super::want::{Errand, Want, Wanted};
use crate::book::family::Family;
use crate::book::key::NodeKey;
use crate::book::node::{Node, Value};
use crate::book::store::{Reader, StoreError};
use std::collections::HashSet;
use std::rc::Rc;

/// That a position come in, if it is new, and be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wish {
    pub key: NodeKey,
    /// How hard to look; none for the errand's own level.
    pub level: Option<u8>,
    pub what: Wanted,
}

impl Wish {
    /// The position and what Delteil's rule wants of it.
    pub const fn plain(key: NodeKey) -> Wish {
        Wish {
            key,
            level: None,
            what: Wanted::ByRule,
        }
    }

    pub(super) fn want(&self, errand: Errand) -> Want {
        Want {
            errand,
            level: self.level.unwrap_or(errand.level),
            what: self.what,
        }
    }
}

/// What a source says when it is asked what to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GrowthStep {
    /// These, all in one round, in the order of keys.
    Want(Vec<Wish>),
    /// No more; `exhausted` tells that there is nothing, not that it is enough.
    Done { exhausted: bool },
}

/// Growth in rounds. What a round wants follows from the book as it is when all before it is
/// answered, so neither threads nor interruptions change what becomes of it.
pub trait Rounds {
    /// Goes on with what an interrupted run of the same errand kept, if it is this one's.
    fn resume(&mut self, _memo: &[u8]) {}

    /// What a run that goes on after an interruption has to know besides the book.
    fn memo(&self) -> Vec<u8> {
        Vec::new()
    }

    fn next(&mut self, reader: &Reader<'_>) -> Result<GrowthStep, StoreError>;
}

/// One thing to do of growth that goes best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Todo {
    /// Find out what moves beside those of the book are worth.
    Beside(NodeKey),
    /// The same, because the best value of the book's dropped.
    Dropped(NodeKey),
    /// Take in the position after the best of them.
    Add {
        parent: NodeKey,
        child: NodeKey,
        /// The move changes the turn; otherwise the other player has to pass.
        turns: bool,
        /// What a search from before the move says it is worth.
        expected: Value,
    },
}

impl Todo {
    /// The position that is searched.
    pub const fn asked(&self) -> NodeKey {
        match *self {
            Todo::Beside(key) | Todo::Dropped(key) => key,
            Todo::Add { child, .. } => child,
        }
    }

    /// The positions that nobody else should work on meanwhile.
    pub fn keys(&self) -> impl Iterator<Item = NodeKey> + use<> {
        let (one, other) = match *self {
            Todo::Beside(key) | Todo::Dropped(key) => (key, None),
            Todo::Add { parent, child, .. } => (parent, Some(child)),
        };
        [one].into_iter().chain(other)
    }
}

/// What became of a position, for those above it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Changed {
    /// It is new, or its value or its bounds are others.
    pub told: bool,
    /// What it costs to go on from it is another.
    pub price: bool,
}

/// Growth that takes one thing after the other, each by what all before it found. The reader that
/// a source is given sees the book without what is being written.
pub trait BestFirst {
    /// Looks at the book, which is settled.
    fn begin(&mut self, reader: &Reader<'_>) -> Result<(), StoreError>;

    /// The best thing to do that touches nothing that is taken.
    fn next(
        &mut self,
        reader: &Reader<'_>,
        taken: &HashSet<NodeKey>,
    ) -> Result<Option<Todo>, StoreError>;

    /// Enough positions have come in, or are on their way, or they are known well enough.
    fn is_enough(&self, added: u64) -> bool;

    /// Down to how many centi-discs below the best [`Todo::Beside`] asks.
    fn slack(&self) -> u16;

    /// A position with what is known of those below it.
    fn family(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<Family, StoreError>;

    /// The positions with a move to this one.
    fn parents(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<Rc<[NodeKey]>, StoreError>;

    /// A new position is in the book, and was thought to be worth so much before its search.
    fn came_in(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
        node: &Node,
        expected: Value,
        turns: bool,
    ) -> Result<(), StoreError>;

    /// Hears of a position that is new or became another, before that is written.
    fn update(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
        node: &Node,
    ) -> Result<Changed, StoreError>;
}
