//! Positions that the tests of the players share.

use crate::othello::{Bitboard, Board, Position, Random, Square};
use std::ops::Range;

/// Boards of random games with so many discs, whose player to move has a move.
pub fn boards(seed: u64, discs: Range<u32>, count: usize) -> Vec<Board> {
    let mut random = Random::new(seed);
    let mut boards = Vec::new();
    while boards.len() < count {
        let mut board = Board::START;
        let wanted = discs.start + random.below(u64::from(discs.end - discs.start)) as u32;
        while board.disc_count() < wanted
            && let Some(square) = random.square(board.legal_moves())
        {
            board = board.play(square).unwrap();
        }
        if !board.legal_moves().is_empty() {
            boards.push(board);
        }
    }
    boards
}

/// The board of these rows, X to move.
pub fn board_of(rows: [&str; 8]) -> Board {
    let text = format!("{} X", rows.concat());
    text.parse::<Position>().unwrap().board
}

/// The squares of these names.
pub fn set(names: &str) -> Bitboard {
    let squares = names.split_whitespace();
    squares
        .map(|name| name.parse::<Square>().unwrap())
        .collect()
}
