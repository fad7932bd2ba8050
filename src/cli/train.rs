//! `emilia train`: learns the evaluation's weights, and the tables of the players of the papers.

mod players;

use super::output::{grouped, progress, table};
use super::search_options::load_weights;
use crate::eval::{Container, Evaluator, MANIFEST, PAIR_BUCKETS, PAIRS, PATTERNS, PROBCUT, STAGES};
use crate::search::Searcher;
use crate::train::Effort;
use crate::train::calibrate::{Amount, Spread, calibrate, measure, sample};
use crate::train::duel::Duel;
use crate::train::endings::Endings;
use crate::train::fit::{FitOptions, Given, fit};
use crate::train::held_out;
use crate::train::import::{import, year_files, year_name};
use crate::train::label::Depths;
use crate::train::lean::{GROUPS, PlayOuts};
use crate::train::pairs::{PairOptions, learn_pairs};
use crate::train::pipeline;
use crate::train::recipe::{Recipe, Round};
use crate::train::record::{DataError, Source, fingerprint, shard_path, shards};
use crate::train::report::{Accuracy, Report, SCORES, report};
use crate::train::selfplay::{Labels, Opening, SelfPlay};
use crate::train::small::{SMALL_BYTES, shrunk};
use crate::train::starts::Starts;
use crate::train::work::{Watcher, make_missing};
use anyhow::{Context, Result};
use comfy_table::Table;
use indicatif::ProgressBar;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Learn the evaluation: make labelled positions, fit weights, measure them
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(clap::Subcommand)]
enum Step {
    Selfplay(SelfplayArgs),
    Import(ImportArgs),
    Endings(EndingsArgs),
    Fit(FitArgs),
    Calibrate(CalibrateArgs),
    Report(ReportArgs),
    Lean(LeanArgs),
    Duel(DuelArgs),
    All(AllArgs),
    Small(SmallArgs),
    Manifest(ManifestArgs),
    Players(players::Args),
}

/// How deep to look for labels
#[derive(clap::Args, Clone, Copy)]
struct DepthArgs {
    /// Plies of the searches
    #[arg(long, default_value_t = 6)]
    depth: u32,
    /// Search to the end, with selective cuts, from this many empty squares on; 0 for never
    #[arg(long, default_value_t = 0)]
    reach_from: u32,
    /// Solve exactly from this many empty squares on
    #[arg(long, default_value_t = 14)]
    solve_from: u32,
}

impl DepthArgs {
    fn depths(self) -> Depths {
        Depths {
            plies: self.depth,
            reach_from: self.reach_from,
            solve_from: self.solve_from,
        }
    }
}

/// Play games against itself and keep every position with its search value
#[derive(clap::Args)]
struct SelfplayArgs {
    /// Where to write the shards; finished ones are kept
    #[arg(long, short)]
    out: PathBuf,
    /// Everything random follows from this number
    #[arg(long)]
    seed: u64,
    /// How many shards to make
    #[arg(long, default_value_t = 100)]
    shards: u32,
    /// Games in a shard
    #[arg(long, default_value_t = 200)]
    games: u32,
    #[command(flatten)]
    depth: DepthArgs,
    /// The most random moves at the beginning of a game
    #[arg(long, default_value_t = 36)]
    random_plies: u32,
    #[command(flatten)]
    engine: EngineArgs,
}

fn weights_or_builtin(path: Option<&Path>) -> Result<&'static Evaluator> {
    path.map_or_else(|| Ok(Evaluator::builtin()), load_weights)
}

/// Which weights search, on how many threads
#[derive(clap::Args)]
struct EngineArgs {
    /// Weights to search with instead of the built-in ones
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Threads to work with
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

impl EngineArgs {
    fn evaluator(&self) -> Result<&'static Evaluator> {
        weights_or_builtin(self.weights.as_deref())
    }

    /// Makes the missing shards under a progress bar.
    fn make_missing(
        &self,
        doing: &'static str,
        paths: &[PathBuf],
        make: impl Fn(&Searcher, usize) -> Result<u64, DataError> + Sync,
    ) -> Result<()> {
        let bar = progress(paths.len() as u64, "shards", doing);
        let count = make_missing(self.evaluator()?, self.threads, paths, || bar.inc(1), make)?;
        bar.finish_and_clear();
        writeln!(stdout(), "{} new positions", grouped(count))?;
        Ok(())
    }
}

/// Solve endings of WTHOR games and of what lies beside them
///
/// They are drawn by lot; most are left by one to three random moves first, because a search looks
/// at what good players avoid. The scores are exact: other weights change only the time it takes.
#[derive(clap::Args)]
struct EndingsArgs {
    /// The directory with WTH_<year>.wtb files; years from 2010 on are held out
    wthor: PathBuf,
    /// Where to write the shards; finished ones are kept
    #[arg(long, short)]
    out: PathBuf,
    /// Everything random follows from this number
    #[arg(long)]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Take the positions of WTHOR files whose exact score the file has: those at 24 empties
#[derive(clap::Args)]
struct ImportArgs {
    /// The directory with WTH_<year>.wtb files
    wthor: PathBuf,
    /// Where to write the shards
    #[arg(long, short)]
    out: PathBuf,
    /// First year to take
    #[arg(long, default_value_t = 0)]
    from: u32,
    /// Last year to take; 2010 and later are held out to measure with
    #[arg(long, default_value_t = 2009)]
    to: u32,
}

/// Fit weights to labelled positions
#[derive(clap::Args)]
struct FitArgs {
    /// Directories of shards
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Where to write the weights
    #[arg(long, short)]
    out: PathBuf,
    /// Iterations per stage
    #[arg(long, default_value_t = FitOptions::default().effort.iterations)]
    iterations: u32,
    /// Pull towards the next stage's weights, as a number of positions
    #[arg(long, default_value_t = FitOptions::default().effort.ridge)]
    ridge: f64,
    /// How much positions of neighbouring stages count
    #[arg(long, default_value_t = FitOptions::default().neighbours)]
    neighbours: f32,
    /// Pull towards the weights of all positions when exact scores alone correct them, as a number
    /// of positions
    #[arg(long, default_value_t = FitOptions::default().correction)]
    correction: f64,
}

/// Measure how far shallow searches lie from deep ones, for the search's selective cuts
#[derive(clap::Args)]
struct CalibrateArgs {
    /// Directories of shards to take positions from
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The weights file; its ProbCut section is replaced
    #[arg(long)]
    weights: PathBuf,
    /// Positions for each number of empty squares
    #[arg(long, default_value_t = 200)]
    positions: usize,
    /// The deepest search
    #[arg(long, default_value_t = 8)]
    depth: u32,
    /// Find exact scores from this many empty squares on
    #[arg(long, default_value_t = 22)]
    solve_from: u32,
    /// Positions searched at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Measure weights against exact scores that were not trained on
///
/// Without shards, makes the held-out sets first: self-play at 20 empty squares and, given WTHOR
/// files, games from 2010 on at 24, 16 and 12.
#[derive(clap::Args)]
struct ReportArgs {
    /// Directories of shards to measure on instead
    data: Vec<PathBuf>,
    /// Where the held-out sets are, or are to be made
    #[arg(long, default_value = "training/held-out", conflicts_with = "data")]
    directory: PathBuf,
    /// A directory of WTHOR files
    #[arg(long, conflicts_with = "data")]
    wthor: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Measure whether values lean to one colour
///
/// The engine plays both sides from positions that people reach after 6 to 10 moves; what it said
/// at each ply is compared with what came of it. In the table, "for Black" are the discs by which
/// its values were too hopeful for Black.
#[derive(clap::Args)]
struct LeanArgs {
    /// The directory with WTH_<year>.wtb files; games from 2010 on are taken
    wthor: PathBuf,
    /// Games to play
    #[arg(long, default_value_t = 1800)]
    games: u32,
    /// Which positions are drawn follows from this number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Plies of the searches
    #[arg(long, default_value_t = 10)]
    depth: u32,
    /// Solve exactly from this many empty squares on
    #[arg(long, default_value_t = 20)]
    solve_from: u32,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Let two sets of weights play each other, in pairs of games from random openings
#[derive(clap::Args)]
struct DuelArgs {
    /// The weights to judge
    first: PathBuf,
    /// The weights to beat; the built-in ones if none are given
    second: Option<PathBuf>,
    /// Pairs of games
    #[arg(long, default_value_t = Duel::standard(1).pairs)]
    pairs: u32,
    /// Random moves at the beginning
    #[arg(long, default_value_t = Duel::standard(1).opening_plies)]
    opening_plies: u32,
    /// The openings follow from this number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    depth: DepthArgs,
}

/// Do it all: exact scores of endings, rounds of games, fits and calibration
///
/// A round counts only if it wins 8000 games against the one before, with 95 % confidence.
/// Stop it when you like: the same command goes on where it was. Two runs with one seed give the
/// same file bit for bit.
#[derive(clap::Args)]
struct AllArgs {
    /// Everything random follows from this number
    #[arg(long)]
    seed: u64,
    /// The directory to work in (about a hundred megabytes)
    #[arg(long, default_value = "training")]
    directory: PathBuf,
    /// A directory of WTHOR files to learn from as well; years from 2010 on are held out
    #[arg(long)]
    wthor: Option<PathBuf>,
    /// Weights to begin from, such as those of the version before, instead of from nothing
    #[arg(long, value_name = "FILE")]
    begin_from: Option<PathBuf>,
    /// Shards of 200 games in each round of games
    #[arg(long, default_value_t = 300)]
    shards: u32,
    /// Where to write the weights
    #[arg(long, short)]
    out: PathBuf,
    /// Shards made at the same time
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Make weights coarser until their file is small enough
#[derive(clap::Args)]
struct SmallArgs {
    /// The weights to begin from; the built-in ones if none are given
    weights: Option<PathBuf>,
    /// Where to write them
    #[arg(long, short)]
    out: PathBuf,
    /// How large the file may be
    #[arg(long, value_name = "BYTES", default_value_t = SMALL_BYTES)]
    size: usize,
}

/// Tell how weights were made: seeds, amounts, hashes, and how each round fared
#[derive(clap::Args)]
struct ManifestArgs {
    /// A weights file; the built-in one if none is given
    weights: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    match args.step {
        Step::Selfplay(args) => run_selfplay(args),
        Step::Import(args) => run_import(args),
        Step::Endings(args) => run_endings(args),
        Step::Fit(args) => run_fit(args),
        Step::Calibrate(args) => run_calibrate(args),
        Step::Report(args) => run_report(args),
        Step::Lean(args) => run_lean(args),
        Step::Duel(args) => run_duel(args),
        Step::All(args) => run_all(args),
        Step::Small(args) => run_small(&args),
        Step::Manifest(args) => run_manifest(args),
        Step::Players(args) => players::run(&args),
    }
}

fn run_selfplay(args: SelfplayArgs) -> Result<()> {
    let play = SelfPlay {
        seed: args.seed,
        games_per_shard: args.games,
        depths: args.depth.depths(),
        opening: Opening::Random(4.min(args.random_plies), args.random_plies),
        surprise: 12,
        labels: Labels::Search,
    };
    let paths: Vec<PathBuf> = (0..args.shards)
        .map(|number| shard_path(&args.out, "selfplay", number))
        .collect();
    args.engine.make_missing("playing", &paths, |searcher, i| {
        play.shard(searcher, i as u32, &paths[i])
    })
}

fn run_endings(args: EndingsArgs) -> Result<()> {
    let years = year_files(&args.wthor, 0..=held_out::HELD_OUT_FROM - 1)?;
    let endings = Endings::standard(args.seed);
    let evaluator = args.engine.evaluator()?;
    let parts = endings.shard_count(years.len()) as u64;
    let bar = progress(parts, "shards", "solving");
    let threads = args.engine.threads;
    let made = endings.make(evaluator, &years, &args.out, threads, || bar.inc(1))?;
    bar.finish_and_clear();
    writeln!(stdout(), "{} shards", grouped(made.len() as u64))?;
    Ok(())
}

fn run_import(args: ImportArgs) -> Result<()> {
    let files = year_files(&args.wthor, args.from..=args.to)?;
    let bar = progress(files.len() as u64, "files", "importing");
    let mut count = 0;
    for file in &files {
        let shard = shard_path(&args.out, &year_name(file), 0);
        count += import(file, &shard, |record| record.source == Source::Exact)
            .with_context(|| format!("importing {}", file.display()))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    writeln!(
        stdout(),
        "{} positions from {} files",
        grouped(count),
        files.len()
    )?;
    Ok(())
}

fn run_fit(args: FitArgs) -> Result<()> {
    let options = FitOptions {
        effort: Effort {
            iterations: args.iterations,
            ridge: args.ridge,
        },
        neighbours: args.neighbours,
        correction: args.correction,
        ..FitOptions::default()
    };
    let data = shards(&args.data)?;
    let parts = (2 * STAGES + PAIR_BUCKETS) as u64;
    let bar = progress(parts, "parts", "fitting");
    let mut rows = table(&["stage", "positions"], &[0, 1]);
    let mut given = Given::default();
    let model = fit(&data, options, given, |fit| {
        rows.add_row([fit.stage.to_string(), grouped(fit.rows as u64)]);
        bar.inc(1);
    })?;
    let of_pairs = PairOptions::default();
    let pairs = learn_pairs(&data, &model, of_pairs, || bar.inc(1))?;
    given.pairs = Some(&pairs);
    let model = fit(&data, options, given, |_| bar.inc(1))?;
    bar.finish_and_clear();
    let mut container = Container::default();
    container.set(PATTERNS, model.encode());
    container.set(PAIRS, pairs.encode());
    let mut manifest = format!("{options:?}\n{of_pairs:?}\n");
    for directory in &args.data {
        let shards = shards(std::slice::from_ref(directory))?;
        let (name, count) = (directory.display(), shards.len());
        let hash = fingerprint(&shards)?;
        manifest += &format!("{name}: {count} shards, XXH3 {hash:016x}\n");
    }
    manifest += &format!("{rows}\n");
    container.set(MANIFEST, manifest.into_bytes());
    let file = container.encode().context("packing the weights")?;
    std::fs::write(&args.out, &file).with_context(|| format!("writing {}", args.out.display()))?;
    writeln!(stdout(), "{rows}\n{} bytes", grouped(file.len() as u64))?;
    Ok(())
}

fn run_calibrate(args: CalibrateArgs) -> Result<()> {
    let amount = Amount {
        depth: args.depth,
        solve_from: args.solve_from,
    };
    // Every fourth number of empty squares: the formula is smooth in it.
    let sets = sample(&shards(&args.data)?, 10..=54, 4, args.positions)?;
    let evaluator = load_weights(&args.weights)?;
    let bar = progress(
        sets.iter().map(|set| set.len() as u64).sum(),
        "positions",
        "searching",
    );
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads)
        .build()?;
    let spreads: Vec<Spread> = pool.install(|| {
        sets.iter()
            .flat_map(|boards| measure(evaluator, boards, amount, || bar.inc(1)))
            .collect()
    });
    bar.finish_and_clear();
    let calibration = calibrate(&spreads);
    let columns = [
        "empties",
        "deep",
        "shallow",
        "positions",
        "mean",
        "deviation",
        "formula",
    ];
    let mut rows = table(&columns, &[0, 1, 2, 3, 4, 5, 6]);
    for spread in &spreads {
        let formula = calibration.deviation(spread.empties, spread.deep, spread.shallow);
        rows.add_row([
            spread.empties.to_string(),
            spread.deep.to_string(),
            spread.shallow.to_string(),
            spread.positions.to_string(),
            format!("{:+.2}", spread.mean),
            format!("{:.2}", spread.deviation),
            format!("{:.2}", f64::from(formula) / 100.0),
        ]);
    }
    writeln!(stdout(), "{rows}\n{calibration:?}")?;
    let file = std::fs::read(&args.weights)
        .with_context(|| format!("reading {}", args.weights.display()))?;
    let mut container = Container::decode(&file)?;
    container.set(PROBCUT, calibration.encode());
    let file = container.encode().context("packing the weights")?;
    std::fs::write(&args.weights, file)
        .with_context(|| format!("writing {}", args.weights.display()))
}

fn run_duel(args: DuelArgs) -> Result<()> {
    let first = load_weights(&args.first)?;
    let second = weights_or_builtin(args.second.as_deref())?;
    let duel = Duel {
        seed: args.seed,
        pairs: args.pairs,
        depths: args.depth.depths(),
        opening_plies: args.opening_plies,
    };
    let bar = progress(u64::from(args.pairs), "pairs", "playing");
    let verdict = duel.fight(first, second, || bar.inc(1));
    bar.finish_and_clear();
    writeln!(stdout(), "{verdict}")?;
    Ok(())
}

fn run_lean(args: LeanArgs) -> Result<()> {
    let years = year_files(&args.wthor, held_out::HELD_OUT_FROM..=u32::MAX)?;
    let play_outs = PlayOuts {
        seed: args.seed,
        games: args.games,
        depths: Depths {
            plies: args.depth,
            reach_from: 0,
            solve_from: args.solve_from,
        },
    };
    let bar = progress(u64::from(args.games), "games", "playing");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.engine.threads)
        .build()?;
    let evaluator = args.engine.evaluator()?;
    let starts = Starts::read(&years)?;
    let leans = pool.install(|| play_outs.measure(evaluator, &starts, || bar.inc(1)))?;
    bar.finish_and_clear();
    let columns = ["plies", "games", "positions", "for Black", "± 2 errors"];
    let mut rows = table(&columns, &[1, 2, 3, 4]);
    for (plies, lean) in GROUPS.iter().zip(leans) {
        rows.add_row([
            format!("{}–{}", plies.start(), plies.end()),
            grouped(lean.games),
            grouped(lean.positions),
            format!("{:+.2}", lean.mean),
            format!("{:.2}", 2.0 * lean.error),
        ]);
    }
    writeln!(stdout(), "{rows}")?;
    Ok(())
}

fn run_all(args: AllArgs) -> Result<()> {
    let recipe = Recipe::standard(
        args.seed,
        args.directory,
        args.wthor,
        args.begin_from,
        args.threads,
    );
    let from_nothing = recipe.begin_from.is_none();
    let recipe = Recipe {
        rounds: Round::standard(args.shards, from_nothing),
        ..recipe
    };
    let bars = Bars::default();
    let file = pipeline::run(&recipe, &bars)?;
    bars.clear();
    std::fs::write(&args.out, &file).with_context(|| format!("writing {}", args.out.display()))?;
    writeln!(
        stdout(),
        "{} bytes in {}",
        grouped(file.len() as u64),
        args.out.display()
    )?;
    Ok(())
}

fn run_small(args: &SmallArgs) -> Result<()> {
    let file = match &args.weights {
        Some(path) => {
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?
        }
        None => Evaluator::builtin_file().to_vec(),
    };
    let (small, step) = shrunk(&Container::decode(&file)?, args.size)?;
    std::fs::write(&args.out, &small)
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    let size = grouped(small.len() as u64);
    writeln!(
        stdout(),
        "{size} bytes, in steps of {step}/128 disc: {}",
        args.out.display()
    )?;
    Ok(())
}

fn run_manifest(args: ManifestArgs) -> Result<()> {
    let evaluator = weights_or_builtin(args.weights.as_deref())?;
    let manifest = evaluator
        .section(MANIFEST)
        .context("these weights have no manifest: only `emilia train fit` and `all` write one")?;
    write!(stdout(), "{}", String::from_utf8_lossy(manifest))?;
    Ok(())
}

/// A progress bar for each step in turn.
#[derive(Default)]
struct Bars(Mutex<Option<ProgressBar>>);

impl Bars {
    fn clear(&self) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = current.take() {
            bar.finish_and_clear();
        }
    }
}

impl Watcher for Bars {
    fn step(&self, name: String, parts: u64) {
        let bar = progress(parts, "parts", "").with_message(name);
        // A watcher that panicked leaves a bar behind, nothing worse.
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = current.replace(bar) {
            old.finish_and_clear();
        }
    }

    fn tick(&self) {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &*current {
            bar.inc(1);
        }
    }
}

fn run_report(args: ReportArgs) -> Result<()> {
    let evaluator = args.engine.evaluator()?;
    if !args.data.is_empty() {
        let mut result = Report::default();
        for shard in shards(&args.data)? {
            report(evaluator, &shard, None, &mut result)?;
        }
        let mut rows = accuracy_table("empties");
        for (empties, accuracy) in result.by_empties.iter().enumerate() {
            if accuracy.positions > 0 {
                rows.add_row(accuracy_row(empties.to_string(), accuracy));
            }
        }
        writeln!(stdout(), "{rows}\n{}", groups_table(&result))?;
        return Ok(());
    }
    let bars = Bars::default();
    let threads = args.engine.threads;
    let wthor = args.wthor.as_deref();
    let sets = held_out::make(&args.directory, wthor, evaluator, threads, &bars)?;
    bars.clear();
    let mut rows = accuracy_table("set");
    let mut groups = Vec::new();
    for set in sets {
        let mut result = Report::default();
        for shard in shards(std::slice::from_ref(&set.directory))? {
            report(evaluator, &shard, Some(Source::Exact), &mut result)?;
        }
        let name = format!("{} at {} empties", set.name, set.empties);
        let accuracy = &result.by_empties[set.empties as usize];
        groups.push(format!("{name}\n{}", groups_table(&result)));
        rows.add_row(accuracy_row(name, accuracy));
    }
    writeln!(stdout(), "{rows}\n\n{}", groups.join("\n\n"))?;
    Ok(())
}

/// By who is to move and by the score.
fn groups_table(report: &Report) -> Table {
    let mut rows = accuracy_table("group");
    let colours = ["Black to move", "White to move"].map(str::to_owned);
    let limits =
        |number: usize| match (number.checked_sub(1).map(|i| SCORES[i]), SCORES.get(number)) {
            (None, Some(to)) => format!("score up to {to:+}"),
            (Some(from), Some(to)) => format!("score above {from:+} up to {to:+}"),
            (from, None) => format!("score above {:+}", from.unwrap_or(0)),
        };
    let scores = (0..report.by_score.len()).map(limits);
    let groups = report.by_colour.iter().chain(&report.by_score);
    for (name, accuracy) in colours.into_iter().chain(scores).zip(groups) {
        if accuracy.positions > 0 {
            rows.add_row(accuracy_row(name, accuracy));
        }
    }
    rows
}

fn accuracy_table(first: &str) -> Table {
    table(&[first, "positions", "RMSE", "MAE", "bias"], &[1, 2, 3, 4])
}

fn accuracy_row(name: String, accuracy: &Accuracy) -> [String; 5] {
    [
        name,
        grouped(accuracy.positions),
        format!("{:.2}", accuracy.rmse()),
        format!("{:.2}", accuracy.mae()),
        format!("{:+.2}", accuracy.bias()),
    ]
}
