//! The whole way from nothing to weights: rounds of self-play and labels, each with the weights
//! of the round before, then a fit and its calibration. A round that does not win against the one
//! before is put aside.
//!
//! Everything lies in one directory, step by step, and a step that is finished is not done again.
//! The first round plays with weights of 0, so nothing from elsewhere enters, and two runs with
//! one seed give the same weights bit for bit.

use super::calibrate::{Amount, calibrate, measure, sample};
use super::duel::{Duel, Verdict};
use super::fit::{FitOptions, count, fit};
use super::import::{import, year_files};
use super::label::{Choice, Depths, Strays, label};
use super::record::{DataError, copy_solved, fingerprint, shard_path, shards};
use super::selfplay::{Labels, SelfPlay};
use super::work::make_missing;
use crate::eval::{Container, Evaluator, MANIFEST, Model, PATTERNS, PROBCUT, STAGES, WeightsError};
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Shorter endings are left out: a search solves them and hardly ever asks the evaluation.
const SHORTEST_ENDING: u32 = 8;

/// Positions with more empty squares are so early that a game's own score says as much.
const EARLIEST: u32 = 54;

/// One round of the pipeline.
#[derive(Clone, PartialEq, Debug)]
pub struct Round {
    pub shards: u32,
    pub games: u32,
    pub depths: Depths,
    pub labels: Labels,
    /// What is taken from the game collection, besides the scores it has.
    pub samples: Vec<Sample>,
}

/// Positions of the game collection that get labels by search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// The name of its directory.
    pub name: &'static str,
    pub choice: Choice,
    pub depths: Depths,
}

impl Sample {
    fn new(
        name: &'static str,
        empties: RangeInclusive<u32>,
        every: u64,
        strays: Strays,
        depths: Depths,
    ) -> Sample {
        let choice = Choice {
            min_empties: *empties.start(),
            max_empties: *empties.end(),
            every,
            strays,
        };
        Sample {
            name,
            choice,
            depths,
        }
    }

    /// What is solved stays true, whatever weights come after.
    fn is_solved(&self) -> bool {
        self.choice.max_empties <= self.depths.solve_from
    }
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
    pub fit: FitOptions,
    /// How a round proves that it is better than the one before.
    pub judge: Duel,
    /// Positions per number of empty squares in the calibration of the weights of each round that
    /// learns from searches; 0 leaves it out.
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
    /// Two quick rounds that learn what games came to, one of shallow searches, and a thorough one
    /// with this many shards of 200 games.
    ///
    /// There are no rounds after that: labels of depth 6 from the weights of the last one gained
    /// nothing that 6000 games could show. A label is only as good as it is unbiased, so what the
    /// time allows is solved.
    pub fn standard(shards: u32) -> Vec<Round> {
        let third = (shards / 3).max(1);
        let to_depth = |plies, solve_from| Depths {
            plies,
            reach_from: 0,
            solve_from,
        };
        let round = |shards, depths, labels| Round {
            shards,
            games: 200,
            depths,
            labels,
            samples: Vec::new(),
        };
        let shallow = to_depth(4, 14);
        let deep = to_depth(6, 14);
        let late = to_depth(6, 17);
        let reached = Depths {
            reach_from: 21,
            ..late
        };
        let endings = SHORTEST_ENDING..=14;
        vec![
            round(third, to_depth(1, 10), Labels::Outcome),
            round(third, to_depth(3, 12), Labels::Outcome),
            Round {
                samples: vec![
                    Sample::new("middle", 15..=EARLIEST, 3, Strays::Half, shallow),
                    Sample::new("endings", endings.clone(), 1, Strays::None, shallow),
                    Sample::new("strayed-endings", endings, 1, Strays::All, shallow),
                ],
                ..round(shards, shallow, Labels::Search)
            },
            Round {
                samples: vec![
                    Sample::new("middle", 15..=EARLIEST, 1, Strays::None, deep),
                    Sample::new("strayed-middle", 15..=EARLIEST, 3, Strays::All, deep),
                    Sample::new("late", 15..=17, 2, Strays::None, late),
                    Sample::new("reached", 18..=21, 13, Strays::None, reached),
                ],
                ..round(shards, deep, Labels::Search)
            },
        ]
    }
}

/// Runs the plan and gives the bytes of the weights file.
pub fn run(plan: &Plan, watcher: &impl Watcher) -> Result<Vec<u8>, PipelineError> {
    // What every round learns from: the collection's own scores, and all that was solved before.
    let mut lasting = Vec::new();
    if let Some(files) = &plan.collection {
        let directory = plan.directory.join("collection");
        import_all(plan, files, &directory, watcher)?;
        lasting.push(directory);
    }
    let mut manifest = format!("train all, seed {}\n", plan.seed);
    let mut best = Weights::resident(fresh(Model::zero().encode()))?;
    for (number, round) in plan.rounds.iter().enumerate() {
        let directory = plan.directory.join(format!("round-{}", number + 1));
        let made = make_data(plan, number, round, best.evaluator, &directory, watcher)?;
        // Labels of weaker weights would teach their mistakes again.
        let mut data = lasting.clone();
        data.push(made.games);
        data.extend(made.estimated);
        data.extend(made.solved.iter().cloned());
        lasting.push(made.endings);
        lasting.extend(made.solved);
        let shards = shards(&data)?;
        let positions: usize = count(&shards)?.iter().sum();
        let next = learned(plan, number, round, &shards, &directory, watcher)?;
        let hash = next.container.section(PATTERNS).map_or(0, xxh3_64);
        // Writing to a string cannot fail.
        let _ = writeln!(
            manifest,
            "round {}: {round:?}, {positions} positions, data {:016x}, weights {hash:016x}",
            number + 1,
            fingerprint(&shards)?
        );
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
    let _ = writeln!(manifest, "{:?}", plan.fit);
    let mut container = best.container;
    container.set(MANIFEST, manifest.into_bytes());
    Ok(encoded(&container, &plan.directory)?)
}

/// The weights that fit the shards, with their calibration: the next round's searches cut by it.
fn learned(
    plan: &Plan,
    number: usize,
    round: &Round,
    shards: &[PathBuf],
    directory: &Path,
    watcher: &impl Watcher,
) -> Result<Weights, PipelineError> {
    let path = directory.join("weights.emw");
    if let Ok(file) = std::fs::read(&path) {
        return Ok(Weights::resident(Container::decode(&file)?)?);
    }
    watcher.step(format!("round {}: fitting", number + 1), STAGES as u64);
    let model = fit(shards, plan.fit, |_| watcher.tick())?;
    let mut container = fresh(model.encode());
    // Rounds that learn from outcomes search too shallow for selective cuts, and so does the next.
    if plan.calibration > 0 && round.labels == Labels::Search {
        let evaluator = Weights::resident(container.clone())?.evaluator;
        let sets = sample(shards, 10..=54, 4, plan.calibration)?;
        let positions = sets.iter().map(Vec::len).sum::<usize>();
        let step = format!("round {}: calibrating", number + 1);
        watcher.step(step, positions as u64);
        let amount = Amount {
            depth: 8,
            solve_from: 22,
        };
        let spreads: Vec<_> = sets
            .iter()
            .flat_map(|boards| measure(evaluator, boards, amount, || watcher.tick()))
            .collect();
        container.set(PROBCUT, calibrate(&spreads).encode());
    }
    write(&path, &encoded(&container, &path)?)?;
    Ok(Weights::resident(container)?)
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
struct Made {
    games: PathBuf,
    /// The solved positions of the games.
    endings: PathBuf,
    /// Samples of the collection with labels by search.
    estimated: Vec<PathBuf>,
    /// Samples of the collection that were solved.
    solved: Vec<PathBuf>,
}

/// Self-play and labels of a round.
fn make_data(
    plan: &Plan,
    number: usize,
    round: &Round,
    evaluator: &'static Evaluator,
    directory: &Path,
    watcher: &impl Watcher,
) -> Result<Made, DataError> {
    let play = SelfPlay {
        seed: plan.seed.wrapping_add(number as u64),
        games_per_shard: round.games,
        depths: round.depths,
        random_plies: (4, 36),
        surprise: 12,
        labels: round.labels,
    };
    let mut made = Made {
        games: directory.join("games"),
        endings: directory.join("games-endings"),
        estimated: Vec::new(),
        solved: Vec::new(),
    };
    let paths_in = |directory: &Path| -> Vec<PathBuf> {
        (0..round.shards)
            .map(|shard| shard_path(directory, "selfplay", shard))
            .collect()
    };
    let (games, endings) = (paths_in(&made.games), paths_in(&made.endings));
    watcher.step(format!("round {}: playing", number + 1), games.len() as u64);
    make_missing(
        evaluator,
        plan.threads,
        &games,
        || watcher.tick(),
        |searcher, i| play.shard(searcher, i as u32, &games[i]),
    )?;
    for (games, endings) in games.iter().zip(&endings) {
        if !endings.exists() {
            copy_solved(games, endings)?;
        }
    }
    let Some(collection) = &plan.collection else {
        return Ok(made);
    };
    let years = year_files(collection, 0..=plan.held_out_from.saturating_sub(1))?;
    for sample in &round.samples {
        let labels = directory.join(sample.name);
        let step = format!("round {}: {}", number + 1, sample.name);
        watcher.step(step, years.len() as u64);
        label_years(plan.threads, evaluator, &years, &labels, sample, watcher)?;
        if sample.is_solved() {
            made.solved.push(labels);
        } else {
            made.estimated.push(labels);
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
    sample: &Sample,
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
            let count = label(
                searcher,
                &positions,
                &paths[i],
                sample.depths,
                sample.choice,
            )?;
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
            depths: Depths {
                plies: 2,
                reach_from: 0,
                solve_from: 8,
            },
            labels: Labels::Search,
            samples: Vec::new(),
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
                    reach_from: 0,
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
    fn every_sample_of_the_standard_rounds_reaches_all_of_its_plies() {
        let samples = Round::standard(300).into_iter().flat_map(|r| r.samples);
        for Sample { name, choice, .. } in samples {
            // A game has one position for each number of empty squares, so a step that shares a
            // factor with their number would meet the same ones in every game.
            let plies = u64::from(choice.max_empties - choice.min_empties + 1);
            let shared = |factor: &u64| plies.is_multiple_of(*factor);
            let factors = (2..=choice.every).filter(|f| choice.every.is_multiple_of(*f));
            assert_eq!(factors.filter(shared).count(), 0, "{name}");
        }
    }

    #[test]
    fn what_a_round_solved_serves_those_after_it_and_what_it_guessed_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let game_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games/sample.wtb");
        let collection = folder.path().join("collection of games");
        std::fs::create_dir(&collection).unwrap();
        std::fs::copy(game_file, collection.join("WTH_1999.wtb")).unwrap();
        let mut plan = small(folder.path(), 2);
        plan.collection = Some(collection);
        let depths = plan.rounds[0].depths;
        plan.rounds[0].samples = vec![
            Sample::new("middle", 9..=54, 50, Strays::Half, depths),
            Sample::new("endings", 8..=8, 1, Strays::None, depths),
            Sample::new("strayed-endings", 8..=8, 1, Strays::All, depths),
        ];
        let file = run(&plan, &Silent).unwrap();
        let round_1 = folder.path().join("round-1");
        let records = |name: &str| -> Vec<Record> {
            let shard = shard_path(&round_1.join(name), "wthor", 0);
            let records = ShardReader::open(&shard).unwrap();
            records.map(|record| record.unwrap()).collect()
        };
        let [middle, endings, strayed] = ["middle", "endings", "strayed-endings"].map(records);
        assert!(endings.len() > 50 && middle.len() > 50);
        assert_eq!(endings.len(), strayed.len());
        // A random move takes a square, unless the game would be over.
        let empties = |record: &Record| record.board.empty_count();
        assert!(endings.iter().all(|record| empties(record) == 8));
        assert!(strayed.iter().filter(|r| empties(r) == 7).count() > strayed.len() / 2);
        let exact = |record: &Record| record.source == Source::Exact;
        assert!(endings.iter().chain(&strayed).all(exact));
        assert!(middle.iter().any(|record| empties(record) > 20));

        let container = Container::decode(&file).unwrap();
        let manifest = String::from_utf8_lossy(container.section(MANIFEST).unwrap()).into_owned();
        let counted = |round: &str| -> usize {
            let line = manifest.lines().find(|line| line.starts_with(round));
            let before = line.and_then(|line| line.split(" positions").next());
            before.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
        };
        let in_directories = |directories: &[PathBuf]| -> usize {
            count(&shards(directories).unwrap()).unwrap().iter().sum()
        };
        let of_round_1 = ["games", "middle"].map(|name| round_1.join(name));
        let own = [folder.path().join("round-2/games")];
        assert!(in_directories(&[round_1.join("games-endings")]) > 20);
        assert_eq!(
            counted("round 2:") + in_directories(&of_round_1),
            counted("round 1:")
                + in_directories(&[round_1.join("games-endings")])
                + in_directories(&own)
        );
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
