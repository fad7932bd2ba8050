//! `emilia match`: two contestants play many games, and the table says who is stronger.

use super::duration::read_duration;
use super::exit::{interrupted, no};
use super::interrupt::Interrupt;
use super::new_file::{check_target, write_file};
use super::output::{print_json, progress, table};
use crate::arena::{
    GameReport, Groups, MatchLog, Opening, Pairing, Referee, Side, Spec, Sprt, Tally, balanced,
    builtin_openings, distinct, read_openings,
};
use crate::engine::TimeControl;
use crate::games::{Format, Game, GameWriter};
use crate::machine::count_cpu_time;
use crate::othello::Position;
use crate::view::{ContestantView, EloView, MatchView, SprtView, discs};
use anyhow::{Context, Result, anyhow, bail};
use indicatif::ProgressBar;
use serde_json::json;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Let two players play a match and measure the difference
///
/// A contestant is this engine (`emilia` and settings: level, nodes, move-time, overhead, book,
/// threads, hash, randomness, book-randomness, seed, draws, verify), a program that speaks GTP
/// (`gtp COMMAND`), or one that speaks the NBoard protocol (`nboard COMMAND`, `nboard depth=12
/// COMMAND`). Games come in pairs from one opening with colours swapped. A contestant that crashes,
/// is silent, breaks the rules or runs out of time forfeits the game.
#[derive(clap::Args)]
#[command(
    name = "match",
    after_help = "Examples:\n  \
        emilia match 'emilia level=8' 'emilia level=6' --games 100\n  \
        emilia match 'emilia book=BOOK' emilia --clock 10 --games 200 --log match.log\n  \
        emilia match emilia 'gtp edax -gtp' --clock 60 --sprt 0,30 --save games.ggf\n  \
        emilia match 'emilia book=BOOK book-randomness=0.5' emilia --no-openings --clock 10\n  \
        emilia match iago bill3 --clock 10 --cpu-time --concurrency 2\n  \
        emilia match --make-openings 200 > openings.txt\n\n\
        The error bars are for 95 % confidence and count openings, not games: an opening that is \
        played again says nothing new. With --no-openings they count beginnings of eight moves: \
        games that came to the same position count together. With --log the same command goes on \
        with a match that was interrupted. With --sprt the exit code is 1 unless the first is found to be stronger."
)]
pub struct Args {
    /// The first contestant: emilia, gtp or nboard, with settings or a command line
    #[arg(value_name = "FIRST", required_unless_present = "make_openings")]
    first: Option<Spec>,

    /// The second contestant
    #[arg(value_name = "SECOND", required_unless_present = "make_openings")]
    second: Option<Spec>,

    /// How many games: two for each opening
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// Time for each player and game: seconds or m:ss, +SECONDS per move, /SECONDS[xMOVES] byo-yomi
    #[arg(long, value_name = "CONTROL")]
    clock: Option<TimeControl>,

    /// The clocks count CPU time, so that nothing else on the machine has a say; for players of
    /// this program with one thread each
    #[arg(long, requires = "clock")]
    cpu_time: bool,

    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    concurrency: u16,

    /// Openings from a game file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Every game begins at the beginning: the players find their openings themselves, which books
    /// do with book-randomness=DISCS
    #[arg(long, conflicts_with_all = ["openings", "make_openings"])]
    no_openings: bool,

    /// Stop once it is clear whether the first is ELO1 stronger or only ELO0
    #[arg(long, value_name = "ELO0,ELO1", value_parser = read_sprt, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,

    /// The chance of a wrong verdict of --sprt
    #[arg(long, value_name = "P", default_value_t = 0.05, value_parser = read_chance)]
    error: f64,

    /// How long a program may be silent before it forfeits (90, 10m)
    #[arg(long, value_name = "T", default_value = "120", value_parser = read_duration)]
    patience: Duration,

    /// Added to the seed of each game
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Keep finished games here and go on with them next time
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Write all games to this file (.ggf, .sgf, .txt)
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long, requires = "save")]
    force: bool,

    /// Print one JSON object; with --make-openings one per opening
    #[arg(long)]
    json: bool,

    /// Make so many balanced openings and print them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
          conflicts_with_all = ["first", "second", "openings", "games", "clock", "sprt", "seed",
                                "log", "save", "concurrency"])]
    make_openings: Option<u32>,
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
        return make_openings(count, args.json);
    }
    let (Some(mut first), Some(mut second)) = (args.first, args.second) else {
        bail!("name two contestants");
    };
    let save = match &args.save {
        None => None,
        Some(path) => {
            check_target(path, args.force)?;
            Some((path.as_path(), format_of(path)?))
        }
    };
    if args.cpu_time {
        if let Some(other) = [&first, &second]
            .into_iter()
            .find(|spec| !spec.thinks_here())
        {
            bail!(
                "--cpu-time: '{other}' does not think in one thread of this process, so its CPU \
                 time is not known; leave out --cpu-time, or its threads"
            );
        }
        count_cpu_time()?;
    }
    first.open_book()?;
    second.open_book()?;
    let openings = match &args.openings {
        _ if args.no_openings => vec![Opening::default()],
        Some(path) => read_openings(path)?,
        None => builtin_openings()?,
    };
    check_starts(&openings, [&first, &second], args.patience)?;
    let begun_with = match &args.openings {
        _ if args.no_openings => "no openings".into(),
        Some(path) => format!("{} openings of {}", openings.len(), path.display()),
        None => format!("{} openings of the built-in set", openings.len()),
    };
    let conditions = format!(
        "{first} against {second}, time {}{}, {begun_with}, seed {}",
        args.clock.map_or("free".into(), |clock| clock.to_string()),
        if args.cpu_time { " of CPU" } else { "" },
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
    let sprt = args.sprt.map(|(elo0, elo1)| Sprt {
        elo0,
        elo1,
        error: args.error,
    });
    let groups = match args.no_openings {
        true => Groups::ByBeginning,
        false => Groups::ByOpening(distinct(&openings)),
    };
    let mut score = Score::new(sprt, groups);
    score.tell_repetitions(args.games as usize);
    score.reports = before;
    let total = args.games as usize;
    let played: HashSet<usize> = score.reports.iter().map(|r| r.pairing.number).collect();
    let todo = (0..total)
        .filter(|number| !played.contains(number))
        .map(|number| Pairing { number });
    let referee = Referee {
        specs: [&first, &second],
        openings: &openings,
        controls: [args.clock; 2],
        patience: args.patience,
        seed: args.seed,
    };
    let bar = progress(total as u64, "games", "playing");
    bar.set_position(played.len() as u64);
    let mut failure = None;
    if score.verdict().is_none() {
        let (stop, at_once) = (interrupt.button(), usize::from(args.concurrency));
        referee.play_until(stop, todo, at_once, |report| {
            tell_forfeit(&bar, &report, [&first, &second]);
            if let Some(log) = &mut log
                && let Err(error) = log.add(&report)
            {
                failure = Some(error);
                return false;
            }
            score.reports.push(report);
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
    // A match that goes on later has its games in the log, and wants the place free; so does one that
    // was stopped in its first game.
    let goes_on = interrupt.is_set() && log.is_some();
    let nothing_yet = interrupt.is_set() && score.reports.is_empty();
    if let Some((path, format)) = save.filter(|_| !goes_on && !nothing_yet) {
        let games: Vec<Game> = score.reports.iter().map(|r| r.game.clone()).collect();
        write_file(path, &GameWriter::to_bytes(format, &games)?, args.force)?;
    }
    let mut out = stdout().lock();
    if args.json {
        print_json(&mut out, &score.view([&first, &second], args.clock))?;
    } else {
        score.print(&mut out, [&first, &second])?;
    }
    if goes_on {
        return Err(interrupted(
            "interrupted; the same command goes on with the match",
        ));
    }
    interrupt.end()?;
    match score.sprt.is_some() && score.verdict() != Some(true) {
        true => Err(no("")),
        false => Ok(()),
    }
}

/// A contestant that cannot be told where a game begins is better told now than in the game.
fn check_starts(openings: &[Opening], specs: [&Spec; 2], patience: Duration) -> Result<()> {
    let Some(other) = openings
        .iter()
        .map(Opening::start)
        .find(|start| *start != Position::START)
    else {
        return Ok(());
    };
    for spec in specs {
        let can = spec
            .starts_anywhere(patience)
            .with_context(|| spec.to_string())?;
        if !can {
            bail!(
                "'{spec}' cannot be told that a game begins with {other}: it does not know the GTP \
                 command loadsgf; leave such games out of --openings"
            );
        }
    }
    Ok(())
}

fn format_of(path: &Path) -> Result<Format> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_one = ["ggf", "sgf", "txt"].contains(&extension.to_lowercase().as_str());
    Format::of_name(path).filter(|_| is_one).ok_or_else(|| {
        anyhow!(
            "{}: name a file that ends in .ggf, .sgf or .txt",
            path.display()
        )
    })
}

fn make_openings(count: u32, as_json: bool) -> Result<()> {
    let bar = progress(count.into(), "openings", "making");
    let mut out = stdout().lock();
    if !as_json {
        writeln!(
            out,
            "# Openings of {OPENING_PLIES} moves, even within {:.1} discs at level \
             {OPENING_LEVEL}: emilia match --make-openings {count}",
            f64::from(OPENING_MARGIN) / 100.0
        )?;
    }
    let made = balanced(OPENING_PLIES, OPENING_MARGIN, OPENING_LEVEL, 1);
    for (moves, value) in made.take(count as usize) {
        match as_json {
            true => writeln!(out, "{}", json!({ "moves": moves, "value": discs(value) }))?,
            false => writeln!(out, "{moves}")?,
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if bar.position() < count.into() {
        eprintln!("emilia: there are no more than {}", bar.position());
    }
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
    sprt: Option<Sprt>,
    groups: Groups,
}

impl Score {
    fn new(sprt: Option<Sprt>, groups: Groups) -> Score {
        Score {
            reports: Vec::new(),
            sprt,
            groups,
        }
    }

    fn tell_repetitions(&self, games: usize) {
        if let Some(openings) = self.groups.most()
            && games > 2 * openings
        {
            eprintln!(
                "emilia: {games} games have {openings} different openings: those of one opening \
                 count once in the error bars"
            );
        }
    }

    fn tally(&self) -> Tally {
        self.groups.tally(&self.reports)
    }

    fn verdict(&self) -> Option<bool> {
        self.sprt?.verdict(&self.tally())
    }

    fn short(&self) -> String {
        let count = |is: fn(i32) -> bool| self.reports.iter().filter(|r| is(r.discs)).count();
        let (won, drawn, lost) = (count(|d| d > 0), count(|d| d == 0), count(|d| d < 0));
        format!("+{won} ={drawn} -{lost}")
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
        let tally = self.tally();
        let standing = tally.standing();
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
        let openings = self.groups.count(&self.reports);
        let many = if openings == 1 { "" } else { "s" };
        writeln!(
            out,
            "\n{} games from {openings} opening{many}",
            standing.games
        )?;
        if let Some(elo) = tally.elo() {
            let sure = match (elo.low.is_finite(), elo.high.is_finite()) {
                (false, false) => {
                    "how sure cannot be said yet: one opening, or all went alike".to_owned()
                }
                _ => format!("{:+.1} to {:+.1} with 95 % confidence", elo.low, elo.high),
            };
            writeln!(out, "Elo {:+.1} ({sure})", elo.difference)?;
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
                sprt.ratio(&tally)
            )?;
        }
        Ok(())
    }

    fn view(&self, specs: [&Spec; 2], clock: Option<TimeControl>) -> MatchView {
        let tally = self.tally();
        let standing = tally.standing();
        let side = |side: Side| ContestantView {
            contestant: specs[side as usize].to_string(),
            seconds_per_game: self.mean(|r| r.seconds[side as usize]),
            book_moves_per_game: self.mean(|r| f64::from(r.book_moves[side as usize])),
            forfeits: self.forfeits(side),
        };
        MatchView {
            first: side(Side::First),
            second: side(Side::Second),
            clock: clock.map(|clock| clock.to_string()),
            openings: self.groups.count(&self.reports),
            games: standing.games,
            wins: standing.wins,
            draws: standing.draws,
            losses: standing.losses,
            points: standing.points,
            discs: standing.discs,
            elo: tally
                .elo()
                .map(|elo| EloView::new(elo.difference, [elo.low, elo.high])),
            sprt: self.sprt.map(|sprt| SprtView {
                elo0: sprt.elo0,
                elo1: sprt.elo1,
                ratio: sprt.ratio(&tally),
                bounds: sprt.bounds(),
                accepted: self.verdict(),
            }),
        }
    }
}
