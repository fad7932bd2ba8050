//! The one driver: takes what is wanted from the database, asks it, and puts the answers into the
//! book. Every command that searches is a source of wants; none has a loop of its own.

use super::analyst::{Analyst, AnalystError, PATIENCE};
use super::desk::{Answered, Assignment, Desk, Failure, Heard};
use super::journal::{self, Testimony, Witness, take_back};
use super::source::{BestFirst, GrowthStep, Rounds, Todo, Wish};
use super::want::{Errand, Want, Wanted};
use super::wanted::has_dropped;
use crate::book::Watcher;
use crate::book::family::Family;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Origin};
use crate::book::propagate::{Settled, settle, settle_asking};
use crate::book::recount::recount;
use crate::book::store::{Flag, Mark, Store, StoreError, Table};
use crate::book::sweep::sweep_asking;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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
fn close_journal(store: &Store, errand: Errand) -> Result<(), StoreError> {
    let mut batch = store.batch()?;
    batch.close_journal(errand);
    batch.commit()
}

/// Answers again and again, as long as somebody whose answers are in the book is found out.
fn answer_until_sure(
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

/// Grows a book best first: each answer is carried up to the start at once, so that the next
/// choice knows of it. With one worker, the same book always grows in the same way.
pub fn grow_best_first(
    store: &Store,
    analyst: &mut dyn Analyst,
    errand: Errand,
    source: &mut dyn BestFirst,
    watcher: &dyn Watcher,
) -> Result<Grown, AskError> {
    let mut grown = Grown::default();
    loop {
        let assignment = Assignment::of(errand);
        let left = answer_until_sure(store, analyst, assignment, watcher)?;
        grown.searched += left.searched;
        grown.failures.extend(left.failures);
        if !left.finished {
            return Ok(grown);
        }
        let mut growth = Growth {
            store,
            desk: Desk::new(store, analyst, assignment)?,
            source: &mut *source,
            watcher,
            taken: HashSet::new(),
            spent: HashSet::new(),
            asked: HashMap::new(),
            dropped: BTreeSet::new(),
            adding: 0,
            grown,
        };
        growth.source.begin(&store.reader())?;
        growth.run()?;
        let is_over = !watcher.should_stop() && growth.desk.is_idle();
        let is_sure = is_over && growth.desk.vouch(watcher)?;
        let liars = growth.desk.take_liars();
        grown = growth.grown;
        if liars.is_empty() {
            if is_sure {
                close_journal(store, errand)?;
            }
            return Ok(grown);
        }
        // What came in because of them stays, with what is true of it.
        take_back(store, &liars)?;
    }
}

struct Growth<'a> {
    store: &'a Store,
    desk: Desk<'a>,
    source: &'a mut dyn BestFirst,
    watcher: &'a dyn Watcher,
    /// Positions that nobody else should work on meanwhile.
    taken: HashSet<NodeKey>,
    /// Positions of which there was nothing new to find out: taken, too, until something below
    /// them changes.
    spent: HashSet<NodeKey>,
    /// By the position that is asked.
    asked: HashMap<NodeKey, Todo>,
    /// Positions whose best value dropped below what the moves beside it may be worth, the
    /// fullest first: they are asked before anything else is taken in. They are wanted in the
    /// database, too.
    dropped: BTreeSet<(Reverse<Layer>, NodeKey)>,
    /// Positions that are on their way in.
    adding: u64,
    grown: Grown,
}

impl Growth<'_> {
    fn run(&mut self) -> Result<(), AskError> {
        while !self.watcher.should_stop() {
            // One more than there are workers, so that none of them waits while an answer is carried
            // up; a single worker waits, so that the same book always grows in the same way.
            let most = match self.desk.workers() {
                1 => 1,
                workers => workers + 1,
            };
            while self.desk.in_flight() < most && self.ask_next()? {}
            if self.desk.is_idle() {
                break;
            }
            if !self.desk.send()? {
                break;
            }
            // One answer at a time: what is asked next must not depend on how many have come.
            match self.desk.hear(PATIENCE, 1)? {
                Heard::Stopped | Heard::FoundOut => break,
                Heard::Answers(answers) => {
                    for answer in answers {
                        self.grown.searched += 1;
                        self.apply(&answer)?;
                    }
                }
            }
            // What failed stays taken, so that nobody tries it again in this run.
            self.grown.failures.extend(self.desk.take_failures());
        }
        Ok(())
    }

    /// Puts the next question on the desk. False if there is none now.
    fn ask_next(&mut self) -> Result<bool, AskError> {
        loop {
            let Some(todo) = self.choose()? else {
                return Ok(false);
            };
            let reader = self.store.reader();
            let errand = self.desk.errand();
            let key = todo.asked();
            let before = reader.node(key)?;
            let node = before.unwrap_or_else(|| Node::new(Origin::Expansion));
            let family = self.source.family(&reader, key)?;
            let want = Want {
                what: match todo {
                    Todo::Beside(_) => Wanted::Beside(self.source.slack()),
                    Todo::Add { .. } | Todo::Dropped(_) => Wanted::ByRule,
                },
                ..Want::of(errand)
            };
            let question = self.desk.question_of(&family, &node, &want);
            self.taken.extend(todo.keys());
            if let Todo::Add { .. } = todo {
                let mut batch = self.store.batch()?;
                batch.put_node(key, &node);
                batch.want(key, want);
                // Most positions that come in have nothing below them yet.
                if family.derive(&node) != node.derived {
                    batch.mark(key, Mark::Changed, Some(errand));
                }
                batch.commit()?;
                self.adding += 1;
            }
            match question {
                Some(question) => {
                    self.asked.insert(key, todo);
                    self.desk.put(question);
                    return Ok(true);
                }
                // Nothing is left to find out: only what follows from it.
                None => {
                    self.finish(todo, node, None)?;
                    self.spend(todo);
                }
            }
        }
    }

    fn choose(&mut self) -> Result<Option<Todo>, StoreError> {
        let free = |key: &NodeKey| !self.taken.contains(key);
        let dropped = self.dropped.iter().find(|(_, key)| free(key)).copied();
        if let Some(dropped) = dropped {
            self.dropped.remove(&dropped);
            return Ok(Some(Todo::Dropped(dropped.1)));
        }
        // Drops are asked before the end: the last position counts as much as the first.
        if self.source.is_enough(self.grown.added + self.adding) {
            return Ok(None);
        }
        let next = self.source.next(&self.store.reader(), &self.taken)?;
        self.grown.exhausted = next.is_none() && self.desk.is_idle();
        Ok(next)
    }

    /// Applies an answer to the position as it is now.
    fn apply(&mut self, answer: &Answered) -> Result<(), AskError> {
        let question = &answer.question;
        let key = question.position;
        let Some(todo) = self.asked.remove(&key) else {
            return Ok(());
        };
        let reader = self.store.reader();
        let Some(before) = reader.node(key)? else {
            self.free(todo);
            return Ok(());
        };
        let mut node = before;
        let mut said_by = None;
        if question.fits(&self.source.family(&reader, key)?) {
            question.answered(&mut node, &answer.best, self.desk.engine());
            said_by = answer.by.clone();
        } else if let Todo::Dropped(_) = todo {
            // Something came in meanwhile: it is asked again as the book is now.
            self.dropped.insert((Reverse(key.layer()), key));
        }
        self.finish(todo, node, said_by.map(|by| (by, before)))?;
        if node == before {
            self.spend(todo);
        }
        Ok(())
    }

    /// Asking again would bring nothing: what was asked is not chosen again.
    fn spend(&mut self, todo: Todo) {
        if let Todo::Beside(key) = todo {
            self.taken.insert(key);
            self.spent.insert(key);
        }
    }

    /// A position is known now; by somebody elsewhere, who said it of how the position was before.
    fn finish(
        &mut self,
        todo: Todo,
        node: Node,
        said: Option<(Witness, Node)>,
    ) -> Result<(), AskError> {
        self.free(todo);
        if let Todo::Add { .. } = todo {
            self.adding -= 1;
            self.grown.added += 1;
        }
        self.carry_up(todo, node, said)?;
        if let Todo::Add { .. } = todo {
            self.watcher.done(1);
        }
        Ok(())
    }

    fn free(&mut self, todo: Todo) {
        for key in todo.keys() {
            self.taken.remove(&key);
        }
    }

    /// Re-examines a position and those above it layer by layer, each once, and writes all of them
    /// at once: nobody ever sees half of a change, and a kill loses nothing.
    fn carry_up(
        &mut self,
        todo: Todo,
        mut node: Node,
        said: Option<(Witness, Node)>,
    ) -> Result<(), StoreError> {
        let (key, errand) = (todo.asked(), self.desk.errand());
        let reader = self.store.reader();
        let mut batch = self.store.batch()?;
        batch.unwant(key, errand);
        batch.unmark(key, Mark::Changed, Some(errand));
        node.derived = self.source.family(&reader, key)?.derive(&node);
        batch.put_node(key, &node);
        if let Some((by, before)) = said {
            let testimony = Testimony {
                errand,
                key,
                by: &by,
                before,
                after: node,
                wants: &[Want::of(errand)],
            };
            journal::note(&reader, &mut batch, testimony)?;
        }
        if let Todo::Add {
            turns, expected, ..
        } = todo
        {
            self.source.came_in(&reader, key, &node, expected, turns)?;
        }
        let mut layer: Vec<(NodeKey, Node)> = vec![(key, node)];
        while !layer.is_empty() {
            // Each with whether something below it is known otherwise, and not only its price.
            let mut parents: BTreeMap<NodeKey, bool> = BTreeMap::new();
            for (key, node) in &layer {
                let changed = self.source.update(&reader, *key, node)?;
                if changed.told || changed.price {
                    for parent in self.source.parents(&reader, *key)?.iter() {
                        *parents.entry(*parent).or_default() |= changed.told;
                    }
                }
            }
            layer.clear();
            for (parent, is_told) in parents {
                let Some(mut node) = reader.node(parent)? else {
                    continue;
                };
                let before = node.derived;
                let family = self.source.family(&reader, parent)?;
                if has_dropped(&family, &node, &before) {
                    batch.want(parent, Want::of(errand));
                    self.dropped.insert((Reverse(parent.layer()), parent));
                }
                node.derived = family.derive(&node);
                if node.derived != before {
                    batch.put_node(parent, &node);
                }
                if is_told && self.spent.remove(&parent) {
                    self.taken.remove(&parent);
                }
                layer.push((parent, node));
            }
        }
        batch.commit()
    }
}
