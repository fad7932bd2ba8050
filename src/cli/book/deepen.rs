//! `emilia book deepen`: search again what was searched at a lower level.

use super::super::exit::interrupted;
use super::super::output::{grouped, print_json};
use super::effort::{Crew, Effort};
use super::grown::report_failures;
use super::place::Place;
use super::watch::Watch;
use crate::book::{Analyst, Assignment, Cause, Errand, Failure, Store, answer_wants};
use crate::engine::{GoodLines, deepen_lines};
use crate::engine::{centidiscs, read_discs};
use crate::othello::PositionText;
use crate::view::{DeepenedView, SearchWorkView};
use anyhow::Result;
use std::io::{Write, stdout};
use std::time::Instant;

/// Search a whole book, or its good lines, at a level
///
/// Every leaf and every alternative that was searched at a lower level, or not at all, is searched
/// again; the rest is left alone. What other commands left to be searched is searched as well.
/// With --loss only the lines on which the players give away at most so many discs together are
/// searched again, as they become while values change, and nothing else.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book deepen --level 12\n  \
                        emilia book deepen --level 16 --time 8h --book wthor\n  \
                        emilia book deepen --level 24 --loss 0.5 --plies 20\n  \
                        emilia book deepen --level 12 --renew")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    effort: Effort,

    /// Search again what another engine found, at whatever level: another program, or an emilia
    /// with another evaluation
    #[arg(long, conflicts_with = "loss")]
    renew: bool,

    /// How many discs all moves of a line may give away together; other lines
    /// are left alone
    #[arg(long, value_name = "DISCS", value_parser = read_discs)]
    loss: Option<f64>,

    /// Only positions after at most this many moves
    #[arg(long, value_name = "N", default_value_t = 60, requires = "loss",
          value_parser = clap::value_parser!(u8).range(1..=60))]
    plies: u8,

    /// Only lines below this position of the book: moves from the start, or a board string
    #[arg(
        long,
        value_name = "MOVES|POSITION",
        default_value = "start",
        requires = "loss",
        allow_hyphen_values = true
    )]
    from: PositionText,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let crew = args.effort.start_searching()?;
    let store = args.place.open()?;
    let began = Instant::now();
    let mut analyst = crew.analyst(&store)?;
    let done = match args.loss {
        None => deepen_all(args.renew, &crew, &mut *analyst, &store)?,
        Some(loss) => {
            let lines = GoodLines {
                from: args.from.position,
                loss: centidiscs(loss),
                plies: args.plies,
            };
            deepen_some(&lines, &crew, &mut *analyst, &store)?
        }
    };
    store.flush()?;
    let searched = grouped(done.searched);
    if crew.interrupt.is_set() {
        return Err(interrupted(format!(
            "interrupted after {searched} searches; the same command goes on from there"
        )));
    }
    report_failures(&done.failures)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if args.json {
        let told = DeepenedView {
            work: SearchWorkView {
                searched: done.searched,
                finished: done.finished,
                seconds,
            },
            changed: done.changed,
        };
        return print_json(&mut out, &told);
    }
    let changed = done.changed.map_or_else(String::new, |changed| {
        format!(", {} positions changed", grouped(changed))
    });
    writeln!(out, "{searched} searches{changed}  ({seconds:.1} s)")?;
    if !done.finished {
        writeln!(out, "the time is up; the same command goes on from there")?;
    }
    Ok(())
}

struct Done {
    searched: u64,
    /// Positions that became others, where that was counted.
    changed: Option<u64>,
    finished: bool,
    failures: Vec<Failure>,
}

/// The whole book, layer by layer.
fn deepen_all(renew: bool, crew: &Crew, analyst: &mut dyn Analyst, store: &Store) -> Result<Done> {
    let watch = Watch::new(store, "searching", Some(crew.interrupt.clone()))?;
    let errand = Errand {
        cause: Cause::Deepen,
        level: crew.level,
    };
    let assignment = Assignment {
        everything: true,
        renew,
        ..Assignment::of(errand)
    };
    let settled = answer_wants(store, analyst, assignment, &watch)?;
    Ok(Done {
        searched: settled.searched,
        changed: Some(settled.changed),
        finished: settled.finished,
        failures: settled.failures,
    })
}

/// The lines that give away no more than this.
fn deepen_some(
    lines: &GoodLines,
    crew: &Crew,
    analyst: &mut dyn Analyst,
    store: &Store,
) -> Result<Done> {
    let watch = Watch::rounds("searching", crew.interrupt.clone());
    let grown = deepen_lines(store, analyst, crew.level, lines, &watch)?;
    Ok(Done {
        searched: grown.searched,
        changed: None,
        finished: grown.exhausted,
        failures: grown.failures,
    })
}
