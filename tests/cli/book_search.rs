//! Books with values: the real binary searches, is stopped, goes on, and explains itself.

use crate::books::{book, contents, contents_without_numbers, json, sound, write_games};
use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;

const BUILD: [&str; 5] = ["build", "--json", "--plies", "14", "games.txt"];

/// The build at a level.
fn build(folder: &TempDir, level: &str) -> Command {
    let mut command = book(folder, &BUILD);
    command.args(["--level", level]);
    command
}

fn built(seed: u64, games: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", seed, games);
    build(&folder, "3").assert().success();
    folder
}

#[test]
fn every_position_has_a_value_and_the_same_command_searches_nothing_again() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 3, 25);
    let first = json(&mut build(&folder, "3"));
    assert_eq!(first["finished"], true);
    let found = sound(&folder);
    assert_eq!(
        (&found["waiting"], &found["sweep_due"]),
        (&0.into(), &false.into())
    );
    let stats = json(&mut book(&folder, &["stats", "--json"]));
    for layer in stats["layers"].as_array().unwrap() {
        assert_eq!(layer["valued"], layer["positions"], "{layer}");
    }
    let before = contents(&folder);

    for level in ["3", "2"] {
        let again = json(build(&folder, level).args(["--threads", "1"]));
        assert_eq!(
            (&again["searched"], &again["changed"]),
            (&0.into(), &0.into())
        );
        assert_eq!(contents(&folder), before);
    }
    let full = json(&mut book(&folder, &["propagate", "--full", "--json"]));
    assert_eq!(full["changed"], 0);
    // A higher level does search again.
    let deeper = json(&mut build(&folder, "4"));
    assert!(deeper["searched"].as_u64().unwrap() > 0, "{deeper}");
    sound(&folder);
}

#[test]
fn neither_threads_nor_the_order_of_games_change_a_byte() {
    let one = built(7, 30);
    let other = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(one.path().join("games.txt")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    fs::write(other.path().join("games.txt"), lines.join("\n")).unwrap();
    build(&other, "3")
        .args(["--threads", "3", "--batch", "4"])
        .assert()
        .success();
    assert!(contents_without_numbers(&one) == contents_without_numbers(&other));
}

#[test]
fn a_mistake_in_a_game_is_not_the_best_move() {
    let folder = tempfile::tempdir().unwrap();
    // White's parallel opening f4 is the worst of three answers, and this game walks on into it.
    fs::write(folder.path().join("games.txt"), "f5f4e3d6\n").unwrap();
    build(&folder, "6").assert().success();
    let answer = json(&mut book(&folder, &["query", "f5", "--json"]));
    let moves = answer["moves"].as_array().unwrap();
    assert_ne!(answer["best"], "f4", "{answer}");
    assert_eq!(
        (&moves[0]["move"], &moves[0]["known"]),
        (&answer["best"], &"alternative".into())
    );
    let played = moves.iter().find(|m| m["move"] == "f4").unwrap();
    assert_eq!(played["known"], "book");
    assert!(
        played["value"].as_f64() < moves[0]["value"].as_f64(),
        "{answer}"
    );
}

#[test]
fn the_line_that_a_value_rests_on_is_explained() {
    let folder = built(9, 20);
    let explained = json(&mut book(&folder, &["explain", "--json"]));
    let steps = explained["because"].as_array().unwrap();
    let root = json(&mut book(&folder, &["query", "--json"]));
    assert_eq!(steps[0]["black_value"], root["node"]["value"]);
    let last = steps.last().unwrap();
    assert!(
        last["rests_on"] == "alternative" || last["rests_on"] == "evaluation",
        "{last}"
    );
    assert!(last["level"].is_string(), "{last}");
    for (step, next) in steps.iter().zip(&steps[1..]) {
        assert_eq!(step["rests_on"], "book");
        assert_eq!(step["black_value"], next["black_value"]);
    }
    let asked = json(&mut book(&folder, &["explain", "d3", "--json"]));
    assert_eq!(asked["because"].as_array().unwrap().len(), steps.len() - 1);
    book(&folder, &["explain"])
        .assert()
        .success()
        .stdout(predicate::str::contains("rests on"));
    book(&folder, &["explain", "f5f4e3f2"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("not in the book"));
}

#[test]
fn killed_or_out_of_time_a_search_goes_on_to_the_same_book() {
    let calm = built(12, 60);
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 12, 60);
    let mut random = 0x2545_f491_4f6c_dd1du64;
    for _ in 0..6 {
        let mut build = std::process::Command::new(env!("CARGO_BIN_EXE_emilia"))
            .current_dir(folder.path())
            .env("EMILIA_BOOK", "b")
            .arg("book")
            .args(BUILD)
            .args(["--level", "3"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(build.stdout.take().unwrap()).lines();
        // The games are written; from here on it searches.
        let written: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(written["written"].is_object(), "{written}");
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        std::thread::sleep(Duration::from_millis((random >> 40) % 100));
        build.kill().unwrap();
        build.wait().unwrap();
        sound(&folder);
    }
    let stopped = json(build(&folder, "3").args(["--time", "0.01"]));
    let found = sound(&folder);
    assert_eq!(
        (&found["waiting"], &found["sweep_due"]),
        (&0.into(), &false.into())
    );
    let resumed = json(&mut build(&folder, "3"));
    assert_eq!(resumed["finished"], true, "{stopped} {resumed}");
    assert_eq!(contents(&folder), contents(&calm));
}

#[test]
fn endings_are_corrected_before_they_are_learned() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 21, 12);
    let build = [
        "build",
        "games.txt",
        "--plies",
        "60",
        "--level",
        "0",
        "--json",
    ];
    let plain = json(book(&folder, &build).args(["--correct", "0", "--book", "plain"]));
    let right = json(book(&folder, &build).args(["--correct", "10"]));
    assert_eq!(plain["games"], right["games"]);
    let found = sound(&folder);
    // What comes instead of a mistake is nobody's game.
    assert!(
        found["positions"].as_u64() > found["statistics"].as_u64(),
        "{found}"
    );
    let again = json(book(&folder, &build).args(["--correct", "10"]));
    assert_eq!(
        (&again["games"], &again["positions"]),
        (&0.into(), &0.into())
    );
}
