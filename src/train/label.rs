//! What a position is worth, by search: exact near the end, to a fixed depth before.

use super::record::{DataError, Record, ShardReader, ShardWriter, Source};
use crate::othello::{Board, Color, Position, Random};
use crate::search::{Goal, Limits, SearchResult, Searcher, Selectivity};
use std::path::Path;
use std::str::FromStr;

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

/// Which records of a shard get a label.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    pub min_empties: u32,
    pub max_empties: u32,
    /// One in so many. A number that shares no factor with that of the chosen plies of a game
    /// reaches all of them in turn.
    pub every: u64,
    pub strays: Strays,
}

/// How many of the chosen positions are first left by a random move: a search looks at what good
/// players avoid, so the evaluation has to know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strays {
    None,
    Half,
    All,
}

impl FromStr for Strays {
    type Err = String;

    fn from_str(name: &str) -> Result<Strays, String> {
        match name {
            "none" => Ok(Strays::None),
            "half" => Ok(Strays::Half),
            "all" => Ok(Strays::All),
            _ => Err(format!("'{name}' is no share: choose none, half or all")),
        }
    }
}

impl Strays {
    fn includes(self, number: u64) -> bool {
        match self {
            Strays::None => false,
            Strays::Half => number % 2 == 1,
            Strays::All => true,
        }
    }
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
        if seen % choice.every.max(1) != 0 {
            continue;
        }
        let board = if choice.strays.includes(count) {
            after_random_move(board, seen)
        } else {
            board
        };
        let result = depths.search(searcher, board);
        writer.write(&depths.record(board, &result))?;
        count += 1;
    }
    writer.finish()?;
    Ok(count)
}

/// The position after one of the moves, by lot; the same one if that ends the game.
fn after_random_move(board: Board, lot: u64) -> Board {
    let position = Position {
        board,
        turn: Color::Black,
    };
    let square = Random::stream(0, lot).square(board.legal_moves());
    let next = square.and_then(|square| position.play(square).ok());
    next.map(|next| next.board)
        .filter(|next| !next.is_over())
        .unwrap_or(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boards(path: &Path) -> Vec<Board> {
        let records = ShardReader::open(path).unwrap();
        records.map(|record| record.unwrap().board).collect()
    }

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

    #[test]
    fn the_chosen_share_of_positions_is_left_by_a_legal_move_and_the_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("from");
        let depths = Depths {
            plies: 1,
            reach_from: 0,
            solve_from: 4,
        };
        let searcher = Searcher::new(TABLE_BYTES);
        let mut writer = ShardWriter::create(&from).unwrap();
        let mut random = Random::new(1);
        let mut position = Position::START;
        while let Some(square) = random.square(position.board.legal_moves()) {
            let result = depths.search(&searcher, position.board);
            let record = depths.record(position.board, &result);
            writer.write(&record).unwrap();
            position = position.play(square).unwrap();
        }
        writer.finish().unwrap();
        let labelled = |name: &str| {
            let path = folder.path().join(name);
            let choice = Choice {
                min_empties: 10,
                max_empties: 54,
                every: 1,
                strays: name.parse().unwrap(),
            };
            let count = label(&searcher, &from, &path, depths, choice).unwrap();
            assert_eq!(count, 45);
            boards(&path)
        };
        let plain = labelled("none");
        for (strayed, share) in [(labelled("half"), 2), (labelled("all"), 1)] {
            for (number, (&own, &other)) in plain.iter().zip(&strayed).enumerate() {
                if (number + 1).is_multiple_of(share) {
                    let mut next = own.legal_moves().into_iter().map(|s| own.play(s).unwrap());
                    assert!(next.any(|next| other == next || other == next.pass()));
                } else {
                    assert_eq!(own, other);
                }
            }
        }
        assert!("most".parse::<Strays>().unwrap_err().contains("most"));
    }
}
