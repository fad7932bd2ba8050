//! `emilia train selfplay`, `import` and `endings`: positions with labels, in shards. A shard that is
//! there is finished, and kept.

use super::super::output::{grouped, progress};
use super::options::{DepthArgs, EngineArgs, tell};
use crate::book::Years;
use crate::train::endings::Endings;
use crate::train::held_out;
use crate::train::import::{import, year_files, year_name};
use crate::train::record::{Source, shard_path};
use crate::train::selfplay::{Labels, Opening, SelfPlay};
use crate::train::work::make_missing;
use anyhow::{Context, Result};
use serde_json::json;
use std::path::PathBuf;

/// Play games against itself and keep every position with its search value
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia train selfplay -o training/games --seed 1 --shards 10")]
pub struct SelfplayArgs {
    /// The folder of the shards; finished ones are kept
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Everything random follows from this number
    #[arg(long, value_name = "N")]
    seed: u64,
    /// How many shards to make
    #[arg(long, value_name = "N", default_value_t = 100)]
    shards: u32,
    /// Games in a shard
    #[arg(long, value_name = "N", default_value_t = 200)]
    games: u32,
    #[command(flatten)]
    depth: DepthArgs,
    /// The most random moves at the beginning of a game
    #[arg(long, value_name = "PLIES", default_value_t = 36)]
    random_plies: u32,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Solve endings of WTHOR games and of what lies beside them
///
/// They are drawn by lot; most are left by one to three random moves first, because a search looks
/// at what good players avoid. The scores are exact: other weights change only the time it takes.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia train endings wthor -o training/endings --seed 1")]
pub struct EndingsArgs {
    /// The folder with WTH_<year>.wtb files; years from 2010 on are held out
    #[arg(value_name = "DIR")]
    wthor: PathBuf,
    /// The folder of the shards; finished ones are kept
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Everything random follows from this number
    #[arg(long, value_name = "N")]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Take the positions of WTHOR files whose exact score the file has: those at 24 empties
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia train import wthor -o training/wthor --years 1977-2009")]
pub struct ImportArgs {
    /// The folder with WTH_<year>.wtb files
    #[arg(value_name = "DIR")]
    wthor: PathBuf,
    /// The folder of the shards; finished ones are kept
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Only these years: 2005, 1990-2005, 1990- or -1990; from 2010 on they are held out to
    /// measure with
    #[arg(
        long,
        visible_alias = "year",
        value_name = "YEARS",
        default_value = "-2009",
        allow_hyphen_values = true
    )]
    years: Years,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run_selfplay(args: SelfplayArgs) -> Result<()> {
    let play = SelfPlay {
        seed: args.seed,
        games_per_shard: args.games,
        depths: args.depth.depths(),
        opening: Opening::Random(4.min(args.random_plies), args.random_plies),
        surprise: 12,
        labels: Labels::Search,
    };
    let paths: Vec<PathBuf> = (0..args.shards)
        .map(|number| shard_path(&args.output, "selfplay", number))
        .collect();
    let bar = progress(paths.len() as u64, "shards", "playing");
    let (evaluator, threads) = (args.engine.evaluator()?, args.engine.threads.count());
    let make = |searcher: &_, i: usize| play.shard(searcher, i as u32, &paths[i]);
    let positions = make_missing(evaluator, threads, &paths, || bar.inc(1), make)?;
    bar.finish_and_clear();
    let object = json!({ "shards": paths.len(), "new_positions": positions });
    tell(
        args.json,
        &object,
        format!("{} new positions", grouped(positions)),
    )
}

pub fn run_endings(args: EndingsArgs) -> Result<()> {
    let years = year_files(&args.wthor, 0..=held_out::HELD_OUT_FROM - 1)?;
    let endings = Endings::standard(args.seed);
    let parts = endings.shard_count(years.len()) as u64;
    let bar = progress(parts, "shards", "solving");
    let (evaluator, threads) = (args.engine.evaluator()?, args.engine.threads.count());
    let made = endings.make(evaluator, &years, &args.output, threads, || bar.inc(1))?;
    bar.finish_and_clear();
    let shards = made.len() as u64;
    let object = json!({ "shards": shards });
    tell(args.json, &object, format!("{} shards", grouped(shards)))
}

pub fn run_import(args: ImportArgs) -> Result<()> {
    let files = year_files(
        &args.wthor,
        args.years.first.into()..=args.years.last.into(),
    )?;
    let bar = progress(files.len() as u64, "files", "importing");
    let mut positions = 0;
    for file in &files {
        let shard = shard_path(&args.output, &year_name(file), 0);
        if !shard.exists() {
            positions += import(file, &shard, |record| record.source == Source::Exact)
                .with_context(|| format!("importing {}", file.display()))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let object = json!({ "files": files.len(), "new_positions": positions });
    let words = format!(
        "{} new positions from {} files",
        grouped(positions),
        files.len()
    );
    tell(args.json, &object, words)
}
