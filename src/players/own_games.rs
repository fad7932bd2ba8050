//! Games of our own engine that players learn from: 10 to 20 random moves, then both sides look six
//! plies ahead, and play the last fourteen squares exactly.

use crate::games::{Details, Game, Moves};
use crate::othello::{Position, Random};
use crate::search::{Goal, Limits, Searcher, Selectivity};
use rayon::prelude::*;

const TABLE_BYTES: usize = 1 << 20;
const SOLVED_FROM: u32 = 14;
const PLIES: u32 = 6;
/// The fewest random moves of a game, and how many more there may be.
const RANDOM: (u64, u64) = (10, 10);

/// So many games; each depends on nothing but the seed and its number.
pub fn own_games(seed: u64, count: u64, done: impl Fn() + Sync) -> Vec<Game> {
    (0..count)
        .into_par_iter()
        .map_init(
            || Searcher::new(TABLE_BYTES),
            |searcher, number| {
                let game = game(searcher, &mut Random::stream(seed, number));
                done();
                game
            },
        )
        .flatten()
        .collect()
}

fn game(searcher: &Searcher, random: &mut Random) -> Option<Game> {
    searcher.clear();
    let mut position = Position::START;
    let mut moves = Moves::new();
    let free = RANDOM.0 + random.below(RANDOM.1 + 1);
    while !position.board.legal_moves().is_empty() {
        let square = if (moves.len() as u64) < free {
            random.square(position.board.legal_moves())
        } else {
            let limits = if position.board.empty_count() <= SOLVED_FROM {
                Limits::solve()
            } else {
                Limits::new(Goal::Depth {
                    plies: PLIES,
                    selectivity: Selectivity::P82,
                })
            };
            searcher.search(position.board, &limits).best
        };
        position = position.play(square?).ok()?;
        moves.push(square?).ok()?;
    }
    Game::new(Position::START, moves, Details::default()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_whole_and_the_same_from_a_seed() {
        let games = own_games(3, 4, || {});
        assert_eq!(games.len(), 4);
        assert_eq!(games, own_games(3, 4, || {}));
        assert_ne!(games, own_games(4, 4, || {}));
        for game in &games {
            let mut last = game.start();
            for &square in game.moves() {
                last = last.play(square).unwrap();
            }
            assert!(last.board.is_over());
        }
    }
}
