//! The whole way from nothing to weights, as a [`Recipe`] says: exact scores of endings, which no
//! weights can lean; weights of these; then rounds of games that the weights of the round before
//! play, and weights of all of it. A round that does not win against the one before is put aside.
//!
//! Everything lies in one directory, step by step, and a step that is finished is not done again.
//! No weights from elsewhere enter unless the recipe begins from some (the built-in ones only help
//! the solver to its exact scores), and two runs with one seed give the same weights bit for bit.

use super::calibrate::{Amount, calibrate, measure, sample};
use super::duel::Verdict;
use super::fit::{Given, count, fit};
use super::import::{import, year_files, year_name};
use super::label::Depths;
use super::pairs::learn_pairs;
use super::recipe::{Recipe, Round};
use super::record::{DataError, Source, fingerprint, shard_path, shards};
use super::selfplay::{Labels, Opening, SelfPlay};
use super::starts::Starts;
use super::work::{Watcher, make_missing};
use crate::eval::{
    Container, Evaluator, MANIFEST, Model, PAIR_BUCKETS, PAIRS, PATTERNS, PROBCUT, PairModel,
    STAGES, WeightsError,
};
use crate::games::{Format, GameWriter, SampleGames};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// What goes wrong in a pipeline.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(
        "{0} holds the beginning of another run (see recipe.txt there): choose another directory, \
         or delete it"
    )]
    OtherRun(PathBuf),
}

/// Follows the recipe and gives the bytes of the weights file.
pub fn run(recipe: &Recipe, watcher: &impl Watcher) -> Result<Vec<u8>, PipelineError> {
    let mut manifest = format!("train all, seed {}\n{:?}\n", recipe.seed, recipe.endings);
    let begin_from = recipe.begin_from.as_deref().map(Known::read).transpose()?;
    if let Some(known) = &begin_from {
        // Writing to a string cannot fail.
        let _ = writeln!(manifest, "begins from the weights file {:016x}", known.hash);
    }
    begin(recipe, &manifest)?;
    let files = collection(recipe)?;
    let starts = Starts::read(&files)?;
    let mut data = vec![recipe.directory.join("endings")];
    watcher.step(
        "solving endings".to_owned(),
        recipe.endings.shard_count(files.len()) as u64,
    );
    let builtin = Evaluator::builtin();
    let tick = || watcher.tick();
    let endings = &recipe.endings;
    endings.make(builtin, &files, &data[0], recipe.threads, tick)?;
    if recipe.collection.is_some() {
        data.push(recipe.directory.join("scores"));
        import_scores(&files, &data[1], watcher)?;
    }

    let mut made = Made {
        recipe,
        begin_from: begin_from.as_ref(),
        starts: &starts,
        data,
        directory: recipe.directory.join("round-1"),
        number: 1,
    };
    let mut best = made.learned(watcher)?;
    made.describe(&mut manifest, None, &best)?;
    for round in &recipe.rounds {
        made.number += 1;
        let number = made.number;
        made.directory = recipe.directory.join(format!("round-{number}"));
        made.play(round, best.evaluator, watcher)?;
        let next = made.learned(watcher)?;
        made.describe(&mut manifest, Some(round), &next)?;
        let pairs = u64::from(recipe.judge.pairs);
        watcher.step(format!("round {number}: judging"), pairs);
        let verdict = judged(recipe, &next, &best, &made.directory, || watcher.tick())?;
        // Writing to a string cannot fail.
        let _ = writeln!(manifest, "  {verdict}");
        if verdict.is_better() {
            best = next;
        } else {
            let _ = writeln!(manifest, "  put aside");
        }
    }
    let _ = writeln!(manifest, "{:?}\n{:?}", recipe.fit, recipe.pairs);
    let mut container = best.container;
    container.set(MANIFEST, manifest.into_bytes());
    Ok(encoded(&container, &recipe.directory)?)
}

/// Notes what is made in the directory, or refuses one where something else is made: its finished
/// steps would join in unnoticed.
fn begin(recipe: &Recipe, head: &str) -> Result<(), PipelineError> {
    let Recipe {
        rounds,
        fit,
        pairs,
        judge,
        calibration,
        ..
    } = recipe;
    let from = match &recipe.collection {
        Some(_) => format!("a collection to {}", recipe.held_out_from),
        None => format!("{} games of simple players", recipe.stand_in_games),
    };
    let text = format!("{head}{from}\n{rounds:?}\n{fit:?}\n{pairs:?}\n{judge:?}\n{calibration}\n");
    let path = recipe.directory.join("recipe.txt");
    match std::fs::read_to_string(&path) {
        Ok(noted) if noted == text => Ok(()),
        Ok(_) => Err(PipelineError::OtherRun(recipe.directory.clone())),
        Err(_) => {
            std::fs::create_dir_all(&recipe.directory)
                .map_err(DataError::io("create", &recipe.directory))?;
            Ok(write(&path, text.as_bytes())?)
        }
    }
}

/// Weights that others are learnt from.
struct Known {
    patterns: Model,
    pairs: Option<PairModel>,
    /// Tells them from others.
    hash: u64,
}

impl Known {
    fn read(path: &Path) -> Result<Known, PipelineError> {
        let file = std::fs::read(path).map_err(DataError::io("read", path))?;
        let container = Container::decode(&file)?;
        let patterns = container.section(PATTERNS);
        let pairs = container.section(PAIRS).map(PairModel::decode);
        Ok(Known {
            patterns: Model::decode(patterns.ok_or(WeightsError::Missing(PATTERNS))?)?,
            pairs: pairs.transpose()?,
            hash: xxh3_64(&file),
        })
    }
}

/// The files of games to learn from.
fn collection(recipe: &Recipe) -> Result<Vec<PathBuf>, DataError> {
    if let Some(directory) = &recipe.collection {
        return year_files(directory, 0..=recipe.held_out_from.saturating_sub(1));
    }
    let path = recipe.directory.join("stand-in.txt");
    if !path.exists() {
        let games: Vec<_> = SampleGames::new(recipe.seed)
            .take(recipe.stand_in_games as usize)
            .collect();
        let text = GameWriter::to_bytes(Format::Transcript, &games);
        write(&path, &text.map_err(DataError::io("write", &path))?)?;
    }
    Ok(vec![path])
}

/// The exact scores that a collection has itself. What its games came to otherwise is what people
/// made of them, and they lean to Black.
fn import_scores(
    files: &[PathBuf],
    directory: &Path,
    watcher: &impl Watcher,
) -> Result<(), DataError> {
    watcher.step("importing".to_owned(), files.len() as u64);
    for file in files {
        let shard = shard_path(directory, &year_name(file), 0);
        if !shard.exists() {
            import(file, &shard, |record| record.source == Source::Exact)?;
        }
        watcher.tick();
    }
    Ok(())
}

/// What was made so far.
struct Made<'a> {
    recipe: &'a Recipe,
    begin_from: Option<&'a Known>,
    starts: &'a Starts,
    /// The directories of all shards to learn from.
    data: Vec<PathBuf>,
    /// Of the round that is under way.
    directory: PathBuf,
    number: u32,
}

/// The fewest and the most moves of a position that a game begins from: before that there is little
/// to tell apart, after it the endings have told everything.
const OPENING: (u32, u32) = (5, 38);

impl Made<'_> {
    /// The games of a round.
    fn play(
        &mut self,
        round: &Round,
        evaluator: &'static Evaluator,
        watcher: &impl Watcher,
    ) -> Result<(), DataError> {
        let play = SelfPlay {
            seed: self.recipe.seed.wrapping_add(u64::from(self.number)),
            games_per_shard: round.games,
            depths: round.depths,
            opening: Opening::Drawn(self.starts, OPENING.0, OPENING.1),
            surprise: 0,
            labels: round.labels,
        };
        let directory = self.directory.join("games");
        self.shards_of(&play, &directory, round.shards, evaluator, watcher)?;
        self.data.push(directory);
        Ok(())
    }

    fn shards_of(
        &self,
        play: &SelfPlay<'_>,
        directory: &Path,
        shards: u32,
        evaluator: &'static Evaluator,
        watcher: &impl Watcher,
    ) -> Result<Vec<PathBuf>, DataError> {
        let paths: Vec<PathBuf> = (0..shards)
            .map(|shard| shard_path(directory, "selfplay", shard))
            .collect();
        watcher.step(
            format!("round {}: playing", self.number),
            paths.len() as u64,
        );
        make_missing(
            evaluator,
            self.recipe.threads,
            &paths,
            || watcher.tick(),
            |searcher, i| play.shard(searcher, i as u32, &paths[i]),
        )?;
        Ok(paths)
    }

    /// The weights that fit all that was made, with their calibration: the next round's searches
    /// cut by it.
    fn learned(&self, watcher: &impl Watcher) -> Result<Weights, PipelineError> {
        let path = self.directory.join("weights.emw");
        if let Ok(file) = std::fs::read(&path) {
            return Ok(Weights::resident(Container::decode(&file)?)?);
        }
        std::fs::create_dir_all(&self.directory)
            .map_err(DataError::io("create", &self.directory))?;
        let shards = shards(&self.data)?;
        let number = self.number;
        let step = |what: &str, parts: usize| {
            watcher.step(format!("round {number}: {what}"), parts as u64);
        };
        let mut given = Given {
            weights: self.begin_from.map(|known| &known.patterns),
            pairs: self.begin_from.and_then(|known| known.pairs.as_ref()),
        };
        step("fitting", STAGES);
        let model = fit(&shards, self.recipe.fit, given, |_| watcher.tick())?;
        step("learning pairs", PAIR_BUCKETS);
        let pairs = learn_pairs(&shards, &model, self.recipe.pairs, || watcher.tick())?;
        // What pairs explain, weights need not: they are fitted once more to what is left.
        given.pairs = Some(&pairs);
        step("fitting beside pairs", STAGES);
        let model = fit(&shards, self.recipe.fit, given, |_| watcher.tick())?;
        let mut container = Container::default();
        container.set(PATTERNS, model.encode());
        container.set(PAIRS, pairs.encode());
        // From nothing, the games of the second round search too shallow for selective cuts.
        let is_used = number > 1 || self.begin_from.is_some();
        if self.recipe.calibration > 0 && is_used {
            self.calibrate(&mut container, watcher)?;
        }
        write(&path, &encoded(&container, &path)?)?;
        Ok(Weights::resident(container)?)
    }

    /// ProbCut's numbers, by games that nothing was fitted to.
    fn calibrate(
        &self,
        container: &mut Container,
        watcher: &impl Watcher,
    ) -> Result<(), PipelineError> {
        let evaluator = Weights::resident(container.clone())?.evaluator;
        let play = SelfPlay {
            // Far from the seeds of the rounds.
            seed: (!self.recipe.seed).rotate_left(32),
            games_per_shard: 200,
            depths: Depths {
                plies: 2,
                reach_from: 0,
                solve_from: 6,
            },
            opening: Opening::Random(4, 36),
            surprise: 12,
            labels: Labels::Search,
        };
        let directory = self.directory.join("calibration");
        let shards = self.shards_of(&play, &directory, 2, evaluator, watcher)?;
        let sets = sample(&shards, 10..=54, 4, self.recipe.calibration)?;
        let positions = sets.iter().map(Vec::len).sum::<usize>();
        let step = format!("round {}: calibrating", self.number);
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
        Ok(())
    }

    /// What the round was, for the manifest.
    fn describe(
        &self,
        manifest: &mut String,
        round: Option<&Round>,
        weights: &Weights,
    ) -> Result<(), DataError> {
        let shards = shards(&self.data)?;
        let positions: usize = count(&shards)?.iter().sum();
        let hash = |name| weights.container.section(name).map_or(0, xxh3_64);
        // Writing to a string cannot fail.
        let _ = writeln!(
            manifest,
            "round {}: {}, {positions} positions, data {:016x}, weights {:016x} {:016x}",
            self.number,
            round.map_or("endings alone".to_owned(), |round| format!("{round:?}")),
            fingerprint(&shards)?,
            hash(PATTERNS),
            hash(PAIRS),
        );
        Ok(())
    }
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

/// The verdict on a round, which is kept beside its weights.
fn judged(
    recipe: &Recipe,
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
    let verdict = recipe.judge.fight(next.evaluator, best.evaluator, tick);
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

    struct Silent;

    impl Watcher for Silent {
        fn step(&self, _: String, _: u64) {}
        fn tick(&self) {}
    }

    fn manifest(file: &[u8]) -> String {
        let container = Container::decode(file).unwrap();
        String::from_utf8(container.section(MANIFEST).unwrap().to_vec()).unwrap()
    }

    #[test]
    fn two_runs_give_the_same_weights_bit_for_bit_and_a_third_only_picks_up() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let tiny = |folder: &tempfile::TempDir, threads| {
            run(&Recipe::tiny(folder.path().to_owned(), threads), &Silent).unwrap()
        };
        let one = tiny(&first, 1);
        assert_eq!(one, tiny(&second, 2));
        assert_eq!(one, tiny(&first, 2));
        assert!(Evaluator::decode(&one).is_ok());
        assert!(Container::decode(&one).unwrap().section(PAIRS).is_some());
    }

    #[test]
    fn a_directory_where_something_else_is_made_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut recipe = Recipe::tiny(folder.path().to_owned(), 2);
        recipe.rounds.clear();
        run(&recipe, &Silent).unwrap();
        recipe.seed += 1;
        let refused = run(&recipe, &Silent).unwrap_err();
        assert!(refused.to_string().contains("another run"), "{refused}");
    }

    #[test]
    fn a_collection_gives_endings_its_own_scores_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games/sample.wtb");
        let collection = folder.path().join("collection of games");
        std::fs::create_dir(&collection).unwrap();
        // A year to learn from and one that is held out.
        for year in [1999, 2012] {
            std::fs::copy(&games, collection.join(format!("WTH_{year}.wtb"))).unwrap();
        }
        let mut recipe = Recipe::tiny(folder.path().join("work"), 2);
        recipe.collection = Some(collection);
        recipe.rounds.clear();
        let file = run(&recipe, &Silent).unwrap();
        let count_in = |name: &str| -> usize {
            let shards = shards(&[recipe.directory.join(name)]).unwrap();
            let of_year =
                |shard: &PathBuf| shard.file_name().unwrap().to_string_lossy().into_owned();
            assert!(shards.iter().all(|shard| of_year(shard).contains("1999")));
            count(&shards).unwrap().iter().sum()
        };
        let (endings, scores) = (count_in("endings"), count_in("scores"));
        assert!(endings > 50, "{endings}");
        let line = format!("{} positions", endings + scores);
        assert!(manifest(&file).contains(&line), "{}", manifest(&file));
    }

    #[test]
    fn a_round_that_does_not_win_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let recipe = Recipe::tiny(folder.path().to_owned(), 2);
        let verdict = |round| folder.path().join(format!("round-{round}/verdict.json"));
        let say = |round, points| {
            let text = format!(r#"{{"pairs":600,"points":{points},"margin":0.02,"discs":1.0}}"#);
            std::fs::write(verdict(round), text).unwrap();
        };
        run(&recipe, &Silent).unwrap();
        say(2, 0.9);
        for (points, round) in [(0.9, 3), (0.51, 2)] {
            say(3, points);
            let file = run(&recipe, &Silent).unwrap();
            let text = manifest(&file);
            assert_eq!(text.contains("put aside"), round == 2, "{text}");
            let weights = folder.path().join(format!("round-{round}/weights.emw"));
            let kept = Container::decode(&std::fs::read(weights).unwrap()).unwrap();
            let made = Container::decode(&file).unwrap();
            assert_eq!(made.section(PATTERNS), kept.section(PATTERNS));
            assert_eq!(made.section(PAIRS), kept.section(PAIRS));
        }
    }
}
