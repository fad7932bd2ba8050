//! The four edges together: each corner is worth its two edges, and a disc on an X-square beside an
//! empty corner is worth what it may cost (section 4.4.1.1).
//!
//! The paper says that due to an oversight the second case of the probability (the opponent can take
//! the corner by way of the X-square at once) was not tested in its program; here it is, whoever
//! moves next. It does not say who moves next once the corner is taken; here the owner of the
//! X-square does. Footnote 17 corrects for an edge's share in two corners by a factor; here what the
//! corner costs is doubled.

use super::edge::Edge;
use super::edge_table::EdgeTable;
use crate::othello::{Bitboard, Board, Square};

/// The largest value: four full edges, each in two corners.
#[cfg(test)]
pub const RANGE: i32 = 8 * 7800;

/// Top, bottom, left, right.
type Edges = [Edge; 4];

/// A corner with its edges in [`Edges`], its place on both of them, and the way to its X-square.
struct Corner {
    edges: [usize; 2],
    ends: [u32; 2],
    column: u8,
    row: u8,
}

const CORNERS: [Corner; 4] = [
    Corner {
        edges: [0, 2],
        ends: [0, 0],
        column: 0,
        row: 0,
    },
    Corner {
        edges: [0, 3],
        ends: [7, 0],
        column: 7,
        row: 0,
    },
    Corner {
        edges: [1, 2],
        ends: [0, 7],
        column: 0,
        row: 7,
    },
    Corner {
        edges: [1, 3],
        ends: [7, 7],
        column: 7,
        row: 7,
    },
];

const X_SQUARES: u64 = 0x0042_0000_0000_4200;

impl Corner {
    /// The square so many steps from the corner towards the middle.
    fn on_diagonal(&self, steps: u8) -> Square {
        let toward = |from: u8| if from == 0 { steps } else { 7 - steps };
        Square::at(toward(self.column), toward(self.row))
    }
}

fn edges_of(board: Board) -> Edges {
    let (own, other) = (board.mover().0, board.opponent().0);
    let row = |row: u32| Edge {
        own: (own >> (8 * row)) as u8,
        other: (other >> (8 * row)) as u8,
    };
    let column = |column: u32| Edge {
        own: gathered(own >> column),
        other: gathered(other >> column),
    };
    [row(0), row(7), column(0), column(7)]
}

/// The first column as eight bits.
fn gathered(set: u64) -> u8 {
    // Each bit of the column is moved to a place of its own in the highest byte.
    ((set & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// What the edges are worth to the player to move, at this move number.
pub fn edge_stability(board: Board, move_number: u32) -> i32 {
    let table = EdgeTable::get();
    let edges = edges_of(board);
    let occupied_x = board.occupied().0 & X_SQUARES;
    CORNERS
        .iter()
        .map(|corner| {
            let pair = corner.edges.map(|edge| edges[edge]);
            let existing = composite(table, pair);
            let x = corner.on_diagonal(1);
            let x_before_empty_corner =
                occupied_x & x.bit() != 0 && board.empties().contains(corner.on_diagonal(0));
            if x_before_empty_corner {
                with_x_square(table, board, corner, pair, existing, move_number)
            } else {
                existing
            }
        })
        .sum()
}

/// Two edges at a corner: the player to move chooses on which of them to move first, and the
/// opponent has the first move on the other.
fn composite(table: &EdgeTable, [a, b]: [Edge; 2]) -> i32 {
    let first = table.to_move(a) + table.to_wait(b);
    let second = table.to_wait(a) + table.to_move(b);
    first.max(second)
}

/// The expected value when the corner may be taken by way of the X-square.
fn with_x_square(
    table: &EdgeTable,
    board: Board,
    corner: &Corner,
    pair: [Edge; 2],
    existing: i32,
    move_number: u32,
) -> i32 {
    let owner_moves = board.mover().contains(corner.on_diagonal(1));
    // Seen by the owner of the X-square.
    let (pair, existing, owner) = if owner_moves {
        (pair, existing, board.mover())
    } else {
        (pair.map(Edge::inverse), -existing, board.opponent())
    };
    let mut taken = pair;
    for (edge, end) in taken.iter_mut().zip(corner.ends) {
        *edge = edge.inverse().play(end).inverse();
    }
    let cost = existing - composite(table, taken);
    if cost <= 0 {
        return if owner_moves { existing } else { -existing };
    }
    let probability = if can_be_taken(board, corner, owner) {
        1.0
    } else {
        1.0 - f64::from(move_number) / 120.0
    };
    let expected = existing - (2.0 * probability * f64::from(cost)).round() as i32;
    if owner_moves { expected } else { -expected }
}

/// The diagonal from the corner holds discs of the owner and then one of the opponent.
fn can_be_taken(board: Board, corner: &Corner, owner: Bitboard) -> bool {
    (1..8)
        .map(|steps| corner.on_diagonal(steps))
        .find(|&square| !owner.contains(square))
        .is_some_and(|square| board.occupied().contains(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Random, Symmetry};
    use crate::players::trials::board_of;

    #[test]
    fn edges_are_read_from_all_four_sides() {
        let board = board_of([
            "X-O----O", "X------X", "--------", "--------", "--------", "--------", "O------X",
            "XO------",
        ]);
        let [top, bottom, left, right] = edges_of(board);
        let edge = crate::players::iago::edge::tests::edge;
        assert_eq!(top, edge("X-O----O"));
        assert_eq!(bottom, edge("XO------"));
        assert_eq!(left, edge("XX----OX"));
        assert_eq!(right, edge("OX----X-"));
    }

    #[test]
    fn four_full_edges_are_the_papers_range() {
        let full = Board::new(Bitboard::ALL, Bitboard::EMPTY).unwrap();
        assert_eq!(edge_stability(full, 60), RANGE);
        assert_eq!(edge_stability(full.pass(), 60), -RANGE);
    }

    #[test]
    fn an_x_square_before_an_empty_corner_costs_and_behind_a_taken_one_does_not() {
        let quiet = ["--------"; 8];
        let mut rows = quiet;
        rows[1] = "-X------";
        let bare = edge_stability(board_of(quiet), 30);
        let with_x = edge_stability(board_of(rows), 30);
        assert!(with_x < bare, "{with_x} {bare}");
        // The later in the game, the less likely it is to be used.
        assert!(edge_stability(board_of(rows), 50) > with_x);
        // An opponent behind it on the diagonal makes it certain.
        rows[2] = "--O-----";
        assert!(edge_stability(board_of(rows), 30) < with_x);
        // With the corner taken it is only a disc.
        let mut rows = quiet;
        rows[0] = "O-------";
        let without = edge_stability(board_of(rows), 30);
        rows[1] = "-X------";
        assert_eq!(edge_stability(board_of(rows), 30), without);
    }

    #[test]
    fn an_x_square_costs_its_owner_whoever_moves() {
        let mut rows = ["--------"; 8];
        rows[6] = "------O-";
        let empty = Board::new(Bitboard::EMPTY, Bitboard::EMPTY).unwrap();
        assert!(edge_stability(board_of(rows), 30) > edge_stability(empty, 30));
        assert!(edge_stability(board_of(rows).pass(), 30) < edge_stability(empty, 30));
    }

    #[test]
    fn turning_the_board_changes_nothing() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let own = random.next() & random.next();
            let other = random.next() & random.next() & !own;
            let board = Board::new(Bitboard(own), Bitboard(other)).unwrap();
            let value = edge_stability(board, 30);
            for symmetry in Symmetry::all() {
                assert_eq!(edge_stability(board.under(symmetry), 30), value);
            }
        }
    }
}
