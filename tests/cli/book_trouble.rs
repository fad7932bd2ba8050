//! What can happen to a book: kills, full and read-only disks, damaged files, other versions, other
//! processes. Each is told with what to do, and nothing is lost or overwritten.

use crate::books::{book, contents, sound, write_games};
use crate::skips::skipped;
use emilia::othello::Random;
use predicates::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Every file below a folder with its bytes, but for the database's diary, which reading adds to.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            all.extend(files(&path));
        } else if !name.starts_with("LOG") {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

fn refused(folder: &TempDir, arguments: &[&str], words: &[&str]) {
    let mut assert = book(folder, arguments).assert().code(2);
    for words in words {
        assert = assert.stderr(predicate::str::contains(*words));
    }
}

#[test]
fn a_file_of_games_that_is_not_there_makes_no_book() {
    let folder = tempfile::tempdir().unwrap();
    book(&folder, &["build", "typo.txt"]).assert().code(2);
    assert!(!folder.path().join("b").exists());
}

#[cfg(unix)]
#[test]
fn games_from_a_pipe_are_all_read() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 20);
    let made = Command::new("mkfifo")
        .arg(folder.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let mut writer = Command::new("sh")
        .args(["-c", "cat games.txt > pipe"])
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    let build = ["build", "pipe", "--level", "0", "--json"];
    let told = book(&folder, &build).assert().success();
    let told: Value = serde_json::from_slice(
        told.get_output()
            .stdout
            .split(|&byte| byte == b'\n')
            .rfind(|line| !line.is_empty())
            .unwrap(),
    )
    .unwrap();
    assert_eq!(told["games"], 20, "{told}");
    assert!(writer.wait().unwrap().success());
}

#[test]
fn what_is_no_book_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 20);
    let before = files(folder.path());
    for command in ["query", "stats", "check", "propagate", "compact"] {
        refused(&folder, &[command], &["build one with: emilia book build"]);
    }
    for place in [".", "games.txt"] {
        let build = ["build", "games.txt", "--book", place];
        refused(&folder, &build, &["is not a book", "name a book, or a"]);
        refused(&folder, &["query", "--book", place], &["is not a book"]);
    }
    assert_eq!(files(folder.path()), before);

    refused(&folder, &["build", "none.txt"], &["cannot read none.txt"]);
    let build = ["build", "games.txt", "--level", "0"];
    book(&folder, &build).assert().success();
    refused(
        &folder,
        &["backup", "b"],
        &["is a book or lies in one: name another folder"],
    );
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 20);
    let build = ["build", "games.txt", "--level", "0"];
    book(&folder, &build).assert().success();
    let marker = folder.path().join("b/EMILIA-BOOK");
    fs::write(marker, "emilia book, format 9\n").unwrap();
    let before = files(folder.path());
    for arguments in [
        &["query"][..],
        &["check", "--repair"],
        &["propagate", "--full"],
        &["compact"],
        &["backup", "copy"],
        &build,
    ] {
        let words = ["has format 9", "use the newer emilia"];
        refused(&folder, arguments, &words);
    }
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_damaged_file_is_told_with_what_to_do_and_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 50);
    write_games(&folder, "more.txt", 6, 50);
    let build = ["build", "games.txt", "--level", "0"];
    book(&folder, &build).assert().success();
    book(&folder, &["compact"]).assert().success();
    let is_table = |path: &Path| path.extension().is_some_and(|extension| extension == "sst");
    for (path, mut bytes) in files(&folder.path().join("b/db")) {
        if is_table(&path) {
            let half = bytes.len() / 2;
            bytes.iter_mut().take(half).for_each(|byte| *byte ^= 0x77);
            fs::write(&path, bytes).unwrap();
        }
    }
    let tables = || {
        let mut all = files(folder.path());
        all.retain(|path, _| is_table(path));
        all
    };
    let before = tables();
    assert!(!before.is_empty());
    for arguments in [
        &["check"][..],
        &["query", "f5d6"],
        &["stats"],
        &["check", "--repair"],
        &["propagate", "--full"],
        &["build", "more.txt", "--level", "0"],
    ] {
        refused(&folder, arguments, &["is damaged", "restore a backup"]);
    }
    let after = tables();
    for (path, bytes) in &before {
        assert!(after.get(path) == Some(bytes), "{}", path.display());
    }
}

/// Runs a shell script as root of a name space of its own, where it may mount things; none where
/// that is not permitted.
fn with_mounts(folder: &TempDir, script: &str) -> Option<Output> {
    let run = |script: &str| {
        Command::new("unshare")
            .args(["--map-root-user", "--mount", "sh", "-c", script])
            .current_dir(folder.path())
            .env("EMILIA", env!("CARGO_BIN_EXE_emilia"))
            .env("EMILIA_BOOK", "disk/b")
            .output()
    };
    let may_mount = "mkdir -p disk && mount -t tmpfs -o size=1m tmpfs disk";
    if !run(may_mount).is_ok_and(|output| output.status.success()) {
        skipped("no mounting here (unshare --map-root-user --mount)");
        return None;
    }
    run(script).ok()
}

#[test]
fn a_full_disk_is_told_and_the_same_command_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 7, 3000);
    let script = "mount -t tmpfs -o size=6m tmpfs disk || exit 9
        build='book build games.txt --level 0 --batch 200 --json'
        $EMILIA $build; echo code $?
        $EMILIA book check --json
        mount -o remount,size=512m disk || exit 9
        $EMILIA $build; echo code $?
        $EMILIA book check --json";
    let Some(output) = with_mounts(&folder, script) else {
        return;
    };
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("is full; make room and run the same command again"),
        "{told}"
    );
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    let full = lines.iter().position(|line| *line == "code 2").unwrap();
    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let reported = lines[..full]
        .last()
        .map_or(0, |line| read(line)["written"]["games"].as_u64().unwrap());
    let kept = read(lines[full + 1]);
    assert_eq!(kept["sound"], true);
    assert!(kept["games"].as_u64().unwrap() >= reported, "{reported}");
    assert!(lines[full + 2..].contains(&"code 0"), "{said}");
    let all = read(lines.last().unwrap());
    assert_eq!((&all["sound"], &all["waiting"]), (&true.into(), &0.into()));
    assert!(all["games"].as_u64().unwrap() > 2900);
}

#[test]
fn a_read_only_disk_can_be_asked_and_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 7, 50);
    fs::create_dir(folder.path().join("disk")).unwrap();
    let build = ["build", "games.txt", "--level", "0", "--book", "disk/b"];
    book(&folder, &build).assert().success();
    let before = files(folder.path());
    let script = "mount --bind disk disk && mount -o remount,ro,bind disk || exit 9
        for asks in query stats check; do $EMILIA book $asks >/dev/null || exit 8; done
        $EMILIA book build games.txt --level 0 && exit 7
        $EMILIA book build games.txt --level 0 --book disk/new && exit 7
        $EMILIA book check --repair && exit 7
        exit 0";
    let Some(output) = with_mounts(&folder, script) else {
        return;
    };
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    for place in ["disk/b", "disk/new"] {
        assert!(
            told.contains(&format!("{place} cannot be written to")),
            "{told}"
        );
    }
    assert!(told.contains("choose a folder you may write to"), "{told}");
    assert_eq!(files(folder.path()), before);
}

/// Starts a build that reports every batch it has written.
fn start_build(folder: &Path, batch: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
        .current_dir(folder)
        .args(["book", "build", "games.txt", "--book", "b", "--json"])
        .args(["--batch", batch, "--plies", "40", "--level", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_second_writer_waits_and_a_reader_does_not() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 11, 6000);
    let mut writer = start_build(folder.path(), "100");
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    // The writer has thousands of games to go.
    let words = ["another process is writing", "wait until it ends"];
    for arguments in [&["build", "games.txt"][..], &["compact"], &["propagate"]] {
        refused(&folder, arguments, &words);
    }
    book(&folder, &["query", "f5"]).assert().success();
    writer.kill().unwrap();
    writer.wait().unwrap();
    sound(&folder);
}

const KILLED_GAMES: usize = 1000;
const KILLS: usize = 100;
const WORKERS: usize = 4;

fn games_to_be_killed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 12, KILLED_GAMES);
    folder
}

/// Builds and is killed, over and over; a build that got through begins anew.
fn kill_builds(seed: u64) {
    let folder = games_to_be_killed();
    let mut random = Random::new(seed);
    let mut reported = 0;
    for kill in 0..KILLS / WORKERS {
        let mut build = start_build(folder.path(), "20");
        let lines = BufReader::new(build.stdout.take().unwrap()).lines();
        let reader = std::thread::spawn(move || {
            let mut written = 0;
            for line in lines.map_while(Result::ok) {
                // A line that the kill cut in two was not reported.
                if let Ok(object) = serde_json::from_str::<Value>(&line)
                    && let Some(games) = object["written"]["games"].as_u64()
                {
                    written = games;
                }
            }
            written
        });
        std::thread::sleep(Duration::from_millis(5 + random.below(150)));
        let through = build.try_wait().unwrap().is_some();
        build.kill().unwrap();
        build.wait().unwrap();
        reported += reader.join().unwrap();
        let file = |name: &str| folder.path().join("b").join(name).exists();
        if !file("EMILIA-BOOK") || !file("db/CURRENT") {
            assert_eq!(reported, 0, "kill {kill} came before the book was begun");
            continue;
        }
        // Only a build that was killed while the database was being made has no tables yet.
        let check = book(&folder, &["check", "--json"]).output().unwrap();
        if reported == 0 && !check.status.success() {
            continue;
        }
        let found = sound(&folder);
        let kept = found["games"].as_u64().unwrap();
        assert!(kept >= reported, "kill {kill}: {kept} of {reported}");
        // A batch may have been written just before the report was cut off.
        reported = kept;
        if through {
            fs::remove_dir_all(folder.path().join("b")).unwrap();
            reported = 0;
        }
    }
    let build = ["build", "games.txt", "--plies", "40", "--level", "0"];
    book(&folder, &build).assert().success();
    assert_same_book(&folder, &undisturbed());
}

fn undisturbed() -> TempDir {
    let folder = games_to_be_killed();
    let build = ["build", "games.txt", "--plies", "40", "--level", "0"];
    book(&folder, &build).assert().success();
    folder
}

fn assert_same_book(one: &TempDir, other: &TempDir) {
    let found = [sound(one), sound(other)];
    for findings in &found {
        assert_eq!(findings["waiting"], 0);
        assert_eq!(findings["sweep_due"], false);
    }
    assert_eq!(found[0], found[1]);
    assert!(contents(one) == contents(other));
}

#[test]
fn killed_a_hundred_times_a_build_loses_nothing_it_reported() {
    std::thread::scope(|scope| {
        for seed in 0..WORKERS as u64 {
            scope.spawn(move || kill_builds(seed));
        }
    });
}
