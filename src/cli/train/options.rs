//! What the steps of training have in common.

use super::super::new_file::{check_target, write_file};
use super::super::output::progress;
use super::super::search_options::load_weights;
use crate::engine::defaults;
use crate::eval::Evaluator;
use crate::train::label::Depths;
use crate::train::work::Watcher;
use anyhow::Result;
use indicatif::ProgressBar;
use serde_json::Value;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How deep to look for labels
#[derive(clap::Args, Clone, Copy)]
pub struct DepthArgs {
    /// Plies of the searches
    #[arg(long, value_name = "PLIES", default_value_t = 6,
          value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Search to the end, with selective cuts, from this many empty squares on; 0 for never
    #[arg(long, value_name = "E", default_value_t = 0)]
    reach_from: u32,
    /// Solve exactly from this many empty squares on
    #[arg(long, value_name = "E", default_value_t = 14)]
    solve_from: u32,
}

impl DepthArgs {
    pub fn depths(self) -> Depths {
        Depths {
            plies: self.depth,
            reach_from: self.reach_from,
            solve_from: self.solve_from,
        }
    }
}

/// Which weights search, on how many threads
#[derive(clap::Args)]
pub struct EngineArgs {
    /// Weights to search with instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    #[command(flatten)]
    pub threads: ThreadArgs,
}

impl EngineArgs {
    pub fn evaluator(&self) -> Result<&'static Evaluator> {
        weights_or_builtin(self.weights.as_deref())
    }
}

#[derive(clap::Args, Clone, Copy)]
pub struct ThreadArgs {
    /// Work with this many threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(defaults::THREADS_ALLOWED))]
    threads: Option<u16>,
}

impl ThreadArgs {
    pub fn count(self) -> usize {
        self.threads.map_or_else(defaults::threads, usize::from)
    }
}

pub fn weights_or_builtin(path: Option<&Path>) -> Result<&'static Evaluator> {
    path.map_or_else(|| Ok(Evaluator::builtin()), load_weights)
}

/// Where weights go
#[derive(clap::Args)]
pub struct TargetArgs {
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl TargetArgs {
    /// Says at once what would go wrong after hours.
    pub fn check(&self) -> Result<()> {
        check_target(&self.output, self.force)
    }

    /// All of it or nothing, also when the program is killed.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        write_file(&self.output, bytes, self.force)
    }
}

/// One JSON object, or words.
pub fn tell(as_json: bool, object: &Value, words: impl std::fmt::Display) -> Result<()> {
    let mut out = stdout().lock();
    match as_json {
        true => writeln!(out, "{object}")?,
        false => writeln!(out, "{words}")?,
    }
    Ok(())
}

/// A progress bar for each step in turn.
#[derive(Default)]
pub struct Bars(Mutex<Option<ProgressBar>>);

impl Bars {
    pub fn clear(&self) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = current.take() {
            bar.finish_and_clear();
        }
    }
}

impl Watcher for Bars {
    fn step(&self, name: String, parts: u64) {
        let bar = progress(parts, "parts", "").with_message(name);
        // A watcher that panicked leaves a bar behind, nothing worse.
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = current.replace(bar) {
            old.finish_and_clear();
        }
    }

    fn tick(&self) {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &*current {
            bar.inc(1);
        }
    }
}
