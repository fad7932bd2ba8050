//! Best-first growth: threads take the cheapest thing to do, search, and carry what they found up
//! to the start at once, so that the next choice knows of it.
//!
//! Searching goes on side by side; choosing and carrying up is one thread's at a time. What is
//! being worked on is marked as taken, and nobody else takes it. One thread alone always makes the
//! same book of the same one.

use super::frontier::{Frontier, Todo};
use super::taste::Taste;
use super::{GrowError, Grown, position_of_book};
use crate::book::{
    Asking, Family, Finding, Layer, Node, NodeKey, Origin, ParentFinder, Question, Store,
    StoreError, Value, Watcher, beside, settle, wanted,
};
use crate::othello::{Color, Position};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What to grow, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// Only below this position.
    pub from: Position,
    pub taste: Taste,
    /// Stop when this many positions have come in …
    pub positions: Option<u64>,
    /// … or when those that came in last were worth what was expected, to this many discs on
    /// average.
    pub until_error: Option<f64>,
}

/// Over how many positions the error is averaged.
const RECENT: usize = 100;

/// Takes in the most useful positions, until a limit is reached or nothing is left to do.
pub fn expand(
    store: &Store,
    asking: Asking<'_>,
    expansion: &Expansion,
    threads: usize,
    watcher: &dyn Watcher,
) -> Result<Grown, GrowError> {
    settle(store, &())?;
    let from = root(store, asking, expansion.from)?;
    let Some(from) = from else {
        return Ok(Grown::default());
    };
    let frontier = Frontier::read(&store.reader(), expansion.taste)?;
    let work = Work {
        store,
        asking,
        expansion,
        watcher,
        from,
        state: Mutex::new(State {
            frontier,
            taken: HashSet::new(),
            dropped: BTreeSet::new(),
            adding: 0,
            busy: 0,
            errors: VecDeque::new(),
            grown: Grown::default(),
            failure: None,
        }),
        news: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(|| work.run());
        }
        work.run();
    });
    let state = work
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match state.failure {
        Some(failure) => Err(failure.into()),
        None => Ok(state.grown),
    }
}

/// Where growth begins: a position of the book. An empty book gets the start. None if that was
/// stopped.
fn root(
    store: &Store,
    asking: Asking<'_>,
    from: Position,
) -> Result<Option<(NodeKey, Color)>, GrowError> {
    let start = NodeKey::of(Position::START.board);
    let reader = store.reader();
    if NodeKey::of(from.board) == start && reader.node(start)?.is_none() {
        let family = Family::read(&reader, start)?;
        let Some((node, _)) = asking.complete(&family, Node::new(Origin::Expansion)) else {
            return Ok(None);
        };
        let mut batch = store.batch()?;
        batch.put_node(start, &node);
        batch.commit()?;
    }
    let (key, from) = position_of_book(store, from)?;
    Ok(Some((key, from.turn)))
}

struct Work<'a> {
    store: &'a Store,
    asking: Asking<'a>,
    expansion: &'a Expansion,
    watcher: &'a dyn Watcher,
    from: (NodeKey, Color),
    state: Mutex<State>,
    /// Something was written: there may be other things to do now.
    news: Condvar,
}

struct State {
    frontier: Frontier,
    taken: HashSet<NodeKey>,
    /// Positions whose best value dropped below what the moves beside it may be worth, the
    /// fullest first: they are asked before anything else is taken in.
    dropped: BTreeSet<(Reverse<Layer>, NodeKey)>,
    /// Positions that are being searched to come in.
    adding: u64,
    busy: usize,
    /// By how much the last positions were not worth what was expected, in centi-discs.
    errors: VecDeque<i32>,
    grown: Grown,
    failure: Option<StoreError>,
}

/// What a search brought.
enum Found {
    Answer(Question, Finding),
    Position(Node),
    /// Nothing was left to ask.
    Nothing,
    /// It was stopped.
    Stopped,
}

impl Work<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some(todo) = self.take() {
            let found = self.search(todo);
            let mut state = self.lock();
            let written = found.and_then(|found| self.write(&mut state, todo, found));
            if let Err(failure) = written {
                state.failure = Some(failure);
            }
            for key in todo.keys() {
                state.taken.remove(&key);
            }
            state.adding -= u64::from(matches!(todo, Todo::Add { .. }));
            state.busy -= 1;
            drop(state);
            self.news.notify_all();
        }
        self.news.notify_all();
    }

    /// The next thing to do; none when there is nothing more to do, or no more is wanted.
    fn take(&self) -> Option<Todo> {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() || self.watcher.should_stop() || self.is_enough(&state) {
                return None;
            }
            match self.choose(&mut state) {
                Some(todo) => {
                    state.taken.extend(todo.keys());
                    state.adding += u64::from(matches!(todo, Todo::Add { .. }));
                    state.busy += 1;
                    return Some(todo);
                }
                None if state.busy == 0 => {
                    state.grown.exhausted = true;
                    return None;
                }
                // What others are at may leave something to do.
                None => {
                    state = self
                        .news
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn is_enough(&self, state: &State) -> bool {
        // Drops are asked before the end: the last position counts as much as the first.
        let settled = state.dropped.is_empty();
        let full = self
            .expansion
            .positions
            .is_some_and(|limit| state.grown.added >= limit);
        let sure = self.expansion.until_error.is_some_and(|error| {
            let sum: i64 = state.errors.iter().map(|&error| i64::from(error)).sum();
            state.errors.len() == RECENT && sum as f64 <= error * 100.0 * RECENT as f64
        });
        settled && (full || sure)
    }

    fn choose(&self, state: &mut State) -> Option<Todo> {
        let free = |key: &NodeKey| !state.taken.contains(key);
        let dropped = state.dropped.iter().find(|(_, key)| free(key)).copied();
        if let Some(dropped) = dropped {
            state.dropped.remove(&dropped);
            return Some(Todo::Ask(dropped.1));
        }
        let limit = self.expansion.positions;
        if limit.is_some_and(|limit| state.grown.added + state.adding >= limit) {
            return None;
        }
        state.frontier.next(self.from, &state.taken)
    }

    /// The long part, side by side with others.
    fn search(&self, todo: Todo) -> Result<Found, StoreError> {
        let reader = self.store.reader();
        let question = match todo {
            Todo::Add { child, .. } => {
                let family = Family::read(&reader, child)?;
                let node = Node::new(Origin::Expansion);
                return Ok(match self.asking.complete(&family, node) {
                    Some((node, _)) => Found::Position(node),
                    None => Found::Stopped,
                });
            }
            Todo::Ask(key) => {
                let Some(node) = reader.node(key)? else {
                    return Ok(Found::Nothing);
                };
                let family = Family::read(&reader, key)?;
                if family.outside().is_empty() {
                    return Ok(Found::Nothing);
                }
                let Asking { analyst, level } = self.asking;
                let slack = self.expansion.taste.slack;
                wanted(&family, &node, analyst, level)
                    .unwrap_or_else(|| beside(&family, &node, self.asking, slack))
            }
        };
        Ok(match self.asking.analyst.answer(&question) {
            Some(finding) => Found::Answer(question, finding),
            None => Found::Stopped,
        })
    }

    fn write(&self, state: &mut State, todo: Todo, found: Found) -> Result<(), StoreError> {
        let reader = self.store.reader();
        match (todo, found) {
            (Todo::Ask(key), Found::Answer(question, finding)) => {
                state.grown.searched += 1;
                if let Some(mut node) = reader.node(key)? {
                    question.answered(&mut node, &finding);
                    self.carry_up(state, key, node, false)?;
                }
            }
            (
                Todo::Add {
                    child,
                    turns,
                    expected,
                    ..
                },
                Found::Position(node),
            ) => {
                state.grown.searched += 1;
                if reader.node(child)?.is_some() {
                    return Ok(());
                }
                state.grown.added += 1;
                if let Some(value) = node.derived.value {
                    let value = if turns { -value } else { value };
                    note_error(&mut state.errors, expected, value);
                }
                self.carry_up(state, child, node, true)?;
                self.watcher.done(1);
            }
            _ => {}
        }
        Ok(())
    }

    /// Re-examines a position and those above it layer by layer, each once, and writes all of them
    /// at once: nobody ever sees half of a change, and a kill loses nothing.
    fn carry_up(
        &self,
        state: &mut State,
        key: NodeKey,
        mut node: Node,
        is_new: bool,
    ) -> Result<(), StoreError> {
        let reader = self.store.reader();
        node.derived = state.frontier.family(key).derive(&node);
        if is_new {
            let parents = ParentFinder::new(&reader)?.find(key)?;
            state.frontier.set_parents(key, parents);
        }
        let mut batch = self.store.batch()?;
        batch.put_node(key, &node);
        let mut layer: Vec<(NodeKey, Node)> = vec![(key, node)];
        while !layer.is_empty() {
            let mut parents: BTreeSet<NodeKey> = BTreeSet::new();
            for (key, node) in layer {
                if state.frontier.update(key, &node) {
                    parents.extend(state.frontier.parents(key));
                }
            }
            layer = Vec::with_capacity(parents.len());
            for parent in parents {
                let Some(mut node) = reader.node(parent)? else {
                    continue;
                };
                let before = node.derived;
                let family = state.frontier.family(parent);
                node.derived = family.derive(&node);
                if node.derived != before {
                    batch.put_node(parent, &node);
                }
                let Asking { analyst, level } = self.asking;
                if wanted(&family, &node, analyst, level).is_some() {
                    state.dropped.insert((Reverse(parent.layer()), parent));
                }
                layer.push((parent, node));
            }
        }
        batch.commit()
    }
}

fn note_error(errors: &mut VecDeque<i32>, expected: Value, found: Value) {
    if errors.len() == RECENT {
        errors.pop_front();
    }
    errors.push_back((expected.centidiscs() - found.centidiscs()).abs());
}
