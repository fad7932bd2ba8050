//! `emilia analyse`: one position, deeper and deeper, until a limit or Ctrl-C.

use super::book::openings;
use super::found;
use super::output::{grouped, table};
use super::search_options::{SearchOptions, read_selectivity, stopped_by_ctrl_c};
use crate::othello::{Color, Drawing, Position, PositionText, moves_to_string};
use crate::search::time::Budget;
use crate::search::{Goal, Limits, SearchResult, Selectivity};
use anyhow::Result;
use serde_json::Value;
use std::io::{IsTerminal, Write, stdout};
use std::time::Duration;

/// What is taken when no limit is given: some seconds in the middle game, exact from 24 empties.
const DEFAULT_LEVEL: u32 = 21;

/// Analyse a position: value, best moves and expected line, iteration by iteration
///
/// Values are in discs, seen by the player to move. Ctrl-C ends the search and shows the best so
/// far.
#[derive(clap::Args)]
#[command(
    visible_alias = "analyze",
    after_help = "Examples:\n  emilia analyse f5d6c3d3c4 --depth 16\n  \
                  emilia analyse start --time 10 --threads 2\n  \
                  emilia analyse f5f6e6f4 --multipv 4 --level 14"
)]
pub struct Args {
    /// Moves from the start (or `start`), or a board string with the side to move
    #[arg(value_name = "MOVES|POSITION", allow_hyphen_values = true)]
    position: PositionText,

    /// Look this many plies ahead
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=60),
          conflicts_with = "level")]
    depth: Option<u32>,

    /// How sure a shallow search must be to cut, in per cent: 68, 82, 91, 96, 99, 100 (never cut)
    #[arg(long, value_name = "PERCENT", value_parser = read_selectivity, requires = "depth")]
    selectivity: Option<Selectivity>,

    /// Search for this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = read_seconds)]
    time: Option<Duration>,

    /// Search about this many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Playing strength: about the depth in the middle game, with an exact endgame to match [21]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u32).range(0..=60))]
    level: Option<u32>,

    /// Value this many of the best moves
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    multipv: u8,

    /// Show each depth's own value, not the mean of the last two, which lean to opposite sides
    #[arg(long)]
    raw: bool,

    #[command(flatten)]
    options: SearchOptions,

    /// Print one JSON object per iteration, and a last one with the answer
    #[arg(long)]
    json: bool,
}

fn read_seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|&seconds| seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        // Longer than anyone waits, and safe to add to any clock.
        .map(|time| time.min(Duration::from_secs(u64::from(u32::MAX))))
        .ok_or_else(|| "write seconds above 0, as in 10 or 0.5".into())
}

pub fn run(args: Args) -> Result<()> {
    let position = args.position.position;
    let moves = args.position.moves.as_deref();
    let last_move = moves.and_then(|moves| moves.last().copied());
    let opening = openings::name_of(&args.position);
    let limits = args.limits(position.board.empty_count());
    let mut out = stdout().lock();
    if !args.json {
        let drawing = Drawing {
            last_move,
            colors: out.is_terminal(),
            ..Drawing::plain(position)
        };
        writeln!(out, "{drawing}")?;
        if let Some(opening) = opening {
            writeln!(out, "Opening {}\n", openings::shown(opening))?;
        }
    }
    if position.board.is_over() && !args.json {
        writeln!(out, "{}", result_of(position))?;
        return Ok(());
    }
    if position.board.must_pass() && !args.json {
        let (turn, other) = (position.turn, position.turn.other());
        writeln!(
            out,
            "{turn} must pass; the lines begin with {other}'s answer.\n"
        )?;
    }
    let searcher = args.options.searcher()?;
    let button = stopped_by_ctrl_c()?;
    if !args.json && !position.board.is_over() {
        writeln!(
            out,
            "  depth    value           nodes   seconds     nodes/s  line"
        )?;
    }
    // Kept for the table: an iteration that is cut off has values of some moves only.
    let mut ranked = Vec::new();
    let mut failure = None;
    let result = searcher.search_with(position.board, &limits, &button, &mut |result| {
        ranked.clone_from(&result.moves);
        let written = if args.json {
            writeln!(out, "{}", found::to_json(result))
        } else {
            writeln!(out, "{}", row(result))
        };
        if let Err(error) = written.and_then(|()| out.flush()) {
            // Nobody reads any more: thinking on would be for nothing.
            failure = Some(error);
            button.press();
        }
    });
    if let Some(error) = failure {
        return Err(error.into());
    }
    if args.json {
        let mut object = found::to_json(&SearchResult {
            moves: ranked,
            ..result
        });
        object["final"] = true.into();
        object["position"] = position.to_string().into();
        object["opening"] = opening.map_or(Value::Null, openings::to_json);
        object["over"] = position.board.is_over().into();
        object["stopped"] = button.is_pressed().into();
        writeln!(out, "{object}")?;
        return Ok(());
    }
    if limits.multi_pv > 1 {
        let mut moves = table(&["", "move", "value", "line"], &[0, 2]);
        for (place, m) in ranked.iter().enumerate() {
            moves.add_row([
                (place + 1).to_string(),
                m.square.to_string(),
                found::discs(m.value),
                moves_to_string(&m.pv),
            ]);
        }
        writeln!(out, "\n{moves}")?;
    }
    let how = if button.is_pressed() {
        "so far"
    } else if result.solved {
        "solved"
    } else {
        "searched"
    };
    writeln!(
        out,
        "\n{} {} ({how} to {}), {} nodes in {:.3} s",
        found::move_name(result.best),
        found::value(&result),
        found::depth(&result),
        grouped(result.nodes),
        result.time.as_secs_f64()
    )?;
    Ok(())
}

impl Args {
    fn limits(&self, empties: u32) -> Limits {
        let mut limits = match (self.depth, self.level) {
            (Some(plies), _) => match self.selectivity {
                Some(selectivity) => Limits::new(Goal::Depth { plies, selectivity }),
                None => Limits::depth(plies),
            },
            (None, Some(level)) => Limits::level(level, empties),
            // Time or nodes alone: as far as they go.
            (None, None) if self.time.is_some() || self.nodes.is_some() => Limits::solve(),
            (None, None) => Limits::level(DEFAULT_LEVEL, empties),
        };
        limits.nodes = self.nodes;
        limits.time = self.time.map(Budget::exactly);
        limits.multi_pv = usize::from(self.multipv);
        limits.average = !self.raw;
        limits
    }
}

fn row(result: &SearchResult) -> String {
    format!(
        "{:>7} {:>8} {:>15} {:>9.3} {:>11}  {}",
        found::depth(result),
        found::value(result),
        grouped(result.nodes),
        result.time.as_secs_f64(),
        found::speed(result.nodes, result.time),
        moves_to_string(&result.pv)
    )
}

/// How a finished game ended.
fn result_of(position: Position) -> String {
    let count = |color| position.discs(color).count();
    let (black, white) = (count(Color::Black), count(Color::White));
    let score = position.final_score(Color::Black);
    match score.discs() {
        0 => format!("The game is over: a draw, {black} to {white}."),
        margin => {
            let winner = if margin > 0 {
                Color::Black
            } else {
                Color::White
            };
            let margin = margin.abs();
            format!("The game is over: {winner} wins by {margin}, discs {black} to {white}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(read_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
            assert!(read_seconds(text).is_err(), "{text}");
        }
        assert!(read_seconds("1e12").is_ok(), "a very long time is a time");
    }

    #[test]
    fn a_finished_game_names_the_winner() {
        let read = |text: &str| result_of(text.parse().unwrap());
        let all_black = format!("{} O", "X".repeat(64));
        assert_eq!(
            read(&all_black),
            "The game is over: Black wins by 64, discs 64 to 0."
        );
        let even = format!("{}{} X", "X".repeat(32), "O".repeat(32));
        assert_eq!(read(&even), "The game is over: a draw, 32 to 32.");
    }
}
