//! Growth best first: each answer is carried up to the start at once, so that the next choice knows of
//! it. Part of the one driver (`driver.rs`).

use super::analyst::{Analyst, PATIENCE};
use super::desk::{Answered, Assignment, Desk, Heard};
use super::driver::{AskError, Grown, answer_until_sure, close_journal};
use super::journal::{self, Testimony, Witness, take_back};
use super::source::{BestFirst, Todo};
use super::want::{Errand, Want, Wanted};
use super::wanted::has_dropped;
use crate::book::Watcher;
use crate::book::key::{Layer, NodeKey};
use crate::book::node::{Node, Origin};
use crate::book::store::{Mark, Store, StoreError};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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
