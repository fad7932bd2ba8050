//! How slow the other side may be: a while for nothing, then so many bytes a second on the whole.
//! Whoever sends a byte now and then is no better than one who sends none.

use std::time::{Duration, Instant};

/// What has come through since it began.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    began: Instant,
    bytes: u64,
}

impl Pace {
    const GRACE: Duration = Duration::from_secs(5);
    const BYTES_PER_SECOND: u64 = 16 << 10;

    pub fn begin() -> Pace {
        Pace {
            began: Instant::now(),
            bytes: 0,
        }
    }

    pub fn add(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }

    /// Until when more has to come.
    pub fn deadline(&self) -> Instant {
        let earned = self.bytes * 1000 / Pace::BYTES_PER_SECOND;
        self.began + Pace::GRACE + Duration::from_millis(earned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_buy_time() {
        let mut pace = Pace::begin();
        assert_eq!(pace.deadline() - pace.began, Pace::GRACE);
        pace.add(160 << 10);
        assert_eq!(
            pace.deadline() - pace.began,
            Pace::GRACE + Duration::from_secs(10)
        );
    }
}
