//! What a book should grow towards: how much a step away from the best line costs.
//!
//! Drop-out expansion after Lincke: the next position to take in is the one with the cheapest
//! line, where a line costs its length and what the players give away on it. So good moves are
//! followed far, bad ones a little, and every line is refuted before it is believed. As far as
//! people play a line, it costs how rarely they do instead: growth begins where a book is used.

use crate::book::Value;
use crate::othello::Color;

/// For whom a book is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Both,
    /// This player keeps to his best moves, the other may try anything.
    Only(Color),
}

/// Which lines are worth having.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Taste {
    pub side: Side,
    /// Moves that give away more than this many centi-discs are followed only where people play
    /// them.
    pub slack: i32,
    /// How much it counts that people play a move, whatever it is worth; 0 does not count it.
    pub human_weight: f64,
}

/// How much people count unless somebody says otherwise: the best of those tried with `audit`.
pub const HUMAN_WEIGHT: f64 = 2.0;

/// The price of a line, in thousandths of a ply.
pub type Cost = u32;

/// Of what is not to be had at all.
pub const NEVER: Cost = Cost::MAX;

pub(super) const PLY: Cost = 1000;
/// A disc that was given away costs as much as two plies.
const DISC: f64 = 2000.0;
/// The same for the player the book is made for: he has no need to give any away.
const OWN_DISC: f64 = 8000.0;

impl Taste {
    /// What a move costs that gives this much away; none if it is not worth following. `share` is
    /// the part of people who play it here, as far as anybody came here.
    pub fn step(&self, turn: Color, best: Value, value: Value, share: Option<f64>) -> Option<Cost> {
        let loss = (best.centidiscs() - value.centidiscs()).max(0);
        let disc = match self.side {
            Side::Only(own) if own == turn => OWN_DISC,
            _ => DISC,
        };
        let given = (loss <= self.slack).then(|| PLY + (disc * f64::from(loss) / 100.0) as Cost);
        // Where people go, a step costs what makes it rarer, and no ply: a move that half of them
        // play costs as much as one ply of our own, and so on by halves, however bad it is. What
        // is met often is looked at first.
        let met = share
            .filter(|&share| share > 0.0 && self.human_weight > 0.0)
            .map(|share| (-share.log2() * f64::from(PLY) / self.human_weight) as Cost);
        match (given, met) {
            (Some(given), Some(met)) => Some(given.min(met)),
            (given, met) => given.or(met),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(taste: Taste, loss: i32, share: Option<f64>) -> Option<Cost> {
        let best = Value::new(300).unwrap();
        let value = Value::new(300 - loss).unwrap();
        taste.step(Color::Black, best, value, share)
    }

    const PLAIN: Taste = Taste {
        side: Side::Both,
        slack: 400,
        human_weight: 0.0,
    };

    #[test]
    fn a_line_costs_its_length_and_what_is_given_away() {
        assert_eq!(cost(PLAIN, 0, None), Some(1000));
        assert_eq!(cost(PLAIN, 150, None), Some(4000));
        assert_eq!(cost(PLAIN, 401, None), None);
        let own = Taste {
            side: Side::Only(Color::Black),
            ..PLAIN
        };
        assert!(cost(own, 150, None) > cost(PLAIN, 150, None));
        let other = Taste {
            side: Side::Only(Color::White),
            ..PLAIN
        };
        assert_eq!(cost(other, 150, None), cost(PLAIN, 150, None));
    }

    #[test]
    fn what_people_play_is_cheaper() {
        let human = Taste {
            human_weight: 1.0,
            ..PLAIN
        };
        assert_eq!(cost(human, 300, Some(1.0)), Some(0));
        assert_eq!(cost(human, 300, Some(0.5)), Some(1000));
        assert_eq!(cost(human, 300, Some(0.25)), Some(2000));
        assert_eq!(cost(human, 900, Some(0.25)), Some(2000));
        assert_eq!(cost(human, 300, None), cost(PLAIN, 300, None));
        assert_eq!(cost(human, 10, Some(0.01)), cost(PLAIN, 10, None));
        let twice = Taste {
            human_weight: 2.0,
            ..PLAIN
        };
        assert_eq!(cost(twice, 300, Some(0.25)), Some(1000));
        assert_eq!(cost(PLAIN, 300, Some(0.25)), cost(PLAIN, 300, None));
    }
}
