//! What each configuration of an edge is worth to the player to move: the table of section 4.4.1.1.
//!
//! It begins with the weights of table 4-2 and is improved five times from the full edges down: a
//! player moves to an empty square of the edge, as far as that is likely to be possible, or lets
//! the edge be, whichever promises more.
//!
//! The paper does not give the probability of a move that turns no edge disc, other than that it is
//! a function of the neighbours; here it is a half, a fifth more for each neighbour of the opponent
//! and a fifth less for each own one ("if the player has discs in the squares adjacent to the
//! contested square, the opponent is likely to get the square", 3.2.1.2). It says that the value
//! after a move is multiplied by its probability; taken by the letter an unlikely move would save a
//! lost edge, so with the rest of the probability the edge is let be. Who lets an edge be leaves
//! it to the opponent as the last improvement valued it. Table 4-2 has a fourth "200" in the copy
//! we have, for corners, which cannot be semi-stable.

use super::edge::{CONFIGURATIONS, Edge, fullest_first, squares};
use std::sync::LazyLock;

/// How often the paper's program improved its table.
const IMPROVEMENTS: usize = 5;

/// Table 4-2: stable, semi-stable, unstable.
const CORNER: [i32; 3] = [700, 0, 0];
const C_SQUARE: [i32; 3] = [1200, 200, -25];
const A_SQUARE: [i32; 3] = [1000, 200, 75];
const B_SQUARE: [i32; 3] = [1000, 200, 50];
const WEIGHTS: [[i32; 3]; 8] = [
    CORNER, C_SQUARE, A_SQUARE, B_SQUARE, B_SQUARE, A_SQUARE, C_SQUARE, CORNER,
];

/// The values of all configurations for the player to move.
pub struct EdgeTable(Box<[i32]>);

impl EdgeTable {
    /// The table that IAGO plays with.
    pub fn get() -> &'static EdgeTable {
        static TABLE: LazyLock<EdgeTable> = LazyLock::new(|| {
            let mut table = EdgeTable::unimproved();
            for _ in 0..IMPROVEMENTS {
                table.improve();
            }
            table
        });
        &TABLE
    }

    fn unimproved() -> EdgeTable {
        let values = (0..CONFIGURATIONS).map(|index| static_value(Edge::of_index(index)));
        EdgeTable(values.collect())
    }

    /// What the edge is worth to the player whose discs are `own`, who moves next.
    #[inline]
    pub fn to_move(&self, edge: Edge) -> i32 {
        self.0[edge.index()]
    }

    /// The same when the opponent moves next.
    #[inline]
    pub fn to_wait(&self, edge: Edge) -> i32 {
        -self.to_move(edge.inverse())
    }

    /// One pass from the full edges down.
    fn improve(&mut self) {
        let before = EdgeTable(self.0.clone());
        for edge in fullest_first() {
            self.0[edge.index()] = self.improved(edge, before.to_wait(edge));
        }
    }

    /// The best of letting the edge be and of the moves on it.
    fn improved(&self, edge: Edge, let_be: i32) -> i32 {
        squares(edge.empties())
            .map(|square| {
                let (chance, moved) = (probability(edge, square), self.to_wait(edge.play(square)));
                (chance * f64::from(moved) + (1.0 - chance) * f64::from(let_be)).round() as i32
            })
            .fold(let_be, i32::max)
    }
}

fn static_value(edge: Edge) -> i32 {
    let of_player = |edge: Edge| -> i32 {
        let (stable, unstable) = (edge.stable(), edge.unstable());
        squares(edge.own)
            .map(|square| {
                let [when_stable, when_semi_stable, when_unstable] = WEIGHTS[square as usize];
                if stable >> square & 1 == 1 {
                    when_stable
                } else if unstable >> square & 1 == 1 {
                    when_unstable
                } else {
                    when_semi_stable
                }
            })
            .sum()
    };
    of_player(edge) - of_player(edge.inverse())
}

/// How likely it is that a move to an empty square of the edge can be made.
fn probability(edge: Edge, square: u32) -> f64 {
    if edge.turned(square) != 0 {
        return 1.0;
    }
    if square == 0 || square == 7 {
        return 0.0;
    }
    let neighbours = (1 << (square + 1) | 1 << (square - 1)) as u8;
    let opponents = f64::from((edge.other & neighbours).count_ones());
    let own = f64::from((edge.own & neighbours).count_ones());
    0.5 + 0.2 * (opponents - own)
}

#[cfg(test)]
mod tests {
    use super::super::edge::tests::edge;
    use super::*;

    #[test]
    fn the_first_values_are_the_sums_of_table_4_2() {
        assert_eq!(
            static_value(edge("XXXXXXXX")),
            2 * (700 + 1200 + 1000 + 1000)
        );
        assert_eq!(static_value(edge("X-------")), 700);
        assert_eq!(static_value(edge("-X------")), 200);
        assert_eq!(static_value(edge("--XO----")), 75 - 50);
        assert_eq!(static_value(edge("-X-O----")), 200 - 200);
        assert_eq!(static_value(edge("-XO-----")), -25 - 75);
    }

    #[test]
    fn full_edges_are_fixed_from_the_start() {
        for edge in fullest_first().take(256) {
            assert_eq!(EdgeTable::get().to_move(edge), static_value(edge));
        }
    }

    #[test]
    fn improvements_change_less_and_less_until_hardly_any_value_is_not_its_best_alternative() {
        let mut table = EdgeTable::unimproved();
        let improve = |table: &mut EdgeTable| -> Vec<i32> {
            let before = table.0.clone();
            table.improve();
            let change = |(new, old): (&i32, &i32)| (new - old).abs();
            table.0.iter().zip(&before).map(change).collect()
        };
        let sums: Vec<i32> = (0..IMPROVEMENTS)
            .map(|_| improve(&mut table).iter().sum())
            .collect();
        assert!(sums.is_sorted_by(|a, b| a > b), "{sums:?}");
        for _ in IMPROVEMENTS..200 {
            improve(&mut table);
        }
        // Where both would rather leave the edge to the other, two values change places for ever.
        let changes = improve(&mut table);
        let restless = changes.iter().filter(|&&change| change > 50).count();
        assert!(restless * 40 < CONFIGURATIONS, "{restless}");
    }

    #[test]
    fn a_mirrored_edge_is_worth_the_same() {
        for index in 0..CONFIGURATIONS {
            let edge = Edge::of_index(index);
            let mirrored = Edge {
                own: edge.own.reverse_bits(),
                other: edge.other.reverse_bits(),
            };
            let table = EdgeTable::get();
            assert_eq!(table.to_move(edge), table.to_move(mirrored));
        }
    }

    #[test]
    fn whose_turn_it_is_decides_the_edge_of_figure_3_3b() {
        // Whoever plays the gap first gets the edge.
        let table = EdgeTable::get();
        let open = edge("X-OOOOO-");
        assert!(table.to_move(open) > 5000, "{}", table.to_move(open));
        assert!(table.to_wait(open) < table.to_move(open));
        // A C-square before an empty corner that the opponent can take at once.
        assert!(table.to_wait(edge("-XO-----")) < -500);
    }

    #[test]
    fn moves_beside_the_opponents_discs_are_likely_and_corners_need_a_bracket() {
        assert_eq!(probability(edge("-OX-----"), 0), 1.0);
        assert_eq!(probability(edge("-O------"), 0), 0.0);
        assert_eq!(probability(edge("--O-O---"), 3), 0.9);
        assert!((probability(edge("--X-X---"), 3) - 0.1).abs() < 1e-9);
        assert_eq!(probability(edge("--------"), 3), 0.5);
    }
}
