//! The command line: a file for each subcommand, or for a few that share most of what they do, as
//! those that take positions out of a book; shared output helpers in `output`. Every flag means one
//! thing wherever it stands (`tests/cli/tree.rs` holds all commands to that): `--time` is how long to
//! work, `--clock` a clock for a game, `--from` a position, `-o` what is written, `--force` that it
//! may replace what is there.

mod analyse;
mod bench;
mod book;
mod cluster;
mod cluster_options;
mod color;
mod completions;
mod console;
mod doctor;
mod duration;
mod exit;
mod export_site;
mod found;
mod games;
mod gtp;
mod guest;
mod interrupt;
mod judge;
mod logging;
mod manual;
mod nboard;
mod new_file;
mod numbers;
mod output;
mod perft;
mod play;
mod player_options;
mod search_options;
mod serve;
mod solve;
mod solved;
mod stopwatch;
mod tournament;
mod train;
mod worker;

use clap::{CommandFactory, Parser, Subcommand};
use color::ColorChoice;
use exit::Exit;
use std::process::ExitCode;

/// Builds Othello opening books from games, keeps them in RocksDB, and plays from them.
#[derive(Parser)]
#[command(
    name = "emilia",
    version,
    max_term_width = 100,
    after_help = "Exit codes, of every command: 0 done; 1 the answer is no (a wrong solution, not in \
                  the book, books that differ); 2 bad use or input; 130 after Ctrl-C."
)]
struct Cli {
    /// Say more on standard error (-v progress of the work, -vv details); EMILIA_LOG overrides it
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,

    /// Colour the output; NO_COLOR is heeded
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        global = true,
        hide_possible_values = true
    )]
    color: ColorChoice,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Analyse(analyse::Args),
    Bench(bench::Args),
    Book(book::Args),
    Cluster(cluster::Args),
    Completions(completions::Args),
    Console(console::Args),
    Doctor(doctor::Args),
    ExportSite(export_site::Args),
    Games(games::Args),
    Gtp(gtp::Args),
    Manual(manual::Args),
    Match(tournament::Args),
    Nboard(nboard::Args),
    Perft(perft::Args),
    Play(play::Args),
    Serve(serve::Args),
    Solve(solve::Args),
    Train(train::Args),
    Worker(worker::Args),
}

/// All commands with their arguments, for completions, manual pages and tests.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses, runs, and turns an error into a message and an exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    color::choose(cli.color);
    logging::start(cli.verbose);
    let result = match cli.command {
        Command::Analyse(args) => analyse::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Book(args) => book::run(args),
        Command::Cluster(args) => cluster::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Console(args) => console::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::ExportSite(args) => export_site::run(args),
        Command::Games(args) => games::run(args),
        Command::Gtp(args) => gtp::run(args),
        Command::Manual(args) => manual::run(args),
        Command::Match(args) => tournament::run(args),
        Command::Nboard(args) => nboard::run(args),
        Command::Perft(args) => perft::run(args),
        Command::Play(args) => play::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Train(args) => train::run(args),
        Command::Worker(args) => worker::run(args),
    };
    let Err(error) = result else {
        return Exit::Done.into();
    };
    let exit = Exit::of(&error);
    let words = format!("{error:#}");
    // A reader who left wants no words, and some commands have said theirs.
    if exit != Exit::Done && !words.is_empty() {
        eprintln!("emilia: {words}");
    }
    exit.into()
}
