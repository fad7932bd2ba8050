//! The command line: one file per subcommand, shared output helpers in `output`.

mod analyse;
mod bench;
mod book;
mod cluster;
mod cluster_options;
mod console;
mod duration;
mod export_site;
mod found;
mod games;
mod gtp;
mod guest;
mod interrupt;
mod judge;
mod nboard;
mod new_file;
mod output;
mod perft;
mod play;
mod player_options;
mod search_options;
mod serve;
mod solve;
mod stopwatch;
mod tournament;
mod train;
mod worker;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Builds Othello opening books from games, keeps them in RocksDB, and plays from them.
#[derive(Parser)]
#[command(name = "emilia", version, max_term_width = 100)]
struct Cli {
    /// Say more on standard error (-v progress of the work, -vv details); EMILIA_LOG overrides it
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Analyse(analyse::Args),
    Bench(bench::Args),
    Book(book::Args),
    Cluster(cluster::Args),
    Console(console::Args),
    ExportSite(export_site::Args),
    Games(games::Args),
    Gtp(gtp::Args),
    Match(tournament::Args),
    Nboard(nboard::Args),
    Perft(perft::Args),
    Play(play::Args),
    Serve(serve::Args),
    Solve(solve::Args),
    Train(train::Args),
    Worker(worker::Args),
}

/// Parses, runs, and turns an error into a message and an exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    start_logging(cli.verbose);
    let result = match cli.command {
        Command::Analyse(args) => analyse::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Book(args) => book::run(args),
        Command::Cluster(args) => cluster::run(args),
        Command::Console(args) => console::run(args),
        Command::ExportSite(args) => export_site::run(args),
        Command::Games(args) => games::run(args),
        Command::Gtp(args) => gtp::run(args),
        Command::Match(args) => tournament::run(args),
        Command::Nboard(args) => nboard::run(args),
        Command::Perft(args) => perft::run(args),
        Command::Play(args) => play::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Train(args) => train::run(args),
        Command::Worker(args) => worker::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("emilia: {error:#}");
            if error.is::<output::UsageError>() {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn start_logging(verbose: u8) {
    use std::io::IsTerminal;
    use tracing_subscriber::EnvFilter;
    let level = ["warn", "info", "debug"][usize::from(verbose.min(2))];
    let filter = EnvFilter::try_from_env("EMILIA_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
}
