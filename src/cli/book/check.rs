//! `emilia book check`: every invariant of a book.

use super::super::exit::no;
use super::super::output::{grouped, print_json};
use super::place::Place;
use super::watch::Watch;
use crate::book::{check, repair};
use crate::view::CheckedView;
use anyhow::Result;
use std::io::{Write, stdout};

/// How many violations are listed unless all are asked for.
const LISTED: usize = 20;

/// Check every invariant of a book, and repair it
///
/// Each value must follow from the positions below it, keys must be canonical, statistics must add
/// up, every position must be reached, and games must be found by position, player and event. Work
/// that was interrupted is no violation: it is told, and the next build or propagate does it. Exit
/// code 1 if something is wrong.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book check\n  emilia book check --book wthor --repair")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Replace or remove records that cannot be read, connect or remove positions that nothing
    /// leads to, and recompute everything
    #[arg(long)]
    repair: bool,

    /// List all violations that were kept (up to 1000), not only the first ones
    #[arg(long)]
    all: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let options = args.place.options();
    let path = args.place.path_to_read()?;
    let mut repaired = None;
    let findings = if args.repair {
        let store = options.open(&path)?;
        repaired = Some(repair(&store, &Watch::new(&store, "repairing", None)?)?);
        check(&store, &Watch::new(&store, "checking", None)?)?
    } else {
        let store = options.open_read_only(&path)?;
        check(&store, &Watch::new(&store, "checking", None)?)?
    };
    let mut out = stdout().lock();
    if args.json {
        print_json(&mut out, &CheckedView::of(&findings, repaired))?;
    } else {
        if let Some(repaired) = repaired {
            writeln!(
                out,
                "{} records replaced or removed; positions that nothing led to: {} removed, the \
                 others connected again by {} that had been lost",
                grouped(repaired.records),
                grouped(repaired.orphans.removed),
                grouped(repaired.orphans.brought_back)
            )?;
        }
        writeln!(
            out,
            "{} positions, {} with statistics, {} games",
            grouped(findings.positions),
            grouped(findings.statistics),
            grouped(findings.games)
        )?;
        if findings.sweep_due {
            writeln!(
                out,
                "all positions are to be re-examined: emilia book propagate"
            )?;
        } else if findings.waiting > 0 {
            let waiting = grouped(findings.waiting);
            writeln!(
                out,
                "{waiting} positions are to be re-examined: emilia book propagate"
            )?;
        }
        if findings.index_due && findings.games > 0 {
            writeln!(out, "the games are to be indexed: emilia book index-games")?;
        }
        if findings.wanted > 0 {
            let wanted = grouped(findings.wanted);
            writeln!(
                out,
                "{wanted} positions are to be searched: emilia book stats says for whom"
            )?;
        }
        let listed = if args.all { usize::MAX } else { LISTED };
        for violation in findings.violations.iter().take(listed) {
            writeln!(out, "{violation}")?;
        }
        if findings.is_sound() {
            let due = findings.sweep_due || findings.waiting > 0 || findings.index_due;
            let else_where = if due { " otherwise" } else { "" };
            writeln!(out, "nothing is wrong{else_where}")?;
        }
    }
    if !findings.is_sound() {
        let count = grouped(findings.violation_count);
        let hint = if args.repair {
            "what is left cannot be repaired: restore a backup, or build the book again"
        } else {
            "emilia book check --repair mends what can be mended"
        };
        return Err(no(format!("{count} violations; {hint}")));
    }
    Ok(())
}
