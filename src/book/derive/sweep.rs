//! The full back-propagation: one sweep over the layers, from the fullest to the emptiest, each
//! read once while the one below it is in memory, and the questions that come up on the way.
//!
//! A layer is done when all of its questions are answered: then the one above it knows what it
//! needs. Until the sweep is through, the book remembers that it is due, so that one that was
//! stopped or killed is made again.

use crate::book::Watcher;
use crate::book::desk::{Answered, Desk, Until};
use crate::book::driver::AskError;
use crate::book::family::Family;
use crate::book::journal;
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Derived, EngineNumber, Node, Told};
use crate::book::propagate::Settled;
use crate::book::question::MovesQuestion;
use crate::book::rule::derive_with;
use crate::book::store::{Flag, Reader, Rows, Store, StoreError, Table};
use crate::book::want::{Errand, Want};
use crate::book::wanted::has_dropped;
use crate::othello::kernel::{Job, Kernel, dispatch};
use rayon::prelude::*;
use std::collections::HashMap;

/// Enough to keep many cores busy, little enough to forget.
const ROWS_AT_ONCE: usize = 1 << 16;
/// The same where they are searched: what was found reaches the disk soon.
const ASKED_AT_ONCE: usize = 1 << 10;
/// Enough that handing it to a thread costs nothing beside the work.
const ROWS_PER_JOB: usize = 512;

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
    /// The layer below, whose values are final.
    below: LayerTable<Told>,
    /// The layer that is worked on, as far as it was read, in the order of keys.
    here: Vec<(NodeKey, Told)>,
    asked: HashMap<NodeKey, Asked>,
}

/// A position that is being asked.
struct Asked {
    /// Its place in the layer.
    place: usize,
    /// What the answer fulfils.
    fulfils: Vec<Want>,
    /// Its record became another before the answer.
    changed: bool,
}

/// The errands for which something is to be done in one layer, by position.
#[derive(Default)]
struct Due {
    wants: HashMap<NodeKey, Want>,
    /// Wants of others that whoever answers everything fulfils.
    others: HashMap<NodeKey, Vec<Want>>,
    marks: HashMap<NodeKey, Vec<Errand>>,
}

impl Due {
    fn read(reader: &Reader<'_>, layer: Layer, desk: Option<&Desk<'_>>) -> Result<Due, StoreError> {
        let mut due = Due::default();
        let mut marks = reader.rows(Table::Dirty, Some(layer))?;
        while let Some((key, _)) = marks.next_row()? {
            if let (key, _, Some(errand)) = reader.read_mark(key)? {
                due.marks.entry(key).or_default().push(errand);
            }
        }
        if let Some(desk) = desk {
            let mut wants = reader.rows(Table::Wanted, Some(layer))?;
            while let Some((key, want)) = wants.next_want()? {
                if want.errand == desk.errand() {
                    due.wants.insert(key, want);
                } else if desk.wants_everything() {
                    // Whoever answers everything answers what others want, as hard as they do.
                    let own = due.wants.entry(key).or_insert(Want::of(desk.errand()));
                    own.level = own.level.max(want.level);
                    due.others.entry(key).or_default().push(want);
                }
            }
        }
        Ok(due)
    }
}

impl<'a> Sweep<'a> {
    fn new(store: &'a Store, watcher: &'a dyn Watcher) -> Result<Sweep<'a>, StoreError> {
        Ok(Sweep {
            store,
            watcher,
            settled: Settled::default(),
            errand: store.reader().sweep_errand()?,
            below: LayerTable::new(Vec::new()),
            here: Vec::new(),
            asked: HashMap::new(),
        })
    }

    fn run(mut self, mut desk: Option<&mut Desk<'_>>) -> Result<Settled, AskError> {
        if let Some(desk) = &desk {
            self.errand = self.errand.max(Some(desk.errand()));
        }
        let mut begin = self.store.batch()?;
        begin.raise_sweep(self.errand);
        begin.commit()?;
        for layer in Layer::all().rev() {
            if !self.layer(layer, desk.as_deref_mut())? {
                return Ok(self.settled);
            }
        }
        let mut end = self.store.batch()?;
        end.unmark_all();
        end.lower(Flag::SweepDue);
        end.commit()?;
        self.store.sync()?;
        self.settled.finished = true;
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
        while !chunk.is_empty() {
            if self.watcher.should_stop() {
                return Ok(false);
            }
            // One thread reads on while the others compute.
            let below = &self.below;
            let (next, derived) = rayon::join(
                || next_chunk(&mut rows, at_once),
                || derive_all(&chunk, &|child| below.get(child).copied()),
            );
            self.visit(&chunk, &derived, &due, desk.as_deref_mut())?;
            if !self.talk(desk.as_deref_mut(), Until::ThereIsRoom)? {
                return Ok(false);
            }
            chunk = next?;
        }
        if !self.talk(desk.as_deref_mut(), Until::AllIsAnswered)? {
            return Ok(false);
        }
        if let Some(desk) = desk {
            desk.end_layer(&reader, layer)?;
        }
        self.asked.clear();
        self.below = LayerTable::new(std::mem::take(&mut self.here));
        Ok(true)
    }

    /// Writes what follows for positions of the layer, and puts questions on the desk.
    fn visit(
        &mut self,
        chunk: &[(NodeKey, Node)],
        derived: &[Derived],
        due: &Due,
        mut desk: Option<&mut Desk<'_>>,
    ) -> Result<(), StoreError> {
        let mut batch = self.store.batch()?;
        let mut done = 0;
        for ((key, node), derived) in chunk.iter().zip(derived) {
            self.here.push((*key, derived.told()));
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
                    let place = self.here.len() - 1;
                    let asked = Asked {
                        place,
                        fulfils,
                        changed,
                    };
                    self.asked.insert(*key, asked);
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
                    done += 1;
                }
            }
        }
        if !batch.is_empty() {
            batch.commit()?;
        }
        self.settled.recomputed += done;
        self.watcher.done(done);
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
        // Only a change can be a drop.
        let changed = derived.value != node.derived.value;
        if visit.want.is_none() && !changed {
            return visit;
        }
        let family = Family::remembered(key, |child| self.below.get(child).copied());
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
            if visit.question.is_some() && desk.is_blocked(key) {
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
        desk.talk(watcher, until, |desk, answers| {
            Ok(self.apply(&answers, desk.engine())?)
        })
    }

    /// Applies answers to the positions as they are now.
    fn apply(&mut self, answers: &[Answered], engine: EngineNumber) -> Result<(), StoreError> {
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
            let family = Family::remembered(key, |child| self.below.get(child).copied());
            let mut node = before;
            question.answered(&mut node, best, engine);
            node.derived = family.derive(&node);
            if let Some((_, told)) = self.here.get_mut(asked.place) {
                *told = node.derived.told();
            }
            self.settled.changed += u64::from(asked.changed || node != before);
            batch.put_node(key, &node);
            let by = by.as_ref();
            journal::note(&reader, &mut batch, key, by, &before, &node, &asked.fulfils)?;
            for want in asked.fulfils {
                batch.unwant(key, want.errand);
            }
        }
        batch.commit()?;
        let done = answers.len() as u64;
        self.settled.searched += done;
        self.settled.recomputed += done;
        self.watcher.done(done);
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
