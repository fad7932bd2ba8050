//! `emilia games`: looking at, converting and cleaning collections of games.

mod convert;
mod dedupe;
pub(super) mod inputs;
mod sample;
mod selfplay;
mod stat;
mod target;

use anyhow::Result;
use clap::Subcommand;

/// Look at, convert and clean collections of games
///
/// Read are WTHOR (.wtb, with the .jou and .trn files beside it), GGF, SGF for Othello and
/// transcripts (one game per line), also packed with gzip or zstd. The format is recognised by the
/// content. A broken game is skipped and reported; --strict makes it an error.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Stat(stat::Args),
    Convert(convert::Args),
    Dedupe(dedupe::Args),
    Sample(sample::Args),
    Selfplay(selfplay::Args),
}

pub fn run(args: Args) -> Result<()> {
    match args.command {
        Command::Stat(args) => stat::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Dedupe(args) => dedupe::run(args),
        Command::Sample(args) => sample::run(args),
        Command::Selfplay(args) => selfplay::run(args),
    }
}
