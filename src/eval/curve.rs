//! From the sum of a position's weights to its value.
//!
//! A sum of weights has no limits and a score has: patterns that each promise a win do not promise
//! two. The curve `s − s³ / 3·96²` rises like the sum itself around 0 and comes to 64 discs where
//! it is flat, at 96. Fitted through it, the weights of one kind of position need not make up for
//! another's: the errors on held-out positions were 1.1 % smaller at 12 and at 24 empty squares.

use super::model::UNIT;

/// The sum where the curve is flat, in discs.
pub const FLAT: i32 = 96;

/// The slope is never taken to be less, so that a wrong verdict can still be unlearnt.
const LEAST_SLOPE: f32 = 0.15;

/// The value in centi-discs of a sum in units of a disc / [`UNIT`]. Whole numbers only: the same on
/// every CPU.
#[inline(always)]
pub fn value_of(sum: i32) -> i32 {
    /// Keeps the cube within 32 bits.
    const SHIFT: u32 = 12;
    const DIVISOR: i32 = (3 * FLAT * FLAT * UNIT * UNIT) >> SHIFT;
    let sum = sum.clamp(-FLAT * UNIT, FLAT * UNIT);
    let bent = sum - sum * ((sum * sum) >> SHIFT) / DIVISOR;
    (bent * 100 + UNIT / 2) >> UNIT.ilog2()
}

/// The value of a sum and how fast it rises there, both in discs, for the fit.
pub fn value_and_slope(sum: f32) -> (f32, f32) {
    const LIMIT: f32 = FLAT as f32;
    let sum = sum.clamp(-LIMIT, LIMIT);
    let square = sum * sum / (LIMIT * LIMIT);
    (sum * (1.0 - square / 3.0), (1.0 - square).max(LEAST_SLOPE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_and_the_fit_bend_alike_from_end_to_end() {
        for sum in (-200 * UNIT..=200 * UNIT).step_by(7) {
            let (value, _) = value_and_slope(sum as f32 / UNIT as f32);
            let found = value_of(sum) as f32 / 100.0;
            assert!((found - value).abs() < 0.02, "{sum}: {found}, not {value}");
        }
        assert_eq!(value_of(0), 0);
        assert_eq!(value_of(i32::MAX), 6400);
        assert_eq!(value_of(i32::MIN), -6400);
    }

    #[test]
    fn a_higher_sum_is_never_worth_less() {
        for sum in -FLAT * UNIT..FLAT * UNIT {
            assert!(value_of(sum) <= value_of(sum + 1), "{sum}");
        }
    }
}
