//! Where the games of self-play begin: positions that people reached, and others that nobody
//! would.

use super::endings::strayed;
use super::record::DataError;
use crate::games;
use crate::othello::{Position, Random, Square};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The most random moves after a position of a game.
const STRAYS: u64 = 3;

/// The games of collections, to begin in the middle of.
#[derive(Default)]
pub struct Starts {
    games: Vec<Vec<Square>>,
}

impl Starts {
    /// Of all legal games of the files that begin at the start position.
    pub fn read(files: &[PathBuf]) -> Result<Starts, DataError> {
        let mut starts = Starts::default();
        for file in files {
            let mut reader = games::open(file)?;
            while let Some(batch) = reader.next_batch() {
                for game in batch.iter().flatten() {
                    if game.start() == Position::START {
                        starts.games.push(game.moves().to_vec());
                    }
                }
            }
        }
        Ok(starts)
    }

    /// A position after some plies, by lot: every other one from a game and up to three random
    /// moves beside it, the others after nothing but random moves. None if the game is over by
    /// then.
    pub fn draw(&self, plies: RangeInclusive<u32>, random: &mut Random) -> Option<Position> {
        let range = u64::from(plies.end() - plies.start()) + 1;
        let plies = plies.start() + random.below(range) as u32;
        if self.games.is_empty() || random.below(2) == 0 {
            return strayed(Position::START, plies, random);
        }
        let game = &self.games[random.below(self.games.len() as u64) as usize];
        let strays = (random.below(STRAYS + 1) as u32).min(plies);
        let position = after(game.get(..(plies - strays) as usize)?)?;
        strayed(position, strays, random)
    }

    /// A position of a game after some plies, both by lot; none where the game was over by then.
    pub fn reached(&self, plies: RangeInclusive<u32>, random: &mut Random) -> Option<Position> {
        let range = u64::from(plies.end() - plies.start()) + 1;
        let plies = plies.start() + random.below(range) as u32;
        let game = random.below(self.games.len() as u64) as usize;
        after(self.games.get(game)?.get(..plies as usize)?)
    }
}

/// The position after these moves.
fn after(moves: &[Square]) -> Option<Position> {
    let mut position = Position::START;
    for square in moves {
        position = position.play(*square).ok()?;
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn one_start_in_eight_is_a_position_of_a_game_and_all_are_as_far_as_they_should() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games/sample.wtb");
        let starts = Starts::read(&[file]).unwrap();
        assert!(starts.games.len() > 50);
        let mut random = Random::new(1);
        let drawn: Vec<Position> = (0..400)
            .filter_map(|_| starts.draw(10..=12, &mut random))
            .collect();
        assert!(drawn.len() > 350);
        // A pass is no move, so that the discs tell the plies.
        let plies = |position: &Position| position.board.disc_count() - 4;
        assert!(drawn.iter().all(|one| (10..=12).contains(&plies(one))));
        // Half of them are from games, and a quarter of those without a stray move.
        let mut known = std::collections::HashSet::new();
        for game in &starts.games {
            let mut position = Position::START;
            for square in &game[..12] {
                position = position.play(*square).unwrap();
                known.insert(position);
            }
        }
        let from_games = drawn.iter().filter(|one| known.contains(one)).count();
        assert!((25..=90).contains(&from_games), "{from_games}");
        assert!(Starts::default().draw(5..=5, &mut random).is_some());
    }
}
