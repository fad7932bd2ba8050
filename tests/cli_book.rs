//! `emilia book` as a user meets it: the real binary, real files, and real kills.

use assert_cmd::Command;
use emilia::games::{Format, GameWriter, SampleGames};
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn emilia() -> Command {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games")
}

/// `emilia book` in a folder, with the book in `b`.
fn book(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = emilia();
    command
        .current_dir(folder.path())
        .env("EMILIA_BOOK", "b")
        .arg("book")
        .args(arguments);
    command
}

/// The last line of the output as JSON.
fn json(command: &mut Command) -> Value {
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn write_games(folder: &TempDir, name: &str, seed: u64, count: usize) {
    let format = Format::of_name(Path::new(name)).unwrap();
    let mut writer = GameWriter::new(format, Cursor::new(Vec::new())).unwrap();
    for game in SampleGames::new(seed).take(count) {
        writer.write(&game).unwrap();
    }
    let bytes = writer.finish().unwrap().0.into_inner();
    fs::write(folder.path().join(name), bytes).unwrap();
}

fn sound(folder: &TempDir) -> Value {
    let found = json(&mut book(folder, &["check", "--json"]));
    assert_eq!(found["sound"], true, "{found}");
    found
}

/// Black wipes White out with the ninth move; the second game stops early, the third is illegal.
const MIXED: &str = "e6f4e3f6g5d6e7f5c5\tblack=A\twhite=B\tdate=1990\n\
    f5d6c3\tblack=A\twhite=C\tdate=1992\nf5f6a1\n";

#[test]
fn a_book_is_built_asked_checked_and_built_again_without_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<String> = fs::read_dir(samples())
        .unwrap()
        .map(|file| file.unwrap().path().display().to_string())
        .collect();
    let mut arguments = vec!["build", "--json", "--plies", "30"];
    arguments.extend(files.iter().map(String::as_str));
    let built = json(&mut book(&folder, &arguments));
    let games = built["games"].as_u64().unwrap();
    assert!(games > 100, "{built}");
    let positions = built["positions"].as_u64().unwrap();

    let found = sound(&folder);
    assert_eq!(found["games"], games);
    assert_eq!(found["positions"], positions);
    assert_eq!(found["waiting"], 0);
    assert_eq!(found["sweep_due"], false);

    let again = json(&mut book(&folder, &arguments));
    assert_eq!(again["games"], 0);
    assert_eq!(again["known"], games + built["known"].as_u64().unwrap());
    assert_eq!(
        (&again["positions"], &again["changed"]),
        (&0.into(), &0.into())
    );

    let full = json(&mut book(&folder, &["propagate", "--full", "--json"]));
    assert_eq!(full["recomputed"], positions);
    assert_eq!(full["changed"], 0);
    let stats = json(&mut book(&folder, &["stats", "--json"]));
    assert_eq!(stats["positions"], positions);
    assert_eq!(stats["layers"][0]["discs"], 4);
    assert_eq!(stats["plies"], 30);
    book(&folder, &["stats"]).assert().success();
    book(&folder, &["compact"]).assert().success();
    book(&folder, &["backup", "copy"]).assert().success();
    assert_eq!(sound(&folder)["positions"], positions);
    let copy = json(&mut book(&folder, &["check", "--json", "--book", "copy"]));
    assert_eq!(copy["positions"], positions);
}

#[test]
fn a_finished_game_gives_its_line_an_exact_value() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mixed.txt"), MIXED).unwrap();
    book(&folder, &["build", "mixed.txt"])
        .assert()
        .success()
        .stdout(predicate::str::contains("2 games learned"))
        .stderr(predicate::str::contains(
            "mixed.txt, game 3: move 3 (a1) is illegal",
        ));
    // The only known move of the last position wins everything.
    let last = json(&mut book(&folder, &["query", "e6f4e3f6g5d6e7f5", "--json"]));
    assert_eq!(last["best"], "c5");
    assert_eq!(last["node"]["value"], 64.0);
    assert_eq!(last["node"]["bounds"], serde_json::json!([64, 64]));
    assert_eq!(last["moves"][0]["known"], "end");
    assert_eq!(last["settled"], true);
    // Seen through the symmetry of the first moves and by the other player.
    let mirrored = json(&mut book(&folder, &["query", "f5d6", "--json"]));
    assert_eq!(mirrored["in_book"], true);
    assert_eq!(mirrored["statistics"]["games"], 2);
    assert_eq!(mirrored["statistics"]["wins"], 1);
    assert_eq!(mirrored["statistics"]["first_year"], 1990);
    assert_eq!(mirrored["node"]["value"], 64.0);
    assert_eq!(mirrored["node"]["lines"], 2);

    book(&folder, &["query", "f5d6"])
        .assert()
        .success()
        .stdout(predicate::str::contains("Value +64.00"));
    book(&folder, &["query", "f5f4"])
        .assert()
        .success()
        .stdout(predicate::str::contains("not in the book"));
    book(&folder, &["query", "e6f4e3f6g5d6e7f5c5"])
        .assert()
        .success()
        .stdout(predicate::str::contains("The game is over"));
    book(&folder, &["query", "f5f5"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("f5 is occupied"));
}

#[test]
fn only_positions_of_enough_games_come_in() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 200);
    let arguments = ["build", "games.txt", "--min-games", "4", "--json"];
    let some = json(&mut book(&folder, &arguments));
    sound(&folder);
    let more = json(&mut book(&folder, &["build", "games.txt", "--json"]));
    assert_eq!(more["games"], 0);
    assert!(more["positions"].as_u64().unwrap() > some["positions"].as_u64().unwrap());
    sound(&folder);
}

#[test]
fn what_is_no_book_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.txt"), MIXED).unwrap();
    let refused = |arguments: &[&str], words: &str| {
        book(&folder, arguments)
            .assert()
            .code(1)
            .stderr(predicate::str::contains(words.to_owned()));
    };
    for command in ["query", "stats", "check", "propagate", "compact"] {
        refused(&[command], "build one with: emilia book build");
    }
    refused(&["build", "games.txt", "--book", "."], "is not a book");
    refused(
        &["build", "games.txt", "--book", "games.txt"],
        "is not a book",
    );
    refused(&["build", "none.txt"], "cannot read none.txt");
    assert_eq!(
        fs::read_to_string(folder.path().join("games.txt")).unwrap(),
        MIXED
    );

    book(&folder, &["build", "games.txt"]).assert().success();
    refused(&["backup", "."], "exists already");
    fs::write(
        folder.path().join("b/EMILIA-BOOK"),
        "emilia book, format 9\n",
    )
    .unwrap();
    refused(&["query"], "has format 9");
    refused(&["build", "games.txt"], "use the newer emilia");
}

#[test]
fn a_damaged_file_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 50);
    book(&folder, &["build", "games.txt"]).assert().success();
    book(&folder, &["compact"]).assert().success();
    for entry in fs::read_dir(folder.path().join("b/db")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sst") {
            let mut bytes = fs::read(&path).unwrap();
            let half = bytes.len() / 2;
            bytes.iter_mut().take(half).for_each(|byte| *byte ^= 0x77);
            fs::write(&path, bytes).unwrap();
        }
    }
    book(&folder, &["check"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("is damaged"))
        .stderr(predicate::str::contains("restore a backup"));
}

/// Starts a build that reports every batch it has written.
fn start_build(folder: &TempDir, batch: &str) -> Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_emilia"))
        .current_dir(folder.path())
        .args(["book", "build", "games.txt", "--book", "b", "--json"])
        .args(["--batch", batch, "--plies", "40"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_second_writer_waits_and_a_reader_does_not() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 11, 6000);
    let mut writer = start_build(&folder, "100");
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    // The writer has thousands of games to go.
    book(&folder, &["build", "games.txt"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("another process is writing"));
    book(&folder, &["query", "f5"]).assert().success();
    writer.kill().unwrap();
    writer.wait().unwrap();
}

#[test]
fn killed_at_any_moment_a_build_loses_nothing_it_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 12, 2500);
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut reported = 0;
    for kill in 0..12 {
        let mut build = start_build(&folder, "50");
        let lines = BufReader::new(build.stdout.take().unwrap()).lines();
        let before = reported;
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
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        std::thread::sleep(Duration::from_millis(20 + (random >> 40) % 400));
        build.kill().unwrap();
        build.wait().unwrap();
        reported = before + reader.join().unwrap();
        if !folder.path().join("b/EMILIA-BOOK").exists()
            || !folder.path().join("b/db/CURRENT").exists()
        {
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
    }
    book(&folder, &["build", "games.txt"]).assert().success();
    let resumed = sound(&folder);
    assert_eq!(
        (&resumed["waiting"], &resumed["sweep_due"]),
        (&0.into(), &false.into())
    );

    // The same book as one that was never disturbed, position for position.
    let calm = tempfile::tempdir().unwrap();
    write_games(&calm, "games.txt", 12, 2500);
    book(&calm, &["build", "games.txt"]).assert().success();
    let undisturbed = sound(&calm);
    for field in ["games", "positions", "statistics"] {
        assert_eq!(resumed[field], undisturbed[field], "{field}");
    }
    let root = |folder| json(&mut book(folder, &["query", "f5d6", "--json"]));
    assert_eq!(root(&folder), root(&calm));
}
