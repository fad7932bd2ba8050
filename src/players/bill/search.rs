//! The middle game: full-width alpha-beta with iterative deepening, ordered by hash and killer
//! tables, with zero windows.
//!
//! The paper does not say how narrow the window of the first move is: here ±60 points around the
//! value of the iteration before, opened where that fails. Inside the tree a move that beats its
//! zero window is searched again at once; at the root, as the paper has it, only if several do.
//! A pass costs no depth.

use super::best_moves::BestMoves;
use super::combination::Combination;
use super::features::Knowledge;
use super::killers::KillerLists;
use super::lines::{Indices, Side};
use super::timing::Budget;
use crate::othello::{Bitboard, Board, Square};

/// A won game: more than any evaluation; the discs come on top.
pub const WON: i32 = 1_000_000;

pub const INFINITE: i32 = 2_000_000;

/// Half of the first move's window.
const NARROW: i32 = 60;

/// A position of the tree.
#[derive(Clone, Copy)]
pub struct Node {
    pub board: Board,
    pub indices: Indices,
    pub side: Side,
    /// What it is a response to.
    pub last: Option<Square>,
}

impl Node {
    pub fn root(board: Board) -> Node {
        Node {
            board,
            indices: Indices::of(board, Side::First),
            side: Side::First,
            last: None,
        }
    }

    #[inline]
    pub fn after(&self, square: Square, flips: Bitboard) -> Node {
        Node {
            board: self.board.play_unchecked(square, flips),
            indices: self.indices.after(self.side, square, flips),
            side: self.side.other(),
            last: Some(square),
        }
    }

    pub fn passed(&self) -> Node {
        Node {
            board: self.board.pass(),
            side: self.side.other(),
            last: None,
            ..*self
        }
    }
}

/// How far the moves of the root are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// So many plies.
    Plies(u32),
    /// To the end of the game: the final difference of discs.
    End,
}

/// The best of the root's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    pub square: Square,
    pub value: i32,
    /// It alone beat the first move, by how much was not asked: the value may be larger.
    pub is_bound: bool,
}

/// A search with what it remembers.
pub struct Search<'a> {
    pub knowledge: &'a Knowledge,
    pub combination: &'a Combination,
    pub killers: &'a mut KillerLists,
    pub best_moves: &'a mut BestMoves,
    pub budget: Budget,
    pub nodes: u64,
}

impl Search<'_> {
    /// The best of the root's moves; none if the budget ran out. `moves` are legal, the likely best
    /// first.
    pub fn best_of(
        &mut self,
        root: &Node,
        moves: &[Square],
        reach: Reach,
        guess: Option<i32>,
    ) -> Option<Best> {
        let (&first, others) = moves.split_first()?;
        let value = self.first_value(root, first, reach, guess)?;
        self.best_among(root, others, reach, (first, value))
    }

    /// Looks for a better move than the best, which only has to be better, not by how much. Where
    /// several are, they are searched again.
    fn best_among(
        &mut self,
        root: &Node,
        others: &[Square],
        reach: Reach,
        best: (Square, i32),
    ) -> Option<Best> {
        let mut better = Vec::new();
        for &square in others {
            let value = self.value_of(root, square, reach, best.1, best.1 + 1)?;
            if value > best.1 {
                better.push((square, value));
            }
        }
        match better.split_first() {
            None => Some(Best {
                square: best.0,
                value: best.1,
                is_bound: false,
            }),
            Some((&(square, value), [])) => Some(Best {
                square,
                value,
                is_bound: true,
            }),
            Some((&(first, _), rest)) => {
                let value = self.value_of(root, first, reach, best.1, INFINITE)?;
                let rest: Vec<Square> = rest.iter().map(|(square, _)| *square).collect();
                self.best_among(root, &rest, reach, (first, value))
            }
        }
    }

    /// The exact value of the first move, looked for where the iteration before found it.
    fn first_value(
        &mut self,
        root: &Node,
        square: Square,
        reach: Reach,
        guess: Option<i32>,
    ) -> Option<i32> {
        let Some(guess) = guess else {
            return self.value_of(root, square, reach, -INFINITE, INFINITE);
        };
        let (alpha, beta) = (guess - NARROW, guess + NARROW);
        let value = self.value_of(root, square, reach, alpha, beta)?;
        if value <= alpha {
            self.value_of(root, square, reach, -INFINITE, alpha + 1)
        } else if value >= beta {
            self.value_of(root, square, reach, beta - 1, INFINITE)
        } else {
            Some(value)
        }
    }

    /// The value of one of the root's moves, seen by the root, within the window.
    pub fn value_of(
        &mut self,
        root: &Node,
        square: Square,
        reach: Reach,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        let child = root.after(square, root.board.flips(square));
        match reach {
            Reach::Plies(plies) => self
                .search(&child, plies.saturating_sub(1), -beta, -alpha, false)
                .map(|value| -value),
            Reach::End => self.solve(&child, -beta, -alpha).map(|value| -value),
        }
    }

    fn search(
        &mut self,
        node: &Node,
        plies: u32,
        alpha: i32,
        beta: i32,
        has_passed: bool,
    ) -> Option<i32> {
        self.nodes += 1;
        if self.budget.is_over(self.nodes) {
            return None;
        }
        if plies == 0 {
            return Some(self.evaluate(node));
        }
        let found = self.best_value(
            node,
            alpha,
            beta,
            |square, flips| node.after(square, flips),
            |search, child, alpha, beta| search.search(child, plies - 1, alpha, beta, false),
        )?;
        if found.is_some() {
            return found;
        }
        if has_passed {
            return Some(final_value(node.board));
        }
        self.search(&node.passed(), plies, -beta, -alpha, true)
            .map(|value| -value)
    }

    /// The value of a position by those of its moves: the known one first, then as the killers have
    /// it; each after the first with a zero window, and once more where it beats that. The outer
    /// option is that of the budget, the inner one is none where there is no move.
    pub fn best_value(
        &mut self,
        node: &Node,
        alpha: i32,
        beta: i32,
        child: impl Fn(Square, Bitboard) -> Node,
        mut value_of: impl FnMut(&mut Self, &Node, i32, i32) -> Option<i32>,
    ) -> Option<Option<i32>> {
        let board = node.board;
        let known = self.best_moves.get(board);
        let responses = self
            .killers
            .responses(node.side, node.last, board.empties());
        let mut first_tried = None;
        let mut best = None;
        let others = responses.filter(|square| Some(*square) != known);
        for square in known.into_iter().chain(others) {
            // Only now is the move tested for being legal.
            let flips = board.flips(square);
            if flips.is_empty() || !board.empties().contains(square) {
                continue;
            }
            let child = child(square, flips);
            let value = match best {
                None => -value_of(self, &child, -beta, -alpha)?,
                Some((_, so_far)) => {
                    let floor = alpha.max(so_far);
                    let value = -value_of(self, &child, -floor - 1, -floor)?;
                    if floor < value && value < beta {
                        -value_of(self, &child, -beta, -value)?
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
        if let Some((square, value)) = best
            && value > alpha
        {
            self.remember(node, square, first_tried);
        }
        Some(best.map(|(_, value)| value))
    }

    /// Learns that a move was the best, of the hash table's and of the list's moves.
    fn remember(&mut self, node: &Node, best: Square, first_tried: Option<Square>) {
        self.best_moves.put(node.board, best);
        if let Some(worse) = first_tried.filter(|first| *first != best) {
            self.killers.move_before(node.side, node.last, best, worse);
        }
    }

    fn evaluate(&self, node: &Node) -> i32 {
        let board = node.board;
        if board.is_over() {
            return final_value(board);
        }
        let features = self.knowledge.features(board, &node.indices, node.side);
        self.combination.value(&features, board.disc_count())
    }
}

/// The value of a finished game for the middle game's search.
pub fn final_value(board: Board) -> i32 {
    let discs = board.final_score().discs();
    discs.signum() * WON + discs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Thinking;
    use crate::players::bill::possible::SITUATIONS;
    use crate::players::trials::boards;
    use crate::search::StopButton;

    /// Plain minimax with the same evaluation.
    fn minimax(search: &Search<'_>, node: &Node, plies: u32, has_passed: bool) -> i32 {
        if plies == 0 {
            return search.evaluate(node);
        }
        let values = node.board.legal_moves().into_iter().map(|square| {
            let child = node.after(square, node.board.flips(square));
            -minimax(search, &child, plies - 1, false)
        });
        match values.max() {
            Some(value) => value,
            None if has_passed => final_value(node.board),
            None => -minimax(search, &node.passed(), plies, true),
        }
    }

    fn with_search<R>(thinking: &Thinking, run: impl FnOnce(&mut Search<'_>) -> R) -> R {
        let knowledge = Knowledge::new(&[40; SITUATIONS]);
        run(&mut Search {
            knowledge: &knowledge,
            combination: &Combination::Linear,
            killers: &mut KillerLists::new(),
            best_moves: &mut BestMoves::new(),
            budget: Budget::new(thinking, 60, &StopButton::new()),
            nodes: 0,
        })
    }

    #[test]
    fn the_move_found_is_as_good_as_that_of_plain_minimax() {
        let thinking = Thinking {
            depth: Some(60),
            ..Thinking::default()
        };
        for board in boards(1, 20..21, 6).into_iter().chain(boards(2, 58..59, 6)) {
            with_search(&thinking, |search| {
                let root = Node::root(board);
                let moves: Vec<Square> = board.legal_moves().into_iter().collect();
                let mut guess = None;
                for plies in 1..=4 {
                    let reach = Reach::Plies(plies);
                    let best = search.best_of(&root, &moves, reach, guess).unwrap();
                    guess = Some(best.value);
                    let child = root.after(best.square, board.flips(best.square));
                    let of_found = -minimax(search, &child, plies - 1, false);
                    let of_best = minimax(search, &root, plies, false);
                    assert_eq!(of_found, of_best, "{plies} plies");
                    assert!(best.value == of_best || best.is_bound && best.value < of_best);
                }
            });
        }
    }

    #[test]
    fn a_search_teaches_the_tables_and_then_needs_fewer_nodes() {
        let thinking = Thinking {
            depth: Some(60),
            ..Thinking::default()
        };
        let board = boards(3, 24..25, 1)[0];
        let root = Node::root(board);
        let moves: Vec<Square> = board.legal_moves().into_iter().collect();
        let [taught, untaught] = [4, 6].map(|first| {
            with_search(&thinking, |search| {
                for plies in first..6 {
                    search.best_of(&root, &moves, Reach::Plies(plies), None);
                }
                search.nodes = 0;
                search.best_of(&root, &moves, Reach::Plies(6), None);
                search.nodes
            })
        });
        assert!(taught < untaught, "{taught} {untaught}");
    }

    #[test]
    fn a_search_out_of_nodes_has_no_result() {
        let thinking = Thinking {
            nodes: Some(100),
            ..Thinking::default()
        };
        let board = boards(3, 24..25, 1)[0];
        let moves: Vec<Square> = board.legal_moves().into_iter().collect();
        with_search(&thinking, |search| {
            let found = search.best_of(&Node::root(board), &moves, Reach::Plies(6), None);
            assert_eq!(found, None);
            assert_eq!(search.nodes, 100);
        });
    }
}
