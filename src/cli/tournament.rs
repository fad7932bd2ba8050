//! `emilia match`: two contestants play many games, and the table says who is stronger.

use super::interrupt::Interrupt;
use super::output::{UsageError, progress, table};
use crate::arena::{
    GameReport, MatchLog, Pairing, Referee, Side, Spec, Sprt, Tally, balanced, builtin_openings,
    read_openings,
};
use crate::engine::TimeControl;
use crate::games::{Format, Game, GameWriter};
use crate::search::count_cpu_time;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Let two players play a match and measure the difference
///
/// A contestant is this engine (`emilia` and settings: level, nodes, move-time, overhead, book,
/// threads, hash, randomness, seed, draws, verify), a program that speaks GTP (`gtp COMMAND`), or
/// one that speaks the NBoard protocol (`nboard COMMAND`, `nboard depth=12 COMMAND`). Games come
/// in pairs from one opening with colours swapped. A contestant that crashes, is silent, breaks
/// the rules or runs out of time forfeits the game.
#[derive(clap::Args)]
#[command(
    name = "match",
    after_help = "Examples:\n  \
        emilia match 'emilia level=8' 'emilia level=6' --games 100\n  \
        emilia match 'emilia book=BOOK' emilia --time 10 --games 200 --log match.log\n  \
        emilia match emilia 'gtp edax -gtp' --time 60 --sprt 0,30 --save games.ggf\n  \
        emilia match iago bill3 --time 10 --cpu-time --concurrency 2\n  \
        emilia match --make-openings 200 > openings.txt\n\n\
        The error bars are for 95 % confidence and count pairs of games, not games. With --log the \
        same command goes on with a match that was interrupted."
)]
pub struct Args {
    /// The first contestant: emilia, gtp or nboard, with settings or a command line
    #[arg(value_name = "FIRST", required_unless_present = "make_openings")]
    first: Option<Spec>,

    /// The second contestant
    #[arg(value_name = "SECOND", required_unless_present = "make_openings")]
    second: Option<Spec>,

    /// Games to play, two for each opening
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// Time for each player and game: seconds or m:ss, +SECONDS per move, /SECONDS[xMOVES] byo-yomi
    #[arg(long, value_name = "CONTROL")]
    time: Option<TimeControl>,

    /// The clocks count CPU time, so that nothing else on the machine has a say; for players of
    /// this program with one thread each
    #[arg(long, requires = "time")]
    cpu_time: bool,

    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,

    /// Openings from a game file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Stop once it is clear whether the first is ELO1 stronger or only ELO0
    #[arg(long, value_name = "ELO0,ELO1", value_parser = read_sprt, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,

    /// The chance of a wrong verdict of --sprt
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = read_chance)]
    error: f64,

    /// Seconds after which a silent program forfeits
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    patience: u32,

    /// Added to the seed of each game
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Keep finished games here and go on with them next time
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Write all games to this file (.ggf, .sgf, .txt)
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Make so many balanced openings and print them
    #[arg(long, value_name = "N", conflicts_with_all = ["first", "second"])]
    make_openings: Option<usize>,
}

fn read_sprt(text: &str) -> Result<(f64, f64), String> {
    text.split_once(',')
        .and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)))
        .filter(|(low, high): &(f64, f64)| low < high && low.abs().max(high.abs()) < 1000.0)
        .ok_or_else(|| "write two Elo differences, the smaller first, as in 0,10".into())
}

fn read_chance(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|chance| *chance > 0.0 && *chance < 0.5)
        .ok_or_else(|| "write a chance between 0 and 0.5, as in 0.05".into())
}

/// How long an opening is, how even, and how hard the engine looks to be sure.
const OPENING_PLIES: u32 = 8;
const OPENING_MARGIN: i32 = 100;
const OPENING_LEVEL: u32 = 14;

pub fn run(args: Args) -> Result<()> {
    if let Some(count) = args.make_openings {
        return make_openings(count);
    }
    let (Some(mut first), Some(mut second)) = (args.first, args.second) else {
        return Err(UsageError::because("name two contestants"));
    };
    let save = match &args.save {
        None => None,
        Some(path) => Some((path.as_path(), format_of(path)?)),
    };
    if args.cpu_time {
        if let Some(other) = [&first, &second]
            .into_iter()
            .find(|spec| !spec.thinks_here())
        {
            return Err(UsageError::because(format!(
                "--cpu-time: '{other}' does not think in one thread of this process, so its CPU \
                 time is not known; leave out --cpu-time, or its threads"
            )));
        }
        count_cpu_time()?;
    }
    first.open_book()?;
    second.open_book()?;
    let openings = match &args.openings {
        Some(path) => read_openings(path)?,
        None => builtin_openings()?,
    };
    let conditions = format!(
        "{first} against {second}, time {}{}, {} openings of {}, seed {}",
        args.time.map_or("free".into(), |time| time.to_string()),
        if args.cpu_time { " of CPU" } else { "" },
        openings.len(),
        args.openings
            .as_deref()
            .map_or("the built-in set".into(), |path| path.display().to_string()),
        args.seed
    );
    let (mut log, before) = match &args.log {
        None => (None, Vec::new()),
        Some(path) => {
            let (log, reports) = MatchLog::open(path, &conditions)?;
            (Some(log), reports)
        }
    };
    let interrupt = Interrupt::watch()?;
    let mut score = Score::new(args.sprt.map(|(elo0, elo1)| Sprt {
        elo0,
        elo1,
        error: args.error,
    }));
    before.into_iter().for_each(|report| score.add(report));
    let total = args.games as usize;
    let played: HashSet<usize> = score.reports.iter().map(|r| r.pairing.number).collect();
    let todo = (0..total)
        .filter(|number| !played.contains(number))
        .map(|number| Pairing { number });
    let referee = Referee {
        specs: [&first, &second],
        openings: &openings,
        controls: [args.time; 2],
        patience: Duration::from_secs(u64::from(args.patience)),
        seed: args.seed,
    };
    let bar = progress(total as u64, "games", "playing");
    bar.set_position(played.len() as u64);
    let mut failure = None;
    if score.verdict().is_none() {
        referee.play(todo, usize::from(args.concurrency), |report| {
            tell_forfeit(&bar, &report, [&first, &second]);
            if let Some(log) = &mut log
                && let Err(error) = log.add(&report)
            {
                failure = Some(error);
                return false;
            }
            score.add(report);
            bar.inc(1);
            bar.set_message(score.short());
            score.verdict().is_none() && !interrupt.is_set()
        });
    }
    bar.finish_and_clear();
    if let Some(error) = failure {
        return Err(error.into());
    }
    score.reports.sort_by_key(|report| report.pairing.number);
    if let Some((path, format)) = save {
        let games: Vec<Game> = score.reports.iter().map(|r| r.game.clone()).collect();
        let bytes = GameWriter::to_bytes(format, &games)?;
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", score.to_json([&first, &second], args.time))?;
    } else {
        score.print(&mut out, [&first, &second])?;
    }
    if interrupt.is_set() && args.log.is_some() {
        eprintln!("Interrupted; the same command goes on with the match.");
    }
    Ok(())
}

fn format_of(path: &Path) -> Result<Format> {
    Format::of_name(path).ok_or_else(|| {
        UsageError::because(format!(
            "{}: name a file that ends in .ggf, .sgf or .txt",
            path.display()
        ))
    })
}

fn make_openings(count: usize) -> Result<()> {
    let bar = progress(count as u64, "openings", "making");
    let mut out = stdout().lock();
    writeln!(
        out,
        "# {count} openings of {OPENING_PLIES} moves, even within {:.1} discs at level \
         {OPENING_LEVEL}: emilia match --make-openings {count}",
        f64::from(OPENING_MARGIN) / 100.0
    )?;
    let made = balanced(OPENING_PLIES, OPENING_MARGIN, OPENING_LEVEL, 1);
    for (moves, _) in made.take(count) {
        writeln!(out, "{moves}")?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

fn tell_forfeit(bar: &ProgressBar, report: &GameReport, specs: [&Spec; 2]) {
    if let Some((side, reason)) = &report.forfeit {
        let number = report.pairing.number + 1;
        bar.suspend(|| eprintln!("game {number}: {} {reason}", specs[*side as usize]));
    }
}

/// The match so far.
struct Score {
    reports: Vec<GameReport>,
    tally: Tally,
    sprt: Option<Sprt>,
}

impl Score {
    fn new(sprt: Option<Sprt>) -> Score {
        Score {
            reports: Vec::new(),
            tally: Tally::default(),
            sprt,
        }
    }

    fn add(&mut self, report: GameReport) {
        self.tally.add(report.pairing.pair(), report.discs);
        self.reports.push(report);
    }

    fn verdict(&self) -> Option<bool> {
        self.sprt?.verdict(&self.tally)
    }

    fn short(&self) -> String {
        let standing = self.tally.standing();
        format!(
            "+{} ={} -{}",
            standing.wins, standing.draws, standing.losses
        )
    }

    fn forfeits(&self, side: Side) -> usize {
        let lost = |report: &&GameReport| report.forfeit.as_ref().is_some_and(|f| f.0 == side);
        self.reports.iter().filter(lost).count()
    }

    fn mean(&self, of: impl Fn(&GameReport) -> f64) -> f64 {
        let sum: f64 = self.reports.iter().map(of).sum();
        sum / self.reports.len().max(1) as f64
    }

    fn print(&self, out: &mut impl Write, specs: [&Spec; 2]) -> Result<()> {
        let standing = self.tally.standing();
        let header = [
            "", "won", "drawn", "lost", "points", "discs", "s/game", "book", "forfeits",
        ];
        let mut rows = table(&header, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let sides = [
            (
                Side::First,
                standing.wins,
                standing.losses,
                standing.points,
                standing.discs,
            ),
            (
                Side::Second,
                standing.losses,
                standing.wins,
                1.0 - standing.points,
                -standing.discs,
            ),
        ];
        for (side, won, lost, points, discs) in sides {
            rows.add_row([
                specs[side as usize].to_string(),
                won.to_string(),
                standing.draws.to_string(),
                lost.to_string(),
                format!("{:.1} %", 100.0 * points),
                format!("{discs:+.2}"),
                format!("{:.3}", self.mean(|r| r.seconds[side as usize])),
                format!(
                    "{:.1}",
                    self.mean(|r| f64::from(r.book_moves[side as usize]))
                ),
                self.forfeits(side).to_string(),
            ]);
        }
        writeln!(out, "{rows}")?;
        writeln!(out, "\n{} games", standing.games)?;
        if let Some(elo) = self.tally.elo() {
            writeln!(
                out,
                "Elo {:+.1} ({:+.1} to {:+.1} with 95 % confidence)",
                elo.difference, elo.low, elo.high
            )?;
        }
        if let Some(sprt) = &self.sprt {
            let (low, high) = sprt.bounds();
            let verdict = match self.verdict() {
                Some(true) => format!("the first is stronger by {} Elo or more", sprt.elo1),
                Some(false) => format!("the first is not stronger by more than {} Elo", sprt.elo0),
                None => "not decided".into(),
            };
            writeln!(
                out,
                "SPRT {} against {} Elo: {:.2} of {low:.2} to {high:.2}: {verdict}",
                sprt.elo0,
                sprt.elo1,
                sprt.ratio(&self.tally)
            )?;
        }
        Ok(())
    }

    fn to_json(&self, specs: [&Spec; 2], time: Option<TimeControl>) -> Value {
        let standing = self.tally.standing();
        // JSON has no infinity: an open end is null.
        let finite = |number: f64| number.is_finite().then_some(number);
        let side = |side: Side| {
            json!({ "contestant": specs[side as usize].to_string(),
                    "seconds_per_game": self.mean(|r| r.seconds[side as usize]),
                    "book_moves_per_game": self.mean(|r| f64::from(r.book_moves[side as usize])),
                    "forfeits": self.forfeits(side) })
        };
        json!({ "first": side(Side::First), "second": side(Side::Second),
                "time": time.map(|time| time.to_string()),
                "games": standing.games, "wins": standing.wins, "draws": standing.draws,
                "losses": standing.losses, "points": standing.points, "discs": standing.discs,
                "elo": self.tally.elo().map(|elo| json!({ "difference": finite(elo.difference),
                    "low": finite(elo.low), "high": finite(elo.high) })),
                "sprt": self.sprt.map(|sprt| json!({ "elo0": sprt.elo0, "elo1": sprt.elo1,
                    "ratio": sprt.ratio(&self.tally), "bounds": sprt.bounds(),
                    "accepted": self.verdict() })) })
    }
}
