//! Positions from WTHOR game collections, with labels that need no search.
//!
//! Each game carries the exact score at 24 empty squares. That is the label there and, weaker,
//! before; afterwards the label moves from it to the final score as the game goes on.

use super::record::{DataError, Record, ShardWriter, Source};
use crate::othello::{Color, Position, Square};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

const HEADER: usize = 16;
const GAME: usize = 68;

/// Empty squares where the collection's theoretical scores are exact.
pub const SOLVED_AT: u32 = 24;

/// A game of a collection as its positions, first to last.
pub struct PlayedGame {
    pub positions: Vec<Position>,
    /// Black's score with best play from [`SOLVED_AT`] empty squares on.
    pub theoretical: i32,
    /// Black's score in the end.
    pub outcome: i32,
}

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
        return Err(DataError::Empty(directory.to_owned()));
    }
    Ok(files)
}

/// The games of a file. A game with an illegal move is left out: collections have a few.
pub fn games(path: &Path) -> Result<impl Iterator<Item = PlayedGame>, DataError> {
    let bytes = std::fs::read(path).map_err(DataError::io("read", path))?;
    let count = bytes.len().saturating_sub(HEADER) / GAME;
    Ok((0..count).filter_map(move |number| game(&bytes[HEADER + number * GAME..][..GAME])))
}

fn game(bytes: &[u8]) -> Option<PlayedGame> {
    let mut position = Position::START;
    let mut positions = vec![position];
    for &code in bytes[8..].iter().take_while(|&&code| code != 0) {
        let (row, column) = ((code / 10).checked_sub(1)?, (code % 10).checked_sub(1)?);
        if row > 7 || column > 7 {
            return None;
        }
        position = position.play(Square::at(column, row)).ok()?;
        positions.push(position);
    }
    let black = |discs: u8| i32::from(discs) * 2 - 64;
    Some(PlayedGame {
        positions,
        theoretical: black(bytes[7]),
        outcome: black(bytes[6]),
    })
}

impl PlayedGame {
    /// Where the mover has a choice, with the mover's view of Black's score `label`.
    fn records(&self, min_empties: u32) -> impl Iterator<Item = Record> {
        self.positions.iter().filter_map(move |position| {
            let board = position.board;
            let empties = board.empty_count();
            if empties < min_empties || board.legal_moves().is_empty() {
                return None;
            }
            let sign = if position.turn == Color::Black { 1 } else { -1 };
            let (from, to) = (self.theoretical, self.outcome);
            let (label, source, weight) = match empties {
                SOLVED_AT => (100 * from, Source::Exact, 256),
                0..SOLVED_AT => {
                    let gone = (SOLVED_AT - empties) as i32;
                    let label = 100 * from + 100 * (to - from) * gone / SOLVED_AT as i32;
                    (label, Source::Outcome, 64)
                }
                _ => (100 * from, Source::Outcome, 128),
            };
            Some(Record {
                board,
                label: (sign * label).clamp(-6400, 6400) as i16,
                source,
                depth: empties as u8,
                weight,
            })
        })
    }
}

/// Writes the positions of a file's games with at least `min_empties` empty squares to a shard.
pub fn import(file: &Path, shard: &Path, min_empties: u32) -> Result<u64, DataError> {
    let mut writer = ShardWriter::create(shard)?;
    let mut count = 0;
    for game in games(file)? {
        for record in game.records(min_empties) {
            writer.write(&record)?;
            count += 1;
        }
    }
    writer.finish()?;
    Ok(count)
}
