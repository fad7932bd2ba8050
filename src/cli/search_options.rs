//! What the searching subcommands have in common: how the engine is set up and how it is stopped.

use super::output::UsageError;
use crate::eval::Evaluator;
use crate::othello::Tier;
use crate::search::{Parallel, Searcher, Selectivity, StopButton};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The engine's resources.
#[derive(clap::Args)]
pub struct SearchOptions {
    /// Search with this many threads
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: u16,

    /// How the threads share the work
    #[arg(long, value_name = "HOW", default_value = "split")]
    pub parallel: ParallelName,

    /// Size of the table of known positions, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub hash: u32,

    /// Use this CPU tier (portable, avx2, avx512) instead of the best one
    #[arg(long, value_name = "TIER")]
    pub tier: Option<Tier>,

    /// Evaluate with the weights of this file instead of the built-in ones; "small" are built in,
    /// too, in less than half the size
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub enum ParallelName {
    /// Idle threads take moves of nodes that others have begun
    Split,
    /// All threads search the same tree and share only the table, for comparison
    Lazy,
}

impl From<ParallelName> for Parallel {
    fn from(name: ParallelName) -> Parallel {
        match name {
            ParallelName::Split => Parallel::Split,
            ParallelName::Lazy => Parallel::Lazy,
        }
    }
}

impl SearchOptions {
    pub fn tier(&self) -> Tier {
        self.tier.unwrap_or_else(Tier::best)
    }

    /// A searcher with these resources, or an error where the machine lacks them.
    pub fn searcher(&self) -> Result<Searcher> {
        let bytes = u64::from(self.hash) << 20;
        // The table is written to at once: better an error now than the kernel's axe later.
        if let Some(available) = available_memory()
            && bytes > available
        {
            let (wanted, free) = (self.hash, available >> 20);
            return Err(UsageError::because(format!(
                "--hash {wanted} is more than the {free} MB of memory that are free"
            )));
        }
        let bytes = usize::try_from(bytes).context("--hash is too large for this machine")?;
        let evaluator = match &self.weights {
            Some(path) => load_weights(path)?,
            None => Evaluator::builtin(),
        };
        Ok(Searcher::new(bytes)
            .with_evaluator(evaluator)
            .with_threads(usize::from(self.threads))
            .with_parallel(self.parallel.into())
            .with_tier(self.tier()))
    }
}

/// Weights that stay for the rest of the program, as searchers ask: of a file, or the small ones.
pub fn load_weights(path: &Path) -> Result<&'static Evaluator> {
    if path == Path::new("small") {
        return Ok(Evaluator::small());
    }
    let evaluator =
        Evaluator::load(path).map_err(|error| UsageError::because(error.to_string()))?;
    Ok(Box::leak(Box::new(evaluator)))
}

/// Linux says how much a program can take without swapping; elsewhere nobody is asked.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Reads `91` or `91%`.
pub fn read_selectivity(text: &str) -> Result<Selectivity, String> {
    let percent = text.trim().trim_end_matches('%');
    Selectivity::ALL
        .into_iter()
        .find(|selectivity| selectivity.percent().to_string() == percent)
        .ok_or_else(|| {
            let all = Selectivity::ALL.map(|selectivity| selectivity.percent().to_string());
            format!("choose one of {} per cent", all.join(", "))
        })
}

/// Reads seconds above 0.
pub fn read_seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|&seconds| seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        // Longer than anyone waits, and safe to add to any clock.
        .map(|time| time.min(Duration::from_secs(u64::from(u32::MAX))))
        .ok_or_else(|| "write seconds above 0, as in 10 or 0.5".into())
}

/// A button that Ctrl-C presses. A second Ctrl-C ends the program as usual.
pub fn stopped_by_ctrl_c() -> Result<StopButton> {
    let button = StopButton::new();
    let pressed = button.clone();
    ctrlc::set_handler(move || {
        if pressed.is_pressed() {
            std::process::exit(130);
        }
        pressed.press();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(button)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(read_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
            assert!(read_seconds(text).is_err(), "{text}");
        }
        assert!(read_seconds("1e12").is_ok(), "a very long time is a time");
    }

    #[test]
    fn confidence_is_read_with_or_without_its_sign() {
        assert_eq!(read_selectivity("91"), Ok(Selectivity::P91));
        assert_eq!(read_selectivity("100%"), Ok(Selectivity::Exact));
        let error = read_selectivity("90").unwrap_err();
        assert!(error.contains("68, 82, 91, 96, 99, 100"), "{error}");
    }
}
