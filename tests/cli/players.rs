//! The programs of the papers wherever a player can be chosen: match, play, gtp, nboard, analyse.

use crate::said;
use assert_cmd::Command;
use emilia::players::Roster;
use serde_json::Value;

fn emilia(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str], script: &str) -> String {
    said(emilia(arguments).write_stdin(script))
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&output(arguments, "")).unwrap()
}

#[test]
fn every_player_finishes_its_games_on_a_short_clock_without_a_forfeit() {
    for listed in Roster::ALL {
        let found = json(&[
            "match",
            "--json",
            listed.name,
            "othellus-most-flipped depth=2",
            "--games",
            "2",
            "--clock",
            "1",
            "--concurrency",
            "1",
        ]);
        assert_eq!(found["games"], 2, "{found}");
        assert_eq!(found["first"]["forfeits"], 0, "{}: {found}", listed.name);
        assert_eq!(found["second"]["forfeits"], 0, "{}: {found}", listed.name);
    }
}

#[test]
fn a_match_of_guests_by_nodes_or_depth_is_the_same_each_time() {
    let play = || {
        json(&[
            "match",
            "--json",
            "iago nodes=2000",
            "othellus-corners depth=3 seed=4",
            "--games",
            "4",
            "--concurrency",
            "1",
        ])
    };
    let (first, second) = (play(), play());
    for field in ["points", "discs"] {
        assert_eq!(first[field], second[field], "{first} {second}");
    }
    assert!(first["points"].as_f64().unwrap() > 0.5, "{first}");
}

#[test]
fn a_person_plays_a_program_of_the_papers_and_asks_it_for_a_hint() {
    let arguments = [
        "play",
        "--plain",
        "--player",
        "iago",
        "--level",
        "3",
        "--no-book",
    ];
    let shown = output(&arguments, "f5\nhint\nbook\n");
    assert!(shown.contains("IAGO plays "), "{shown}");
    assert!(shown.contains("; depth 3, "), "{shown}");
}

#[test]
fn protocols_speak_for_whoever_plays() {
    let arguments = ["gtp", "--player", "iago", "--nodes", "500", "--no-book"];
    let answers = output(&arguments, "name\ngenmove b\nemilia-explain\nquit\n");
    assert!(answers.starts_with("= IAGO\n\n= "), "{answers}");
    assert!(answers.contains("; depth "), "{answers}");

    let arguments = ["nboard", "--player", "othellus", "--no-book"];
    let answers = output(&arguments, "nboard 2\nset depth 2\ngo\nping 1\n");
    assert!(answers.contains("set myname O-Thell-Us"), "{answers}");
    let arguments = ["console", "--player", "iago", "--level", "2", "--no-book"];
    let answers = output(&arguments, "go\nhint\nanalyze\n");
    assert!(answers.contains("IAGO plays "), "{answers}");
}

#[test]
fn analyse_shows_what_a_program_of_the_papers_thinks() {
    let arguments = ["analyse", "f5d6c3", "--player", "iago", "--depth", "3"];
    let shown = output(&arguments, "");
    for part in [
        "edge stability",
        "potential mobility",
        "together",
        "IAGO (1981) plays ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let found = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(found["player"], "iago");
    assert_eq!(found["depth"], 3);
    assert_eq!(found["components"].as_array().unwrap().len(), 4);
}

#[test]
fn a_judged_game_has_greenes_measures() {
    let arguments = [
        "analyse",
        "--game",
        "f5d6c3d3c4f4",
        "--level",
        "1",
        "--hash",
        "1",
    ];
    let shown = output(&arguments, "");
    assert!(shown.contains("Greene's measures"), "{shown}");
    let found = json(&[&arguments[..], &["--json"]].concat());
    // 1 + 2 discs turned for each of three moves.
    assert_eq!(found["black"]["greene"]["squares"], 9, "{found}");
}

#[test]
fn nobody_is_told_who_there_is() {
    let told = emilia(&["play", "--player", "deep-thought"])
        .assert()
        .failure();
    let text = String::from_utf8(told.get_output().stderr.clone()).unwrap();
    assert!(text.contains("known are iago"), "{text}");
}
