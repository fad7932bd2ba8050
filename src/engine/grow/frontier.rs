//! The price of the cheapest line below every position, kept in memory and brought up to date with
//! the values; so the next position to take in is found by walking down from the start.
//!
//! What values are derived from is kept as well: a change is carried up without asking the
//! database what lies beside it, some hundred bytes for each position of the book.

use super::taste::{Cost, NEVER, Side, Taste};
use crate::book::{
    Destination, Edge, Family, Found, Layer, Node, NodeKey, Reader, Sign, StoreError, Table, Todo,
    Told, Value, edges,
};
use crate::othello::{Bitboard, Color};
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

/// What the walk needs to know of a position of the book.
#[derive(Clone, Copy)]
struct Entry {
    below: Told,
    /// What a search of the moves that are not in the book found.
    beside: Option<Found>,
    games: u32,
    /// The cheapest line, by who is to move.
    costs: [Cost; 2],
}

/// A step of the walk.
enum Next {
    Position(NodeKey, Color),
    Todo(Todo),
}

/// Boards are spread by a hash that need not withstand anybody.
type ByKey<T> = HashMap<NodeKey, T, FixedState>;

pub struct Frontier {
    taste: Taste,
    entries: ByKey<Entry>,
    parents: ByKey<Vec<NodeKey>>,
    /// The moves of positions that were looked at: the walks go through the same ones again and
    /// again.
    moves: RefCell<ByKey<Rc<[Edge]>>>,
}

/// Some hundred bytes each.
const MOVES_REMEMBERED: usize = 100_000;

impl Frontier {
    /// Of a whole book, which must be settled.
    pub fn read(reader: &Reader<'_>, taste: Taste) -> Result<Frontier, StoreError> {
        let mut frontier = Frontier {
            taste,
            entries: HashMap::default(),
            parents: HashMap::default(),
            moves: RefCell::default(),
        };
        for layer in Layer::all().rev() {
            let mut games = HashMap::new();
            if taste.human_weight > 0.0 {
                let mut rows = reader.rows(Table::Statistics, Some(layer))?;
                while let Some((key, statistics)) = rows.next_statistics()? {
                    games.insert(key, statistics.games);
                }
            }
            let mut rows = reader.rows(Table::Nodes, Some(layer))?;
            while let Some((key, node)) = rows.next_node()? {
                frontier.put(key, &node, games.get(&key).copied().unwrap_or(0));
            }
        }
        Ok(frontier)
    }

    /// Hears of a position that is new or became another, or has others below it. True if those
    /// above it must hear of it, too.
    pub fn update(&mut self, key: NodeKey, node: &Node) -> bool {
        let games = self.entries.get(&key).map_or(0, |entry| entry.games);
        self.put(key, node, games)
    }

    fn put(&mut self, key: NodeKey, node: &Node, games: u32) -> bool {
        let below = node.derived.told();
        let mut entry = Entry {
            below,
            beside: node.alternative.map(|known| known.found),
            games,
            costs: [NEVER; 2],
        };
        let costs = match self.taste.side {
            // The players are judged alike.
            Side::Both => [self.least(key, &entry, Color::Black); 2],
            Side::Only(_) => [Color::Black, Color::White].map(|turn| self.least(key, &entry, turn)),
        };
        entry.costs = costs;
        let old = self.entries.insert(key, entry);
        if old.is_none() {
            for child in self.moves(key).iter().filter_map(Edge::child) {
                if self.entries.contains_key(&child) {
                    let parents = self.parents.entry(child).or_default();
                    // Moves of a symmetric board may lead to one position.
                    if !parents.contains(&key) {
                        parents.push(key);
                    }
                }
            }
        }
        old.is_none_or(|old| (old.below, old.costs) != (below, costs))
    }

    /// The positions with a move to this one.
    pub fn parents(&self, key: NodeKey) -> &[NodeKey] {
        self.parents.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Says which positions have a move to a new one.
    pub fn set_parents(&mut self, key: NodeKey, parents: Vec<NodeKey>) {
        self.parents.insert(key, parents);
    }

    /// A position with what is known of those below it.
    pub fn family(&self, key: NodeKey) -> Family {
        Family::of_edges(key, &self.moves(key), |child| {
            self.entries.get(&child).map(|entry| entry.below)
        })
    }

    fn moves(&self, key: NodeKey) -> Rc<[Edge]> {
        let mut remembered = self.moves.borrow_mut();
        if remembered.len() >= MOVES_REMEMBERED {
            remembered.clear();
        }
        let moves = remembered
            .entry(key)
            .or_insert_with(|| edges(key.board()).into());
        moves.clone()
    }

    /// The price of the cheapest line from a position, given those from the positions below.
    fn least(&self, key: NodeKey, entry: &Entry, turn: Color) -> Cost {
        let steps = self.steps(key, entry, turn);
        let totals = steps.iter().map(|(step, next)| self.total(*step, next));
        totals.min().unwrap_or(NEVER)
    }

    /// The price of a step and of the cheapest line after it.
    fn total(&self, step: Cost, next: &Next) -> Cost {
        match next {
            Next::Todo(_) => step,
            Next::Position(key, turn) => self.cost(*key, *turn).saturating_add(step),
        }
    }

    fn cost(&self, key: NodeKey, turn: Color) -> Cost {
        self.entries
            .get(&key)
            .map_or(NEVER, |entry| entry.costs[index(turn)])
    }

    /// All ways on from a position. None from where everything is proven.
    fn steps(&self, key: NodeKey, entry: &Entry, turn: Color) -> Vec<(Cost, Next)> {
        let mut steps = Vec::new();
        if entry.below.bounds.is_exact() {
            return steps;
        }
        let (best, games) = (entry.below.value, entry.games);
        let step = |value: Option<Value>, share| {
            let best = best.or(value).unwrap_or(Value::MIN);
            self.taste.step(turn, best, value.unwrap_or(best), share)
        };
        let mut outside = Vec::new();
        // Moves into the book to where nobody has searched yet.
        let mut unsearched = Bitboard::EMPTY;
        for edge in self.moves(key).iter() {
            let Destination::Position { key: child, sign } = edge.to else {
                continue;
            };
            let next_turn = match sign {
                Sign::Minus => turn.other(),
                Sign::Plus => turn,
            };
            let Some(entry) = self.entries.get(&child) else {
                outside.push((edge.square, child, sign));
                continue;
            };
            let share = (games > 0).then(|| f64::from(entry.games) / f64::from(games));
            let value = entry.below.value.map(|value| sign.value(value));
            if value.is_none() {
                unsearched = unsearched.with(edge.square);
            }
            if let Some(cost) = step(value, share) {
                steps.push((cost, Next::Position(child, next_turn)));
            }
        }
        let named = entry.beside.and_then(Found::square);
        // A move that a search found comes first: what it is worth is found out below it.
        if outside.is_empty() || named.is_some_and(|named| unsearched.contains(named)) {
            return steps;
        }
        let (todo, value) = match entry.beside {
            None => (Todo::Beside(key), None),
            Some(Found::Move(square, value) | Found::AtLeast(square, value)) => {
                match outside.into_iter().find(|(other, ..)| *other == square) {
                    Some((_, child, sign)) => {
                        let add = Todo::Add {
                            parent: key,
                            child,
                            turns: sign == Sign::Minus,
                            expected: value,
                        };
                        (add, Some(value))
                    }
                    // It has come in; the others are worth no more than it was thought to be.
                    None => (Todo::Beside(key), Some(value)),
                }
            }
            Some(Found::NoneAbove(limit)) => (Todo::Beside(key), Some(limit)),
        };
        // A question is asked down to the slack: the answer that there is nothing ends it.
        let asked = matches!(todo, Todo::Beside(_))
            && best.zip(value).is_some_and(|(best, limit)| {
                best.centidiscs() - limit.centidiscs() >= self.taste.slack
            });
        if !asked && let Some(cost) = step(value, None) {
            steps.push((cost, Next::Todo(todo)));
        }
        steps
    }

    /// The cheapest thing to do below a position of which no part is taken. The prices show the
    /// way, so that the walk leaves the cheapest line only for what is taken.
    pub fn next(&self, from: (NodeKey, Color), taken: &HashSet<NodeKey>) -> Option<Todo> {
        // By price; of equal prices the farthest first, or the walk would go down all of them at
        // once; then by key, so that the same book gives the same walk.
        type Open = Reverse<(Cost, Reverse<Cost>, Option<Todo>, NodeKey, usize)>;
        let mut open: BinaryHeap<Open> = BinaryHeap::new();
        let mut seen = HashSet::new();
        let (key, turn) = from;
        open.push(Reverse((
            self.cost(key, turn),
            Reverse(0),
            None,
            key,
            index(turn),
        )));
        while let Some(Reverse((total, Reverse(so_far), todo, key, turn))) = open.pop() {
            if total == NEVER {
                break;
            }
            if let Some(todo) = todo {
                return Some(todo);
            }
            let turn = [Color::Black, Color::White][turn];
            if !seen.insert((key, turn)) {
                continue;
            }
            let Some(entry) = self.entries.get(&key) else {
                continue;
            };
            for (step, next) in self.steps(key, entry, turn) {
                let total = so_far.saturating_add(self.total(step, &next));
                let so_far = Reverse(so_far.saturating_add(step));
                match next {
                    Next::Todo(todo) if todo.keys().any(|key| taken.contains(&key)) => {}
                    Next::Todo(todo) => open.push(Reverse((total, so_far, Some(todo), key, 0))),
                    Next::Position(key, turn) => {
                        open.push(Reverse((total, so_far, None, key, index(turn))));
                    }
                }
            }
        }
        None
    }
}

const fn index(turn: Color) -> usize {
    match turn {
        Color::Black => 0,
        Color::White => 1,
    }
}
