//! What the searching subcommands have in common: how the engine is set up and how it is stopped.

use crate::engine::defaults;
use crate::eval::Evaluator;
use crate::othello::Tier;
use crate::search::{Parallel, Searcher, Selectivity};
use anyhow::{Context, Result, anyhow, bail};
use std::path::{Path, PathBuf};

/// The engine's resources.
#[derive(clap::Args)]
pub struct SearchOptions {
    /// Search with this many threads [default: one for each core; 1 for gtp and nboard, whose
    /// opponents think on the same machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(defaults::THREADS_ALLOWED))]
    pub threads: Option<u16>,

    /// How the threads share the work
    #[arg(long, value_name = "HOW", default_value = "split")]
    pub parallel: ParallelName,

    /// Size of the table of known positions, in megabytes
    #[arg(long, value_name = "MB", default_value_t = defaults::HASH,
          value_parser = clap::value_parser!(u32).range(defaults::HASH_ALLOWED))]
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
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(defaults::threads, usize::from)
    }

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
            bail!("--hash {wanted} is more than the {free} MB of memory that are free");
        }
        let bytes = usize::try_from(bytes).context("--hash is too large for this machine")?;
        let evaluator = match &self.weights {
            Some(path) => load_weights(path)?,
            None => Evaluator::builtin(),
        };
        Ok(Searcher::new(bytes)
            .with_evaluator(evaluator)
            .with_threads(self.threads())
            .with_parallel(self.parallel.into())
            .with_tier(self.tier()))
    }
}

/// Weights that stay for the rest of the program, as searchers ask: of a file, or the small ones.
pub fn load_weights(path: &Path) -> Result<&'static Evaluator> {
    if path == Path::new("small") {
        return Ok(Evaluator::small());
    }
    let evaluator = Evaluator::load(path).map_err(|error| anyhow!("{error}"))?;
    Ok(Box::leak(Box::new(evaluator)))
}

/// Linux says how much a program can take without swapping; elsewhere nobody is asked.
pub fn available_memory() -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_read_with_or_without_its_sign() {
        assert_eq!(read_selectivity("91"), Ok(Selectivity::P91));
        assert_eq!(read_selectivity("100%"), Ok(Selectivity::Exact));
        let error = read_selectivity("90").unwrap_err();
        assert!(error.contains("68, 82, 91, 96, 99, 100"), "{error}");
    }
}
