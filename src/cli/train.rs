//! `emilia train`: learns the evaluation's weights.

use super::output::{grouped, progress, table};
use crate::eval::{Container, Evaluator, MANIFEST, PATTERNS};
use crate::train::Effort;
use crate::train::fit::{FitOptions, fit};
use crate::train::import::{import, year_files};
use crate::train::record::{shard_path, shards};
use crate::train::report::{Report, report};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// Learn the evaluation: make labelled positions, fit weights, measure them
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(clap::Subcommand)]
enum Step {
    Import(ImportArgs),
    Fit(FitArgs),
    Report(ReportArgs),
}

/// Take positions from WTHOR files, labelled by the games' exact scores at 24 empties
#[derive(clap::Args)]
struct ImportArgs {
    /// The directory with WTH_<year>.wtb files
    wthor: PathBuf,
    /// Where to write the shards
    #[arg(long, short)]
    out: PathBuf,
    /// First year to take
    #[arg(long, default_value_t = 0)]
    from: u32,
    /// Last year to take; 2010 and later are held out to measure with
    #[arg(long, default_value_t = 2009)]
    to: u32,
    /// Leave out positions with fewer empty squares
    #[arg(long, default_value_t = 0)]
    min_empties: u32,
}

/// Fit weights to labelled positions
#[derive(clap::Args)]
struct FitArgs {
    /// Directories of shards
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Where to write the weights
    #[arg(long, short)]
    out: PathBuf,
    /// Iterations per stage
    #[arg(long, default_value_t = FitOptions::default().effort.iterations)]
    iterations: u32,
    /// Pull towards the next stage's weights, as a number of positions
    #[arg(long, default_value_t = FitOptions::default().effort.ridge)]
    ridge: f64,
    /// How much positions of neighbouring stages count
    #[arg(long, default_value_t = FitOptions::default().neighbours)]
    neighbours: f32,
}

/// Measure weights on labelled positions that were not trained on
#[derive(clap::Args)]
struct ReportArgs {
    /// Directories of shards
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Weights to measure instead of the built-in ones
    #[arg(long)]
    weights: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    match args.step {
        Step::Import(args) => run_import(args),
        Step::Fit(args) => run_fit(args),
        Step::Report(args) => run_report(args),
    }
}

fn run_import(args: ImportArgs) -> Result<()> {
    let files = year_files(&args.wthor, args.from..=args.to)?;
    let bar = progress(files.len() as u64, "files", "importing");
    let mut count = 0;
    for (number, file) in files.iter().enumerate() {
        let shard = shard_path(&args.out, "wthor", number as u32);
        count += import(file, &shard, args.min_empties)
            .with_context(|| format!("importing {}", file.display()))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("{} positions from {} files", grouped(count), files.len());
    Ok(())
}

fn run_fit(args: FitArgs) -> Result<()> {
    let options = FitOptions {
        effort: Effort {
            iterations: args.iterations,
            ridge: args.ridge,
        },
        neighbours: args.neighbours,
        ..FitOptions::default()
    };
    let shards = shards(&args.data)?;
    let bar = progress(crate::eval::STAGES as u64, "stages", "fitting");
    let mut rows = table(&["stage", "positions"], &[0, 1]);
    let model = fit(&shards, options, |fit| {
        rows.add_row([fit.stage.to_string(), grouped(fit.rows as u64)]);
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    let mut container = Container::default();
    container.set(PATTERNS, model.encode());
    container.set(MANIFEST, format!("{options:?}\n{rows}\n").into_bytes());
    let file = container.encode().context("packing the weights")?;
    std::fs::write(&args.out, &file).with_context(|| format!("writing {}", args.out.display()))?;
    println!("{rows}\n{} bytes", grouped(file.len() as u64));
    Ok(())
}

fn run_report(args: ReportArgs) -> Result<()> {
    let loaded = args.weights.as_deref().map(Evaluator::load).transpose()?;
    let evaluator = loaded.as_ref().unwrap_or_else(|| Evaluator::builtin());
    let mut result = Report::default();
    for shard in shards(&args.data)? {
        report(evaluator, &shard, None, &mut result)?;
    }
    let mut rows = table(
        &["empties", "positions", "RMSE", "MAE", "bias"],
        &[0, 1, 2, 3, 4],
    );
    for (empties, accuracy) in result.by_empties.iter().enumerate() {
        if accuracy.positions > 0 {
            rows.add_row([
                empties.to_string(),
                grouped(accuracy.positions),
                format!("{:.2}", accuracy.rmse()),
                format!("{:.2}", accuracy.mae()),
                format!("{:+.2}", accuracy.bias()),
            ]);
        }
    }
    println!("{rows}");
    Ok(())
}
