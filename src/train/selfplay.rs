//! Games the engine plays against itself, every position with the value its search gave, or with
//! what the game came to.
//!
//! A game begins with random moves, so that the evaluation also learns what good players avoid;
//! now and then a later move is random too, and from the position it leads to play goes on.

use super::label::Depths;
use super::record::{DataError, Record, ShardWriter, Source};
use crate::othello::{Color, Position, Random};
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
    pub labels: Labels,
}

/// What the positions of a game are labelled with before they are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labels {
    /// The value of the search that chose the move.
    Search,
    /// The value of the first position of the game that was solved. Weights that know nothing of
    /// a stage have nothing to tell by search: from the end of the game, search carries knowledge
    /// up by its own depth in each round, and this all the way at once.
    Outcome,
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
        let mut turns = Vec::with_capacity(60);
        let mut position = Position::START;
        let (fewest, most) = self.random_plies;
        let opening = fewest + random.below(u64::from(most.saturating_sub(fewest)) + 1) as u32;
        let mut ply = 0;
        while !position.board.legal_moves().is_empty() {
            let Position { board, turn } = position;
            let mut choice = None;
            if ply >= opening {
                let result = self.depths.continued(searcher, board);
                records.push(self.depths.record(board, &result));
                turns.push(turn);
                choice = result.best;
                if self.surprise > 0 && random.below(u64::from(self.surprise)) == 0 {
                    choice = None;
                }
            }
            let square = choice.or_else(|| random.square(board.legal_moves()));
            let Some(Ok(next)) = square.map(|square| position.play(square)) else {
                break;
            };
            position = next;
            ply += 1;
        }
        if self.labels == Labels::Outcome {
            label_by_outcome(&mut records, &turns);
        }
        records
    }
}

/// Positions before the first solved one get its value, seen by who is to move there. A game that
/// ended before has nothing to tell.
fn label_by_outcome(records: &mut Vec<Record>, turns: &[Color]) {
    let is_solved = |record: &Record| record.source == Source::Exact;
    let Some(solved) = records.iter().position(is_solved) else {
        records.clear();
        return;
    };
    let (label, turn) = (records[solved].label, turns[solved]);
    for (record, &own) in records[..solved].iter_mut().zip(turns) {
        record.label = if own == turn { label } else { -label };
        record.source = Source::Outcome;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Board;
    use crate::othello::Color::{Black, White};

    fn record(label: i16, source: Source) -> Record {
        Record {
            board: Board::START,
            label,
            source,
            depth: 1,
            weight: 256,
        }
    }

    #[test]
    fn positions_before_the_first_solved_one_get_its_value_seen_by_who_is_to_move() {
        let mut records = vec![
            record(7, Source::Search),
            record(8, Source::Search),
            record(9, Source::Search),
            record(1200, Source::Exact),
            record(-1400, Source::Exact),
        ];
        // The second player passed after the second move.
        label_by_outcome(&mut records, &[Black, White, Black, Black, White]);
        let labels: Vec<i16> = records.iter().map(|record| record.label).collect();
        assert_eq!(labels, [1200, -1200, 1200, 1200, -1400]);
        assert_eq!(records[2].source, Source::Outcome);
        assert_eq!(records[3].source, Source::Exact);

        let mut unsolved = vec![record(7, Source::Search)];
        label_by_outcome(&mut unsolved, &[Black]);
        assert!(unsolved.is_empty());
    }
}
