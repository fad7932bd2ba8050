//! `emilia book query`: what the book says about a position.

use super::super::color::colors;
use super::super::exit::no;
use super::super::found::{depth, discs};
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, print_json, table, waiting};
use super::super::search_options::SearchOptions;
use super::games::SomeGames;
use super::openings;
use super::place::Place;
use crate::book::{
    Answer, Bounds, Known, MoveAnswer, Selection, Statistics, Value, Ways, look_up, look_up_among,
};
use crate::engine::defaults;
use crate::othello::{Board, Drawing, PositionText, moves_to_string};
use crate::search::{Goal, Limits, SearchResult};
use crate::view::{FoundView, PositionView, SearchedPositionView, opening_of};
use anyhow::Result;
use std::io::{Write, stdout};

/// Show what the book knows about a position and each of its moves
///
/// Values and results are seen by the player to move. Bounds are proven, values are the best
/// guess; a move that the book has nothing on is unknown, until --search values it. Exit code 1 if
/// the position is not in the book.
#[derive(clap::Args)]
#[command(
    after_help = "Columns: value; bounds that are proven; what the book has on the move \
                        (book, end of the game, alternative, unknown); level of the search \
                        behind it; from how many positions of the book the same one is reached; games of people with wins, draws, losses and the average \
                        result in discs; the opening it leads to.\n\nExamples:\n  emilia book query f5d6c3\n  emilia book query f5d6c3 --search 12\n  emilia book query f5d6 --years 2000-2015 --player tastet\n  \
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

    #[arg(long, value_name = "LEVEL",
          help = format!("Search every move now, at this level [default: {}]; the book is not \
                          changed", defaults::LEVEL_OF_A_GAME),
          value_parser = clap::value_parser!(u32).range(1..=60))]
    search: Option<Option<u32>>,

    #[command(flatten)]
    engine: SearchOptions,

    /// Print one JSON object, the one that GET /api/v1/position answers with; with --search what
    /// was found is in `searched`
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
    let board = answer.position.board;
    let mut stopped = Ok(());
    let mut searched = None;
    if let Some(level) = args.search.filter(|_| !board.is_over()) {
        // As hard as each move of a game is looked at.
        let level = level.unwrap_or(defaults::LEVEL_OF_A_GAME);
        let interrupt = Interrupt::watch()?;
        searched = Some(search(&args.engine, board, level, &interrupt)?);
        stopped = interrupt.end();
    }
    let is_known = answer.node.is_some() || board.is_over();
    let end = match is_known {
        true => Ok(()),
        false => Err(no("")),
    };
    let mut out = stdout().lock();
    if args.json {
        let view = SearchedPositionView {
            position: PositionView::new(&answer, &args.position),
            searched: searched.as_ref().map(FoundView::from),
        };
        print_json(&mut out, &view)?;
        return stopped.and(end);
    }
    let moves = args.position.moves.as_deref().map(moves_to_string);
    let opening = opening_of(&args.position);
    let last_move = args.position.moves.and_then(|moves| moves.last().copied());
    let drawing = Drawing {
        position: answer.position,
        last_move,
        show_moves: true,
        colors: colors(&out),
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
    let mut header = vec![
        "move", "value", "bounds", "known", "level", "ways", "games", "won", "drawn", "lost",
        "discs", "opening",
    ];
    let mut right = vec![1, 2, 5, 6, 7, 8, 9, 10];
    if searched.is_some() {
        header.insert(1, "searched");
        right.iter_mut().for_each(|column| *column += 1);
        right.push(1);
    }
    let mut rows = table(&header, &right);
    for answer in &answer.moves {
        let mut cells = row(answer);
        if let Some(searched) = &searched {
            let found = searched.moves.iter().find(|m| m.square == answer.square);
            cells.insert(1, found.map_or_else(String::new, |m| discs(m.value)));
        }
        rows.add_row(cells);
    }
    writeln!(out, "{rows}")?;
    if let Some(searched) = &searched {
        writeln!(
            out,
            "\nsearched to {}, {} nodes in {:.1} s",
            depth(searched),
            grouped(searched.nodes),
            searched.time.as_secs_f64()
        )?;
    } else {
        hint(&mut out, &answer, moves.as_deref())?;
    }
    if !answer.settled {
        writeln!(
            out,
            "\nSome values are old: a build was interrupted, or is at work. \
                       emilia book propagate brings them up to date."
        )?;
    }
    stopped.and(end)
}

/// The value of every move.
fn search(
    engine: &SearchOptions,
    board: Board,
    level: u32,
    interrupt: &Interrupt,
) -> Result<SearchResult> {
    let board = if board.must_pass() {
        board.pass()
    } else {
        board
    };
    let limits = Limits {
        multi_pv: board.legal_moves().count() as usize,
        average: true,
        ..Limits::level(level, board.empty_count())
    };
    let line = waiting("searching every move");
    let deepest = match limits.goal {
        Goal::Depth { plies, .. } => plies,
        _ => board.empty_count(),
    };
    // An iteration that was cut off has values of some moves only.
    let mut ranked = Vec::new();
    let searcher = engine.searcher()?;
    let result = searcher.search_with(board, &limits, interrupt.button(), &mut |result| {
        line.set_message(format!(
            "searching every move: {} of {deepest}",
            depth(result)
        ));
        ranked.clone_from(&result.moves);
    });
    line.finish_and_clear();
    Ok(SearchResult {
        moves: ranked,
        ..result
    })
}

/// What nobody asked yet, and how to find it out.
fn hint(out: &mut impl Write, answer: &Answer, moves: Option<&str>) -> Result<()> {
    let unknown: Vec<String> = answer
        .moves
        .iter()
        .filter(|m| m.known == Known::Nothing)
        .map(|m| m.square.to_string())
        .collect();
    let Some(first) = unknown.first() else {
        return Ok(());
    };
    write!(
        out,
        "\nNobody has asked about {} yet: --search values every move now",
        unknown.join(", ")
    )?;
    match moves {
        Some(moves) => writeln!(
            out,
            "; emilia book learn {moves}{first} takes a move into the book."
        )?,
        None => writeln!(out, ".")?,
    }
    Ok(())
}

fn row(answer: &MoveAnswer) -> Vec<String> {
    let text = |known: Option<String>| known.unwrap_or_default();
    let count = |read: fn(&Statistics) -> u32| {
        text(answer.statistics.as_ref().map(|s| grouped(read(s).into())))
    };
    let average = answer.statistics.and_then(|s| s.average_discs());
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
        text(average.map(|discs| format!("{discs:+.1}"))),
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
