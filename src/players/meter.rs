//! What a search has cost so far and when it must end: by nodes where they are limited, so that the
//! same moves come out on every machine, and by the clock otherwise.

use crate::machine::Timepiece;
use crate::search::StopButton;
use std::time::Duration;

/// How many nodes go by between two looks at the clock: well below a millisecond.
const NODES_BETWEEN_LOOKS: u64 = 256;

/// Never planned for: what a move may cost beyond the search.
pub const RESERVE: Duration = Duration::from_millis(5);

/// Counts nodes and watches the limits of one search.
pub struct Meter<'a> {
    began: Timepiece,
    nodes: u64,
    node_limit: Option<u64>,
    time_limit: Option<Duration>,
    stop: &'a StopButton,
    over: bool,
}

impl<'a> Meter<'a> {
    /// `time` and `nodes` are never exceeded; whichever is missing does not limit.
    pub fn new(time: Option<Duration>, nodes: Option<u64>, stop: &'a StopButton) -> Meter<'a> {
        Meter {
            began: Timepiece::start(),
            nodes: 0,
            node_limit: nodes,
            time_limit: time,
            stop,
            over: stop.is_pressed(),
        }
    }

    /// Counts a node; whether the search may go on.
    #[inline]
    pub fn count(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_BETWEEN_LOOKS) {
            self.look();
        }
        if self.node_limit.is_some_and(|limit| self.nodes >= limit) {
            self.over = true;
        }
        !self.over
    }

    fn look(&mut self) {
        let late = self
            .time_limit
            .is_some_and(|limit| self.began.elapsed() >= limit);
        self.over |= late || self.stop.is_pressed();
    }

    /// The search must end.
    pub fn is_over(&mut self) -> bool {
        self.look();
        self.over
    }

    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// What was spent: nodes where they are limited, seconds otherwise. Plans made in this unit
    /// are the same on every machine where nodes are limited.
    pub fn spent(&self) -> f64 {
        match self.node_limit {
            Some(_) => self.nodes as f64,
            None => self.began.elapsed().as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_end_a_search_at_the_same_node_each_time() {
        let stop = StopButton::new();
        let mut meter = Meter::new(None, Some(1000), &stop);
        let counted = std::iter::repeat_with(|| meter.count())
            .take_while(|&goes_on| goes_on)
            .count();
        assert_eq!(counted, 999);
        assert_eq!(meter.spent(), 1000.0);
    }

    #[test]
    fn the_button_and_the_clock_end_a_search_within_a_few_nodes() {
        let stop = StopButton::new();
        let mut meter = Meter::new(None, None, &stop);
        assert!(meter.count());
        stop.press();
        assert!((0..NODES_BETWEEN_LOOKS).any(|_| !meter.count()));

        let unpressed = StopButton::new();
        let mut meter = Meter::new(Some(Duration::ZERO), None, &unpressed);
        assert!((0..NODES_BETWEEN_LOOKS).any(|_| !meter.count()));
    }
}
