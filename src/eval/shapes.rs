//! Which squares each pattern looks at, and where its weights stand in a table.
//!
//! A shape is drawn once; its instances are its distinct images under the eight symmetries, and
//! all of them share one set of weights. An instance reads its squares as a number in base 3,
//! first square most significant, with the digits opponent 0, empty 1, mover 2: then a change of
//! the player to move is `last − index`, and no table is needed for the other side.
//!
//! The set covers every line of four squares or more and the corners in several blocks, which is
//! what the literature and a prototype's held-out errors recommend; it was not searched for.

/// The squares of each pattern, as names run together.
pub const SHAPES: [&str; SHAPE_COUNT] = [
    "a1b1c1d1e1f1g1h1b2g2", // edge and both X squares
    "a1b1c1d1e1f1g1h1c2f2", // edge and the squares inside its A squares
    "a1c1d1e1f1h1c2d2e2f2", // the block on the edge, with its corners
    "a2b2c2d2e2f2g2h2",     // second line
    "a3b3c3d3e3f3g3h3",     // third line
    "a4b4c4d4e4f4g4h4",     // fourth line
    "a1b1c1a2b2c2a3b3c3",   // corner
    "a1b1c1d1a2b2c2a3b3a4", // triangle
    "a1b1c1d1e1a2b2a3a4a5", // both edges of a corner
    "a1b1a2b2c3d4e5f6g7h8", // long diagonal with the C squares of one end
    "a1a2b3c4d5e6f7g8h8",   // diagonal of seven between two corners
    "a3b4c5d6e7f8a7b8b7",   // diagonal of six with the corner's neighbours
    "a4b5c6d7e8b2g7",       // diagonal of five with the X squares beside it
    "a1b2c3d4b1c2d3a2b3c4", // broad diagonal
    "a1b1a2b2c2d2b3c3b4d4", // corner reaching to the middle
    "a1b1a2b2c2d2e2b3b4b5", // corner and both second lines
];

pub const SHAPE_COUNT: usize = 16;

/// Instances of all shapes together: one lane of the feature vectors each.
pub const LANES: usize = 64;

/// No pattern has more squares: 3¹⁰ configurations are what a 16-bit index holds.
pub const MAX_SQUARES: usize = 10;

/// Everything that follows from `SHAPES`, computed by the compiler.
pub const LAYOUT: Layout<SHAPE_COUNT, LANES> = Layout::new(SHAPES);

/// The instances of some shapes, and where the entries of their configurations stand in a table.
pub struct Layout<const SHAPES: usize, const LANES: usize> {
    /// The squares of each lane's instance, in the order of its shape.
    pub squares: [[u8; MAX_SQUARES]; LANES],
    /// The shape of each lane; the number of shapes for a lane that nothing uses.
    pub shape: [u8; LANES],
    /// By which symmetry each lane's instance comes from its shape.
    pub symmetry: [u8; LANES],
    /// How many squares each shape has.
    pub len: [u8; SHAPES],
    /// Where each shape's entries start in a table.
    pub start: [u32; SHAPES],
    /// Where the table would go on: its length without padding.
    pub end: u32,
}

impl<const SHAPES: usize, const LANES: usize> Layout<SHAPES, LANES> {
    pub const fn new(names: [&str; SHAPES]) -> Self {
        let mut layout = Layout {
            squares: [[0; MAX_SQUARES]; LANES],
            shape: [SHAPES as u8; LANES],
            symmetry: [0; LANES],
            len: [0; SHAPES],
            start: [0; SHAPES],
            end: 0,
        };
        let mut lane = 0;
        let mut shape = 0;
        while shape < SHAPES {
            let (squares, len) = parse(names[shape]);
            layout.len[shape] = len as u8;
            layout.start[shape] = layout.end;
            layout.end += 3u32.pow(len as u32);
            let first = lane;
            let mut symmetry = 0;
            while symmetry < 8 {
                let mut image = [0; MAX_SQUARES];
                let mut i = 0;
                while i < len {
                    image[i] = turned(squares[i], symmetry);
                    i += 1;
                }
                let set = set_of(&image, len);
                let mut known = first;
                while known < lane && set_of(&layout.squares[known], len) != set {
                    known += 1;
                }
                if known == lane {
                    layout.squares[lane] = image;
                    layout.shape[lane] = shape as u8;
                    layout.symmetry[lane] = symmetry;
                    lane += 1;
                }
                symmetry += 1;
            }
            shape += 1;
        }
        layout
    }

    /// The same lanes in the order of their symmetries, those that nothing uses last.
    pub const fn by_symmetry(self) -> Self {
        let mut sorted = Layout {
            squares: [[0; MAX_SQUARES]; LANES],
            shape: [SHAPES as u8; LANES],
            symmetry: [8; LANES],
            len: self.len,
            start: self.start,
            end: self.end,
        };
        let mut place = 0;
        let mut symmetry = 0;
        while symmetry < 8 {
            let mut lane = 0;
            while lane < LANES {
                if self.shape[lane] < SHAPES as u8 && self.symmetry[lane] == symmetry {
                    sorted.squares[place] = self.squares[lane];
                    sorted.shape[place] = self.shape[lane];
                    sorted.symmetry[place] = symmetry;
                    place += 1;
                }
                lane += 1;
            }
            symmetry += 1;
        }
        sorted
    }

    /// The number of configurations of a shape.
    pub const fn size(&self, shape: usize) -> usize {
        3usize.pow(self.len[shape] as u32)
    }
}

/// For each index of a shape, the number of its weight among the shape's distinct weights, and
/// how many there are. Configurations that a symmetry of the shape exchanges share a weight.
pub fn folding(shape: usize) -> (Vec<u16>, usize) {
    let permutations = own_symmetries(SHAPES[shape]);
    let permutations: Vec<Vec<usize>> = permutations.into_iter().map(|(_, to)| to).collect();
    let mut fold = vec![0; LAYOUT.size(shape)];
    let mut count = 0;
    for index in 0..fold.len() {
        let smallest = permutations
            .iter()
            .map(|permutation| permuted(index, permutation))
            .min()
            .unwrap_or(index);
        if smallest == index {
            fold[index] = count as u16;
            count += 1;
        } else {
            // Smaller indices are numbered already.
            fold[index] = fold[smallest];
        }
    }
    (fold, count)
}

/// The symmetries that map a shape to itself, and which square each of its squares goes to.
pub fn own_symmetries(names: &str) -> Vec<(u8, Vec<usize>)> {
    let (squares, len) = parse(names);
    let squares = &squares[..len];
    let image = |symmetry| {
        let images = squares.iter().map(|&square| turned(square, symmetry));
        let places = images.map(|image| squares.iter().position(|&other| other == image));
        places.collect::<Option<Vec<usize>>>()
    };
    (0..8)
        .filter_map(|symmetry| Some((symmetry, image(symmetry)?)))
        .collect()
}

/// The symmetry that does what `first` does and then what `second` does, both below 8.
pub const fn composed(second: u8, first: u8) -> u8 {
    COMPOSED[second as usize][first as usize]
}

const COMPOSED: [[u8; 8]; 8] = {
    let mut composed = [[0; 8]; 8];
    let mut pair = 0;
    while pair < 64 {
        let (second, first) = (pair / 8, pair % 8);
        let mut symmetry = 0;
        // Two squares beside a corner tell all symmetries apart.
        while turned(turned(1, first), second) != turned(1, symmetry)
            || turned(turned(8, first), second) != turned(8, symmetry)
        {
            symmetry += 1;
        }
        composed[second as usize][first as usize] = symmetry;
        pair += 1;
    }
    composed
};

/// The symmetry that undoes another.
pub const fn inverse(symmetry: u8) -> u8 {
    let mut other = 0;
    while composed(other, symmetry) != 0 {
        other += 1;
    }
    other
}

/// The index whose digit `permutation[i]` is the digit `i` of this one.
pub fn permuted(mut index: usize, permutation: &[usize]) -> usize {
    // What a digit counts, by its distance from the last one.
    const WORTH: [usize; MAX_SQUARES] = {
        let mut worth = [1; MAX_SQUARES];
        let mut digit = 1;
        while digit < MAX_SQUARES {
            worth[digit] = 3 * worth[digit - 1];
            digit += 1;
        }
        worth
    };
    let mut image = 0;
    for &place in permutation.iter().rev() {
        image += index % 3 * WORTH[permutation.len() - 1 - place];
        index /= 3;
    }
    image
}

pub const fn parse(names: &str) -> ([u8; MAX_SQUARES], usize) {
    let bytes = names.as_bytes();
    let mut squares = [0; MAX_SQUARES];
    let mut i = 0;
    while 2 * i < bytes.len() {
        squares[i] = (bytes[2 * i + 1] - b'1') * 8 + (bytes[2 * i] - b'a');
        i += 1;
    }
    (squares, i)
}

/// `Symmetry` cannot be iterated by the compiler, so the lanes are laid out with this one: bit 0
/// mirrors the columns, bit 1 the rows, bit 2 then exchanges the two.
pub const fn turned(square: u8, symmetry: u8) -> u8 {
    let mut column = square % 8;
    let mut row = square / 8;
    if symmetry & 1 != 0 {
        column = 7 - column;
    }
    if symmetry & 2 != 0 {
        row = 7 - row;
    }
    if symmetry & 4 != 0 {
        (column, row) = (row, column);
    }
    row * 8 + column
}

const fn set_of(squares: &[u8; MAX_SQUARES], len: usize) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < len {
        set |= 1 << squares[i];
        i += 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_has_a_shape_and_every_square_of_the_board_is_seen() {
        assert!(LAYOUT.shape.iter().all(|&s| (s as usize) < SHAPE_COUNT));
        let mut seen = 0;
        for lane in 0..LANES {
            seen |= set_of(
                &LAYOUT.squares[lane],
                LAYOUT.len[LAYOUT.shape[lane] as usize] as usize,
            );
        }
        assert_eq!(seen, u64::MAX);
    }

    #[test]
    fn a_shape_names_no_square_twice() {
        for (shape, names) in SHAPES.iter().enumerate() {
            let (squares, len) = parse(names);
            assert_eq!(set_of(&squares, len).count_ones() as usize, len, "{names}");
            assert_eq!(LAYOUT.len[shape] as usize, len);
        }
    }

    #[test]
    fn folding_halves_a_mirrored_shape_and_keeps_palindromes_apart() {
        // Eight squares in a row: 3⁸ configurations, 3⁴ of them palindromes.
        let line = SHAPES
            .iter()
            .position(|s| *s == "a3b3c3d3e3f3g3h3")
            .unwrap();
        let (fold, count) = folding(line);
        assert_eq!(count, (3usize.pow(8) + 3usize.pow(4)) / 2);
        assert_eq!(fold[1], fold[3usize.pow(7)]);
        assert_ne!(fold[1], fold[2]);
    }
}
