//! NegaScout with iterative deepening, ordered by the transposition table, two killer moves for
//! each ply and the history of moves, with ProbCut.
//!
//! As in the paper the history orders a list of all squares only between iterations: during one
//! the order of what is neither in the table nor a killer stands still. Lost regions are looked for
//! four plies above the leaves, as they cost too much at every one, and count for all leaves below.
//! Positions with eight empty squares or fewer are solved.
//!
//! The paper does not say what the history counts. Here a move that proves best gets the square of
//! its depth.

use super::evaluation::{Evaluation, lost_by_first};
use super::probcut::{Differences, Pruning};
use super::solver::{SOLVED_FROM, solve};
use super::table::{Bound, Known, Table};
use crate::othello::{Bitboard, Board, Square};
use crate::players::bill::lines::{Indices, Side};
use crate::players::bill::timing::Budget;

/// Deeper than any game: a search to its end.
pub const TO_THE_END: u32 = 99;

/// More than any value, in centi-discs.
pub const INFINITE: i32 = 10_000;

/// Lost regions are looked for so many plies above the leaves.
const PARITY_PLIES: u32 = 4;

/// A position of the tree.
#[derive(Clone, Copy)]
pub struct Node {
    pub board: Board,
    indices: Indices,
    side: Side,
    /// Plies from the root.
    ply: usize,
    /// Regions that the first side has lost more than the second, as of the last look.
    lost: i32,
}

impl Node {
    pub fn root(board: Board) -> Node {
        Node {
            board,
            indices: Indices::of(board, Side::First),
            side: Side::First,
            ply: 0,
            lost: 0,
        }
    }

    #[inline]
    pub fn after(&self, square: Square, flips: Bitboard) -> Node {
        Node {
            board: self.board.play_unchecked(square, flips),
            indices: self.indices.after(self.side, square, flips),
            side: self.side.other(),
            ply: self.ply + 1,
            lost: self.lost,
        }
    }

    fn passed(&self) -> Node {
        Node {
            board: self.board.pass(),
            side: self.side.other(),
            ..*self
        }
    }
}

/// What the paper's section 2.1 measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Nodes where a move reached beta, and the moves searched there.
    pub cut_nodes: u64,
    pub searched_at_cut_nodes: u64,
    /// Nodes with a best move (one that raised alpha), and those of them where it was tried first.
    pub with_best: u64,
    pub best_first: u64,
}

impl Counters {
    /// Moves searched at a node that is cut, on average.
    pub fn searched_per_cut(&self) -> f64 {
        self.searched_at_cut_nodes as f64 / self.cut_nodes.max(1) as f64
    }

    /// The share of nodes whose best move was searched first.
    pub fn best_first_share(&self) -> f64 {
        self.best_first as f64 / self.with_best.max(1) as f64
    }

    fn count(&mut self, searched: u64, is_cut: bool, is_first: bool) {
        self.with_best += 1;
        self.best_first += u64::from(is_first);
        if is_cut {
            self.cut_nodes += 1;
            self.searched_at_cut_nodes += searched;
        }
    }
}

/// What orders moves from search to search.
pub struct Ordering {
    killers: [[Option<Square>; 2]; 64],
    history: [[u64; 64]; 2],
    /// All squares of each side, by the history up to the last iteration.
    lists: [[Square; 64]; 2],
}

impl Ordering {
    pub fn new() -> Ordering {
        // Corners first and what is beside them last, until there is a history.
        let rank = |square: Square| {
            let (x, y) = (
                square.column().min(7 - square.column()),
                square.row().min(7 - square.row()),
            );
            match (x.min(y), x.max(y)) {
                (0, 0) => 0,
                (0, 1) => 3,
                (1, 1) => 4,
                (0, _) => 1,
                _ => 2,
            }
        };
        let mut squares: [Square; 64] = std::array::from_fn(|i| Square::at(i as u8, i as u8 / 8));
        squares.sort_by_key(|&square| rank(square));
        Ordering {
            killers: [[None; 2]; 64],
            history: [[0; 64]; 2],
            lists: [squares; 2],
        }
    }

    /// Between iterations: the lists follow the history. Equal ones keep their order.
    pub fn sort(&mut self) {
        for (list, history) in self.lists.iter_mut().zip(&self.history) {
            list.sort_by_key(|square| std::cmp::Reverse(history[square.index()]));
        }
    }

    fn learn(&mut self, node: &Node, best: Square, depth: u32) {
        self.history[node.side as usize][best.index()] += u64::from(depth * depth);
        let killers = &mut self.killers[node.ply.min(63)];
        if killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
    }

    /// The empty squares in the order in which to try them.
    pub fn squares(
        &self,
        node: &Node,
        known: Option<Square>,
    ) -> impl Iterator<Item = Square> + use<> {
        let [first, second] = self.killers[node.ply.min(63)];
        let list = self.lists[node.side as usize];
        let mut left = node.board.empties();
        [known, first, second]
            .into_iter()
            .flatten()
            .chain(list)
            .filter(move |square| {
                let is_left = left.contains(*square);
                left.0 &= !square.bit();
                is_left
            })
    }
}

/// A search with what it remembers.
pub struct Search<'a> {
    pub evaluation: &'a Evaluation,
    pub differences: &'a Differences,
    pub pruning: Pruning,
    pub parity: bool,
    pub table: &'a mut Table,
    pub ordering: &'a mut Ordering,
    pub budget: Budget,
    pub nodes: u64,
    pub counters: Counters,
}

/// A window, and whether ProbCut may be used.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
    may_cut: bool,
}

impl Window {
    /// Seen by the other player.
    fn turned(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
            ..self
        }
    }

    /// Whether a value above a floor is all that matters.
    fn null(self, floor: i32) -> Window {
        Window {
            alpha: floor,
            beta: floor + 1,
            ..self
        }
    }

    fn above(self, alpha: i32) -> Window {
        Window { alpha, ..self }
    }
}

impl Search<'_> {
    /// Searches the root's moves to a depth and puts the best first. `better` is told of each move
    /// that proves best so far, with its value; false if the budget ran out before the last.
    pub fn iterate(
        &mut self,
        root: &Node,
        moves: &mut [Square],
        depth: u32,
        mut better: impl FnMut(Square, i32),
    ) -> bool {
        let mut root = *root;
        if self.parity && depth <= PARITY_PLIES {
            root.lost = lost_by_first(root.board, root.side);
        }
        let mut best = -INFINITE;
        for place in 0..moves.len() {
            let square = moves[place];
            let Some(value) = self.root_value(&root, square, depth, best, INFINITE) else {
                return false;
            };
            if value > best {
                best = value;
                better(square, value);
                moves[..=place].rotate_right(1);
            }
        }
        true
    }

    /// The value of a move of the root if it is above `floor`, or something not above it.
    pub fn root_value(
        &mut self,
        root: &Node,
        square: Square,
        depth: u32,
        floor: i32,
        ceiling: i32,
    ) -> Option<i32> {
        let child = root.after(square, root.board.flips(square));
        let window = Window {
            alpha: floor,
            beta: ceiling,
            // To the end only what is sure counts.
            may_cut: depth < TO_THE_END,
        };
        let depth = if depth == TO_THE_END {
            depth
        } else {
            depth - 1
        };
        if floor > -INFINITE && ceiling - floor > 1 {
            let value = -self.search(&child, depth, window.null(floor).turned(), false)?;
            if value <= floor {
                return Some(value);
            }
        }
        self.search(&child, depth, window.turned(), false)
            .map(|value| -value)
    }

    fn search(&mut self, node: &Node, depth: u32, window: Window, has_passed: bool) -> Option<i32> {
        self.nodes += 1;
        if self.budget.is_over(self.nodes) {
            return None;
        }
        let board = node.board;
        let Window {
            alpha,
            beta,
            may_cut,
        } = window;
        if board.empty_count() <= SOLVED_FROM {
            // Whole discs around the window.
            let (low, high) = (alpha.div_euclid(100), (beta + 99).div_euclid(100));
            return Some(
                100 * solve(
                    board,
                    low.max(-64),
                    high.min(64).max(low + 1),
                    &mut self.nodes,
                ),
            );
        }
        let mut node = *node;
        if depth == PARITY_PLIES && self.parity {
            node.lost = lost_by_first(board, node.side);
        }
        if depth == 0 {
            return Some(
                self.evaluation
                    .value(board, &node.indices, node.side, node.lost),
            );
        }
        let known = self.table.get(board);
        if let Some(known) = known.filter(|known| u32::from(known.depth) >= depth) {
            let value = i32::from(known.value);
            let decides = match known.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if decides {
                return Some(value);
            }
        }
        if may_cut && let Some(value) = self.probcut(&node, depth, window)? {
            return Some(value);
        }
        let mut best: Option<(Square, i32)> = None;
        let mut searched = 0;
        let mut first = None;
        for square in self
            .ordering
            .squares(&node, known.and_then(|known| known.best))
        {
            let flips = board.flips(square);
            if flips.is_empty() {
                continue;
            }
            let child = node.after(square, flips);
            let deeper = if depth == TO_THE_END {
                depth
            } else {
                depth - 1
            };
            let value = match best {
                None => -self.search(&child, deeper, window.turned(), false)?,
                Some((_, so_far)) => {
                    let floor = alpha.max(so_far);
                    let value = -self.search(&child, deeper, window.null(floor).turned(), false)?;
                    if floor < value && value < beta {
                        -self.search(&child, deeper, window.above(value).turned(), false)?
                    } else {
                        value
                    }
                }
            };
            searched += 1;
            first.get_or_insert(square);
            if best.is_none_or(|(_, so_far)| value > so_far) {
                best = Some((square, value));
                if value >= beta {
                    break;
                }
            }
        }
        let Some((square, value)) = best else {
            if has_passed {
                return Some(100 * board.final_score().discs());
            }
            return self
                .search(&node.passed(), depth, window.turned(), true)
                .map(|value| -value);
        };
        if value > alpha {
            self.counters
                .count(searched, value >= beta, first == Some(square));
            self.ordering.learn(&node, square, depth.min(20));
        }
        self.table.put(
            board,
            Known {
                value: value as i16,
                depth: depth as u8,
                bound: if value >= beta {
                    Bound::Lower
                } else if value > alpha {
                    Bound::Exact
                } else {
                    Bound::Upper
                },
                best: (value > alpha)
                    .then_some(square)
                    .or(known.and_then(|known| known.best)),
            },
        );
        Some(value)
    }

    /// A bound of the window, where a shallow search says that the deep one would fall beyond it.
    /// The outer option is that of the budget.
    fn probcut(&mut self, node: &Node, depth: u32, window: Window) -> Option<Option<i32>> {
        let Some(trial) = self.pruning.trial(self.differences, depth) else {
            return Some(None);
        };
        // A search of fewer than four plies never comes by the place where regions are looked for.
        let mut node = *node;
        if self.parity && trial.depth < PARITY_PLIES && depth != PARITY_PLIES {
            node.lost = lost_by_first(node.board, node.side);
        }
        let shallow = |alpha: i32| Window {
            alpha,
            beta: alpha + 1,
            may_cut: false,
        };
        if window.beta < INFINITE {
            let high = trial.high(window.beta);
            if self.search(&node, trial.depth, shallow(high - 1), false)? >= high {
                return Some(Some(window.beta));
            }
        }
        if window.alpha > -INFINITE {
            let low = trial.low(window.alpha);
            if self.search(&node, trial.depth, shallow(low), false)? <= low {
                return Some(Some(window.alpha));
            }
        }
        Some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::super::evaluation::made_up;
    use super::super::probcut::DEEPEST;
    use super::*;
    use crate::players::Thinking;
    use crate::players::trials::boards;
    use crate::search::StopButton;
    use std::sync::LazyLock;

    static EVALUATION: LazyLock<Evaluation> = LazyLock::new(|| Evaluation::new(made_up()));

    const DIFFERENCES: Differences = Differences {
        means: [0; DEEPEST + 1],
        deviations: [150; DEEPEST + 1],
    };

    /// Runs with tables of its own and no limits.
    fn with_search<R>(bits: u32, run: impl FnOnce(&mut Search<'_>) -> R) -> R {
        let thinking = Thinking {
            depth: Some(60),
            ..Thinking::default()
        };
        run(&mut Search {
            evaluation: &EVALUATION,
            differences: &DIFFERENCES,
            pruning: Pruning::None,
            parity: false,
            table: &mut Table::new(bits),
            ordering: &mut Ordering::new(),
            budget: Budget::new(&thinking, 60, &StopButton::new()),
            nodes: 0,
            counters: Counters::default(),
        })
    }

    fn minimax(node: &Node, depth: u32, has_passed: bool) -> i32 {
        if depth == 0 {
            return EVALUATION.value(node.board, &node.indices, node.side, node.lost);
        }
        let values = node.board.legal_moves().into_iter().map(|square| {
            let child = node.after(square, node.board.flips(square));
            -minimax(&child, depth - 1, false)
        });
        match values.max() {
            Some(value) => value,
            None if has_passed => 100 * node.board.final_score().discs(),
            None => -minimax(&node.passed(), depth, true),
        }
    }

    fn deepen(search: &mut Search<'_>, board: Board, depth: u32) -> i32 {
        let mut moves: Vec<Square> = board.legal_moves().into_iter().collect();
        let mut found = 0;
        for depth in 1..=depth {
            assert!(search.iterate(&Node::root(board), &mut moves, depth, |_, v| found = v));
            search.ordering.sort();
        }
        found
    }

    #[test]
    fn without_cuts_the_value_is_that_of_plain_minimax() {
        for board in boards(31, 22..23, 8) {
            for depth in 1..=4 {
                let found = with_search(14, |search| deepen(search, board, depth));
                assert_eq!(found, minimax(&Node::root(board), depth, false));
            }
        }
    }

    #[test]
    fn eight_empty_squares_are_solved_and_to_the_end_is_exact() {
        for board in boards(31, 54..55, 6) {
            let truth = 100 * solve(board, -64, 64, &mut 0);
            let found = with_search(14, |search| deepen(search, board, 2));
            assert_eq!(found, truth);
            with_search(14, |search| {
                let mut moves: Vec<Square> = board.legal_moves().into_iter().collect();
                let mut exact = 0;
                search.pruning = Pruning::Multi;
                search.iterate(&Node::root(board), &mut moves, TO_THE_END, |_, v| exact = v);
                assert_eq!(exact, truth);
            });
        }
    }

    #[test]
    fn cuts_save_nodes_and_more_kinds_of_cuts_save_more() {
        let nodes = [Pruning::None, Pruning::Single, Pruning::Multi].map(|pruning| {
            let all = boards(31, 24..25, 2).into_iter().map(|board| {
                with_search(16, |search| {
                    search.pruning = pruning;
                    deepen(search, board, 9);
                    search.nodes
                })
            });
            all.sum::<u64>()
        });
        assert!(nodes[2] < nodes[1] && nodes[1] < nodes[0], "{nodes:?}");
    }

    #[test]
    fn a_small_table_costs_nodes_and_the_best_move_mostly_comes_first() {
        let of = |bits| {
            with_search(bits, |search| {
                deepen(search, boards(31, 24..25, 1)[0], 7);
                (search.nodes, search.counters)
            })
        };
        let (few, counters) = of(18);
        let (many, _) = of(6);
        assert!(many > few, "{many} {few}");
        assert!(counters.best_first_share() > 0.6, "{counters:?}");
        assert!(
            (1.0..1.8).contains(&counters.searched_per_cut()),
            "{counters:?}"
        );
    }

    #[test]
    fn the_history_orders_squares_between_iterations_only() {
        let mut ordering = Ordering::new();
        let node = Node::root(boards(31, 20..21, 1)[0]);
        let order = |ordering: &Ordering| {
            let other_ply = Node { ply: 5, ..node };
            ordering.squares(&other_ply, None).collect::<Vec<_>>()
        };
        let before = order(&ordering);
        let last = *before.last().unwrap();
        ordering.learn(&node, last, 6);
        assert_eq!(order(&ordering), before);
        ordering.sort();
        assert_eq!(order(&ordering)[0], last);
        // At its own ply it is a killer at once.
        let killer = before[before.len() - 2];
        ordering.learn(&node, killer, 1);
        assert_eq!(ordering.squares(&node, None).next(), Some(killer));
        let known = before[3];
        assert_eq!(ordering.squares(&node, Some(known)).next(), Some(known));
    }

    #[test]
    fn parity_is_looked_at_four_plies_above_the_leaves() {
        // A board where X has lost a corner to O: with parity its value is another one.
        let text = "-XXOOOOOXXOOOOOOXOXOOOOOOOOXOOOOOOOOXOOOOOOOOX--OOOOO---OOOO---- X";
        let board = text.parse::<crate::othello::Position>().unwrap().board;
        assert_ne!(super::super::parity::lost_regions(board), [0, 0]);
        let value = |parity| {
            with_search(14, |search| {
                search.parity = parity;
                deepen(search, board, 1)
            })
        };
        assert!(value(true) != value(false));
    }
}
