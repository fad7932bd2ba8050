//! How good a book's moves are: those it would play in positions that people reach, judged by a
//! deeper search than it was made with.

use crate::book::{
    Analyst, AskError, BestMove, Finding, Layer, MovesQuestion, NodeKey, Origin, Question, Reader,
    Store, StoreError, Table, Watcher, ask_all,
};
use crate::othello::{Bitboard, Random, Square};
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
    analyst: &mut dyn Analyst,
    level: u8,
    sample: Sample,
    watcher: &dyn Watcher,
) -> Result<Vec<Judged>, AskError> {
    let reader = store.reader();
    let mut played: Vec<(NodeKey, Square)> = Vec::new();
    for key in draw(&reader, sample)? {
        let chosen = reader.node(key)?.and_then(|node| node.derived.best);
        played.extend(chosen.map(|chosen| (key, chosen)));
    }
    let whole = |(key, _): &(NodeKey, Square)| MovesQuestion::whole(*key, level);
    let best = answers(analyst, played.iter().map(whole), watcher)?;
    // What the book plays is searched by itself where it is not what the search would play.
    let differs =
        |number: &usize| best[*number].is_some_and(|best| best.square != played[*number].1);
    let others: Vec<usize> = (0..played.len()).filter(differs).collect();
    let alone = |number: &usize| {
        let (key, chosen) = played[*number];
        MovesQuestion {
            without: key.board().legal_moves() & !Bitboard::from(chosen),
            ..MovesQuestion::whole(key, level)
        }
    };
    let own = answers(analyst, others.iter().map(alone), &())?;
    let mut own = own.into_iter();
    let mut judged = Vec::new();
    for (number, &(key, chosen)) in played.iter().enumerate() {
        let Some(best) = best[number] else {
            continue;
        };
        let mut loss = 0;
        if best.square != chosen {
            let Some(Some(own)) = own.next() else {
                continue;
            };
            loss = (best.value.centidiscs() - own.value.centidiscs()).max(0);
        }
        judged.push(Judged {
            key,
            chosen,
            best: best.square,
            loss,
        });
    }
    Ok(judged)
}

/// An answer to each question, as far as it is not stopped.
fn answers(
    analyst: &mut dyn Analyst,
    questions: impl Iterator<Item = MovesQuestion>,
    watcher: &dyn Watcher,
) -> Result<Vec<Option<BestMove>>, AskError> {
    let questions: Vec<Question> = questions.map(Question::Moves).collect();
    let mut found = vec![None; questions.len()];
    ask_all(analyst, questions, watcher, |number, finding| {
        if let Finding::Moves(best) = finding {
            found[number] = Some(best);
        }
        watcher.done(1);
    })?;
    Ok(found)
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
