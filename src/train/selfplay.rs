//! Games the engine plays against itself, every position with the value its search gave.
//!
//! A game begins with random moves, so that the evaluation also learns what good players avoid;
//! now and then a later move is random too, and from the position it leads to play goes on.

use super::label::Depths;
use super::record::{DataError, Record, ShardWriter};
use crate::othello::{Board, Random};
use crate::search::Searcher;
use std::path::Path;

/// How the games are played.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay {
    pub seed: u64,
    pub games_per_shard: u32,
    pub depths: Depths,
    /// The fewest and the most random moves at the beginning.
    pub random_plies: (u32, u32),
    /// One later move in so many is random.
    pub surprise: u32,
}

impl SelfPlay {
    /// Plays the games of a shard and writes their positions.
    pub fn shard(&self, searcher: &Searcher, number: u32, path: &Path) -> Result<u64, DataError> {
        let mut writer = ShardWriter::create(path)?;
        let mut count = 0;
        for game in 0..self.games_per_shard {
            let stream = u64::from(number) << 32 | u64::from(game);
            for record in self.game(searcher, &mut Random::stream(self.seed, stream)) {
                writer.write(&record)?;
                count += 1;
            }
        }
        writer.finish()?;
        Ok(count)
    }

    fn game(&self, searcher: &Searcher, random: &mut Random) -> Vec<Record> {
        searcher.clear();
        let mut records = Vec::with_capacity(60);
        let mut board = Board::START;
        let (fewest, most) = self.random_plies;
        let opening = fewest + random.below(u64::from(most.saturating_sub(fewest)) + 1) as u32;
        let mut ply = 0;
        loop {
            if board.legal_moves().is_empty() {
                board = board.pass();
                if board.legal_moves().is_empty() {
                    return records;
                }
            }
            let mut choice = None;
            if ply >= opening {
                let result = self.depths.continued(searcher, board);
                records.push(self.depths.record(board, &result));
                choice = result.best;
                if self.surprise > 0 && random.below(u64::from(self.surprise)) == 0 {
                    choice = None;
                }
            }
            let square = choice.or_else(|| random.square(board.legal_moves()));
            let Some(Ok(next)) = square.map(|square| board.play(square)) else {
                return records;
            };
            board = next;
            ply += 1;
        }
    }
}
