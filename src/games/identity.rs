//! When two games are the same: equal moves, up to the symmetry of the board.

use super::game::Game;
use crate::othello::{Color, Square, Symmetry};
use xxhash_rust::xxh3::xxh3_128;

/// A fingerprint of start and moves that all symmetric twins of a game share. Of a billion games,
/// two different ones share it with a chance of one in 10²⁰.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Identity(u128);

impl Game {
    pub fn identity(&self) -> Identity {
        let start = self.start();
        // Of the images with the smallest start board (four, for the usual start), the one with
        // the smallest moves stands for all.
        let image = |symmetry: Symmetry| {
            let moves: Vec<Square> = self
                .moves()
                .iter()
                .map(|&square| symmetry.apply_to_square(square))
                .collect();
            (start.board.under(symmetry), moves)
        };
        let smallest_start = start.board.canonical();
        let (board, moves) = Symmetry::all()
            .filter(|&symmetry| start.board.under(symmetry) == smallest_start)
            .map(image)
            .min()
            .unwrap_or_else(|| image(Symmetry::IDENTITY));
        let mut bytes = Vec::with_capacity(17 + moves.len());
        bytes.extend(board.mover().0.to_be_bytes());
        bytes.extend(board.opponent().0.to_be_bytes());
        bytes.push(u8::from(start.turn == Color::White));
        bytes.extend(moves.iter().map(|square| square.index() as u8));
        Identity(xxh3_128(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::arbitrary::any_game;
    use crate::games::{Details, Moves};
    use crate::othello::{MoveList, Position};
    use proptest::prelude::*;

    fn identity(text: &str) -> Identity {
        let list = MoveList::parse(Position::START, text).unwrap();
        let moves = Moves::try_from(&list.moves[..]).unwrap();
        let game = Game::new(Position::START, moves, Details::default());
        game.unwrap().identity()
    }

    #[test]
    fn the_four_first_moves_are_one() {
        let all = ["f5", "e6", "d3", "c4"].map(identity);
        assert!(all.iter().all(|one| *one == all[0]));
        assert_eq!(identity("f5d6c3"), identity("c4e3f6"));
        assert_ne!(identity("f5d6"), identity("f5f6"));
        assert_ne!(identity("f5d6"), identity("f5"), "a part is another game");
        // Transposed moves lead to the same position but are another game.
        assert_ne!(identity("f5d6c3d3c4"), identity("f5d6c4d3c3"));
    }

    proptest! {
        #[test]
        fn all_images_of_a_game_are_the_same_game(game in any_game()) {
            for symmetry in Symmetry::all() {
                let start = Position {
                    board: game.start().board.under(symmetry),
                    turn: game.start().turn,
                };
                let moves: Vec<Square> = game.moves().iter()
                    .map(|&square| symmetry.apply_to_square(square)).collect();
                let moves = Moves::try_from(&moves[..]).unwrap();
                let image = Game::new(start, moves, Details::default()).unwrap();
                prop_assert_eq!(image.identity(), game.identity());
            }
        }
    }
}
