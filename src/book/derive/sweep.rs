//! The full back-propagation: one sweep over the layers, from the fullest to the emptiest, each
//! read once while the one below it is in memory, and the questions that come up on the way.
//!
//! What is above unanswered questions is left out and computed later, from the layer below it, which
//! is kept so long. Until the sweep is through, the book remembers that it is due, so that one that
//! was stopped or killed is made again.

use crate::book::Watcher;
use crate::book::desk::{Answered, Desk, News, Until};
use crate::book::driver::AskError;
use crate::book::due::Due;
use crate::book::family::Family;
use crate::book::journal::{self, Testimony};
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Derived, Node, Told};
use crate::book::propagate::Settled;
use crate::book::question::MovesQuestion;
use crate::book::rule::derive_with;
use crate::book::shadow::Shadow;
use crate::book::store::{Flag, Rows, Store, StoreError, Table};
use crate::book::want::{Errand, Want};
use crate::book::wanted::has_dropped;
use crate::othello::kernel::{Job, Kernel, dispatch};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// Enough to keep many cores busy, little enough to forget.
const ROWS_AT_ONCE: usize = 1 << 16;
/// The same where they are searched: what was found reaches the disk soon.
const ASKED_AT_ONCE: usize = 1 << 10;
/// Enough that handing it to a thread costs nothing beside the work.
const ROWS_PER_JOB: usize = 512;

/// Positions of layers that are kept for what has to wait: some 200 MB. With more than that the sweep
/// waits for all answers of a layer, and keeps the one below it alone.
const MOST_KEPT: usize = 1 << 22;

/// Recomputes every position of the book and empties the dirty queue. Asks nobody: what is wanted
/// stays wanted.
pub fn sweep(store: &Store, watcher: &dyn Watcher) -> Result<Settled, StoreError> {
    Sweep::new(store, watcher)?
        .run(None)
        .map_err(AskError::of_store)
}

/// [`sweep`], asking on the way what the desk's errand wants.
pub(in crate::book) fn sweep_asking(
    store: &Store,
    desk: &mut Desk<'_>,
    watcher: &dyn Watcher,
) -> Result<Settled, AskError> {
    let mut settled = Sweep::new(store, watcher)?.run(Some(desk))?;
    settled.failures = desk.take_failures();
    settled.finished &= settled.failures.is_empty();
    Ok(settled)
}

struct Sweep<'a> {
    store: &'a Store,
    watcher: &'a dyn Watcher,
    settled: Settled,
    /// For whose work the sweep is made.
    errand: Option<Errand>,
    /// The layers below that are still needed. What they say is final, but for unsettled positions.
    tables: BTreeMap<Layer, LayerTable<Told>>,
    /// The layer that is scanned, as far as it was read, in the order of keys.
    here: Vec<(NodeKey, Told)>,
    asked: HashMap<NodeKey, Asked>,
    shadow: Shadow,
}

/// A position that is being asked.
struct Asked {
    /// What the answer fulfils.
    fulfils: Vec<Want>,
    /// It was wanted, and not asked only because its value dropped.
    is_wanted: bool,
    /// What followed for it before this pass.
    before: Derived,
    /// Its record became another before the answer.
    changed: bool,
}

impl<'a> Sweep<'a> {
    fn new(store: &'a Store, watcher: &'a dyn Watcher) -> Result<Sweep<'a>, StoreError> {
        Ok(Sweep {
            store,
            watcher,
            settled: Settled::default(),
            errand: store.reader().sweep_errand()?,
            tables: BTreeMap::new(),
            here: Vec::new(),
            asked: HashMap::new(),
            shadow: Shadow::default(),
        })
    }

    fn run(mut self, mut desk: Option<&mut Desk<'_>>) -> Result<Settled, AskError> {
        if let Some(desk) = &desk {
            self.errand = self.errand.max(Some(desk.errand()));
        }
        let mut begin = self.store.batch()?;
        begin.raise_sweep(self.errand);
        begin.end_trim();
        begin.commit()?;
        for layer in Layer::all().rev() {
            if !self.layer(layer, desk.as_deref_mut())? {
                return Ok(self.settled);
            }
        }
        if !self.talk(desk, Until::AllIsAnswered)? {
            return Ok(self.settled);
        }
        let mut end = self.store.batch()?;
        end.unmark_all();
        end.end_forgetting();
        end.lower(Flag::SweepDue);
        end.commit()?;
        self.store.sync()?;
        self.settled.finished = true;
        self.store.wait_for_order(self.watcher)?;
        Ok(self.settled)
    }

    /// False if somebody stopped it.
    fn layer(&mut self, layer: Layer, mut desk: Option<&mut Desk<'_>>) -> Result<bool, AskError> {
        let reader = self.store.reader();
        let due = Due::read(&reader, layer, desk.as_deref())?;
        let at_once = if desk.is_some() {
            ASKED_AT_ONCE
        } else {
            ROWS_AT_ONCE
        };
        let mut rows = reader.rows(Table::Nodes, Some(layer))?;
        let mut chunk = next_chunk(&mut rows, at_once)?;
        self.shadow.begin_scan(layer);
        while !chunk.is_empty() {
            if self.watcher.should_stop() {
                return Ok(false);
            }
            // One thread reads on while the others compute.
            let below = layer.next().and_then(|below| self.tables.get(&below));
            let (next, mut derived) = rayon::join(
                || next_chunk(&mut rows, at_once),
                || derive_all(&chunk, &|child| below?.get(child).copied()),
            );
            // Those that have to wait get a place as well; nobody looks at it before they are done.
            let told = |((key, _), derived): (&(NodeKey, _), &Derived)| (*key, derived.told());
            self.here.extend(chunk.iter().zip(&derived).map(told));
            if desk.is_some() {
                let both = chunk.into_iter().zip(derived);
                (chunk, derived) = both
                    .filter(|((key, _), _)| !self.shadow.covers(*key))
                    .unzip();
            }
            self.visit(&chunk, &derived, &due, desk.as_deref_mut())?;
            if !self.talk(desk.as_deref_mut(), Until::ThereIsRoom)? {
                return Ok(false);
            }
            chunk = next?;
        }
        let table = LayerTable::new(std::mem::take(&mut self.here));
        self.tables.insert(layer, table);
        self.shadow.end_scan();
        if let Some(desk) = desk.as_deref_mut() {
            self.visit_released(desk)?;
        }
        let kept: usize = self.tables.values().map(LayerTable::len).sum();
        let until = if kept <= MOST_KEPT {
            Until::MoreIsWelcome
        } else {
            Until::AllIsAnswered
        };
        if !self.talk(desk, until)? {
            return Ok(false);
        }
        // The next layer is computed from this one, what has to wait from those directly below it.
        let shadow = &self.shadow;
        self.tables
            .retain(|&one, _| one == layer || shadow.is_above(one));
        self.shadow.leave(&reader, layer)?;
        Ok(true)
    }

    /// What is known of a position of a layer that was scanned.
    fn told(&self, key: NodeKey) -> Option<Told> {
        self.tables.get(&key.layer())?.get(key).copied()
    }

    fn tell(&mut self, key: NodeKey, told: Told) {
        let known = match self.tables.get_mut(&key.layer()) {
            Some(table) => table.get_mut(key),
            None => {
                let place = self.here.binary_search_by_key(&key, |(key, _)| *key);
                place.ok().map(|place| &mut self.here[place].1)
            }
        };
        if let Some(known) = known {
            *known = told;
        }
    }

    /// Visits what waited for nothing but what is settled now, and so on up.
    fn visit_released(&mut self, desk: &mut Desk<'_>) -> Result<(), StoreError> {
        let reader = self.store.reader();
        loop {
            let released = self.shadow.take_released();
            if released.is_empty() {
                return Ok(());
            }
            let due = Due::read_some(&reader, &released, desk)?;
            let mut chunk = Vec::new();
            for (key, node) in released.iter().zip(reader.nodes(&released)?) {
                match node {
                    Some(node) => chunk.push((*key, node)),
                    None => self.shadow.settle(*key),
                }
            }
            let derived = derive_all(&chunk, &|child| self.told(child));
            for ((key, _), derived) in chunk.iter().zip(&derived) {
                self.tell(*key, derived.told());
            }
            self.visit(&chunk, &derived, &due, Some(desk))?;
        }
    }

    /// Writes what follows for positions, and puts questions on the desk.
    fn visit(
        &mut self,
        chunk: &[(NodeKey, Node)],
        derived: &[Derived],
        due: &Due,
        mut desk: Option<&mut Desk<'_>>,
    ) -> Result<(), StoreError> {
        let mut batch = self.store.batch()?;
        let mut done = Vec::new();
        for ((key, node), derived) in chunk.iter().zip(derived) {
            let visit = self.examine(*key, node, derived, due, desk.as_deref());
            // What is known shows at once, whether the rest is ever answered or not.
            let changed = *derived != node.derived;
            if changed {
                let derived = *derived;
                batch.put_node(*key, &Node { derived, ..*node });
            }
            for errand in visit.dropped_for {
                batch.want(*key, Want::of(errand));
            }
            let mut fulfils = due.others.get(key).cloned().unwrap_or_default();
            fulfils.extend(visit.want);
            match (visit.question, &mut desk) {
                (Some(question), Some(desk)) => {
                    if visit.want.is_none() {
                        let want = Want::of(desk.errand());
                        batch.want(*key, want);
                        fulfils.push(want);
                    }
                    let asked = Asked {
                        fulfils,
                        is_wanted: visit.want.is_some(),
                        before: node.derived,
                        changed,
                    };
                    self.asked.insert(*key, asked);
                    self.shadow.ask(*key);
                    desk.put(question);
                }
                _ => {
                    if let Some(want) = visit.still_wanted {
                        batch.want(*key, want);
                    } else if due.wants.contains_key(key) {
                        for want in fulfils {
                            batch.unwant(*key, want.errand);
                        }
                    }
                    self.settled.changed += u64::from(changed);
                    done.push(*key);
                }
            }
        }
        if !batch.is_empty() {
            batch.commit()?;
        }
        self.settled.recomputed += done.len() as u64;
        self.watcher.done(done.len() as u64);
        for key in done {
            self.shadow.settle(key);
        }
        Ok(())
    }

    /// What a position is to be asked, and for whom it dropped.
    fn examine(
        &self,
        key: NodeKey,
        node: &Node,
        derived: &Derived,
        due: &Due,
        desk: Option<&Desk<'_>>,
    ) -> Visit {
        let mut visit = Visit {
            want: due.wants.get(&key).copied(),
            ..Visit::default()
        };
        if visit.want.is_none()
            && let Some(desk) = desk
            && desk.wants_everything()
        {
            visit.want = Some(Want::of(desk.errand()));
        }
        // Only a change can be a drop, and only below what a search said of the other moves. Most
        // positions of games that nobody searched are spared a second look at their moves.
        let changed = derived.value != node.derived.value && node.alternative.is_some();
        if visit.want.is_none() && !changed {
            return visit;
        }
        let family = Family::remembered(key, |child| self.told(child));
        if changed && has_dropped(&family, node, &node.derived) {
            visit.dropped_for.extend(self.errand);
            visit
                .dropped_for
                .extend(due.marks.get(&key).into_iter().flatten());
            visit.dropped_for.sort_unstable();
            visit.dropped_for.dedup();
        }
        if let Some(desk) = desk {
            let own = desk.errand();
            let dropped = visit.dropped_for.contains(&own).then(|| Want::of(own));
            let want = visit.want.or(dropped);
            visit.question = want.and_then(|want| desk.question_of(&family, node, &want));
            if visit.question.is_some() && self.shadow.is_blocked(key) {
                visit.question = None;
                visit.still_wanted = want;
            }
            visit.dropped_for.retain(|errand| *errand != own);
        }
        visit
    }

    /// Sends and hears, if there is somebody to talk to. False if somebody stopped it.
    fn talk(&mut self, desk: Option<&mut Desk<'_>>, until: Until) -> Result<bool, AskError> {
        let (Some(desk), watcher) = (desk, self.watcher) else {
            return Ok(true);
        };
        desk.talk(watcher, until, |desk, News { answers, failed }| {
            self.apply(&answers, desk)?;
            for key in failed {
                self.asked.remove(&key);
                self.shadow.fail(key);
            }
            Ok(self.visit_released(desk)?)
        })
    }

    /// Applies answers to the positions as they are now.
    fn apply(&mut self, answers: &[Answered], desk: &Desk<'_>) -> Result<(), StoreError> {
        let reader = self.store.reader();
        let mut batch = self.store.batch()?;
        let position = |answer: &Answered| answer.question.position;
        let keys: Vec<NodeKey> = answers.iter().map(position).collect();
        let nodes = reader.nodes(&keys)?;
        for (answer, before) in answers.iter().zip(nodes) {
            let Answered { question, best, by } = answer;
            let key = question.position;
            let Some((before, asked)) = before.zip(self.asked.remove(&key)) else {
                continue;
            };
            let family = Family::remembered(key, |child| self.told(child));
            let mut node = before;
            question.answered(&mut node, best, desk.engine());
            node.derived = family.derive(&node);
            self.tell(key, node.derived.told());
            self.settled.changed += u64::from(asked.changed || node != before);
            batch.put_node(key, &node);
            if let Some(by) = by {
                let testimony = Testimony {
                    errand: desk.errand(),
                    key,
                    by,
                    before: Node {
                        derived: asked.before,
                        ..before
                    },
                    after: node,
                    wants: if asked.is_wanted { &asked.fulfils } else { &[] },
                };
                journal::note(&reader, &mut batch, testimony)?;
            }
            for want in asked.fulfils {
                batch.unwant(key, want.errand);
            }
        }
        batch.commit()?;
        let done = answers.len() as u64;
        self.settled.searched += done;
        self.settled.recomputed += done;
        self.watcher.done(done);
        for key in keys {
            self.shadow.settle(key);
        }
        Ok(())
    }
}

/// What is to be done at a position.
#[derive(Default)]
struct Visit {
    want: Option<Want>,
    question: Option<MovesQuestion>,
    /// What cannot be asked yet.
    still_wanted: Option<Want>,
    /// The errands that want it searched now because its best value dropped.
    dropped_for: Vec<Errand>,
}

fn next_chunk(rows: &mut Rows<'_>, at_once: usize) -> Result<Vec<(NodeKey, Node)>, StoreError> {
    let mut chunk = Vec::new();
    while chunk.len() < at_once {
        match rows.next_node()? {
            Some(row) => chunk.push(row),
            None => break,
        }
    }
    Ok(chunk)
}

/// Applies the rule to positions of one layer on all cores; `below` is asked for every child.
pub(in crate::book) fn derive_all<F>(rows: &[(NodeKey, Node)], below: &F) -> Vec<Derived>
where
    F: Fn(NodeKey) -> Option<Told> + Sync,
{
    struct Rule<'a, F>(&'a [(NodeKey, Node)], &'a F);
    impl<F: Fn(NodeKey) -> Option<Told>> Job for Rule<'_, F> {
        type Output = Vec<Derived>;

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) -> Vec<Derived> {
            let Rule(rows, below) = self;
            rows.iter()
                .map(|(key, node)| derive_with(kernel, key.board(), node, below))
                .collect()
        }
    }
    rows.par_chunks(ROWS_PER_JOB)
        .flat_map_iter(|rows| dispatch(Rule(rows, below)))
        .collect()
}
