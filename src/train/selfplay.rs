//! Games the engine plays against itself, every position with the value its search gave, or with
//! what the game came to.
//!
//! A game begins with random moves, or beside a game that people played, so that the evaluation
//! also learns what good players avoid.

use super::label::Depths;
use super::record::{DataError, Record, ShardWriter, Source};
use super::starts::Starts;
use crate::othello::{Color, Position, Random};
use crate::search::Searcher;
use std::path::Path;

/// How the games are played.
#[derive(Clone, Copy)]
pub struct SelfPlay<'a> {
    pub seed: u64,
    pub games_per_shard: u32,
    pub depths: Depths,
    /// Where games begin.
    pub opening: Opening<'a>,
    /// One later move in so many is random; 0 for none.
    pub surprise: u32,
    pub labels: Labels,
}

/// How a game begins, by the fewest and the most moves that it has then.
#[derive(Clone, Copy)]
pub enum Opening<'a> {
    Random(u32, u32),
    Drawn(&'a Starts, u32, u32),
}

/// What the positions of a game are labelled with before they are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labels {
    /// The value of the search that chose the move. The game is played to its end.
    Search,
    /// What the game came to, mixed with so many per cent of that value. A search errs where its
    /// weights do, the same way each time; the mistakes of both sides that come after a position
    /// are different ones each time. The game is played until a position is solved: those after it
    /// would say the same once more.
    Outcome { search: i32 },
    /// So many per cent of the label of the position after it, and its own search for the rest; the
    /// last label is what the game came to. The mistakes of both sides make what a long game came to
    /// a poor witness of how it began, and a search knows least far from the end: what all searches
    /// on the way say together is better than either.
    Onward { percent: i32 },
}

/// How much what a game came to counts beside an exact score, in 1/256.
const OUTCOME_WEIGHT: u16 = 128;

impl SelfPlay<'_> {
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
        // What came before a random move has nothing to do with what comes after it.
        let mut last_surprise = 0;
        let Some(mut position) = self.begin(random) else {
            return records;
        };
        while !position.board.legal_moves().is_empty() {
            let Position { board, turn } = position;
            let result = self.depths.continued(searcher, board);
            let record = self.depths.record(board, &result);
            let is_solved = record.source == Source::Exact;
            records.push(record);
            turns.push(turn);
            if is_solved && self.labels != Labels::Search {
                break;
            }
            let mut choice = result.best;
            if self.surprise > 0 && random.below(u64::from(self.surprise)) == 0 {
                choice = None;
                last_surprise = records.len();
            }
            let square = choice.or_else(|| random.square(board.legal_moves()));
            let Some(Ok(next)) = square.map(|square| position.play(square)) else {
                break;
            };
            position = next;
        }
        if self.labels != Labels::Search {
            records.drain(..last_surprise);
            turns.drain(..last_surprise);
            label_by_what_came(&mut records, &turns, position, self.labels);
        }
        records
    }

    fn begin(&self, random: &mut Random) -> Option<Position> {
        match self.opening {
            Opening::Drawn(starts, fewest, most) => starts.draw(fewest..=most, random),
            Opening::Random(fewest, most) => {
                let range = u64::from(most.saturating_sub(fewest)) + 1;
                let plies = fewest + random.below(range) as u32;
                let mut position = Position::START;
                for _ in 0..plies {
                    let square = random.square(position.board.legal_moves());
                    let Some(Ok(next)) = square.map(|square| position.play(square)) else {
                        break;
                    };
                    position = next;
                }
                Some(position)
            }
        }
    }
}

/// Positions before the solved one at the end of a game are labelled by its value, and those of a game
/// that ended before by its result, seen by who is to move there and mixed with what searches said.
fn label_by_what_came(records: &mut [Record], turns: &[Color], end: Position, labels: Labels) {
    let solved = records.last().filter(|last| last.source == Source::Exact);
    let (outcome, turn) = match (solved, turns.last()) {
        (Some(last), Some(turn)) => (i32::from(last.label), *turn),
        _ => (100 * end.board.final_score().discs(), end.turn),
    };
    // From the end backwards: what is known after a position, and who sees it so.
    let (mut after, mut seen_by) = (outcome, turn);
    let open = records.iter_mut().zip(turns).rev();
    for (record, &own) in open.filter(|(record, _)| record.source != Source::Exact) {
        after = if own == seen_by { after } else { -after };
        seen_by = own;
        let (share, kept) = match labels {
            Labels::Outcome { search } => (search, after),
            Labels::Onward { percent } => (100 - percent, after),
            Labels::Search => (100, after),
        };
        let mixed = ((100 - share) * kept + share * i32::from(record.label)) / 100;
        record.label = mixed as i16;
        record.source = Source::Outcome;
        record.weight = OUTCOME_WEIGHT;
        if let Labels::Onward { .. } = labels {
            after = mixed;
        }
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

    fn labels(records: &[Record]) -> Vec<i16> {
        records.iter().map(|record| record.label).collect()
    }

    #[test]
    fn positions_before_the_solved_one_get_its_value_seen_by_who_is_to_move() {
        let searched = [7, 8, 9].map(|value| record(value, Source::Search));
        let game = [searched.as_slice(), &[record(1200, Source::Exact)]].concat();
        // The second player passed after the second move.
        let turns = [Black, White, Black, Black];
        let mut pure = game.clone();
        label_by_what_came(
            &mut pure,
            &turns,
            Position::START,
            Labels::Outcome { search: 0 },
        );
        assert_eq!(labels(&pure), [1200, -1200, 1200, 1200]);
        assert_eq!(pure[2].source, Source::Outcome);
        assert_eq!(pure[3].source, Source::Exact);
        let mut mixed = game.clone();
        let half = Labels::Outcome { search: 50 };
        label_by_what_came(&mut mixed, &turns, Position::START, half);
        assert_eq!(labels(&mixed), [603, -596, 604, 1200]);
        // 1200 · 0.9 + 9 · 0.1; then −1080 · 0.9 + 8 · 0.1; then 971 · 0.9 + 7 · 0.1.
        let mut onward = game;
        let most = Labels::Onward { percent: 90 };
        label_by_what_came(&mut onward, &turns, Position::START, most);
        assert_eq!(labels(&onward), [874, -971, 1080, 1200]);
    }

    #[test]
    fn a_game_that_ends_unsolved_came_to_its_result() {
        let mut records = vec![record(7, Source::Search), record(8, Source::Search)];
        // White wins everything with Black to move.
        let end = Position {
            board: Board::new(crate::othello::Bitboard(0), crate::othello::Bitboard(7)).unwrap(),
            turn: Black,
        };
        label_by_what_came(
            &mut records,
            &[Black, White],
            end,
            Labels::Outcome { search: 0 },
        );
        assert_eq!(labels(&records), [-6400, 6400]);
    }

    #[test]
    fn a_random_move_takes_the_outcome_away_from_what_came_before_it() {
        let play = SelfPlay {
            seed: 5,
            games_per_shard: 1,
            depths: Depths {
                plies: 1,
                reach_from: 0,
                solve_from: 8,
            },
            opening: Opening::Random(4, 4),
            surprise: 10,
            labels: Labels::Outcome { search: 0 },
        };
        let searcher = Searcher::new(super::super::label::TABLE_BYTES);
        let lengths: Vec<usize> = (0..40)
            .map(|game| play.game(&searcher, &mut Random::stream(5, game)).len())
            .collect();
        let plain = SelfPlay {
            surprise: 0,
            ..play
        };
        let whole = plain.game(&searcher, &mut Random::new(1));
        // 4 random plies, then 48 searched ones before the solved one with 8 empty squares.
        assert_eq!(whole.len(), 49);
        assert!(lengths.iter().all(|length| *length <= 49));
        assert!(lengths.iter().filter(|length| **length < 30).count() > 20);
        let outcome = whole.last().unwrap().label.abs();
        assert!(whole.iter().all(|record| record.label.abs() == outcome));
    }
}
