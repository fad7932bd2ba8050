//! How good a book's moves are: those it would play in positions that people reach, judged by a
//! deeper search than it was made with.

use crate::book::{
    Analyst, AskError, BestMove, Finding, Layer, MovesQuestion, NodeKey, Origin, Question, Reader,
    Store, StoreError, Table, Watcher, ask_all,
};
use crate::games::Game;
use crate::othello::{Bitboard, Random, Square};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// What to judge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub positions: usize,
    /// After at least and at most this many moves.
    pub plies: (u8, u8),
    /// Another seed takes other positions.
    pub seed: u64,
}

/// A move that the book would play, or the engine without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judged {
    pub key: NodeKey,
    pub chosen: Square,
    /// The book knows the position; otherwise the engine chose.
    pub from_book: bool,
    /// What the deeper search would have played.
    pub best: Square,
    /// What the move gives away, in centi-discs.
    pub loss: i32,
}

/// Where positions are drawn from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// The games of the book; where it has no move, nothing is judged.
    Book,
    /// Other games. Where the book has no move, the engine plays with this level.
    Games { reached: &'a Reached, level: u8 },
}

/// How many of some games went through each position.
#[derive(Clone, Default, Debug)]
pub struct Reached(HashMap<NodeKey, u32>);

impl Reached {
    /// Counts the positions of a game that the sample is drawn from.
    pub fn add(&mut self, game: &Game, plies: (u8, u8)) {
        let mut position = game.start();
        for square in game.moves() {
            let Ok(next) = position.play(*square) else {
                return;
            };
            position = next;
            let key = NodeKey::of(position.board);
            if lies_within(key.layer(), plies) && !position.board.is_over() {
                *self.0.entry(key).or_default() += 1;
            }
        }
    }
}

/// Draws positions that people reached, in the games of the book or in these, the more often the
/// likelier, and judges the moves that would be played there: the book's, or the engine's where the
/// book has none. The same games give the same positions, whatever a book has become since. Judges
/// fewer if it is stopped.
pub fn audit(
    store: &Store,
    analyst: &mut dyn Analyst,
    level: u8,
    source: Source<'_>,
    sample: Sample,
    watcher: &dyn Watcher,
) -> Result<Vec<Judged>, AskError> {
    let reader = store.reader();
    let drawn = match source {
        Source::Book => draw_from_book(&reader, sample)?,
        Source::Games { reached, .. } => draw_from_games(reached, sample),
    };
    let (mut played, mut unknown) = (Vec::new(), Vec::new());
    for key in drawn {
        let node = reader.node(key)?;
        match node.and_then(|node| node.derived.best) {
            Some(square) => played.push(Played {
                key,
                square,
                from_book: true,
            }),
            None => unknown.push(key),
        }
    }
    if let Source::Games { level, .. } = source {
        played.extend(played_by_engine(analyst, level, &unknown, watcher)?);
    }
    let whole = |one: &Played| MovesQuestion::whole(one.key, level);
    let best = answers(analyst, played.iter().map(whole), watcher)?;
    // What is played is searched by itself where it is not what the search would play.
    let differs =
        |number: &usize| best[*number].is_some_and(|best| best.square != played[*number].square);
    let others: Vec<usize> = (0..played.len()).filter(differs).collect();
    let alone = |number: &usize| {
        let Played { key, square, .. } = played[*number];
        MovesQuestion {
            without: key.board().legal_moves() & !Bitboard::from(square),
            ..MovesQuestion::whole(key, level)
        }
    };
    let own = answers(analyst, others.iter().map(alone), &())?;
    let mut own = own.into_iter();
    let mut judged = Vec::new();
    for (number, played) in played.iter().enumerate() {
        let Some(best) = best[number] else {
            continue;
        };
        let mut loss = 0;
        if best.square != played.square {
            let Some(Some(own)) = own.next() else {
                continue;
            };
            loss = (best.value.centidiscs() - own.value.centidiscs()).max(0);
        }
        judged.push(Judged {
            key: played.key,
            chosen: played.square,
            from_book: played.from_book,
            best: best.square,
            loss,
        });
    }
    Ok(judged)
}

/// A move in a position of the sample.
#[derive(Clone, Copy)]
struct Played {
    key: NodeKey,
    square: Square,
    from_book: bool,
}

/// What the engine plays where the book has no move.
fn played_by_engine(
    analyst: &mut dyn Analyst,
    level: u8,
    unknown: &[NodeKey],
    watcher: &dyn Watcher,
) -> Result<Vec<Played>, AskError> {
    let questions = unknown.iter().map(|key| MovesQuestion::whole(*key, level));
    // The bar counts what is judged.
    let found = answers(analyst, questions, &StopOnly(watcher))?;
    let played = |(&key, best): (&NodeKey, Option<BestMove>)| {
        best.map(|best| Played {
            key,
            square: best.square,
            from_book: false,
        })
    };
    Ok(unknown.iter().zip(found).filter_map(played).collect())
}

/// Asks whether to stop, and counts nothing.
struct StopOnly<'a>(&'a dyn Watcher);

impl Watcher for StopOnly<'_> {
    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }
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

/// Lots that are drawn: the smallest win.
struct Urn {
    lots: BinaryHeap<Lot>,
    sample: Sample,
}

impl Urn {
    fn new(sample: Sample) -> Urn {
        Urn {
            lots: BinaryHeap::new(),
            sample,
        }
    }

    /// The lot of a position that so many games reached, if it wins as things stand. An exponential
    /// lot with the games as its rate: a draw without replacement in which each game has the same
    /// chance.
    fn lot(&self, key: NodeKey, games: u32) -> Option<Lot> {
        let hash = Random::stream(self.sample.seed, key.board().hash()).next();
        let uniform = (hash >> 11) as f64 / (1u64 << 53) as f64;
        let lot = -(1.0 - uniform).ln() / f64::from(games.max(1));
        let drawn = Lot { lot, key };
        let is_full = self.lots.len() >= self.sample.positions;
        let loses = is_full && self.lots.peek().is_some_and(|last| drawn > *last);
        (!loses).then_some(drawn)
    }

    fn put(&mut self, lot: Lot) {
        self.lots.push(lot);
        if self.lots.len() > self.sample.positions {
            self.lots.pop();
        }
    }

    fn drawn(self) -> Vec<NodeKey> {
        let lots = self.lots.into_sorted_vec();
        lots.into_iter().map(|lot| lot.key).collect()
    }
}

fn lies_within(layer: Layer, plies: (u8, u8)) -> bool {
    let discs = |plies: u8| plies.saturating_add(Layer::FIRST.discs());
    (discs(plies.0)..=discs(plies.1)).contains(&layer.discs())
}

fn draw_from_book(reader: &Reader<'_>, sample: Sample) -> Result<Vec<NodeKey>, StoreError> {
    let mut urn = Urn::new(sample);
    for layer in Layer::all().filter(|layer| lies_within(*layer, sample.plies)) {
        let mut rows = reader.rows(Table::Statistics, Some(layer))?;
        while let Some((key, statistics)) = rows.next_statistics()? {
            let Some(lot) = urn.lot(key, statistics.games) else {
                continue;
            };
            // What growth took in differs from book to book.
            let node = reader.node(key)?;
            if node.is_some_and(|node| node.origin == Origin::Game) {
                urn.put(lot);
            }
        }
    }
    Ok(urn.drawn())
}

fn draw_from_games(reached: &Reached, sample: Sample) -> Vec<NodeKey> {
    let mut urn = Urn::new(sample);
    for (&key, &games) in &reached.0 {
        if let Some(lot) = urn.lot(key, games) {
            urn.put(lot);
        }
    }
    urn.drawn()
}
