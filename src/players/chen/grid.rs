//! The board as Chen's program holds it (section 5): two 64-bit strings, or, for the comparison, an
//! array of squares. Both know the rules, their Zobrist hash (4.3) and the features (3.1), and agree
//! in everything but speed.
//!
//! The paper hashes the discs only; here also who is to move, for after a pass the same discs are
//! another position.

use super::features::{C_SQUARES, CORNERS, Features, Seen, X_SQUARES};
use crate::othello::{Bitboard, Board, Random, Square};
use std::sync::LazyLock;

/// Random bitstrings: for each side and square, and for the turn.
struct Zobrist {
    discs: [[u64; 64]; 2],
    turn: u64,
}

static ZOBRIST: LazyLock<Zobrist> = LazyLock::new(|| {
    let mut random = Random::new(0x0c4e);
    let mut row = || std::array::from_fn(|_| random.next());
    let discs = [row(), row()];
    Zobrist {
        discs,
        turn: random.next(),
    }
});

fn key_of(board: Board) -> u64 {
    let side = |discs: Bitboard, side: usize| {
        discs
            .into_iter()
            .fold(0, |key, square| key ^ ZOBRIST.discs[side][square.index()])
    };
    side(board.mover(), 0) ^ side(board.opponent(), 1)
}

/// The hash after a move of `side` that turns these discs.
fn key_after(key: u64, side: usize, square: Square, turned: impl Iterator<Item = usize>) -> u64 {
    let [own, other] = [&ZOBRIST.discs[side], &ZOBRIST.discs[side ^ 1]];
    turned.fold(key ^ own[square.index()] ^ ZOBRIST.turn, |key, turned| {
        key ^ own[turned] ^ other[turned]
    })
}

/// A position that can be searched.
pub trait Grid: Clone {
    /// The player to move is side 0 of the hash.
    fn of(board: Board) -> Self;
    fn key(&self) -> u64;
    fn moves(&self) -> Bitboard;
    /// After a legal move.
    fn play(&self, square: Square) -> Self;
    fn pass(&self) -> Self;
    /// Discs of the player to move and of the opponent.
    fn discs(&self) -> [u32; 2];
    fn features(&self) -> Seen;
}

/// Two 64-bit strings.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    board: Board,
    side: usize,
    key: u64,
}

impl Grid for Bits {
    fn of(board: Board) -> Bits {
        Bits {
            board,
            side: 0,
            key: key_of(board),
        }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn moves(&self) -> Bitboard {
        self.board.legal_moves()
    }

    fn play(&self, square: Square) -> Bits {
        let flips = self.board.flips(square);
        let turned = flips.into_iter().map(Square::index);
        Bits {
            board: self.board.play_unchecked(square, flips),
            side: self.side ^ 1,
            key: key_after(self.key, self.side, square, turned),
        }
    }

    fn pass(&self) -> Bits {
        Bits {
            board: self.board.pass(),
            side: self.side ^ 1,
            key: self.key ^ ZOBRIST.turn,
        }
    }

    fn discs(&self) -> [u32; 2] {
        [self.board.mover().count(), self.board.opponent().count()]
    }

    fn features(&self) -> Seen {
        let (own, other) = (self.board.mover(), self.board.opponent());
        let empties = self.board.empties();
        let difference = |of: &dyn Fn(Bitboard) -> u32| of(own) as i32 - of(other) as i32;
        let (mut x_squares, mut c_squares) = (0, 0);
        for place in 0..4 {
            if empties.0 & CORNERS[place] != 0 {
                x_squares |= X_SQUARES[place];
                c_squares |= C_SQUARES[place];
            }
        }
        let corners = Bitboard::CORNERS.0;
        let moves = self.moves().count();
        let others_moves = self.board.pass().legal_moves().count();
        Seen {
            moves,
            features: Features([
                moves as i32 - others_moves as i32,
                difference(&|discs| (discs.around() & empties).count()),
                difference(&|discs| (discs.0 & corners).count_ones()),
                difference(&|discs| (discs.0 & x_squares).count_ones()),
                difference(&|discs| (discs.0 & c_squares).count_ones()),
                if empties.count() % 2 == 1 { 1 } else { -1 },
                difference(&|discs| discs.count()),
            ]),
        }
    }
}

/// An array of squares with a border around it: what the bitboards are compared with.
#[derive(Clone, Debug)]
pub struct Squares {
    /// Ten rows of ten; the outer ones are the border.
    cells: [Cell; 100],
    side: Cell,
    key: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Empty,
    /// Who was to move when the search began, side 0.
    First,
    Second,
    Border,
}

impl Cell {
    const fn other(self) -> Cell {
        match self {
            Cell::First => Cell::Second,
            Cell::Second => Cell::First,
            same => same,
        }
    }
}

const DIRECTIONS: [isize; 8] = [-11, -10, -9, -1, 1, 9, 10, 11];

const fn cell_of(square: Square) -> usize {
    (square.row() as usize + 1) * 10 + square.column() as usize + 1
}

/// The square of a cell within the border.
const fn square_of(cell: usize) -> Square {
    Square::at((cell % 10) as u8 - 1, (cell / 10) as u8 - 1)
}

impl Squares {
    fn step(cell: usize, direction: isize) -> usize {
        cell.wrapping_add_signed(direction)
    }

    /// How many discs a disc of this side turns in a direction.
    fn run(&self, cell: usize, direction: isize, side: Cell) -> usize {
        let mut at = Squares::step(cell, direction);
        let mut length = 0;
        while self.cells[at] == side.other() {
            length += 1;
            at = Squares::step(at, direction);
        }
        if self.cells[at] == side { length } else { 0 }
    }

    fn can_move(&self, cell: usize, side: Cell) -> bool {
        self.cells[cell] == Cell::Empty
            && DIRECTIONS
                .iter()
                .any(|&direction| self.run(cell, direction, side) > 0)
    }

    fn count(&self, matches: impl Fn(usize) -> bool) -> u32 {
        let count = Square::all()
            .filter(|&square| matches(cell_of(square)))
            .count();
        count as u32
    }

    fn is_frontier(&self, cell: usize, side: Cell) -> bool {
        self.cells[cell] == Cell::Empty
            && DIRECTIONS
                .iter()
                .any(|&direction| self.cells[Squares::step(cell, direction)] == side)
    }
}

impl Grid for Squares {
    fn of(board: Board) -> Squares {
        let mut cells = [Cell::Border; 100];
        for square in Square::all() {
            cells[cell_of(square)] = if board.mover().contains(square) {
                Cell::First
            } else if board.opponent().contains(square) {
                Cell::Second
            } else {
                Cell::Empty
            };
        }
        Squares {
            cells,
            side: Cell::First,
            key: key_of(board),
        }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn moves(&self) -> Bitboard {
        Square::all()
            .filter(|&square| self.can_move(cell_of(square), self.side))
            .collect()
    }

    fn play(&self, square: Square) -> Squares {
        let mut next = self.clone();
        let cell = cell_of(square);
        let mut turned = Vec::with_capacity(18);
        for direction in DIRECTIONS {
            let mut at = cell;
            for _ in 0..self.run(cell, direction, self.side) {
                at = Squares::step(at, direction);
                next.cells[at] = self.side;
                turned.push(square_of(at).index());
            }
        }
        next.cells[cell] = self.side;
        next.side = self.side.other();
        let side = usize::from(self.side == Cell::Second);
        next.key = key_after(self.key, side, square, turned.into_iter());
        next
    }

    fn pass(&self) -> Squares {
        let mut next = self.clone();
        next.side = self.side.other();
        next.key ^= ZOBRIST.turn;
        next
    }

    fn discs(&self) -> [u32; 2] {
        [self.side, self.side.other()].map(|side| self.count(|cell| self.cells[cell] == side))
    }

    fn features(&self) -> Seen {
        let difference =
            |of: &dyn Fn(Cell) -> u32| of(self.side) as i32 - of(self.side.other()) as i32;
        let beside_empty_corner = |side: Cell, of: &[u64; 4]| {
            let mut count = 0;
            for place in 0..4 {
                let corner = Bitboard(CORNERS[place]).first().map(cell_of);
                if corner.is_some_and(|corner| self.cells[corner] == Cell::Empty) {
                    let squares = Bitboard(of[place]).into_iter();
                    count += squares
                        .filter(|&square| self.cells[cell_of(square)] == side)
                        .count() as u32;
                }
            }
            count
        };
        let moves = |side| self.count(|cell| self.can_move(cell, side));
        let discs = |side| self.count(|cell| self.cells[cell] == side);
        let in_corners = |side| {
            let corners = Bitboard::CORNERS.into_iter();
            corners
                .filter(|&square| self.cells[cell_of(square)] == side)
                .count() as u32
        };
        let empties = self.count(|cell| self.cells[cell] == Cell::Empty);
        Seen {
            moves: moves(self.side),
            features: Features([
                difference(&moves),
                difference(&|side| self.count(|cell| self.is_frontier(cell, side))),
                difference(&in_corners),
                difference(&|side| beside_empty_corner(side, &X_SQUARES)),
                difference(&|side| beside_empty_corner(side, &C_SQUARES)),
                if empties % 2 == 1 { 1 } else { -1 },
                difference(&discs),
            ]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_boards_agree_in_every_position_of_random_games() {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let (mut bits, mut squares) = (Bits::of(Board::START), Squares::of(Board::START));
            let mut passes = 0;
            while passes < 2 {
                assert_eq!(bits.key(), squares.key());
                assert_eq!(bits.moves(), squares.moves());
                assert_eq!(bits.discs(), squares.discs());
                assert_eq!(bits.features(), squares.features());
                match random.square(bits.moves()) {
                    Some(square) => {
                        (bits, squares) = (bits.play(square), squares.play(square));
                        passes = 0;
                    }
                    None => {
                        (bits, squares) = (bits.pass(), squares.pass());
                        passes += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn transpositions_have_one_hash_and_a_pass_another() {
        let play = |line: &str| {
            let mut bits = Bits::of(Board::START);
            for name in line.as_bytes().chunks(2) {
                bits = bits.play(Square::from_ascii([name[0], name[1]]).unwrap());
            }
            bits
        };
        let (one, other) = (play("f5d6c3d3c4"), play("c4d6c3d3f5"));
        let same = (one.board, one.side) == (other.board, other.side);
        assert_eq!(same, one.key() == other.key());
        let transposed = (play("f5f6e6f4"), play("f5f4e6f6"));
        let same = transposed.0.board == transposed.1.board;
        assert_eq!(same, transposed.0.key() == transposed.1.key());
        assert_ne!(one.key(), one.pass().key());
        assert_eq!(one.key(), one.pass().pass().key());
    }
}
