//! What a position is worth, by search: exact near the end, to a fixed depth before.

use super::record::{DataError, Record, ShardReader, ShardWriter, Source};
use crate::othello::Board;
use crate::search::{Goal, Limits, SearchResult, Searcher, Selectivity};
use std::path::Path;

/// A table this small is cleared in no time, and large enough for what labels need.
pub const TABLE_BYTES: usize = 2 << 20;

/// How deep to look for a label.
#[derive(Clone, Copy, Debug)]
pub struct Depths {
    /// Plies searched while more squares are empty than `solve_from`.
    pub plies: u32,
    /// From this many empty squares on, positions are solved.
    pub solve_from: u32,
}

impl Depths {
    /// The result of a search with nothing left in the table from others, so that it depends on
    /// the position alone.
    pub fn search(self, searcher: &Searcher, board: Board) -> SearchResult {
        searcher.clear();
        self.continued(searcher, board)
    }

    /// The same within a game: its earlier searches may help.
    pub fn continued(self, searcher: &Searcher, board: Board) -> SearchResult {
        let limits = if board.empty_count() <= self.solve_from {
            Limits::solve()
        } else {
            // An even depth alone leans to the opponent's side, by 0.6 discs in the labels of the
            // second round.
            Limits {
                average: true,
                ..Limits::new(Goal::Depth {
                    plies: self.plies,
                    selectivity: Selectivity::P96,
                })
            }
        };
        searcher.search(board, &limits)
    }

    /// A record of the board and what a search said of it.
    pub fn record(self, board: Board, result: &SearchResult) -> Record {
        let solved = board.empty_count() <= self.solve_from;
        Record {
            board,
            label: result.value.clamp(-6400, 6400) as i16,
            source: if solved {
                Source::Exact
            } else {
                Source::Search
            },
            depth: if solved {
                board.empty_count() as u8
            } else {
                self.plies as u8
            },
            weight: 256,
        }
    }
}

/// Which records of a shard get a label.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub min_empties: u32,
    pub max_empties: u32,
    /// One in so many.
    pub every: u64,
}

/// Writes a shard with new labels for the chosen records of another.
pub fn label(
    searcher: &Searcher,
    from: &Path,
    to: &Path,
    depths: Depths,
    choice: Choice,
) -> Result<u64, DataError> {
    let mut writer = ShardWriter::create(to)?;
    let (mut seen, mut count) = (0, 0);
    for record in ShardReader::open(from)? {
        let board = record?.board;
        let empties = board.empty_count();
        if !(choice.min_empties..=choice.max_empties).contains(&empties) {
            continue;
        }
        seen += 1;
        // A step that shares no factor with the plies of a game reaches all of them in turn.
        if seen % choice.every.max(1) != 0 {
            continue;
        }
        let result = depths.search(searcher, board);
        writer.write(&depths.record(board, &result))?;
        count += 1;
    }
    writer.finish()?;
    Ok(count)
}
