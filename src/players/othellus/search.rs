//! Minimax with alpha-beta to a fixed depth, as the paper's figure 5 has it.

use super::heuristic::Heuristic;
use crate::othello::{Board, Square};
use crate::players::meter::Meter;

/// Beyond every heuristic value, so that a finished game counts first.
const RESULT: i32 = 100_000;
const LIMIT: i32 = 100 * RESULT;

/// The best of the moves, the first among equals; none when the search had to end before.
pub fn best(
    heuristic: Heuristic,
    board: Board,
    moves: &[Square],
    depth: u32,
    meter: &mut Meter<'_>,
) -> Option<Square> {
    let mut best = None;
    let mut alpha = -LIMIT;
    for &square in moves {
        let value = after(heuristic, board, square, depth, (alpha, LIMIT), meter)?;
        if value > alpha {
            alpha = value;
            best = Some(square);
        }
    }
    best
}

/// The value of a move to who makes it, with so many plies to look ahead, this one included.
fn after(
    heuristic: Heuristic,
    board: Board,
    square: Square,
    depth: u32,
    (alpha, beta): (i32, i32),
    meter: &mut Meter<'_>,
) -> Option<i32> {
    let flips = board.flips(square);
    let gain = heuristic.gain(square, flips);
    let next = board.play_unchecked(square, flips);
    let window = (gain - beta, gain - alpha);
    Some(gain - value(heuristic, next, depth - 1, window, meter)?)
}

fn value(
    heuristic: Heuristic,
    board: Board,
    depth: u32,
    (mut alpha, beta): (i32, i32),
    meter: &mut Meter<'_>,
) -> Option<i32> {
    if !meter.count() {
        return None;
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return Some(board.final_score().discs() * RESULT);
        }
        return value(heuristic, passed, depth, (-beta, -alpha), meter).map(|value| -value);
    }
    if depth == 0 {
        return Some(heuristic.worth(board));
    }
    for square in moves {
        alpha = alpha.max(after(
            heuristic,
            board,
            square,
            depth,
            (alpha, beta),
            meter,
        )?);
        if alpha >= beta {
            break;
        }
    }
    Some(alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{MoveList, Position};
    use crate::search::StopButton;

    /// Minimax without cuts.
    fn full(heuristic: Heuristic, board: Board, depth: u32) -> i32 {
        let moves = board.legal_moves();
        if moves.is_empty() {
            let passed = board.pass();
            if passed.legal_moves().is_empty() {
                return board.final_score().discs() * RESULT;
            }
            return -full(heuristic, passed, depth);
        }
        if depth == 0 {
            return heuristic.worth(board);
        }
        moves
            .into_iter()
            .map(|square| {
                let flips = board.flips(square);
                let next = board.play_unchecked(square, flips);
                heuristic.gain(square, flips) - full(heuristic, next, depth - 1)
            })
            .max()
            .unwrap()
    }

    #[test]
    fn cuts_change_no_value() {
        let position = MoveList::parse(Position::START, "f5d6c3d3c4f4f6f3e6e7").unwrap();
        let board = position.end.board;
        for heuristic in [
            Heuristic::Stages,
            Heuristic::MostFlipped,
            Heuristic::LowSurroundings,
            Heuristic::Corners,
        ] {
            let stop = StopButton::new();
            let mut meter = Meter::new(None, None, &stop);
            let cut = value(heuristic, board, 3, (-LIMIT, LIMIT), &mut meter);
            assert_eq!(cut, Some(full(heuristic, board, 3)), "{heuristic:?}");
        }
    }
}
