//! How fast collections are read and validated: `cargo bench --bench games`.
//!
//! The synthetic file is made in memory; the WTHOR base is read too where it is at hand
//! (`../shared/data/wthor`, or under `EMILIA_SHARED`). Divide by the threads for the rate per core.

#[path = "../tests/shared/wthor.rs"]
mod wthor;

use divan::Bencher;
use divan::counter::ItemsCount;
use emilia::games::{Format, GameReader, GameWriter, SampleGames, open};
use std::io::Cursor;
use std::sync::OnceLock;

fn main() {
    divan::main();
}

const GAMES: usize = 20_000;

/// The same games in each format.
fn collection(format: Format) -> &'static [u8] {
    static ALL: OnceLock<Vec<(Format, Vec<u8>)>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let games: Vec<_> = SampleGames::new(1).take(GAMES).collect();
        let write = |format| {
            let mut writer = GameWriter::new(format, Cursor::new(Vec::new())).unwrap();
            for game in &games {
                writer.write(game).unwrap();
            }
            (format, writer.finish().unwrap().0.into_inner())
        };
        Format::ALL.map(write).into()
    });
    &all.iter().find(|(found, _)| *found == format).unwrap().1
}

fn read(mut reader: GameReader) -> usize {
    let mut games = 0;
    while let Some(batch) = reader.next_batch() {
        games += batch.iter().filter(|game| game.is_ok()).count();
    }
    games
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    builder.build().unwrap()
}

#[divan::bench(args = Format::ALL, sample_count = 20)]
fn read_sample_on_one_core(bencher: Bencher, format: Format) {
    let bytes = collection(format);
    let pool = pool(1);
    bencher.counter(ItemsCount::new(GAMES)).bench_local(|| {
        pool.install(|| {
            let reader = GameReader::from_stream("x", Cursor::new(bytes)).unwrap();
            assert_eq!(read(reader), GAMES);
        })
    });
}

/// One core, then ever twice as many; none where the base is missing.
fn core_counts() -> Vec<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let counts = std::iter::successors(Some(1), |cores| Some(2 * cores));
    match wthor::folder() {
        Some(_) => counts.take_while(|&count| count <= cores).collect(),
        None => Vec::new(),
    }
}

#[divan::bench(args = core_counts(), sample_count = 10)]
fn read_the_wthor_base_on_cores(bencher: Bencher, cores: usize) {
    let Some(folder) = wthor::folder() else {
        return;
    };
    let paths = wthor::files(&folder);
    let pool = pool(cores);
    let read_all = || -> usize { paths.iter().map(|path| read(open(path).unwrap())).sum() };
    let games = pool.install(read_all);
    bencher
        .counter(ItemsCount::new(games))
        .bench_local(|| pool.install(read_all));
}
