//! `emilia games convert`: collections of any format into one of another.

use super::super::interrupt::Interrupt;
use super::inputs::{BadGames, Inputs, split_target};
use super::target::Target;
use crate::games::Format;
use anyhow::Result;
use serde_json::json;
use std::io::{self, Write, stdout};
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

    /// Write this format (wthor, ggf, sgf, transcript), whatever the name says
    #[arg(long)]
    format: Option<Format>,

    /// Replace the target if it exists
    #[arg(long)]
    force: bool,

    /// A bad game is an error
    #[arg(long)]
    strict: bool,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let (inputs, target) = split_target(args.paths)?;
    let json_to_stderr = target.as_os_str() == "-";
    let interrupt = Interrupt::watch()?;
    let mut target = Target::new(target, args.format, args.force)?;
    let mut bad = BadGames::new(args.strict, false);
    Inputs::new(inputs).read("converting", &interrupt, &mut bad, |_, game| {
        target.write(&game)
    })?;
    let report = target.finish(&interrupt)?;
    if args.json {
        let mut summary = report.to_json();
        summary["bad_games"] = json!(bad.count());
        summary["bad"] = bad.to_json();
        // Standard output is taken when the games go there.
        if json_to_stderr {
            eprintln!("{summary}");
        } else {
            writeln!(stdout(), "{summary}")?;
        }
    } else {
        report.print();
        bad.print(&mut io::stderr())?;
    }
    Ok(())
}
