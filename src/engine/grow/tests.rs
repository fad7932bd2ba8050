//! Growth against a judge that knows the rule and nothing else: it reads the whole book before
//! every choice and prices every line.
//!
//! The rule: a line costs what its moves cost, and ends in something to do, which costs like a move.
//! A move costs 1000 and what it gives away, 20 for a hundredth of a disc, 80 for that of the player
//! the book is for; one that gives away more than the slack is not to be had. A move into the book
//! that people play costs at most the logarithm of their part, 1000 for a half, divided by the
//! weight. Where a search has named a move outside the book, that move comes in; where it has named
//! none, or it is in the book, the moves outside are asked about, unless they are known to be worse
//! by the slack. Where the named move is in the book and nobody has searched it, nothing is to be
//! done here. The cheapest line is next that ends in nothing taken; of equal ones the walk from the
//! start follows the one that has come farthest, then the lower key.

use super::best_first::Cheapest;
use super::*;
use crate::book::{
    BestFirst, Cause, Changed, Destination, Errand, Family, Found, Grown, Layer, Learner, Node,
    Plan, Reader, Sign, Table, Todo, Value, edges, grow_best_first, settle,
};
use crate::engine::LocalAnalyst;
use crate::games::{Game, SampleGames};
use crate::othello::Color;
use crate::search::StopButton;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use tempfile::TempDir;

const NEVER: u64 = u32::MAX as u64;

struct Judge {
    taste: Taste,
    positions: BTreeMap<NodeKey, (Node, u32)>,
    /// By position and whether black is to move.
    prices: BTreeMap<(NodeKey, bool), u64>,
}

#[derive(Clone, Copy)]
enum Where {
    Into(NodeKey, bool),
    End(Todo),
}

impl Judge {
    fn of(reader: &Reader<'_>, taste: Taste) -> Judge {
        let mut judge = Judge {
            taste,
            positions: BTreeMap::new(),
            prices: BTreeMap::new(),
        };
        let mut rows = reader.rows(Table::Nodes, None).unwrap();
        while let Some((key, node)) = rows.next_node().unwrap() {
            let games = reader.learned(key).unwrap().map_or(0, |all| all.games);
            judge.positions.insert(key, (node, games));
        }
        for layer in Layer::all().rev() {
            let keys = judge.positions.keys();
            let keys: Vec<NodeKey> = keys.filter(|key| key.layer() == layer).copied().collect();
            for key in keys {
                for black in [true, false] {
                    let price = judge.lines(key, black).iter().map(|line| line.1).min();
                    judge.prices.insert((key, black), price.unwrap_or(NEVER));
                }
            }
        }
        judge
    }

    fn move_costs(&self, black: bool, loss: i32, part: Option<f64>) -> Option<u64> {
        let loss = loss.max(0);
        let mover = if black { Color::Black } else { Color::White };
        let each = if self.taste.side == Side::Only(mover) {
            80
        } else {
            20
        };
        let own = (loss <= self.taste.slack).then_some(1000 + each * loss as u64);
        let people = part
            .filter(|part| *part > 0.0 && self.taste.human_weight > 0.0)
            .map(|part| (-part.log2() * 1000.0 / self.taste.human_weight) as u64);
        own.into_iter().chain(people).min()
    }

    /// The ways on: the cost of the step, that of the whole line, and where it leads.
    fn lines(&self, key: NodeKey, black: bool) -> Vec<(u64, u64, Where)> {
        let (node, games) = &self.positions[&key];
        let mut lines = Vec::new();
        if node.derived.bounds.is_exact() {
            return lines;
        }
        let best = node.derived.value.map(Value::centidiscs);
        let loss = |worth: Option<i32>| match (best, worth) {
            (Some(best), Some(worth)) => best - worth,
            _ => 0,
        };
        let named = node.alternative.map(|known| known.found);
        let mut outside = BTreeMap::new();
        let mut is_named_move_unsearched = false;
        for edge in edges(key.board()) {
            let Destination::Position { key: child, sign } = edge.to else {
                continue;
            };
            let Some((below, played)) = self.positions.get(&child) else {
                outside.insert(edge.square, (child, sign));
                continue;
            };
            let worth = below.derived.value.map(|value| sign.value(value));
            is_named_move_unsearched |=
                worth.is_none() && named.and_then(Found::square) == Some(edge.square);
            let part = (*games > 0).then(|| f64::from(*played) / f64::from(*games));
            let turn = black ^ (sign == Sign::Minus);
            let cost = self.move_costs(black, loss(worth.map(Value::centidiscs)), part);
            if let Some(cost) = cost {
                let price = self.prices.get(&(child, turn)).copied().unwrap_or(NEVER);
                lines.push((cost, (cost + price).min(NEVER), Where::Into(child, turn)));
            }
        }
        if outside.is_empty() || is_named_move_unsearched {
            return lines;
        }
        let worth = named.map(|found| found.value().centidiscs());
        let comes_in = named
            .and_then(Found::square)
            .and_then(|square| outside.get(&square));
        let todo = match comes_in {
            Some((child, sign)) => Todo::Add {
                parent: key,
                child: *child,
                turns: *sign == Sign::Minus,
                expected: named.unwrap().value(),
            },
            None => Todo::Beside(key),
        };
        let known_to_be_worse =
            best.is_some() && worth.is_some() && loss(worth) >= self.taste.slack;
        if comes_in.is_some() || !known_to_be_worse {
            let cost = self.move_costs(black, loss(worth), None);
            lines.extend(cost.map(|cost| (cost, cost, Where::End(todo))));
        }
        lines
    }

    fn next(&self, from: (NodeKey, Color), taken: &HashSet<NodeKey>) -> Option<Todo> {
        let black = from.1 == Color::Black;
        let price = self.prices[&(from.0, black)];
        // The price of the whole line, how far it has come (the farthest first), whether it is at
        // its end, and for positions key and turn.
        let begin = (price, NEVER, None, from.0, !black);
        let mut open = BTreeSet::from([begin]);
        let mut been = BTreeSet::new();
        while let Some((price, left, end, key, white)) = open.pop_first() {
            if price >= NEVER || end.is_some() {
                return end;
            }
            if !been.insert((key, white)) {
                continue;
            }
            let come = NEVER - left;
            for (step, line, to) in self.lines(key, !white) {
                let price = (come + line).min(NEVER);
                let left = NEVER - (come + step).min(NEVER);
                match to {
                    Where::Into(key, black) => open.insert((price, left, None, key, !black)),
                    Where::End(todo) if todo.keys().any(|key| taken.contains(&key)) => false,
                    Where::End(todo) => open.insert((price, left, Some(todo), key, false)),
                };
            }
        }
        None
    }
}

/// Grows as the book does, and has every choice judged.
struct Judged {
    source: Cheapest,
    from: (NodeKey, Color),
    taste: Taste,
    choices: u64,
}

impl BestFirst for Judged {
    fn begin(&mut self, reader: &Reader<'_>) -> Result<(), StoreError> {
        self.source.begin(reader)
    }

    fn next(
        &mut self,
        reader: &Reader<'_>,
        taken: &HashSet<NodeKey>,
    ) -> Result<Option<Todo>, StoreError> {
        let judge = Judge::of(reader, self.taste);
        let chosen = self.source.next(reader, taken)?;
        let number = self.choices;
        assert_eq!(chosen, judge.next(self.from, taken), "choice {number}");
        self.choices += 1;
        Ok(chosen)
    }

    fn is_enough(&self, added: u64) -> bool {
        self.source.is_enough(added)
    }

    fn slack(&self) -> u16 {
        self.source.slack()
    }

    fn family(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<Family, StoreError> {
        let family = self.source.family(reader, key)?;
        let read = Family::read(reader, key)?;
        assert_eq!(family.outside(), read.outside(), "{key}");
        Ok(family)
    }

    fn parents(&mut self, reader: &Reader<'_>, key: NodeKey) -> Result<Rc<[NodeKey]>, StoreError> {
        self.source.parents(reader, key)
    }

    fn came_in(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
        node: &Node,
        expected: Value,
        turns: bool,
    ) -> Result<(), StoreError> {
        self.source.came_in(reader, key, node, expected, turns)
    }

    fn update(
        &mut self,
        reader: &Reader<'_>,
        key: NodeKey,
        node: &Node,
    ) -> Result<Changed, StoreError> {
        self.source.update(reader, key, node)
    }
}

fn book(games: usize, seed: u64, plies: u8) -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(&folder.path().join("b")).unwrap();
    let plan = Plan {
        plies,
        min_games: 1,
        games_at_once: 1000,
    };
    let games: Vec<Game> = SampleGames::new(seed).take(games).collect();
    let mut learner = Learner::new(&store, plan);
    learner.add(&games).unwrap();
    learner.finish().unwrap();
    settle(&store, &()).unwrap();
    (folder, store)
}

/// Lets a book grow by so many positions with a frontier of so many bytes.
fn grow_judged(store: &Store, taste: Taste, positions: u64, memory: usize) -> (Judged, Grown) {
    let from = (NodeKey::of(Position::START.board), Color::Black);
    let expansion = Expansion {
        from: Position::START,
        taste,
        positions: Some(positions),
        until_error: None,
    };
    let mut source = Judged {
        source: Cheapest::new(&expansion, from, memory),
        from,
        taste,
        choices: 0,
    };
    let mut analyst = LocalAnalyst::new(1, StopButton::default()).unwrap();
    let errand = Errand::new(Cause::Expand, 1).unwrap();
    let grown = grow_best_first(store, &mut analyst, errand, &mut source, &()).unwrap();
    (source, grown)
}

fn tastes() -> [Taste; 4] {
    let plain = Taste {
        side: Side::Both,
        slack: 400,
        human_weight: HUMAN_WEIGHT,
    };
    [
        plain,
        Taste {
            human_weight: 0.0,
            ..plain
        },
        Taste {
            side: Side::Only(Color::Black),
            slack: 150,
            ..plain
        },
        Taste {
            side: Side::Only(Color::White),
            slack: 800,
            human_weight: 0.5,
        },
    ]
}

const ROOM: usize = 1 << 20;

#[test]
fn every_choice_of_growth_is_the_judges() {
    for (seed, taste) in (1..).zip(tastes()) {
        let (_folder, store) = book(12 * seed as usize, seed, 14);
        let (judged, grown) = grow_judged(&store, taste, 60, ROOM);
        assert_eq!(grown.added, 60, "seed {seed}");
        assert!(judged.choices >= 60, "seed {seed}");
        // It goes on with what another taste left.
        grow_judged(&store, tastes()[seed as usize % 4], 20, ROOM);
    }
}

#[test]
fn growth_without_memory_sweeps_for_limits_and_chooses_the_same() {
    for (seed, taste) in (5..).zip(tastes()) {
        let (_folder, store) = book(20, seed, 12);
        grow_judged(&store, taste, 40, 0);
        // A book that has grown in just this way is cheaper than what comes next, all of it.
        grow_judged(&store, taste, 20, 0);
    }
}

#[test]
fn growth_with_little_memory_follows_its_limits_and_chooses_the_same() {
    for (seed, taste) in (9..).zip(tastes()) {
        let (_folder, store) = book(20, seed, 12);
        // Room for the limits of such a book, and not for its prices.
        for round in 0..3 {
            let (judged, grown) = grow_judged(&store, taste, 40, 1 << 14);
            assert_eq!(grown.added, 40, "seed {seed}, round {round}");
            let follows = judged.source.has_limits();
            assert!(follows || round == 0, "seed {seed}, round {round}");
        }
    }
}
