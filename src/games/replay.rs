//! Playing a move list through: the one judge of whether a game is legal, compiled per CPU tier.

use crate::othello::kernel::{Job, Kernel, dispatch};
use crate::othello::{Board, Color, IllegalMove, MoveListError, Position, Square};

/// Where legal moves lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Replay {
    pub end: Position,
    /// Neither player can move at the end.
    pub finished: bool,
}

/// Plays the moves from a start where no pass is due, and says what is wrong with the first
/// illegal one.
pub(super) fn replay(start: Position, moves: &[Square]) -> Result<Replay, MoveListError> {
    struct Whole<'a>(Position, &'a [Square]);
    impl Job for Whole<'_> {
        type Output = Result<Replay, MoveListError>;

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) -> Self::Output {
            replay_with(kernel, self.0, self.1)
        }
    }
    dispatch(Whole(start, moves))
}

/// [`replay`] within a region that is compiled for the kernel's tier.
#[inline(always)]
pub(super) fn replay_with<K: Kernel>(
    kernel: K,
    start: Position,
    moves: &[Square],
) -> Result<Replay, MoveListError> {
    let Position { board, turn } = start;
    let mut position = Position { board, turn };
    for (i, &square) in moves.iter().enumerate() {
        position = match step(kernel, position, square) {
            Some(next) => next,
            None => return Err(explain(kernel, position, square, i + 1)),
        };
    }
    let mut finished = false;
    if position.board.legal_moves_with(kernel).is_empty() {
        let passed = position.pass();
        if passed.board.legal_moves_with(kernel).is_empty() {
            finished = true;
        } else {
            position = passed;
        }
    }
    Ok(Replay {
        end: position,
        finished,
    })
}

/// One move. Whether the player has to pass is looked at only when his move turns nothing: one
/// flip per move is all that a legal game costs.
#[inline(always)]
fn step<K: Kernel>(kernel: K, position: Position, square: Square) -> Option<Position> {
    let Position { board, turn } = position;
    if board.occupied().contains(square) {
        return None;
    }
    let flips = board.flips_with(kernel, square);
    if !flips.is_empty() {
        return Some(Position {
            board: board.play_unchecked(square, flips),
            turn: turn.other(),
        });
    }
    if !board.legal_moves_with(kernel).is_empty() {
        return None;
    }
    let passed = board.pass();
    let flips = passed.flips_with(kernel, square);
    (!flips.is_empty()).then(|| Position {
        board: passed.play_unchecked(square, flips),
        turn,
    })
}

#[cold]
fn explain<K: Kernel>(
    kernel: K,
    position: Position,
    square: Square,
    number: usize,
) -> MoveListError {
    let board = position.board;
    let nobody_moves = board.legal_moves_with(kernel).is_empty()
        && board.pass().legal_moves_with(kernel).is_empty();
    if nobody_moves {
        let text = square.to_string();
        return MoveListError::AfterTheEnd { number, text };
    }
    let reason = if board.occupied().contains(square) {
        IllegalMove::Occupied(square)
    } else {
        IllegalMove::TurnsNothing(square)
    };
    MoveListError::Illegal {
        number,
        square,
        reason,
    }
}

/// Shows every position of a legal game to `see`: the start, and the one after each move, always
/// with a player to move who can move unless the game is over.
pub(super) fn for_each_board<F: FnMut(Board)>(start: Position, moves: &[Square], see: F) {
    struct Walk<'a, F>(Position, &'a [Square], F);
    impl<F: FnMut(Board)> Job for Walk<'_, F> {
        type Output = ();

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) {
            let Walk(mut position, moves, mut see) = self;
            for &square in moves {
                let before = position.board;
                let Some(next) = step(kernel, position, square) else {
                    break;
                };
                // The step passes by itself; the board that is shown has the right player to move.
                let passed = next.turn == position.turn;
                see(if passed { before.pass() } else { before });
                position = next;
            }
            let board = position.board;
            let must_pass = board.legal_moves_with(kernel).is_empty()
                && !board.pass().legal_moves_with(kernel).is_empty();
            see(if must_pass { board.pass() } else { board });
        }
    }
    dispatch(Walk(start, moves, see));
}

/// The colour that plays each move, with the passes between them made visible.
pub(super) fn told(start: Position, moves: &[Square]) -> impl Iterator<Item = Told> {
    let mut position = start;
    moves.iter().flat_map(move |&square| {
        let color = position.turn;
        let next = position.play(square).unwrap_or(position);
        let passes = next.turn == color && next != position;
        position = next;
        [
            Some(Told::Move(color, square)),
            passes.then_some(Told::Pass(color.other())),
        ]
        .into_iter()
        .flatten()
    })
}

/// A line of a game as GGF and SGF write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Move(Color, Square),
    Pass(Color),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::arbitrary::{any_line, any_start};
    use crate::othello::MoveList;
    use crate::othello::moves_to_string;
    use proptest::prelude::*;

    #[test]
    fn a_needless_move_of_the_other_player_is_illegal() {
        let moves: Vec<Square> = ["f5", "f6", "e3"].map(|s| s.parse().unwrap()).into();
        let error = replay(Position::START, &moves).unwrap_err();
        assert_eq!(
            error.to_string(),
            "move 3 (e3) is illegal: e3 turns no disc"
        );
    }

    proptest! {
        #[test]
        fn the_replay_agrees_with_the_notation_move_by_move(
            (start, moves) in any_line(),
            square in 0u8..64,
            place in 0usize..62,
        ) {
            let mut moves = moves;
            if let Some(changed) = moves.get_mut(place) {
                *changed = Square::new(square).unwrap();
            }
            let expected = MoveList::parse(start, &moves_to_string(&moves));
            let found = replay(start, &moves);
            match (expected, found) {
                (Ok(list), Ok(replay)) => {
                    prop_assert_eq!(replay.end, list.end);
                    prop_assert_eq!(replay.finished, list.end.board.is_over());
                }
                (Err(expected), Err(found)) => prop_assert_eq!(found, expected),
                (expected, found) => prop_assert!(false, "{:?} but {:?}", expected, found),
            }
        }

        #[test]
        fn every_position_is_seen_with_the_right_player_to_move((start, moves) in any_line()) {
            let mut expected = vec![start.board];
            let mut position = start;
            for &square in &moves {
                position = position.play(square).unwrap();
                expected.push(position.board);
            }
            let mut seen = Vec::new();
            for_each_board(start, &moves, |board| seen.push(board));
            prop_assert_eq!(seen, expected);
        }

        #[test]
        fn a_told_game_alternates_colours((start, moves) in any_line()) {
            let mut turn = start.turn;
            for told in told(start, &moves) {
                let (Told::Move(color, _) | Told::Pass(color)) = told;
                prop_assert_eq!(color, turn);
                turn = turn.other();
            }
        }

        #[test]
        fn a_start_has_a_player_who_can_move_or_is_over(start in any_start()) {
            prop_assert!(!start.board.must_pass());
        }
    }
}
