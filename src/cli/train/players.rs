//! `emilia train players`: the fitted tables of the programs of the papers.

use super::super::new_file::{check_free, write_file};
use super::super::output::{grouped, progress};
use super::options::tell;
use crate::engine::defaults;
use crate::players::{bill, chen, keyano, own_games};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Make the fitted tables of the programs of the papers again
///
/// They come from games that are played for it, so the same seed makes the same files. The program
/// has them built in: they count after the next build.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia train players --seed 1 --force\n  \
                  emilia train players --seed 2 -o /tmp")]
pub struct Args {
    /// Everything random follows from this number
    #[arg(long, value_name = "N")]
    seed: u64,

    /// The folder of the tables
    #[arg(long, short, value_name = "DIR", default_value = "book/players")]
    output: PathBuf,

    /// Replace the tables that are there
    #[arg(long)]
    force: bool,

    /// Games of each of the two rounds of Chen's program
    #[arg(long, value_name = "N", default_value_t = chen::fit::Effort::default().games)]
    games: usize,

    /// Depth of the searches for the examples of Chen's program
    #[arg(long, value_name = "PLIES", default_value_t = chen::fit::Effort::default().depth,
          value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,

    /// Of BILL and KEYANO: games of our engine that they learn from
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    own_games: u64,

    /// Print one JSON object per file
    #[arg(long)]
    json: bool,
}

/// BILL and KEYANO learn from other games than Chen's program: their seed is so much larger.
const OTHER_GAMES: u64 = 19;

pub fn run(args: &Args) -> Result<()> {
    let paths = ["chen.bin", "bill.bin", "keyano.bin"].map(|name| args.output.join(name));
    for path in &paths {
        check_free(path, args.force)?;
    }
    let [chen_path, bill_path, keyano_path] = &paths;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot make the folder {}", args.output.display()))?;
    let effort = chen::fit::Effort {
        games: args.games,
        depth: args.depth,
        ..chen::fit::Effort::default()
    };
    let bar = progress(chen::fit::stages(effort) as u64, "stages", "training Chen");
    let weights = chen::fit::fit(args.seed, effort, &mut || bar.inc(1));
    bar.finish_and_clear();
    write(chen_path, &weights.to_bytes(), args)?;

    let seed = args.seed.wrapping_add(OTHER_GAMES);
    let bar = progress(args.own_games, "games", "playing");
    let games = own_games(seed, args.own_games, || bar.inc(1));
    bar.finish_and_clear();
    let bar = progress(games.len() as u64, "games", "fitting BILL");
    let lesson = bill::fit::fit(&games, &mut || bar.inc(1))?;
    bar.finish_and_clear();
    write(bill_path, &lesson.taught.encode()?, args)?;
    let effort = keyano::fit::Effort::default();
    let bar = progress(effort.positions as u64, "positions", "fitting KEYANO");
    // It learns a while before it searches.
    bar.enable_steady_tick(Duration::from_millis(200));
    let tell = || bar.inc(1);
    let taught = keyano::fit::fit(&games, seed, defaults::threads(), effort, &tell)?;
    bar.finish_and_clear();
    write(keyano_path, &taught.encode()?, args)
}

fn write(path: &Path, bytes: &[u8], args: &Args) -> Result<()> {
    write_file(path, bytes, args.force)?;
    let size = grouped(bytes.len() as u64);
    let object = json!({ "file": path, "bytes": bytes.len() });
    tell(
        args.json,
        &object,
        format!("{}: {size} bytes", path.display()),
    )
}
