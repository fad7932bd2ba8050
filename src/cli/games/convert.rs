//! `emilia games convert`: collections of any format into one of another.

use super::super::interrupt::Interrupt;
use super::inputs::{BadGames, Inputs};
use super::target::{Target, TargetArgs};
use anyhow::Result;
use std::path::PathBuf;

/// Convert collections into another format
///
/// The ending of the name says the format: .wtb, .ggf, .sgf, .txt, also with .gz or .zst.
/// What the format cannot hold is reported. The target appears when it is complete.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia games convert WTH_2004.wtb -o games.ggf\n  \
                  emilia games convert *.wtb -o all.txt.gz\n  \
                  emilia games convert games.sgf -o - --format txt | head"
)]
pub struct Args {
    /// The collections to read; - is standard input
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,

    #[command(flatten)]
    target: TargetArgs,

    /// A bad game is an error
    #[arg(long)]
    strict: bool,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    let mut target = Target::new(args.target)?;
    let mut bad = BadGames::new(args.strict, false);
    Inputs::new(args.games).read("converting", &interrupt, &mut bad, |_, game| {
        target.write(&game)
    })?;
    target.finish(&interrupt)?.tell(args.json, &bad, &[])
}
