//! What the time of thinking is measured with: the wall clock, or the CPU time of the thread that
//! thinks.
//!
//! A match between players of this process may count CPU time, so that it comes out the same
//! whatever else the machine does. The choice is the process's, made once before anybody thinks: a
//! clock that some read one way and some the other would be unfair. It is right only for players
//! that think in the thread that asks them, that is with one thread each.

#[cfg(target_family = "wasm")]
use super::host_clock::Instant;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::Instant;

static COUNTS_CPU_TIME: AtomicBool = AtomicBool::new(false);

/// From now on time is the CPU time of the asking thread. Fails where the system cannot tell it.
pub fn count_cpu_time() -> Result<(), NoCpuTime> {
    cpu_time().ok_or(NoCpuTime)?;
    COUNTS_CPU_TIME.store(true, Relaxed);
    Ok(())
}

/// The system does not tell the CPU time of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this system does not tell the CPU time of a thread: count time by the clock on the wall")]
pub struct NoCpuTime;

/// Runs from its making; asked by the thread that made it where CPU time counts.
#[derive(Clone, Copy, Debug)]
pub struct Timepiece(Began);

#[derive(Clone, Copy, Debug)]
enum Began {
    OnTheWall(Instant),
    OfThread(Duration),
}

impl Timepiece {
    pub fn start() -> Timepiece {
        let of_thread = COUNTS_CPU_TIME.load(Relaxed).then(cpu_time).flatten();
        Timepiece(of_thread.map_or_else(|| Began::OnTheWall(Instant::now()), Began::OfThread))
    }

    pub fn elapsed(&self) -> Duration {
        match self.0 {
            Began::OnTheWall(began) => began.elapsed(),
            Began::OfThread(began) => cpu_time().unwrap_or(began).saturating_sub(began),
        }
    }
}

#[cfg(target_os = "linux")]
fn cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    Some(Duration::new(seconds, nanoseconds))
}

#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_sleeps_uses_no_cpu_time_and_one_that_works_does() {
        let nap = Duration::from_millis(20);
        let of_thread = Timepiece(Began::OfThread(cpu_time().unwrap()));
        let on_the_wall = Timepiece(Began::OnTheWall(Instant::now()));
        std::thread::sleep(nap);
        assert!(on_the_wall.elapsed() >= nap);
        assert!(of_thread.elapsed() < on_the_wall.elapsed() / 2);

        let before = of_thread.elapsed();
        let mut work = 0_u64;
        while of_thread.elapsed() < before + Duration::from_millis(2) {
            work = std::hint::black_box(work + 1);
        }
        assert!(work > 0);
    }
}
