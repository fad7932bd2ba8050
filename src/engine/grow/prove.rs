//! Proving a value: positions are taken in and solved until the bounds of one meet.
//!
//! The book itself is the tree. Each round asks what stands between the bounds: a lower bound
//! needs one good move, an upper bound needs an answer to every move, and so on downwards to
//! positions that the solver reaches. All that a round finds is solved on all cores; the next one
//! knows of it. A round follows from the book alone, so that a proof goes on where it stopped.

use super::{GrowError, Grown, position_of_book};
use crate::book::{
    Asking, Bounds, Destination, Found, Mark, Node, NodeKey, Origin, Question, Reader, Sign, Store,
    StoreError, Watcher, Window, edges, settle, settle_by_queue,
};
use crate::othello::{Bitboard, Position, Score};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Positions that are searched in one round: enough for many cores, and little enough that the
/// next round's choice is a good one.
const AT_ONCE: usize = 32;

/// Proves the value of a position of the book; positions with at most `reach` empty squares are
/// solved outright.
pub fn prove(
    store: &Store,
    asking: Asking<'_>,
    from: Position,
    reach: u32,
    watcher: &dyn Watcher,
) -> Result<(Grown, Bounds), GrowError> {
    settle(store, &())?;
    let (from, _) = position_of_book(store, from)?;
    let mut grown = Grown::default();
    loop {
        let Some(root) = store.reader().node(from)? else {
            return Ok((grown, Bounds::UNKNOWN));
        };
        let bounds = root.derived.bounds;
        grown.exhausted = bounds.is_exact();
        if grown.exhausted || watcher.should_stop() {
            return Ok((grown, bounds));
        }
        let mut round = Round {
            reader: store.reader(),
            reach,
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
        round.collect(from, aim)?;
        if round.due.is_empty() {
            return Ok((grown, bounds));
        }
        let due: Vec<NodeKey> = round.due.into_iter().collect();
        let done: Vec<bool> = due
            .par_iter()
            .map(|&key| search(store, asking, key, reach))
            .collect::<Result<_, StoreError>>()?;
        let searched = done.iter().filter(|&&done| done).count() as u64;
        grown.searched += searched;
        watcher.done(searched);
        settle_by_queue(store, &())?;
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

struct Round<'a> {
    reader: Reader<'a>,
    reach: u32,
    /// Positions to search, in the book or not.
    due: BTreeSet<NodeKey>,
}

impl Round<'_> {
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
                None => match node.alternative.map(|known| known.found) {
                    Some(Found::Move(square, value)) if square == edge.square => {
                        (Bounds::UNKNOWN, Some(value))
                    }
                    _ => (Bounds::UNKNOWN, None),
                },
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

/// Solves a position that is near enough, and looks at others at the usual level; takes it in if
/// it is new. False if it was stopped.
fn search(store: &Store, asking: Asking<'_>, key: NodeKey, reach: u32) -> Result<bool, StoreError> {
    let board = key.board();
    let analyst = asking.analyst;
    let level = if board.empty_count() <= reach {
        let solves = |&level: &u8| analyst.promises(board, level).solved;
        (asking.level..=u8::MAX).find(solves).unwrap_or(u8::MAX)
    } else {
        asking.level
    };
    let question = Question {
        board,
        without: Bitboard::EMPTY,
        window: Window::FULL,
        level,
    };
    let Some(finding) = analyst.answer(&question) else {
        return Ok(false);
    };
    let known = store.reader().node(key)?;
    let mut node = known.unwrap_or_else(|| Node::new(Origin::Expansion));
    question.answered(&mut node, &finding);
    let mut batch = store.batch()?;
    batch.put_node(key, &node);
    batch.mark(
        key,
        if known.is_some() {
            Mark::Changed
        } else {
            Mark::New
        },
    );
    batch.commit()?;
    Ok(true)
}
