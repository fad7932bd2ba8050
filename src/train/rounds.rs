//! A round of the training: games that weights play, weights learnt from all that was made, what
//! they are calibrated by, and whether they win against those before.

use super::calibrate::{calibrate, measure, sample};
use super::duel::Verdict;
use super::fit::{Given, count, fit};
use super::pairs::learn_pairs;
use super::pipeline::PipelineError;
use super::recipe::{CALIBRATED_DEPTH, CALIBRATED_EMPTIES, CALIBRATION_SHARDS, Recipe, Round};
use super::record::{DataError, fingerprint, shard_path, shards};
use super::selfplay::SelfPlay;
use super::starts::Starts;
use super::weights::{Inherited, Weights, write};
use super::work::{Watcher, make_missing};
use crate::eval::{Container, Evaluator, PAIR_BUCKETS, PAIRS, PATTERNS, PROBCUT, STAGES};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// What was made so far, and the round that is under way.
pub struct Rounds<'a> {
    pub recipe: &'a Recipe,
    pub begin_from: Option<&'a Inherited>,
    pub starts: &'a Starts,
    /// The directories of all shards to learn from.
    pub data: Vec<PathBuf>,
    /// Of the round that is under way.
    pub directory: PathBuf,
    pub number: u32,
}

impl Rounds<'_> {
    /// The games of a round.
    pub fn play(
        &mut self,
        round: &Round,
        evaluator: &'static Evaluator,
        watcher: &impl Watcher,
    ) -> Result<(), DataError> {
        let play = self.recipe.games_of(self.number, round, self.starts);
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
    pub fn learned(&self, watcher: &impl Watcher) -> Result<Weights, PipelineError> {
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
            weights: self.begin_from.map(|inherited| &inherited.patterns),
            pairs: self
                .begin_from
                .and_then(|inherited| inherited.pairs.as_ref()),
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
        // Read by the next round, and by whoever picks up this run.
        let file = container.encode_quickly();
        write(&path, &file.map_err(DataError::io("pack", &path))?)?;
        Ok(Weights::resident(container)?)
    }

    /// ProbCut's numbers, by games that nothing was fitted to.
    fn calibrate(
        &self,
        container: &mut Container,
        watcher: &impl Watcher,
    ) -> Result<(), PipelineError> {
        let evaluator = Weights::resident(container.clone())?.evaluator;
        let play = self.recipe.calibration_games();
        let directory = self.directory.join("calibration");
        let shards = self.shards_of(&play, &directory, CALIBRATION_SHARDS, evaluator, watcher)?;
        let (empties, step) = CALIBRATED_EMPTIES;
        let sets = sample(&shards, empties, step, self.recipe.calibration)?;
        let positions = sets.iter().map(Vec::len).sum::<usize>();
        let step = format!("round {}: calibrating", self.number);
        watcher.step(step, positions as u64);
        let spreads: Vec<_> = sets
            .iter()
            .flat_map(|boards| measure(evaluator, boards, CALIBRATED_DEPTH, || watcher.tick()))
            .collect();
        container.set(PROBCUT, calibrate(&spreads).encode());
        Ok(())
    }

    /// What the round was, for the manifest.
    pub fn describe(
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

/// The verdict on a round, which is kept beside its weights.
pub fn judged(
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
