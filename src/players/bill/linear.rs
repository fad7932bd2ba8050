//! BILL 2.0: the features weighted by hand and added up, the same way in all stages of the game.
//!
//! The paper does not give the weights, which its authors tuned by hand. Here they are set so that
//! winning and losing positions with 40 discs lie as far apart in each feature as in the paper's
//! Table 1: 952 points in mobility, 466 in potential mobility, 933 in the edges. The sequence
//! penalty is not in that table; it gets a third of the 354 points of the weighted squares, which
//! section 4 no longer has, as it varies three times as widely for the same distance.

use super::features::{FEATURES, Features};

/// Points of one unit of each feature, in 64ths.
const WEIGHTS: [i32; FEATURES] = [131, 1734, 651, 54];

/// What a position is worth to the player to move, in points.
#[inline]
pub fn value(features: &Features) -> i32 {
    let sum: i32 = features
        .iter()
        .zip(WEIGHTS)
        .map(|(x, weight)| x * weight)
        .sum();
    sum / 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_add_up_and_change_sign_together() {
        let features = [300, 12, -4, 150];
        let alone: i32 = (0..FEATURES)
            .map(|i| {
                value(&std::array::from_fn(|k| {
                    if k == i { 64 * features[k] } else { 0 }
                }))
            })
            .sum();
        assert_eq!(value(&features.map(|x| 64 * x)), alone);
        assert_eq!(value(&features), -value(&features.map(|x| -x)));
    }
}
