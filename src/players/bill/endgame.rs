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
use crate::players::ending::{Aim, Cost, EndgamePlan, Ending};

const PLAN: EndgamePlan = EndgamePlan {
    from: ENDGAME_FROM,
    exact: Cost {
        empties: 13,
        nodes: 82_000.0,
        growth: 2.3,
    },
    outcome: Cost {
        empties: 15,
        nodes: 130_000.0,
        growth: 2.6,
    },
};

/// Up to so many empty squares no table is asked.
const WITHOUT_TABLES: u32 = 5;

impl Search<'_> {
    /// Searches to the end, if it is near enough. `moves` are the root's, the likely best first.
    pub fn ending(&mut self, root: &Node, moves: &[Square]) -> Option<Ending> {
        let left = self.budget.nodes_left(self.nodes);
        match PLAN.aim(root.board.empty_count(), left)? {
            Aim::Exact => self.exact(root, moves),
            Aim::Outcome => self.outcome(root, moves),
        }
    }

    fn exact(&mut self, root: &Node, moves: &[Square]) -> Option<Ending> {
        let best = self.best_of(root, moves, Reach::End, None)?;
        let discs = if best.is_bound {
            // The move is sure; what it comes to is for the report, as far as the budget goes.
            self.value_of(root, best.square, Reach::End, best.value - 1, INFINITE)
        } else {
            None
        };
        Some(Ending::Exact(best.square, discs.unwrap_or(best.value)))
    }

    fn outcome(&mut self, root: &Node, moves: &[Square]) -> Option<Ending> {
        Ending::by_outcome(moves, |square, floor| {
            self.value_of(root, square, Reach::End, floor, 1)
        })
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
        // The lines are for evaluations, of which there are none any more.
        let child = |square, flips| Node {
            board: node.board.play_unchecked(square, flips),
            side: node.side.other(),
            last: Some(square),
            ..*node
        };
        let found = self.best_value(node, alpha, beta, child, Search::solve)?;
        if found.is_some() {
            return found;
        }
        if has_passed {
            return Some(node.board.final_score().discs());
        }
        self.solve_ordered(&node.passed(), -beta, -alpha, true)
            .map(|value| -value)
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
    use crate::players::Thinking;
    use crate::players::trials::boards;
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
        for board in boards(9, 56..57, 60) {
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
        for board in boards(9, 54..55, 10) {
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
