//! `kill -9` at any moment loses nothing: the same command goes on, and what it makes in the end
//! is what it would have made undisturbed.
//!
//! A few kills for each command; `EMILIA_KILLS=100` for many.

use crate::books::{book, contents, copy_folder, json, sound, write_games};
use assert_cmd::cargo::CommandCargoExt;
use emilia::othello::Random;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn kills() -> u32 {
    let told = std::env::var("EMILIA_KILLS").ok();
    told.map_or(4, |told| told.parse().expect("EMILIA_KILLS is a number"))
}

/// Runs a command, and kills it after this time. True if it ended by itself.
fn run_for(folder: &TempDir, arguments: &[&str], time: Duration) -> bool {
    let mut child = Command::cargo_bin("emilia")
        .unwrap()
        .current_dir(folder.path())
        .env("EMILIA_BOOK", "b")
        .arg("book")
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let until = Instant::now() + time;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            let told = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
            assert!(status.success(), "{arguments:?}: {told}");
            return true;
        }
        if Instant::now() >= until {
            // SIGKILL: nothing can be cleaned up.
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

const NEVER: Duration = Duration::from_secs(3600);

/// Kills a command again and again until it has been killed often enough, each time going on with
/// it until it ends; the book it ends with must be the one of an undisturbed run, unless `same` is
/// false.
fn survives_kills(base: &TempDir, arguments: &[&str], same: bool) {
    let copy = || {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(base.path(), folder.path());
        folder
    };
    let undisturbed = copy();
    let began = Instant::now();
    assert!(run_for(&undisturbed, arguments, NEVER));
    let whole = began.elapsed();
    sound(&undisturbed);
    let mut expected = vec![contents(&undisturbed)];

    let mut random = Random::new(17);
    let (mut killed, mut rounds) = (0, 0);
    while killed < kills() {
        let folder = copy();
        loop {
            let part = random.below(1000) as u32;
            let time = if killed < kills() {
                whole * part / 1000
            } else {
                NEVER
            };
            if run_for(&folder, arguments, time) {
                break;
            }
            killed += 1;
            sound(&folder);
        }
        let found = sound(&folder);
        let left = (&found["waiting"], &found["wanted"]);
        assert_eq!(left, (&0.into(), &0.into()));
        if same {
            // Killed after its last write it had done its work, and what followed was one run more:
            // that plays out what is best play now.
            let found = contents(&folder);
            while !expected.contains(&found) && expected.len() < 4 {
                assert!(run_for(&undisturbed, arguments, NEVER));
                expected.push(contents(&undisturbed));
            }
            assert!(
                expected.contains(&found),
                "{arguments:?} after {killed} kills"
            );
        }
        rounds += 1;
        assert!(
            rounds < 50 + 10 * kills(),
            "{arguments:?} ends too soon to be killed"
        );
    }
}

/// Some games, and a book of some others at a level.
fn scene(level: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 3, 25);
    write_games(&folder, "others.txt", 4, 20);
    let build = ["build", "others.txt", "--plies", "16", "--level", level];
    book(&folder, &build).assert().success();
    folder
}

#[test]
fn a_build_that_is_killed_goes_on() {
    let build = ["build", "games.txt", "--plies", "16", "--level", "5"];
    survives_kills(&scene("2"), &build, true);
}

#[test]
fn a_build_in_large_batches_that_is_killed_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "others.txt", 4, 100);
    write_games(&folder, "games.txt", 3, 2500);
    let others = ["build", "others.txt", "--plies", "60", "--level", "0"];
    book(&folder, &others).assert().success();
    // With so little memory a batch of so many games is written as files.
    let mut build = vec!["build", "games.txt", "--level", "0", "--batch", "1200"];
    build.extend(["--correct", "0", "--memory", "32M"]);
    survives_kills(&folder, &build, true);
}

#[test]
fn a_game_whose_learning_is_killed_is_learned() {
    let game = "f5d6c3d3c4f4c5b3c2e3d2c6b4a3";
    survives_kills(&scene("2"), &["learn", game, "--level", "7"], true);
}

#[test]
fn a_deepening_that_is_killed_goes_on() {
    survives_kills(&scene("2"), &["deepen", "--level", "5"], true);
}

#[test]
fn deviations_that_are_killed_go_on() {
    let deviate = ["deviate", "1", "2", "--plies", "6", "--level", "4"];
    survives_kills(&scene("4"), &deviate, true);
}

#[test]
fn a_play_out_that_is_killed_goes_on() {
    let play_out = ["play-out", "--loss", "0.2", "--level", "3"];
    survives_kills(&scene("3"), &play_out, true);
}

#[test]
fn an_expansion_that_is_killed_leaves_a_sound_book() {
    let expand = ["expand", "--positions", "150", "--level", "4"];
    survives_kills(&scene("4"), &expand, false);
}

#[test]
fn a_copy_of_a_part_that_is_killed_is_made_by_the_same_command() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 3, 200);
    let build = ["build", "games.txt", "--plies", "60", "--level", "0"];
    book(&folder, &build).assert().success();
    let subtree = ["subtree", "f5", "-o", "part"];
    let part = folder.path().join("part");
    let began = Instant::now();
    assert!(run_for(&folder, &subtree, NEVER));
    let whole = began.elapsed();
    let check = ["check", "--book", "part", "--json"];
    let expected = json(&mut book(&folder, &check));
    let mut random = Random::new(5);
    let mut killed = 0;
    while killed < kills() {
        if part.exists() {
            // It got its name before the kill.
            assert_eq!(json(&mut book(&folder, &check)), expected);
            std::fs::remove_dir_all(&part).unwrap();
        }
        let time = whole * random.below(1000) as u32 / 1000;
        killed += u32::from(!run_for(&folder, &subtree, time));
    }
    if part.exists() {
        std::fs::remove_dir_all(&part).unwrap();
    }
    assert!(run_for(&folder, &subtree, NEVER));
    assert_eq!(json(&mut book(&folder, &check)), expected);
    let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
    let left = entries.filter(|entry| entry.path().join("db/LOCK").exists());
    assert_eq!(left.count(), 2, "b and part");
}
