//! The engine of the page, run here, against the program's own search and words.

use super::*;
use crate::eval::Evaluator;
use crate::othello::{MoveList, Position};
use crate::search::{Limits, Searcher, bench};
use crate::view::FoundView;
use serde_json::Value;
use std::time::Duration;

const SLICE: Duration = Duration::from_millis(2);

fn engine() -> Engine {
    Engine::new(Evaluator::small(), 4 << 20)
}

/// All reports of an order, the last of them the answer.
fn follow(engine: &mut Engine, order: &str) -> Vec<Value> {
    engine.begin(order).unwrap();
    let mut reports = Vec::new();
    loop {
        let (told, done) = match engine.go_on(SLICE) {
            Told::Nothing => continue,
            Told::Deeper(told) => (told, false),
            Told::Done(told) => (told, true),
        };
        reports.push(serde_json::from_str(&told).unwrap());
        if done {
            return reports;
        }
    }
}

fn position(moves: &str) -> Position {
    MoveList::parse(Position::START, moves).unwrap().end
}

/// With 18 empty squares.
fn ending() -> Position {
    let all = bench::positions(1).unwrap();
    let found = all.iter().find(|found| found.board.empty_count() == 18);
    let board = found.unwrap().board;
    Position {
        board,
        turn: crate::othello::Color::Black,
    }
}

#[test]
fn an_endgame_in_slices_has_the_value_it_has_in_one_go() {
    let position = ending();
    let searcher = Searcher::with_weights(4 << 20, Evaluator::small());
    let whole = searcher.search(position.board, &Limits::solve());
    let reports = follow(&mut engine(), &format!("solve {position}"));
    let last = reports.last().unwrap();
    assert_eq!(last["value"], f64::from(whole.value) / 100.0);
    assert_eq!(
        (&last["solved"], &last["depth"]),
        (&true.into(), &18.into())
    );
    let nodes = last["nodes"].as_u64().unwrap();
    assert!(
        nodes < 3 * whole.nodes,
        "{nodes} nodes in slices, {} in one go",
        whole.nodes
    );
}

#[test]
fn a_level_is_searched_to_its_depth_with_as_many_lines_as_are_wanted() {
    let start = position("f5d6c3");
    let reports = follow(&mut engine(), &format!("analyse {start} level 7 lines 4"));
    let depths: Vec<u64> = reports
        .iter()
        .map(|r| r["depth"].as_u64().unwrap())
        .collect();
    assert!(depths.is_sorted(), "{depths:?}");
    let last = reports.last().unwrap();
    assert_eq!(last["depth"], 7);
    let moves = last["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    assert_eq!(moves[0]["move"], last["best"]);
    for line in moves {
        let (first, line) = (
            line["move"].as_str().unwrap(),
            line["line"].as_str().unwrap(),
        );
        assert!(line.starts_with(first));
        assert!(MoveList::parse(start, line).is_ok(), "{line}");
    }
}

#[test]
fn a_report_is_what_the_server_says_of_the_same_search() {
    let searcher = Searcher::with_weights(1 << 20, Evaluator::small());
    let limits = Limits {
        multi_pv: 3,
        ..Limits::depth(5)
    };
    for moves in ["", "f5d6c3d3", "f5f6e6f4e3c5"] {
        let result = searcher.search(position(moves).board, &limits);
        let served = serde_json::to_value(FoundView::from(&result)).unwrap();
        let told: Value = serde_json::from_str(&report::to_json(&result, None)).unwrap();
        let names = |json: &Value| {
            json.as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&told), names(&served));
        for name in names(&served).iter().filter(|name| *name != "seconds") {
            match (told[name].as_f64(), served[name].as_f64()) {
                (Some(told), Some(served)) => assert_eq!(told, served, "{name}"),
                _ if name == "moves" => same_moves(&told[name], &served[name]),
                _ => assert_eq!(told[name], served[name], "{name}"),
            }
        }
    }
}

/// Numbers are numbers, with or without a point.
fn same_moves(told: &Value, served: &Value) {
    let plain = |moves: &Value| -> Vec<(Value, Option<f64>, Value)> {
        let moves = moves.as_array().unwrap().iter();
        let each = |m: &Value| (m["move"].clone(), m["value"].as_f64(), m["line"].clone());
        moves.map(each).collect()
    };
    assert_eq!(plain(told), plain(served));
}

#[test]
fn whoever_plays_makes_a_legal_move_and_a_beginner_not_always_the_same() {
    let start = position("f5d6c3d3c4f4f6");
    let mut engine = engine();
    let mut made = |level: &str, seed: u32| {
        let order = format!("move {start} level {level} seed {seed}");
        let reports = follow(&mut engine, &order);
        let square = reports.last().unwrap()["move"].as_str().unwrap().to_owned();
        assert!(start.play(square.parse().unwrap()).is_ok());
        square
    };
    let mut differing: Vec<String> = (0..12).map(|seed| made("beginner", seed)).collect();
    assert_eq!(differing[3], made("beginner", 3), "the same seed");
    differing.sort();
    differing.dedup();
    assert!(differing.len() > 2, "{differing:?}");
    made("4", 0);
}

#[test]
fn time_ends_a_search_that_has_no_other_end() {
    let start = Position::START;
    let order = format!("move {start} level full seconds 0.05");
    let reports = follow(&mut engine(), &order);
    let last = reports.last().unwrap();
    assert_eq!(last["solved"], false);
    assert!(last["move"].is_string());
}

#[test]
fn a_game_that_is_over_and_a_forced_pass_are_told_at_once() {
    let over = format!("{} X", "X".repeat(64));
    let told = follow(&mut engine(), &format!("analyse {over} level 5"));
    assert_eq!(told.last().unwrap()["value"], 64.0);
    assert_eq!(told.last().unwrap()["best"], Value::Null);
    // Black has no move, White takes the last square.
    let pass = "-XXXXXXOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO X";
    let told = follow(&mut engine(), &format!("solve {pass}"));
    assert_eq!(told.last().unwrap()["value"], -64.0);
}

#[test]
fn an_order_ends_the_one_before_and_without_one_there_is_nothing_to_tell() {
    let mut engine = engine();
    assert_eq!(engine.go_on(SLICE), Told::Nothing);
    engine
        .begin(&format!("analyse {}", Position::START))
        .unwrap();
    engine.go_on(SLICE);
    let reports = follow(&mut engine, &format!("solve {}", ending()));
    assert_eq!(reports.last().unwrap()["solved"], true);
    engine
        .begin(&format!("analyse {}", Position::START))
        .unwrap();
    engine.forget();
    assert_eq!(engine.go_on(SLICE), Told::Nothing);
}
