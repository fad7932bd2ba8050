//! Games of the engine against itself: something to build a book from when there are no others.

use crate::book::Openings;
use crate::games::{Details, Game, Moves, Name};
use crate::othello::{Position, Random, Square};
use crate::search::{Limits, Searcher, StopButton};

/// How the games are played.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay {
    pub seed: u64,
    /// Playing strength, as in [`Limits::level`].
    pub level: u32,
    /// So many moves, at the beginning or after a named opening, need not be the best: one line
    /// over and over is no collection.
    pub varied_plies: usize,
    /// What such a move may give away, in hundredths of a disc.
    pub randomness: u32,
}

/// Moves that are compared where the best need not be played.
const CANDIDATES: usize = 5;

impl SelfPlay {
    /// A table that is cleared in no time, and large enough for a game.
    pub const TABLE_BYTES: usize = 4 << 20;

    /// The game of this number. It depends on nothing else, in particular not on threads and on
    /// games before it. None if it was stopped, or if a search gave an illegal move, which it does not.
    pub fn game(&self, searcher: &Searcher, number: u64, stop: &StopButton) -> Option<Game> {
        searcher.clear();
        let mut random = Random::stream(self.seed, number);
        let mut position = Position::START;
        let mut moves = Moves::new();
        let mut play = |position: &mut Position, square| -> Option<()> {
            *position = position.play(square).ok()?;
            moves.push(square).ok()
        };
        // Every other game begins with what people call by a name, and has its variety after it.
        let named = Openings::shipped().all();
        if number % 2 == 1
            && let Some(opening) = named.get(random.below(named.len() as u64) as usize)
        {
            for square in &opening.moves {
                play(&mut position, *square)?;
            }
        }
        let mut plies = 0;
        while !position.board.legal_moves().is_empty() {
            let square = if plies < self.varied_plies {
                self.varied_move(searcher, position, &mut random, stop)
            } else {
                let limits = Limits::level(self.level, position.board.empty_count());
                searcher
                    .search_with(position.board, &limits, stop, &mut |_| {})
                    .best
            };
            if stop.is_pressed() {
                return None;
            }
            play(&mut position, square?)?;
            plies += 1;
        }
        let player = Name::tidy(&format!("Emilia level {}", self.level));
        let details = Details {
            black: player.clone(),
            white: player,
            event: Name::tidy("Emilia against itself"),
            ..Details::default()
        };
        Game::new(Position::START, moves, details).ok()
    }

    /// One of the moves that give away little, those that give away less more often.
    fn varied_move(
        &self,
        searcher: &Searcher,
        position: Position,
        random: &mut Random,
        stop: &StopButton,
    ) -> Option<Square> {
        let limits = Limits {
            multi_pv: CANDIDATES,
            ..Limits::level(self.level, position.board.empty_count())
        };
        let result = searcher.search_with(position.board, &limits, stop, &mut |_| {});
        let best = result.moves.iter().map(|found| found.value).max();
        let weigh = |value: i32| -> u64 {
            let lost = best.map_or(0, |best| best.abs_diff(value));
            match self.randomness.checked_sub(lost) {
                // The very last to be allowed is played now and then, too.
                Some(left) => u64::from(left) + u64::from(self.randomness / 8) + 1,
                None => 0,
            }
        };
        let all: u64 = result.moves.iter().map(|found| weigh(found.value)).sum();
        let mut draw = random.below(all);
        for found in &result.moves {
            let weight = weigh(found.value);
            if draw < weight {
                return Some(found.square);
            }
            draw -= weight;
        }
        result.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_game_depends_on_its_number_alone_and_is_played_to_the_end() {
        let play = SelfPlay {
            seed: 5,
            level: 2,
            varied_plies: 12,
            randomness: 300,
        };
        let searcher = Searcher::new(SelfPlay::TABLE_BYTES);
        let games: Vec<Game> = (0..12)
            .map(|number| play.game(&searcher, number, &StopButton::new()).unwrap())
            .collect();
        assert!(games.iter().all(Game::is_finished));
        let different: HashSet<_> = games.iter().map(Game::identity).collect();
        assert!(different.len() >= 11, "{}", different.len());
        for number in [11, 3, 0] {
            let again = play.game(&searcher, number, &StopButton::new()).unwrap();
            assert_eq!(again, games[number as usize]);
        }
        // Every other one goes through an opening of the list.
        for game in games.iter().skip(1).step_by(2) {
            assert!(Openings::shipped().of_moves(game.moves()).is_some());
        }
    }
}
