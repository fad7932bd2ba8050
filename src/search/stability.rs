//! Discs that can never be turned again: they bound the score from above.

use std::sync::OnceLock;

/// For each edge (own discs in the high byte of the index, the other's in the low byte), the own
/// discs that stay whatever is played on that edge.
pub struct EdgeStability(Box<[u8; 1 << 16]>);

impl EdgeStability {
    /// The table, made on first use.
    pub fn get() -> &'static EdgeStability {
        static TABLE: OnceLock<EdgeStability> = OnceLock::new();
        TABLE.get_or_init(EdgeStability::new)
    }

    fn new() -> EdgeStability {
        let mut table = Box::new([0; 1 << 16]);
        // Fuller edges first: what a move leads to is known when it is asked for.
        for discs in (0..8).map(|empties| 8 - empties) {
            for occupied in (0..=255u8).filter(|edge| edge.count_ones() == discs) {
                let mut own = occupied;
                loop {
                    let other = occupied & !own;
                    table[index(own, other)] = stable_on_edge(&table, own, other);
                    if own == 0 {
                        break;
                    }
                    own = (own - 1) & occupied;
                }
            }
        }
        EdgeStability(table)
    }

    #[inline(always)]
    fn of(&self, own: u8, other: u8) -> u8 {
        self.0[index(own, other)]
    }
}

#[inline(always)]
fn index(own: u8, other: u8) -> usize {
    (own as usize) << 8 | other as usize
}

/// The own discs that survive every move of either side on this edge. A move that turns nothing
/// along the edge may still be legal through another line, so any empty square may be taken.
fn stable_on_edge(table: &[u8; 1 << 16], own: u8, other: u8) -> u8 {
    let mut stable = own;
    for square in (0..8).filter(|&s| (own | other) >> s & 1 == 0) {
        let bit = 1 << square;
        let turned = flips_on_edge(square, own, other);
        let own_move = table[index(own | turned | bit, other & !turned)];
        let turned = flips_on_edge(square, other, own);
        let other_move = table[index(own & !turned, other | turned | bit)];
        stable &= own_move & other_move;
    }
    stable
}

fn flips_on_edge(square: u32, mover: u8, opponent: u8) -> u8 {
    let mut flips = 0;
    for step in [1i32, -1] {
        let mut line = 0u8;
        let mut at = square as i32 + step;
        while (0..8).contains(&at) && opponent >> at & 1 == 1 {
            line |= 1 << at;
            at += step;
        }
        if (0..8).contains(&at) && mover >> at & 1 == 1 {
            flips |= line;
        }
    }
    flips
}

const TOP: u64 = 0xff;
const BOTTOM: u64 = 0xff << 56;
const LEFT: u64 = 0x0101_0101_0101_0101;
const RIGHT: u64 = LEFT << 7;
const BORDER: u64 = TOP | BOTTOM | LEFT | RIGHT;

/// A lower bound on the number of stable discs of `own`.
#[inline(always)]
pub fn count_stable(edges: &EdgeStability, own: u64, other: u64) -> u32 {
    stable(edges, own, other).count_ones()
}

/// Discs of `own` that are stable for sure. Not inlined into the code of a CPU tier, where the
/// compiler makes vectors of the four lines and waits for them at every step.
#[inline(never)]
fn stable(edges: &EdgeStability, own: u64, other: u64) -> u64 {
    let full = full_lines(own | other);
    let mut stable = stable_edges(edges, own, other)
        | own & full.rows & full.columns & full.rising & full.falling;
    if stable == 0 {
        return 0;
    }
    // A disc is stable when on each of its four lines the line is full or a neighbour is a stable
    // disc of the same player; edges are settled by the table.
    let inner = own & !BORDER;
    loop {
        let rows = stable << 1 | stable >> 1 | full.rows;
        let columns = stable << 8 | stable >> 8 | full.columns;
        let rising = stable << 7 | stable >> 7 | full.rising;
        let falling = stable << 9 | stable >> 9 | full.falling;
        let grown = stable | inner & rows & columns & rising & falling;
        if grown == stable {
            return stable;
        }
        stable = grown;
    }
}

#[inline(always)]
fn stable_edges(edges: &EdgeStability, own: u64, other: u64) -> u64 {
    let top = edges.of(own as u8, other as u8) as u64;
    let bottom = (edges.of((own >> 56) as u8, (other >> 56) as u8) as u64) << 56;
    let left = unpack_column(edges.of(pack_column(own), pack_column(other)));
    let right = unpack_column(edges.of(pack_column(own >> 7), pack_column(other >> 7))) << 7;
    top | bottom | left | right
}

/// The a column as a byte, a1 in bit 0.
#[inline(always)]
fn pack_column(bits: u64) -> u8 {
    ((bits & LEFT).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[inline(always)]
fn unpack_column(bits: u8) -> u64 {
    // Spread the byte over all rows, keep one bit of each, and move it to the a column.
    let spread = (bits as u64).wrapping_mul(LEFT) & 0x8040_2010_0804_0201;
    (spread + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & LEFT
}

struct FullLines {
    rows: u64,
    columns: u64,
    rising: u64,
    falling: u64,
}

#[inline(always)]
fn full_lines(occupied: u64) -> FullLines {
    let mut rows = occupied;
    rows &= rows >> 4;
    rows &= rows >> 2;
    rows &= rows >> 1;
    rows = (rows & LEFT) * 0xff;
    let mut columns = occupied;
    columns &= columns.rotate_right(32);
    columns &= columns.rotate_right(16);
    columns &= columns.rotate_right(8);
    FullLines {
        rows,
        columns,
        rising: full_diagonals::<7>(occupied, LEFT, RIGHT),
        falling: full_diagonals::<9>(occupied, RIGHT, LEFT),
    }
}

/// The squares whose whole diagonal is occupied. Going down each step shifts by `SHIFT` bits and
/// ends at the `last` column or the bottom; going up it ends at the `first` column or the top.
#[inline(always)]
fn full_diagonals<const SHIFT: u32>(occupied: u64, last: u64, first: u64) -> u64 {
    let towards = |column: u64, k: u32| {
        // The k columns from this one inwards.
        if column == LEFT {
            column * ((1 << k) - 1)
        } else {
            column / (1 << (k - 1)) * ((1 << k) - 1)
        }
    };
    let (mut down, mut up) = (occupied, occupied);
    for k in [1, 2, 4] {
        let leaves_down = towards(last, k) | !0 << (64 - 8 * k);
        let leaves_up = towards(first, k) | ((1 << (8 * k)) - 1);
        down &= down >> (SHIFT * k) | leaves_down;
        up &= up << (SHIFT * k) | leaves_up;
    }
    down & up
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Bitboard, Board};
    use proptest::prelude::*;

    #[test]
    fn columns_pack_and_unpack() {
        for byte in 0..=255u8 {
            let column = unpack_column(byte);
            assert_eq!(column & !LEFT, 0, "{byte:#x}");
            assert_eq!(pack_column(column), byte);
        }
    }

    #[test]
    fn a_corner_and_what_leans_on_it_is_stable() {
        let edges = EdgeStability::get();
        assert_eq!(count_stable(edges, 1, 0), 1);
        assert_eq!(count_stable(edges, 0b111, 0b11000), 3);
        assert_eq!(count_stable(edges, 0b110, 0), 0);
        assert_eq!(count_stable(edges, !0, 0), 64);
    }

    /// Plays random games to the end from a random board and keeps what was never turned.
    fn discs_that_survive_play(own: u64, other: u64, seed: u64) -> u64 {
        let mut kept = own;
        let mut state = seed | 1;
        for _ in 0..20 {
            let mut board = Board::new(Bitboard(own), Bitboard(other)).unwrap();
            let mut own_to_move = true;
            loop {
                let mut moves = board.legal_moves();
                if moves.is_empty() {
                    board = board.pass();
                    own_to_move = !own_to_move;
                    moves = board.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                }
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let choice = (state >> 33) as usize % moves.count() as usize;
                board = board.play(moves.into_iter().nth(choice).unwrap()).unwrap();
                own_to_move = !own_to_move;
                kept &= if own_to_move {
                    board.mover().0
                } else {
                    board.opponent().0
                };
            }
        }
        kept
    }

    proptest! {
        #[test]
        fn full_diagonals_are_those_a_walk_finds(occupied: u64, more: u64) {
            let occupied = occupied | more;
            let walk = |dx: i32| {
                (0..64i32).filter(|square| {
                    let (x, y) = (square % 8, square / 8);
                    (-7..8).all(|k| {
                        let (cx, cy) = (x + k * dx, y + k);
                        let inside = (0..8).contains(&cx) && (0..8).contains(&cy);
                        !inside || occupied >> (cy * 8 + cx) & 1 == 1
                    })
                }).fold(0u64, |set, square| set | 1 << square)
            };
            let full = full_lines(occupied);
            prop_assert_eq!(full.falling, walk(1));
            prop_assert_eq!(full.rising, walk(-1));
        }

        #[test]
        fn no_game_turns_more_discs_than_the_bound_allows(a: u64, b: u64, c: u64, seed: u64) {
            let occupied = a | b;
            let own = occupied & c;
            let other = occupied & !c;
            let survivors = discs_that_survive_play(own, other, seed).count_ones();
            prop_assert!(count_stable(EdgeStability::get(), own, other) <= survivors);
        }
    }
}
