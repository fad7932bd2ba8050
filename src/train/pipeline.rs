//! The whole way from nothing to weights, as a [`Recipe`] says: exact scores of endings, which no
//! weights can lean; weights of these; then rounds of games that the weights of the round before
//! play, and weights of all of it. A round that does not win against the one before is put aside.
//!
//! Everything lies in one directory, step by step, and a step that is finished is not done again.
//! No weights from elsewhere enter unless the recipe begins from some (the built-in ones only help
//! the solver to its exact scores), and two runs with one seed give the same weights bit for bit.

use super::import::{import, year_files, year_name};
use super::recipe::Recipe;
use super::record::{DataError, Source, shard_path};
use super::rounds::{Rounds, judged};
use super::starts::Starts;
use super::weights::{Inherited, write};
use super::work::Watcher;
use crate::eval::{Evaluator, MANIFEST, WeightsError};
use crate::games::{Format, GameWriter, SampleGames};
use std::fmt::Write;
use std::path::{Path, PathBuf};

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
    let begin_from = recipe
        .begin_from
        .as_deref()
        .map(Inherited::read)
        .transpose()?;
    if let Some(inherited) = &begin_from {
        // Writing to a string cannot fail.
        let _ = writeln!(
            manifest,
            "begins from the weights file {:016x}",
            inherited.hash
        );
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

    let mut rounds = Rounds {
        recipe,
        begin_from: begin_from.as_ref(),
        starts: &starts,
        data,
        directory: recipe.directory.join("round-1"),
        number: 1,
    };
    let mut best = rounds.learned(watcher)?;
    rounds.describe(&mut manifest, None, &best)?;
    for round in &recipe.rounds {
        rounds.number += 1;
        let number = rounds.number;
        rounds.directory = recipe.directory.join(format!("round-{number}"));
        rounds.play(round, best.evaluator, watcher)?;
        let next = rounds.learned(watcher)?;
        rounds.describe(&mut manifest, Some(round), &next)?;
        let pairs = u64::from(recipe.judge.pairs);
        watcher.step(format!("round {number}: judging"), pairs);
        let verdict = judged(recipe, &next, &best, &rounds.directory, || watcher.tick())?;
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
    let file = container.encode();
    Ok(file.map_err(DataError::io("pack", &recipe.directory))?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Container, PAIRS, PATTERNS};
    use crate::train::fit::count;
    use crate::train::record::shards;

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
