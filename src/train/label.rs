//! What a position is worth, by search: exact near the end, to a fixed depth before.

use super::record::{Record, Source};
use crate::othello::Board;
use crate::search::{Goal, Limits, SearchResult, Searcher, Selectivity};

/// A table this small is cleared in no time, and large enough for what labels need.
pub const TABLE_BYTES: usize = 512 << 10;

/// How deep to look for a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depths {
    /// Plies searched while the end of the game is out of reach.
    pub plies: u32,
    /// From this many empty squares on, searches reach the end, with selective cuts; no more than
    /// `solve_from` means none do.
    pub reach_from: u32,
    /// From this many empty squares on, positions are solved.
    pub solve_from: u32,
}

/// How sure the cuts of a search that reaches the end are: at 20 empty squares it costs a third of
/// an exact solution and is off by a disc.
const REACH_SELECTIVITY: Selectivity = Selectivity::P82;

impl Depths {
    /// The result of a search with nothing left in the table from others, so that it depends on
    /// the position alone.
    pub fn search(self, searcher: &Searcher, board: Board) -> SearchResult {
        searcher.clear();
        self.continued(searcher, board)
    }

    /// The same within a game: its earlier searches may help.
    pub fn continued(self, searcher: &Searcher, board: Board) -> SearchResult {
        let empties = board.empty_count();
        let limits = if empties <= self.solve_from {
            Limits::solve()
        } else if empties <= self.reach_from {
            Limits::new(Goal::Depth {
                plies: empties,
                selectivity: REACH_SELECTIVITY,
            })
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
            depth: if board.empty_count() <= self.solve_from.max(self.reach_from) {
                board.empty_count() as u8
            } else {
                self.plies as u8
            },
            weight: 256,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Position, Random};

    #[test]
    fn a_record_tells_how_far_its_label_saw() {
        let depths = Depths {
            plies: 2,
            reach_from: 12,
            solve_from: 9,
        };
        let searcher = Searcher::new(TABLE_BYTES);
        let mut random = Random::new(5);
        let mut position = Position::START;
        let mut seen = [0; 3];
        while let Some(square) = random.square(position.board.legal_moves()) {
            let (board, empties) = (position.board, position.board.empty_count());
            let record = depths.record(board, &depths.search(&searcher, board));
            let (kind, source, depth) = match empties {
                ..=9 => (0, Source::Exact, empties),
                10..=12 => (1, Source::Search, empties),
                _ => (2, Source::Search, 2),
            };
            assert_eq!((record.source, record.depth), (source, depth as u8));
            assert_eq!(record.reaches_the_end(), kind < 2, "{empties} empties");
            // A score is a whole number of discs, and an even one.
            assert!(kind == 2 || record.label % 200 == 0, "{empties} empties");
            seen[kind] += 1;
            position = position.play(square).unwrap();
        }
        assert!(seen.iter().all(|&count| count >= 3), "{seen:?}");
    }
}
