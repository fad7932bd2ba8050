//! The clock of whoever runs the module: WebAssembly has none of its own.

use std::sync::OnceLock;
use std::time::Duration;

static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// From now on time is what this clock says, from whatever beginning. The first clock stays.
pub fn set_clock(clock: fn() -> Duration) {
    let _ = CLOCK.set(clock);
}

/// A moment on that clock; where nobody set one, time stands still.
#[derive(Clone, Copy, Debug)]
pub struct Instant(Duration);

impl Instant {
    pub fn now() -> Instant {
        Instant(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
    }

    pub fn elapsed(&self) -> Duration {
        Instant::now().0.saturating_sub(self.0)
    }
}
