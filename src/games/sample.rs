//! Games of two simple players, to have something to build from before the engine can play.

use super::date::Date;
use super::game::{Details, Game};
use super::moves::Moves;
use super::name::Name;
use crate::othello::{Bitboard, Board, Color, Position, Random, Square};

/// An endless supply of games, the same for the same seed on every machine.
pub struct SampleGames {
    random: Random,
    played: u64,
}

impl SampleGames {
    pub fn new(seed: u64) -> SampleGames {
        SampleGames {
            random: Random::new(seed),
            played: 0,
        }
    }
}

impl Iterator for SampleGames {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        let (black, white) = if self.played.is_multiple_of(2) {
            (Player::Mobile, Player::Greedy)
        } else {
            (Player::Greedy, Player::Mobile)
        };
        // The first moves are chosen freely, or the collection would be one game over and over.
        let free = 4 + self.random.below(7);
        let mut position = Position::START;
        let mut moves = Moves::new();
        while !position.board.legal_moves().is_empty() {
            let ply = moves.len() as u64;
            let player = match position.turn {
                _ if ply < free => Player::Random,
                Color::Black => black,
                Color::White => white,
            };
            let square = player.choose(position.board, &mut self.random)?;
            position = position.play(square).ok()?;
            moves.push(square).ok()?;
        }
        self.played += 1;
        let details = Details {
            black: Name::tidy(black.name()),
            white: Name::tidy(white.name()),
            event: Name::tidy("Emilia samples"),
            date: Date::year_only(2025),
            ..Details::default()
        };
        Game::new(Position::START, moves, details).ok()
    }
}

#[derive(Clone, Copy)]
enum Player {
    /// Any legal move.
    Random,
    /// Leaves the opponent few moves and takes corners.
    Mobile,
    /// Turns many discs and takes corners.
    Greedy,
}

impl Player {
    const fn name(self) -> &'static str {
        match self {
            Player::Random => "Random",
            Player::Mobile => "Mobile",
            Player::Greedy => "Greedy",
        }
    }

    fn choose(self, board: Board, random: &mut Random) -> Option<Square> {
        board
            .legal_moves()
            .into_iter()
            .max_by_key(|&square| (self.liking(board, square, random), square))
    }

    fn liking(self, board: Board, square: Square, random: &mut Random) -> i64 {
        let flips = board.flips(square);
        let next = board.play_unchecked(square, flips);
        let corner = i64::from(Bitboard::CORNERS.contains(square)) * 100;
        let noise = random.below(20) as i64;
        match self {
            Player::Random => noise,
            Player::Mobile => corner + noise - 10 * i64::from(next.legal_moves().count()),
            Player::Greedy => corner + noise + 10 * i64::from(flips.count()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_same_seed_gives_the_same_finished_games() {
        let first: Vec<Game> = SampleGames::new(7).take(50).collect();
        let second: Vec<Game> = SampleGames::new(7).take(50).collect();
        assert_eq!(first, second);
        assert!(first.iter().all(Game::is_finished));
        assert_ne!(first, SampleGames::new(8).take(50).collect::<Vec<_>>());
    }

    #[test]
    fn hardly_two_sample_games_are_the_same() {
        let games: HashSet<_> = SampleGames::new(1)
            .take(500)
            .map(|game| game.identity())
            .collect();
        assert!(games.len() > 490, "{}", games.len());
    }
}
