//! The sets that accuracy is measured on: exact scores of positions that no training sees.

use super::import::{SOLVED_AT, import, year_files};
use super::label::Depths;
use super::record::{DataError, ShardReader, ShardWriter, shard_path};
use super::selfplay::{Labels, Opening, SelfPlay};
use super::work::{Watcher, make_missing};
use crate::eval::Evaluator;
use crate::search::Searcher;
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
                import(file, shard, |_| true)?;
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
        opening: Opening::Random(4, 36),
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
        |searcher, i| solve_shard(searcher, &games[i], &paths[i], depths, every),
    )?;
    Ok(())
}

fn solve_shard(
    searcher: &Searcher,
    from: &Path,
    to: &Path,
    depths: Depths,
    every: u64,
) -> Result<u64, DataError> {
    let mut writer = ShardWriter::create(to)?;
    let (mut seen, mut count) = (0, 0);
    for record in ShardReader::open(from)? {
        let board = record?.board;
        if board.empty_count() != depths.solve_from {
            continue;
        }
        seen += 1;
        // One position of a game has so many empty squares: no ply is met more than another.
        if seen % every == 0 {
            writer.write(&depths.record(board, &depths.search(searcher, board)))?;
            count += 1;
        }
    }
    writer.finish()?;
    Ok(count)
}
