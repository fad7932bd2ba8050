//! What a configuration is worth that the games hardly show: a weighted average of the games and of
//! a classifier that learnt from the configurations that they show often.

/// From so many samples on the games alone count.
pub const ENOUGH: u32 = 100;

/// The value of a configuration seen so many times, with its average result, where the classifier
/// says what it would say. The classifier stands in for the missing samples.
pub fn smoothed(samples: u32, average: f64, classified: f64) -> f64 {
    let seen = f64::from(samples.min(ENOUGH));
    let missing = f64::from(ENOUGH) - seen;
    (seen * average + missing * classified) / f64::from(ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_is_worth_minus_7_2() {
        assert!((smoothed(20, -4.0, -8.0) + 7.2).abs() < 1e-12);
    }

    #[test]
    fn what_was_never_seen_is_the_classifiers_and_what_was_often_seen_the_games() {
        assert_eq!(smoothed(0, 0.0, -8.0), -8.0);
        assert_eq!(smoothed(100, -4.0, -8.0), -4.0);
        assert_eq!(smoothed(5000, -4.0, -8.0), -4.0);
    }
}
