//! `emilia book`: building, asking and looking after opening books.

mod backup;
mod build;
mod check;
pub(super) mod openings;
mod place;
mod propagate;
mod query;
mod stats;
mod watch;

pub use place::Place;

use anyhow::Result;
use clap::Subcommand;

/// Build, ask and look after opening books
///
/// A book is a folder: the one named with --book, or else in the variable EMILIA_BOOK, or else
/// ~/.local/share/emilia/book. One process writes to it at a time; any number may read.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Build(build::Args),
    Query(query::Args),
    Openings(openings::Args),
    Stats(stats::Args),
    Check(check::Args),
    Propagate(propagate::Args),
    Backup(backup::Args),
    Compact(backup::CompactArgs),
}

pub fn run(args: Args) -> Result<()> {
    match args.command {
        Command::Build(args) => build::run(args),
        Command::Query(args) => query::run(args),
        Command::Openings(args) => openings::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Check(args) => check::run(args),
        Command::Propagate(args) => propagate::run(args),
        Command::Backup(args) => backup::run(args),
        Command::Compact(args) => backup::compact(args),
    }
}
