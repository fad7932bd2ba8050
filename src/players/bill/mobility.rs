//! Mobility from line tables: what the moves of a side are worth, what moves it may get, and how
//! long its rows of discs are.
//!
//! Three of the paper's numbers need a look-up for each of the 38 lines: the penalties of moves
//! (sixteen bits), the potential mobility and the sequence penalty (eight bits each). They share
//! one 32-bit word, so that 38 additions find all three. Here the words of both sides also share
//! one 64-bit word. The fields never overflow into each other: a test adds up the largest of each.
//!
//! The paper names what counts but no numbers. Here, by hand:
//! - a legal move is worth 100 points, on a corner 300, on the edge 110, on a C-square 60, on an
//!   X-square 20 (moves that "surrender corners are worthless"); C- and X-squares beside a corner
//!   that is taken are like others;
//! - each direction in which a move turns discs costs 1 penalty, each turned disc by its distance
//!   from the edge 0, 2, 1 or 0 (a disc on the second line is a frontier disc for long), a new disc
//!   with an empty square behind it on the line 1, a C-square that gives its edge's corner away 3,
//!   an X-square that gives the corner of its diagonal away 5; a penalty is scaled to 2 points, as
//!   larger ones told won from lost positions less well;
//! - an opponent's disc within a line beside an empty square is a potential move worth 1, on a
//!   corner 3, on an A- or B-square 2;
//! - a row of own discs as long as its line costs 12 next to the edge, less farther inside and on
//!   diagonals, nothing on the edge, shorter ones about the square of their length.
//!
//! The paper speaks of the side to move; as the means of its Table 1 have both signs, the features
//! are taken as differences of the two sides.

use super::lines::{
    ALL_LINES, Indices, KIND_LENGTHS, KINDS, LINES, POWERS, Side, states_of, turned,
};
use crate::othello::{Bitboard, Board};

/// Points of a move by its kind of square.
const ELSEWHERE: i32 = 100;
const CORNER: i32 = 300;
const EDGE: i32 = 110;
const C_SQUARE: i32 = 60;
const X_SQUARE: i32 = 20;

/// Points of one penalty of the tables.
const PENALTY_SCALE: i32 = 2;

const PER_DIRECTION: u32 = 1;
const PER_TURNED_DISC: [u32; 4] = [0, 2, 1, 0];
const EXPOSED_BEHIND: u32 = 1;
const GIVES_CORNER_ALONG_EDGE: u32 = 3;
const GIVES_CORNER_ALONG_DIAGONAL: u32 = 5;

/// What a row of discs as long as its line costs, by kind of line.
const LONGEST_ROW: [u32; KINDS] = [0, 12, 8, 6, 6, 6, 5, 4, 3, 2];

/// The first kind of line that is a diagonal, and the main one.
const MAIN_DIAGONAL: usize = 4;
const OUTER_EDGE: usize = 0;

/// The three numbers of one side, of a line or of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineSums {
    pub move_penalty: u32,
    pub potential: u32,
    pub sequence: u32,
}

impl LineSums {
    /// Into the paper's word: sixteen bits, eight and eight.
    fn pack(self) -> u32 {
        self.move_penalty | self.potential << 16 | self.sequence << 24
    }

    fn unpack(word: u32) -> LineSums {
        LineSums {
            move_penalty: word & 0xffff,
            potential: word >> 16 & 0xff,
            sequence: word >> 24,
        }
    }
}

/// The words of all configurations of all kinds of lines.
pub struct LineTables {
    /// The first side's word in the lower half, the second's in the upper.
    words: Vec<u64>,
    /// Where the table of each line starts.
    starts: [u32; LINES],
}

impl LineTables {
    pub fn new() -> LineTables {
        let mut words = Vec::new();
        let mut kind_starts = [0; KINDS];
        for kind in 0..KINDS {
            kind_starts[kind] = words.len() as u32;
            let len = KIND_LENGTHS[kind];
            words.extend((0..usize::from(POWERS[len])).map(|index| {
                let states = states_of(index, len);
                let [first, second] = [1, 2].map(|side| sums_of(kind, &states[..len], side).pack());
                u64::from(first) | u64::from(second) << 32
            }));
        }
        LineTables {
            words,
            starts: std::array::from_fn(|line| kind_starts[ALL_LINES[line].kind]),
        }
    }

    /// The sums over all lines, of the first side and of the second, in one pass.
    #[inline]
    pub fn sums(&self, indices: &Indices) -> [LineSums; 2] {
        let mut sum = 0;
        for (start, index) in self.starts.iter().zip(indices.all()) {
            sum += self.words[*start as usize + usize::from(*index)];
        }
        [
            LineSums::unpack(sum as u32),
            LineSums::unpack((sum >> 32) as u32),
        ]
    }
}

/// The three numbers of a side (1 or 2) on a line of a kind.
fn sums_of(kind: usize, states: &[u8], side: u8) -> LineSums {
    LineSums {
        move_penalty: move_penalty(kind, states, side),
        potential: potential(kind, states, side),
        sequence: sequence(kind, states, side),
    }
}

/// How far a place of a line is from the edge of the board.
fn ring(kind: usize, place: usize) -> usize {
    let nearest_end = place.min(KIND_LENGTHS[kind] - 1 - place);
    if kind < MAIN_DIAGONAL {
        nearest_end.min(kind)
    } else {
        nearest_end
    }
}

fn move_penalty(kind: usize, states: &[u8], side: u8) -> u32 {
    let mut penalty = 0;
    for place in (0..states.len()).filter(|&place| states[place] == 0) {
        let [before, after] = turned(states, place, side);
        if before + after == 0 {
            continue;
        }
        let directions = u32::from(before > 0) + u32::from(after > 0);
        penalty += directions * PER_DIRECTION;
        for disc in (place - before..=place + after).filter(|&disc| disc != place) {
            penalty += PER_TURNED_DISC[ring(kind, disc)];
        }
        let is_empty = |at: Option<usize>| at.and_then(|at| states.get(at)) == Some(&0);
        let exposed = before == 0 && is_empty(place.checked_sub(1))
            || after == 0 && is_empty(Some(place + 1));
        penalty += u32::from(exposed) * EXPOSED_BEHIND;
        let beside_open_corner =
            place == 1 && states[0] == 0 || place + 2 == states.len() && states[place + 1] == 0;
        penalty += match kind {
            OUTER_EDGE if beside_open_corner => GIVES_CORNER_ALONG_EDGE,
            MAIN_DIAGONAL if beside_open_corner => GIVES_CORNER_ALONG_DIAGONAL,
            _ => 0,
        };
    }
    penalty
}

fn potential(kind: usize, states: &[u8], side: u8) -> u32 {
    let last = states.len() - 1;
    let mut bonus = 0;
    // A disc at the end of a line has nothing behind it and cannot be turned along the line.
    for disc in (1..last).filter(|&disc| states[disc] == 3 - side) {
        for empty in [disc - 1, disc + 1] {
            if states[empty] == 0 {
                bonus += potential_of_square(kind, empty);
            }
        }
    }
    bonus
}

/// How desirable a move at a place of a line may become.
fn potential_of_square(kind: usize, place: usize) -> u32 {
    let from_end = place.min(KIND_LENGTHS[kind] - 1 - place);
    match kind {
        OUTER_EDGE | MAIN_DIAGONAL if from_end == 0 => 3,
        OUTER_EDGE if from_end > 1 => 2,
        _ => 1,
    }
}

fn sequence(kind: usize, states: &[u8], side: u8) -> u32 {
    let len = states.len() as u32;
    states
        .chunk_by(|a, b| a == b)
        .filter(|row| row[0] == side)
        .map(|row| {
            let row = row.len() as u32;
            let share = LONGEST_ROW[kind] * row * (row + 1);
            // Also a single disc costs something.
            share.div_ceil(len * (len + 1))
        })
        .sum()
}

/// The squares beside each corner.
const C_SQUARES: [(u64, u64); 4] = [
    (1 << 0, 1 << 1 | 1 << 8),
    (1 << 7, 1 << 6 | 1 << 15),
    (1 << 56, 1 << 48 | 1 << 57),
    (1 << 63, 1 << 55 | 1 << 62),
];
const X_SQUARES: [(u64, u64); 4] = [
    (1 << 0, 1 << 9),
    (1 << 7, 1 << 14),
    (1 << 56, 1 << 49),
    (1 << 63, 1 << 54),
];
const EDGES: u64 = 0xff81_8181_8181_81ff;

/// What the moves are worth before penalties, by where they are.
fn unadjusted(moves: Bitboard, occupied: Bitboard) -> i32 {
    let beside_open_corners = |squares: [(u64, u64); 4]| {
        let open = squares
            .into_iter()
            .filter(|(corner, _)| occupied.0 & corner == 0);
        open.fold(0, |set, (_, beside)| set | beside)
    };
    let c_squares = beside_open_corners(C_SQUARES);
    let x_squares = beside_open_corners(X_SQUARES);
    let edges = EDGES & !c_squares & !Bitboard::CORNERS.0;
    let count = |set: u64| (moves.0 & set).count_ones() as i32;
    ELSEWHERE * moves.count() as i32
        + (CORNER - ELSEWHERE) * count(Bitboard::CORNERS.0)
        + (EDGE - ELSEWHERE) * count(edges)
        + (C_SQUARE - ELSEWHERE) * count(c_squares)
        + (X_SQUARE - ELSEWHERE) * count(x_squares)
}

/// The three features of mobility, each the player to move's less the opponent's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mobility {
    pub current: i32,
    pub potential: i32,
    pub sequence: i32,
}

impl Mobility {
    #[inline]
    pub fn of(tables: &LineTables, board: Board, indices: &Indices, to_move: Side) -> Mobility {
        let [first, second] = tables.sums(indices);
        let (own, other) = match to_move {
            Side::First => (first, second),
            Side::Second => (second, first),
        };
        let occupied = board.occupied();
        let moves = unadjusted(board.legal_moves(), occupied)
            - unadjusted(board.pass().legal_moves(), occupied);
        let penalty = own.move_penalty as i32 - other.move_penalty as i32;
        Mobility {
            current: moves - PENALTY_SCALE * penalty,
            potential: own.potential as i32 - other.potential as i32,
            // A penalty: the opponent's rows are our gain.
            sequence: other.sequence as i32 - own.sequence as i32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{MoveList, Position, Random};

    #[test]
    fn one_pass_over_packed_words_finds_the_plain_sums() {
        let tables = LineTables::new();
        let mut random = Random::new(4);
        for _ in 0..100 {
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let indices = Indices::of(board, Side::First);
                let mut plain = [LineSums::default(); 2];
                for (line, &index) in ALL_LINES.iter().zip(indices.all()) {
                    let len = line.squares().len();
                    let states = states_of(index.into(), len);
                    for (side, sums) in plain.iter_mut().enumerate() {
                        let of_line = sums_of(line.kind, &states[..len], side as u8 + 1);
                        sums.move_penalty += of_line.move_penalty;
                        sums.potential += of_line.potential;
                        sums.sequence += of_line.sequence;
                    }
                }
                assert_eq!(tables.sums(&indices), plain);
                board = board.play(square).unwrap();
            }
        }
    }

    #[test]
    fn no_field_can_run_over_even_if_every_line_were_at_its_worst() {
        let mut largest = LineSums::default();
        for line in &ALL_LINES {
            let len = line.squares().len();
            let all = (0..usize::from(POWERS[len])).map(|index| {
                let states = states_of(index, len);
                sums_of(line.kind, &states[..len], 1)
            });
            let mut of_line = LineSums::default();
            for sums in all {
                of_line.move_penalty = of_line.move_penalty.max(sums.move_penalty);
                of_line.potential = of_line.potential.max(sums.potential);
                of_line.sequence = of_line.sequence.max(sums.sequence);
            }
            largest.move_penalty += of_line.move_penalty;
            largest.potential += of_line.potential;
            largest.sequence += of_line.sequence;
        }
        assert!(largest.move_penalty <= 0xffff, "{largest:?}");
        assert!(largest.potential <= 0xff, "{largest:?}");
        assert!(largest.sequence <= 0xff, "{largest:?}");
    }

    #[test]
    fn a_move_that_turns_more_discs_or_in_more_directions_is_penalised_more() {
        // On a line of the third kind, X to move at the first place.
        let penalty = |states: [u8; 8]| move_penalty(2, &states, 1);
        assert!(penalty([0, 2, 1, 0, 0, 0, 0, 0]) < penalty([0, 2, 2, 2, 1, 0, 0, 0]));
        let one_way = penalty([1, 2, 0, 2, 2, 2, 2, 2]);
        let both_ways = penalty([1, 2, 0, 2, 1, 2, 2, 2]);
        assert!(one_way < both_ways);
    }

    #[test]
    fn a_wall_next_to_the_edge_is_penalised_and_the_same_on_the_edge_is_not() {
        let wall = [0, 0, 1, 1, 1, 1, 0, 0];
        assert!(sequence(1, &wall, 1) > sequence(3, &wall, 1));
        assert_eq!(sequence(0, &wall, 1), 0);
        let broken = [0, 0, 1, 1, 0, 1, 1, 0];
        assert!(sequence(1, &wall, 1) > sequence(1, &broken, 1));
        assert!(sequence(1, &[0, 1, 0, 0, 0, 0, 0, 0], 1) > 0);
    }

    #[test]
    fn the_features_change_their_sign_with_the_player_to_move() {
        let line = MoveList::parse(Position::START, "f5d6c3d3c4f4f6").unwrap();
        let board = line.end.board;
        let tables = LineTables::new();
        let own = Mobility::of(
            &tables,
            board,
            &Indices::of(board, Side::First),
            Side::First,
        );
        let passed = board.pass();
        let indices = Indices::of(passed, Side::First);
        let other = Mobility::of(&tables, passed, &indices, Side::First);
        assert_eq!(own.current, -other.current);
        assert_eq!(own.potential, -other.potential);
        assert_eq!(own.sequence, -other.sequence);
        assert_ne!(own.current, 0);
        // Sides are only names: the other one to move on the same board gives the same.
        let renamed = Mobility::of(
            &tables,
            board,
            &Indices::of(board, Side::Second),
            Side::Second,
        );
        assert_eq!(own, renamed);
    }

    #[test]
    fn corners_are_the_best_moves_and_x_squares_the_worst_while_the_corner_is_open() {
        let worth =
            |square: u64, occupied: u64| unadjusted(Bitboard(1 << square), Bitboard(occupied));
        assert_eq!(worth(0, 0), CORNER);
        assert_eq!(worth(9, 0), X_SQUARE);
        assert_eq!(worth(9, 1), ELSEWHERE);
        assert_eq!(worth(1, 0), C_SQUARE);
        assert_eq!(worth(1, 1), EDGE);
        assert_eq!(worth(2, 0), EDGE);
    }
}
