//! Damaged collections: no reader may panic, or take much more memory than the file has bytes.
//!
//! The usual run takes a few seconds. `tools/fuzz-readers SECONDS` goes on for as long as asked.

use crate::wthor;
use emilia::games::{Format, GameReader, GameWriter, SampleGames, open};
use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The allocator counts for the whole process, so only one test may run at a time.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What reading takes besides the games: buffers, a batch of games, an 8 MiB zstd window.
const ROOM: usize = 24 << 20;

/// Whole collections to damage, of every format, plain and packed.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = Vec::new();
        for (seed, format) in Format::ALL.into_iter().enumerate() {
            let mut writer = GameWriter::new(format, Cursor::new(Vec::new())).unwrap();
            for game in SampleGames::new(seed as u64).take(12) {
                writer.write(&game).unwrap();
            }
            let (out, written) = writer.finish().unwrap();
            let plain = out.into_inner();
            let mut gz = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            gz.write_all(&plain).unwrap();
            seeds.push(gz.finish().unwrap());
            seeds.push(zstd::encode_all(&plain[..], 3).unwrap());
            seeds.push(plain);
            if let Some(names) = written.names {
                seeds.extend([names.players, names.tournaments]);
            }
        }
        seeds.push(
            b"(;GM[Othello]DT[945277754]RE[+4.5:t]TY[s8r19]BO[8 -------- -------- --OOO*-- -O*OO*-- \
              --O*OO-- --O***-- --O*---- -------- O]W[b5/-8.00/91.89]B[e2/8/1:02];)\
              (;FF[4]GM[2]AB[e4][d5]AW[d4][e5]PL[B]C[a\\]b];B[fe](;W[df];B[])(;W[f6]))\n"
                .to_vec(),
        );
        seeds.push(
            b"# x\nf5d6; A; B; 34-30; 1990\nstart\tblack=\\\\t\ttheory=+4@24\n-------------------O-\
              ------OO------XO--------------------------- X;d2c3\n"
                .to_vec(),
        );
        // Real files are only read: mutants of them live in memory.
        if let Some(folder) = wthor::folder() {
            for name in ["WTH_1980.wtb", "WTH_1983.wtb", "WTH.JOU"] {
                seeds.extend(std::fs::read(folder.join(name)).ok());
            }
        }
        seeds
    })
}

/// One way to damage bytes.
#[derive(Clone, Debug)]
enum Damage {
    Flip {
        at: usize,
        bits: u8,
    },
    Cut {
        at: usize,
    },
    Remove {
        at: usize,
        length: usize,
    },
    Insert {
        at: usize,
        bytes: Vec<u8>,
    },
    Repeat {
        at: usize,
        length: usize,
        times: usize,
    },
    /// Four bytes of a header or anywhere else become a huge number.
    Count {
        at: usize,
        value: u32,
    },
    /// A piece of another collection.
    Graft {
        at: usize,
        from: usize,
        place: usize,
        length: usize,
    },
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let length = bytes.len();
    let within = |at: usize| if length == 0 { 0 } else { at % length };
    match damage {
        Damage::Flip { at, bits } => {
            if let Some(byte) = bytes.get_mut(within(*at)) {
                *byte ^= bits;
            }
        }
        Damage::Cut { at } => bytes.truncate(within(*at)),
        Damage::Remove { at, length: n } => {
            let at = within(*at);
            bytes.drain(at..(at + n).min(length));
        }
        Damage::Insert { at, bytes: new } => {
            let at = within(*at);
            bytes.splice(at..at, new.iter().copied());
        }
        Damage::Repeat {
            at,
            length: n,
            times,
        } => {
            let at = within(*at);
            let part = bytes[at..(at + n).min(length)].repeat(*times);
            bytes.splice(at..at, part);
        }
        Damage::Count { at, value } => {
            // Half of the time in the header, where the counts are.
            let at = if at % 2 == 0 {
                4.min(length)
            } else {
                within(*at)
            };
            for (byte, new) in bytes[at..].iter_mut().zip(value.to_le_bytes()) {
                *byte = new;
            }
        }
        Damage::Graft {
            at,
            from,
            place,
            length: n,
        } => {
            let other = &seeds()[from % seeds().len()];
            let start = place % other.len();
            let part = other[start..(start + n).min(other.len())].to_vec();
            let at = within(*at);
            bytes.splice(at..at, part);
        }
    }
}

fn any_damage() -> impl Strategy<Value = Damage> {
    let at = || any::<usize>();
    // Signs that mean something in one of the formats.
    let signs = prop::sample::select(vec![
        &b"(;"[..],
        b")",
        b"[",
        b"]",
        b"\\",
        b"(;GM[",
        b"BO[8 ",
        b"B[",
        b"W[pa]",
        b";",
        b"\t",
        b"\n",
        b"\r\n",
        b"#",
        b"f5",
        b"--",
        b"=",
        b"/",
        b"\0",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ]);
    prop_oneof![
        4 => (at(), 1u8..).prop_map(|(at, bits)| Damage::Flip { at, bits }),
        1 => at().prop_map(|at| Damage::Cut { at }),
        2 => (at(), 0usize..200).prop_map(|(at, length)| Damage::Remove { at, length }),
        2 => (at(), prop::collection::vec(any::<u8>(), 1..20))
            .prop_map(|(at, bytes)| Damage::Insert { at, bytes }),
        3 => (at(), signs).prop_map(|(at, sign)| Damage::Insert { at, bytes: sign.to_vec() }),
        1 => (at(), 1usize..100, 1usize..500)
            .prop_map(|(at, length, times)| Damage::Repeat { at, length, times }),
        1 => (at(), any::<u32>()).prop_map(|(at, value)| Damage::Count { at, value }),
        1 => (at(), any::<usize>(), any::<usize>(), 1usize..300)
            .prop_map(|(at, from, place, length)| Damage::Graft { at, from, place, length }),
    ]
}

fn any_mutant() -> impl Strategy<Value = Vec<u8>> {
    let damages = prop::collection::vec(any_damage(), 1..8);
    (any::<prop::sample::Index>(), damages).prop_map(|(seed, damages)| {
        let mut bytes = seed.get(seeds()).clone();
        for damage in &damages {
            apply(&mut bytes, damage);
        }
        bytes
    })
}

/// Reads bytes under every name and checks what comes of it.
fn survive(folder: &Path, bytes: &[u8]) -> Result<(), TestCaseError> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    // The name matters only for WTHOR, whose header may be damaged beyond recognition.
    let path = folder.join("x.wtb");
    std::fs::write(&path, bytes).unwrap();
    let stream = GameReader::from_stream("x", Cursor::new(bytes.to_vec()));
    for reader in [open(&path), stream].into_iter().flatten() {
        for (number, game) in (1..).zip(reader) {
            match game {
                Ok(game) => {
                    prop_assert!(game.moves().len() <= 62);
                    prop_assert_eq!(game.is_finished(), game.end().board.is_over());
                    prop_assert!(!game.end().board.must_pass());
                }
                Err(bad) => {
                    prop_assert_eq!(bad.number, number);
                    let said = bad.to_string();
                    prop_assert!(said.len() < 500, "{}", said);
                }
            }
        }
    }
    let taken = MEMORY.peak_usage().saturating_sub(before);
    let allowed = ROOM + 8 * bytes.len();
    prop_assert!(taken < allowed, "{} bytes took {}", bytes.len(), taken);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn damaged_collections_neither_panic_nor_take_much_memory(bytes in any_mutant()) {
        let _alone = alone();
        let folder = tempfile::tempdir().unwrap();
        survive(folder.path(), &bytes)?;
    }

    #[test]
    fn random_bytes_neither_panic_nor_take_much_memory(bytes: Vec<u8>) {
        let _alone = alone();
        let folder = tempfile::tempdir().unwrap();
        survive(folder.path(), &bytes)?;
    }
}

#[test]
fn a_header_that_promises_four_billion_games_reserves_nothing() {
    let _alone = alone();
    let mut bytes = vec![
        20, 7, 5, 22, 0xff, 0xff, 0xff, 0xff, 0, 0, 0xb9, 7, 8, 0, 24, 0,
    ];
    bytes.resize(16 + 3 * 68, 0);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let games = GameReader::from_stream("x", Cursor::new(bytes))
        .unwrap()
        .count();
    assert_eq!(games, 4, "three games without moves, and the wrong count");
    assert!(MEMORY.peak_usage() - before < 4 << 20);
}

#[test]
fn an_archive_of_a_gigabyte_is_read_without_holding_it() {
    let _alone = alone();
    // Too slow for a gigabyte in a test; a hundred megabytes of one line show the same.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.write_all(b"f5d6\n").unwrap();
    let block = b"f5".repeat(1 << 19);
    for _ in 0..100 {
        encoder.write_all(&block).unwrap();
    }
    let bytes = encoder.finish().unwrap();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let games: Vec<bool> = GameReader::from_stream("x", Cursor::new(bytes))
        .unwrap()
        .map(|game| game.is_ok())
        .collect();
    assert_eq!(games, [true, false]);
    assert!(MEMORY.peak_usage() - before < ROOM);
}

/// `tools/fuzz-readers` runs this one.
#[test]
#[ignore = "runs for EMILIA_FUZZ_SECONDS seconds"]
fn fuzz_for_a_while() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, TestRunner};
    let _alone = alone();
    let seconds = std::env::var("EMILIA_FUZZ_SECONDS");
    let seconds: u64 = seconds.map_or(10, |text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(seconds);
    let folder = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::new(Config::default());
    let mutants = any_mutant();
    let failing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-readers-last-input");
    let mut count = 0u64;
    while Instant::now() < end {
        let bytes = mutants.new_tree(&mut runner).unwrap().current();
        let result = std::panic::catch_unwind(|| survive(folder.path(), &bytes));
        if !matches!(result, Ok(Ok(()))) {
            std::fs::write(&failing, &bytes).unwrap();
            panic!("{result:?}; the input is kept in {}", failing.display());
        }
        count += 1;
    }
    println!("{count} damaged collections in {seconds} s, no panic, memory bounded");
}
