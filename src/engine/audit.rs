//! How good a book's moves are: those it would play in positions that people reach, judged by a
//! deeper search than it was made with.

use crate::book::{
    Analyst, Layer, NodeKey, Origin, Question, Reader, Store, StoreError, Table, Watcher, Window,
};
use crate::othello::{Bitboard, Random, Square};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What to judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub positions: usize,
    /// After at least and at most this many moves.
    pub plies: (u8, u8),
    /// Another seed takes other positions.
    pub seed: u64,
}

/// One of the book's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judged {
    pub key: NodeKey,
    pub chosen: Square,
    /// What the deeper search would have played.
    pub best: Square,
    /// What the book's move gives away, in centi-discs.
    pub loss: i32,
}

/// Draws positions that came in from games, the more often people reached them the likelier, and
/// judges the book's moves there. The same games give the same positions, whatever a book has
/// become since. Judges fewer if it is stopped.
pub fn audit(
    store: &Store,
    analyst: &dyn Analyst,
    level: u8,
    sample: Sample,
    watcher: &dyn Watcher,
) -> Result<Vec<Judged>, StoreError> {
    let reader = store.reader();
    let drawn = draw(&reader, sample)?;
    let judged: Vec<Option<Judged>> = drawn
        .into_par_iter()
        .map(|key| {
            if watcher.should_stop() {
                return Ok(None);
            }
            let judged = judge(&reader, analyst, level, key)?;
            watcher.done(1);
            Ok(judged)
        })
        .collect::<Result<_, StoreError>>()?;
    Ok(judged.into_iter().flatten().collect())
}

/// A position with its lot: the smallest lots win.
struct Lot {
    lot: f64,
    key: NodeKey,
}

impl Ord for Lot {
    fn cmp(&self, other: &Lot) -> Ordering {
        self.lot
            .total_cmp(&other.lot)
            .then_with(|| self.key.cmp(&other.key))
    }
}

impl PartialOrd for Lot {
    fn partial_cmp(&self, other: &Lot) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Lot {
    fn eq(&self, other: &Lot) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Lot {}

fn draw(reader: &Reader<'_>, sample: Sample) -> Result<Vec<NodeKey>, StoreError> {
    let mut lots: BinaryHeap<Lot> = BinaryHeap::new();
    let discs = |plies: u8| plies.saturating_add(Layer::FIRST.discs());
    for layer in Layer::all() {
        if layer.discs() < discs(sample.plies.0) || layer.discs() > discs(sample.plies.1) {
            continue;
        }
        let mut rows = reader.rows(Table::Statistics, Some(layer))?;
        while let Some((key, statistics)) = rows.next_statistics()? {
            // An exponential lot with the games as its rate: a draw without replacement in which
            // each game has the same chance.
            let hash = Random::stream(sample.seed, key.board().hash()).next();
            let uniform = (hash >> 11) as f64 / (1u64 << 53) as f64;
            let lot = -(1.0 - uniform).ln() / f64::from(statistics.games.max(1));
            let drawn = Lot { lot, key };
            let is_full = lots.len() >= sample.positions;
            if is_full && lots.peek().is_some_and(|last| drawn > *last) {
                continue;
            }
            // What growth took in differs from book to book.
            let node = reader.node(key)?;
            if node.is_some_and(|node| node.origin == Origin::Game) {
                lots.push(drawn);
                if is_full {
                    lots.pop();
                }
            }
        }
    }
    Ok(lots
        .into_sorted_vec()
        .into_iter()
        .map(|lot| lot.key)
        .collect())
}

/// None if the book has no move there, or if the search was stopped.
fn judge(
    reader: &Reader<'_>,
    analyst: &dyn Analyst,
    level: u8,
    key: NodeKey,
) -> Result<Option<Judged>, StoreError> {
    let board = key.board();
    let Some(chosen) = reader.node(key)?.and_then(|node| node.derived.best) else {
        return Ok(None);
    };
    let value = |without: Bitboard| {
        analyst.answer(&Question {
            board,
            without,
            window: Window::FULL,
            level,
        })
    };
    let Some(whole) = value(Bitboard::EMPTY) else {
        return Ok(None);
    };
    let mut judged = Judged {
        key,
        chosen,
        best: whole.best,
        loss: 0,
    };
    if whole.best != chosen {
        let others = board.legal_moves() & !Bitboard::from(chosen);
        let Some(own) = value(others) else {
            return Ok(None);
        };
        judged.loss = (whole.value.centidiscs() - own.value.centidiscs()).max(0);
    }
    Ok(Some(judged))
}
