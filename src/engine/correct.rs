//! Corrects the endings of games: from some number of empty squares on, the first move that gives
//! discs away, and everything after it, is replaced by best play.
//!
//! Moves that keep the value stay, although the solver might have chosen others: a book of games
//! should keep what people played wherever it is as good.

use super::analyst::{Fresh, Searchers};
use crate::book::{Destination, Ending, EndingQuestion, NodeKey, Sign, edges};
use crate::othello::{Board, Score};
use crate::search::{Bound, Goal, Limits, SearchResult};

/// Enough for all that is worth keeping of an ending.
pub(super) const TABLE_BYTES: usize = 4 << 20;

/// The game with its ending as it should have been; none if it was stopped.
pub(super) fn correct(searchers: &mut Searchers, asked: &EndingQuestion) -> Option<Ending> {
    let path = &asked.path;
    let near = |key: &NodeKey| key.board().empty_count() <= asked.empties.into();
    let limit = usize::from(asked.limit);
    match path.iter().position(near) {
        // Nothing follows the last position that is learned.
        Some(first) if first + 1 < limit => {
            let solver = Solver(searchers.fresh(TABLE_BYTES));
            solver.correct(path, first, limit)
        }
        _ => Some(Ending {
            kept: path.len(),
            instead: Vec::new(),
        }),
    }
}

/// Solves the positions of one game: each helps the next.
struct Solver<'a>(Fresh<'a>);

impl Solver<'_> {
    fn correct(&self, path: &[NodeKey], first: usize, limit: usize) -> Option<Ending> {
        let mut key = *path.get(first)?;
        let solved = self.solve(key.board(), Goal::Score)?;
        let mut value = Score::clamped(solved.value / 100);
        let mut kept = first + 1;
        while let Some(&next) = path.get(kept)
            && let Some(sign) = sign_of(key, next)
            && self.keeps(next, sign, value)?
        {
            (key, value) = (next, seen(value, sign));
            kept += 1;
        }
        let mut instead = Vec::new();
        while kept + instead.len() < limit {
            let around = Goal::Window {
                alpha: value.discs() - 1,
                beta: value.discs() + 1,
            };
            let best = self.solve(key.board(), around)?.best;
            let edge = edges(key.board())
                .into_iter()
                .find(|edge| Some(edge.square) == best)?;
            let Destination::Position { key: next, sign } = edge.to else {
                break;
            };
            (key, value) = (next, seen(value, sign));
            instead.push(next);
        }
        Some(Ending { kept, instead })
    }

    /// Whether a move gives nothing away that was worth this much to who made it.
    fn keeps(&self, next: NodeKey, sign: Sign, value: Score) -> Option<bool> {
        let value = seen(value, sign).discs();
        let (alpha, enough) = match sign {
            Sign::Minus => (value, Bound::AtMost),
            Sign::Plus => (value - 1, Bound::AtLeast),
        };
        let beta = alpha + 1;
        let found = self.solve(next.board(), Goal::Window { alpha, beta })?;
        Some(found.bound == enough)
    }

    fn solve(&self, board: Board, goal: Goal) -> Option<SearchResult> {
        self.0.search(board, &Limits::new(goal))
    }
}

/// How the position after a move is seen from before it.
fn sign_of(key: NodeKey, next: NodeKey) -> Option<Sign> {
    edges(key.board())
        .into_iter()
        .find_map(|edge| match edge.to {
            Destination::Position { key, sign } if key == next => Some(sign),
            _ => None,
        })
}

fn seen(value: Score, sign: Sign) -> Score {
    match sign {
        Sign::Minus => -value,
        Sign::Plus => value,
    }
}

#[cfg(test)]
mod tests {
    use super::super::analyst::LocalAnalyst;
    use super::*;
    use crate::book::{Finding, Question, ask_all};
    use crate::games::SampleGames;
    use crate::search::{Searcher, StopButton};

    const EMPTIES: u8 = 9;

    /// The answer of threads that stop when the button is pressed.
    fn corrected(path: &[NodeKey], button: StopButton) -> Option<Ending> {
        let mut analyst = LocalAnalyst::new(1, button).unwrap();
        let question = Question::Ending(EndingQuestion {
            path: path.to_vec(),
            limit: 61,
            empties: EMPTIES,
        });
        let mut ending = None;
        ask_all(&mut analyst, [question], &(), |_, finding| match finding {
            Finding::Ending(found) => ending = Some(found),
            Finding::Moves(_) => panic!("this is no ending"),
        })
        .unwrap();
        ending
    }

    fn paths(count: usize) -> Vec<Vec<NodeKey>> {
        SampleGames::new(4)
            .take(count)
            .map(|game| {
                let mut path = Vec::new();
                game.for_each_board(|board| {
                    if !board.legal_moves().is_empty() {
                        path.push(NodeKey::of(board));
                    }
                });
                path
            })
            .collect()
    }

    #[test]
    fn from_the_first_mistake_on_best_play_takes_the_place_of_the_game() {
        let searcher = Searcher::new(1 << 20);
        let value = |key: NodeKey| searcher.search(key.board(), &Limits::solve()).value;
        let mut mistakes = 0;
        for path in paths(20) {
            let ending = corrected(&path, StopButton::new()).unwrap();
            let line: Vec<NodeKey> = path[..ending.kept]
                .iter()
                .chain(&ending.instead)
                .copied()
                .collect();
            let near = |key: &NodeKey| key.board().empty_count() <= EMPTIES.into();
            // Some games end before it.
            let first = line.iter().position(near).unwrap_or(line.len());
            for pair in line[first..].windows(2) {
                let kept = match sign_of(pair[0], pair[1]).unwrap() {
                    Sign::Minus => -value(pair[1]),
                    Sign::Plus => value(pair[1]),
                };
                assert_eq!(value(pair[0]), kept);
            }
            if ending.kept < path.len() {
                mistakes += 1;
                let (before, played) = (path[ending.kept - 1], path[ending.kept]);
                let sign = sign_of(before, played).unwrap();
                let worth = if sign == Sign::Minus { -1 } else { 1 } * value(played);
                assert!(worth < value(before), "only a mistake is replaced");
            }
            assert_eq!(corrected(&path, StopButton::new()), Some(ending));
        }
        assert!(mistakes > 5, "simple players make mistakes");
    }

    #[test]
    fn a_game_that_is_not_learned_so_far_is_left_alone() {
        let path = paths(1).remove(0);
        let untouched = corrected(&path[..41], StopButton::new()).unwrap();
        assert_eq!((untouched.kept, untouched.instead.len()), (41, 0));
        let button = StopButton::new();
        button.press();
        assert_eq!(corrected(&path, button), None);
    }
}
