//! The search (section 4.2): full-width alpha-beta, whose top plies are kept in order from one
//! iteration to the next and whose other nodes are ordered by [`Killers`].
//!
//! Where the paper is silent: a forced pass is not a ply; a game that ends within the search counts
//! more than every evaluation, by its result; nodes return bounds beyond the window (fail-soft).

use super::evaluation::{self, Inherited, move_number};
use super::internal::internal_stability;
use super::killers::{Context, Killers};
use crate::othello::{Bitboard, Board, Square};
use crate::players::meter::Meter;

/// Beyond every evaluation.
const RESULT: i32 = 10_000_000;
const LIMIT: i32 = i32::MAX / 2;

/// What the terminal nodes of a search are valued by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The evaluation, so many plies from the root.
    Depth(u32),
    /// Evaluation (1): the final disc difference.
    Discs,
    /// Evaluation (2): win, tie or loss.
    Outcome,
}

impl Goal {
    const fn plies(self) -> u32 {
        match self {
            Goal::Depth(plies) => plies,
            // No game is as long.
            Goal::Discs | Goal::Outcome => 64,
        }
    }

    const fn widest(self) -> i32 {
        match self {
            Goal::Depth(_) => LIMIT,
            Goal::Discs => 64,
            Goal::Outcome => 1,
        }
    }

    const fn of_finished(self, board: Board) -> i32 {
        let discs = board.final_score().discs();
        match self {
            Goal::Depth(_) => discs.signum() * RESULT + 1000 * discs,
            Goal::Discs => discs,
            Goal::Outcome => discs.signum(),
        }
    }
}

/// A node of the saved top plies: its moves in the order in which to try them next time.
#[derive(Default)]
pub struct Saved {
    moves: Vec<SavedMove>,
}

struct SavedMove {
    square: Square,
    value: Option<i32>,
    below: Saved,
}

impl Saved {
    fn fill(&mut self, squares: &[Square]) {
        let unsearched = |&square| SavedMove {
            square,
            value: None,
            below: Saved::default(),
        };
        self.moves = squares.iter().map(unsearched).collect();
    }

    /// The best first; what was not reached behind what was, in the order it had.
    fn sort(&mut self) {
        self.moves.sort_by_key(|m| std::cmp::Reverse(m.value));
    }
}

/// A node on the way down.
#[derive(Clone, Copy)]
struct Node {
    board: Board,
    side: usize,
    previous: Option<Square>,
    ply: u32,
    /// Plies still to go.
    depth: u32,
    alpha: i32,
    beta: i32,
    inherited: Inherited,
}

impl Node {
    fn context(&self) -> Context {
        Context {
            side: self.side,
            previous: self.previous,
            move_number: move_number(self.board),
        }
    }

    /// The node after a move, with this best value so far.
    fn after(&self, square: Square, best: i32, inherited: Inherited) -> Node {
        Node {
            board: self.board.play_unchecked(square, self.board.flips(square)),
            side: self.side ^ 1,
            previous: Some(square),
            ply: self.ply + 1,
            depth: self.depth - 1,
            alpha: -self.beta,
            beta: -self.alpha.max(best),
            inherited,
        }
    }

    /// What is counted here for the terminal nodes below, where they are next.
    fn inheritance(&self, moves: Bitboard) -> Inherited {
        Inherited {
            opponents_moves: moves,
            internal: if self.depth == 1 {
                -internal_stability(self.board)
            } else {
                0
            },
        }
    }
}

/// What a first-ply node was worth, or how the iteration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    pub square: Square,
    pub value: i32,
}

/// One iteration of a search, first-ply node by first-ply node.
pub struct Search<'a, 'm> {
    pub killers: &'a mut Killers,
    /// How many plies are kept in order.
    pub saved_plies: u32,
    pub meter: &'a mut Meter<'m>,
    pub goal: Goal,
    /// Positions that were valued.
    pub terminals: u64,
}

impl Search<'_, '_> {
    /// Searches the first-ply nodes in their order until all are done or `goes_on`, asked after
    /// each with how many are done, says no; the best of those that were, and whether all were.
    pub fn iterate(
        &mut self,
        board: Board,
        saved: &mut Saved,
        mut goes_on: impl FnMut(&Meter<'_>, usize) -> bool,
    ) -> (Option<Best>, bool) {
        let widest = self.goal.widest();
        let root = Node {
            board,
            side: 0,
            previous: None,
            ply: 0,
            depth: self.goal.plies(),
            alpha: -widest,
            beta: widest,
            inherited: Inherited::of(board),
        };
        let moves = board.legal_moves();
        self.prepare(&root, moves, saved);
        let inheritance = root.inheritance(moves);
        let mut best: Option<Best> = None;
        let count = saved.moves.len();
        let mut finished = true;
        for place in 0..count {
            let square = saved.moves[place].square;
            let bar = best.map_or(-widest, |best| best.value);
            let child = root.after(square, bar, inheritance);
            let Some(value) = self.value(child, Some(&mut saved.moves[place].below)) else {
                finished = false;
                break;
            };
            let value = -value;
            saved.moves[place].value = Some(value);
            if best.is_none_or(|best| value > best.value) {
                best = Some(Best { square, value });
            }
            if value >= widest {
                break;
            }
            if place + 1 < count && !goes_on(self.meter, place + 1) {
                finished = false;
                break;
            }
        }
        saved.sort();
        if let Some(best) = best {
            self.killers.boost(moves, best.square, root.context());
        }
        (best, finished)
    }

    /// The moves of a node in order: kept from the last iteration in the saved plies.
    fn prepare(&mut self, node: &Node, moves: Bitboard, saved: &mut Saved) {
        if saved.moves.is_empty() || node.ply >= self.saved_plies {
            let (list, count) = self.killers.order(moves, node.context());
            saved.fill(&list[..count]);
        }
        for saved in &mut saved.moves {
            saved.value = None;
        }
    }

    /// The value of a node for its player to move; none when the search had to end.
    fn value(&mut self, node: Node, saved: Option<&mut Saved>) -> Option<i32> {
        if !self.meter.count() {
            return None;
        }
        if node.depth == 0 {
            self.terminals += 1;
            return Some(self.terminal(&node));
        }
        let moves = node.board.legal_moves();
        if moves.is_empty() {
            return self.without_a_move(node, saved);
        }
        match saved {
            Some(saved) if node.ply < self.saved_plies => self.ordered(node, moves, saved),
            _ => self.unordered(node, moves),
        }
    }

    fn terminal(&self, node: &Node) -> i32 {
        if node.board.empties().is_empty() {
            return self.goal.of_finished(node.board);
        }
        let moves = || node.board.legal_moves();
        let window = (node.alpha, node.beta);
        evaluation::evaluate(node.board, moves, node.inherited, window)
    }

    fn without_a_move(&mut self, node: Node, saved: Option<&mut Saved>) -> Option<i32> {
        let board = node.board.pass();
        if board.legal_moves().is_empty() {
            self.terminals += 1;
            return Some(self.goal.of_finished(node.board));
        }
        let passed = Node {
            board,
            side: node.side ^ 1,
            previous: None,
            alpha: -node.beta,
            beta: -node.alpha,
            ..node
        };
        self.value(passed, saved).map(|value| -value)
    }

    /// A node of the saved plies.
    fn ordered(&mut self, node: Node, moves: Bitboard, saved: &mut Saved) -> Option<i32> {
        self.prepare(&node, moves, saved);
        let inheritance = node.inheritance(moves);
        let (mut best, mut best_square) = (-LIMIT, None);
        for place in 0..saved.moves.len() {
            let square = saved.moves[place].square;
            let child = node.after(square, best, inheritance);
            let value = -self.value(child, Some(&mut saved.moves[place].below))?;
            saved.moves[place].value = Some(value);
            if value > best {
                (best, best_square) = (value, Some(square));
            }
            if best >= node.beta {
                break;
            }
        }
        saved.sort();
        if let Some(square) = best_square {
            self.killers.boost(moves, square, node.context());
        }
        Some(best)
    }

    /// A node below them.
    fn unordered(&mut self, node: Node, moves: Bitboard) -> Option<i32> {
        let inheritance = node.inheritance(moves);
        let (list, count) = self.killers.order(moves, node.context());
        let (mut best, mut best_square) = (-LIMIT, list[0]);
        for &square in &list[..count] {
            let value = -self.value(node.after(square, best, inheritance), None)?;
            if value > best {
                (best, best_square) = (value, square);
            }
            if best >= node.beta {
                break;
            }
        }
        self.killers.boost(moves, best_square, node.context());
        Some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::super::killers::Ordering;
    use super::*;
    use crate::othello::{MoveList, Position, Random};
    use crate::search::{Limits, Searcher, StopButton};

    fn board(line: &str) -> Board {
        MoveList::parse(Position::START, line).unwrap().end.board
    }

    /// Minimax with the same evaluation and without any cut.
    fn full(board: Board, depth: u32, inherited: Inherited) -> i32 {
        let goal = Goal::Depth(depth);
        if depth == 0 {
            if board.empties().is_empty() {
                return goal.of_finished(board);
            }
            let moves = || board.legal_moves();
            return evaluation::evaluate(board, moves, inherited, (-LIMIT, LIMIT));
        }
        let moves = board.legal_moves();
        if moves.is_empty() {
            let passed = board.pass();
            if passed.legal_moves().is_empty() {
                return goal.of_finished(board);
            }
            return -full(passed, depth, inherited);
        }
        let below = Inherited {
            opponents_moves: moves,
            internal: -internal_stability(board),
        };
        moves
            .into_iter()
            .map(|square| -full(board.play(square).unwrap(), depth - 1, below))
            .max()
            .unwrap()
    }

    fn deepen(board: Board, ordering: Ordering, saved_plies: u32, depth: u32) -> (Best, u64) {
        let stop = StopButton::new();
        let mut meter = Meter::new(None, None, &stop);
        let mut killers = Killers::new(ordering);
        let mut saved = Saved::default();
        let mut last = None;
        for plies in 1..=depth {
            let mut search = Search {
                killers: &mut killers,
                saved_plies,
                meter: &mut meter,
                goal: Goal::Depth(plies),
                terminals: 0,
            };
            let (best, finished) = search.iterate(board, &mut saved, |_, _| true);
            assert!(finished);
            last = Some((best.unwrap(), search.terminals));
        }
        last.unwrap()
    }

    #[test]
    fn no_ordering_and_no_saved_plies_change_the_value() {
        let board = board("f5d6c3d3c4f4f6f3e6e7");
        let expected = full(board, 4, Inherited::of(board));
        for ordering in [
            Ordering::Generation,
            Ordering::SquareValue,
            Ordering::MoveNumber,
            Ordering::Response,
        ] {
            for saved_plies in [0, 1, 3] {
                let (best, _) = deepen(board, ordering, saved_plies, 4);
                assert_eq!(best.value, expected, "{ordering:?} {saved_plies}");
            }
        }
    }

    #[test]
    fn more_information_about_the_order_makes_the_tree_smaller() {
        let boards = [board("f5d6c3d3c4f4f6f3e6e7"), board("f5f6e6f4e3c5c4d3d2c2")];
        let terminals = |ordering, saved_plies| -> u64 {
            let nodes = |&board| deepen(board, ordering, saved_plies, 6).1;
            boards.iter().map(nodes).sum()
        };
        let poorest = terminals(Ordering::Generation, 0);
        let richest = terminals(Ordering::Response, 3);
        assert!(2 * richest < poorest, "{richest} of {poorest}");
        assert!(terminals(Ordering::Generation, 3) < poorest);
        assert!(terminals(Ordering::Response, 0) < poorest);
    }

    #[test]
    fn endgames_are_solved_by_discs_and_by_outcome() {
        let mut random = Random::new(11);
        let solver = Searcher::new(1 << 20);
        let mut seen = [0; 3];
        for _ in 0..30 {
            let mut position = Position::START;
            while position.board.empty_count() > 8 && !position.board.is_over() {
                let square = random.square(position.board.legal_moves()).unwrap();
                position = position.play(square).unwrap();
            }
            if position.board.is_over() {
                continue;
            }
            let found = solver.search(position.board, &Limits::solve());
            let exact = found.value / 100;
            for (goal, expected) in [(Goal::Discs, exact), (Goal::Outcome, exact.signum())] {
                let stop = StopButton::new();
                let mut meter = Meter::new(None, None, &stop);
                let mut killers = Killers::new(Ordering::Response);
                let mut search = Search {
                    killers: &mut killers,
                    saved_plies: 3,
                    meter: &mut meter,
                    goal,
                    terminals: 0,
                };
                let mut saved = Saved::default();
                let (best, _) = search.iterate(position.board, &mut saved, |_, _| true);
                assert_eq!(best.unwrap().value, expected, "{goal:?}");
            }
            seen[(exact.signum() + 1) as usize] += 1;
        }
        assert!(seen[0] > 0 && seen[2] > 0, "{seen:?}");
    }
}
