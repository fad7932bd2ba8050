//! A game that is being played: moves are made and taken back.

use crate::games::{Details, Game, Moves};
use crate::othello::{IllegalMove, Position, Square};

/// Moves from a start, and every position on the way. Forced passes are made by themselves.
#[derive(Clone, Debug)]
pub struct GameInProgress {
    /// Where the game began and where each move led; one more than there are moves.
    positions: Vec<Position>,
    moves: Vec<Square>,
}

impl Default for GameInProgress {
    fn default() -> GameInProgress {
        GameInProgress::from(Position::START)
    }
}

impl GameInProgress {
    /// No move yet, from any position.
    pub fn from(start: Position) -> GameInProgress {
        GameInProgress {
            positions: vec![start.after_forced_pass()],
            moves: Vec::new(),
        }
    }

    /// A game to go on with.
    pub fn of_game(game: &Game) -> GameInProgress {
        let mut progress = GameInProgress::from(game.start());
        for &square in game.moves() {
            if progress.play(square).is_err() {
                break;
            }
        }
        progress
    }

    pub fn start(&self) -> Position {
        self.positions[0]
    }

    /// The position now; where nobody can move the game is over.
    pub fn position(&self) -> Position {
        self.positions[self.moves.len()]
    }

    /// The position before each move, and the one now.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    pub fn moves(&self) -> &[Square] {
        &self.moves
    }

    pub fn last_move(&self) -> Option<Square> {
        self.moves.last().copied()
    }

    pub fn is_over(&self) -> bool {
        self.position().board.legal_moves().is_empty()
    }

    pub fn play(&mut self, square: Square) -> Result<(), IllegalMove> {
        let next = self.position().play(square)?;
        self.moves.push(square);
        self.positions.push(next);
        Ok(())
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<Square> {
        let square = self.moves.pop()?;
        self.positions.pop();
        Some(square)
    }

    /// The last move left the other player without an answer.
    pub fn passed_before_now(&self) -> bool {
        match self.positions.as_slice() {
            [.., before, now] => before.turn == now.turn,
            _ => false,
        }
    }

    /// The game as it stands, with what is known about it.
    pub fn to_game(&self, details: Details) -> Option<Game> {
        let moves = Moves::try_from(&self.moves[..]).ok()?;
        Game::new(self.start(), moves, details).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Color;

    #[test]
    fn moves_are_made_and_taken_back() {
        let mut game = GameInProgress::default();
        for name in ["f5", "d6", "c3"] {
            game.play(name.parse().unwrap()).unwrap();
        }
        assert!(game.play("a1".parse().unwrap()).is_err());
        assert_eq!(game.moves().len(), 3);
        assert_eq!(game.position().turn, Color::White);
        assert_eq!(game.undo(), "c3".parse().ok());
        assert_eq!(game.last_move(), "d6".parse().ok());
        while game.undo().is_some() {}
        assert_eq!(game.position(), Position::START);
        assert_eq!(game.to_game(Details::default()).unwrap().moves(), []);
    }

    #[test]
    fn a_pass_is_made_by_itself_and_remembered() {
        let start: Position = "-OX-----------------------------------------------------XO------ X"
            .parse()
            .unwrap();
        let mut game = GameInProgress::from(start);
        assert!(!game.passed_before_now());
        game.play("a1".parse().unwrap()).unwrap();
        assert!(game.passed_before_now());
        assert_eq!(game.position().turn, Color::Black);
    }
}
