//! The two endgame searches: who wins (outcome), and by how many discs (exact).
//!
//! Both expand every position to the end of the game, with the same ordering and zero windows as
//! the middle game. An outcome search is an exact one that looks no farther than one disc to either
//! side of a draw.
//!
//! The paper says "usually" from 15 to 18 empty squares for the outcome and 13 to 15 for the exact
//! search, with the time of a tournament on its machine. Here both are tried from 20 on where what
//! is left of the budget is likely to suffice; where only the depth is limited, from 15 and 13. The
//! likely cost is what was measured with this program. In the last few squares tables cost more
//! than they save: there moves come as they lie on the board.

use super::search::{INFINITE, Node, Reach, Search};
use super::timing::ENDGAME_FROM;
use crate::othello::{Board, Square};
use crate::players::ending::Ending;

/// From here on they are made where only the depth is limited.
const EXACT_ALWAYS: u32 = 13;
const OUTCOME_ALWAYS: u32 = 15;

/// Up to so many empty squares no table is asked.
const WITHOUT_TABLES: u32 = 5;

/// The nodes that an outcome search takes on average: measured 130 thousand with 15 empty squares,
/// and 2.6 times as many with each more.
fn outcome_cost(empties: u32) -> u64 {
    (130_000.0 * 2.6_f64.powi(empties as i32 - 15)) as u64
}

/// The same of an exact search: 82 thousand with 13 empty squares, and 2.3 times as many with each
/// more.
fn exact_cost(empties: u32) -> u64 {
    (82_000.0 * 2.3_f64.powi(empties as i32 - 13)) as u64
}

impl Search<'_> {
    /// Searches to the end, if it is near enough. `moves` are the root's, the likely best first.
    pub fn ending(&mut self, root: &Node, moves: &[Square]) -> Option<Ending> {
        let empties = root.board.empty_count();
        let left = self.budget.nodes_left(self.nodes);
        let fits = |cost: u64, always: u32| left.map_or(empties <= always, |left| cost <= left);
        if empties > ENDGAME_FROM {
            None
        } else if fits(exact_cost(empties), EXACT_ALWAYS) {
            let best = self.best_of(root, moves, Reach::End, None)?;
            let discs = if best.is_bound {
                // The move is sure; what it comes to is for the report, as far as the budget goes.
                self.value_of(root, best.square, Reach::End, best.value - 1, INFINITE)
            } else {
                None
            };
            Some(Ending::Exact(best.square, discs.unwrap_or(best.value)))
        } else if fits(outcome_cost(empties), OUTCOME_ALWAYS) {
            self.outcome(root, moves)
        } else {
            None
        }
    }

    fn outcome(&mut self, root: &Node, moves: &[Square]) -> Option<Ending> {
        let mut drawn = None;
        for &square in moves {
            let child = root.after(square, root.board.flips(square));
            // Once a draw is there, only a win counts.
            let alpha = if drawn.is_some() { 0 } else { -1 };
            match -self.solve(&child, -1, -alpha)? {
                1.. => return Some(Ending::Outcome(square, 1)),
                0 => drawn = drawn.or(Some(square)),
                _ => {}
            }
        }
        Some(drawn.map_or(Ending::Lost, |square| Ending::Outcome(square, 0)))
    }

    /// The final difference of discs for the player to move, within the window.
    pub fn solve(&mut self, node: &Node, alpha: i32, beta: i32) -> Option<i32> {
        if node.board.empty_count() <= WITHOUT_TABLES {
            self.solve_last(node.board, alpha, beta)
        } else {
            self.solve_ordered(node, alpha, beta, false)
        }
    }

    fn solve_ordered(
        &mut self,
        node: &Node,
        alpha: i32,
        beta: i32,
        has_passed: bool,
    ) -> Option<i32> {
        self.nodes += 1;
        if self.budget.is_over(self.nodes) {
            return None;
        }
        let board = node.board;
        let known = self.best_moves.get(board);
        let responses = self
            .killers
            .responses(node.side, node.last, board.empties());
        let others = responses.filter(|square| Some(*square) != known);
        let mut first_tried = None;
        let mut best = None;
        for square in known.into_iter().chain(others) {
            let flips = board.flips(square);
            if flips.is_empty() || !board.empties().contains(square) {
                continue;
            }
            // The lines are for evaluations, of which there are none any more.
            let child = Node {
                board: board.play_unchecked(square, flips),
                side: node.side.other(),
                last: Some(square),
                ..*node
            };
            let value = match best {
                None => -self.solve(&child, -beta, -alpha)?,
                Some((_, so_far)) => {
                    let floor = alpha.max(so_far);
                    let value = -self.solve(&child, -floor - 1, -floor)?;
                    if floor < value && value < beta {
                        -self.solve(&child, -beta, -value)?
                    } else {
                        value
                    }
                }
            };
            first_tried.get_or_insert(square);
            if best.is_none_or(|(_, so_far)| value > so_far) {
                best = Some((square, value));
                if value >= beta {
                    break;
                }
            }
        }
        let Some((square, value)) = best else {
            if has_passed {
                return Some(board.final_score().discs());
            }
            return self
                .solve_ordered(&node.passed(), -beta, -alpha, true)
                .map(|value| -value);
        };
        if value > alpha {
            self.remember(node, square, first_tried);
        }
        Some(value)
    }

    /// The last squares, without tables.
    fn solve_last(&mut self, board: Board, mut alpha: i32, beta: i32) -> Option<i32> {
        self.nodes += 1;
        if self.budget.is_over(self.nodes) {
            return None;
        }
        let mut best = None;
        for square in board.empties() {
            let flips = board.flips(square);
            if flips.is_empty() {
                continue;
            }
            let child = board.play_unchecked(square, flips);
            let value = -self.solve_last(child, -beta, -alpha)?;
            best = best.max(Some(value));
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        if best.is_some() {
            return best;
        }
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return Some(board.final_score().discs());
        }
        self.solve_last(passed, -beta, -alpha).map(|value| -value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::best_moves::BestMoves;
    use super::super::combination::Combination;
    use super::super::features::Knowledge;
    use super::super::killers::KillerLists;
    use super::super::possible::SITUATIONS;
    use super::super::timing::Budget;
    use super::*;
    use crate::othello::Random;
    use crate::players::Thinking;
    use crate::search::StopButton;
    use std::sync::LazyLock;

    static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| Knowledge::new(&[40; SITUATIONS]));

    fn with_search<R>(run: impl FnOnce(&mut Search<'_>) -> R) -> R {
        let thinking = Thinking {
            depth: Some(1),
            ..Thinking::default()
        };
        run(&mut Search {
            knowledge: &KNOWLEDGE,
            combination: &Combination::Linear,
            killers: &mut KillerLists::new(),
            best_moves: &mut BestMoves::new(),
            budget: Budget::new(&thinking, 10, &StopButton::new()),
            nodes: 0,
        })
    }

    fn boards(empties: u32, count: usize) -> Vec<Board> {
        let mut random = Random::new(9);
        let mut boards = Vec::new();
        while boards.len() < count {
            let mut board = Board::START;
            while board.empty_count() > empties
                && let Some(square) = random.square(board.legal_moves())
            {
                board = board.play(square).unwrap();
            }
            if board.empty_count() == empties && !board.legal_moves().is_empty() {
                boards.push(board);
            }
        }
        boards
    }

    fn exact(board: Board) -> i32 {
        let values = board
            .legal_moves()
            .into_iter()
            .map(|square| -exact(board.play(square).unwrap()));
        match values.max() {
            Some(value) => value,
            None if board.is_over() => board.final_score().discs(),
            None => -exact(board.pass()),
        }
    }

    #[test]
    fn both_searches_agree_with_brute_force() {
        let mut seen = [0; 3];
        for board in boards(8, 60) {
            let truth = exact(board);
            let root = Node::root(board);
            let moves: Vec<Square> = board.legal_moves().into_iter().collect();
            let found = with_search(|search| search.ending(&root, &moves)).unwrap();
            let Ending::Exact(square, value) = found else {
                panic!("eight squares are always solved exactly, not {found:?}");
            };
            assert_eq!(-exact(board.play(square).unwrap()), truth);
            assert_eq!(value, truth);
            match with_search(|search| search.outcome(&root, &moves)).unwrap() {
                Ending::Lost => assert!(truth < 0),
                Ending::Outcome(square, sign) => {
                    assert_eq!(sign, truth.signum());
                    let after = -exact(board.play(square).unwrap());
                    assert_eq!(after.signum(), truth.signum());
                }
                found @ Ending::Exact(..) => panic!("{found:?}"),
            }
            seen[(truth.signum() + 1) as usize] += 1;
        }
        assert!(seen[0] > 5 && seen[2] > 5, "{seen:?}");
    }

    #[test]
    fn an_outcome_takes_fewer_nodes_than_an_exact_result() {
        let mut nodes = [0, 0];
        for board in boards(10, 10) {
            let root = Node::root(board);
            let moves: Vec<Square> = board.legal_moves().into_iter().collect();
            nodes[0] += with_search(|search| {
                search.outcome(&root, &moves);
                search.nodes
            });
            nodes[1] += with_search(|search| {
                search.ending(&root, &moves);
                search.nodes
            });
        }
        assert!(nodes[0] < nodes[1], "{nodes:?}");
    }
}
