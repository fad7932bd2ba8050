//! The findings of the papers, measured again with our players: a subcommand for each row of the
//! table in `docs/players.md`. Run it with `tools/papers`.
//!
//! Matches go through the arena's referee and tally. Errors are for 95 % confidence: of pairs of
//! games with colours swapped in matches, of positions or moves elsewhere.

use anyhow::{Context, Result, ensure};
use clap::{Args, Parser, Subcommand};
use emilia::arena::{
    GameReport, Ladder, MatchLog, Opening, Pairing, Referee, Spec, Tally, builtin_openings, played,
};
use emilia::engine::{Judge, JudgedMove, TimeControl, Who};
use emilia::games::{Details, Format, Game, GameWriter, Name, open};
use emilia::machine::count_cpu_time;
use emilia::othello::{Board, Position};
use emilia::players::chen::{self, Algorithm, Chen, Memory};
use emilia::players::iago::{self, Goal, Iago, Ordering};
use emilia::players::keyano::{self, Counters, Keyano, Pruning};
use emilia::players::{Historic, Listed, Roster, Thinking};
use emilia::search::{Searcher, StopButton};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    finding: Finding,
}

#[derive(Subcommand)]
enum Finding {
    /// IAGO, Table 4-1: the branching factor by order of moves and saved plies
    IagoOrdering {
        #[command(flatten)]
        common: Common,
        #[arg(long, default_value_t = 8)]
        depth: u32,
    },
    /// IAGO, Table 5-1: games of people judged by IAGO and by our engine
    IagoChampionship(Championship),
    /// BILL, 6.2: BILL 3 against BILL 2
    #[command(name = "bill-3-2")]
    Bill32 {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        cost: Cost,
    },
    /// BILL, 6.3: BILL 3 against IAGO, who has five times its time, which was as many nodes
    BillIago {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        cost: Cost,
    },
    /// BILL, Table 2: what a ply is worth to BILL 2
    BillPlies {
        #[command(flatten)]
        common: Common,
    },
    /// KEYANO, Table 2: multi-ProbCut against none and against a single one
    KeyanoProbcut {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        cost: Cost,
    },
    /// KEYANO, 3: lost regions count, or do not and 15 % more nodes are searched
    KeyanoParity {
        #[command(flatten)]
        common: Common,
        #[arg(long, default_value_t = 50_000)]
        nodes: u64,
    },
    /// KEYANO, 2.1 and Table 1: the order of moves, and the size of the table
    KeyanoSearch {
        #[command(flatten)]
        common: Common,
        #[arg(long, default_value_t = 10)]
        depth: u32,
    },
    /// Chen, figures 2 to 9: nodes and time of each search
    ChenSearch {
        #[command(flatten)]
        common: Common,
        #[arg(long, default_value_t = 9)]
        depth: u32,
        /// Plies of the searches without a table; minimax goes one less deep
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(2..))]
        plain_depth: u32,
    },
    /// Our engine without a book against each program
    EngineAgainstAll {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        cost: Cost,
    },
    /// A round robin of all players: Elo with error bars
    Ladder {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        cost: Cost,
        /// Who takes part; everybody if nobody is named
        #[arg(long, value_delimiter = ',')]
        players: Vec<Who>,
    },
    /// Whole games on a clock, from the built-in openings, against our engine at a low level: who
    /// forfeits
    OnTime {
        #[command(flatten)]
        common: Common,
        /// Seconds of a game
        #[arg(long, default_value_t = 5.0)]
        seconds: f64,
    },
}

#[derive(Args)]
struct Common {
    /// Games of each match, or positions where nothing is played
    #[arg(long)]
    games: Option<usize>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games or positions at the same time
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Keep the matches in this folder, and go on with those that are there
    #[arg(long, value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Keep the games, or the positions with the moves that led there, in this new file (GGF)
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

/// What a side may use.
#[derive(Args)]
struct Cost {
    /// Nodes of a move: the same games on every machine
    #[arg(long, conflicts_with = "seconds")]
    nodes: Option<u64>,
    /// Seconds of CPU time of a game
    #[arg(long)]
    seconds: Option<f64>,
}

impl Cost {
    fn or(&self, usual: Budget) -> Result<Budget> {
        Ok(match (self.nodes, self.seconds) {
            (Some(nodes), _) => Budget::Nodes(nodes),
            (None, Some(seconds)) => Budget::Time(Duration::try_from_secs_f64(seconds)?),
            (None, None) => usual,
        })
    }
}

#[derive(Clone, Copy)]
enum Budget {
    /// Of each move.
    Nodes(u64),
    /// Of each game.
    Time(Duration),
}

impl Budget {
    const fn seconds(seconds: u64) -> Budget {
        Budget::Time(Duration::from_secs(seconds))
    }

    /// What BILL gets against IAGO: a fifth of the time. IAGO's paper counts 10 000 terminal nodes
    /// in a minute, BILL's 1100 nodes in a second on a machine of about the same speed: a fifth of
    /// the time was about as many nodes.
    fn of_bill(self) -> Budget {
        match self {
            Budget::Nodes(nodes) => Budget::Nodes(nodes),
            Budget::Time(time) => Budget::Time(time / 5),
        }
    }

    /// As a contestant's settings have it.
    fn settings(self) -> String {
        match self {
            Budget::Nodes(nodes) => format!("nodes={nodes}"),
            Budget::Time(_) => String::new(),
        }
    }

    const fn clock(self) -> Option<TimeControl> {
        match self {
            Budget::Nodes(_) => None,
            Budget::Time(time) => Some(TimeControl::sudden_death(time)),
        }
    }
}

#[derive(Args)]
struct Championship {
    /// Games, such as WTH_1980.wtb with the names beside it
    file: PathBuf,
    /// Only games of this player; of both where two are named
    #[arg(long)]
    player: Vec<String>,
    /// At most so many games
    #[arg(long)]
    games: Option<usize>,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// How far IAGO looks ahead
    #[arg(long, default_value_t = 6)]
    depth: u32,
    /// How hard our engine looks
    #[arg(long, default_value_t = 14)]
    level: u32,
}

/// Where matches begin: with so many discs, even within so many hundredths of a disc at this level.
const DISCS: u32 = 20;
const MARGIN: i32 = 200;
const LEVEL: u32 = 10;

/// What a side may use where nothing is named.
const NODES: Budget = Budget::Nodes(50_000);
const SECOND: Budget = Budget::seconds(1);

/// How long a silent contestant is waited for; those here answer in this process.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    match run(Cli::parse().finding) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("papers: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(finding: Finding) -> Result<()> {
    // Whoever is on time must be so on the wall; all else is fairer without what the machine does
    // beside it.
    if !matches!(finding, Finding::OnTime { .. }) {
        count_cpu_time()?;
    }
    match finding {
        Finding::IagoOrdering { common, depth } => iago_ordering(&common, depth),
        Finding::IagoChampionship(championship) => iago_championship(&championship),
        Finding::Bill32 { common, cost } => {
            let budget = cost.or(NODES)?;
            let sides = [
                Contender::of("bill3", budget)?,
                Contender::of("bill2", budget)?,
            ];
            Series::new(&common, 200)?.play(&sides)
        }
        Finding::BillIago { common, cost } => {
            let budget = cost.or(NODES)?;
            let bill = Contender::of("bill3", budget.of_bill())?;
            let iago = Contender::of("iago", budget)?;
            Series::new(&common, 200)?.play(&[bill, iago])
        }
        Finding::BillPlies { common } => {
            let mut series = Series::new(&common, 200)?;
            for (more, less) in [(7, 6), (8, 7), (7, 5), (8, 6)] {
                series.play(&[
                    Contender::deep("bill2", more)?,
                    Contender::deep("bill2", less)?,
                ])?;
            }
            Ok(())
        }
        Finding::KeyanoProbcut { common, cost } => {
            let budget = cost.or(NODES)?;
            let multi = Contender::of("keyano", budget)?;
            let none = variant("keyano-no-probcut", || keyano(Pruning::None, true))?;
            let single = variant("keyano-one-probcut", || keyano(Pruning::Single, true))?;
            let mut series = Series::new(&common, 200)?;
            for other in [none, single] {
                series.play(&[multi.clone(), Contender::new(other, budget)?])?;
            }
            Ok(())
        }
        Finding::KeyanoParity { common, nodes } => {
            let on = Contender::of("keyano", Budget::Nodes(nodes))?;
            let off = variant("keyano-no-parity", || keyano(Pruning::Multi, false))?;
            let off = Contender::new(off, Budget::Nodes(nodes * 115 / 100))?;
            Series::new(&common, 200)?.play(&[on, off])
        }
        Finding::KeyanoSearch { common, depth } => keyano_search(&common, depth),
        Finding::ChenSearch {
            common,
            depth,
            plain_depth,
        } => chen_search(&common, depth, plain_depth),
        Finding::EngineAgainstAll { common, cost } => {
            let budget = cost.or(SECOND)?;
            let own = Contender::new(Who::Emilia, budget)?;
            let mut series = Series::new(&common, 100)?;
            for guest in Roster::ALL {
                series.play(&[own.clone(), Contender::new(Who::Guest(guest), budget)?])?;
            }
            Ok(())
        }
        Finding::Ladder {
            common,
            cost,
            players,
        } => ladder(&common, cost.or(SECOND)?, players),
        Finding::OnTime { common, seconds } => on_time(&common, seconds),
    }
}

/// One side of a match, with its clock.
#[derive(Clone)]
struct Contender {
    spec: Spec,
    clock: Option<TimeControl>,
}

impl Contender {
    fn new(who: Who, budget: Budget) -> Result<Contender> {
        Ok(Contender {
            spec: Spec::of(who, &budget.settings())?,
            clock: budget.clock(),
        })
    }

    fn of(name: &str, budget: Budget) -> Result<Contender> {
        Contender::new(name.parse()?, budget)
    }

    fn deep(name: &str, plies: u32) -> Result<Contender> {
        Ok(Contender {
            spec: Spec::of(name.parse()?, &format!("depth={plies}"))?,
            clock: None,
        })
    }

    fn title(&self) -> String {
        match self.clock {
            Some(clock) => format!("{} {clock} s", self.spec),
            None => self.spec.to_string(),
        }
    }
}

fn keyano(pruning: Pruning, parity: bool) -> Box<dyn Historic> {
    Box::new(Keyano::new(keyano::Options {
        pruning,
        parity,
        ..keyano::Options::default()
    }))
}

/// KEYANO with something switched off.
fn variant(name: &'static str, make: fn() -> Box<dyn Historic>) -> Result<Who> {
    let variant: Listed = Roster::find("keyano")?.variant(name, make);
    // A handful of them, for as long as the tool runs.
    Ok(Who::Guest(Box::leak(Box::new(variant))))
}

/// A new file of games, each written when it is over: an interrupted run keeps what it has.
struct Kept(Option<(PathBuf, File)>);

impl Kept {
    fn new(path: Option<&Path>) -> Result<Kept> {
        let Some(path) = path else {
            return Ok(Kept(None));
        };
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.with_context(|| {
            format!(
                "cannot write {}; name a file that is not there yet",
                path.display()
            )
        })?;
        Ok(Kept(Some((path.to_owned(), file))))
    }

    fn add(&mut self, game: &Game) -> Result<()> {
        if let Some((path, file)) = &mut self.0 {
            let bytes = GameWriter::to_bytes(Format::Ggf, std::slice::from_ref(game))?;
            file.write_all(&bytes)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// Matches one after the other, from the same openings.
struct Series<'a> {
    common: &'a Common,
    games: usize,
    openings: Vec<Opening>,
    kept: Kept,
    /// The head of the table was printed.
    begun: bool,
}

/// How a match went.
struct Outcome {
    tally: Tally,
    /// Discs by pair, as the first sees them.
    pairs: Vec<Vec<i32>>,
    forfeits: [usize; 2],
}

impl<'a> Series<'a> {
    fn new(common: &'a Common, usual: usize) -> Result<Series<'a>> {
        let games = common.games.unwrap_or(usual).max(1);
        let kept = Kept::new(common.save.as_deref())?;
        Ok(Series {
            common,
            games,
            openings: openings(DISCS, games.div_ceil(2), common.seed),
            kept,
            begun: false,
        })
    }

    /// Plays a match and prints a line about it.
    fn play(&mut self, sides: &[Contender; 2]) -> Result<()> {
        let outcome = self.outcome(sides)?;
        if !std::mem::replace(&mut self.begun, true) {
            println!(
                "{:<32} {:<32} {:>14} {:>16} {:>7} {:>9}",
                "first", "second", "won-drawn-lost", "points", "discs", "forfeits"
            );
        }
        let standing = outcome.tally.standing();
        let margin = outcome.tally.margin();
        let points = match margin {
            Some(margin) => format!("{:.1} ± {:.1} %", 100.0 * standing.points, 100.0 * margin),
            None => format!("{:.1} %", 100.0 * standing.points),
        };
        println!(
            "{:<32} {:<32} {:>14} {points:>16} {:>+7.2} {:>9}",
            sides[0].title(),
            sides[1].title(),
            format!("{}-{}-{}", standing.wins, standing.draws, standing.losses),
            standing.discs,
            format!("{}/{}", outcome.forfeits[0], outcome.forfeits[1]),
        );
        Ok(())
    }

    /// The log of a match, if matches are kept, with the games that were played before.
    fn log(&self, sides: &[Contender; 2]) -> Result<(Option<MatchLog>, Vec<GameReport>)> {
        let Some(folder) = &self.common.log else {
            return Ok((None, Vec::new()));
        };
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let conditions = format!(
            "{} against {}, seed {}",
            sides[0].title(),
            sides[1].title(),
            self.common.seed
        );
        let name = conditions.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let path = folder.join(format!("{name}.log"));
        let (log, mut reports) = MatchLog::open(&path, &conditions)?;
        reports.retain(|report| report.pairing.number < self.games);
        Ok((Some(log), reports))
    }

    fn outcome(&mut self, sides: &[Contender; 2]) -> Result<Outcome> {
        let referee = Referee {
            specs: [&sides[0].spec, &sides[1].spec],
            openings: &self.openings,
            controls: [sides[0].clock, sides[1].clock],
            patience: PATIENCE,
            seed: self.common.seed,
        };
        let mut outcome = Outcome {
            tally: Tally::default(),
            pairs: vec![Vec::new(); self.games.div_ceil(2)],
            forfeits: [0; 2],
        };
        let bar = ProgressBar::new(self.games as u64);
        let mut kept = Ok(());
        let (mut log, before) = self.log(sides)?;
        let played: HashSet<usize> = before.iter().map(|report| report.pairing.number).collect();
        let games = (0..self.games)
            .filter(|number| !played.contains(number))
            .map(|number| Pairing { number });
        let mut count = |report: GameReport| {
            let pair = report.pairing.pair();
            outcome.tally.add(pair, report.discs);
            outcome.pairs[pair].push(report.discs);
            if let Some((side, reason)) = &report.forfeit {
                outcome.forfeits[*side as usize] += 1;
                let number = report.pairing.number + 1;
                bar.suspend(|| eprintln!("game {number}: {} {reason}", sides[*side as usize].spec));
            }
            bar.inc(1);
            kept = self.kept.add(&report.game);
            kept.is_ok()
        };
        if before.into_iter().all(&mut count) {
            referee.play(games, self.common.threads, |report| {
                let logged = log.as_mut().map_or(Ok(()), |log| log.add(&report));
                if let Err(error) = &logged {
                    bar.suspend(|| eprintln!("the match is not kept: {error}"));
                }
                count(report) && logged.is_ok()
            });
        }
        bar.finish_and_clear();
        kept.map(|()| outcome)
    }
}

/// The first of the near-even openings that follow from the seed.
fn openings(discs: u32, count: usize, seed: u64) -> Vec<Opening> {
    played(discs, MARGIN, LEVEL, seed).take(count).collect()
}

fn ladder(common: &Common, budget: Budget, players: Vec<Who>) -> Result<()> {
    let players = if players.is_empty() {
        let guests = Roster::ALL.iter().map(Who::Guest);
        std::iter::once(Who::Emilia).chain(guests).collect()
    } else {
        players
    };
    ensure!(players.len() > 1, "a ladder needs two players or more");
    let contenders = players
        .iter()
        .map(|&who| Contender::new(who, budget))
        .collect::<Result<Vec<_>>>()?;
    let mut series = Series::new(common, 100)?;
    let mut ladder = Ladder::new(players.len());
    let mut forfeits = vec![0; players.len()];
    for first in 0..players.len() {
        for second in first + 1..players.len() {
            let sides = [contenders[first].clone(), contenders[second].clone()];
            let outcome = series.outcome(&sides)?;
            for (pair, of_pair) in outcome.pairs.iter().enumerate() {
                let mut tally = Tally::default();
                of_pair.iter().for_each(|&discs| tally.add(pair, discs));
                ladder.add(first, second, tally.standing().points);
            }
            forfeits[first] += outcome.forfeits[0];
            forfeits[second] += outcome.forfeits[1];
            let standing = outcome.tally.standing();
            eprintln!(
                "{} - {}: {}-{}-{}",
                players[first], players[second], standing.wins, standing.draws, standing.losses
            );
        }
    }
    println!("{:<28} {:>6} {:>16} {:>9}", "", "Elo", "95 %", "forfeits");
    for rung in ladder.rungs(common.seed) {
        println!(
            "{:<28} {:>+6.0} {:>16} {:>9}",
            contenders[rung.player].title(),
            rung.elo,
            format!("{:+.0} to {:+.0}", rung.low, rung.high),
            forfeits[rung.player]
        );
    }
    Ok(())
}

fn on_time(common: &Common, seconds: f64) -> Result<()> {
    let time = Duration::try_from_secs_f64(seconds)?;
    let mut series = Series::new(common, 200)?;
    series.openings = builtin_openings()?;
    let opponent = Contender {
        spec: Spec::of(Who::Emilia, "level=3")?,
        clock: None,
    };
    for guest in Roster::ALL {
        let guest = Contender::new(Who::Guest(guest), Budget::Time(time))?;
        series.play(&[guest, opponent.clone()])?;
    }
    Ok(())
}

/// A mean and how far the truth may be, with 95 % confidence.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (count - 1.0).max(1.0);
    (mean, 1.96 * (variance / count).sqrt())
}

fn with_error(values: &[f64], digits: usize) -> String {
    let (mean, error) = mean(values);
    format!("{mean:.digits$} ± {error:.digits$}")
}

/// Looks at all of these, so many at the same time.
fn each<T: Sync, R: Send>(
    threads: usize,
    all: &[T],
    see: impl Fn(&T) -> R + Sync + Send,
) -> Result<Vec<R>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()?;
    Ok(pool.install(|| all.par_iter().map(see).collect()))
}

/// Positions to search, kept as games that stop there.
fn positions(common: &Common, openings: &[Opening]) -> Result<Vec<Board>> {
    let mut kept = Kept::new(common.save.as_deref())?;
    for opening in openings {
        let game = opening.to_game(Details::default());
        kept.add(&game.context("an opening is a game")?)?;
    }
    Ok(openings
        .iter()
        .map(|opening| opening.position().board)
        .collect())
}

fn to_depth(plies: u32) -> Thinking {
    Thinking {
        depth: Some(plies),
        ..Thinking::default()
    }
}

fn iago_ordering(common: &Common, depth: u32) -> Result<()> {
    // The paper drew as many from each third of the first 45 moves.
    let third = common.games.unwrap_or(24).div_ceil(3);
    let drawn = [12, 26, 41].map(|discs| openings(discs, third, common.seed));
    let boards = positions(common, &drawn.concat())?;
    println!(
        "{} positions, depth {depth}: the branching factor\n",
        boards.len()
    );
    println!(
        "{:<6} {:>16} {:>16} {:>16} {:>16}",
        "saved", "generation", "square value", "move number", "response"
    );
    for saved_plies in [0, 1, 3] {
        print!("{saved_plies:<6}");
        for ordering in [
            Ordering::Generation,
            Ordering::SquareValue,
            Ordering::MoveNumber,
            Ordering::Response,
        ] {
            let options = iago::Options {
                ordering,
                saved_plies,
            };
            let branching = each(common.threads, &boards, |&board| {
                let found = Iago::new(options).search(board, &to_depth(depth), &StopButton::new());
                let last = found.iterations.last();
                last.map_or(0.0, |last| {
                    (last.terminals as f64).powf(1.0 / f64::from(depth))
                })
            })?;
            print!(" {:>16}", with_error(&branching, 2));
            std::io::stdout().flush()?;
        }
        println!();
    }
    Ok(())
}

/// What a judge thinks of a move.
#[derive(Clone, Copy)]
struct Verdict {
    number: usize,
    equivalent: bool,
    loss: f64,
}

fn iago_championship(asked: &Championship) -> Result<()> {
    let is_meant = |game: &Game| {
        let plays = |wanted: &String| {
            let sides = [&game.details().black, &game.details().white];
            let is = |name: &Name| {
                name.as_str()
                    .to_lowercase()
                    .contains(&wanted.to_lowercase())
            };
            sides.into_iter().flatten().any(is)
        };
        asked.player.iter().all(plays)
    };
    let mut games = Vec::new();
    for game in open(&asked.file)? {
        games.extend(Some(game?).filter(is_meant));
    }
    games.truncate(asked.games.unwrap_or(usize::MAX));
    ensure!(
        !games.is_empty(),
        "{} has no such game",
        asked.file.display()
    );
    let by_iago = each(asked.threads, &games, |game| {
        judged_by_iago(game, asked.depth)
    })?
    .concat();
    let by_engine = each(asked.threads, &games, |game| {
        let searcher = Searcher::new(64 << 20);
        let judge = Judge {
            searcher: &searcher,
            book: None,
            level: asked.level,
        };
        let judgement = judge.judge(game, &StopButton::new(), &mut |_| {});
        let verdict = |judged: &JudgedMove| Verdict {
            number: judged.number,
            equivalent: judged.is_equivalent(),
            loss: f64::from(judged.loss()) / 100.0,
        };
        let chosen = judgement.moves.iter().filter(|judged| judged.choices > 1);
        chosen.map(verdict).collect::<Vec<_>>()
    })?
    .concat();
    println!("{} games; moves that were not forced\n", games.len());
    println!(
        "{:<8} {:<14} {:>6} {:>18} {:>22}",
        "moves", "judge", "count", "equivalent", "mean loss"
    );
    let row =
        |moves: std::ops::RangeInclusive<usize>, judge: &str, verdicts: &[Verdict], unit: &str| {
            let of: Vec<&Verdict> = verdicts
                .iter()
                .filter(|v| moves.contains(&v.number))
                .collect();
            let equivalent: Vec<f64> = of.iter().map(|v| f64::from(v.equivalent)).collect();
            let loss: Vec<f64> = of.iter().map(|v| v.loss).collect();
            println!(
                "{:<8} {judge:<14} {:>6} {:>18} {:>22}",
                format!("{}-{}", moves.start(), moves.end()),
                of.len(),
                with_error(&equivalent, 2),
                format!(
                    "{} {unit}",
                    with_error(&loss, if unit == "discs" { 2 } else { 0 })
                ),
            );
        };
    row(
        FIRST..=LAST,
        &format!("IAGO depth {}", asked.depth),
        &by_iago,
        "points",
    );
    row(
        FIRST..=LAST,
        &format!("Emilia {}", asked.level),
        &by_engine,
        "discs",
    );
    // Here IAGO solved the positions; whoever does so says the same.
    row(LAST + 1..=60, "solved", &by_engine, "discs");
    Ok(())
}

/// The moves that IAGO judges by its evaluation.
const FIRST: usize = 2;
const LAST: usize = 45;

/// As in the paper: its own move to a depth, and the move that was played to one less.
fn judged_by_iago(game: &Game, depth: u32) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut position = game.start();
    let value = |position: Position, depth| {
        let found = Iago::default().search(position.board, &to_depth(depth), &StopButton::new());
        matches!(found.goal, Goal::Depth(_)).then_some(found.best)
    };
    for (place, &square) in game.moves().iter().enumerate() {
        let (number, before) = (place + 1, position);
        let Ok(after) = before.play(square) else {
            break;
        };
        position = after;
        let has_choice = before.board.legal_moves().count() > 1;
        if !has_choice || !(FIRST..=LAST).contains(&number) || after.board.is_over() {
            continue;
        }
        let (Some(best), Some(answer)) = (value(before, depth), value(after, depth - 1)) else {
            continue;
        };
        let sign = if after.turn == before.turn { 1 } else { -1 };
        let loss = (best.value - sign * answer.value).max(0);
        verdicts.push(Verdict {
            number,
            equivalent: square == best.square || loss == 0,
            loss: f64::from(loss),
        });
    }
    verdicts
}

fn keyano_search(common: &Common, depth: u32) -> Result<()> {
    let drawn = openings(DISCS, common.games.unwrap_or(20), common.seed);
    let boards = positions(common, &drawn)?;
    println!("{} positions, depth {depth}, no ProbCut\n", boards.len());
    println!(
        "{:<8} {:>22} {:>12} {:>14} {:>16}",
        "entries", "nodes", "more", "moves at cuts", "best first"
    );
    let mut largest = None;
    for table_bits in [20, 18, 16, 14, 10] {
        let options = keyano::Options {
            pruning: Pruning::None,
            table_bits,
            ..keyano::Options::default()
        };
        let searched: Vec<(f64, Counters)> = each(common.threads, &boards, |&board| {
            let mut keyano = Keyano::new(options);
            let choice = keyano.choose(board, &to_depth(depth), &StopButton::new());
            (choice.nodes as f64, keyano.counters())
        })?;
        let of = |see: fn(&(f64, Counters)) -> f64| searched.iter().map(see).collect::<Vec<f64>>();
        let nodes = of(|(nodes, _)| *nodes);
        let largest = *largest.get_or_insert(mean(&nodes).0);
        println!(
            "2^{table_bits:<6} {:>22} {:>12} {:>14} {:>16}",
            with_error(&nodes, 0),
            format!("{:+.2} %", 100.0 * (mean(&nodes).0 / largest - 1.0)),
            with_error(&of(|(_, counters)| counters.searched_per_cut()), 3),
            format!(
                "{} %",
                with_error(&of(|(_, counters)| 100.0 * counters.best_first_share()), 1)
            ),
        );
    }
    Ok(())
}

fn chen_search(common: &Common, depth: u32, plain_depth: u32) -> Result<()> {
    let drawn = openings(DISCS, common.games.unwrap_or(10), common.seed);
    let boards = positions(common, &drawn)?;
    let search = |algorithm, memory, bitboards| chen::Options {
        algorithm,
        memory,
        bitboards,
        ..chen::Options::default()
    };
    let searches = [
        (
            "minimax",
            search(Algorithm::Minimax, Memory::None, true),
            plain_depth - 1,
        ),
        (
            "alpha-beta",
            search(Algorithm::AlphaBeta, Memory::None, true),
            plain_depth,
        ),
        (
            "alpha-beta, array",
            search(Algorithm::AlphaBeta, Memory::None, false),
            plain_depth,
        ),
        (
            "alpha-beta, table",
            search(Algorithm::AlphaBeta, Memory::Both, true),
            depth,
        ),
        (
            "NegaScout, table",
            search(Algorithm::NegaScout, Memory::Both, true),
            depth,
        ),
        (
            "MTD(f), table",
            search(Algorithm::MtdF, Memory::Both, true),
            depth,
        ),
    ];
    println!("{} positions, iterations up to each depth\n", boards.len());
    println!(
        "{:<18} {:>5} {:>24} {:>20}",
        "search", "depth", "nodes", "ms"
    );
    for plies in plain_depth.saturating_sub(2)..=depth {
        for (name, options, deepest) in searches {
            if plies > deepest {
                continue;
            }
            let costs: Vec<(f64, f64)> = each(common.threads, &boards, |&board| {
                let mut chen = Chen::new(options);
                // Its table is made here and not by the clock.
                chen.begin_game(common.seed);
                let began = Instant::now();
                let found = chen.search(board, &to_depth(plies), &StopButton::new());
                (found.nodes as f64, 1000.0 * began.elapsed().as_secs_f64())
            })?;
            let (nodes, times): (Vec<f64>, Vec<f64>) = costs.into_iter().unzip();
            println!(
                "{name:<18} {plies:>5} {:>24} {:>20}",
                with_error(&nodes, 0),
                with_error(&times, 1)
            );
        }
    }
    Ok(())
}
