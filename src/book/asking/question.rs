//! What the book asks and what it is told: plain data that can travel, each question with a name
//! of its own.

use crate::book::edge::{Edge, edges};
use crate::book::endings::Ending;
use crate::book::key::NodeKey;
use crate::book::node::{Level, Value};
use crate::othello::{Bitboard, Square};
use serde::{Deserialize, Serialize};
use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// Something that whoever searches can find out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Question {
    /// The best of some moves.
    Moves(MovesQuestion),
    /// A game with its ending played as well as can be.
    Ending(EndingQuestion),
}

impl Question {
    /// What is wrong with a question that came from elsewhere: a book asks no such thing.
    pub fn check(&self) -> Result<(), &'static str> {
        match self {
            Question::Moves(asked) => {
                if asked.among().is_empty() {
                    return Err("it is about no move");
                }
                if asked.window.alpha >= asked.window.beta {
                    return Err("nothing lies in its window");
                }
                if !(1..=HIGHEST_LEVEL).contains(&asked.level) {
                    return Err("there is no such level");
                }
            }
            Question::Ending(asked) => {
                if asked.path.is_empty() || asked.path.len() > 61 {
                    return Err("a game has 1 to 61 positions");
                }
                if !asked.path.iter().is_sorted_by_key(|key| key.layer()) {
                    return Err("its positions are not in order");
                }
                let has_moves = |key: &NodeKey| !key.board().legal_moves().is_empty();
                if !asked.path.iter().all(has_moves) {
                    return Err("a position without a legal move");
                }
                if asked.empties > MOST_EMPTIES {
                    return Err("endings are not so long");
                }
            }
        }
        Ok(())
    }
}

/// The highest level that people can ask for.
pub const HIGHEST_LEVEL: u8 = 60;

/// Longer endings are not corrected.
pub const MOST_EMPTIES: u8 = 30;

/// The best of some moves of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovesQuestion {
    pub position: NodeKey,
    /// Moves to leave out because the book answers for them; not all of the legal ones.
    pub without: Bitboard,
    pub window: Window,
    /// How hard to look. What a level means is the analyst's business; a higher one looks at
    /// least as hard.
    pub level: u8,
}

impl MovesQuestion {
    /// The whole position, on the whole scale.
    pub const fn whole(position: NodeKey, level: u8) -> MovesQuestion {
        MovesQuestion {
            position,
            without: Bitboard::EMPTY,
            window: Window::FULL,
            level,
        }
    }

    /// The moves that are asked about.
    pub fn among(&self) -> Bitboard {
        self.position.board().legal_moves() & !self.without
    }
}

/// Best play in place of what the players did from some number of empty squares on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EndingQuestion {
    /// The game's positions from the start on, each with a legal move.
    pub path: Vec<NodeKey>,
    /// Up to this many positions take their place.
    pub limit: u8,
    /// From this many empty squares on.
    pub empties: u8,
}

/// Only values strictly between the two need to be found out; beyond them a bound will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    pub const FULL: Window = Window {
        alpha: Value::MIN,
        beta: Value::MAX,
    };
}

/// The answer to a question of the same kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Moves(BestMove),
    Ending(Ending),
}

impl Finding {
    /// It is an answer to this question, whether true or not.
    pub fn fits(&self, question: &Question) -> bool {
        match (self, question) {
            (Finding::Moves(best), Question::Moves(asked)) => {
                asked.among().contains(best.square) && best.level.selectivity <= 100
            }
            (Finding::Ending(ending), Question::Ending(asked)) => {
                let Some(&last) = asked.path[..ending.kept.min(asked.path.len())].last() else {
                    return false;
                };
                let line: Vec<NodeKey> = [last].into_iter().chain(ending.instead.clone()).collect();
                ending.kept <= asked.path.len()
                    && line.windows(2).all(|pair| {
                        let leads_there = |edge: &Edge| edge.child() == Some(pair[1]);
                        edges(pair[0].board()).iter().any(leads_there)
                    })
            }
            _ => false,
        }
    }
}

/// The best of the moves that were asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BestMove {
    pub square: Square,
    pub value: Value,
    pub claim: Claim,
    pub level: Level,
}

/// What a value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Claim {
    Exactly,
    /// None of the moves is worth more: the search failed low.
    AtMost,
    /// The move is worth no less: the search failed high.
    AtLeast,
}

/// The name of a question to an engine: the same question has the same name, on every machine and
/// in every run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QuestionId(pub u128);

impl QuestionId {
    /// `engine` tells apart who is asked: see [`Analyst::engine`](super::analyst::Analyst::engine).
    pub fn of(question: &Question, engine: &str) -> QuestionId {
        let mut hash = Xxh3::new();
        hash.update(engine.as_bytes());
        match question {
            Question::Moves(asked) => {
                hash.update(&[1, asked.level]);
                hash.update(&asked.position.to_bytes());
                hash.update(&asked.without.0.to_be_bytes());
                let Window { alpha, beta } = asked.window;
                hash.update(&alpha.centidiscs().to_be_bytes());
                hash.update(&beta.centidiscs().to_be_bytes());
            }
            Question::Ending(asked) => {
                hash.update(&[2, asked.limit, asked.empties]);
                for key in &asked.path {
                    hash.update(&key.to_bytes());
                }
            }
        }
        QuestionId(hash.digest128())
    }
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
