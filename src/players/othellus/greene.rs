//! Four of Greene's six measures, by which the authors judged every move of a game: corners, edges,
//! mobility and squares.
//!
//! The paper says what each looks at. Guessed here: a corner counts 10 and is lost by whom the
//! opponent takes it from; a square from which it can be struck (the third ones from an empty
//! corner: c1, c3, a3 for a1) counts 1; an empty edge square counts 1 against the player whose
//! discs are the majority around it.

use crate::games::Game;
use crate::othello::{Bitboard, Board, Square};
use std::ops::AddAssign;

const CORNER: i32 = 10;
const EDGES: Bitboard = Bitboard(0xff81_8181_8181_81ff);

/// Each corner and the squares it is struck from.
const STRIKERS: [(u64, u64); 4] = [
    (1, 0x0000_0000_0005_0004),
    (1 << 7, 0x0000_0000_00a0_0020),
    (1 << 56, 0x0400_0500_0000_0000),
    (1 << 63, 0x2000_a000_0000_0000),
];

/// The measures of a move, or of a player's moves together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Measures {
    /// Corner strength and potential.
    pub corners: i32,
    /// Edge stability.
    pub edges: i32,
    /// Twice the moves, and the squares that may become moves.
    pub mobility: i32,
    /// Squares gained more than the opponent gained.
    pub squares: i32,
}

impl Measures {
    pub const fn total(&self) -> i32 {
        self.corners + self.edges + self.mobility + self.squares
    }
}

impl AddAssign for Measures {
    fn add_assign(&mut self, other: Measures) {
        self.corners += other.corners;
        self.edges += other.edges;
        self.mobility += other.mobility;
        self.squares += other.squares;
    }
}

/// What a player's moves of a game came to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Measured {
    pub sum: Measures,
    pub moves: u32,
}

impl Measured {
    /// The average score of a move; none where there is no move.
    pub fn per_move(&self) -> Option<f64> {
        (self.moves > 0).then(|| f64::from(self.sum.total()) / f64::from(self.moves))
    }
}

/// The measures of Black's moves and of White's.
pub fn measure(game: &Game) -> [Measured; 2] {
    let mut players = [Measured::default(); 2];
    let mut position = game.start();
    for &square in game.moves() {
        let mover = position.turn;
        let player = &mut players[mover as usize];
        player.sum += measure_move(position.board, square);
        player.moves += 1;
        if Bitboard::CORNERS.contains(square) {
            players[mover.other() as usize].sum.corners -= CORNER;
        }
        let Ok(next) = position.play(square) else {
            break;
        };
        position = next;
    }
    players
}

/// The measures of a legal move, for the player who makes it.
pub fn measure_move(board: Board, square: Square) -> Measures {
    let flips = board.flips(square);
    // The board after the move, seen by who made it.
    let after = board.play_unchecked(square, flips).pass();
    let taken = i32::from(Bitboard::CORNERS.contains(square)) * CORNER;
    Measures {
        corners: taken + strikers(after) - strikers(board),
        edges: edge_stability(after),
        mobility: mobility(after),
        squares: 2 * flips.count() as i32 + 1,
    }
}

/// Squares from which empty corners can be struck, the player's less the opponent's.
fn strikers(board: Board) -> i32 {
    STRIKERS
        .into_iter()
        .filter(|(corner, _)| board.empties().0 & corner != 0)
        .map(|(_, squares)| {
            let own = board.mover().0 & squares;
            let other = board.opponent().0 & squares;
            own.count_ones() as i32 - other.count_ones() as i32
        })
        .sum()
}

/// Empty edge squares that the opponent's discs surround, less those the player's surround.
fn edge_stability(board: Board) -> i32 {
    (board.empties() & EDGES)
        .into_iter()
        .map(|square| {
            let beside = Bitboard::from(square).around();
            let own = (beside & board.mover()).count();
            let other = (beside & board.opponent()).count();
            other.cmp(&own) as i32
        })
        .sum()
}

/// Moves count twice, empty squares beside the opponent's discs once.
fn mobility(board: Board) -> i32 {
    let moves = board.legal_moves().count();
    let open = (board.opponent().around() & board.empties()).count();
    (2 * moves + open) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Details, Moves};
    use crate::othello::{Color, MoveList, Position};

    fn game(line: &str) -> Game {
        let list = MoveList::parse(Position::START, line).unwrap();
        let moves = Moves::try_from(&list.moves[..]).unwrap();
        Game::new(Position::START, moves, Details::default()).unwrap()
    }

    #[test]
    fn the_first_move_gains_three_squares_and_can_be_judged_by_hand() {
        let measures = measure_move(Board::START, "f5".parse().unwrap());
        assert_eq!(measures.squares, 3);
        assert_eq!(measures.corners, 0);
        assert_eq!(measures.edges, 0);
        // White's one disc on d4 has the eight squares around it, three of them taken; of the five
        // left, c3, c4 and c5 can be played.
        assert_eq!(measures.mobility, 2 * 3 + 5);
    }

    #[test]
    fn a_corner_is_one_players_gain_and_the_others_loss() {
        let before = game("f5f6e6d6c5e3d3c4c3b3b2");
        let after = game("f5f6e6d6c5e3d3c4c3b3b2a1");
        let [black_before, white_before] = measure(&before);
        let [black, white] = measure(&after);
        assert_eq!(black.sum.corners, black_before.sum.corners - CORNER);
        assert!(white.sum.corners > white_before.sum.corners);
        assert_eq!(white.moves, white_before.moves + 1);
    }

    #[test]
    fn squares_gained_add_up_to_the_difference_on_the_board() {
        let game = game("f5d6c3d3c4f4f6f3e6e7");
        let [black, white] = measure(&game);
        let end = game.end();
        let difference =
            end.discs(Color::Black).count() as i32 - end.discs(Color::White).count() as i32;
        assert_eq!(black.sum.squares - white.sum.squares, difference);
        assert!(black.per_move().is_some());
    }

    #[test]
    fn an_empty_edge_square_counts_against_who_surrounds_it() {
        // a1, d1 and a3 are empty beside discs of Black only.
        let black = Bitboard(0x0706);
        let board = Board::new(black, Bitboard::EMPTY).unwrap();
        assert_eq!(edge_stability(board), -3);
        assert_eq!(edge_stability(board.pass()), 3);
    }
}
