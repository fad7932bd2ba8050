//! The time management of section 6: an even share of the clock for each move to come, and no
//! iteration that would not be finished within it.
//!
//! The paper predicts the next iteration from the number of moves in the leaves of the last. It says
//! too that alpha-beta grows by 5 a ply where minimax grows by 10; here the prediction is the number
//! of moves to the power of 0.7, which makes 5 of 10. It does not say from when on it searches to the
//! end; here from where 2.5 to the power of the empty squares, about what such a search takes, fits
//! into the move's share, but always from 8.

use crate::othello::Board;
use crate::players::Thinking;
use crate::players::meter::RESERVE;
use std::time::Duration;

const USUAL: Duration = Duration::from_secs(1);
/// 10 moves make a factor of 5.
const GROWTH: f64 = 0.7;
/// How a search to the end grows with each empty square.
const END_GROWTH: f64 = 2.5;
const ALWAYS_SOLVED: u32 = 8;
/// Nodes a second until the speed is known.
pub const USUAL_SPEED: f64 = 1_000_000.0;

/// What a move may use: nodes where they are limited, seconds otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share {
    pub planned: f64,
    pub time: Option<Duration>,
    pub nodes: Option<u64>,
}

pub fn share(thinking: &Thinking, board: Board) -> Share {
    let own_moves = board.empty_count().div_ceil(2).max(1);
    let clocked = thinking
        .remaining
        .map(|remaining| (remaining / own_moves).saturating_sub(RESERVE));
    let unlimited = thinking.nodes.is_none() && thinking.depth.is_none();
    let each = thinking.per_move.or(unlimited.then_some(USUAL));
    let time = clocked.or(each.map(|time| time.saturating_sub(RESERVE)));
    Share {
        planned: match (thinking.nodes, time) {
            (Some(nodes), _) => nodes as f64,
            (None, Some(time)) => time.as_secs_f64(),
            (None, None) => f64::INFINITY,
        },
        time,
        nodes: thinking.nodes,
    }
}

/// What the next iteration costs, after one whose leaves had so many moves.
pub fn predicted(last: f64, moves_in_leaves: f64) -> f64 {
    last * moves_in_leaves.max(1.0).powf(GROWTH)
}

/// Whether a search to the end is worth beginning; `speed` is in nodes a unit of the share.
pub fn reaches_the_end(empties: u32, share: &Share, speed: f64) -> bool {
    empties <= ALWAYS_SOLVED || END_GROWTH.powi(empties as i32) <= share.planned * speed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_shared_evenly_and_never_used_up() {
        for empties in 1..=60u32 {
            let thinking = Thinking {
                remaining: Some(Duration::from_secs(30)),
                ..Thinking::default()
            };
            let occupied = crate::othello::Bitboard(u64::MAX << empties);
            let board = Board::new(occupied, crate::othello::Bitboard::EMPTY).unwrap();
            let share = share(&thinking, board);
            let moves = f64::from(empties.div_ceil(2));
            assert!(share.planned * moves < 30.0);
            assert!(share.planned * moves > 29.8);
        }
    }

    #[test]
    fn ten_moves_in_the_leaves_predict_five_times_the_cost() {
        assert!((predicted(1.0, 10.0) - 5.0).abs() < 0.02);
        assert_eq!(predicted(3.0, 0.0), 3.0);
    }

    #[test]
    fn the_end_is_searched_when_it_fits_into_the_share() {
        let share = Share {
            planned: 1.0,
            time: None,
            nodes: None,
        };
        assert!(reaches_the_end(8, &share, 1.0));
        assert!(reaches_the_end(14, &share, USUAL_SPEED));
        assert!(!reaches_the_end(20, &share, USUAL_SPEED));
    }
}
