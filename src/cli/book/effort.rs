//! What the commands that search a book have in common: how hard, with how many threads or on
//! which machines, how long.

use super::super::cluster_options::ClusterOptions;
use super::super::duration::read_duration;
use super::super::interrupt::Interrupt;
use crate::book::{Analyst, Store};
use crate::cluster::{Address, ClusterAnalyst};
use crate::engine::{LocalAnalyst, defaults};
use anyhow::{Result, anyhow, bail};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(clap::Args)]
pub struct Effort {
    /// How hard to look: about the depth in the middle game, with an exact endgame to match; 0 does
    /// not search
    #[arg(long, value_name = "LEVEL", default_value_t = defaults::LEVEL_OF_A_BOOK,
          value_parser = clap::value_parser!(u8).range(0..=60))]
    level: u8,

    /// Work with this many threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(defaults::THREADS_ALLOWED))]
    threads: Option<u16>,

    /// Stop after this time (90, 10m, 8h); the same command goes on from there
    #[arg(long, value_name = "T", value_parser = read_duration)]
    time: Option<Duration>,

    #[command(flatten)]
    cluster: ClusterOptions,
}

/// Who searches, until Ctrl-C or the end of the time.
pub struct Crew {
    pub interrupt: Interrupt,
    pub level: u8,
    threads: usize,
    cluster: Option<Address>,
    time: Option<Duration>,
    began: Instant,
}

impl Effort {
    /// Ready to search, or to do what needs no search.
    pub fn start(&self) -> Result<Crew> {
        let interrupt = Interrupt::watch()?;
        if let Some(time) = self.time {
            interrupt.stop_after(time);
        }
        let threads = self.threads.map_or_else(defaults::threads, usize::from);
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| anyhow!("cannot start {threads} threads: {error}"))?;
        Ok(Crew {
            interrupt,
            level: self.level,
            threads,
            cluster: self.cluster.address()?,
            time: self.time,
            began: Instant::now(),
        })
    }

    /// Ready to search; level 0 is refused.
    pub fn start_searching(&self) -> Result<Crew> {
        if self.level == 0 {
            bail!("--level 0 does not search; name a level from 1 up");
        }
        self.start()
    }

    /// There is a time after which the work stops.
    pub fn is_timed(&self) -> bool {
        self.time.is_some()
    }
}

impl Crew {
    /// Threads of this machine, or workers elsewhere, that answer the questions of a book.
    pub fn analyst(&self, store: &Store) -> Result<Box<dyn Analyst>> {
        let button = self.interrupt.button().clone();
        let Some(address) = self.cluster.clone() else {
            return Ok(Box::new(LocalAnalyst::new(self.threads, button)?));
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let deadline = self.time.map(|time| (now + time).as_millis() as u64);
        let analyst = ClusterAnalyst::for_book(store, address, deadline, button)?;
        Ok(Box::new(analyst))
    }

    /// How long it may still work, if there is a time after which it stops.
    pub fn time_left(&self) -> Option<Duration> {
        self.time
            .map(|time| time.saturating_sub(self.began.elapsed()))
    }

    /// The user or the clock stopped the work.
    pub fn is_stopped(&self) -> bool {
        self.interrupt.button().is_pressed()
    }
}
