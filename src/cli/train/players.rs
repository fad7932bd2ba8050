//! `emilia train players`: the fitted tables of the programs of the papers.

use crate::cli::new_file;
use crate::cli::output::{grouped, progress};
use crate::players::{bill, chen, keyano, own_games};
use anyhow::{Context, Result};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Make the fitted tables of the programs of the papers again
///
/// They come from games that are played for it, so the same seed makes the same files. The program
/// has them built in: they count after the next build.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia train players --seed 1\n  \
                  emilia train players --seed 2 --out /tmp")]
pub struct Args {
    /// Everything random follows from this number
    #[arg(long)]
    seed: u64,

    /// The folder of the tables
    #[arg(long, short, value_name = "DIR", default_value = "book/players")]
    out: PathBuf,

    /// Of Chen's program: games of each of its two rounds
    #[arg(long, value_name = "N", default_value_t = chen::fit::Effort::default().games)]
    games: usize,

    /// Of Chen's program: plies that its examples are searched
    #[arg(long, value_name = "PLIES", default_value_t = chen::fit::Effort::default().depth,
          value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,

    /// Of BILL and KEYANO: games of our engine that they learn from
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    own_games: u64,
}

/// BILL and KEYANO learn from other games than Chen's program: their seed is so much larger.
const OTHER_GAMES: u64 = 19;

pub fn run(args: &Args) -> Result<()> {
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    let effort = chen::fit::Effort {
        games: args.games,
        depth: args.depth,
        ..chen::fit::Effort::default()
    };
    let bar = progress(chen::fit::stages(effort) as u64, "stages", "training Chen");
    let weights = chen::fit::fit(args.seed, effort, &mut || bar.inc(1));
    bar.finish_and_clear();
    write(&args.out.join("chen.bin"), &weights.to_bytes())?;

    let seed = args.seed.wrapping_add(OTHER_GAMES);
    let bar = progress(args.own_games, "games", "playing");
    let games = own_games(seed, args.own_games, || bar.inc(1));
    bar.finish_and_clear();
    let lesson = bill::fit::fit(&games)?;
    write(&args.out.join("bill.bin"), &lesson.taught.encode()?)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let taught = keyano::fit::fit(&games, seed, threads, keyano::fit::Effort::default())?;
    write(&args.out.join("keyano.bin"), &taught.encode()?)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = new_file::temporary(path)?;
    file.write_all(bytes)?;
    new_file::put(file, path, true)?;
    let size = grouped(bytes.len() as u64);
    writeln!(stdout(), "{}: {size} bytes", path.display())?;
    Ok(())
}
