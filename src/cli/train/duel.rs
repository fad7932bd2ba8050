//! `emilia train duel`: two sets of weights against each other.

use super::super::exit::no;
use super::super::output::progress;
use super::super::search_options::load_weights;
use super::options::{DepthArgs, ThreadArgs, tell, weights_or_builtin};
use crate::train::duel::Duel;
use anyhow::{Context, Result};
use serde_json::json;
use std::path::PathBuf;

/// Let two sets of weights play each other, in pairs of games from random openings
///
/// Exit code 1 unless the first are better, with 95 % confidence.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia train duel new.emw old.emw --pairs 1000")]
pub struct Args {
    /// The weights to judge
    #[arg(value_name = "FILE")]
    first: PathBuf,
    /// The weights to beat; the built-in ones if none are given
    #[arg(value_name = "FILE")]
    second: Option<PathBuf>,
    /// Pairs of games
    #[arg(long, value_name = "N", default_value_t = Duel::standard(1).pairs,
          value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Random moves at the beginning
    #[arg(long, value_name = "N", default_value_t = Duel::standard(1).opening_plies)]
    opening_plies: u32,
    /// The openings follow from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    depth: DepthArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let first = load_weights(&args.first)?;
    let second = weights_or_builtin(args.second.as_deref())?;
    let duel = Duel {
        seed: args.seed,
        pairs: args.pairs,
        depths: args.depth.depths(),
        opening_plies: args.opening_plies,
    };
    let bar = progress(u64::from(args.pairs), "pairs", "playing");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.count())
        .build()
        .context("cannot start threads")?;
    let verdict = pool.install(|| duel.fight(first, second, || bar.inc(1)));
    bar.finish_and_clear();
    let mut object = json!(verdict);
    object["better"] = verdict.is_better().into();
    tell(args.json, &object, verdict)?;
    match verdict.is_better() {
        true => Ok(()),
        false => Err(no("")),
    }
}
