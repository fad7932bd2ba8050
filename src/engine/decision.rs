//! What the player decided, and why, in one line.

use crate::book::Level;
use crate::othello::Square;
use crate::search::SearchResult;
use std::fmt;
use std::time::Duration;

/// A move and its reasons.
#[derive(Clone, Debug)]
pub struct Decision {
    /// None where there is no legal move.
    pub square: Option<Square>,
    /// In hundredths of a disc, seen by the player who moves; none where nobody looked.
    pub value: Option<i32>,
    pub reason: Reason,
    /// The other moves with a value, the best first.
    pub others: Vec<Valued>,
    /// Our own search, if there was one.
    pub search: Option<SearchResult>,
    /// From the question to the answer.
    pub time: Duration,
}

/// A move and its value in hundredths of a disc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Valued {
    pub square: Square,
    pub value: i32,
}

/// What a program of the papers found, as far as it tells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Thought {
    pub depth: u32,
    pub nodes: u64,
    pub win_probability: Option<f64>,
}

/// Where a decision comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reason {
    /// There is no legal move.
    Pass,
    /// The policy prescribes the line.
    Prescribed,
    Book {
        level: Option<Level>,
        games: u32,
        verified: Verified,
    },
    /// The book has this move, but one it had nothing on is better.
    BetterThanBook(Valued),
    Search,
    /// A program of the papers thought of it.
    Thought(Thought),
}

/// Whether a book move was compared with those that the book has nothing on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verified {
    /// The book knows all moves, or remembers a search of the rest.
    ByTheBook,
    /// A search before this move found the best of the rest.
    Now(Valued),
    /// There was not even time for the first iteration, or the policy does not ask.
    No,
}

impl Decision {
    pub(super) const fn because(reason: Reason, square: Option<Square>) -> Decision {
        Decision {
            square,
            value: None,
            reason,
            others: Vec::new(),
            search: None,
            time: Duration::ZERO,
        }
    }

    /// The positions that whoever decided looked at; none where nobody looked.
    pub fn nodes(&self) -> Option<u64> {
        match self.reason {
            Reason::Thought(thought) => Some(thought.nodes),
            _ => self.search.as_ref().map(|search| search.nodes),
        }
    }

    /// From the book, with or without a check.
    pub fn is_from_book(&self) -> bool {
        matches!(self.reason, Reason::Book { .. })
    }

    /// The line the search expects, the move first; only the move where nothing was searched.
    pub fn line(&self) -> Vec<Square> {
        match &self.search {
            Some(search) if search.best == self.square => search.pv.clone(),
            _ => self.square.into_iter().collect(),
        }
    }
}

/// `+3.25`.
struct Discs(i32);

impl fmt::Display for Discs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2}", f64::from(self.0) / 100.0)
    }
}

impl fmt::Display for Valued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.square, Discs(self.value))
    }
}

/// The reasons in one line.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(square) = self.square else {
            return write!(f, "pass: there is no legal move");
        };
        write!(f, "{square}")?;
        if let Some(value) = self.value {
            write!(f, " {}", Discs(value))?;
        }
        match self.reason {
            Reason::Pass => {}
            Reason::Prescribed => write!(f, ": the line is prescribed")?,
            Reason::Book {
                level,
                games,
                verified,
            } => {
                write!(f, " from the book")?;
                if let Some(level) = level {
                    write!(f, ", {level}")?;
                }
                if games > 0 {
                    write!(f, ", {games} games")?;
                }
                match verified {
                    Verified::ByTheBook => {}
                    Verified::Now(rest) => write!(f, "; best of the rest {rest}")?,
                    Verified::No => write!(f, "; the rest is unknown")?,
                }
            }
            Reason::BetterThanBook(book) => {
                write!(f, " searched, better than the book's {book}")?;
            }
            Reason::Search => {}
            Reason::Thought(Thought {
                depth,
                nodes,
                win_probability,
            }) => {
                if let Some(chance) = win_probability {
                    write!(f, ", wins {:.0} %", 100.0 * chance)?;
                }
                write!(f, "; depth {depth}, {nodes} nodes")?;
            }
        }
        if !self.others.is_empty() {
            write!(f, "; others")?;
            for (place, other) in self.others.iter().take(3).enumerate() {
                write!(f, "{} {other}", if place > 0 { "," } else { "" })?;
            }
        }
        if let Some(search) = &self.search {
            let solved = if search.solved { " solved" } else { "" };
            let (depth, sure, nodes) = (search.depth, search.selectivity, search.nodes);
            write!(f, "; depth {depth}@{sure}{solved}, {nodes} nodes")?;
        }
        write!(f, "; {:.3} s", self.time.as_secs_f64())
    }
}
