//! A search result as people read it, and as programs do.

use super::output::grouped;
use crate::othello::Square;
use crate::search::{Bound, SearchResult};
use crate::view::FoundView;
use serde_json::{Value, json};
use std::time::Duration;

/// Centi-discs as discs: `+3.25`.
pub fn discs(value: i32) -> String {
    format!("{:+.2}", f64::from(value) / 100.0)
}

/// The value with a sign that tells a bound: `≥ +3.25`; whole discs once it is solved.
pub fn value(result: &SearchResult) -> String {
    let sign = match result.bound {
        Bound::Exact => "",
        Bound::AtLeast => "≥ ",
        Bound::AtMost => "≤ ",
    };
    if result.solved && result.value % 100 == 0 {
        format!("{sign}{:+}", result.value / 100)
    } else {
        format!("{sign}{}", discs(result.value))
    }
}

/// A move, or `--` where there is none to make.
pub fn move_name(best: Option<Square>) -> String {
    best.map_or_else(|| "--".into(), |square| square.to_string())
}

/// `12@82%`; a solved position is `20@100%`.
pub fn depth(result: &SearchResult) -> String {
    format!("{}@{}", result.depth, result.selectivity)
}

/// Nodes per second; a time too short to measure gives 0.
pub fn per_second(nodes: u64, time: Duration) -> u64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 {
        (nodes as f64 / seconds) as u64
    } else {
        0
    }
}

/// Nodes per second for a table; blank below a millisecond, where the clock says nothing.
pub fn speed(nodes: u64, time: Duration) -> String {
    if time < Duration::from_millis(1) {
        String::new()
    } else {
        grouped(per_second(nodes, time))
    }
}

/// A search as a JSON object, for those who add something to it.
pub fn to_json(result: &SearchResult) -> Value {
    json!(FoundView::from(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Selectivity;

    fn result(value: i32, bound: Bound, solved: bool) -> SearchResult {
        SearchResult {
            value,
            bound,
            best: None,
            pv: Vec::new(),
            depth: 12,
            selectivity: Selectivity::P82,
            solved,
            nodes: 0,
            time: Duration::ZERO,
            moves: Vec::new(),
        }
    }

    #[test]
    fn values_have_a_sign_and_bounds_are_marked() {
        let shown = |r: SearchResult| value(&r);
        assert_eq!(shown(result(325, Bound::Exact, false)), "+3.25");
        assert_eq!(shown(result(-7, Bound::AtMost, false)), "≤ -0.07");
        assert_eq!(shown(result(-1200, Bound::Exact, true)), "-12");
        assert_eq!(shown(result(1, Bound::AtLeast, true)), "≥ +0.01");
    }

    #[test]
    fn a_moment_has_no_speed() {
        assert_eq!(per_second(1000, Duration::ZERO), 0);
        assert_eq!(speed(1000, Duration::from_micros(1)), "");
        assert_eq!(speed(3000, Duration::from_secs(2)), "1 500");
    }
}
