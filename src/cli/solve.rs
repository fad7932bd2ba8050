//! `emilia solve`: exact scores, checked against a problem file where there is one. What is said of
//! them is in `solved.rs`.

use super::exit::{interrupted, no};
use super::found;
use super::interrupt::Interrupt;
use super::numbers::Numbers;
use super::output::grouped;
use super::search_options::{SearchOptions, read_selectivity};
use super::solved::{Answer, Mode, Sum, judge};
use super::stopwatch::{CpuClock, Stopwatch};
use crate::othello::{ObfProblem, Position, PositionText, moves_to_string, read_obf};
use crate::search::{Goal, Limits, SearchResult, Searcher, Selectivity, StopButton};
use anyhow::{Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{Read, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A problem file of a million positions has less.
const MOST_BYTES: u64 = 1 << 27;

/// More empties than this take days whatever the engine: the user meant something else.
const MOST_EMPTIES: u32 = 40;

/// Solve positions to the end of the game, and check the answers against a file
///
/// Every position starts with an empty table, so its node count depends on nothing before it.
/// Exit code 1: an answer differs from the file's score, or the best move is not one of the
/// file's best. With --depth nothing is proved: misses are counted, and the exit code is 0.
#[derive(clap::Args)]
#[command(
    after_help = "Positions of a file are numbered from 1, or from 40 in a file called \
                  fforum-40-59.obf with 20 positions.\n\nThe last line reads: passed, failed, \
                  nodes, seconds by the wall clock, nodes per second.\n\nExamples:\n  \
                  emilia solve --obf fforum-40-59.obf --only 40-49 --threads 2\n  \
                  emilia solve --obf hard-20.obf --depth 12 --selectivity 91\n  \
                  emilia solve '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X'"
)]
pub struct Args {
    /// Moves from the start, or a board string with the side to move
    #[arg(
        value_name = "MOVES|POSITION",
        required_unless_present = "obf",
        conflicts_with = "obf",
        allow_hyphen_values = true
    )]
    position: Option<PositionText>,

    /// Solve the positions of this file instead
    #[arg(long, value_name = "FILE")]
    obf: Option<PathBuf>,

    /// The number of the file's first position
    #[arg(long, value_name = "K", requires = "obf")]
    first: Option<u32>,

    /// Only these numbers, as in 40-49,52 or 55-
    #[arg(long, value_name = "NUMBERS", requires = "obf")]
    only: Option<Numbers>,

    /// Only tell win, draw and loss apart
    #[arg(long, conflicts_with_all = ["depth", "selectivity"])]
    wld: bool,

    /// Look this many plies ahead instead of solving, and measure how often that is right
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: Option<u32>,

    /// How sure a shallow search must be to cut, in per cent: 68, 82, 91, 96, 99, 100 (never cut)
    #[arg(long, value_name = "PERCENT", value_parser = read_selectivity)]
    selectivity: Option<Selectivity>,

    #[command(flatten)]
    options: SearchOptions,

    /// Print one JSON object per position, and one for the sum
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let mode = if args.wld {
        Mode::Outcome
    } else if args.depth.is_some() {
        Mode::Depth
    } else {
        Mode::Score
    };
    let problems = chosen(&args)?;
    if mode != Mode::Depth
        && let Some((number, problem)) = problems.iter().find(|(_, problem)| is_hopeless(problem))
    {
        let empties = problem.position.board.empty_count();
        bail!(
            "position {number} has {empties} empties, and more than {MOST_EMPTIES} cannot be \
             solved in a lifetime: look ahead with --depth, or use emilia analyse"
        );
    }
    let searcher = args.options.searcher()?;
    let threads = args.options.threads();
    let clock = CpuClock::for_threads(threads);
    let interrupt = Interrupt::watch()?;
    let button = interrupt.button();
    let mut sum = Sum::default();
    let mut out = stdout().lock();
    if !args.json {
        let tier = args.options.tier();
        writeln!(
            out,
            "  no empties   score best           nodes    wall s     cpu s    nodes/s  file      \
             line   ({threads} thread{}, {tier})",
            if threads == 1 { "" } else { "s" }
        )?;
    }
    for (number, problem) in &problems {
        // Outside the stopwatch: a large table takes longer to clear than a small ending to solve.
        searcher.clear();
        let limits = args.limits(problem.position.board.empty_count());
        let stopwatch = Stopwatch::start(clock);
        let result = search(&searcher, *number, problem, &limits, button);
        let spent = stopwatch.stop();
        if button.is_pressed() {
            if !args.json {
                writeln!(
                    out,
                    "{number:>4} stopped at {} with {} {}",
                    found::depth(&result),
                    found::value(&result),
                    moves_to_string(&result.pv)
                )?;
            }
            break;
        }
        let answer = Answer {
            number: *number,
            problem,
            verdict: judge(mode, problem, &result),
            result,
            spent,
        };
        sum.add(&answer);
        if args.json {
            writeln!(out, "{}", answer.json())?;
        } else {
            writeln!(out, "{}", answer.row(mode))?;
        }
        out.flush()?;
    }
    if args.json {
        writeln!(out, "{}", sum.json(mode, clock))?;
    } else {
        if mode == Mode::Depth && sum.judged > 0 {
            writeln!(out, "{}", sum.measured())?;
        }
        let (cpu, rate) = (sum.spent.cpu, found::speed(sum.nodes, sum.spent.cpu));
        writeln!(
            out,
            "CPU time {:.3} s ({clock}), {rate} nodes/s",
            cpu.as_secs_f64()
        )?;
        writeln!(out, "{}", sum.line())?;
    }
    out.flush()?;
    if button.is_pressed() {
        return Err(interrupted(format!(
            "stopped: {} of {} positions done",
            sum.passed + sum.failed,
            problems.len()
        )));
    }
    match sum.failed {
        0 => Ok(()),
        _ if mode == Mode::Depth => Ok(()),
        1 => Err(no("1 answer differs from the file's")),
        failed => Err(no(format!("{failed} answers differ from the file's"))),
    }
}

impl Args {
    fn limits(&self, empties: u32) -> Limits {
        match (self.depth, self.selectivity) {
            _ if self.wld => Limits::new(Goal::Outcome),
            (None, None) => Limits::solve(),
            (Some(plies), None) => Limits::depth(plies),
            (plies, Some(selectivity)) => Limits::new(Goal::Depth {
                plies: plies.unwrap_or(empties),
                selectivity,
            }),
        }
    }
}

fn is_hopeless(problem: &ObfProblem) -> bool {
    let board = problem.position.board;
    board.empty_count() > MOST_EMPTIES && !board.is_over()
}

/// The positions to solve with their numbers.
fn chosen(args: &Args) -> Result<Vec<(u32, ObfProblem)>> {
    let Some(path) = &args.obf else {
        let position = args
            .position
            .as_ref()
            .map_or(Position::START, |text| text.position);
        let problem = ObfProblem {
            line: 1,
            position,
            moves: Vec::new(),
        };
        return Ok(vec![(1, problem)]);
    };
    // A file that cannot be read is a mistake of the command, not an answer that differs.
    let because = |reason: String| anyhow!("{}: {reason}", path.display());
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| because(error.to_string()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(because("so many positions are solved in parts".into()));
    }
    // Other bytes than text are no squares: the reader's error names the line.
    let all = read_obf(&String::from_utf8_lossy(&bytes)).map_err(|e| because(e.to_string()))?;
    if all.is_empty() {
        return Err(because("there are no positions in it".into()));
    }
    let first = args.first.unwrap_or_else(|| first_number(path, all.len()));
    let last = first.saturating_add(all.len() as u32 - 1);
    let problems: Vec<_> = (first..=last)
        .zip(all)
        .filter(|&(number, _)| args.only.as_ref().is_none_or(|only| only.contains(number)))
        .collect();
    if problems.is_empty() {
        return Err(because(format!(
            "none of the numbers {first} to {last} is chosen"
        )));
    }
    Ok(problems)
}

/// A file called `fforum-40-59` that holds 20 positions begins with number 40.
fn first_number(path: &Path, count: usize) -> u32 {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut parts = stem.rsplit(['-', '_']);
    let mut next = || parts.next().and_then(|part| part.parse::<u32>().ok());
    match (next(), next()) {
        (Some(last), Some(first))
            if last.checked_sub(first).map(|n| n as usize + 1) == Some(count) =>
        {
            first
        }
        _ => 1,
    }
}

/// Searches, with a live line on standard error while it lasts.
fn search(
    searcher: &Searcher,
    number: u32,
    problem: &ObfProblem,
    limits: &Limits,
    button: &StopButton,
) -> SearchResult {
    let line = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed}  {wide_msg}") {
        line.set_style(style);
    }
    let board = problem.position.board;
    line.set_prefix(format!("{number}: {} empties", board.empty_count()));
    line.enable_steady_tick(Duration::from_millis(200));
    let result = searcher.search_with(board, limits, button, &mut |result| {
        line.set_message(format!(
            "{}  {}  {} nodes  {}",
            found::depth(result),
            found::value(result),
            grouped(result.nodes),
            moves_to_string(&result.pv)
        ));
    });
    line.finish_and_clear();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_tells_the_first_number_only_when_the_count_fits() {
        let first = |name: &str, count| first_number(Path::new(name), count);
        assert_eq!(first("data/fforum-40-59.obf", 20), 40);
        assert_eq!(first("fforum-40-59.obf", 19), 1);
        assert_eq!(first("hard-20.obf", 276), 1);
        assert_eq!(first("59-40.obf", 20), 1);
        assert_eq!(first(".obf", 1), 1);
    }
}
