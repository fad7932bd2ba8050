//! Time by the wall and time of the CPU: on a shared machine only the second measures the engine.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// Where the CPU time comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CpuClock {
    /// `/proc/thread-self/schedstat`: nanoseconds, but of the asking thread alone.
    Thread,
    /// `/proc/self/stat`: all threads, also those that ended, in hundredths of a second.
    Process,
    /// Neither is there: the wall clock stands in.
    Wall,
}

impl CpuClock {
    /// The finest clock that sees all the threads of a search.
    pub fn for_threads(threads: usize) -> CpuClock {
        let order = [CpuClock::Thread, CpuClock::Process];
        order[usize::from(threads > 1)..]
            .iter()
            .copied()
            .find(|clock| clock.read().is_some())
            .unwrap_or(CpuClock::Wall)
    }

    fn read(self) -> Option<Duration> {
        match self {
            CpuClock::Thread => {
                let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
                let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
                Some(Duration::from_nanos(nanoseconds))
            }
            CpuClock::Process => processor_time(&fs::read_to_string("/proc/self/stat").ok()?),
            CpuClock::Wall => None,
        }
    }
}

impl fmt::Display for CpuClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CpuClock::Thread => "schedstat",
            CpuClock::Process => "stat",
            CpuClock::Wall => "wall clock",
        })
    }
}

/// User and system time from the text of `/proc/self/stat`.
fn processor_time(stat: &str) -> Option<Duration> {
    // The program's name is in brackets and may hold spaces; fields count from after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    // Linux reports hundredths of a second here whatever its own clock.
    Some(Duration::from_millis((user + system) * 10))
}

/// Measures one piece of work.
pub struct Stopwatch {
    clock: CpuClock,
    cpu: Option<Duration>,
    wall: Instant,
}

/// What a piece of work took.
#[derive(Clone, Copy, Default, Debug)]
pub struct Spent {
    pub wall: Duration,
    pub cpu: Duration,
}

impl Stopwatch {
    pub fn start(clock: CpuClock) -> Stopwatch {
        Stopwatch {
            clock,
            cpu: clock.read(),
            wall: Instant::now(),
        }
    }

    pub fn stop(self) -> Spent {
        let wall = self.wall.elapsed();
        let cpu = match (self.cpu, self.clock.read()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            _ => wall,
        };
        Spent { wall, cpu }
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, more: Spent) {
        self.wall += more.wall;
        self.cpu += more.cpu;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_brackets_does_not_shift_the_fields() {
        let stat = "12 (a ) b) R 1 2 3 4 5 6 7 8 9 10 150 25 0 0";
        assert_eq!(processor_time(stat), Some(Duration::from_millis(1750)));
        assert_eq!(processor_time("nonsense"), None);
    }

    #[test]
    fn without_a_cpu_clock_the_wall_stands_in() {
        let spent = Stopwatch::start(CpuClock::Wall).stop();
        assert_eq!(spent.cpu, spent.wall);
    }
}
