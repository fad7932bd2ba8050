//! Killer lists: for each move, all responses to it in the order in which they proved good.
//!
//! Where other programs keep a few killers, BILL keeps a list of every square. A position's moves
//! are tried in the order of its list and only then tested for being legal: where an early one
//! cuts, the later ones are never generated.
//!
//! The paper orders new lists "heuristically" and moves good moves "toward the front", without
//! numbers. Here new lists run from corners to X-squares, and a move that proves best goes before
//! the first move that it proved better than. Each player has lists of his own. The paper's linked
//! list is an array here: moving a square costs as much, and reading it less.

use super::lines::Side;
use crate::othello::{Bitboard, Square};

/// Every square but the four of the start.
const RESPONSES: usize = 60;

/// One list for each move of each player, and one for when nothing or a pass came before.
const LISTS: usize = 2 * 65;

/// How a list begins: the classes of squares of one quarter, best first. Corner, A, B and what is
/// inside, then C and X.
const FIRST_ORDER: [(u8, u8); 15] = [
    (0, 0),
    (2, 0),
    (0, 2),
    (2, 2),
    (3, 0),
    (0, 3),
    (3, 2),
    (2, 3),
    (3, 1),
    (1, 3),
    (2, 1),
    (1, 2),
    (1, 0),
    (0, 1),
    (1, 1),
];

/// All responses to a move.
type List = [Square; RESPONSES];

/// The lists of a game.
pub struct KillerLists {
    lists: Box<[List; LISTS]>,
}

impl KillerLists {
    pub fn new() -> KillerLists {
        let mut first = [Square::at(0, 0); RESPONSES];
        let quarters = |(column, row): (u8, u8)| {
            [
                (column, row),
                (7 - column, row),
                (column, 7 - row),
                (7 - column, 7 - row),
            ]
        };
        let squares = FIRST_ORDER.into_iter().flat_map(quarters);
        for (place, (column, row)) in first.iter_mut().zip(squares) {
            *place = Square::at(column, row);
        }
        KillerLists {
            lists: Box::new([first; LISTS]),
        }
    }

    fn list_of(side: Side, last: Option<Square>) -> usize {
        65 * side as usize + last.map_or(64, Square::index)
    }

    /// The empty squares in the order of the list for this side's responses to a move. It is a
    /// copy: searching the first responses may change the list itself.
    #[inline]
    pub fn responses(&self, side: Side, last: Option<Square>, empties: Bitboard) -> Responses {
        Responses {
            list: self.lists[KillerLists::list_of(side, last)],
            next: 0,
            empties,
        }
    }

    /// A response proved better than another that was tried before it.
    pub fn move_before(&mut self, side: Side, last: Option<Square>, good: Square, worse: Square) {
        let list = &mut self.lists[KillerLists::list_of(side, last)];
        let place = |square| list.iter().position(|&at| at == square);
        if let (Some(from), Some(to)) = (place(good), place(worse))
            && to < from
        {
            list[to..=from].rotate_right(1);
        }
    }
}

/// The responses that are still to be tried.
pub struct Responses {
    list: List,
    next: usize,
    empties: Bitboard,
}

impl Iterator for Responses {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        while !self.empties.is_empty() {
            let square = *self.list.get(self.next)?;
            self.next += 1;
            if self.empties.contains(square) {
                self.empties.0 &= !square.bit();
                return Some(square);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Board;
    use std::collections::HashSet;

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn order(killers: &KillerLists, side: Side, last: Option<Square>) -> Vec<Square> {
        let empties = Board::START.empties();
        killers.responses(side, last, empties).collect()
    }

    #[test]
    fn a_list_holds_every_square_once_corners_first_and_x_squares_last() {
        let all = order(&KillerLists::new(), Side::First, None);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 60);
        assert!(
            all[..4]
                .iter()
                .all(|&square| Bitboard::CORNERS.contains(square))
        );
        let last: HashSet<String> = all[56..].iter().map(Square::to_string).collect();
        assert_eq!(
            last,
            HashSet::from(["b2", "b7", "g2", "g7"].map(String::from))
        );
    }

    #[test]
    fn a_response_that_proves_good_goes_before_what_it_beat_and_the_others_keep_their_order() {
        let mut killers = KillerLists::new();
        let last = Some(square("f5"));
        let before = order(&killers, Side::First, last);
        let (good, worse) = (before[20], before[5]);
        killers.move_before(Side::First, last, good, worse);
        let mut expected = before.clone();
        expected.remove(20);
        expected.insert(5, good);
        assert_eq!(order(&killers, Side::First, last), expected);
        // The other way round nothing changes: it is before it already.
        killers.move_before(Side::First, last, good, worse);
        assert_eq!(order(&killers, Side::First, last), expected);
    }

    #[test]
    fn what_is_learnt_about_one_move_says_nothing_about_others_or_the_other_player() {
        let mut killers = KillerLists::new();
        let fresh = order(&killers, Side::First, None);
        killers.move_before(Side::First, Some(square("f5")), square("b2"), square("a1"));
        assert_eq!(
            order(&killers, Side::First, Some(square("f5")))[0],
            square("b2")
        );
        assert_eq!(order(&killers, Side::Second, Some(square("f5"))), fresh);
        assert_eq!(order(&killers, Side::First, Some(square("f4"))), fresh);
        assert_eq!(order(&killers, Side::First, None), fresh);
    }

    #[test]
    fn occupied_squares_are_passed_over() {
        let killers = KillerLists::new();
        let empties = Bitboard::CORNERS;
        let all: Vec<Square> = killers.responses(Side::Second, None, empties).collect();
        assert_eq!(all.len(), 4);
    }
}
