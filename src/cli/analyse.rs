//! `emilia analyse`: one position, deeper and deeper, until a limit or Ctrl-C; or a whole game (see
//! `judge`).

use super::book::Place;
use super::book::openings;
use super::color::colors;
use super::duration::read_duration;
use super::found;
use super::guest;
use super::interrupt::Interrupt;
use super::judge;
use super::numbers::Numbers;
use super::output::{grouped, table};
use super::search_options::{SearchOptions, read_selectivity};
use crate::engine::{Who, defaults};
use crate::othello::{Color, Drawing, Position, PositionText, moves_to_string};
use crate::players::Thinking;
use crate::search::time::Budget;
use crate::search::{Goal, Limits, SearchResult, Selectivity};
use crate::view::opening_of;
use anyhow::{Result, anyhow, bail};
use serde_json::Value;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Analyse a position, iteration by iteration, or every move of a game
///
/// A position: value, best moves and expected line. A game, given as a file of any format or as
/// moves with --game: for each move its value and what it gave away against the best, exact from
/// the solver's reach on; the fraction of moves as good as the engine's; the mean loss by player
/// and phase. Values are in discs, seen by the player to move. Ctrl-C ends the search and shows
/// what is known.
#[derive(clap::Args)]
#[command(
    visible_alias = "analyze",
    after_help = "Examples:\n  emilia analyse f5d6c3d3c4 --depth 16\n  \
                  emilia analyse start --time 10\n  \
                  emilia analyse f5f6e6f4 --multipv 4 --level 14\n  \
                  emilia analyse f5f6e6f4 --player iago --depth 6\n  \
                  emilia analyse game.ggf --svg game.svg\n  \
                  emilia analyse WTH_1980.wtb --event 'world' --level 14\n  \
                  emilia analyse --game f5d6c3d3c4f4e3 --json"
)]
pub struct Args {
    /// Moves from the start (or `start`), a board string with the side to move, or a file of games
    #[arg(value_name = "MOVES|POSITION|GAME", allow_hyphen_values = true)]
    subject: String,

    /// Judge every move of a game that is given as moves
    #[arg(long)]
    game: bool,

    /// Of a file with several games, only those with these numbers, as in 3 or 1-5,9
    #[arg(long, value_name = "NUMBERS")]
    only: Option<Numbers>,

    /// Only games of this event: the whole name or, if none has it, its beginning; large and small
    /// letters are the same
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// Draw the course of the game as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Replace the picture if it exists
    #[arg(long, requires = "svg")]
    force: bool,

    /// Who thinks about a position: emilia, or a program of the papers such as iago
    #[arg(long, value_name = "NAME", default_value = Who::OWN)]
    player: Who,

    #[command(flatten)]
    place: Place,

    /// Look this many plies ahead
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=60),
          conflicts_with = "level")]
    depth: Option<u32>,

    /// How sure a shallow search must be to cut, in per cent: 68, 82, 91, 96, 99, 100 (never cut)
    #[arg(long, value_name = "PERCENT", value_parser = read_selectivity, requires = "depth")]
    selectivity: Option<Selectivity>,

    /// Stop after this time (90, 10m, 8h)
    #[arg(long, value_name = "T", value_parser = read_duration)]
    time: Option<Duration>,

    /// Search about this many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    #[arg(long, value_name = "LEVEL",
          help = format!("How hard to look: about the depth in the middle game, with an exact \
                          endgame to match [default: {}; for games {}]",
                         defaults::LEVEL, defaults::LEVEL_OF_A_GAME),
          value_parser = clap::value_parser!(u32).range(1..=60))]
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

pub fn run(args: Args) -> Result<()> {
    let path = Path::new(&args.subject);
    if args.subject == "-" || path.is_file() {
        let path = path.to_owned();
        let (options, search) = args.for_games()?;
        let games = judge::read_games(&path, &options)?;
        return judge::run(&games, options, &search);
    }
    let text: PositionText = args
        .subject
        .parse()
        .map_err(|error| anyhow!("{error}, and there is no such file"))?;
    if args.game {
        let Some(moves) = &text.moves else {
            bail!("--game needs moves or a file of games");
        };
        let game = judge::game_of_moves(moves)?;
        let (options, search) = args.for_games()?;
        return judge::run(&[(1, game)], options, &search);
    }
    if args.svg.is_some() || args.only.is_some() || args.event.is_some() {
        bail!("--svg, --only and --event are for games: add --game, or name a file");
    }
    analyse_position(args, &text)
}

fn analyse_position(args: Args, text: &PositionText) -> Result<()> {
    let position = text.position;
    let moves = text.moves.as_deref();
    let last_move = moves.and_then(|moves| moves.last().copied());
    let opening = opening_of(text);
    let limits = args.limits(position.board.empty_count());
    let mut out = stdout().lock();
    if !args.json {
        let drawing = Drawing {
            last_move,
            colors: colors(&out),
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
    if let Who::Guest(listed) = args.player
        && !position.board.is_over()
    {
        let thinking = Thinking {
            remaining: None,
            per_move: args.time,
            nodes: args.nodes,
            depth: args.depth.or(args.level),
        };
        drop(out);
        return guest::run(listed, position, &thinking, args.json);
    }
    let searcher = args.options.searcher()?;
    let interrupt = Interrupt::watch()?;
    let button = interrupt.button();
    if !args.json && !position.board.is_over() {
        writeln!(
            out,
            "  depth    value           nodes   seconds     nodes/s  line"
        )?;
    }
    // Kept for the table: an iteration that is cut off has values of some moves only.
    let mut ranked = Vec::new();
    let mut failure = None;
    let result = searcher.search_with(position.board, &limits, button, &mut |result| {
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
        object["opening"] = opening.map_or(Value::Null, |opening| opening.name.as_str().into());
        object["over"] = position.board.is_over().into();
        object["stopped"] = button.is_pressed().into();
        writeln!(out, "{object}")?;
        return interrupt.end();
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
    interrupt.end()
}

impl Args {
    /// What is asked of the analysis of games.
    fn for_games(self) -> Result<(judge::Options, SearchOptions)> {
        let of_positions = [
            (matches!(self.player, Who::Guest(_)), "--player"),
            (self.depth.is_some(), "--depth"),
            (self.time.is_some(), "--time"),
            (self.nodes.is_some(), "--nodes"),
            (self.multipv > 1, "--multipv"),
        ];
        if let Some((_, name)) = of_positions.iter().find(|(given, _)| *given) {
            bail!("{name} is for positions; games are analysed with --level");
        }
        let options = judge::Options {
            level: self.level.unwrap_or(defaults::LEVEL_OF_A_GAME),
            only: self.only,
            event: self.event,
            svg: self.svg,
            force: self.force,
            json: self.json,
            place: self.place,
        };
        Ok((options, self.options))
    }

    fn limits(&self, empties: u32) -> Limits {
        let mut limits = match (self.depth, self.level) {
            (Some(plies), _) => match self.selectivity {
                Some(selectivity) => Limits::new(Goal::Depth { plies, selectivity }),
                None => Limits::depth(plies),
            },
            (None, Some(level)) => Limits::level(level, empties),
            // Time or nodes alone: as far as they go.
            (None, None) if self.time.is_some() || self.nodes.is_some() => Limits::solve(),
            (None, None) => Limits::level(defaults::LEVEL, empties),
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
