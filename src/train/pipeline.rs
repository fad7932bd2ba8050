//! The whole way from nothing to weights: rounds of self-play and labels, each with the weights
//! of the round before, then a fit; last the calibration. A round that does not win against the
//! one before is put aside.
//!
//! Everything lies in one directory, step by step, and a step that is finished is not done again.
//! The first round plays with weights of 0, so nothing from elsewhere enters, and two runs with
//! one seed give the same weights bit for bit.

use super::calibrate::{Amount, calibrate, measure, sample};
use super::duel::{Duel, Verdict};
use super::fit::{FitOptions, count, fit};
use super::import::{import, year_files};
use super::label::{Choice, Depths, Strays, label};
use super::record::{DataError, fingerprint, shard_path, shards};
use super::selfplay::{Labels, SelfPlay};
use super::work::make_missing;
use crate::eval::{
    Calibration, Container, Evaluator, MANIFEST, Model, PATTERNS, PROBCUT, STAGES, WeightsError,
};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Shorter endings are left out: a search solves them and hardly ever asks the evaluation.
const SHORTEST_ENDING: u32 = 8;

/// One round of the pipeline.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Round {
    pub shards: u32,
    pub games: u32,
    pub plies: u32,
    pub solve_from: u32,
    /// One position of the game collection in so many is labelled.
    pub collection_every: u64,
    /// How many of those are first left by a random move.
    pub strays: Strays,
    /// Besides them every position of the collection that is near enough to the end is solved,
    /// once as it is and once after a random move, for this round and those after it.
    pub endings: bool,
    pub labels: Labels,
    /// How much an exact score counts in the fit, where what a search said counts once.
    pub exact: f32,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub directory: PathBuf,
    /// WTHOR files, if there are any; the years to hold out are not touched.
    pub collection: Option<PathBuf>,
    /// The first year held out.
    pub held_out_from: u32,
    pub rounds: Vec<Round>,
    /// What exact scores count is each round's own affair.
    pub fit: FitOptions,
    /// How a round proves that it is better than the one before.
    pub judge: Duel,
    /// Positions per number of empty squares in the calibration; 0 leaves it out.
    pub calibration: usize,
    pub threads: usize,
}

/// What goes wrong in a pipeline.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// Tells how a run gets on: a step's name and size, then a tick for each part of it.
pub trait Watcher: Sync {
    fn step(&self, name: String, parts: u64);
    fn tick(&self);
}

impl Round {
    fn depths(&self) -> Depths {
        Depths {
            plies: self.plies,
            solve_from: self.solve_from,
        }
    }

    /// Quick and shallow rounds first, which learn what games came to; the fourth, with this many
    /// shards of 200 games, is the largest, and the last two look deepest.
    ///
    /// A label of depth 4 costs a third of one of depth 6 and is off by a disc more, which matters
    /// little while the weights themselves are worse than that.
    pub fn standard(shards: u32) -> Vec<Round> {
        let round = |tenths: u64, plies, solve_from, labels| Round {
            strays: Strays::None,
            endings: false,
            shards: (u64::from(shards) * tenths / 10).max(1) as u32,
            games: 200,
            plies,
            solve_from,
            collection_every: 3,
            labels,
            exact: 1.0,
        };
        vec![
            round(1, 1, 10, Labels::Outcome),
            round(1, 3, 12, Labels::Outcome),
            round(4, 4, 12, Labels::Search),
            round(10, 4, 14, Labels::Search),
            Round {
                strays: Strays::Half,
                endings: true,
                ..round(4, 6, 14, Labels::Search)
            },
            Round {
                strays: Strays::Half,
                // Other positions than those of the rounds before.
                collection_every: 4,
                // Exact scores are few before the endings, and nothing else is sure.
                exact: 4.0,
                ..round(4, 6, 14, Labels::Search)
            },
        ]
    }
}

/// Runs the plan and gives the bytes of the weights file.
pub fn run(plan: &Plan, watcher: &impl Watcher) -> Result<Vec<u8>, PipelineError> {
    let mut collection = None;
    if let Some(files) = &plan.collection {
        let directory = plan.directory.join("collection");
        import_all(plan, files, &directory, watcher)?;
        collection = Some(directory);
    }
    let mut data: Vec<PathBuf> = Vec::new();
    let mut earlier_games = None;
    let mut earlier_labels: Option<(Depths, PathBuf)> = None;
    let mut endings = Vec::new();
    let mut manifest = format!("train all, seed {}\n", plan.seed);
    let mut best = Weights::resident(fresh(Model::zero().encode()))?;
    for (number, &round) in plan.rounds.iter().enumerate() {
        let directory = plan.directory.join(format!("round-{}", number + 1));
        let weights = directory.join("weights.emw");
        let made = make_data(plan, number, round, best.evaluator, &directory, watcher)?;
        // Of earlier rounds the last one's games, because searches before that saw too little, its
        // labels if they looked as deep as this one's, and all endings: what is solved stays true.
        let earlier = collection.iter().chain(&earlier_games).chain(&endings);
        data = earlier.cloned().collect();
        let as_deep = earlier_labels.filter(|(depths, _)| *depths == round.depths());
        data.extend(as_deep.map(|(_, labels)| labels));
        data.push(made.games.clone());
        data.extend(made.labels.clone());
        data.extend(made.endings.iter().cloned());
        earlier_games = Some(made.games);
        earlier_labels = made.labels.map(|labels| (round.depths(), labels));
        endings.extend(made.endings);
        let shards = shards(&data)?;
        let positions: usize = count(&shards)?.iter().sum();
        let container = match std::fs::read(&weights) {
            Ok(file) => Container::decode(&file)?,
            Err(_) => {
                watcher.step(format!("round {}: fitting", number + 1), STAGES as u64);
                let options = FitOptions {
                    exact: round.exact,
                    ..plan.fit
                };
                let model = fit(&shards, options, |_| watcher.tick())?;
                let container = fresh(model.encode());
                write(&weights, &encoded(&container, &weights)?)?;
                container
            }
        };
        let hash = container.section(PATTERNS).map_or(0, xxh3_64);
        // Writing to a string cannot fail.
        let _ = writeln!(
            manifest,
            "round {}: {round:?}, {positions} positions, data {:016x}, weights {hash:016x}",
            number + 1,
            fingerprint(&shards)?
        );
        let next = Weights::resident(container)?;
        // The first has weights of 0 before it, which know nothing.
        if number > 0 {
            let pairs = u64::from(plan.judge.pairs);
            watcher.step(format!("round {}: judging", number + 1), pairs);
            let verdict = judged(plan, &next, &best, &directory, || watcher.tick())?;
            let _ = writeln!(manifest, "  {verdict}");
            if !verdict.is_better() {
                let _ = writeln!(manifest, "  put aside");
                continue;
            }
        }
        best = next;
    }
    let Weights {
        mut container,
        evaluator,
    } = best;
    if plan.calibration > 0 {
        let calibration = calibrated(plan, evaluator, &data, watcher)?;
        container.set(PROBCUT, calibration.encode());
    }
    let FitOptions {
        effort, neighbours, ..
    } = plan.fit;
    let _ = writeln!(manifest, "fit {effort:?}, neighbours {neighbours}");
    container.set(MANIFEST, manifest.into_bytes());
    Ok(encoded(&container, &plan.directory)?)
}

/// How far shallow searches with the new weights lie from deep ones.
fn calibrated(
    plan: &Plan,
    evaluator: &'static Evaluator,
    data: &[PathBuf],
    watcher: &impl Watcher,
) -> Result<Calibration, PipelineError> {
    let sets = sample(&shards(data)?, 10..=54, 4, plan.calibration)?;
    let positions = sets.iter().map(Vec::len).sum::<usize>();
    watcher.step("calibrating".to_owned(), positions as u64);
    let amount = Amount {
        depth: 8,
        solve_from: 22,
    };
    let spreads: Vec<_> = sets
        .iter()
        .flat_map(|boards| measure(evaluator, boards, amount, || watcher.tick()))
        .collect();
    Ok(calibrate(&spreads))
}

fn import_all(
    plan: &Plan,
    files: &Path,
    directory: &Path,
    watcher: &impl Watcher,
) -> Result<(), DataError> {
    let files = year_files(files, 0..=plan.held_out_from.saturating_sub(1))?;
    watcher.step("importing".to_owned(), files.len() as u64);
    for (number, file) in files.iter().enumerate() {
        let shard = shard_path(directory, "wthor", number as u32);
        if !shard.exists() {
            import(file, &shard, super::import::SOLVED_AT)?;
        }
        watcher.tick();
    }
    Ok(())
}

/// The directories of what a round made.
#[derive(Default)]
struct Made {
    games: PathBuf,
    labels: Option<PathBuf>,
    endings: Vec<PathBuf>,
}

/// Self-play and labels of a round.
fn make_data(
    plan: &Plan,
    number: usize,
    round: Round,
    evaluator: &'static Evaluator,
    directory: &Path,
    watcher: &impl Watcher,
) -> Result<Made, DataError> {
    let depths = round.depths();
    let play = SelfPlay {
        seed: plan.seed.wrapping_add(number as u64),
        games_per_shard: round.games,
        depths,
        random_plies: (4, 36),
        surprise: 12,
        labels: round.labels,
    };
    let games = directory.join("games");
    let paths: Vec<PathBuf> = (0..round.shards)
        .map(|shard| shard_path(&games, "selfplay", shard))
        .collect();
    watcher.step(format!("round {}: playing", number + 1), paths.len() as u64);
    make_missing(
        evaluator,
        plan.threads,
        &paths,
        || watcher.tick(),
        |searcher, i| play.shard(searcher, i as u32, &paths[i]),
    )?;
    let mut made = Made {
        games,
        ..Made::default()
    };
    // By search, once there is something to search with.
    if let Some(collection) = &plan.collection
        && round.labels == Labels::Search
    {
        let years = year_files(collection, 0..=plan.held_out_from.saturating_sub(1))?;
        let label_all = |name: &str, choice| {
            let labels = directory.join(name);
            watcher.step(format!("round {}: {name}", number + 1), years.len() as u64);
            label_years(
                plan.threads,
                evaluator,
                &years,
                &labels,
                depths,
                choice,
                watcher,
            )?;
            Ok::<_, DataError>(labels)
        };
        let sampled = Choice {
            min_empties: 2,
            max_empties: 54,
            every: round.collection_every,
            strays: round.strays,
        };
        made.labels = Some(label_all("labels", sampled)?);
        if round.endings {
            let solved = |strays| Choice {
                min_empties: SHORTEST_ENDING,
                max_empties: round.solve_from,
                every: 1,
                strays,
            };
            made.endings = vec![
                label_all("endings", solved(Strays::None))?,
                label_all("strayed-endings", solved(Strays::All))?,
            ];
        }
    }
    Ok(made)
}

/// Labels positions of the collection, all of them and not only those with a label of their own.
fn label_years(
    threads: usize,
    evaluator: &'static Evaluator,
    years: &[PathBuf],
    labels: &Path,
    depths: Depths,
    choice: Choice,
    watcher: &impl Watcher,
) -> Result<(), DataError> {
    let paths: Vec<PathBuf> = (0..years.len() as u32)
        .map(|shard| shard_path(labels, "wthor", shard))
        .collect();
    make_missing(
        evaluator,
        threads,
        &paths,
        || watcher.tick(),
        |searcher, i| {
            let positions = labels.with_extension(format!("{i}.unlabelled"));
            import(&years[i], &positions, 0)?;
            let count = label(searcher, &positions, &paths[i], depths, choice)?;
            std::fs::remove_file(&positions).map_err(DataError::io("remove", &positions))?;
            Ok(count)
        },
    )?;
    Ok(())
}

/// Weights as a file holds them and as a searcher uses them.
struct Weights {
    container: Container,
    evaluator: &'static Evaluator,
}

impl Weights {
    /// Searchers keep their weights for good, and a run has a handful of them.
    fn resident(container: Container) -> Result<Weights, WeightsError> {
        let mut rest = container.clone();
        let patterns = rest.take(PATTERNS).ok_or(WeightsError::Missing(PATTERNS))?;
        let evaluator = Evaluator::new(&Model::decode(&patterns)?, rest)?;
        Ok(Weights {
            container,
            evaluator: Box::leak(Box::new(evaluator)),
        })
    }
}

/// Patterns and nothing else.
fn fresh(patterns: Vec<u8>) -> Container {
    let mut container = Container::default();
    container.set(PATTERNS, patterns);
    container
}

/// The verdict on a round, which is kept beside its weights.
fn judged(
    plan: &Plan,
    next: &Weights,
    best: &Weights,
    directory: &Path,
    tick: impl Fn() + Sync,
) -> Result<Verdict, DataError> {
    let path = directory.join("verdict.json");
    let kept = std::fs::read(&path).ok();
    if let Some(verdict) = kept.and_then(|text| serde_json::from_slice(&text).ok()) {
        return Ok(verdict);
    }
    let verdict = plan.judge.fight(next.evaluator, best.evaluator, tick);
    write(
        &path,
        format!("{}\n", serde_json::json!(verdict)).as_bytes(),
    )?;
    Ok(verdict)
}

fn encoded(container: &Container, path: &Path) -> Result<Vec<u8>, DataError> {
    container.encode().map_err(DataError::io("pack", path))
}

/// Writes a file in one step, so that an interrupted run leaves none that is half there.
fn write(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    let unfinished = path.with_extension("unfinished");
    std::fs::write(&unfinished, bytes).map_err(DataError::io("write", &unfinished))?;
    std::fs::rename(&unfinished, path).map_err(DataError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Effort;
    use crate::train::record::{Record, ShardReader, Source};

    struct Silent;

    impl Watcher for Silent {
        fn step(&self, _: String, _: u64) {}
        fn tick(&self) {}
    }

    fn small(directory: &Path, threads: usize) -> Plan {
        let round = Round {
            shards: 2,
            games: 3,
            plies: 2,
            solve_from: 8,
            collection_every: 1,
            strays: Strays::None,
            endings: false,
            labels: Labels::Search,
            exact: 1.0,
        };
        Plan {
            seed: 7,
            directory: directory.to_owned(),
            collection: None,
            held_out_from: 2010,
            rounds: vec![round; 2],
            fit: FitOptions {
                effort: Effort {
                    iterations: 2,
                    ridge: 5.0,
                },
                ..FitOptions::default()
            },
            judge: Duel {
                seed: 7,
                pairs: 2,
                depths: Depths {
                    plies: 1,
                    solve_from: 4,
                },
                opening_plies: 10,
            },
            calibration: 0,
            threads,
        }
    }

    #[test]
    fn two_runs_give_the_same_weights_bit_for_bit_and_a_third_only_picks_up() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let one = run(&small(first.path(), 1), &Silent).unwrap();
        assert_eq!(one, run(&small(second.path(), 2), &Silent).unwrap());
        assert_eq!(one, run(&small(first.path(), 2), &Silent).unwrap());
        assert!(Evaluator::decode(&one).is_ok());
    }

    #[test]
    fn a_round_with_endings_solves_every_one_of_the_collection_for_those_after_it_too() {
        let folder = tempfile::tempdir().unwrap();
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games/sample.wtb");
        let collection = folder.path().join("collection of games");
        std::fs::create_dir(&collection).unwrap();
        std::fs::copy(sample, collection.join("WTH_1999.wtb")).unwrap();
        let mut plan = small(folder.path(), 2);
        plan.collection = Some(collection);
        for round in &mut plan.rounds {
            round.collection_every = 50;
            round.strays = Strays::Half;
        }
        plan.rounds[0].endings = true;
        let file = run(&plan, &Silent).unwrap();
        let records = |name: &str| -> Vec<Record> {
            let shard = shard_path(&folder.path().join("round-1").join(name), "wthor", 0);
            let records = ShardReader::open(&shard).unwrap();
            records.map(|record| record.unwrap()).collect()
        };
        let [labels, endings, strayed] = ["labels", "endings", "strayed-endings"].map(records);
        assert!(endings.len() > 50 && labels.len() > 50);
        assert_eq!(endings.len(), strayed.len());
        // A random move takes a square, unless the game would be over.
        let empties = |record: &Record| record.board.empty_count();
        assert!(endings.iter().all(|record| empties(record) == 8));
        assert!(strayed.iter().filter(|r| empties(r) == 7).count() > strayed.len() / 2);
        let exact = |record: &Record| record.source == Source::Exact;
        assert!(endings.iter().chain(&strayed).all(exact));
        assert!(labels.iter().any(|record| empties(record) > 20));

        let container = Container::decode(&file).unwrap();
        let manifest = String::from_utf8_lossy(container.section(MANIFEST).unwrap()).into_owned();
        let counted = |round: &str| -> usize {
            let line = manifest.lines().find(|line| line.starts_with(round));
            let before = line.and_then(|line| line.split(" positions").next());
            before.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
        };
        // The second round has all that the first one had, and its own games and labels.
        let own = ["games", "labels"].map(|name| folder.path().join("round-2").join(name));
        let own: usize = count(&shards(&own).unwrap()).unwrap().iter().sum();
        assert_eq!(counted("round 2:"), counted("round 1:") + own);
    }

    #[test]
    fn a_round_that_does_not_win_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let plan = small(folder.path(), 2);
        let manifest = |file: &[u8]| {
            let container = Container::decode(file).unwrap();
            let manifest = container.section(MANIFEST).unwrap().to_vec();
            (container, String::from_utf8(manifest).unwrap())
        };
        let verdict = folder.path().join("round-2/verdict.json");
        run(&plan, &Silent).unwrap();
        for (points, round) in [(0.9, 2), (0.51, 1)] {
            let text = format!(r#"{{"pairs":600,"points":{points},"margin":0.02,"discs":1.0}}"#);
            std::fs::write(&verdict, text).unwrap();
            let (made, manifest) = manifest(&run(&plan, &Silent).unwrap());
            assert_eq!(manifest.contains("put aside"), round == 1, "{manifest}");
            let weights = folder.path().join(format!("round-{round}/weights.emw"));
            let kept = Container::decode(&std::fs::read(weights).unwrap()).unwrap();
            assert_eq!(made.section(PATTERNS), kept.section(PATTERNS));
        }
    }
}
