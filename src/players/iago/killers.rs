//! In which order the moves of a node are tried (section 4.2.1): the four heuristics of table 4-1.
//!
//! The paper says that a response gains "a small amount" whenever it is legal and "a large amount"
//! whenever it is the best or cuts; here 1 and 16. It names no values of squares for the fixed order;
//! here the corners come first, then the edges, the middle, the C-squares and the X-squares.

use crate::othello::{Bitboard, Square};

const LEGAL: u32 = 1;
const BEST: u32 = 16;

/// Stands for the move before a node where there was none: the root, or after a pass.
const NO_MOVE: usize = 64;

/// What the order follows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Ordering {
    /// As moves are generated: from left to right and from top to bottom.
    Generation,
    /// By the value of the square, the same everywhere.
    SquareValue,
    /// By how a move fared for this player at this move number.
    MoveNumber,
    /// By how a move fared as a response to the move before it.
    #[default]
    Response,
}

/// Who moves and what was played before, as the tables need it.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// 0 for the player at the root.
    pub side: usize,
    /// The move that led to the node.
    pub previous: Option<Square>,
    pub move_number: u32,
}

/// Ratings that grow as the search goes on, and last for the game.
pub struct Killers {
    ordering: Ordering,
    /// Who responds, to what (or nothing), with what.
    response: Box<[[[u32; 64]; 65]; 2]>,
    /// Who moves, at which move number, where.
    move_number: Box<[[[u32; 64]; 61]; 2]>,
}

/// Larger is tried earlier; symmetric, row by row of a quarter of the board.
const SQUARE_VALUE: [[u8; 4]; 4] = [[9, 2, 8, 7], [2, 1, 3, 4], [8, 3, 6, 5], [7, 4, 5, 5]];

fn square_value(square: Square) -> u8 {
    let fold = |place: u8| usize::from(place.min(7 - place));
    SQUARE_VALUE[fold(square.row())][fold(square.column())]
}

impl Killers {
    pub fn new(ordering: Ordering) -> Killers {
        Killers {
            ordering,
            response: Box::new([[[0; 64]; 65]; 2]),
            move_number: Box::new([[[0; 64]; 61]; 2]),
        }
    }

    /// Between moves of a game the past counts half.
    pub fn halve(&mut self) {
        let responses = self.response.iter_mut().flatten().flatten();
        let numbers = self.move_number.iter_mut().flatten().flatten();
        for rating in responses.chain(numbers) {
            *rating /= 2;
        }
    }

    fn ratings(&mut self, context: Context) -> Option<&mut [u32; 64]> {
        let side = context.side & 1;
        match self.ordering {
            Ordering::Generation | Ordering::SquareValue => None,
            Ordering::MoveNumber => {
                let number = context.move_number.min(60) as usize;
                Some(&mut self.move_number[side][number])
            }
            Ordering::Response => {
                let previous = context.previous.map_or(NO_MOVE, Square::index);
                Some(&mut self.response[side][previous])
            }
        }
    }

    /// The moves in the order in which to try them, the first `count` of the list.
    pub fn order(&mut self, moves: Bitboard, context: Context) -> ([Square; 64], usize) {
        let mut list = [Square::at(0, 0); 64];
        let mut count = 0;
        for square in moves {
            list[count] = square;
            count += 1;
        }
        let tried = &mut list[..count];
        if self.ordering == Ordering::SquareValue {
            tried.sort_by_key(|&square| std::cmp::Reverse(square_value(square)));
        } else if let Some(ratings) = self.ratings(context) {
            tried.sort_by_key(|square| std::cmp::Reverse(ratings[square.index()]));
        }
        (list, count)
    }

    /// Of these legal moves one was the best, or cut.
    pub fn boost(&mut self, moves: Bitboard, best: Square, context: Context) {
        let Some(ratings) = self.ratings(context) else {
            return;
        };
        for square in moves {
            ratings[square.index()] += LEGAL;
        }
        ratings[best.index()] += BEST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn context(side: usize, previous: &str, move_number: u32) -> Context {
        Context {
            side,
            previous: Some(square(previous)),
            move_number,
        }
    }

    fn order(killers: &mut Killers, moves: Bitboard, context: Context) -> Vec<String> {
        let (list, count) = killers.order(moves, context);
        list[..count].iter().map(ToString::to_string).collect()
    }

    fn some_moves() -> Bitboard {
        ["b2", "d3", "a1", "h5"].map(square).into_iter().collect()
    }

    #[test]
    fn fixed_orders_are_the_same_everywhere() {
        let here = context(0, "c3", 9);
        let mut natural = Killers::new(Ordering::Generation);
        natural.boost(some_moves(), square("h5"), here);
        assert_eq!(
            order(&mut natural, some_moves(), here),
            ["a1", "b2", "d3", "h5"]
        );
        let mut valued = Killers::new(Ordering::SquareValue);
        assert_eq!(
            order(&mut valued, some_moves(), here),
            ["a1", "h5", "d3", "b2"]
        );
    }

    #[test]
    fn a_response_that_cut_comes_first_after_the_same_move_of_the_same_player_only() {
        let mut killers = Killers::new(Ordering::Response);
        let here = context(0, "c3", 9);
        killers.boost(some_moves(), square("h5"), here);
        let only_legal = Bitboard::from(square("h5")) | Bitboard::from(square("d3"));
        killers.boost(only_legal, square("d3"), here);
        killers.boost(some_moves(), square("h5"), here);
        assert_eq!(
            order(&mut killers, some_moves(), here),
            ["h5", "d3", "a1", "b2"]
        );
        let later = context(0, "c3", 20);
        assert_eq!(order(&mut killers, some_moves(), later)[0], "h5");
        for elsewhere in [context(1, "c3", 9), context(0, "c4", 9)] {
            assert_eq!(order(&mut killers, some_moves(), elsewhere)[0], "a1");
        }
    }

    #[test]
    fn a_killer_by_move_number_comes_first_at_that_number_after_any_move() {
        let mut killers = Killers::new(Ordering::MoveNumber);
        killers.boost(some_moves(), square("h5"), context(0, "c3", 9));
        assert_eq!(
            order(&mut killers, some_moves(), context(0, "f6", 9))[0],
            "h5"
        );
        assert_eq!(
            order(&mut killers, some_moves(), context(0, "c3", 11))[0],
            "a1"
        );
    }

    #[test]
    fn ratings_are_halved_between_moves_so_that_new_killers_overtake_old_ones() {
        let mut killers = Killers::new(Ordering::Response);
        let here = context(0, "c3", 9);
        for _ in 0..3 {
            killers.boost(some_moves(), square("h5"), here);
        }
        killers.halve();
        for _ in 0..2 {
            killers.boost(some_moves(), square("d3"), here);
        }
        assert_eq!(order(&mut killers, some_moves(), here)[0], "d3");
    }
}
