//! `emilia train all`: the whole recipe.

use super::super::output::grouped;
use super::options::{Bars, TargetArgs, ThreadArgs, tell};
use crate::train::pipeline;
use crate::train::recipe::{Recipe, Round};
use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;

/// Do it all: exact scores of endings, rounds of games, fits and calibration
///
/// A round counts only if it wins 8000 games against the one before, with 95 % confidence.
/// Stop it when you like: the same command goes on where it was. Two runs with one seed give the
/// same file bit for bit.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia train all --seed 1 --wthor wthor -o weights.emw")]
pub struct Args {
    /// Everything random follows from this number
    #[arg(long, value_name = "N")]
    seed: u64,
    /// The folder to work in (about a hundred megabytes)
    #[arg(long, value_name = "DIR", default_value = "training")]
    directory: PathBuf,
    /// A folder of WTHOR files to learn from as well; years from 2010 on are held out
    #[arg(long, value_name = "DIR")]
    wthor: Option<PathBuf>,
    /// Weights to begin from, such as those of the version before, instead of from nothing
    #[arg(long, value_name = "FILE")]
    begin_from: Option<PathBuf>,
    /// Shards of 200 games in each round of games
    #[arg(long, value_name = "N", default_value_t = 300)]
    shards: u32,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    args.target.check()?;
    let recipe = Recipe::standard(
        args.seed,
        args.directory,
        args.wthor,
        args.begin_from,
        args.threads.count(),
    );
    let from_nothing = recipe.begin_from.is_none();
    let recipe = Recipe {
        rounds: Round::standard(args.shards, from_nothing),
        ..recipe
    };
    let bars = Bars::default();
    let file = pipeline::run(&recipe, &bars)?;
    bars.clear();
    args.target.write(&file)?;
    let path = &args.target.output;
    let object = json!({ "file": path, "bytes": file.len() });
    let words = format!("{} bytes in {}", grouped(file.len() as u64), path.display());
    tell(args.json, &object, words)
}
