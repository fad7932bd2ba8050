//! The one driver: takes what is wanted from the database, asks it, and puts the answers into the
//! book. Every command that searches is a source of wants; none has a loop of its own.

use super::analyst::{Analyst, AnalystError};
use super::desk::{Assignment, Desk, Failure};
use super::journal::take_back;
use super::source::{GrowthStep, Rounds, Wish};
use super::want::{Errand, Want};
use crate::book::Watcher;
use crate::book::family::Family;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Origin};
use crate::book::propagate::{Settled, settle, settle_asking};
use crate::book::recount::recount;
use crate::book::store::{Flag, Mark, Store, StoreError, Table};
use crate::book::sweep::sweep_asking;
use std::collections::HashMap;

/// Why asking ended early.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Analyst(#[from] AnalystError),
}

impl AskError {
    /// Of work that asks nobody.
    pub(in crate::book) fn of_store(error: AskError) -> StoreError {
        match error {
            AskError::Store(error) => error,
            AskError::Analyst(error) => StoreError::Database {
                path: std::path::PathBuf::new(),
                detail: error.to_string(),
            },
        }
    }
}

/// What came of growth.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Grown {
    /// Positions that came in.
    pub added: u64,
    /// Searches whose answers were written.
    pub searched: u64,
    /// Nothing is left to do; otherwise a limit was reached or the work was stopped.
    pub exhausted: bool,
    /// Questions that could not be answered; they are still wanted.
    pub failures: Vec<Failure>,
}

/// As many wants as this go through the queue even in a small book.
const SWEEP_FROM: u64 = 1000;
/// A want costs about as much in the queue as this many positions in a sweep.
const SWEEP_RATIO: u64 = 64;

/// Answers what an errand wants and what stands in its way, and brings all values up to date. What
/// was found before a stop shows at once.
pub fn answer_wants(
    store: &Store,
    analyst: &mut dyn Analyst,
    assignment: Assignment,
    watcher: &dyn Watcher,
) -> Result<Settled, AskError> {
    let settled = answer_until_sure(store, analyst, assignment, watcher)?;
    if settled.finished {
        close_journal(store, assignment.errand)?;
    }
    Ok(settled)
}

/// The run is over, and nobody's answers are in doubt any more.
pub(super) fn close_journal(store: &Store, errand: Errand) -> Result<(), StoreError> {
    let mut batch = store.batch()?;
    batch.close_journal(errand);
    batch.commit()
}

/// Answers again and again, as long as somebody whose answers are in the book is found out.
pub(super) fn answer_until_sure(
    store: &Store,
    analyst: &mut dyn Analyst,
    assignment: Assignment,
    watcher: &dyn Watcher,
) -> Result<Settled, AskError> {
    let mut before = Settled::default();
    loop {
        let mut desk = Desk::new(store, analyst, assignment)?;
        let settled = answer_once(store, &mut desk, watcher)?;
        let is_sure = !settled.finished || desk.vouch(watcher)?;
        let liars = desk.take_liars();
        let settled = before.and(settled);
        if liars.is_empty() {
            return Ok(Settled {
                finished: settled.finished && is_sure,
                ..settled
            });
        }
        let count = take_back(store, &liars)?;
        tracing::warn!(?liars, count, "answers are taken back and asked again");
        before = settled;
    }
}

/// One pass over all that is wanted.
fn answer_once(
    store: &Store,
    desk: &mut Desk<'_>,
    watcher: &dyn Watcher,
) -> Result<Settled, AskError> {
    let errand = desk.errand();
    if !recount(store, watcher)? {
        return Ok(Settled::default());
    }
    // A sweep that is due for others is made first: what it finds dropped is theirs, or nobody's.
    if is_sweep_due_for_others(store, Some(errand))? && !settle(store, watcher)?.finished {
        return Ok(Settled::default());
    }
    let own = adopt_what_stands_in_the_way(store, errand)?;
    let about = store.estimated_records(Table::Nodes)?;
    let many = own >= SWEEP_FROM && own.saturating_mul(SWEEP_RATIO) > about;
    let sweeps = desk.wants_everything() || many || store.reader().flag(Flag::SweepDue)?;
    let settled = if sweeps {
        sweep_asking(store, desk, watcher)?
    } else {
        settle_asking(store, desk, watcher)?
    };
    if settled.finished || desk.found_somebody_out() {
        return Ok(settled);
    }
    let carried = settle(store, &Finishing(watcher))?;
    Ok(Settled {
        finished: false,
        ..settled.and(carried)
    })
}

/// A sweep is due, and not for this errand: whoever changes the book has it made first.
pub(in crate::book) fn is_sweep_due_for_others(
    store: &Store,
    errand: Option<Errand>,
) -> Result<bool, StoreError> {
    let reader = store.reader();
    Ok(reader.flag(Flag::SweepDue)? && reader.sweep_errand()? != errand)
}

/// After a stop, what was found is carried up, unless even that is too long.
struct Finishing<'a>(&'a dyn Watcher);

impl Watcher for Finishing<'_> {
    fn pauses_for(&self, what: &'static str) {
        self.0.pauses_for(what);
    }

    fn goes_on(&self) {
        self.0.goes_on();
    }

    fn should_stop(&self) -> bool {
        self.0.must_stop()
    }
}

/// A position whose value is on its way, for whomever, is searched before those above it: they
/// would be asked about moves that are known in a moment. Gives the number of wants of the errand.
fn adopt_what_stands_in_the_way(store: &Store, errand: Errand) -> Result<u64, StoreError> {
    let (mut own, mut others) = (0, false);
    let reader = store.reader();
    let mut rows = reader.rows(Table::Wanted, None)?;
    while let Some((_, want)) = rows.next_want()? {
        if want.errand == errand {
            own += 1;
        } else {
            others = true;
        }
    }
    drop(rows);
    if own == 0 || !others {
        return Ok(own);
    }
    for layer in Layer::all() {
        let mut batch = store.batch()?;
        let mut rows = reader.rows(Table::Wanted, Some(layer))?;
        while let Some((key, want)) = rows.next_want()? {
            if want.errand != errand {
                continue;
            }
            for (child, value) in Family::read(&reader, key)?.children() {
                if value.is_some() {
                    continue;
                }
                let wants = reader.wants(child)?;
                if !wants.is_empty() && wants.iter().all(|want| want.errand != errand) {
                    batch.want(child, Want::of(errand));
                    own += 1;
                }
            }
        }
        if !batch.is_empty() {
            batch.commit()?;
        }
    }
    Ok(own)
}

/// Grows a book in rounds: what the source wants is taken in and answered, then it is asked again.
pub fn grow_in_rounds(
    store: &Store,
    analyst: &mut dyn Analyst,
    errand: Errand,
    source: &mut dyn Rounds,
    watcher: &dyn Watcher,
) -> Result<Grown, AskError> {
    let mut grown = Grown::default();
    if let Some(memo) = store.reader().memo(errand)? {
        source.resume(&memo);
    }
    // What was wished for last, and how the position was then.
    let mut tried: HashMap<NodeKey, (Wish, Option<Node>)> = HashMap::new();
    loop {
        // First what an interrupted run left.
        let settled = answer_until_sure(store, analyst, Assignment::of(errand), watcher)?;
        grown.searched += settled.searched;
        grown.failures.extend(settled.failures);
        if !settled.finished {
            return Ok(grown);
        }
        let mut step = source.next(&store.reader())?;
        if let GrowthStep::Want(wishes) = &mut step {
            let mut brings_news = Vec::new();
            for wish in wishes.iter() {
                let trial = (*wish, store.reader().node(wish.key)?);
                brings_news.push(tried.insert(wish.key, trial) != Some(trial));
            }
            // The same question about the same position has the same answer.
            let mut brings_news = brings_news.into_iter();
            wishes.retain(|_| brings_news.next().unwrap_or(true));
            if wishes.is_empty() {
                step = GrowthStep::Done { exhausted: true };
            }
        }
        match step {
            GrowthStep::Done { exhausted } => {
                let mut batch = store.batch()?;
                batch.forget_memo(errand);
                batch.close_journal(errand);
                batch.commit()?;
                grown.exhausted = exhausted;
                return Ok(grown);
            }
            GrowthStep::Want(wishes) => {
                watcher.expect(wishes.len() as u64);
                grown.added += grant(store, errand, &wishes, &source.memo())?;
            }
        }
    }
}

/// Writes what is wanted, with the positions that come in for it, all at once. Gives their number.
fn grant(store: &Store, errand: Errand, wishes: &[Wish], memo: &[u8]) -> Result<u64, StoreError> {
    let keys: Vec<NodeKey> = wishes.iter().map(|wish| wish.key).collect();
    let there = store.reader().contains(&keys)?;
    let mut batch = store.batch()?;
    if !memo.is_empty() {
        batch.keep_memo(errand, memo);
    }
    let mut added = 0;
    for (wish, there) in wishes.iter().zip(there) {
        if !there {
            batch.put_node(wish.key, &Node::new(Origin::Expansion));
            // The want brings whoever answers it here; others are told by a mark.
            batch.mark(wish.key, Mark::Changed, Some(errand));
            added += 1;
        }
        batch.want(wish.key, wish.want(errand));
    }
    batch.commit()?;
    Ok(added)
}
