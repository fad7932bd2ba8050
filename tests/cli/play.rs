//! `emilia play` over a pipe and on a terminal, and `emilia analyse GAME` as users run them.

use crate::said;
use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

fn emilia(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.args(arguments).env("EMILIA_BOOK", "/no/such/book");
    command
}

/// What `emilia play` answers to these lines.
fn play(arguments: &[&str], script: &str) -> String {
    let base = [
        "play",
        "--no-book",
        "--hash",
        "4",
        "--level",
        "2",
        "--seed",
        "1",
    ];
    said(emilia(&[&base, arguments].concat()).write_stdin(script))
}

#[test]
fn a_person_moves_the_engine_answers_and_moves_are_taken_back() {
    let text = play(&[], "f5\nboard\nback\nboard\nback\n");
    assert!(text.starts_with("  a b c d e f g h\n"), "{text}");
    assert!(text.contains("Emilia plays "), "{text}");
    assert!(
        text.trim_end().ends_with("? there is no move to take back"),
        "{text}"
    );
    let start = "4 . . * O X . . .   Black 2";
    assert_eq!(
        text.matches(start).count(),
        3,
        "at the beginning, and twice after back: {text}"
    );
}

#[test]
fn the_engine_opens_when_the_person_is_white_and_plays_for_both_when_asked() {
    let text = play(&["--as", "white"], "");
    assert!(
        text.contains("Emilia plays ") && text.contains("White to move"),
        "{text}"
    );
    let text = play(&["--as", "none"], "analyse\nf5\n");
    assert!(
        text.contains("wins by ") || text.contains("A draw"),
        "{text}"
    );
    assert!(
        text.contains("Black: ") && text.contains("discs lost per move"),
        "{text}"
    );
    assert!(text.contains("? the game is over"), "{text}");
}

#[test]
fn hints_levels_clocks_and_resignation() {
    let text = play(
        &["--clock", "5:00"],
        "hint 2\nlevel novice\nlevel godlike\nbook\nresign\nf5\n",
    );
    assert!(text.contains("Black 300 s, White 300 s"), "{text}");
    let hints = text
        .lines()
        .filter(|line| line.len() == 8 && line.contains(['+', '-']));
    assert_eq!(hints.count(), 2, "{text}");
    assert!(text.contains("? 'godlike' is no level"), "{text}");
    assert!(text.contains("? the book has nothing here"), "{text}");
    assert!(text.contains("Black resigns: White wins"), "{text}");
}

#[test]
fn a_game_is_saved_in_every_format_and_goes_on() {
    let folder = TempDir::new().unwrap();
    for ending in ["ggf", "sgf", "txt"] {
        let file = folder.path().join(format!("game.{ending}"));
        let file = file.to_str().unwrap();
        let text = play(&["--as", "both"], &format!("f5d6c3\nsave {file}\n"));
        assert!(!text.contains('?'), "{text}");
        let text = play(&["--as", "both", "--load", file], "d3\nboard\n");
        assert!(text.contains("Empty 56"), "{ending}: {text}");
    }
    let text = play(&["--as", "both"], "save game.png\nload /no/such/file\nf9\n");
    assert_eq!(text.matches("\n? ").count(), 3, "{text}");
    emilia(&["play", "--load", "/no/such/file"])
        .assert()
        .code(2)
        .stderr(contains("cannot read /no/such/file"));
}

const GAME: &str = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1\
    f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6";

#[test]
fn every_move_of_a_game_is_judged() {
    let output = emilia(&[
        "analyse", "--game", GAME, "--level", "2", "--hash", "4", "--json",
    ])
    .assert()
    .success()
    .get_output()
    .stdout
    .clone();
    let found: Value = serde_json::from_slice(&output).unwrap();
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), GAME.len() / 2);
    let last = moves.last().unwrap();
    assert_eq!(
        (last["exact"].as_bool(), last["loss"].as_f64()),
        (Some(true), Some(0.0))
    );
    for player in ["black", "white"] {
        let fraction = found[player]["all"]["equivalent"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&fraction), "{found}");
        assert!(found[player]["end"]["mean_loss"].as_f64().unwrap() >= 0.0);
    }
}

#[test]
fn files_of_games_give_tables_and_a_game_a_picture() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("games.txt");
    let file = file.to_str().unwrap();
    fs::write(
        file,
        format!("{GAME}\tblack=Rose\twhite=Tastet\nf5d6c3d3c4\tblack=Rose\n"),
    )
    .unwrap();
    let common = ["analyse", file, "--level", "1", "--hash", "4"];
    emilia(&common)
        .assert()
        .success()
        .stdout(contains("1. Rose – Tastet").and(contains("2. Rose – White")))
        .stdout(contains("player").and(contains("as good as the best")));

    let svg = folder.path().join("game.svg");
    let svg = svg.to_str().unwrap();
    emilia(&[&common[..], &["--only", "1", "--svg", svg]].concat())
        .assert()
        .success()
        .stdout(contains("1X  f5").or(contains("1X")));
    assert!(fs::read_to_string(svg).unwrap().starts_with("<svg "));

    for (more, reason) in [
        (vec!["--svg", svg], "--only N"),
        (vec!["--only", "7"], "no such game"),
        (
            vec!["--depth", "3", "--only", "1"],
            "--depth is for positions",
        ),
    ] {
        let base = if more[0] == "--depth" {
            &common[..2]
        } else {
            &common[..]
        };
        emilia(&[base, &more].concat())
            .assert()
            .code(2)
            .stderr(contains(reason));
    }
    emilia(&["analyse", "f5", "--svg", svg])
        .assert()
        .code(2)
        .stderr(contains("--game"));
    emilia(&["analyse", "no-such-file.ggf"])
        .assert()
        .code(2)
        .stderr(contains("there is no such file"));
}

/// The full screen needs a terminal: `script` lends it one. The process writes its number into this
/// file first.
#[cfg(target_os = "linux")]
fn on_a_terminal(number: &std::path::Path) -> std::process::Child {
    use std::process::Stdio;
    let command = format!(
        "echo $$ > {}; stty rows 40 cols 120; exec {} play --no-book --hash 4 --level 2 --seed 1",
        number.display(),
        env!("CARGO_BIN_EXE_emilia")
    );
    std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("TERM", "xterm-256color")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The alternate screen is left, and the mouse with it.
#[cfg(target_os = "linux")]
fn gives_the_screen_back(output: &[u8]) {
    let screen = String::from_utf8_lossy(output);
    for wanted in ["\u{1b}[?1049l", "\u{1b}[?1000l"] {
        assert!(screen.contains(wanted), "the screen was not given back");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_end_gives_the_terminal_back() {
    use std::io::Read;

    let folder = TempDir::new().unwrap();
    let number = folder.path().join("number");
    let mut terminal = on_a_terminal(&number);
    let keys = terminal.stdin.take().unwrap();
    let mut output = terminal.stdout.take().unwrap();
    let mut all = vec![0; 1 << 10];
    // The first picture is there, and so signals are heard.
    let size = output.read(&mut all).unwrap();
    all.truncate(size);
    let number = fs::read_to_string(&number).unwrap();
    let told = std::process::Command::new("kill")
        .arg(number.trim())
        .status()
        .unwrap();
    assert!(told.success());
    output.read_to_end(&mut all).unwrap();
    gives_the_screen_back(&all);
    assert_eq!(terminal.wait().unwrap().code(), Some(130));
    drop(keys);
}

#[cfg(target_os = "linux")]
#[test]
fn a_game_on_a_terminal_is_played_saved_and_left() {
    use std::io::{Read, Write};
    use std::time::{Duration, Instant};

    let folder = TempDir::new().unwrap();
    let saved = folder.path().join("game.txt");
    let mut terminal = on_a_terminal(&folder.path().join("number"));
    let mut keys = terminal.stdin.take().unwrap();
    let mut output = terminal.stdout.take().unwrap();
    let mut screen = vec![0; 1 << 10];
    // The first picture is there, so keys are read as keys.
    let size = output.read(&mut screen).unwrap();
    assert!(size > 0);
    let reading = std::thread::spawn(move || {
        let mut all = Vec::new();
        output.read_to_end(&mut all).map(|_| all)
    });
    let mut press = |text: &str| {
        keys.write_all(text.as_bytes()).unwrap();
        keys.flush().unwrap();
    };
    press("f5");
    // Until the engine has answered, the file has one move.
    let deadline = Instant::now() + Duration::from_secs(60);
    let moves = loop {
        press(&format!("s--force {}\r", saved.display()));
        std::thread::sleep(Duration::from_millis(200));
        let text = fs::read_to_string(&saved).unwrap_or_default();
        let moves = text.split(['\t', '\n']).next().unwrap_or_default().len() / 2;
        if moves >= 2 || Instant::now() > deadline {
            break moves;
        }
    };
    assert_eq!(moves, 2);
    press("q");
    assert!(terminal.wait().unwrap().success());
    gives_the_screen_back(&reading.join().unwrap().unwrap());
}
