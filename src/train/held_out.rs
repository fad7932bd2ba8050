//! The sets that accuracy is measured on: exact scores of positions that no training sees.

use super::import::{SOLVED_AT, import, year_files};
use super::label::{Choice, Depths, Strays, label};
use super::pipeline::Watcher;
use super::record::{DataError, shard_path};
use super::selfplay::{Labels, SelfPlay};
use super::work::make_missing;
use crate::eval::Evaluator;
use std::path::{Path, PathBuf};

/// The first year of WTHOR that is held out.
pub const HELD_OUT_FROM: u32 = 2010;

/// A set and where it lies.
pub struct HeldOut {
    pub name: &'static str,
    pub empties: u32,
    pub directory: PathBuf,
}

/// Makes the sets that are missing: games of the held-out years at 24, 16 and 12 empty squares,
/// and self-play at 20, all with exact scores. The evaluator only guides the solver.
pub fn make(
    directory: &Path,
    collection: Option<&Path>,
    evaluator: &'static Evaluator,
    threads: usize,
    watcher: &impl Watcher,
) -> Result<Vec<HeldOut>, DataError> {
    let mut sets = Vec::new();
    if let Some(collection) = collection {
        let files = year_files(collection, HELD_OUT_FROM..=u32::MAX)?;
        let games = shard_paths(&directory.join("games"), files.len());
        watcher.step("reading games".to_owned(), files.len() as u64);
        for (file, shard) in files.iter().zip(&games) {
            if !shard.exists() {
                import(file, shard, 0)?;
            }
            watcher.tick();
        }
        // The theoretical scores are the labels here.
        sets.push(HeldOut {
            name: "WTHOR",
            empties: SOLVED_AT,
            directory: directory.join("games"),
        });
        for (empties, every) in [(16, 2), (12, 1)] {
            let set = HeldOut {
                name: "WTHOR",
                empties,
                directory: directory.join(format!("games-{empties}")),
            };
            solve(&set, &games, every, evaluator, threads, watcher)?;
            sets.push(set);
        }
    }
    let play = SelfPlay {
        // A seed far from those that people type.
        seed: 0x5e1f_0000_0000_0000,
        games_per_shard: 200,
        depths: Depths {
            plies: 4,
            reach_from: 0,
            solve_from: 6,
        },
        random_plies: (4, 36),
        surprise: 12,
        labels: Labels::Search,
    };
    let games = shard_paths(&directory.join("selfplay"), 12);
    watcher.step("playing".to_owned(), games.len() as u64);
    make_missing(
        evaluator,
        threads,
        &games,
        || watcher.tick(),
        |searcher, i| play.shard(searcher, i as u32, &games[i]),
    )?;
    let set = HeldOut {
        name: "self-play",
        empties: 20,
        directory: directory.join("selfplay-20"),
    };
    solve(&set, &games, 1, evaluator, threads, watcher)?;
    sets.push(set);
    Ok(sets)
}

fn shard_paths(directory: &Path, count: usize) -> Vec<PathBuf> {
    (0..count as u32)
        .map(|number| shard_path(directory, "held-out", number))
        .collect()
}

/// Solves one position in `every` with the set's number of empty squares.
fn solve(
    set: &HeldOut,
    games: &[PathBuf],
    every: u64,
    evaluator: &'static Evaluator,
    threads: usize,
    watcher: &impl Watcher,
) -> Result<(), DataError> {
    let choice = Choice {
        min_empties: set.empties,
        max_empties: set.empties,
        every,
        strays: Strays::None,
    };
    let depths = Depths {
        plies: 1,
        reach_from: 0,
        solve_from: set.empties,
    };
    let paths = shard_paths(&set.directory, games.len());
    watcher.step(
        format!("solving at {} empties", set.empties),
        paths.len() as u64,
    );
    make_missing(
        evaluator,
        threads,
        &paths,
        || watcher.tick(),
        |searcher, i| label(searcher, &games[i], &paths[i], depths, choice),
    )?;
    Ok(())
}
