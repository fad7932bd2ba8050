//! The book: Delteil's permanent table of positions in RocksDB. Games bring positions in, searches
//! put values on them, and one ordered pass carries every change up through all transpositions.

mod asking;
mod care;
mod derive;
mod exchange;
mod index;
mod intake;
mod look;
mod position;
mod store;

// The rooms' files by their own names, for all files of the book.
use asking::{analyst, best_first, desk, driver, journal, question, source, want, wanted};
use care::{check, forget, forget_game, orphans, subtree, summary, trim};
use derive::{due, family, layer_table, outcome, parents, propagate, rule, shadow, sweep, visits};
use index::{agrees, facts, find, key as index_key, list, tally, write as index_write};
use intake::{absorb, admit, archive, endings, knowledge, learn, lesson, merge, plan, recount};
use look::{diff, explain, gaps, lines, openings, query, scan, tree, way};
use position::{codec, edge, engine, key, node, note, statistics};

pub use absorb::{Absorbed, Incoming};
pub use analyst::{Analyst, AnalystError, Reply, ask_all};
pub use archive::{ArchivedGame, LearnedGame};
pub use best_first::grow_best_first;
pub use check::{Findings, Repaired, Violation, check, repair};
pub use codec::Profile;
pub use desk::{Assignment, Failure};
pub use diff::{Compared, Comparison, Difference, DifferenceKind, Opinion, diff};
pub use driver::{AskError, Grown, answer_wants, grow_in_rounds};
pub use edge::{Destination, Edge, Sign, edges};
pub use endings::Ending;
pub use engine::Engines;
pub use exchange::{ExchangeError, Format, Source, export, export_for_site, import, unpack_into};
pub use explain::{Step, Support, explain};
pub use family::Family;
pub use find::{FindError, FoundGame, FoundGames, Page, Selection, Winner, Years, find_games};
pub use forget::forget;
pub use forget_game::{ForgetGameError, ForgottenGame, forget_game, is_game};
pub use gaps::Gap;
pub use index_key::FoldedName;
pub use journal::Witness;
pub use key::{KeyError, Layer, NodeKey};
pub use layer_table::LayerTable;
pub use learn::{Learned, Learner, Searching};
pub use lines::{Line, best_lines};
pub use list::GameNumber;
pub use merge::{Merged, merge};
pub use node::{
    Alternative, Bounds, Derived, EngineNumber, Evaluation, Found, Level, Node, Origin, Told, Value,
};
pub use note::{BadNote, Note};
pub use openings::{Opening, Openings, OpeningsError};
pub use orphans::Orphans;
pub use parents::ParentFinder;
pub use plan::Plan;
pub use propagate::{Settled, settle, settle_by_queue};
pub use query::{Answer, Known, MoveAnswer, Ways, look_up, look_up_among, query};
pub use question::{
    BestMove, Claim, EndingQuestion, Finding, HIGHEST_LEVEL, MOST_EMPTIES, MovesQuestion, Question,
    QuestionId, Window,
};
pub use recount::index_games;
pub use scan::Counts;
pub use source::{BestFirst, Changed, GrowthStep, Rounds, Todo, Wish};
pub use statistics::Statistics;
pub use store::{
    Backlog, Backup, BackupRecord, Batch, BookId, ByteCount, CacheFigures, Flag, Mark,
    MemoryShares, NewBook, Reader, Record, RecordError, Restoring, Row, Rows, ShapeFinder, State,
    Store, StoreError, StoreFigures, StoreOptions, Table, TableFigures, Traffic, UnfinishedBackup,
    backups, raise_file_limit,
};
pub use subtree::subtree;
pub use summary::{LayerSummary, Summary, summarise};
pub use sweep::sweep;
pub use tree::{Branch, Extent, tree};
pub use trim::{TrimError, Trimmed, prune};
pub use want::{Cause, Errand, Want, Wanted};
pub use way::way_to;

/// Whoever watches a long pass: hears how far it is, and may stop it. A pass that was stopped, or
/// killed, goes on where it was when it is started again.
pub trait Watcher: Sync {
    /// This many more positions are done.
    fn done(&self, _positions: u64) {}

    /// Work goes in rounds, and this many questions begin the next one.
    fn expect(&self, _questions: u64) {}

    /// This many more questions are answered.
    fn answered(&self, _questions: u64) {}

    /// For a while it does this, without saying how far it is.
    fn pauses_for(&self, _what: &'static str) {}

    /// The pause is over.
    fn goes_on(&self) {}

    fn should_stop(&self) -> bool {
        false
    }

    /// After a stop, what was found is still carried up; this stops even that.
    fn must_stop(&self) -> bool {
        false
    }
}

/// Nobody watches.
impl Watcher for () {}

#[cfg(test)]
mod tests;
