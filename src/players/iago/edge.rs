//! One edge of the board by itself: eight squares, its discs and how stable they are (section
//! 3.2.1.2 of the paper).
//!
//! An edge disc can be turned along its edge only, so it is stable when no moves on the edge, by
//! whomever and in whatever order, ever turn it. The paper lists three formations of which this is
//! true; here it is computed for every configuration from those with one disc more, which finds
//! these three and the rare others.

use std::sync::LazyLock;

/// How many ways there are to fill an edge: each square is empty, own or the opponent's.
pub const CONFIGURATIONS: usize = 6561;

/// The discs of an edge, bit 0 the first corner and bit 7 the second; seen by one of the players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub own: u8,
    pub other: u8,
}

/// The value of each set of eight bits read as digits of base 3.
static TERNARY: [u16; 256] = {
    let mut values = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut place, mut power) = (0, 1);
        while place < 8 {
            if bits >> place & 1 == 1 {
                values[bits] += power;
            }
            power *= 3;
            place += 1;
        }
        bits += 1;
    }
    values
};

impl Edge {
    /// The place of the configuration in tables.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(TERNARY[usize::from(self.own)])
            + 2 * usize::from(TERNARY[usize::from(self.other)])
    }

    /// The configuration at this place.
    pub fn of_index(mut index: usize) -> Edge {
        let mut edge = Edge { own: 0, other: 0 };
        for place in 0..8 {
            match index % 3 {
                1 => edge.own |= 1 << place,
                2 => edge.other |= 1 << place,
                _ => {}
            }
            index /= 3;
        }
        edge
    }

    /// The same edge seen by the other player.
    #[inline]
    pub const fn inverse(self) -> Edge {
        Edge {
            own: self.other,
            other: self.own,
        }
    }

    pub const fn empties(self) -> u8 {
        !(self.own | self.other)
    }

    pub const fn disc_count(self) -> u32 {
        (self.own | self.other).count_ones()
    }

    /// The discs along the edge that an own disc on an empty square turns.
    pub fn turned(self, square: u32) -> u8 {
        let toward = |step: &dyn Fn(u8) -> u8| {
            let mut at = step(1 << square);
            let mut run = 0;
            while at & self.other != 0 {
                run |= at;
                at = step(at);
            }
            if at & self.own == 0 { 0 } else { run }
        };
        toward(&|at| at << 1) | toward(&|at| at >> 1)
    }

    /// The edge after an own disc on an empty square, seen by the same player.
    pub fn play(self, square: u32) -> Edge {
        let turned = self.turned(square);
        Edge {
            own: self.own | turned | 1 << square,
            other: self.other & !turned,
        }
    }

    /// The own discs that the opponent's next move on the edge can turn.
    pub fn unstable(self) -> u8 {
        let opponents = self.inverse();
        squares(self.empties()).fold(0, |all, square| all | opponents.turned(square))
    }

    /// The own discs that nothing on the edge will ever turn.
    pub fn stable(self) -> u8 {
        STABLE[self.index()]
    }
}

/// The squares of a set of eight.
pub fn squares(set: u8) -> impl Iterator<Item = u32> {
    (0..8).filter(move |square| set >> square & 1 == 1)
}

/// All configurations, those with the most discs first: what a disc more leads to comes before.
pub fn fullest_first() -> impl Iterator<Item = Edge> {
    let all = || (0..CONFIGURATIONS).map(Edge::of_index);
    (0..=8)
        .rev()
        .flat_map(move |discs| all().filter(move |edge| edge.disc_count() == discs))
}

/// The stable own discs of each configuration.
static STABLE: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let mut stable = vec![0; CONFIGURATIONS].into_boxed_slice();
    for edge in fullest_first() {
        let mut kept = edge.own;
        for square in squares(edge.empties()) {
            for next in [edge.play(square), edge.inverse().play(square).inverse()] {
                // What changed hands was not stable, and neither is what changes hands later.
                kept &= next.own & stable[next.index()];
            }
        }
        stable[edge.index()] = kept;
    }
    stable
});

#[cfg(test)]
pub mod tests {
    use super::*;

    /// An edge as a string of `X` (own), `O` and `-`.
    pub fn edge(text: &str) -> Edge {
        let bits = |letter| {
            text.bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == letter)
                .fold(0, |bits, (place, _)| bits | 1 << place)
        };
        Edge {
            own: bits(b'X'),
            other: bits(b'O'),
        }
    }

    #[test]
    fn every_configuration_has_its_place() {
        for index in 0..CONFIGURATIONS {
            let edge = Edge::of_index(index);
            assert_eq!(edge.index(), index);
            assert_eq!(edge.own & edge.other, 0);
        }
        assert_eq!(fullest_first().count(), CONFIGURATIONS);
    }

    #[test]
    fn a_disc_turns_what_it_brackets_on_both_sides() {
        assert_eq!(edge("XO-OOX--").play(2), edge("XXXXXX--"));
        assert_eq!(edge("-O-OO---").play(2), edge("-OXOO---"));
        assert_eq!(edge("--OOOX--").play(1), edge("-XXXXX--"));
    }

    #[test]
    fn the_three_formations_of_the_paper_are_stable() {
        // Beside a corner of the same colour, as b1 and c1 of figure 3-8a.
        assert_eq!(edge("XXX-----").stable(), 0b111);
        // Between two stable discs of the opponent.
        assert_eq!(edge("OOXX-OOO").stable(), 0);
        assert_eq!(edge("OXXOOOO-").stable(), 0b110);
        // No empty square.
        assert_eq!(edge("OXOXOXOX").stable(), 0b1010_1010);
    }

    #[test]
    fn discs_that_cost_every_empty_square_to_reach_are_stable_as_h5_and_h6_in_the_paper() {
        // h1 to h8 of figure 3-8a: h4 is unstable and embeds stable discs all the same.
        let white = edge("XX-OXXOO");
        assert_eq!(white.stable() & 0b11_0000, 0b11_0000);
        assert_eq!(white.inverse().stable() & 0b1000, 0);
        // With a square more the string can be made longer and turned.
        assert_eq!(edge("X--OXXOO").stable() & 0b11_0000, 0);
    }

    #[test]
    fn a_semi_stable_disc_survives_the_next_move_only() {
        let alone = edge("--X-----");
        assert_eq!((alone.unstable(), alone.stable()), (0, 0));
        assert_eq!(edge("--XO----").unstable(), 0b100);
        assert_eq!(edge("O-XO----").unstable(), 0b100);
        assert_eq!(edge("OOXO----").unstable(), 0);
    }
}
