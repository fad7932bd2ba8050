//! Growing books: best first, in rounds, from single games, and how good they are after it.

use crate::books::{book, contents, json, sound, write_games};
use emilia::games::SampleGames;
use emilia::othello::{Board, MoveList, Position, Square, moves_to_string};
use emilia::search::{Limits, Searcher};
use predicates::prelude::*;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;
use tempfile::TempDir;

fn grown(arguments: &[&str]) -> (TempDir, Value) {
    let folder = tempfile::tempdir().unwrap();
    let done = json(book(&folder, arguments).args(["--json", "--level", "2"]));
    let found = sound(&folder);
    assert_eq!(
        (&found["waiting"], &found["sweep_due"]),
        (&0.into(), &false.into())
    );
    (folder, done)
}

/// A book of some games, searched.
fn built() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 8, 12);
    let build = ["build", "games.txt", "--plies", "12", "--level", "2"];
    book(&folder, &build).assert().success();
    folder
}

#[test]
fn one_thread_always_grows_the_same_book() {
    let arguments = ["expand", "--positions", "60", "--threads", "1"];
    let (one, done) = grown(&arguments);
    assert_eq!(done["added"], 60);
    let (other, _) = grown(&arguments);
    assert_eq!(contents(&one), contents(&other));
    // In two goes it is as large, and every value still follows from those below it.
    let (halves, _) = grown(&["expand", "--positions", "30", "--threads", "1"]);
    let rest = [
        "expand",
        "--positions",
        "30",
        "--level",
        "2",
        "--threads",
        "1",
    ];
    book(&halves, &rest).assert().success();
    assert_eq!(contents(&halves), contents(&one));
    let full = json(&mut book(&one, &["propagate", "--full", "--json"]));
    assert_eq!(full["changed"], 0);
}

#[test]
fn several_threads_take_in_as_many_positions_as_were_asked_for() {
    let (folder, done) = grown(&["expand", "--positions", "60", "--threads", "4"]);
    assert_eq!(done["added"], 60);
    let stats = json(&mut book(&folder, &["stats", "--json"]));
    assert_eq!(stats["positions"], 61, "with the start");
    for layer in stats["layers"].as_array().unwrap() {
        assert_eq!(layer["valued"], layer["positions"], "{layer}");
    }
    let full = json(&mut book(&folder, &["propagate", "--full", "--json"]));
    assert_eq!(full["changed"], 0);
}

#[test]
fn growth_goes_where_it_is_told() {
    let folder = built();
    let expand = ["expand", "--positions", "20", "--level", "2", "--json"];
    let below = ["--from", "f5d6", "--side", "black", "--human-weight", "1"];
    // All that is new is below the position, or leads on from there.
    let positions = |folder| {
        book(folder, &["subtree", "f5d6", "-o", "below"])
            .assert()
            .success();
        let stats = json(book(folder, &["stats", "--json"]).args(["--book", "below"]));
        std::fs::remove_dir_all(folder.path().join("below")).unwrap();
        stats["positions"].as_u64().unwrap()
    };
    let before = positions(&folder);
    let done = json(book(&folder, &expand).args(below));
    assert_eq!(done["added"], 20);
    assert_eq!(positions(&folder), before + 20);
    sound(&folder);
    let timed = [
        "expand",
        "--time",
        "0.2",
        "--until-error",
        "0",
        "--level",
        "2",
    ];
    let stopped = json(book(&folder, &timed).arg("--json"));
    assert_eq!(stopped["finished"], false);
    sound(&folder);
}

#[test]
fn killed_while_it_grows_a_book_is_sound_and_goes_on() {
    let folder = built();
    for milliseconds in [150, 400, 700] {
        let mut expand = std::process::Command::new(env!("CARGO_BIN_EXE_emilia"))
            .current_dir(folder.path())
            .args(["book", "expand", "--book", "b", "--level", "1"])
            .args(["--positions", "1000000"])
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        expand.kill().unwrap();
        expand.wait().unwrap();
        sound(&folder);
    }
    let more = ["expand", "--positions", "5", "--level", "1"];
    book(&folder, &more).assert().success();
    assert_eq!(sound(&folder)["waiting"], 0);
    let full = json(&mut book(&folder, &["propagate", "--full", "--json"]));
    assert_eq!(full["changed"], 0);
}

#[test]
fn what_cannot_be_grown_is_told() {
    let folder = built();
    book(&folder, &["expand"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("say when to stop"));
    book(&folder, &["expand", "--positions", "1", "--level", "0"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("does not search"));
    for command in [
        &["expand", "--positions", "1"][..],
        &["play-out"],
        &["deviate", "1", "1"],
    ] {
        book(&folder, command)
            .args(["--from", "f5f4e3f2"])
            .assert()
            .code(1)
            .stderr(predicate::str::contains("not in the book"));
    }
}

#[test]
fn rounds_end_when_nothing_within_reach_is_left() {
    let deviate = [
        "deviate", "1", "2", "--plies", "5", "--json", "--level", "2",
    ];
    let books: Vec<_> = ["1", "3"]
        .map(|threads| {
            let folder = built();
            let done = json(book(&folder, &deviate).args(["--threads", threads]));
            assert_eq!(done["finished"], true, "{done}");
            assert!(done["added"].as_u64().unwrap() > 0, "{done}");
            sound(&folder);
            folder
        })
        .into();
    assert_eq!(contents(&books[0]), contents(&books[1]));
    let again = json(&mut book(&books[0], &deviate));
    assert_eq!(
        (&again["added"], &again["searched"]),
        (&0.into(), &0.into())
    );
    assert_eq!(contents(&books[0]), contents(&books[1]));
}

#[test]
fn the_best_line_is_played_out_until_it_is_solved() {
    let folder = built();
    let done = json(&mut book(&folder, &["play-out", "--level", "2", "--json"]));
    assert_eq!(done["finished"], true, "{done}");
    sound(&folder);
    // The line may have lost its promise on the way, but its end is proven.
    let stats = json(&mut book(&folder, &["stats", "--json"]));
    let last = stats["layers"].as_array().unwrap().last().unwrap().clone();
    assert!(last["discs"].as_u64().unwrap() > 40, "{last}");
    assert_eq!(last["exact"], last["positions"], "{last}");
}

#[test]
fn a_value_is_proven_when_its_bounds_meet_and_stays_proven() {
    let game = SampleGames::new(5)
        .find(|game| game.moves().len() == 60)
        .unwrap();
    let line = moves_to_string(&game.moves()[..47]);
    let end = MoveList::parse(Position::START, &line).unwrap().end;
    let exact = Searcher::new(1 << 20).search(end.board, &Limits::solve());
    let folder = tempfile::tempdir().unwrap();
    book(&folder, &["learn", &line, "--level", "1"])
        .assert()
        .success();
    let solve = ["solve", &line, "--reach", "9", "--level", "1", "--json"];
    let proven = json(&mut book(&folder, &solve));
    let value = exact.value / 100;
    assert_eq!(proven["bounds"], serde_json::json!([value, value]));
    assert_eq!(proven["proven"], true);
    assert!(proven["searched"].as_u64().unwrap() > 1, "{proven}");
    sound(&folder);
    let again = json(&mut book(&folder, &solve));
    assert_eq!(
        (&again["proven"], &again["searched"]),
        (&true.into(), &0.into())
    );
}

#[test]
fn a_game_that_is_learned_shows_what_it_gave_away() {
    let folder = built();
    // White's parallel opening is the worst of three answers.
    let learn = ["learn", "f5f4e3d6", "--level", "6", "--json"];
    let learned = json(&mut book(&folder, &learn));
    assert_eq!(learned["known_games"], 0);
    let losses = learned["losses"].as_array().unwrap();
    assert!(
        losses.iter().any(|loss| loss["played"] == "f4"),
        "{learned}"
    );
    let answer = json(&mut book(&folder, &["query", "f5", "--json"]));
    assert_ne!(answer["best"], "f4");
    sound(&folder);
    let again = json(&mut book(&folder, &learn));
    assert_eq!(
        (&again["known_games"], &again["positions"]),
        (&1.into(), &0.into())
    );
    assert_eq!(again["losses"], learned["losses"]);
    book(&folder, &["learn", "f5f5"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("f5"));
}

/// The rule: a move gives away the value of its position less what it is worth, and a line what its
/// moves give away together. Every position after at most so many moves of a line that gives away
/// no more than the limit is known as well as a search of the level can tell; other plies stay.
#[test]
fn only_good_lines_are_deepened() {
    const LIMIT: f64 = 30.0;
    const PLIES: u32 = 7;
    let folder = built();
    let deepen = ["--loss", "30", "--plies", "7", "--level", "5", "--json"];
    let deepen = [&["deepen"], &deepen[..]].concat();
    let done = json(&mut book(&folder, &deepen));
    assert_eq!(done["finished"], true, "{done}");
    assert!(done["searched"].as_u64() > Some(0), "{done}");
    assert_eq!(json(&mut book(&folder, &deepen))["searched"], 0);
    sound(&folder);
    book(&folder, &["export", "-o", "b.jsonl"])
        .assert()
        .success();
    let lines = std::fs::read_to_string(folder.path().join("b.jsonl")).unwrap();
    let rows: HashMap<Board, Value> = lines
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let position: Position = row["position"].as_str().unwrap().parse().unwrap();
            (position.board.canonical(), row)
        })
        .collect();
    let value = |board: Board| rows.get(&board.canonical())?["value"].as_f64();
    let mut spent = HashMap::from([(Board::START.canonical(), 0.0)]);
    for plies in 0..=PLIES {
        let reached: Vec<(Board, f64)> = spent
            .iter()
            .filter(|(board, _)| 60 - board.empty_count() == plies)
            .map(|(board, spent)| (*board, *spent))
            .collect();
        assert!(!reached.is_empty(), "ply {plies}");
        for (board, before) in reached {
            for square in board.legal_moves() {
                let mut next = board.play(square).unwrap();
                let mut sign = -1.0;
                if next.legal_moves().is_empty() {
                    next = next.pass();
                    sign = 1.0;
                }
                let Some(worth) = value(next).map(|value| sign * value) else {
                    continue;
                };
                let after = before + value(board).unwrap() - worth;
                // Values are rounded to hundredths: a line at the limit itself may be either.
                if after < LIMIT - 0.001 {
                    let least = spent.entry(next.canonical()).or_insert(after);
                    *least = least.min(after);
                }
            }
        }
    }
    let is_deep = |row: &Value| {
        let is_in_book = |square: Square, board: Board| {
            let next = board.play(square).unwrap();
            let reply = if next.legal_moves().is_empty() {
                next.pass()
            } else {
                next
            };
            value(reply).is_some()
        };
        let position: Position = row["position"].as_str().unwrap().parse().unwrap();
        let mut moves = position.board.legal_moves().into_iter();
        row["alternative_depth"].as_u64() >= Some(5)
            || moves.all(|square| is_in_book(square, position.board))
    };
    let (mut deep, mut shallow) = (0, 0);
    for (board, row) in &rows {
        let plies = 60 - board.empty_count();
        if plies <= PLIES && spent.contains_key(board) {
            assert!(is_deep(row), "{row}");
            deep += 1;
        } else if row["alternative_depth"] == 2 {
            shallow += 1;
        }
        if plies > PLIES {
            assert_ne!(row["alternative_depth"], 5, "{row}");
        }
    }
    assert!(deep > 10 && shallow > 10, "{deep} deep, {shallow} shallow");
    for wrong in [&["--plies", "3"][..], &["--loss", "1", "--renew"]] {
        book(&folder, &[&["deepen"], wrong].concat())
            .assert()
            .code(2);
    }
}

#[test]
fn an_audit_judges_the_same_positions_and_a_deeper_book_gives_less_away() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 8, 40);
    let build = ["build", "games.txt", "--plies", "16", "--level", "1"];
    book(&folder, &build).assert().success();
    let audit = [
        "audit",
        "--positions",
        "40",
        "--plies",
        "4-12",
        "--level",
        "6",
        "--json",
    ];
    let shallow = json(&mut book(&folder, &audit));
    assert_eq!(shallow["positions"], 40);
    assert_eq!(json(&mut book(&folder, &audit)), shallow);
    let deepen = ["deepen", "--level", "6", "--json"];
    assert_eq!(json(&mut book(&folder, &deepen))["finished"], true);
    sound(&folder);
    let deep = json(&mut book(&folder, &audit));
    assert!(
        deep["mean_loss"].as_f64() < shallow["mean_loss"].as_f64(),
        "{shallow} {deep}"
    );
    book(&folder, &["audit", "--plies", "20-8"])
        .assert()
        .code(2);
}

#[test]
fn an_audit_of_other_games_counts_what_the_book_does_not_know_with_the_engines_moves() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 8, 40);
    let build = ["build", "games.txt", "--plies", "10", "--level", "2"];
    book(&folder, &build).assert().success();
    write_games(&folder, "others.txt", 9, 40);
    let audit = |games: &str| {
        let options = ["--plies", "4-14", "--positions", "60", "--level", "4"];
        let all = [&["audit", "--json", "--collections", games], &options[..]].concat();
        json(&mut book(&folder, &all))
    };
    let others = audit("others.txt");
    assert_eq!(
        (&others["bad"], &others["bad_games"][0]),
        (&0.into(), &serde_json::Value::Null)
    );
    assert_eq!(others["positions"], 60);
    assert_eq!(audit("others.txt"), others);
    let known = |audit: &serde_json::Value, from: u64, to: u64| {
        let plies = audit["plies"].as_array().unwrap().iter();
        let of = |ply: &serde_json::Value| {
            [&ply["in_book"], &ply["positions"]].map(|n| n.as_u64().unwrap())
        };
        plies
            .filter(|ply| (from..=to).contains(&ply["ply"].as_u64().unwrap()))
            .map(of)
            .fold([0, 0], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
    };
    // Beyond the book's plies nothing is known; of its own games, everything before.
    assert_eq!(known(&others, 10, 14)[0], 0, "{others}");
    assert!(known(&others, 10, 14)[1] > 0, "{others}");
    let own = audit("games.txt");
    let [of_book, all] = known(&own, 4, 9);
    assert!(of_book == all && all > 0, "{own}");
}
