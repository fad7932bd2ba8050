//! `emilia book query`: what the book says about a position.

use super::super::output::{grouped, print_json, table};
use super::games::SomeGames;
use super::openings;
use super::place::Place;
use crate::book::{
    Bounds, Known, MoveAnswer, Selection, Statistics, Value, Ways, look_up, look_up_among,
};
use crate::othello::{Drawing, PositionText};
use crate::view::{PositionView, opening_of};
use anyhow::Result;
use std::io::{IsTerminal, Write, stdout};

/// Show what the book knows about a position and each of its moves
///
/// Values and results are seen by the player to move. Bounds are proven, values are the best
/// guess; a move that the book has nothing on is unknown.
#[derive(clap::Args)]
#[command(
    after_help = "Columns: value; bounds that are proven; what the book has on the move \
                        (book, end of the game, alternative, unknown); level of the search \
                        behind it; from how many positions of the book the same one is reached; games of people with wins, draws, losses and the average \
                        result in discs; the opening it leads to.\n\nExamples:\n  emilia book query f5d6c3\n  emilia book query f5d6 --years 2000-2015 --player tastet\n  \
                        emilia book query start --json | jq .moves\n  emilia book query \
                        '---------------------------OX------XO--------------------------- X'"
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
    some: SomeGames,

    #[command(flatten)]
    place: Place,

    /// Print one JSON object, the one that GET /api/v1/position answers with
    #[arg(long)]
    json: bool,

    /// In the JSON object, count the ways into each position, too
    #[arg(long, requires = "json")]
    ways: bool,
}

pub fn run(args: Args) -> Result<()> {
    let store = args.place.open_to_read()?;
    let ways = if args.ways || !args.json {
        Ways::Counted
    } else {
        Ways::LeftOut
    };
    let some = Selection {
        player: args.some.player,
        years: args.some.years,
        ..Selection::default()
    };
    let (reader, position) = (store.snapshot(), args.position.position);
    let answer = if some == Selection::default() {
        look_up(&reader, position, ways)?
    } else {
        look_up_among(&reader, position, ways, &some, &|| false)?
    };
    let mut out = stdout().lock();
    if args.json {
        return print_json(&mut out, &PositionView::new(&answer, &args.position));
    }
    let opening = opening_of(&args.position);
    let last_move = args.position.moves.and_then(|moves| moves.last().copied());
    let drawing = Drawing {
        position: answer.position,
        last_move,
        show_moves: true,
        colors: out.is_terminal(),
    };
    writeln!(out, "{drawing}")?;
    if let Some(opening) = opening {
        writeln!(out, "Opening {}", openings::shown(opening))?;
    }
    match &answer.node {
        None if answer.position.board.is_over() => {
            let score = answer.position.board.final_score();
            writeln!(
                out,
                "The game is over: {score} for {}.",
                answer.position.turn
            )?;
            return Ok(());
        }
        None => writeln!(out, "The position is not in the book.")?,
        Some(node) => {
            let derived = &node.derived;
            let value = shown_value(derived.value);
            let bounds = shown_bounds(derived.bounds);
            let source = match (answer.best, node.evaluation) {
                (Some(best), _) => format!("from {best}"),
                (None, Some(own)) => format!("its own, {}", own.level),
                (None, None) => "nothing below it has a value".into(),
            };
            writeln!(
                out,
                "Value {value} ({source}), proven {bounds}; from {}; \
                 reached from {} positions",
                node.origin,
                answer.ways_in.unwrap_or_default()
            )?;
        }
    }
    if let Some(statistics) = &answer.statistics {
        writeln!(out, "Games {}", shown_statistics(statistics))?;
    }
    writeln!(out)?;
    let header = [
        "move", "value", "bounds", "known", "level", "ways", "games", "won", "drawn", "lost",
        "discs", "opening",
    ];
    let mut rows = table(&header, &[1, 2, 5, 6, 7, 8, 9, 10]);
    for answer in &answer.moves {
        rows.add_row(row(answer));
    }
    writeln!(out, "{rows}")?;
    if !answer.settled {
        writeln!(
            out,
            "\nSome values are old: a build was interrupted, or is at work. \
                       emilia book propagate brings them up to date."
        )?;
    }
    Ok(())
}

fn row(answer: &MoveAnswer) -> Vec<String> {
    let text = |known: Option<String>| known.unwrap_or_default();
    let count = |read: fn(&Statistics) -> u32| {
        text(answer.statistics.as_ref().map(|s| grouped(read(s).into())))
    };
    let discs = answer.statistics.and_then(|s| s.average_discs());
    vec![
        answer.square.to_string(),
        shown_value(answer.value),
        shown_bounds(answer.bounds),
        known(answer.known).into(),
        text(answer.level.map(|level| level.to_string())),
        text(answer.ways_in.map(|ways| ways.to_string())),
        count(|s| s.games),
        count(|s| s.wins),
        count(|s| s.draws),
        count(|s| s.losses),
        text(discs.map(|discs| format!("{discs:+.1}"))),
        text(answer.opening.map(|opening| opening.name.clone())),
    ]
}

const fn known(known: Known) -> &'static str {
    match known {
        Known::InBook => "book",
        Known::Ends => "end",
        Known::Alternative => "alternative",
        Known::Nothing => "unknown",
    }
}

fn shown_value(value: Option<Value>) -> String {
    value.map_or_else(|| "?".into(), |value| value.to_string())
}

fn shown_bounds(bounds: Bounds) -> String {
    if bounds == Bounds::UNKNOWN {
        "?".into()
    } else if bounds.is_exact() {
        bounds.lower.to_string()
    } else {
        format!("{}..{}", bounds.lower, bounds.upper)
    }
}

fn shown_statistics(statistics: &Statistics) -> String {
    let mut text = format!(
        "{}: {} won, {} drawn, {} lost",
        grouped(statistics.games.into()),
        grouped(statistics.wins.into()),
        grouped(statistics.draws.into()),
        grouped(statistics.losses.into())
    );
    if let Some(discs) = statistics.average_discs() {
        text.push_str(&format!(", {discs:+.1} discs on average"));
    }
    if let Some((first, last)) = statistics.years {
        text.push_str(&format!(", {first}–{last}"));
    }
    text
}
