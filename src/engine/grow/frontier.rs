//! Where the book can grow, found by walking down from the start: only what is cheaper than the
//! next thing to do is ever looked at.
//!
//! Every position has a price: that of the cheapest line from it to something to do. Where nobody
//! has looked at the moves of a position yet, a lower limit stands for it, and the walk, which
//! always goes on where the whole line may be cheapest, looks before it goes on there; so prices
//! rise to what they are. A walk that met nothing but true prices has found what comes next. What
//! an answer changes is carried up through all that lies above it, as values are.
//!
//! Where most of the book is cheaper than what comes next, because it has grown in just this way,
//! looking at one position after the other takes longer than one sweep over all of them, which
//! gives better limits (see `limits`).

use super::price_limits::PriceLimits;
use super::taste::{Cost, NEVER, Taste};
use super::ways::{Below, Next, Place, Way, cheapest, costs, index, ways};
use crate::book::{
    Changed, Edge, Family, Node, NodeKey, ParentFinder, Reader, StoreError, Table, Todo, Told,
    edges,
};
use crate::othello::Color;
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

/// What is remembered of a position of the book.
#[derive(Clone, Copy)]
struct Entry {
    place: Place,
    /// The price of the cheapest line, by who is to move; it may be a lower limit.
    costs: [Cost; 2],
    /// All positions of the book that moves lead to are remembered, too.
    looked_at: bool,
}

impl Entry {
    fn below(&self) -> Below {
        Below {
            place: self.place,
            costs: self.costs,
        }
    }
}

/// Boards are spread by a hash that need not withstand anybody.
type ByKey<T> = HashMap<NodeKey, T, FixedState>;

pub struct Frontier {
    taste: Taste,
    entries: ByKey<Entry>,
    parents: ByKey<Rc<[NodeKey]>>,
    /// The moves of positions that were looked at: the walks go through the same ones again and
    /// again.
    moves: ByKey<Rc<[Edge]>>,
    /// Positions that are in the database, but not known to be worth anything: they were chosen,
    /// and are not in the book before they are searched.
    coming: HashSet<NodeKey, FixedState>,
    /// The one that has just come in.
    newcomer: Option<NodeKey>,
    limits: PriceLimits,
    /// Positions that walks looked at.
    looks: u64,
    /// How many of them are cheaper than a sweep; none after it.
    looks_before_sweep: Option<u64>,
    most_entries: usize,
}

/// A look at a position in the database costs about as much as this many in a sweep …
const SWEEP_RATIO: u64 = 16;
/// … which has to be worth its beginning.
const SWEEP_FROM: u64 = 20_000;
/// Some hundred bytes each.
const MOVES_REMEMBERED: usize = 100_000;
/// What an entry takes with its share of the table it is in, and of the parents.
const BYTES_PER_ENTRY: usize = 120;

impl Frontier {
    /// Of a settled book; `memory` is about how many bytes may be taken.
    pub fn new(reader: &Reader<'_>, taste: Taste, memory: usize) -> Result<Frontier, StoreError> {
        let about = reader.estimated_records(Table::Nodes)?;
        Ok(Frontier {
            taste,
            entries: HashMap::default(),
            parents: HashMap::default(),
            moves: HashMap::default(),
            coming: HashSet::default(),
            newcomer: None,
            limits: PriceLimits::none(memory / 2),
            looks: 0,
            looks_before_sweep: Some((about / SWEEP_RATIO).max(SWEEP_FROM)),
            most_entries: memory / 2 / BYTES_PER_ENTRY,
        })
    }

    /// A new position is in the book; [`Frontier::update`] hears of it next.
    pub fn came_in(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<(), StoreError> {
        self.coming.remove(&key);
        self.newcomer = Some(key);
        // Those below it that know those above them know of one more.
        for child in self.moves(key).iter().filter_map(Edge::child) {
            if let Some(parents) = self.parents.get_mut(&child)
                && !parents.contains(&key)
            {
                *parents = parents.iter().copied().chain([key]).collect();
            }
        }
        self.parents(reader, key).map(drop)
    }

    /// Hears of a position that is new or became another, or has others below it; the reader may
    /// still see it as it was.
    pub fn update(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
        node: &Node,
    ) -> Result<Changed, StoreError> {
        let is_new = self.newcomer.take_if(|new| *new == key).is_some();
        let before = match self.entries.get(&key) {
            Some(entry) => Some(*entry),
            None if is_new => None,
            None => reader
                .node(key)?
                .map(|node| -> Result<Entry, StoreError> {
                    Ok(self.unseen(key, Place::of(&node, self.games(reader, key)?)))
                })
                .transpose()?,
        };
        let games = match before {
            Some(entry) => entry.place.games,
            None => self.games(reader, key)?,
        };
        let place = Place::of(node, games);
        let entry = Entry {
            looked_at: before.is_some_and(|entry| entry.looked_at),
            ..self.unseen(key, place)
        };
        self.entries.insert(key, entry);
        // The first limit holds for whatever becomes of a position; any other is found anew.
        if is_new || entry.looked_at || self.limits.of(key).is_some() {
            self.look_at(reader, key)?;
            let costs = self.costs_of(key, &place);
            self.limits.lower(key, costs);
            if let Some(entry) = self.entries.get_mut(&key) {
                entry.costs = costs;
            }
        }
        let after = self.entries.get(&key).map_or([NEVER; 2], |one| one.costs);
        Ok(Changed {
            told: before.is_none_or(|before| before.place.told != place.told),
            price: before.is_none_or(|before| before.costs != after),
        })
    }

    /// The positions with a move to this one.
    pub fn parents(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
    ) -> Result<Rc<[NodeKey]>, StoreError> {
        if let Some(parents) = self.parents.get(&key) {
            return Ok(parents.clone());
        }
        let mut parents = ParentFinder::new(reader)?.find(key)?;
        parents.retain(|parent| !self.coming.contains(parent));
        let parents: Rc<[NodeKey]> = parents.into();
        self.parents.insert(key, parents.clone());
        Ok(parents)
    }

    /// A position with what is known of those below it.
    pub fn family(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<Family, StoreError> {
        self.look_at(reader, key)?;
        let told = |child: NodeKey| -> Option<Told> { Some(self.entries.get(&child)?.place.told) };
        let moves = self.moves.get(&key);
        Ok(match moves {
            Some(moves) => Family::of_edges(key, moves, told),
            None => Family::remembered(key, told),
        })
    }

    fn moves(&mut self, key: NodeKey) -> Rc<[Edge]> {
        if self.moves.len() >= MOVES_REMEMBERED {
            self.moves.clear();
        }
        let moves = self.moves.entry(key);
        moves.or_insert_with(|| edges(key.board()).into()).clone()
    }

    fn games(&self, reader: &Reader<'_>, key: NodeKey) -> Result<u32, StoreError> {
        if self.taste.human_weight <= 0.0 {
            return Ok(0);
        }
        Ok(reader.learned(key)?.map_or(0, |counted| counted.games))
    }

    /// A position whose moves nobody has looked at.
    fn unseen(&self, key: NodeKey, place: Place) -> Entry {
        let least = place.least();
        let costs = match self.limits.of(key) {
            Some(limit) if least != NEVER => [limit.max(least); 2],
            _ => [least; 2],
        };
        Entry {
            place,
            costs,
            looked_at: false,
        }
    }

    /// Remembers all positions of the book that moves lead to. False if it did before.
    fn look_at(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<bool, StoreError> {
        if self.entries.get(&key).is_some_and(|entry| entry.looked_at) {
            return Ok(false);
        }
        let moves = self.moves(key);
        let mut unknown: Vec<NodeKey> = moves
            .iter()
            .filter_map(Edge::child)
            .filter(|child| !self.entries.contains_key(child) && !self.coming.contains(child))
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        let nodes = reader.nodes(&unknown)?;
        let found: Vec<(NodeKey, Node)> = unknown
            .into_iter()
            .zip(nodes)
            .filter_map(|(key, node)| Some((key, node?)))
            .collect();
        let keys: Vec<NodeKey> = found.iter().map(|(key, _)| *key).collect();
        let games = if self.taste.human_weight > 0.0 {
            reader.learned_of_many(&keys)?
        } else {
            vec![None; keys.len()]
        };
        for ((child, node), counted) in found.into_iter().zip(games) {
            let games = counted.map_or(0, |counted| counted.games);
            let entry = self.unseen(child, Place::of(&node, games));
            self.entries.insert(child, entry);
        }
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.looked_at = true;
        }
        Ok(true)
    }

    /// The prices of a position that was looked at, by those of the positions below it.
    fn costs_of(&mut self, key: NodeKey, place: &Place) -> [Cost; 2] {
        let moves = self.moves(key);
        let below = |child: NodeKey| self.entries.get(&child).map(Entry::below);
        costs(&self.taste, key, place, &moves, below)
    }

    /// The cheapest thing to do below a position of the book of which no part is taken.
    pub fn next(
        &mut self,
        reader: &Reader<'_>,
        from: (NodeKey, Color),
        taken: &HashSet<NodeKey>,
    ) -> Result<Option<Todo>, StoreError> {
        if self.entries.len() > self.most_entries {
            self.forget();
        }
        loop {
            if self.must_sweep() {
                self.find_limits(reader)?;
            }
            match self.walk(reader, from, taken)? {
                Walked::Found(todo) => {
                    if let Some(Todo::Add { child, .. }) = todo {
                        self.coming.insert(child);
                    }
                    return Ok(todo);
                }
                Walked::PricesRose => {}
            }
        }
    }

    /// Forgets what can be read again.
    fn forget(&mut self) {
        self.entries.clear();
        self.parents.clear();
    }

    #[cfg(test)]
    pub fn has_limits(&self) -> bool {
        self.limits.are_known()
    }

    /// Sweeps over the book for better limits.
    fn find_limits(&mut self, reader: &Reader<'_>) -> Result<(), StoreError> {
        self.forget();
        self.limits.sweep(reader, &self.taste, &self.coming)?;
        // What is looked at from now on is needed: another sweep would not help.
        self.looks_before_sweep = None;
        Ok(())
    }

    /// Going on without limits would take longer than to find them, or more memory.
    fn must_sweep(&self) -> bool {
        self.looks_before_sweep
            .is_some_and(|most| self.looks > most || self.entries.len() > self.most_entries)
    }

    /// The prices show the way, so that the walk leaves the cheapest line only for what is taken,
    /// and where a price turns out too low.
    fn walk(
        &mut self,
        reader: &Reader<'_>,
        from: (NodeKey, Color),
        taken: &HashSet<NodeKey>,
    ) -> Result<Walked, StoreError> {
        // By price; of equal prices the farthest first, or the walk would go down all of them at
        // once; then by key, so that the same book gives the same walk. Last, how it came here.
        type Open = Reverse<(Cost, Reverse<Cost>, Option<Todo>, NodeKey, usize, usize)>;
        let mut open: BinaryHeap<Open> = BinaryHeap::new();
        let mut seen: HashSet<(NodeKey, Color), FixedState> = HashSet::default();
        // The positions that steps were made from, each with the step that led to it.
        let mut trail: Vec<(NodeKey, Color, usize)> = Vec::new();
        let mut rose = false;
        let mut found: Vec<Way> = Vec::new();
        let (key, turn) = from;
        if !self.entries.contains_key(&key) {
            let Some(node) = reader.node(key)? else {
                return Ok(Walked::Found(None));
            };
            let place = Place::of(&node, self.games(reader, key)?);
            self.entries.insert(key, self.unseen(key, place));
        }
        let cost = self.cost(key, turn);
        open.push(Reverse((
            cost,
            Reverse(0),
            None,
            key,
            index(turn),
            usize::MAX,
        )));
        while let Some(Reverse((total, Reverse(so_far), todo, key, turn, came_from))) = open.pop() {
            if total == NEVER {
                break;
            }
            if let Some(todo) = todo {
                return Ok(match rose {
                    true => Walked::PricesRose,
                    false => Walked::Found(Some(todo)),
                });
            }
            let turn = [Color::Black, Color::White][turn];
            if seen.contains(&(key, turn)) {
                continue;
            }
            if self.look_at(reader, key)? {
                self.looks += 1;
                if self.must_sweep() {
                    return Ok(Walked::PricesRose);
                }
            }
            let price = self.find_ways(key, turn, &mut found);
            if self.raise(key, turn, price) {
                rose = true;
                let total = so_far.saturating_add(price);
                open.push(Reverse((
                    total,
                    Reverse(so_far),
                    None,
                    key,
                    index(turn),
                    came_from,
                )));
                self.raise_above(&trail, came_from);
                continue;
            }
            seen.insert((key, turn));
            let here = trail.len();
            trail.push((key, turn, came_from));
            for way in &found {
                let total = so_far.saturating_add(way.total);
                let so_far = Reverse(so_far.saturating_add(way.step));
                match way.next {
                    Next::Todo(todo) if todo.keys().any(|key| taken.contains(&key)) => {}
                    Next::Todo(todo) => {
                        open.push(Reverse((total, so_far, Some(todo), key, 0, here)));
                    }
                    Next::Position(key, turn) => {
                        open.push(Reverse((total, so_far, None, key, index(turn), here)));
                    }
                }
            }
        }
        Ok(match rose {
            true => Walked::PricesRose,
            false => Walked::Found(None),
        })
    }

    fn cost(&self, key: NodeKey, turn: Color) -> Cost {
        let entry = self.entries.get(&key);
        entry.map_or(NEVER, |entry| entry.costs[index(turn)])
    }

    /// Finds the ways on from a position that was looked at, and gives the price of the cheapest.
    fn find_ways(&mut self, key: NodeKey, turn: Color, found: &mut Vec<Way>) -> Cost {
        let moves = self.moves(key);
        let Some(entry) = self.entries.get(&key) else {
            found.clear();
            return NEVER;
        };
        let below = |child: NodeKey| self.entries.get(&child).map(Entry::below);
        let at = (key, turn);
        ways(&self.taste, at, &entry.place, &moves, below, found);
        cheapest(found)
    }

    /// A price is higher than it was thought to be.
    fn raise(&mut self, key: NodeKey, turn: Color, price: Cost) -> bool {
        let both = self.taste.side == super::taste::Side::Both;
        let Some(entry) = self.entries.get_mut(&key) else {
            return false;
        };
        if price <= entry.costs[index(turn)] {
            return false;
        }
        if both {
            entry.costs = [price; 2];
        } else {
            entry.costs[index(turn)] = price;
        }
        true
    }

    /// So are those of the positions on the way there, perhaps; of others the walk finds it out
    /// when it comes to them.
    fn raise_above(&mut self, trail: &[(NodeKey, Color, usize)], mut at: usize) {
        let mut found = Vec::new();
        while let Some(&(key, turn, came_from)) = trail.get(at) {
            let price = self.find_ways(key, turn, &mut found);
            if !self.raise(key, turn, price) {
                break;
            }
            at = came_from;
        }
    }
}

/// What a walk came to.
enum Walked {
    /// Nothing but true prices: this is what comes next.
    Found(Option<Todo>),
    /// Some prices were too low: the next walk knows better.
    PricesRose,
}
