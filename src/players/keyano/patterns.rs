//! KEYANO's patterns: vectors of seven and eight discs, the three-by-three corner, and two kinds of
//! edges of ten.
//!
//! The vectors are the edge, the row next to it, the two main diagonals and the diagonals of
//! seven. An edge of ten squares has its own values while the four inner squares next to it (c2 to
//! f2, the paper's N) are empty and others once one of them is not. The paper's Figure 2, which
//! shows the ten squares, is lost in the text; as the four N are "left out" of fourteen, both kinds
//! are here the edge with its two X-squares.

use crate::othello::{Bitboard, Board, Square};
use crate::players::bill::lines::{Indices, Side};

/// The kinds of patterns, each with values of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Edge,
    SecondRow,
    MainDiagonal,
    SevenDiagonal,
    Corner,
    OpenEdge10,
    ClosedEdge10,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Edge,
        Kind::SecondRow,
        Kind::MainDiagonal,
        Kind::SevenDiagonal,
        Kind::Corner,
        Kind::OpenEdge10,
        Kind::ClosedEdge10,
    ];

    /// How many squares it has.
    pub const fn len(self) -> usize {
        match self {
            Kind::Edge | Kind::SecondRow | Kind::MainDiagonal => 8,
            Kind::SevenDiagonal => 7,
            Kind::Corner => 9,
            Kind::OpenEdge10 | Kind::ClosedEdge10 => 10,
        }
    }

    pub const fn configurations(self) -> usize {
        3_usize.pow(self.len() as u32)
    }

    /// The place that each place becomes when the pattern is mirrored, which changes nothing.
    pub fn mirrored(self, place: usize) -> usize {
        match self {
            Kind::Corner => 3 * (place % 3) + place / 3,
            Kind::OpenEdge10 | Kind::ClosedEdge10 if place >= 8 => 17 - place,
            Kind::SevenDiagonal => 6 - place,
            _ => 7 - place,
        }
    }

    /// Pairs of places that lie side by side.
    pub fn neighbours(self) -> Vec<(usize, usize)> {
        let along = |len: usize| (1..len).map(|place| (place - 1, place));
        match self {
            Kind::Corner => {
                let rows = (0..9).filter(|place| place % 3 < 2).map(|p| (p, p + 1));
                let columns = (0..6).map(|place| (place, place + 3));
                rows.chain(columns)
                    .chain([(0, 4), (4, 8), (2, 4), (4, 6)])
                    .collect()
            }
            Kind::OpenEdge10 | Kind::ClosedEdge10 => {
                let corners = [(0, 8), (1, 8), (2, 8), (7, 9), (6, 9), (5, 9)];
                along(8).chain(corners).collect()
            }
            vector => along(vector.len()).collect(),
        }
    }

    /// Which of the evaluation's features its values belong to: all vectors are one.
    pub const fn group(self) -> Group {
        match self {
            Kind::Corner => Group::Corners,
            Kind::OpenEdge10 | Kind::ClosedEdge10 => Group::Edges,
            _ => Group::Vectors,
        }
    }
}

/// The pattern features of the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    Vectors,
    Corners,
    Edges,
}

/// Lines of the vectors, as [`Indices`] number them: edges, second rows, diagonals.
const VECTORS: [(Kind, usize); 14] = [
    (Kind::Edge, 0),
    (Kind::Edge, 7),
    (Kind::Edge, 8),
    (Kind::Edge, 15),
    (Kind::SecondRow, 1),
    (Kind::SecondRow, 6),
    (Kind::SecondRow, 9),
    (Kind::SecondRow, 14),
    (Kind::SevenDiagonal, 24),
    (Kind::SevenDiagonal, 25),
    (Kind::MainDiagonal, 26),
    (Kind::MainDiagonal, 27),
    (Kind::SevenDiagonal, 28),
    (Kind::SevenDiagonal, 29),
];

/// The rows of each corner from the edge inward, and whether it is at their end.
const CORNERS: [([usize; 3], bool); 4] = [
    ([0, 1, 2], false),
    ([0, 1, 2], true),
    ([7, 6, 5], false),
    ([7, 6, 5], true),
];

/// X-squares b2, g2, b7, g7.
const X_SQUARES: [Square; 4] = [
    Square::at(1, 1),
    Square::at(6, 1),
    Square::at(1, 6),
    Square::at(6, 6),
];

/// The line of each edge, its X-squares and its N-squares.
const EDGES: [(usize, usize, usize, u64); 4] = [
    (0, 0, 1, 0x0000_0000_0000_3c00),
    (7, 2, 3, 0x003c_0000_0000_0000),
    (8, 0, 2, 0x0000_0202_0202_0000),
    (15, 1, 3, 0x0000_4040_4040_0000),
];

/// Three squares in the other order.
const REVERSED_THREE: [u16; 27] = reversed_three();

const fn reversed_three() -> [u16; 27] {
    let mut reversed = [0; 27];
    let mut index = 0;
    while index < 27 {
        let (a, b, c) = (index % 3, index / 3 % 3, index / 9);
        reversed[index as usize] = 9 * a + 3 * b + c;
        index += 1;
    }
    reversed
}

/// Calls with the kind and configuration of each pattern of a board; 1 stands for the first side.
#[inline(always)]
pub fn for_each_pattern(
    board: Board,
    indices: &Indices,
    to_move: Side,
    mut see: impl FnMut(Kind, usize),
) {
    for (kind, line) in VECTORS {
        see(kind, indices.line(line));
    }
    for (rows, at_end) in CORNERS {
        let [a, b, c] = rows.map(|row| {
            let row = indices.line(row);
            if at_end {
                usize::from(REVERSED_THREE[row / 243])
            } else {
                row % 27
            }
        });
        see(Kind::Corner, a + 27 * b + 729 * c);
    }
    let (first, second) = match to_move {
        Side::First => (board.mover(), board.opponent()),
        Side::Second => (board.opponent(), board.mover()),
    };
    let states = X_SQUARES.map(|square| {
        usize::from(first.contains(square)) + 2 * usize::from(second.contains(square))
    });
    for (line, near, far, inner) in EDGES {
        let kind = if (board.occupied() & Bitboard(inner)).is_empty() {
            Kind::OpenEdge10
        } else {
            Kind::ClosedEdge10
        };
        see(
            kind,
            indices.line(line) + 6561 * states[near] + 19683 * states[far],
        );
    }
}

/// The states of a configuration's squares.
pub fn states_of(kind: Kind, mut configuration: usize) -> Vec<u8> {
    (0..kind.len())
        .map(|_| {
            let state = (configuration % 3) as u8;
            configuration /= 3;
            state
        })
        .collect()
}

/// The same pattern seen in a mirror.
pub fn mirror(kind: Kind, configuration: usize) -> usize {
    let states = states_of(kind, configuration);
    let mirrored = (0..kind.len())
        .rev()
        .map(|place| states[kind.mirrored(place)]);
    mirrored.fold(0, |index, state| 3 * index + usize::from(state))
}

/// The same pattern seen by the other player.
pub fn exchanged(kind: Kind, configuration: usize) -> usize {
    let states = states_of(kind, configuration);
    let turned = states
        .iter()
        .rev()
        .map(|state| [0, 2, 1][usize::from(*state)]);
    turned.fold(0, |index, state| 3 * index + state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Random, Symmetry};
    use crate::players::bill::lines::ALL_LINES;

    /// Fourteen vectors, four corners, four edges.
    const INSTANCES: usize = 22;

    fn sorted(board: Board, side: Side) -> Vec<(u8, usize)> {
        let mut found = Vec::new();
        for_each_pattern(board, &Indices::of(board, side), side, |kind, index| {
            found.push((kind as u8, index.min(mirror(kind, index))));
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn the_vectors_are_the_lines_they_are_called() {
        for (kind, line) in VECTORS {
            let of_line = ALL_LINES[line].kind;
            let expected = match kind {
                Kind::Edge => 0,
                Kind::SecondRow => 1,
                Kind::MainDiagonal => 4,
                _ => 5,
            };
            assert_eq!(of_line, expected);
        }
    }

    #[test]
    fn a_board_has_the_same_patterns_under_every_symmetry() {
        let mut random = Random::new(8);
        for _ in 0..20 {
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                let found = sorted(board, Side::First);
                assert_eq!(found.len(), INSTANCES);
                for symmetry in Symmetry::all() {
                    assert_eq!(sorted(board.under(symmetry), Side::First), found);
                }
                // Under other names of the sides each configuration is exchanged.
                for_each_pattern(board, &Indices::of(board, Side::First), Side::First, {
                    let mut other = Vec::new();
                    for_each_pattern(
                        board,
                        &Indices::of(board, Side::Second),
                        Side::Second,
                        |kind, index| other.push((kind, exchanged(kind, index))),
                    );
                    let mut other = other.into_iter();
                    move |kind, index| assert_eq!(other.next(), Some((kind, index)))
                });
                board = board.play(square).unwrap();
            }
        }
    }

    #[test]
    fn an_edge_is_open_until_a_disc_stands_on_one_of_its_inner_squares() {
        let count = |board: Board| {
            let mut open = 0;
            for_each_pattern(
                board,
                &Indices::of(board, Side::First),
                Side::First,
                |kind, _| {
                    open += usize::from(kind == Kind::OpenEdge10);
                },
            );
            open
        };
        assert_eq!(count(Board::START), 4);
        let with = |name: &str| {
            let square: Square = name.parse().unwrap();
            Board::new(Board::START.mover().with(square), Board::START.opponent()).unwrap()
        };
        assert_eq!(count(with("d2")), 3);
        assert_eq!(count(with("b5")), 3);
        assert_eq!(count(with("b2")), 4);
        assert_eq!(count(with("d1")), 4);
    }
}
