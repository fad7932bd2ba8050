//! The main book: there at once, and only where nobody named another.

use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// `emilia` with a home of its own.
fn emilia(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command
        .current_dir(home)
        .env("HOME", home)
        .env_remove("EMILIA_BOOK")
        .env_remove("XDG_DATA_HOME")
        .args(arguments);
    command
}

fn json_of(output: &[u8]) -> Value {
    serde_json::from_slice(output).unwrap()
}

fn json(command: &mut Command) -> Value {
    json_of(&command.assert().success().get_output().stdout)
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

const USUAL: &str = ".local/share/emilia/book";

#[test]
fn data_is_kept_where_the_user_keeps_data() {
    let home = home();
    let data = home.path().join("data");
    emilia(home.path(), &["book", "query"])
        .env("XDG_DATA_HOME", &data)
        .assert()
        .success();
    assert!(data.join("emilia/book").is_dir());
    assert!(!home.path().join(".local").exists());
}

#[test]
fn the_first_question_unpacks_the_main_book_and_says_so_once() {
    let home = home();
    let query = ["book", "query", "f5d6c3d3c4", "--json"];
    let assert = emilia(home.path(), &query).assert().success();
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("the main book is now in"), "{told}");
    assert!(home.path().join(USUAL).is_dir());

    emilia(home.path(), &query).assert().success().stderr("");
    let answer = json(&mut emilia(home.path(), &query));
    assert_eq!(answer["opening"], "Tiger");
    assert_eq!(answer["in_book"], true);
    let value = answer["node"]["value"].as_f64().unwrap();
    assert!(value.abs() < 8.0, "{answer}");
    let found = json(&mut emilia(home.path(), &["book", "check", "--json"]));
    assert_eq!(found["sound"], true, "{found}");
    assert!(found["positions"].as_u64().unwrap() > 10_000);
    let names: Vec<String> = fs::read_dir(home.path().join(".local/share/emilia"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["book"], "nothing else is left behind");
}

#[test]
fn a_book_that_was_named_is_not_made_by_looking_for_it() {
    let home = home();
    let missing = predicate::str::contains("there is no book in mine; build one with");
    emilia(home.path(), &["book", "query", "--book", "mine"])
        .assert()
        .code(2)
        .stderr(missing.clone());
    emilia(home.path(), &["book", "stats"])
        .env("EMILIA_BOOK", "mine")
        .assert()
        .code(2)
        .stderr(missing);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn who_builds_a_book_begins_with_nothing_but_the_games() {
    let home = home();
    fs::write(home.path().join("games.txt"), "f5d6c3\n").unwrap();
    let build = ["book", "build", "games.txt", "--level", "0"];
    emilia(home.path(), &build).assert().success();
    let found = json(&mut emilia(home.path(), &["book", "check", "--json"]));
    assert_eq!(found["positions"], 4);
}

#[test]
fn who_has_a_book_gets_what_the_main_book_knows_better() {
    let home = home();
    fs::write(home.path().join("games.txt"), "f5d6c3\n").unwrap();
    let build = ["book", "build", "games.txt", "--level", "0"];
    emilia(home.path(), &build).assert().success();
    let import = ["book", "import", "--main", "--json"];
    let told = || {
        let assert = emilia(home.path(), &import).assert().success();
        let output = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        json_of(output.lines().next().unwrap().as_bytes())
    };
    let first = told();
    assert_eq!(first["file"], "main book");
    assert!(first["new"].as_u64().unwrap() > 10_000, "{first}");
    // What is above others follows from them.
    assert_eq!(first["known_positions"], 4, "{first}");
    let second = told();
    assert_eq!((&second["new"], &second["deeper"]), (&0.into(), &0.into()));
    let found = json(&mut emilia(home.path(), &["book", "check", "--json"]));
    assert_eq!(found["sound"], true, "{found}");
}

#[test]
fn many_first_questions_at_once_are_all_answered() {
    let home = home();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| emilia(home.path(), &["book", "query"]).assert().success());
        }
    });
}

#[test]
fn a_home_that_cannot_be_written_to_is_told_with_what_to_do() {
    let folder = home();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    emilia(folder.path(), &["book", "query"])
        .env("HOME", &file)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("cannot unpack the main book"))
        .stderr(predicate::str::contains("name a book with --book"));
}

/// `tests/book/minimax.mjs` knows the rule and none of the book's code.
#[test]
fn every_value_is_what_an_independent_minimax_makes_of_it() {
    let node = std::process::Command::new("node").arg("--version").output();
    if !node.is_ok_and(|output| output.status.success()) {
        return crate::skips::skipped("node is missing (Debian package nodejs)");
    }
    let home = home();
    let export = ["book", "export", "-o", "main.jsonl"];
    emilia(home.path(), &export).assert().success();
    let minimax = |name: &str| {
        Command::new("node")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book/minimax.mjs"))
            .arg(home.path().join(name))
            .assert()
    };
    let found = json_of(&minimax("main.jsonl").success().get_output().stdout);
    let stats = json(&mut emilia(home.path(), &["book", "stats", "--json"]));
    assert_eq!(found["positions"], stats["positions"]);
    assert_eq!(found["wrong"], 0);
    // And it would have seen another value.
    let lines = fs::read_to_string(home.path().join("main.jsonl")).unwrap();
    let (first, rest) = lines.split_once('\n').unwrap();
    let mut start: Value = serde_json::from_str(first).unwrap();
    start["value"] = (start["value"].as_f64().unwrap() + 0.01).into();
    fs::write(home.path().join("other.jsonl"), format!("{start}\n{rest}")).unwrap();
    let found = json_of(&minimax("other.jsonl").code(1).get_output().stdout);
    assert_eq!(found["wrong"], 1);
}

#[test]
fn the_main_book_is_small() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/main.emb");
    assert!(fs::metadata(file).unwrap().len() <= 8 << 20);
}
