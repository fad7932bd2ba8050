//! `emilia match`: real games between the engine and real programs, good ones and bad ones.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const EMILIA: &str = env!("CARGO_BIN_EXE_emilia");

fn emilia(arguments: &[&str]) -> Command {
    let mut command = Command::new(EMILIA);
    command.args(arguments);
    command
}

fn json(arguments: &[&str]) -> Value {
    let arguments = [&["match", "--json"], arguments].concat();
    let output = emilia(&arguments)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    serde_json::from_slice(&output).unwrap()
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn the_deeper_engine_wins_and_every_game_is_written() {
    let folder = TempDir::new().unwrap();
    let games = path(&folder, "games.ggf");
    let found = json(&[
        "emilia level=5 hash=4",
        "emilia level=1 hash=4",
        "--games",
        "8",
        "--concurrency",
        "2",
        "--save",
        &games,
    ]);
    assert_eq!(found["games"], 8);
    assert!(found["points"].as_f64().unwrap() > 0.6, "{found}");
    assert_eq!(found["first"]["forfeits"], 0);
    assert_eq!(found["second"]["forfeits"], 0);
    let counted = emilia(&["games", "stat", "--json", &games])
        .assert()
        .success();
    let counted: Value = serde_json::from_slice(&counted.get_output().stdout).unwrap();
    assert_eq!(counted["total"]["games"], 8, "{counted}");
}

#[test]
fn a_match_is_the_same_each_time_with_seeds_and_node_limits() {
    let folder = TempDir::new().unwrap();
    let play = |name: &str| {
        let games = path(&folder, name);
        let contestant = "emilia nodes=300 randomness=1 hash=4";
        json(&[
            contestant, contestant, "--games", "4", "--seed", "5", "--save", &games,
        ]);
        let moves = |line: &str| line.split(char::is_whitespace).next().unwrap().to_owned();
        let text = fs::read_to_string(games).unwrap();
        text.lines().map(moves).collect::<Vec<_>>()
    };
    let first = play("a.txt");
    assert_eq!(first.len(), 4);
    assert_eq!(first, play("b.txt"));
}

#[test]
fn without_openings_each_game_begins_at_the_beginning() {
    let contestant = "emilia level=1 randomness=4 hash=4";
    let found = json(&[contestant, contestant, "--games", "12", "--no-openings"]);
    assert_eq!(found["games"], 12);
    let openings = found["openings"].as_u64().unwrap();
    assert!((2..=12).contains(&openings), "{found}");
    assert!(
        found["elo"]["low"].as_f64() < found["elo"]["high"].as_f64(),
        "{found}"
    );
}

#[test]
fn programs_that_speak_gtp_or_nboard_play_too() {
    let settings = "--level 1 --no-book --hash 4";
    let gtp = format!("gtp {EMILIA} gtp {settings}");
    let nboard = format!("nboard depth=1 {EMILIA} nboard --no-book --hash 4");
    let found = json(&[&gtp, &nboard, "--games", "2", "--clock", "60+1"]);
    assert_eq!(found["games"], 2);
    assert_eq!(found["first"]["forfeits"], 0, "{found}");
    assert_eq!(found["second"]["forfeits"], 0, "{found}");
}

#[test]
fn bad_programs_forfeit_and_the_referee_says_why() {
    let own = "emilia level=1 hash=4";
    let silent = "gtp sh -c 'read a; echo = x; echo; read b; sleep 60'";
    let illegal = "gtp sh -c 'while read line; do echo = a1; echo; done'";
    let talking = "gtp yes";
    let refusing = "gtp sh -c 'while read line; do echo \"? no\"; echo; done'";
    for (program, reason) in [
        ("gtp false", "crashed"),
        ("gtp /no/such/program", "crashed"),
        ("nboard true", "crashed"),
        (silent, "was silent"),
        (talking, "was silent"),
        (illegal, "illegal move"),
        (refusing, "answered '? no'"),
    ] {
        let arguments = [
            "match",
            own,
            program,
            "--games",
            "2",
            "--patience",
            "1",
            "--json",
        ];
        let assert = emilia(&arguments)
            .assert()
            .success()
            .stderr(contains(reason));
        let found: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
        assert_eq!(found["wins"], 2, "{program}: {found}");
        assert_eq!(found["second"]["forfeits"], 2, "{program}: {found}");
        assert_eq!(found["discs"], 64.0);
    }
}

#[test]
fn whoever_runs_out_of_time_forfeits() {
    // It plays as our own engine does, only late.
    let slow = format!(
        "gtp sh -c 'while read line; do case \"$line\" in genmove*) sleep 0.1;; esac; \
         echo \"$line\"; done | {EMILIA} gtp --level 1 --no-book --hash 4'"
    );
    let own = "emilia level=1 hash=4";
    let in_time = json(&[&slow, own, "--games", "1", "--clock", "600"]);
    assert_eq!(
        in_time["first"]["forfeits"], 0,
        "its moves are good: {in_time}"
    );
    let arguments = [
        "match", &slow, own, "--games", "1", "--clock", "0.1", "--json",
    ];
    let assert = emilia(&arguments)
        .assert()
        .success()
        .stderr(contains("ran out of time"))
        .stderr(contains("illegal").not());
    let found: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(
        (&found["losses"], &found["first"]["forfeits"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn a_match_goes_on_where_it_was_and_another_one_is_not_mixed_in() {
    let folder = TempDir::new().unwrap();
    let log = path(&folder, "match.log");
    let (first, second) = ("emilia level=1 hash=4", "emilia level=2 hash=4");
    let found = json(&[first, second, "--games", "2", "--log", &log]);
    assert_eq!(found["games"], 2);
    let before = fs::read_to_string(&log).unwrap();
    let found = json(&[first, second, "--games", "6", "--log", &log]);
    assert_eq!(found["games"], 6);
    let after = fs::read_to_string(&log).unwrap();
    assert!(after.starts_with(&before));
    assert_eq!(after.lines().count(), 7);
    emilia(&["match", second, first, "--log", &log])
        .assert()
        .failure()
        .stderr(contains("the log of another match"));
}

/// Starts a match and, when it is so far, does what the shell does after Ctrl-C: all processes of a
/// command are told.
#[cfg(target_os = "linux")] // where rustix is a dependency
fn interrupted(folder: &TempDir, arguments: &[&str], is_so_far: impl Fn() -> bool) -> Option<i32> {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt;
    let mut referee = std::process::Command::new(EMILIA)
        .current_dir(folder.path())
        .arg("match")
        .args(arguments)
        .stdout(std::process::Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    while !is_so_far() {
        assert!(referee.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    kill_process_group(Pid::from_child(&referee), Signal::INT).unwrap();
    referee.wait().unwrap().code()
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_match_and_no_game_is_blamed_on_a_contestant() {
    let folder = TempDir::new().unwrap();
    let log = path(&folder, "match.log");
    let program = format!("gtp {EMILIA} gtp --no-book --hash 4");
    let arguments = [
        &program, &program, "--games", "1000", "--clock", "0.5", "--log", &log,
    ];
    let lines = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    let code = interrupted(&folder, &arguments, || lines() >= 3);
    assert_eq!(code, Some(130));
    let text = fs::read_to_string(&log).unwrap();
    assert!(lines() < 1000 && !text.contains("crashed"), "{text}");
}

/// A file without games would be in the way of the same command.
#[cfg(target_os = "linux")]
#[test]
fn a_match_that_is_stopped_in_its_first_game_writes_no_file() {
    let folder = TempDir::new().unwrap();
    let thinks = "gtp sh -c 'touch begun; sleep 600'";
    let arguments = [thinks, "emilia level=1 hash=4", "--save", "games.ggf"];
    let begun = folder.path().join("begun");
    let code = interrupted(&folder, &arguments, || begun.exists());
    assert_eq!(code, Some(130));
    assert!(!folder.path().join("games.ggf").exists());
}

#[test]
fn a_sequential_test_ends_the_match_early() {
    let found = json(&[
        "emilia level=3 randomness=3 hash=4",
        "emilia level=3 randomness=3 hash=4",
        "--games",
        "200",
        "--sprt",
        "-400,-300",
    ]);
    assert_eq!(found["sprt"]["accepted"], true, "{found}");
    assert!(found["games"].as_u64().unwrap() < 200, "{found}");
}

#[test]
fn a_program_is_told_where_a_game_begins_or_the_match_does_not() {
    let folder = TempDir::new().unwrap();
    let openings = path(&folder, "openings.txt");
    let games = path(&folder, "games.txt");
    // The tall start: another position than the usual one.
    let board = "---------------------------XX------OO--------------------------- X";
    fs::write(&openings, format!("{board};c6\n")).unwrap();
    let program = format!("gtp {EMILIA} gtp --level 1 --no-book --hash 4");
    let own = "emilia level=1 hash=4";
    let found = json(&[
        &program,
        own,
        "--games",
        "2",
        "--openings",
        &openings,
        "--save",
        &games,
    ]);
    assert_eq!(found["first"]["forfeits"], 0, "{found}");
    assert_eq!(found["second"]["forfeits"], 0, "{found}");
    assert!(fs::read_to_string(&games).unwrap().contains(board));

    let knows_little = "gtp sh -c 'while read line; do echo = false; echo; done'";
    emilia(&["match", own, knows_little, "--openings", &openings])
        .assert()
        .code(2)
        .stderr(contains("does not know the GTP command loadsgf"));
}

#[test]
fn games_of_one_opening_count_once_in_the_error_bars() {
    let folder = TempDir::new().unwrap();
    let openings = path(&folder, "openings.txt");
    fs::write(&openings, "f5d6\nf5f6e6f4\nd3c5\n").unwrap();
    let (first, second) = ("emilia nodes=100 hash=4", "emilia nodes=50 hash=4");
    let play = |games| json(&[first, second, "--openings", &openings, "--games", games]);
    let (once, again) = (play("4"), play("12"));
    // The third opening is the first, turned.
    assert_eq!(
        (&once["openings"], &again["openings"]),
        (&2.into(), &2.into())
    );
    assert_eq!(again["games"], 12);
    assert_eq!(once["elo"], again["elo"]);
    emilia(&[
        "match",
        first,
        second,
        "--openings",
        &openings,
        "--games",
        "6",
    ])
    .assert()
    .success()
    .stderr(contains("6 games have 2 different openings"));
}

#[test]
fn what_is_there_is_not_replaced_and_that_is_said_before_the_first_game() {
    let folder = TempDir::new().unwrap();
    let games = path(&folder, "games.txt");
    fs::write(&games, "mine").unwrap();
    let own = "emilia level=1 hash=4";
    // So many games that it would not end before the test does.
    emilia(&["match", own, own, "--games", "100000", "--save", &games])
        .assert()
        .code(2)
        .stderr(contains("add --force"));
    assert_eq!(fs::read_to_string(&games).unwrap(), "mine");
    json(&[own, own, "--games", "2", "--save", &games, "--force"]);
    assert_eq!(fs::read_to_string(&games).unwrap().lines().count(), 2);
}

#[test]
fn openings_come_from_a_file_and_wrong_words_are_explained() {
    let folder = TempDir::new().unwrap();
    let openings = path(&folder, "openings.txt");
    let games = path(&folder, "games.txt");
    fs::write(&openings, "f5d6c3d3c4\nf5f6e6f4\n").unwrap();
    let own = "emilia level=1 hash=4";
    json(&[
        own,
        own,
        "--games",
        "4",
        "--openings",
        &openings,
        "--save",
        &games,
    ]);
    let text = fs::read_to_string(Path::new(&games)).unwrap();
    let starts: Vec<bool> = text
        .lines()
        .map(|line| line.starts_with("f5d6c3d3c4"))
        .collect();
    assert_eq!(starts, [true, true, false, false]);

    for (arguments, reason) in [
        (vec!["match", "emilia"], "SECOND"),
        (vec!["match", "edax", "emilia"], "begin with emilia"),
        (
            vec!["match", "emilia book=/no/book", "emilia"],
            "there is no book",
        ),
        (vec!["match", "emilia", "emilia", "--save", "x.png"], ".ggf"),
        (
            vec!["match", "emilia", "emilia", "--sprt", "5,1"],
            "the smaller first",
        ),
    ] {
        emilia(&arguments)
            .assert()
            .failure()
            .stderr(contains(reason));
    }
}
