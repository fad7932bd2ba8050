//! The ways on from a position of the book, and what each costs: into the book, or to something
//! that is to be done. The one rule behind the walk of growth and the sweep that goes before it in
//! books that have grown far.

use super::taste::{Cost, NEVER, Side, Taste};
use crate::book::{Destination, Edge, Found, Node, NodeKey, Sign, Todo, Told, Value};
use crate::othello::{Bitboard, Color};

/// Nothing to do is cheaper than this: what is to be done costs a ply, and what is given away.
pub const LEAST: Cost = super::taste::PLY;

/// What growth has to know of a position of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub told: Told,
    /// What a search of the moves that are not in the book found.
    pub beside: Option<Found>,
    /// Games that came here.
    pub games: u32,
}

impl Place {
    pub fn of(node: &Node, games: u32) -> Place {
        Place {
            told: node.derived.told(),
            beside: node.alternative.map(|known| known.found),
            games,
        }
    }

    /// The least that a line from here may cost, before anybody has looked at the moves.
    pub fn least(&self) -> Cost {
        if self.told.bounds.is_exact() {
            NEVER
        } else {
            LEAST
        }
    }
}

/// A position below, with the price of the cheapest line from it by who is to move; the price may
/// be a lower limit.
#[derive(Clone, Copy)]
pub struct Below {
    pub place: Place,
    pub costs: [Cost; 2],
}

/// Where a way leads.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    Position(NodeKey, Color),
    Todo(Todo),
}

/// One way on: what the step costs, and together with the cheapest line after it.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub step: Cost,
    pub total: Cost,
    pub next: Next,
}

/// The price of the cheapest line from a position, by who is to move.
pub fn costs(
    taste: &Taste,
    key: NodeKey,
    place: &Place,
    moves: &[Edge],
    below: impl Fn(NodeKey) -> Option<Below>,
) -> [Cost; 2] {
    let mut found = Vec::new();
    let mut least = |turn| {
        ways(taste, (key, turn), place, moves, &below, &mut found);
        cheapest(&found)
    };
    match taste.side {
        // The players are judged alike.
        Side::Both => [least(Color::Black); 2],
        Side::Only(_) => [Color::Black, Color::White].map(least),
    }
}

pub fn cheapest(ways: &[Way]) -> Cost {
    ways.iter().map(|way| way.total).min().unwrap_or(NEVER)
}

/// Finds all ways on from a position. None from where everything is proven.
pub fn ways(
    taste: &Taste,
    (key, turn): (NodeKey, Color),
    place: &Place,
    moves: &[Edge],
    below: impl Fn(NodeKey) -> Option<Below>,
    found: &mut Vec<Way>,
) {
    found.clear();
    if place.told.bounds.is_exact() {
        return;
    }
    let (best, games) = (place.told.value, place.games);
    let step = |value: Option<Value>, share| {
        let best = best.or(value).unwrap_or(Value::MIN);
        taste.step(turn, best, value.unwrap_or(best), share)
    };
    let mut outside = Bitboard::EMPTY;
    // Moves into the book to where nobody has searched yet.
    let mut unsearched = Bitboard::EMPTY;
    for edge in moves {
        let Destination::Position { key: child, sign } = edge.to else {
            continue;
        };
        let Some(Below { place, costs }) = below(child) else {
            outside = outside.with(edge.square);
            continue;
        };
        let share = (games > 0).then(|| f64::from(place.games) / f64::from(games));
        let value = place.told.value.map(|value| sign.value(value));
        if value.is_none() {
            unsearched = unsearched.with(edge.square);
        }
        if let Some(step) = step(value, share) {
            let turn = match sign {
                Sign::Minus => turn.other(),
                Sign::Plus => turn,
            };
            found.push(Way {
                step,
                total: costs[index(turn)].saturating_add(step),
                next: Next::Position(child, turn),
            });
        }
    }
    let named = place.beside.and_then(Found::square);
    // A move that a search found comes first: what it is worth is found out below it.
    if outside.is_empty() || named.is_some_and(|named| unsearched.contains(named)) {
        return;
    }
    let (todo, value) = match place.beside {
        None => (Todo::Beside(key), None),
        Some(Found::Move(square, value) | Found::AtLeast(square, value)) => {
            let named = moves.iter().find(|edge| edge.square == square);
            match named.map(|edge| edge.to) {
                Some(Destination::Position { key: child, sign }) if outside.contains(square) => {
                    let add = Todo::Add {
                        parent: key,
                        child,
                        turns: sign == Sign::Minus,
                        expected: value,
                    };
                    (add, Some(value))
                }
                // It has come in; the others are worth no more than it was thought to be.
                _ => (Todo::Beside(key), Some(value)),
            }
        }
        Some(Found::NoneAbove(limit)) => (Todo::Beside(key), Some(limit)),
    };
    // A question is asked down to the slack: the answer that there is nothing ends it.
    let asked = matches!(todo, Todo::Beside(_))
        && best
            .zip(value)
            .is_some_and(|(best, limit)| best.centidiscs() - limit.centidiscs() >= taste.slack);
    if !asked && let Some(step) = step(value, None) {
        found.push(Way {
            step,
            total: step,
            next: Next::Todo(todo),
        });
    }
}

/// The place of a player among prices.
pub const fn index(turn: Color) -> usize {
    match turn {
        Color::Black => 0,
        Color::White => 1,
    }
}
