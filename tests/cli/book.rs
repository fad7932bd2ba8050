//! `emilia book` as a user meets it: the real binary and real files.

use crate::books::{book, copy_folder, json, sound, write_games};
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games")
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
    let mut arguments = vec!["build", "--json", "--plies", "30", "--level", "0"];
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
    assert_eq!(
        again["known_games"],
        games + built["known_games"].as_u64().unwrap()
    );
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
    assert_eq!(stats["layers"][0]["games"], games);
    let lines = stats["best_lines"].as_array().unwrap();
    assert!(lines.len() > 2, "{lines:?}");
    assert_eq!(lines[0]["loss"], 0.0);
    let begins = |line: &serde_json::Value| line["moves"].as_str().unwrap().starts_with("f5");
    assert!(lines.iter().all(begins), "{lines:?}");
    let loss = |place: usize| lines[place]["loss"].as_f64().unwrap();
    assert!((1..lines.len()).all(|place| loss(place - 1) <= loss(place)));
    book(&folder, &["stats"]).assert().success();
    book(&folder, &["compact"]).assert().success();
    assert_eq!(sound(&folder)["positions"], positions);
}

#[test]
fn a_finished_game_gives_its_line_an_exact_value() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mixed.txt"), MIXED).unwrap();
    book(&folder, &["build", "mixed.txt", "--level", "0"])
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
    assert_eq!(mirrored["node"]["leads_on"], true);

    book(&folder, &["query", "f5d6"])
        .assert()
        .success()
        .stdout(predicate::str::contains("Value +64.00"));
    book(&folder, &["query", "f5f4"])
        .assert()
        .code(1)
        .stdout(predicate::str::contains("not in the book"))
        .stdout(predicate::str::contains(
            "Nobody has asked about c3, d3, e3",
        ));
    let searched = book(&folder, &["query", "f5f4", "--search", "2", "--json"])
        .args(["--hash", "4"])
        .assert()
        .code(1);
    let searched: serde_json::Value =
        serde_json::from_slice(&searched.get_output().stdout).unwrap();
    let moves = searched["searched"]["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 5, "every move has a value: {searched}");
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
    let arguments = ["build", "games.txt", "--level", "0", "--json"];
    let mut fewer = arguments.to_vec();
    fewer.extend(["--min-games", "4"]);
    let some = json(&mut book(&folder, &fewer));
    sound(&folder);
    // The same games again bring in no more than the book takes.
    let again = json(&mut book(&folder, &arguments));
    assert_eq!(
        (&again["games"], &again["positions"]),
        (&0.into(), &0.into())
    );
    // More comes in when somebody says so, who is told before how much that is.
    let mut more = arguments.to_vec();
    more.extend(["--min-games", "1"]);
    book(&folder, &more)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("say --widen"));
    more.push("--widen");
    let more = json(&mut book(&folder, &more));
    assert_eq!(more["games"], 0);
    assert!(more["positions"].as_u64().unwrap() > some["positions"].as_u64().unwrap());
    sound(&folder);
}

#[test]
fn the_opening_is_named_however_it_was_reached() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.txt"), "f5d6c3d3c4f4f6\n").unwrap();
    let build = ["build", "games.txt", "--level", "0"];
    book(&folder, &build).assert().success();
    let name = |moves: &str| {
        let output = book(&folder, &["query", moves, "--json"]).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["opening"].clone()
    };
    assert_eq!(name("start"), serde_json::Value::Null);
    assert_eq!(name("f5d6c3d3c4"), "Tiger");
    assert_eq!(name("c4e3f6e6f5"), "Tiger");
    // Deeper than any name, and outside the book.
    assert_eq!(name("f5d6c3d3c4f4f6f3e2"), "Comp'Oth");
    let tiger = "------------------XO------XXX------OXX-----O-------------------- O";
    assert_eq!(name(tiger), "Tiger");
    let answer = json(&mut book(&folder, &["query", "f5", "--json"]));
    let moves = answer["moves"].as_array().unwrap();
    assert!(moves.iter().any(|m| m["opening"] == "Perpendicular"));
    book(&folder, &["query", "f5d6c3d3c4b3"])
        .assert()
        .code(1)
        .stdout(predicate::str::contains("Opening Aubrey (Tanaka)"));
}

#[test]
fn openings_are_listed_and_found_by_any_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let all = json(&mut book(&folder, &["openings", "--json"]));
    assert!(all["openings"].as_array().unwrap().len() >= 80);
    let heath = json(&mut book(&folder, &["openings", "TOBI", "--json"]));
    assert_eq!(heath["openings"][0]["name"], "Heath");
    assert_eq!(heath["openings"][0]["moves"], "f5f6e6f4g5");
    book(&folder, &["openings", "rose"])
        .assert()
        .success()
        .stdout(predicate::str::contains("Rose-Bill"))
        .stdout(predicate::str::contains("Tiger").not());
    book(&folder, &["openings", "nonsense"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("no opening is called nonsense"));
}

#[test]
fn a_book_of_format_1_still_opens_answers_and_grows() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/book_v1");
    copy_folder(&fixture, &folder.path().join("b"));
    // Its values are derived anew before anybody reads them: that takes one step.
    book(&folder, &["query"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("emilia book propagate --book"));
    book(&folder, &["propagate"]).assert().success();
    let found = sound(&folder);
    assert_eq!(
        (&found["positions"], &found["games"]),
        (&19.into(), &3.into())
    );
    let tiger = json(&mut book(&folder, &["query", "f5d6c3d3c4", "--json"]));
    assert_eq!(
        (&tiger["in_book"], &tiger["best"]),
        (&true.into(), &"f4".into())
    );
    assert_eq!(tiger["node"]["value"], -1.32);
    assert_eq!(tiger["statistics"]["first_year"], 1992);
    // A game that is known, and one that goes farther.
    let games = "f5d6c3d3c4f4f6f3\tblack=A\twhite=C\tdate=1992\nf5f6e6f4g5e7\n";
    fs::write(folder.path().join("games.txt"), games).unwrap();
    let build = [
        "build",
        "games.txt",
        "--level",
        "0",
        "--plies",
        "8",
        "--json",
    ];
    let built = json(&mut book(&folder, &build));
    assert_eq!(
        (&built["games"], &built["known_games"]),
        (&1.into(), &1.into())
    );
    assert_eq!(sound(&folder)["positions"], 20);
}

#[test]
fn what_a_book_of_format_1_solved_beside_its_moves_is_solved_again() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/book_v1_solved");
    copy_folder(&fixture, &folder.path().join("b"));
    book(&folder, &["propagate"]).assert().success();
    assert_eq!(sound(&folder)["positions"], 339);
    let stats = json(&mut book(&folder, &["stats", "--json"]));
    assert_eq!(stats["engines"][0]["name"], "unknown");
    let deepened = json(&mut book(&folder, &["deepen", "--level", "6", "--json"]));
    assert!(deepened["searched"].as_u64().unwrap() > 0);
    let again = json(&mut book(&folder, &["deepen", "--level", "6", "--json"]));
    assert_eq!(again["searched"], 0);
    sound(&folder);
}

#[test]
fn a_note_stands_in_the_book_and_goes_with_its_compact_file() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 1, 3);
    let build = ["build", "games.txt", "--plies", "4", "--level", "0"];
    book(&folder, &build).assert().success();
    book(&folder, &["note"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("--set"));
    book(&folder, &["note", "--set", "-"])
        .write_stdin("for Black\nlevel 16\n")
        .assert()
        .success()
        .stdout("");
    book(&folder, &["note"])
        .assert()
        .success()
        .stdout("for Black\nlevel 16\n");
    let told = json(&mut book(&folder, &["stats", "--json"]));
    assert_eq!(told["note"], "for Black\nlevel 16");
    book(&folder, &["stats"])
        .assert()
        .success()
        .stdout(predicate::str::contains("level 16"));
    for wrong in ["a\u{7}b", &"long".repeat(2000)] {
        book(&folder, &["note", "--set", wrong])
            .assert()
            .code(2)
            .stderr(predicate::str::contains("a note"));
    }
    book(&folder, &["export", "-o", "b.emb"]).assert().success();
    let import = ["import", "b.emb", "--book", "copy"];
    book(&folder, &import).assert().success();
    let copy = json(&mut book(&folder, &["note", "--json", "--book", "copy"]));
    assert_eq!(copy["note"], "for Black\nlevel 16");
    let removed = json(&mut book(&folder, &["note", "--set", "", "--json"]));
    assert_eq!(removed["note"], Value::Null);
    book(&folder, &["note"]).assert().code(1);
}
