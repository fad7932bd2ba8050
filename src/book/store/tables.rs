//! What stands where in the database: its tables, why a position waits in the queue, and the names
//! under which a book keeps what it remembers about itself.

use crate::book::key::NodeKey;
use crate::book::list::GameNumber;
use crate::book::want::Errand;

/// The tables of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Key → node.
    Nodes,
    /// Key → human statistics. An early book left it to a merge operator to add them up.
    Statistics,
    /// Key → counts of games that are not in the book: a file brought only the sums.
    Counts,
    /// What is still to be re-examined: key and one byte that says why (see [`Mark`]).
    Dirty,
    /// What is still to be asked: key and errand → how hard to look (see [`Want`](crate::book::Want)).
    Wanted,
    /// A game's fingerprint → the game, and how deep it was learned.
    Games,
    /// Games by position, player and event (see the room `index`).
    Index,
    /// What the book remembers about itself.
    Meta,
}

impl Table {
    pub const ALL: [Table; 8] = [
        Table::Nodes,
        Table::Statistics,
        Table::Counts,
        Table::Dirty,
        Table::Wanted,
        Table::Games,
        Table::Index,
        Table::Meta,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Table::Nodes => "nodes",
            Table::Statistics => "statistics",
            Table::Counts => "counts",
            Table::Dirty => "dirty",
            Table::Wanted => "wanted",
            Table::Games => "games",
            Table::Index => "index",
            Table::Meta => "meta",
        }
    }
}

/// Why a position waits in the dirty queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    /// A position below it changed.
    Changed,
    /// It is new: those above it must hear of it even if nothing is known about it yet.
    New,
}

impl Mark {
    pub const fn byte(self) -> u8 {
        match self {
            Mark::Changed => 0,
            Mark::New => 1,
        }
    }

    pub const fn of_byte(byte: u8) -> Option<Mark> {
        match byte {
            0 => Some(Mark::Changed),
            1 => Some(Mark::New),
            _ => None,
        }
    }
}

/// Things that are true of a whole book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flag {
    /// So much came in that a full sweep is due instead of a queue. What the sweep finds dropped
    /// is wanted for an errand, if one is beside the flag.
    SweepDue,
    /// There are statistics of positions that had too few games to come in.
    HeldBack,
    /// Statistics and the index do not follow from the games: count all of them again.
    RecountDue,
    /// Until then statistics tell of games that are not in the book, or not of all that are: a large
    /// batch of games, or the count itself, is under way or was cut short.
    HalfCounted,
}

impl Flag {
    pub const fn key(self) -> &'static [u8] {
        match self {
            Flag::SweepDue => b"sweep-due",
            Flag::HeldBack => b"held-back",
            Flag::RecountDue => b"recount-due",
            Flag::HalfCounted => b"half-counted",
        }
    }
}

/// What was taken out of a book on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forgotten {
    Game(GameNumber),
    Position(NodeKey),
}

impl Forgotten {
    pub fn key(self) -> Vec<u8> {
        match self {
            Forgotten::Game(number) => [FORGOTTEN_PREFIX, b"g", &number.0.to_be_bytes()].concat(),
            Forgotten::Position(key) => [FORGOTTEN_PREFIX, b"p", &key.to_bytes()].concat(),
        }
    }
}

pub const PROFILE_KEY: &[u8] = b"profile";
pub const NEXT_GAME_KEY: &[u8] = b"next-game";
pub const IDENTITY_KEY: &[u8] = b"identity";
pub const NOTE_KEY: &[u8] = b"note";
pub const TRIM_KEY: &[u8] = b"trim";
/// Followed by the number of the engine.
pub const ENGINE_PREFIX: &[u8] = b"engine-";

/// Followed by the name of a game whose record became another after it was counted.
pub const RECOUNT_PREFIX: &[u8] = b"count-again-";

/// Followed by what was taken out of the book while what follows from that is not settled.
pub const FORGOTTEN_PREFIX: &[u8] = b"forgotten-";

/// Followed by an errand and a position that was answered from elsewhere for it (see the journal of
/// asking).
pub const JOURNAL_PREFIX: &[u8] = b"journal-";

pub fn journal_key(errand: Errand, key: NodeKey) -> Vec<u8> {
    [JOURNAL_PREFIX, &errand.to_bytes(), &key.to_bytes()].concat()
}

/// Where an errand keeps what it has to know after an interruption.
pub fn memo_key(errand: Errand) -> Vec<u8> {
    [&b"memo-"[..], &errand.to_bytes()].concat()
}
