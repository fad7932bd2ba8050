//! `emilia games convert`: collections of any format into one of another.

use super::super::interrupt::Interrupt;
use super::inputs::{BadGames, Inputs, split_target};
use super::target::{Target, TargetArgs};
use anyhow::Result;
use std::path::PathBuf;

/// Convert collections into another format
///
/// The ending of the last name says the format: .wtb, .ggf, .sgf, .txt, also with .gz or .zst.
/// What the format cannot hold is reported. The target appears when it is complete.
#[derive(clap::Args)]
#[command(
    override_usage = "emilia games convert [OPTIONS] IN... OUT",
    after_help = "Examples:\n  emilia games convert WTH_2004.wtb games.ggf\n  \
                  emilia games convert *.wtb all.txt.gz\n  \
                  emilia games convert games.sgf - --format txt | head"
)]
pub struct Args {
    /// The collections to read, then the one to write; - is standard input or output
    #[arg(value_name = "IN... OUT", num_args = 2.., required = true)]
    paths: Vec<PathBuf>,

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
    let (inputs, target) = split_target(args.paths)?;
    let interrupt = Interrupt::watch()?;
    let mut target = Target::new(target, &args.target)?;
    let mut bad = BadGames::new(args.strict, false);
    Inputs::new(inputs).read("converting", &interrupt, &mut bad, |_, game| {
        target.write(&game)
    })?;
    target.finish(&interrupt)?.tell(args.json, &bad, &[])
}
