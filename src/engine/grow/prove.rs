//! Proving a value: positions are taken in and solved until the bounds of one meet.
//!
//! The book itself is the tree. Each round asks what stands between the bounds: a lower bound
//! needs one good move, an upper bound needs an answer to every move, and so on downwards to
//! positions that the solver reaches. All that a round finds is solved on all cores; the next one
//! knows of it. A round follows from the book alone, so that a proof goes on where it stopped.

use super::{GrowError, position_of_book};
use crate::book::{
    Analyst, Bounds, Cause, Destination, Errand, Grown, GrowthStep, Level, Node, NodeKey, Reader,
    Rounds, Sign, Store, StoreError, Wanted, Watcher, Wish, edges, grow_in_rounds,
};
use crate::engine::worth_of_level;
use crate::othello::{Position, Score};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Positions that are searched in one round: enough for many cores, and little enough that the
/// next round's choice is a good one.
const AT_ONCE: usize = 32;

/// Proves the value of a position of the book; positions with at most `reach` empty squares are
/// solved outright.
pub fn prove(
    store: &Store,
    analyst: &mut dyn Analyst,
    level: u8,
    from: Position,
    reach: u32,
    watcher: &dyn Watcher,
) -> Result<(Grown, Bounds), GrowError> {
    let Some(errand) = Errand::new(Cause::Solve, level) else {
        return Ok((Grown::default(), Bounds::UNKNOWN));
    };
    let (from, _) = position_of_book(store, from)?;
    let mut source = Proof { from, reach, level };
    let mut grown = grow_in_rounds(store, analyst, errand, &mut source, watcher)?;
    let root = store.reader().node(from)?;
    let bounds = root.map_or(Bounds::UNKNOWN, |root| root.derived.bounds);
    grown.exhausted = bounds.is_exact();
    Ok((grown, bounds))
}

struct Proof {
    from: NodeKey,
    reach: u32,
    level: u8,
}

impl Proof {
    /// Solves a position that is near enough, and looks at others at the usual level.
    fn wish(&self, key: NodeKey) -> Wish {
        let empties = key.board().empty_count();
        let solves = |level: &u8| {
            let Level { solved, .. } = worth_of_level(*level, empties);
            solved
        };
        let level = if empties <= self.reach {
            (self.level..=u8::MAX).find(solves)
        } else {
            None
        };
        Wish {
            key,
            level,
            what: Wanted::Whole,
        }
    }
}

impl Rounds for Proof {
    fn next(&mut self, reader: &Reader<'_>) -> Result<GrowthStep, StoreError> {
        let done = GrowthStep::Done { exhausted: true };
        let Some(root) = reader.node(self.from)? else {
            return Ok(done);
        };
        let bounds = root.derived.bounds;
        if bounds.is_exact() {
            return Ok(done);
        }
        let mut obstacles = Obstacles {
            reader,
            reach: self.reach,
            due: BTreeSet::new(),
        };
        // First that the value is reached, then that nothing is better.
        let guess = root
            .derived
            .value
            .map_or(bounds.lower, |value| value.floor());
        let aim = if bounds.lower < guess {
            Aim::AtLeast(guess)
        } else {
            Aim::AtMost(bounds.lower)
        };
        obstacles.collect(self.from, aim)?;
        if obstacles.due.is_empty() {
            return Ok(done);
        }
        let wishes = obstacles.due.into_iter().map(|key| self.wish(key));
        Ok(GrowthStep::Want(wishes.collect()))
    }
}

/// What is to be shown of a position, seen by the player to move.
#[derive(Clone, Copy)]
enum Aim {
    AtLeast(Score),
    AtMost(Score),
}

impl Aim {
    /// The same, as the position after a move sees it.
    fn after(self, sign: Sign) -> Aim {
        match (sign, self) {
            (Sign::Plus, aim) => aim,
            (Sign::Minus, Aim::AtLeast(score)) => Aim::AtMost(-score),
            (Sign::Minus, Aim::AtMost(score)) => Aim::AtLeast(-score),
        }
    }
}

struct Obstacles<'a> {
    reader: &'a Reader<'a>,
    reach: u32,
    /// Positions to search, in the book or not.
    due: BTreeSet<NodeKey>,
}

impl Obstacles<'_> {
    fn collect(&mut self, key: NodeKey, aim: Aim) -> Result<(), StoreError> {
        if self.due.len() >= AT_ONCE {
            return Ok(());
        }
        let Some(node) = self.reader.node(key)? else {
            self.due.insert(key);
            return Ok(());
        };
        if key.board().empty_count() <= self.reach || node.derived.value.is_none() {
            self.due.insert(key);
            return Ok(());
        }
        let mut moves = self.open_moves(key, &node)?;
        match aim {
            // The best move that may still be enough.
            Aim::AtLeast(score) => {
                moves.retain(|m| m.bounds.upper >= score && m.bounds.lower < score);
                moves.truncate(1);
            }
            // Every move that may be too much.
            Aim::AtMost(score) => moves.retain(|m| m.bounds.upper > score),
        }
        for m in moves {
            self.collect(m.to, aim.after(m.sign))?;
        }
        Ok(())
    }

    /// The moves that go on, the most promising first.
    fn open_moves(&self, key: NodeKey, node: &Node) -> Result<Vec<Open>, StoreError> {
        let mut moves = Vec::new();
        for edge in edges(key.board()) {
            let Destination::Position { key: to, sign } = edge.to else {
                continue;
            };
            let (bounds, value) = match self.reader.node(to)? {
                Some(child) => {
                    let value = child.derived.value.map(|value| sign.value(value));
                    (sign.bounds(child.derived.bounds), value)
                }
                None => {
                    let named = node.alternative.map(|known| known.found);
                    let named = named.filter(|found| found.square() == Some(edge.square));
                    (Bounds::UNKNOWN, named.map(|found| found.value()))
                }
            };
            moves.push((Reverse(value), edge.square, Open { to, sign, bounds }));
        }
        moves.sort_by_key(|&(value, square, _)| (value, square));
        Ok(moves.into_iter().map(|(.., open)| open).collect())
    }
}

/// A move and what is proven of it, seen by the player who makes it.
struct Open {
    to: NodeKey,
    sign: Sign,
    bounds: Bounds,
}
