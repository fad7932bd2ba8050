//! The fixed searches whose node count is the engine's checksum, for every build of it.

use super::limits::Limits;
use crate::othello::{Board, MoveList, MoveListError, Position};

/// The table is part of the checksum, so it is no option.
pub const TABLE_BYTES: usize = 16 << 20;

/// From this many empties down a position is solved, not searched to a depth.
const SOLVE_FROM: u32 = 22;

/// Of the small part for tests: how deep, and from how many empties down it solves.
const QUICK_DEPTH: u32 = 6;
const QUICK_SOLVE_FROM: u32 = 18;

/// Games our own engine played against itself at depth 5 with a random move now and then.
const GAMES: [&str; 20] = [
    "c4c3e6d6c5c6d3d2",
    "c4c3c2c5e6f4c6f6d3d6d7b3",
    "c4c3c2d6c6e3d3c5e6d7f4d2f6b4b5a6",
    "d3c5b6d2e6f7c4f5f6g6g7b4d6c6c7e7b5g8d7d8",
    "e6d6c7d7c3f5c6b8c8e3a8d3e8d8e7f6f7g8d2c1f4f3",
    "e6f4d3c6e3d2c5f5c3c4b3c2b5d6e7f6c7a2f3a5b4b6e2g3",
    "f5f4e3d6c4f3d3e2c5e6f6c6f7e7g4g3f2h5h4h3g5d2c1d1c2b1",
    "e6f4d3c2g4d6c5f5f3f6e3g3e2c3c4h3g5h4h6d2c6b3d7h5b5a5h2b6",
    "e6f6c4e3f3g3f5d6d7f4g5e7g6c6d3e8f8g8c8c5f2g7f7h6g4h3e2g2h4h5",
    "c4e3f4c5e2e1d6b4d3c6d2d1c3c2c1b1b5f3a3a6a5a4a7b6b3b2f1g1a1a2b7c7",
    "f5f4f3g4c3c4e3d6e6g5g6f6h5h7h6h4f7g3d3e7h3h2g7f2e2c5b4e1d2e8d1a4f8h8",
    "d3c3b3b2b1d6c4a1c2e3f4c5d2b4a5a4a3f2b5a2f3a6f6g4f5c1f1e2g3h3b6e6g5f7h4h5",
    "c4e3f4c3d2g4b4c5d6b5d3c6f5g5e6f3a5e2e1a4a3b6b3f2d7d1c1a6a7b7f1c2g3f7b8a8f6d8",
    "f5f6d3c5d6e3f4c6e2e6c3g5e7d7f7f3c4f8b5a5g3b3b4a4a2h2h3h4h6d2g4a3a6f1g6f2c2c1e1",
    "c4e3f5b4d3e6f4f3d2f6g6g5b5e2g4c5c6g3e1f2h3h5h6h4a3d6f7c3f1c1d1g1b3c2e7g7h8h7b1a6",
    "c4e3f4c5d6f5d3f3c6c2e2d1f1c3c1b1f2b3d2e6a3b5b6a4a5d7b4c7e8c8g3a7g4h4g5g6a2h5g2h3",
    "c4e3f6c6d6e6f5b4d7e8c8d8f8f4c5e7f7b5c7g5b6a7a5b7d3b8a8g6h6g8h8c2g7h7a6h5c3a3a4b3d2",
    "c4c5d6e7d7e3f5e6f6c6d3c7b7b6e8f8g8f3g2b5d8a8f4f7g6h1b4g4g5c2h3h5d2c3f1e1g3h2f2h4b3",
    "e6f6c4c5b6c3f5d6c6b3d7b5c7e7a4f7d3a6b7d8g6a5c2a3b8a2b4h6c8e8f8c1d2g5g4a8a7g8f4h3a1g3",
    "f5f6f7g7h7g5f4e3d3h8e6d6e7e8g4h6h5g6c7h4d7g3f3f2g1e1g2e2h3h1d1f1f8g8h2c3c4d2b2a1b3c2",
];

/// One of the searches; the table is to be empty when it begins.
#[derive(Clone, Copy, Debug)]
pub struct BenchPosition {
    /// From 1.
    pub number: u32,
    pub board: Board,
    pub limits: Limits,
}

/// All of them, with middle-game positions searched so deep.
pub fn positions(depth: u32) -> Result<Vec<BenchPosition>, MoveListError> {
    let position = |(number, game)| {
        let board = MoveList::parse(Position::START, game)?.end.board;
        let limits = if board.empty_count() > SOLVE_FROM {
            Limits::depth(depth)
        } else {
            Limits::solve()
        };
        Ok(BenchPosition {
            number,
            board,
            limits,
        })
    };
    (1..).zip(GAMES).map(position).collect()
}

/// A small part of it, for tests.
pub fn quick() -> Result<Vec<BenchPosition>, MoveListError> {
    let mut quick = positions(QUICK_DEPTH)?;
    let skipped = QUICK_SOLVE_FROM + 1..=SOLVE_FROM;
    quick.retain(|position| !skipped.contains(&position.board.empty_count()));
    Ok(quick)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_are_legal_and_lead_to_as_many_different_positions() {
        let all = positions(1).unwrap();
        let mut boards: Vec<_> = all.iter().map(|position| position.board).collect();
        assert!(boards.iter().all(|board| !board.is_over()));
        let empties = |range: std::ops::RangeInclusive<u32>| {
            boards
                .iter()
                .filter(|b| range.contains(&b.empty_count()))
                .count()
        };
        assert_eq!((empties(23..=60), empties(18..=22)), (12, 8));
        boards.sort();
        boards.dedup();
        assert_eq!(boards.len(), GAMES.len());
    }
}
