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

/// A lot in so many labels of each game is drawn in one go over the collection, so that half of a
/// run is a sample of the whole.
const PASSES: u32 = 8;

/// The most random moves by which a position leaves its game.
const STRAYS: u64 = 3;

/// How many endings are drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Endings {
    pub seed: u64,
    /// Labels of a game for each number of empty squares, in eighths: those of
    /// [`Endings::EMPTIES`] in order.
    pub rates: [u32; 13],
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
        }
    }

    /// The same, this many times as often.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Endings {
        Endings {
            rates: self
                .rates
                .map(|rate| (f64::from(rate) * factor).round() as u32),
            ..self
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
        let parts: Vec<(u32, &PathBuf)> = (0..PASSES)
            .flat_map(|pass| years.iter().map(move |year| (pass, year)))
            .collect();
        let paths: Vec<PathBuf> = parts
            .iter()
            .map(|(pass, year)| shard_path(directory, &year_name(year), *pass))
            .collect();
        make_missing(evaluator, threads, &paths, done, |searcher, i| {
            let (pass, year) = parts[i];
            self.shard(searcher, year, pass, &paths[i])
        })?;
        Ok(paths)
    }

    /// The number of shards that these collections come to.
    pub const fn shard_count(years: usize) -> usize {
        PASSES as usize * years
    }

    fn shard(
        &self,
        searcher: &Searcher,
        year: &Path,
        pass: u32,
        path: &Path,
    ) -> Result<u64, DataError> {
        let mut reader = games::open(year)?;
        let mut writer = ShardWriter::create(path)?;
        let of_year = Random::stream(self.seed, u64::from(year_number(year))).next();
        let (mut number, mut count) = (0, 0);
        while let Some(batch) = reader.next_batch() {
            for game in batch.iter().flatten() {
                let mut random =
                    Random::stream(of_year, number * u64::from(PASSES) + u64::from(pass));
                for position in self.drawn(game, &mut random) {
                    let record = solved(searcher, position);
                    writer.write(&record)?;
                    count += 1;
                }
                number += 1;
            }
        }
        writer.finish()?;
        Ok(count)
    }

    /// The positions of one pass over a game.
    fn drawn(&self, game: &Game, random: &mut Random) -> Vec<Position> {
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
            // One eighth of the rate in each of eight passes, whole and by lot.
            let lots = rate / (8 * PASSES)
                + u32::from(random.below(8 * u64::from(PASSES)) < u64::from(rate % (8 * PASSES)));
            for _ in 0..lots {
                let strays = random.below(STRAYS + 1) as u32;
                let from = by_empties[(empties + strays) as usize];
                if let Some(strayed) = from.and_then(|from| strayed(from, strays, random)) {
                    drawn.push(strayed);
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
