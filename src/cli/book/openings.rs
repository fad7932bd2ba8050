//! `emilia book openings`: the names of openings.

use super::super::exit::no;
use super::super::output::{print_json, table};
use crate::book::{Opening, Openings};
use crate::othello::moves_to_string;
use crate::view::OpeningsView;
use anyhow::Result;
use std::io::{Write, stdout};

/// List the named openings
///
/// A name belongs to a position, however it is reached and whichever way the board is turned. A
/// line is called after the deepest named position it went through; book query and analyse show it.
/// Exit code 1 if no opening is called so.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia book openings\n  emilia book openings rose\n  \
                        emilia book openings --json | jq '.openings[].name'"
)]
pub struct Args {
    /// Only openings whose name, or another name, contains this
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let wanted = args.name.as_deref().unwrap_or_default();
    let all = Openings::shipped().all().iter();
    let found: Vec<&Opening> = all.filter(|opening| opening.is_called(wanted)).collect();
    let mut out = stdout().lock();
    if args.json {
        print_json(&mut out, &OpeningsView::called(wanted))?;
    }
    if found.is_empty() {
        return Err(no(format!(
            "no opening is called {wanted}; emilia book openings lists them all"
        )));
    }
    if args.json {
        return Ok(());
    }
    let mut rows = table(&["name", "also", "moves"], &[]);
    for opening in found {
        rows.add_row([
            opening.name.clone(),
            opening.also.join(", "),
            moves_to_string(&opening.moves),
        ]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

/// The name, with the other names in brackets.
pub fn shown(opening: &Opening) -> String {
    if opening.also.is_empty() {
        opening.name.clone()
    } else {
        format!("{} ({})", opening.name, opening.also.join(", "))
    }
}
