//! The games of a book as a user meets them: found, counted and forgotten.

use crate::books::{book, contents, copy_folder, json, sound};
use emilia::book::{GameNumber, Store, forget, forget_game};
use emilia::othello::PositionText;
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The same opening from two sides, a detour to the same position, and something else.
const GAMES: &str = "f5d6c3d3c4f4f6\tblack=Tastet Marc\twhite=Rose\tdate=1992\n\
    d3c5f6f5e6\tblack=Rose\twhite=tastet marc\tdate=1995\n\
    f5f6e6f4\tblack=Rosen\tdate=2001\n\
    f5f4\n";

fn built(games: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.txt"), games).unwrap();
    let build = ["build", "games.txt", "--level", "0", "--plies", "60"];
    book(&folder, &build).assert().success();
    folder
}

fn games(folder: &TempDir, arguments: &[&str]) -> Value {
    let mut all = vec!["games", "--json"];
    all.extend(arguments);
    json(&mut book(folder, &all))
}

fn moves(found: &Value) -> Vec<&str> {
    let games = found["games"].as_array().unwrap().iter();
    games.map(|game| game["moves"].as_str().unwrap()).collect()
}

#[test]
fn games_are_found_by_position_player_and_years_page_by_page() {
    let folder = built(GAMES);
    assert_eq!(games(&folder, &[])["total"], 4);
    let tiger = games(&folder, &["c4e3f6e6f5"]);
    assert_eq!(moves(&tiger), ["c4e3f6e6f5c5c3", "c4e3f6e6f5"]);
    let tastet = games(&folder, &["--player", "TASTET marc"]);
    assert_eq!(tastet["total"], 2);
    let both = games(&folder, &["f5d6", "--player", "tas", "--year", "1995"]);
    assert_eq!(moves(&both), ["f5d6c3d3c4"]);
    assert_eq!(both["players"], serde_json::json!(["tastet marc"]));
    assert_eq!(games(&folder, &["--player", "Rose"])["total"], 2);
    assert_eq!(games(&folder, &["--player", "Ros"])["total"], 3);
    assert_eq!(games(&folder, &["--years", "-1992"])["total"], 1);

    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let next: Option<String> = after.map(|after: u64| after.to_string());
        let mut page = vec!["f5", "--limit", "1"];
        page.extend(next.iter().flat_map(|next| ["--after", next]));
        let found = games(&folder, &page);
        assert_eq!(found["total"], 4);
        seen.extend(moves(&found).into_iter().map(str::to_owned));
        after = found["next"].as_u64();
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, moves(&games(&folder, &["f5"])));
    book(&folder, &["games", "f5f4"])
        .assert()
        .success()
        .stdout(predicate::str::contains("1 of 1 games"));
    book(&folder, &["games", "--years", "x"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("2000-2015"));
}

#[test]
fn statistics_are_those_of_the_games_that_are_meant() {
    let folder = built(GAMES);
    let query = |arguments: &[&str]| {
        let mut all = vec!["query", "f5", "--json"];
        all.extend(arguments);
        json(&mut book(&folder, &all))
    };
    assert_eq!(query(&[])["statistics"]["games"], 4);
    let early = query(&["--years", "1990-1999"]);
    assert_eq!(early["statistics"]["games"], 2);
    let d6 = early["moves"].as_array().unwrap().iter();
    let d6 = d6.clone().find(|answer| answer["move"] == "d6").unwrap();
    assert_eq!(d6["statistics"]["games"], 2);
    assert_eq!(query(&["--player", "rosen"])["statistics"]["games"], 1);
    assert_eq!(query(&["--player", "nobody"])["statistics"], Value::Null);
}

#[test]
fn a_forgotten_game_leaves_the_book_that_never_had_it() {
    let folder = built(GAMES);
    let last = games(&folder, &["f5f6"])["games"][0]["number"].to_string();
    book(&folder, &["forget-game", &last]).assert().success();
    sound(&folder);
    let without: Vec<&str> = GAMES
        .lines()
        .filter(|line| !line.contains("Rosen"))
        .collect();
    let other = built(&without.join("\n"));
    assert_eq!(games(&folder, &[])["total"], games(&other, &[])["total"]);
    let nodes = |folder| -> usize { contents(folder).len() };
    assert_eq!(nodes(&folder), nodes(&other));
    // Whoever says it again has what is wanted.
    book(&folder, &["forget-game", &last])
        .assert()
        .success()
        .stdout(predicate::str::contains("0 games forgotten"))
        .stderr(predicate::str::contains("is gone already"));
    // One number that was never given, and nothing is forgotten.
    let total = games(&folder, &[])["total"].clone();
    let there = games(&folder, &[])["games"][0]["number"].to_string();
    book(&folder, &["forget-game", &there, "4000000"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("emilia book games"));
    assert_eq!(games(&folder, &[])["total"], total);
}

#[test]
fn forgetting_that_was_killed_while_values_were_carried_up_goes_on() {
    let folder = built(GAMES);
    let number = |moves: &str| games(&folder, &[moves])["games"][0]["number"].clone();
    let (gone, next) = (number("f5f6"), number("f5f4"));
    {
        // So far a kill lets it come.
        let store = Store::open(&folder.path().join("b")).unwrap();
        let number = GameNumber(gone.as_u64().unwrap() as u32);
        assert!(forget_game(&store, number).unwrap().removed > 0);
        assert!(!store.reader().is_settled().unwrap());
    }
    let again = ["forget-game", &gone.to_string(), &next.to_string()];
    book(&folder, &again)
        .assert()
        .success()
        .stdout(predicate::str::contains("1 games forgotten"))
        .stderr(predicate::str::contains("is gone already"));
    assert_eq!(sound(&folder)["waiting"], 0);

    let line = "f5d6c3d3";
    {
        let moves = line.parse::<PositionText>().unwrap().moves.unwrap();
        let store = Store::open(&folder.path().join("b")).unwrap();
        assert!(forget(&store, &moves, &()).unwrap() > 0);
        assert!(!store.reader().is_settled().unwrap());
    }
    book(&folder, &["forget", line]).assert().success();
    assert_eq!(sound(&folder)["waiting"], 0);
    let twice = book(&folder, &["forget", line]).assert().code(1);
    twice.stderr(predicate::str::contains("is not in the book"));
}

#[test]
fn a_book_without_an_index_says_what_to_do_and_gets_one() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/book_v2");
    let copy = || {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&fixture, &folder.path().join("b"));
        folder
    };
    let folder = copy();
    // Everything but games by position is as before.
    let before = json(&mut book(&folder, &["query", "f5d6", "--json"]));
    book(&folder, &["stats"]).assert().success();
    assert_eq!(sound(&folder)["index_due"], true);
    book(&folder, &["games", "f5d6"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("emilia book index-games --book"));
    book(&folder, &["index-games"]).assert().success();
    assert_eq!(sound(&folder)["index_due"], false);
    let after = json(&mut book(&folder, &["query", "f5d6", "--json"]));
    assert_eq!(before, after);
    assert_eq!(games(&folder, &[])["total"], 12);
    assert_eq!(
        games(&folder, &["f5d6"])["total"],
        after["statistics"]["games"]
    );

    // Whatever learns games makes the index, too.
    let learning = copy();
    fs::write(learning.path().join("games.txt"), GAMES).unwrap();
    let build = ["build", "games.txt", "--level", "0", "--plies", "60"];
    book(&learning, &build).assert().success();
    assert_eq!(sound(&learning)["index_due"], false);
    assert_eq!(games(&learning, &["start"])["total"], 16);
}

#[test]
fn an_event_is_named_alike_in_a_book_and_in_a_file() {
    let games = "f5d6c3\tevent=Open\nf5f6e6\tevent=Opening day\nf5f4\tevent=The open\nf5d6c4\n";
    let folder = built(games);
    for (event, expected) in [
        ("open", 1),
        ("OPE", 2),
        ("the", 1),
        ("day", 0),
        ("opening day", 1),
    ] {
        let mut in_book = book(&folder, &["games", "--event", event, "--json"]);
        let found = in_book.output().unwrap().stdout;
        let found: Value = serde_json::from_slice(&found).unwrap();
        assert_eq!(found["total"], expected, "{event}");
        let mut analyse = assert_cmd::Command::new(env!("CARGO_BIN_EXE_emilia"));
        analyse.current_dir(&folder).env("EMILIA_BOOK", "b");
        let words = [
            "analyse",
            "games.txt",
            "--level",
            "1",
            "--hash",
            "4",
            "--json",
        ];
        analyse.args(words).args(["--event", event]);
        let told = analyse.output().unwrap();
        let judged = String::from_utf8(told.stdout).unwrap().lines().count();
        assert_eq!(judged, expected, "{event}");
        assert_eq!(told.status.code(), Some(if expected == 0 { 2 } else { 0 }));
    }
}
