//! Exact scores of endings, in millions: labels that no weights can lean.
//!
//! They begin from positions of game collections. A search looks at what good players avoid, so
//! most of them are left by one to three random moves first. What is chosen is drawn by lot from
//! the seed, the file and the game's number: no stride through a collection that could meet one
//! parity of plies only.

use super::import::year_name;
use super::label::Depths;
use super::record::{DataError, Record, ShardWriter, shard_path};
use super::work::make_missing;
use crate::eval::Evaluator;
use crate::games::{self, Game};
use crate::othello::{Position, Random};
use crate::search::Searcher;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// What is drawn from a game is drawn in parts, so that some of the parts are a sample of the
/// whole.
const PARTS: u32 = 8;

/// The most random moves by which a position leaves its game.
const STRAYS: u64 = 3;

/// How much a position counts that is so many random moves beside its game, in 1/256. A random move
/// is a bad one as a rule, so that an odd number of them favours who is to move: as heavy as the
/// others, they would teach hope.
const WEIGHTS: [u16; STRAYS as usize + 1] = [256, 96, 128, 64];

/// Which endings are drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Endings {
    pub seed: u64,
    /// How many are drawn of 64 games in each part, for each number of empty squares of
    /// [`Endings::EMPTIES`] in order.
    pub rates: [u32; 13],
    /// Which parts are made.
    pub parts: &'static [u32],
}

impl Endings {
    /// Shorter endings are left out: a search solves them and hardly ever asks the evaluation.
    /// Longer ones take too long to solve in numbers.
    pub const EMPTIES: RangeInclusive<u32> = 8..=20;

    /// What a thorough training takes.
    pub const fn standard(seed: u64) -> Endings {
        Endings {
            seed,
            rates: [16, 16, 16, 20, 24, 28, 48, 48, 40, 14, 9, 4, 3],
            // Two threads begin with the first and the fifth: what they had made in an hour.
            parts: &[0, 1, 4, 5],
        }
    }

    /// Makes the shards that are missing, and gives all of them. The evaluator only guides the
    /// solver.
    pub fn make(
        &self,
        evaluator: &'static Evaluator,
        years: &[PathBuf],
        directory: &Path,
        threads: usize,
        done: impl Fn() + Sync,
    ) -> Result<Vec<PathBuf>, DataError> {
        let parts: Vec<(u32, &PathBuf)> = self
            .parts
            .iter()
            .flat_map(|part| years.iter().map(move |year| (*part, year)))
            .collect();
        let paths: Vec<PathBuf> = parts
            .iter()
            .map(|(part, year)| shard_path(directory, &year_name(year), *part))
            .collect();
        make_missing(evaluator, threads, &paths, done, |searcher, i| {
            let (part, year) = parts[i];
            self.shard(searcher, year, part, &paths[i])
        })?;
        Ok(paths)
    }

    /// The number of shards that these collections come to.
    pub const fn shard_count(&self, years: usize) -> usize {
        self.parts.len() * years
    }

    fn shard(
        &self,
        searcher: &Searcher,
        year: &Path,
        part: u32,
        path: &Path,
    ) -> Result<u64, DataError> {
        let mut reader = games::open(year)?;
        let mut writer = ShardWriter::create(path)?;
        let of_year = Random::stream(self.seed, u64::from(year_number(year))).next();
        let (mut number, mut count) = (0, 0);
        while let Some(batch) = reader.next_batch() {
            for game in batch.iter().flatten() {
                let mut random =
                    Random::stream(of_year, number * u64::from(PARTS) + u64::from(part));
                for (position, strays) in self.drawn(game, &mut random) {
                    let record = Record {
                        weight: WEIGHTS[strays as usize],
                        ..solved(searcher, position)
                    };
                    writer.write(&record)?;
                    count += 1;
                }
                number += 1;
            }
        }
        writer.finish()?;
        Ok(count)
    }

    /// The positions of one part of a game, each with the number of random moves before it.
    fn drawn(&self, game: &Game, random: &mut Random) -> Vec<(Position, u32)> {
        let mut by_empties: [Option<Position>; 65] = [None; 65];
        let mut position = game.start();
        for &square in game.moves() {
            by_empties[position.board.empty_count() as usize] = Some(position);
            // A game's moves are legal.
            match position.play(square) {
                Ok(next) => position = next,
                Err(_) => break,
            }
        }
        let mut drawn = Vec::new();
        for (empties, &rate) in Endings::EMPTIES.zip(&self.rates) {
            let lots = rate / 64 + u32::from(random.below(64) < u64::from(rate % 64));
            for _ in 0..lots {
                let strays = random.below(STRAYS + 1) as u32;
                let from = by_empties[(empties + strays) as usize];
                if let Some(strayed) = from.and_then(|from| strayed(from, strays, random)) {
                    drawn.push((strayed, strays));
                }
            }
        }
        drawn
    }
}

/// The position some random moves later; none where the game is over then.
pub fn strayed(from: Position, plies: u32, random: &mut Random) -> Option<Position> {
    let mut position = from;
    for _ in 0..plies {
        let square = random.square(position.board.legal_moves())?;
        position = position.play(square).ok()?;
    }
    (!position.board.legal_moves().is_empty()).then_some(position)
}

fn solved(searcher: &Searcher, position: Position) -> Record {
    let depths = Depths {
        plies: 1,
        reach_from: 0,
        solve_from: *Endings::EMPTIES.end(),
    };
    depths.record(position.board, &depths.search(searcher, position.board))
}

/// The year in a file's name; 0 where there is none.
fn year_number(path: &Path) -> u32 {
    let name = year_name(path);
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;
    use crate::train::record::{ShardReader, Source};

    const SOME: Endings = Endings {
        seed: 3,
        rates: [64, 64, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        parts: &[0, 6],
    };

    #[test]
    fn as_many_are_drawn_as_the_rates_say_and_most_left_their_game() {
        let mut by_empties = [0; 65];
        let (mut played, mut strayed) = (0, 0);
        for (number, game) in SampleGames::new(1).take(400).enumerate() {
            let mut boards = Vec::new();
            game.for_each_board(|board| boards.push(board));
            for (drawn, _) in SOME.drawn(&game, &mut Random::stream(1, number as u64)) {
                by_empties[drawn.board.empty_count() as usize] += 1;
                let is_played = boards.contains(&drawn.board);
                played += u32::from(is_played);
                strayed += u32::from(!is_played);
            }
        }
        assert!((330..=400).contains(&by_empties[8]), "{by_empties:?}");
        assert!((330..=400).contains(&by_empties[9]), "{by_empties:?}");
        assert!((130..=230).contains(&by_empties[10]), "{by_empties:?}");
        assert_eq!(by_empties[8..=10].iter().sum::<u32>(), played + strayed);
        // One in four does not stray, and a few find back.
        assert!(strayed > played && played > strayed / 5);
    }

    #[test]
    fn the_shards_hold_exact_scores_and_are_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games/sample.wtb");
        let year = folder.path().join("WTH_1999.wtb");
        std::fs::copy(file, &year).unwrap();
        let make = || {
            let out = folder.path().join("endings");
            let builtin = Evaluator::builtin();
            SOME.make(builtin, std::slice::from_ref(&year), &out, 2, || {})
        };
        let paths = make().unwrap();
        assert_eq!(paths.len(), SOME.shard_count(1));
        let mut scores = 0;
        for path in &paths {
            for record in ShardReader::open(path).unwrap() {
                let record = record.unwrap();
                assert_eq!(record.source, Source::Exact);
                let searcher = Searcher::new(crate::train::label::TABLE_BYTES);
                let limits = crate::search::Limits::solve();
                let solved = searcher.search(record.board, &limits).value;
                assert_eq!(i32::from(record.label), solved);
                scores += 1;
            }
        }
        assert!(scores > 50, "{scores}");
        let bytes: Vec<Vec<u8>> = paths
            .iter()
            .map(|path| std::fs::read(path).unwrap())
            .collect();
        assert_ne!(bytes[0], bytes[1]);
        // A shard that is there stays as it is, whatever it holds.
        ShardWriter::create(&paths[0]).unwrap().finish().unwrap();
        std::fs::remove_file(&paths[1]).unwrap();
        make().unwrap();
        assert_eq!(ShardReader::open(&paths[0]).unwrap().count(), 0);
        assert_eq!(std::fs::read(&paths[1]).unwrap(), bytes[1]);
    }
}
