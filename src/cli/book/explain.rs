//! `emilia book explain`: on what a value rests.

use super::super::exit::no;
use super::super::output::{print_json, table};
use super::NOT_IN_BOOK;
use super::place::Place;
use crate::book::{Step, Support, explain};
use crate::othello::PositionText;
use crate::view::LineView;
use anyhow::Result;
use std::io::{Write, stdout};

/// Show the line of best moves that a position's value rests on
///
/// The line goes down to the search, or to the end of the game, that the value comes from. Values
/// are seen by the player to move in each position. Exit code 1 if the position is not in the book.
#[derive(clap::Args)]
#[command(
    after_help = "Columns: who moves; the best move; the position's value; what it rests \
                        on (the book below, an alternative that is not in the book, the end of \
                        the game, its own search); the level of that search; why the position is \
                        in the book.\n\nExamples:\n  emilia book explain\n  \
                        emilia book explain f5d6c3d3c4 --json"
)]
pub struct Args {
    /// Moves from the start, or a board string with the side to move
    #[arg(
        value_name = "MOVES|POSITION",
        default_value = "start",
        allow_hyphen_values = true
    )]
    position: PositionText,

    #[command(flatten)]
    place: Place,

    /// Print one JSON object, the one that GET /api/v1/line answers with: the line is in `because`
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let store = args.place.open_to_read()?;
    let reader = store.reader();
    let mut out = stdout().lock();
    let steps = explain(&reader, args.position.position)?;
    if args.json {
        print_json(&mut out, &LineView::look_up(&reader, &args.position)?)?;
    }
    let Some(first) = steps.first() else {
        return Err(no(NOT_IN_BOOK));
    };
    if args.json {
        return Ok(());
    }
    let mut rows = table(&["", "move", "value", "rests on", "level", "from"], &[2]);
    for step in &steps {
        rows.add_row([
            step.position.turn.to_string(),
            step.support
                .square()
                .map_or_else(|| "--".into(), |square| square.to_string()),
            step.node
                .derived
                .value
                .map_or_else(|| "?".into(), |value| value.to_string()),
            name(step.support).into(),
            level(step).unwrap_or_default(),
            step.node.origin.to_string(),
        ]);
    }
    writeln!(out, "{rows}")?;
    if first.node.derived.value.is_none() {
        writeln!(
            out,
            "\nNothing below the position has a value; emilia book build --level searches it."
        )?;
    }
    Ok(())
}

const fn name(support: Support) -> &'static str {
    match support {
        Support::Book(_) => "book",
        Support::Alternative(..) => "alternative",
        Support::End(..) => "end",
        Support::Evaluation(_) => "own search",
        Support::Nothing => "nothing",
    }
}

/// Of the search that the value rests on, where it is this position's.
fn level(step: &Step) -> Option<String> {
    match step.support {
        Support::Alternative(_, level) | Support::Evaluation(level) => Some(level.to_string()),
        Support::Book(_) | Support::End(..) | Support::Nothing => None,
    }
}
