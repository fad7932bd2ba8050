//! Counting what the last move turns, line by line from a table: half of all nodes of an endgame
//! are such moves, and the discs themselves are not needed.

use super::rays::RAYS;
use std::arch::x86_64::_pext_u64;

/// The lines through a square besides its row, and the square's place on all four.
#[derive(Clone, Copy)]
struct Lines {
    masks: [u64; 3],
    /// Place on the row, then on the lines of `masks`.
    places: [u8; 4],
}

static LINES: [Lines; 64] = lines();

/// `TURNED[place][line]`: the discs turned by a move at `place` of a line whose bits are the
/// mover's discs and everything else is the opponent's. A line shorter than eight squares has
/// zeros at its end, where nothing closes a row, so it needs no table of its own.
static TURNED: [[u8; 256]; 8] = turned();

/// # Safety of use
/// A target-feature function: callers outside such a region must know that the CPU has BMI2.
#[inline]
#[target_feature(enable = "bmi2")]
pub fn count(index: usize, mover: u64) -> u32 {
    let index = index & 63;
    let lines = &LINES[index];
    let row = (mover >> (index & 56)) as u8;
    let on = |line: usize, bits: u8| TURNED[lines.places[line] as usize & 7][bits as usize] as u32;
    on(0, row)
        + on(1, _pext_u64(mover, lines.masks[0]) as u8)
        + on(2, _pext_u64(mover, lines.masks[1]) as u8)
        + on(3, _pext_u64(mover, lines.masks[2]) as u8)
}

const fn lines() -> [Lines; 64] {
    let mut lines = [Lines {
        masks: [0; 3],
        places: [0; 4],
    }; 64];
    let mut index = 0;
    while index < 64 {
        let bit = 1u64 << index;
        lines[index].places[0] = (index % 8) as u8;
        // Rays 1–3 and 5–7 are the two halves of the diagonals and the column.
        let mut line = 0;
        while line < 3 {
            let mask = RAYS.0[index][line + 1] | RAYS.0[index][line + 5] | bit;
            lines[index].masks[line] = mask;
            lines[index].places[line + 1] = (mask & (bit - 1)).count_ones() as u8;
            line += 1;
        }
        index += 1;
    }
    lines
}

const fn turned() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut line = 0;
        while line < 256 {
            let mut total = 0;
            let mut up = place + 1;
            while up < 8 && line >> up & 1 == 0 {
                up += 1;
            }
            if up < 8 {
                total += up - place - 1;
            }
            let mut down = place;
            while down > 0 && line >> (down - 1) & 1 == 0 {
                down -= 1;
            }
            if down > 0 {
                total += place - down;
            }
            table[place][line] = total as u8;
            line += 1;
        }
        place += 1;
    }
    table
}
