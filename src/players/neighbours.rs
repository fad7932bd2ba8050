//! Which squares lie beside which: the programs of the papers all count discs beside empty squares.

use crate::othello::Bitboard;

const NOT_FIRST_COLUMN: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST_COLUMN: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The set moved by one square in each of the eight directions; what leaves the board is gone. The
/// places of a direction and of its opposite add up to 7.
pub fn shifted(set: Bitboard) -> [Bitboard; 8] {
    let set = set.0;
    [
        (set & NOT_FIRST_COLUMN) >> 9,
        set >> 8,
        (set & NOT_LAST_COLUMN) >> 7,
        (set & NOT_FIRST_COLUMN) >> 1,
        (set & NOT_LAST_COLUMN) << 1,
        (set & NOT_FIRST_COLUMN) << 7,
        set << 8,
        (set & NOT_LAST_COLUMN) << 9,
    ]
    .map(Bitboard)
}

/// The squares beside a set, some of which may belong to it.
pub fn around(set: Bitboard) -> Bitboard {
    shifted(set)
        .into_iter()
        .fold(Bitboard::EMPTY, |all, one| all | one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Square;

    #[test]
    fn a_square_has_its_eight_neighbours_and_fewer_at_the_edge() {
        for square in Square::all() {
            let expected: Bitboard = Square::all()
                .filter(|other| {
                    let columns = square.column().abs_diff(other.column());
                    let rows = square.row().abs_diff(other.row());
                    columns.max(rows) == 1
                })
                .collect();
            assert_eq!(around(square.into()), expected, "{square}");
            let steps = shifted(square.into());
            let count: u32 = steps.iter().map(|step| step.count()).sum();
            assert_eq!(count, expected.count());
            for (place, step) in steps.iter().enumerate() {
                if !step.is_empty() {
                    assert_eq!(shifted(*step)[7 - place], square.into());
                }
            }
        }
    }
}
