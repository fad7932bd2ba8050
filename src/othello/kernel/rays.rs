//! The eight rays of every square, in the order the kernels share.

/// For each square the rays to the east, south-west, south and south-east, where bits rise away
/// from the square, then west, north-east, north and north-west, where they fall. Index 0–3 pairs
/// with 4–7 as opposite directions; the shifts are 1, 7, 8 and 9.
#[repr(align(64))]
pub struct Rays(pub [[u64; 8]; 64]);

pub static RAYS: Rays = Rays(all_rays());

const fn all_rays() -> [[u64; 8]; 64] {
    const STEPS: [(i8, i8); 8] = [
        (1, 0),
        (-1, 1),
        (0, 1),
        (1, 1),
        (-1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
    ];
    let mut rays = [[0; 8]; 64];
    let mut index = 0;
    while index < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction];
            let mut x = index as i8 % 8 + dx;
            let mut y = index as i8 / 8 + dy;
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                rays[index][direction] |= 1 << (y * 8 + x);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        index += 1;
    }
    rays
}
