//! The searches of section 4: minimax, alpha-beta, NegaScout and MTD(f), with or without a table.
//!
//! The paper orders by the best move of the table and names no order of the rest; here corners come
//! first and C- and X-squares last.

use super::features::Weights;
use super::grid::Grid;
use super::table::{Bound, Entry, Table};
use crate::othello::{Bitboard, Score, Square};
use crate::players::meter::Meter;

/// Beyond every value, in hundredths of a disc.
const LIMIT: i32 = 10_000;
/// Plies that no game has: a search to the end.
pub const TO_THE_END: u32 = 64;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Algorithm {
    /// Every node; without the table, as the paper measures it.
    Minimax,
    AlphaBeta,
    NegaScout,
    /// The paper's best.
    #[default]
    MtdF,
}

/// What a table is used for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Memory {
    None,
    /// Values of positions that were searched.
    Values,
    /// Best moves, to try them first.
    Moves,
    #[default]
    Both,
}

impl Memory {
    const fn has_values(self) -> bool {
        matches!(self, Memory::Values | Memory::Both)
    }

    const fn has_moves(self) -> bool {
        matches!(self, Memory::Moves | Memory::Both)
    }
}

/// Squares in the order in which they are tried.
const ORDER: [u64; 4] = [
    // Corners.
    0x8100_0000_0000_0081,
    // The rest.
    0x3c3c_ffff_ffff_3c3c,
    // C-squares.
    0x4281_0000_0000_8142,
    // X-squares.
    0x0042_0000_0000_4200,
];

/// A search and what it counts.
pub struct Search<'a, 'm> {
    pub algorithm: Algorithm,
    pub memory: Memory,
    pub table: &'a mut Table,
    pub weights: &'a Weights,
    pub meter: &'a mut Meter<'m>,
    /// Positions that were valued by the evaluation, and the moves there were in them.
    pub leaves: u64,
    pub leaf_moves: u64,
}

/// The best move of a root and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    pub square: Square,
    pub value: i32,
}

impl Search<'_, '_> {
    /// The best move so many plies deep; `guess` is where MTD(f) begins. None when the search had to
    /// end before.
    pub fn best<G: Grid>(&mut self, root: &G, depth: u32, guess: i32) -> Option<Best> {
        if self.algorithm != Algorithm::MtdF {
            return self.root(root, depth, -LIMIT, LIMIT);
        }
        let (mut lower, mut upper) = (-LIMIT, LIMIT);
        let mut value = guess.clamp(-LIMIT + 1, LIMIT - 1);
        let mut best = None;
        while lower < upper {
            let beta = if value == lower { value + 1 } else { value };
            let found = self.root(root, depth, beta - 1, beta)?;
            value = found.value;
            if value < beta {
                upper = value;
            } else {
                lower = value;
                best = Some(found);
            }
        }
        best.map(|best| Best { value, ..best })
    }

    /// The root is a node whose best move is asked for.
    fn root<G: Grid>(&mut self, root: &G, depth: u32, alpha: i32, beta: i32) -> Option<Best> {
        let (value, square) = self.inner(root, root.moves(), depth, alpha, beta)?;
        let first = root.moves().first();
        square.or(first).map(|square| Best { square, value })
    }

    fn value<G: Grid>(&mut self, node: &G, depth: u32, alpha: i32, beta: i32) -> Option<i32> {
        if !self.meter.count() {
            return None;
        }
        if depth == 0 {
            return Some(self.leaf(node));
        }
        let moves = node.moves();
        if moves.is_empty() {
            let passed = node.pass();
            if passed.moves().is_empty() {
                return Some(finished(node));
            }
            return self
                .value(&passed, depth, -beta, -alpha)
                .map(|value| -value);
        }
        self.inner(node, moves, depth, alpha, beta)
            .map(|(value, _)| value)
    }

    fn leaf<G: Grid>(&mut self, node: &G) -> i32 {
        let [own, other] = node.discs();
        if own + other == 64 || own == 0 || other == 0 {
            return finished(node);
        }
        let seen = node.features();
        self.leaves += 1;
        self.leaf_moves += u64::from(seen.moves);
        self.weights.value(seen.features, own + other)
    }

    /// A node with moves: its value, or a bound beyond the window, and the best move if one is
    /// better than the window.
    fn inner<G: Grid>(
        &mut self,
        node: &G,
        moves: Bitboard,
        depth: u32,
        alpha: i32,
        beta: i32,
    ) -> Option<(i32, Option<Square>)> {
        let known = match (self.memory, self.algorithm) {
            (Memory::None, _) | (_, Algorithm::Minimax) => None,
            _ => self.table.find(node.key()),
        };
        let (mut low, mut high) = (alpha, beta);
        if let Some(entry) = known.filter(|entry| u32::from(entry.depth) >= depth)
            && self.memory.has_values()
        {
            let value = i32::from(entry.value);
            match entry.bound {
                Bound::Exact => (low, high) = (value, value),
                Bound::Lower => low = low.max(value),
                Bound::Upper => high = high.min(value),
            }
            if low >= high {
                return Some((value, entry.best));
            }
        }
        let (low, high) = (low, high);
        let first = known
            .filter(|_| self.memory.has_moves())
            .and_then(|entry| entry.best)
            .filter(|&square| moves.contains(square));
        let rest = first.map_or(moves, |square| moves & !Bitboard::from(square));
        let ordered = ORDER.into_iter().flat_map(|of| rest & Bitboard(of));
        let (mut best, mut best_square) = (-LIMIT, None);
        for (place, square) in first.into_iter().chain(ordered).enumerate() {
            let bar = low.max(best);
            let value = self.child(&node.play(square), depth - 1, bar, high, place == 0)?;
            if value > best {
                best = value;
                if value > low || self.algorithm == Algorithm::Minimax {
                    best_square = Some(square);
                }
            }
            if best >= high && self.algorithm != Algorithm::Minimax {
                break;
            }
        }
        let bound = if best >= high {
            Bound::Lower
        } else if best <= low {
            Bound::Upper
        } else {
            Bound::Exact
        };
        if self.memory != Memory::None && self.algorithm != Algorithm::Minimax {
            self.table.store(Entry {
                key: node.key(),
                value: best as i16,
                depth: depth as u8,
                bound,
                // A bound from below says nothing of the moves: what was best before stays.
                best: best_square.or(first),
            });
        }
        Some((best, best_square))
    }

    /// The value of a child for its parent.
    fn child<G: Grid>(
        &mut self,
        child: &G,
        depth: u32,
        low: i32,
        high: i32,
        is_first: bool,
    ) -> Option<i32> {
        let full = |search: &mut Self, low: i32, high: i32| {
            search.value(child, depth, -high, -low).map(|value| -value)
        };
        match self.algorithm {
            Algorithm::Minimax => full(self, -LIMIT, LIMIT),
            Algorithm::AlphaBeta | Algorithm::MtdF => full(self, low, high),
            Algorithm::NegaScout if is_first || high - low <= 1 => full(self, low, high),
            Algorithm::NegaScout => {
                let tested = full(self, low, low + 1)?;
                if tested > low && tested < high {
                    full(self, tested, high)
                } else {
                    Some(tested)
                }
            }
        }
    }
}

/// At the end only the pieces count.
fn finished<G: Grid>(node: &G) -> i32 {
    let [own, other] = node.discs();
    100 * Score::of_finished(own, other).discs()
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Bits, Squares};
    use super::*;
    use crate::othello::{Board, MoveList, Position, Random};
    use crate::search::StopButton;

    fn search<G: Grid>(
        board: Board,
        depth: u32,
        algorithm: Algorithm,
        memory: Memory,
    ) -> (Best, u64) {
        let stop = StopButton::new();
        let mut meter = Meter::new(None, None, &stop);
        let mut table = Table::new(14);
        let weights = Weights::untrained();
        let mut guess = 0;
        let mut found = None;
        // Deepening as it plays: the table knows the moves of the ply before.
        for depth in 1..=depth {
            let mut search = Search {
                algorithm,
                memory,
                table: &mut table,
                weights: &weights,
                meter: &mut meter,
                leaves: 0,
                leaf_moves: 0,
            };
            let best = search.best(&G::of(board), depth, guess).unwrap();
            guess = best.value;
            found = Some(best);
        }
        (found.unwrap(), meter.nodes())
    }

    fn midgame() -> Board {
        let list = MoveList::parse(Position::START, "f5d6c3d3c4f4f6f3e6e7").unwrap();
        list.end.board
    }

    #[test]
    fn the_order_names_every_square_once() {
        assert_eq!(ORDER.iter().fold(0, |all, of| all ^ of), u64::MAX);
        assert_eq!(ORDER.iter().map(|of| of.count_ones()).sum::<u32>(), 64);
    }

    #[test]
    fn all_searches_find_the_value_of_minimax_on_both_boards() {
        let (expected, _) = search::<Bits>(midgame(), 4, Algorithm::Minimax, Memory::None);
        for algorithm in [Algorithm::AlphaBeta, Algorithm::NegaScout, Algorithm::MtdF] {
            for memory in [Memory::None, Memory::Values, Memory::Moves, Memory::Both] {
                let (found, _) = search::<Bits>(midgame(), 4, algorithm, memory);
                assert_eq!(found.value, expected.value, "{algorithm:?} {memory:?}");
            }
            let (bits, nodes) = search::<Bits>(midgame(), 4, algorithm, Memory::Both);
            let (squares, same) = search::<Squares>(midgame(), 4, algorithm, Memory::Both);
            assert_eq!((bits, nodes), (squares, same), "{algorithm:?}");
        }
    }

    #[test]
    fn cuts_and_the_table_save_nodes() {
        let nodes = |algorithm, memory| search::<Bits>(midgame(), 5, algorithm, memory).1;
        let minimax = nodes(Algorithm::Minimax, Memory::None);
        let cut = nodes(Algorithm::AlphaBeta, Memory::None);
        let remembered = nodes(Algorithm::AlphaBeta, Memory::Both);
        assert!(10 * cut < minimax, "{cut} of {minimax}");
        assert!(remembered < cut, "{remembered} of {cut}");
    }

    #[test]
    fn ends_are_solved() {
        let mut random = Random::new(4);
        let solver = crate::search::Searcher::new(1 << 20);
        for _ in 0..10 {
            let mut position = Position::START;
            while position.board.empty_count() > 8 && !position.board.is_over() {
                let square = random.square(position.board.legal_moves()).unwrap();
                position = position.play(square).unwrap();
            }
            if position.board.is_over() {
                continue;
            }
            let exact = solver.search(position.board, &crate::search::Limits::solve());
            let stop = StopButton::new();
            let mut meter = Meter::new(None, None, &stop);
            let mut search = Search {
                algorithm: Algorithm::MtdF,
                memory: Memory::Both,
                table: &mut Table::new(14),
                weights: &Weights::untrained(),
                meter: &mut meter,
                leaves: 0,
                leaf_moves: 0,
            };
            let best = search.best(&Bits::of(position.board), TO_THE_END, 0);
            assert_eq!(best.unwrap().value, exact.value);
            assert_eq!(search.leaves, 0, "nothing was estimated");
        }
    }
}
