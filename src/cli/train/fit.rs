//! `emilia train fit`: weights from labelled positions.

use super::super::output::{grouped, progress, table};
use super::options::{TargetArgs, tell};
use crate::eval::{Container, MANIFEST, PAIR_BUCKETS, PAIRS, PATTERNS, STAGES};
use crate::train::Effort;
use crate::train::fit::{FitOptions, Given, fit};
use crate::train::pairs::{PairOptions, learn_pairs};
use crate::train::record::{fingerprint, shards};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::PathBuf;

/// Fit weights to labelled positions
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  emilia train fit training/games training/endings -o weights.emw"
)]
pub struct Args {
    /// Directories of shards
    #[arg(required = true, value_name = "DIR")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    /// Iterations per stage
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().effort.iterations)]
    iterations: u32,
    /// Pull towards the next stage's weights, as a number of positions
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().effort.ridge)]
    ridge: f64,
    /// How much positions of neighbouring stages count
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().neighbours)]
    neighbours: f32,
    /// Pull towards the weights of all positions when exact scores alone correct them, as a number
    /// of positions
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().correction)]
    correction: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    args.target.check()?;
    let options = FitOptions {
        effort: Effort {
            iterations: args.iterations,
            ridge: args.ridge,
        },
        neighbours: args.neighbours,
        correction: args.correction,
        ..FitOptions::default()
    };
    let data = shards(&args.data)?;
    let parts = (2 * STAGES + PAIR_BUCKETS) as u64;
    let bar = progress(parts, "parts", "fitting");
    let mut rows = table(&["stage", "positions"], &[0, 1]);
    let mut stages = Vec::new();
    let mut given = Given::default();
    let model = fit(&data, options, given, |fit| {
        stages.push(json!({ "stage": fit.stage, "positions": fit.rows }));
        rows.add_row([fit.stage.to_string(), grouped(fit.rows as u64)]);
        bar.inc(1);
    })?;
    let of_pairs = PairOptions::default();
    let pairs = learn_pairs(&data, &model, of_pairs, || bar.inc(1))?;
    given.pairs = Some(&pairs);
    let model = fit(&data, options, given, |_| bar.inc(1))?;
    bar.finish_and_clear();
    let mut container = Container::default();
    container.set(PATTERNS, model.encode());
    container.set(PAIRS, pairs.encode());
    let mut manifest = format!("{options:?}\n{of_pairs:?}\n");
    for directory in &args.data {
        let shards = shards(std::slice::from_ref(directory))?;
        let (name, count) = (directory.display(), shards.len());
        let hash = fingerprint(&shards)?;
        manifest += &format!("{name}: {count} shards, XXH3 {hash:016x}\n");
    }
    manifest += &format!("{rows}\n");
    container.set(MANIFEST, manifest.into_bytes());
    let file = container.encode().context("packing the weights")?;
    args.target.write(&file)?;
    let object = json!({ "file": args.target.output, "bytes": file.len(), "stages": stages });
    let words = format!("{rows}\n{} bytes", grouped(file.len() as u64));
    tell(args.json, &object, words)
}
