//! The board as 38 numbers: one index for each row, column and diagonal of three squares or more.
//!
//! An index counts in threes along its line: 0 for an empty square, 1 for a disc of the player who
//! moves first (at the root of a search), 2 for one of the other. It follows the game move by move,
//! so a table of any property of a line is one look-up away. The colours do not change with the
//! player to move: nothing need be turned over at every ply, and tables have an entry for each.

use crate::othello::{Bitboard, Board, Square};

/// 8 rows, 8 columns, 2 main diagonals, 20 shorter ones.
pub const LINES: usize = 38;

/// Kinds of lines, alike under the symmetries of the board: four distances of a row or column from
/// the edge, and six lengths of a diagonal. The paper needs nine tables "due to symmetry and
/// compression", these ten by symmetry alone.
pub const KINDS: usize = 10;

/// The squares of a line of each kind: rows and columns from the edge inward, then diagonals from
/// the longest.
pub const KIND_LENGTHS: [usize; KINDS] = [8, 8, 8, 8, 8, 7, 6, 5, 4, 3];

/// Powers of three up to 3⁸.
pub const POWERS: [u16; 9] = [1, 3, 9, 27, 81, 243, 729, 2187, 6561];

/// Who of the two players a disc or a turn belongs to, seen from the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    First,
    Second,
}

impl Side {
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// One line: where it is and of which kind.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    squares: [Square; 8],
    len: usize,
    pub kind: usize,
}

impl Line {
    pub fn squares(&self) -> &[Square] {
        &self.squares[..self.len]
    }
}

/// A place for what squares on fewer than four lines would add to a line they are not on.
const NOWHERE: u8 = LINES as u8;

/// All lines: rows from the first, columns from the first, then the diagonals.
pub static ALL_LINES: [Line; LINES] = all_lines();

/// The lines through each square, with the power of three the square stands for in each.
static THROUGH: [[(u8, u16); 4]; 64] = lines_through();

const fn all_lines() -> [Line; LINES] {
    let nothing = Line {
        squares: [Square::at(0, 0); 8],
        len: 0,
        kind: 0,
    };
    let mut lines = [nothing; LINES];
    let mut made = 0;
    while made < 16 {
        let number = (made % 8) as i8;
        let from_edge = if number < 4 { number } else { 7 - number };
        lines[made] = if made < 8 {
            line_from((0, number), (1, 0), from_edge as usize)
        } else {
            line_from((number, 0), (0, 1), from_edge as usize)
        };
        made += 1;
    }
    // The diagonals down to the right start in the first column or row, those down to the left in
    // the last column or the first row.
    let mut offset = -5;
    while offset <= 5 {
        let start = if offset < 0 {
            (0, -offset)
        } else {
            (offset, 0)
        };
        let shorter = if offset < 0 { -offset } else { offset };
        lines[made] = line_from(start, (1, 1), 4 + shorter as usize);
        lines[made + 1] = line_from((7 - start.0, start.1), (-1, 1), 4 + shorter as usize);
        made += 2;
        offset += 1;
    }
    lines
}

const fn line_from(start: (i8, i8), step: (i8, i8), kind: usize) -> Line {
    let (mut column, mut row) = start;
    let mut squares = [Square::at(0, 0); 8];
    let mut len = 0;
    while 0 <= column && column < 8 && 0 <= row && row < 8 {
        squares[len] = Square::at(column as u8, row as u8);
        len += 1;
        column += step.0;
        row += step.1;
    }
    Line { squares, len, kind }
}

const fn lines_through() -> [[(u8, u16); 4]; 64] {
    let lines = all_lines();
    let mut through = [[(NOWHERE, 0); 4]; 64];
    let mut found = [0; 64];
    let mut number = 0;
    while number < LINES {
        let mut place = 0;
        while place < lines[number].len {
            let square = lines[number].squares[place].index();
            through[square][found[square]] = (number as u8, POWERS[place]);
            found[square] += 1;
            place += 1;
        }
        number += 1;
    }
    through
}

/// The indices of all lines of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indices([u16; LINES + 1]);

impl Indices {
    /// Of a board whose player to move is this side.
    pub fn of(board: Board, to_move: Side) -> Indices {
        let (first, second) = match to_move {
            Side::First => (board.mover(), board.opponent()),
            Side::Second => (board.opponent(), board.mover()),
        };
        let mut indices = Indices([0; LINES + 1]);
        for square in first {
            indices.add(square, 1);
        }
        for square in second {
            indices.add(square, 2);
        }
        indices
    }

    /// The indices after this side plays on an empty square and turns these discs.
    #[inline]
    pub fn after(&self, side: Side, square: Square, flips: Bitboard) -> Indices {
        let mut next = *self;
        let (disc, turned) = match side {
            Side::First => (1, u16::MAX),
            Side::Second => (2, 1),
        };
        next.add(square, disc);
        for square in flips {
            next.add(square, turned);
        }
        next
    }

    /// Adds so many times the square's power to each line through it; `u16::MAX` takes one away.
    #[inline(always)]
    fn add(&mut self, square: Square, times: u16) {
        for (line, power) in THROUGH[square.index()] {
            let index = &mut self.0[line as usize];
            *index = index.wrapping_add(power.wrapping_mul(times));
        }
    }

    #[inline(always)]
    pub fn all(&self) -> &[u16] {
        &self.0[..LINES]
    }

    #[inline(always)]
    pub fn line(&self, number: usize) -> usize {
        usize::from(self.0[number])
    }
}

/// The states of the squares of a line with this index, the first square first.
pub fn states_of(mut index: usize, len: usize) -> [u8; 8] {
    let mut states = [0; 8];
    for state in &mut states[..len] {
        *state = (index % 3) as u8;
        index /= 3;
    }
    states
}

/// The index of a line in these states.
pub fn index_of(states: &[u8]) -> usize {
    states
        .iter()
        .rev()
        .fold(0, |index, &state| 3 * index + usize::from(state))
}

/// How many discs a player turns towards the start and towards the end of a line by playing on an
/// empty square of it; a move that turns none along the line may still be legal by another.
pub fn turned(states: &[u8], place: usize, mover: u8) -> [usize; 2] {
    let run = |places: &mut dyn Iterator<Item = usize>| {
        let mut opponents = 0;
        for at in places {
            match states[at] {
                0 => return 0,
                state if state == mover => return opponents,
                _ => opponents += 1,
            }
        }
        0
    };
    [
        run(&mut (0..place).rev()),
        run(&mut (place + 1..states.len())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Random;

    #[test]
    fn there_are_38_lines_of_ten_kinds_and_no_square_is_on_more_than_four() {
        let mut kinds = [0; KINDS];
        for line in &ALL_LINES {
            assert_eq!(line.squares().len(), KIND_LENGTHS[line.kind]);
            kinds[line.kind] += 1;
        }
        assert_eq!(kinds, [4, 4, 4, 4, 2, 4, 4, 4, 4, 4]);
        let visits: usize = ALL_LINES.iter().map(|line| line.squares().len()).sum();
        let known = THROUGH
            .iter()
            .flatten()
            .filter(|(line, _)| *line != NOWHERE);
        assert_eq!(known.count(), visits);
    }

    #[test]
    fn indices_that_follow_a_game_are_those_of_its_boards() {
        let mut random = Random::new(1);
        for _ in 0..20 {
            let (mut board, mut side) = (Board::START, Side::First);
            let mut indices = Indices::of(board, side);
            while let Some(square) = random.square(board.legal_moves()) {
                let flips = board.flips(square);
                indices = indices.after(side, square, flips);
                board = board.play_unchecked(square, flips);
                side = side.other();
                if board.must_pass() {
                    (board, side) = (board.pass(), side.other());
                }
                assert_eq!(indices.all(), Indices::of(board, side).all());
            }
        }
    }

    #[test]
    fn a_move_is_legal_where_it_turns_discs_along_one_of_the_lines() {
        let mut random = Random::new(2);
        for _ in 0..20 {
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let indices = Indices::of(board, Side::First);
                let mut legal = Bitboard::EMPTY;
                for (line, &index) in ALL_LINES.iter().zip(indices.all()) {
                    let len = line.squares().len();
                    let states = &states_of(index.into(), len)[..len];
                    for (place, &square) in line.squares().iter().enumerate() {
                        if states[place] == 0 && turned(states, place, 1) != [0, 0] {
                            legal = legal.with(square);
                        }
                    }
                }
                assert_eq!(legal, board.legal_moves());
                board = board.play(square).unwrap();
            }
        }
    }

    #[test]
    fn an_index_and_the_states_it_stands_for_lead_to_each_other() {
        for index in 0..usize::from(POWERS[8]) {
            assert_eq!(index_of(&states_of(index, 8)), index);
        }
    }
}
