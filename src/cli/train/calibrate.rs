//! `emilia train calibrate`: how far shallow searches lie from deep ones.

use super::super::output::{progress, table};
use super::super::search_options::load_weights;
use super::options::{TargetArgs, ThreadArgs, tell};
use crate::eval::{Container, PROBCUT};
use crate::train::calibrate::{Amount, Spread, calibrate, measure, sample};
use crate::train::recipe::{CALIBRATED_DEPTH, CALIBRATED_EMPTIES, CALIBRATED_POSITIONS};
use crate::train::record::shards;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Measure how far shallow searches lie from deep ones, for the search's selective cuts
///
/// The weights are written with the measured numbers in them; -o with the name of the weights and
/// --force replaces them, when the new file is complete.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        emilia train calibrate training/games --weights weights.emw -o calibrated.emw\n  \
        emilia train calibrate training/games --weights weights.emw -o weights.emw --force")]
pub struct Args {
    /// Directories of shards to take positions from
    #[arg(required = true, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// Weights to search with, and to write again with another ProbCut section
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
    /// Positions for each number of empty squares
    #[arg(long, value_name = "N", default_value_t = CALIBRATED_POSITIONS)]
    positions: usize,
    /// The deepest search
    #[arg(long, value_name = "PLIES", default_value_t = CALIBRATED_DEPTH.depth)]
    depth: u32,
    /// Solve exactly from this many empty squares on
    #[arg(long, value_name = "E", default_value_t = CALIBRATED_DEPTH.solve_from)]
    solve_from: u32,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    args.target.check()?;
    let amount = Amount {
        depth: args.depth,
        solve_from: args.solve_from,
    };
    let (empties, step) = CALIBRATED_EMPTIES;
    let sets = sample(&shards(&args.data)?, empties, step, args.positions)?;
    let evaluator = load_weights(&args.weights)?;
    let bar = progress(
        sets.iter().map(|set| set.len() as u64).sum(),
        "positions",
        "searching",
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.count())
        .build()?;
    let spreads: Vec<Spread> = pool.install(|| {
        sets.iter()
            .flat_map(|boards| measure(evaluator, boards, amount, || bar.inc(1)))
            .collect()
    });
    bar.finish_and_clear();
    let calibration = calibrate(&spreads);
    let columns = [
        "empties",
        "deep",
        "shallow",
        "positions",
        "mean",
        "deviation",
        "formula",
    ];
    let mut rows = table(&columns, &[0, 1, 2, 3, 4, 5, 6]);
    for spread in &spreads {
        let formula = calibration.deviation(spread.empties, spread.deep, spread.shallow);
        rows.add_row([
            spread.empties.to_string(),
            spread.deep.to_string(),
            spread.shallow.to_string(),
            spread.positions.to_string(),
            format!("{:+.2}", spread.mean),
            format!("{:.2}", spread.deviation),
            format!("{:.2}", f64::from(formula) / 100.0),
        ]);
    }
    let file = std::fs::read(&args.weights)
        .with_context(|| format!("reading {}", args.weights.display()))?;
    let mut container = Container::decode(&file)?;
    container.set(PROBCUT, calibration.encode());
    let file = container.encode().context("packing the weights")?;
    args.target.write(&file)?;
    let measured: Vec<Value> = spreads
        .iter()
        .map(|spread| {
            let formula = calibration.deviation(spread.empties, spread.deep, spread.shallow);
            json!({ "empties": spread.empties, "deep": spread.deep, "shallow": spread.shallow,
                    "positions": spread.positions, "mean": spread.mean,
                    "deviation": spread.deviation, "formula": f64::from(formula) / 100.0 })
        })
        .collect();
    let object = json!({ "file": args.target.output, "bytes": file.len(), "measured": measured });
    tell(args.json, &object, format!("{rows}\n{calibration:?}"))
}
