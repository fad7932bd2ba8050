//! `emilia games` as a user meets it: the real binary, real files.

use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn emilia() -> Command {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games")
}

/// A folder with the given files in it.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn games(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = emilia();
    command
        .current_dir(folder.path())
        .arg("games")
        .args(arguments);
    command
}

fn json(command: &mut Command) -> Value {
    let output = command.assert().success().get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

/// Black wipes White out with the ninth move; the second game stops early, the third is illegal.
const MIXED: &[u8] = b"# three games\ne6f4e3f6g5d6e7f5c5\tblack=A\twhite=B\tdate=1990\n\
    f5d6c3\tblack=A\twhite=C\tdate=1992\nf5f6a1\n";

#[test]
fn stat_reads_everything_in_the_sample_folder() {
    let files = fs::read_dir(samples()).unwrap();
    let mut command = emilia();
    command.args(["games", "stat", "--json", "--strict"]);
    for file in files {
        command.arg(file.unwrap().path());
    }
    let found = json(&mut command);
    let formats: Vec<&str> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["format"].as_str().unwrap())
        .collect();
    for format in ["WTHOR", "GGF", "SGF", "transcript"] {
        assert!(formats.contains(&format), "{formats:?}");
    }
    let total = &found["total"];
    assert!(total["games"].as_u64().unwrap() >= 300);
    assert_eq!(total["bad"], 0);
    assert_eq!(total["unfinished"], 0);
    assert_eq!(total["players"], 2);
    assert_eq!(total["distinct_positions_exact"], true);
}

#[test]
fn stat_counts_and_names_the_bad_ones() {
    let folder = folder(&[("mixed.txt", MIXED)]);
    let found = json(&mut games(&folder, &["stat", "mixed.txt", "--json"]));
    let total = &found["total"];
    assert_eq!(total["games"], 2);
    assert_eq!(total["plies"], 12);
    assert_eq!(total["black_wins"], 1);
    assert_eq!(total["no_result"], 1);
    assert_eq!(total["unfinished"], 1);
    assert_eq!(total["bad"], 1);
    assert_eq!(found["bad"], 1);
    assert_eq!(total["players"], 3);
    assert_eq!(
        (&total["first_year"], &total["last_year"]),
        (&1990.into(), &1992.into())
    );
    // e6f4 is f5d6 mirrored, so the games share their first three positions of 10 and 4.
    assert_eq!(total["distinct_positions"], 11);
    let bad = &found["bad_games"][0];
    assert_eq!(bad["file"], "mixed.txt");
    assert_eq!(bad["game"], 3);
    assert_eq!(bad["move"], 3);
    assert!(bad["reason"].as_str().unwrap().contains("a1"));

    games(&folder, &["stat", "mixed.txt"])
        .assert()
        .success()
        .stdout(predicate::str::contains(
            "mixed.txt, game 3: move 3 (a1) is illegal: a1 turns no disc",
        ));
}

#[test]
fn strict_makes_a_bad_game_an_error() {
    let folder = folder(&[("mixed.txt", MIXED)]);
    for arguments in [
        &["stat", "mixed.txt", "--strict"][..],
        &["convert", "mixed.txt", "-o", "out.ggf", "--strict"],
        &["dedupe", "mixed.txt", "-o", "out.ggf", "--strict"],
    ] {
        games(&folder, arguments)
            .assert()
            .failure()
            .stderr(predicate::str::contains("mixed.txt, game 3: move 3"));
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing was written: {left:?}");
}

#[test]
fn the_list_of_bad_games_is_short_unless_all_are_asked_for() {
    let text = "f5d6\n".to_owned() + &"f5a1\n".repeat(25) + &"f5d6\n".repeat(25);
    let folder = folder(&[("x.txt", text.as_bytes())]);
    let lines = |arguments: &[&str]| {
        let output = games(&folder, arguments).output().unwrap().stdout;
        let text = String::from_utf8(output).unwrap();
        text.lines().filter(|line| line.contains(", game ")).count()
    };
    assert_eq!(lines(&["stat", "x.txt"]), 10);
    assert_eq!(lines(&["stat", "x.txt", "--all"]), 25);
}

#[test]
fn what_is_no_collection_is_a_clear_error_and_does_not_hide_the_others() {
    let folder = folder(&[
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("empty.wtb", b""),
        ("letter.txt", b"Dear Sir or Madam,\nhow are you?\n"),
        ("good.txt", b"f5d6\n"),
    ]);
    let said = |file: &str, what: &'static str| {
        games(&folder, &["stat", "good.txt", file])
            .assert()
            .failure()
            .stdout(predicate::str::contains("good.txt"))
            .stderr(predicate::str::contains(file.to_owned()).and(predicate::str::contains(what)));
    };
    said("a.png", "known are WTHOR (.wtb), GGF (.ggf), SGF");
    said("empty.wtb", "it is empty");
    said("letter.txt", "it is no game collection");
    said(".", "it is a directory");
    said("missing.wtb", "No such file");
}

#[test]
fn a_board_of_another_size_is_refused() {
    let header = [20, 7, 5, 22, 0, 0, 0, 0, 0, 0, 0xb9, 7, 10, 0, 24, 0];
    let folder = folder(&[("ten.wtb", &header)]);
    games(&folder, &["stat", "ten.wtb"])
        .assert()
        .failure()
        .stderr(predicate::str::contains("board of size 10"));
}

#[test]
fn a_damaged_wthor_file_gives_what_is_whole() {
    let mut bytes = fs::read(samples().join("sample.wtb")).unwrap();
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    bytes[16 + 68 + 8] = 99;
    bytes.truncate(16 + 10 * 68 + 5);
    let folder = folder(&[("broken.wtb", &bytes)]);
    let found = json(&mut games(&folder, &["stat", "broken.wtb", "--json"]));
    assert_eq!(found["total"]["games"], 9);
    assert_eq!(found["bad_games"][0]["game"], 2);
    assert_eq!(found["bad_games"][0]["move"], 1);
    let cut = found["bad_games"][1]["reason"].as_str().unwrap();
    assert!(cut.contains("cut off after 5 of 68 bytes"), "{cut}");
}

#[test]
fn a_collection_goes_through_every_format_and_comes_back() {
    let folder = folder(&[]);
    let first = samples().join("sample.wtb");
    let steps = [
        "a.ggf",
        "b.sgf",
        "c.txt",
        "d.txt.gz",
        "e.ggf.zst",
        "f.wtb.gz",
        "g.wtb",
    ];
    let mut from = first.to_str().unwrap().to_owned();
    for to in steps {
        games(&folder, &["convert", &from, "-o", to, "--strict"])
            .assert()
            .success()
            .stderr(predicate::str::contains("300 games written"));
        from = to.to_owned();
    }
    for extension in ["wtb", "jou", "trn"] {
        let original = fs::read(first.with_extension(extension)).unwrap();
        let again = fs::read(folder.path().join(format!("g.{extension}"))).unwrap();
        assert!(original == again, "{extension}: the bytes differ");
    }
}

#[test]
fn a_file_in_the_way_is_not_replaced_without_force() {
    let folder = folder(&[
        ("a.txt", b"f5d6\n"),
        ("b.ggf", b"precious"),
        ("c.jou", b"x"),
    ]);
    for target in ["b.ggf", "c.wtb"] {
        games(&folder, &["convert", "a.txt", "-o", target])
            .assert()
            .failure()
            .stderr(
                predicate::str::contains("exists already").and(predicate::str::contains("--force")),
            );
    }
    assert_eq!(fs::read(folder.path().join("b.ggf")).unwrap(), b"precious");
    assert!(!folder.path().join("c.wtb").exists());
    games(&folder, &["convert", "a.txt", "-o", "b.ggf", "--force"])
        .assert()
        .success();
    let text = fs::read_to_string(folder.path().join("b.ggf")).unwrap();
    assert!(text.starts_with("(;GM[Othello]"));
}

#[test]
fn convert_says_what_the_format_cannot_hold() {
    let other_start = "-------------------O-------OO------XO--------------------------- X;d2\n";
    let text = format!("{other_start}f5d6\tround=2\tdate=1990-05\tblack=\u{6751}\u{4e0a}\n");
    let folder = folder(&[("a.txt", text.as_bytes())]);
    let found = json(&mut games(
        &folder,
        &["convert", "a.txt", "-o", "a.wtb", "--json"],
    ));
    assert_eq!(found["games"], 1);
    let lost = found["lost"].to_string();
    for what in ["left out", "round", "month and day", "Latin-1", "no result"] {
        assert!(lost.contains(what), "{what}: {lost}");
    }
}

#[test]
fn standard_input_and_output_take_part() {
    let folder = folder(&[]);
    games(&folder, &["convert", "-", "-o", "-", "--format", "txt"])
        .write_stdin("(;GM[Othello]PB[x]B[f5]W[d6];)")
        .assert()
        .success()
        .stdout("f5d6\tblack=x\n");
    games(&folder, &["dedupe", "-", "-o", "-", "--format", "txt"])
        .write_stdin("f5d6\nf5d6\n")
        .assert()
        .success()
        .stdout("f5d6\n");
}

#[test]
fn a_target_without_a_format_tells_what_to_do() {
    let folder = folder(&[("a.txt", b"f5d6\n")]);
    games(&folder, &["convert", "a.txt", "-o", "a.xyz"])
        .assert()
        .failure()
        .stderr(
            predicate::str::contains(".wtb, .ggf, .sgf or .txt")
                .and(predicate::str::contains("--format")),
        );
    games(&folder, &["convert", "a.txt"]).assert().failure();
}

#[test]
fn dedupe_keeps_the_twin_that_knows_most() {
    // The second game is the first, mirrored; the third is another.
    let text = "f5d6c3\tblack=A\nc4e3f6\tblack=A\twhite=B\nf5f6\n";
    let folder = folder(&[("a.txt", text.as_bytes()), ("b.txt", b"f5d6c3\n")]);
    let arguments = ["dedupe", "a.txt", "b.txt", "-o", "out.txt", "--json"];
    let found = json(&mut games(&folder, &arguments));
    assert_eq!(found["read"], 4);
    assert_eq!(found["games"], 2);
    assert_eq!(found["duplicates"], 2);
    let kept = fs::read_to_string(folder.path().join("out.txt")).unwrap();
    assert_eq!(kept, "c4e3f6\tblack=A\twhite=B\nf5f6\n");
}

#[test]
fn the_same_seed_writes_the_same_bytes() {
    let folder = folder(&[]);
    for (seed, name) in [("7", "a.ggf.gz"), ("7", "b.ggf.gz"), ("8", "c.ggf.gz")] {
        games(
            &folder,
            &["sample", "--games", "20", "--seed", seed, "-o", name],
        )
        .assert()
        .success();
    }
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("a.ggf.gz") == read("b.ggf.gz"));
    assert!(read("a.ggf.gz") != read("c.ggf.gz"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_behind() {
    let folder = folder(&[]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_emilia"))
        .current_dir(folder.path())
        .args([
            "games",
            "sample",
            "--games",
            "1000000000",
            "-o",
            "out.txt.gz",
        ])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Long enough for the handler to be there; before that Ctrl-C ends the process at once.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_engine_plays_the_same_games_on_any_number_of_threads() {
    let folder = folder(&[]);
    for threads in ["1", "3"] {
        let name = format!("{threads}.ggf");
        let mut arguments = vec!["selfplay", "-o", &name, "--threads", threads];
        arguments.extend(["--games", "7", "--level", "1", "--seed", "4"]);
        games(&folder, &arguments).assert().success();
    }
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("1.ggf") == read("3.ggf"));
    let found = json(&mut games(
        &folder,
        &["stat", "1.ggf", "--json", "--strict"],
    ));
    assert_eq!(found["total"]["games"], 7);
    assert_eq!(found["total"]["unfinished"], 0);
}
