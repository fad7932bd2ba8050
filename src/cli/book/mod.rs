//! `emilia book`: building, asking and looking after opening books.

mod audit;
mod backup;
mod build;
mod check;
mod compact;
mod deepen;
mod deviate;
mod diff;
mod effort;
mod expand;
mod explain;
mod export;
mod games;
mod grown;
mod import;
mod learn;
mod main_book;
mod merge;
mod note;
pub(super) mod openings;
mod place;
mod play_out;
mod profile;
mod propagate;
mod prove;
mod query;
mod settling;
mod shelf;
mod stats;
mod store_args;
mod store_figures;
mod svg;
mod tree;
mod trim;
mod watch;

pub use place::{Place, SaidBy};
pub use watch::Watch;

use anyhow::Result;
use clap::Subcommand;

/// What the commands that look a position up say of it, with exit code 1.
const NOT_IN_BOOK: &str =
    "the position is not in the book; emilia book query --search values its moves now";

/// Build, ask and look after opening books
///
/// A book is a folder: the one named with --book, or else in the variable EMILIA_BOOK, or else
/// emilia/book in $XDG_DATA_HOME (~/.local/share where it is not set). One process writes to it at a
/// time; any number may read. Who names no book and has none reads the main book, which is put in
/// the usual place.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Build(build::Args),
    Learn(learn::Args),
    Query(query::Args),
    Games(games::Args),
    Explain(explain::Args),
    Openings(openings::Args),
    Expand(expand::Args),
    Deviate(deviate::Args),
    Deepen(deepen::Args),
    PlayOut(play_out::Args),
    Solve(prove::Args),
    Audit(audit::Args),
    Stats(stats::Args),
    Note(note::Args),
    Check(check::Args),
    Export(export::Args),
    Import(import::Args),
    Merge(merge::Args),
    Diff(diff::Args),
    Prune(trim::PruneArgs),
    Forget(trim::ForgetArgs),
    ForgetGame(games::ForgetArgs),
    IndexGames(games::IndexArgs),
    Subtree(trim::SubtreeArgs),
    Tree(tree::Args),
    Propagate(propagate::Args),
    Backup(backup::Args),
    Backups(backup::ListArgs),
    Restore(backup::RestoreArgs),
    Compact(compact::Args),
}

pub fn run(args: Args) -> Result<()> {
    match args.command {
        Command::Build(args) => build::run(args),
        Command::Learn(args) => learn::run(args),
        Command::Query(args) => query::run(args),
        Command::Games(args) => games::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Openings(args) => openings::run(args),
        Command::Expand(args) => expand::run(args),
        Command::Deviate(args) => deviate::run(args),
        Command::Deepen(args) => deepen::run(args),
        Command::PlayOut(args) => play_out::run(args),
        Command::Solve(args) => prove::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Note(args) => note::run(args),
        Command::Check(args) => check::run(args),
        Command::Export(args) => export::run(args),
        Command::Import(args) => import::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Prune(args) => trim::run_prune(args),
        Command::Forget(args) => trim::run_forget(args),
        Command::ForgetGame(args) => games::run_forget(args),
        Command::IndexGames(args) => games::run_index(args),
        Command::Subtree(args) => trim::run_subtree(args),
        Command::Tree(args) => tree::run(args),
        Command::Propagate(args) => propagate::run(args),
        Command::Backup(args) => backup::run(args),
        Command::Backups(args) => backup::list(args),
        Command::Restore(args) => backup::restore(args),
        Command::Compact(args) => compact::run(args),
    }
}
