//! Positions from game collections, with labels that need no search.
//!
//! A WTHOR game carries the exact score at 24 empty squares. That is the label there and, weaker,
//! before; afterwards the label moves from it to the final score as the game goes on. A game
//! without such a score has its result for a label.

use super::record::{DataError, Record, ShardWriter, Source};
use crate::games::{self, Game};
use crate::othello::{Color, Position};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Empty squares where WTHOR's theoretical scores are exact.
pub const SOLVED_AT: u32 = 24;

/// The files `WTH_<year>.wtb` of a directory for these years, in order.
pub fn year_files(directory: &Path, years: RangeInclusive<u32>) -> Result<Vec<PathBuf>, DataError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(DataError::io("read", directory))? {
        let path = entry.map_err(DataError::io("read", directory))?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        let year = name
            .strip_prefix("WTH_")
            .and_then(|rest| rest.strip_suffix(".WTB"))
            .and_then(|year| year.parse::<u32>().ok());
        if year.is_some_and(|year| years.contains(&year)) {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(DataError::NoCollection(directory.to_owned()));
    }
    Ok(files)
}

/// How the shards of a collection's file are called.
pub fn year_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

/// The records of a game's positions.
fn records(game: &Game) -> Vec<Record> {
    let Some(outcome) = game.result().map(|score| score.discs()) else {
        return Vec::new();
    };
    let theory = game.details().theory;
    let (from, solved_at) = theory.map_or((outcome, 0), |theory| {
        (theory.score.discs(), u32::from(theory.empties))
    });
    let mut records = Vec::with_capacity(game.moves().len());
    let mut position: Position = game.start();
    for &square in game.moves() {
        let empties = position.board.empty_count();
        let black = if empties >= solved_at {
            100 * from
        } else {
            let gone = (solved_at - empties) as i32;
            100 * from + 100 * (outcome - from) * gone / solved_at as i32
        };
        let own = if position.turn == Color::Black {
            black
        } else {
            -black
        };
        let exact = theory.is_some() && empties == solved_at;
        records.push(Record {
            board: position.board,
            label: own.clamp(-6400, 6400) as i16,
            source: if exact {
                Source::Exact
            } else {
                Source::Outcome
            },
            depth: empties as u8,
            weight: weight(empties.abs_diff(solved_at)),
        });
        // A game's moves are legal.
        match position.play(square) {
            Ok(next) => position = next,
            Err(_) => break,
        }
    }
    records
}

/// How much a label counts that was true some plies away, in 1/256: the variance of what even good
/// weights miss is about 49 squared discs, and every ply of human play adds about 15.
fn weight(plies_away: u32) -> u16 {
    (256 * 49 / (49 + 15 * plies_away)) as u16
}

/// Writes positions of a collection to a shard, those that are wanted. Games that are not legal
/// are left out: collections have a few.
pub fn import(
    file: &Path,
    shard: &Path,
    is_wanted: impl Fn(&Record) -> bool,
) -> Result<u64, DataError> {
    let mut reader = games::open(file)?;
    let mut writer = ShardWriter::create(shard)?;
    let mut count = 0;
    while let Some(batch) = reader.next_batch() {
        for game in batch.iter().flatten() {
            for record in records(game).into_iter().filter(&is_wanted) {
                writer.write(&record)?;
                count += 1;
            }
        }
    }
    writer.finish()?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Details, Moves, Theory};
    use crate::othello::Score;

    #[test]
    fn labels_start_from_the_exact_score_and_end_at_the_result() {
        let mut moves = Moves::default();
        let mut position = Position::START;
        while let Some(square) = position.board.legal_moves().into_iter().next() {
            moves.push(square).unwrap();
            position = position.play(square).unwrap();
        }
        let theory = Theory {
            score: Score::clamped(10),
            empties: 24,
        };
        let details = Details {
            theory: Some(theory),
            ..Details::default()
        };
        let game = Game::new(Position::START, moves, details).unwrap();
        let records = records(&game);
        assert_eq!(records.len(), game.moves().len());
        let exact: Vec<_> = records
            .iter()
            .filter(|record| record.source == Source::Exact)
            .collect();
        assert_eq!(exact.len(), 1);
        assert_eq!(exact[0].board.empty_count(), 24);
        assert_eq!(exact[0].label.abs(), 1000);
        assert_eq!(records[0].label, 1000);
    }
}
