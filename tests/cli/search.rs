//! `solve`, `analyse` and `bench` as users run them.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::io::Write;

/// Fourteen empties, Black to move.
const ENDGAME: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
/// White cannot move, Black can: c1 takes everything.
const PASS: &str = "XO------------------------------------------------------XXXXXXXX O";

fn emilia(args: &[&str]) -> Assert {
    Command::cargo_bin("emilia").unwrap().args(args).assert()
}

fn lines(assert: &Assert) -> Vec<String> {
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn json_lines(assert: &Assert) -> Vec<Value> {
    lines(assert)
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn obf_file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::File::create(&path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let path = path.to_str().unwrap().to_owned();
    (directory, path)
}

/// `N passed, M failed, NODES nodes, SECONDS s, NPS`.
fn is_summary(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |i: usize| words[i].trim_end_matches(',').parse::<f64>().is_ok();
    words.len() == 9
        && [0, 2, 4, 6, 8].into_iter().all(number)
        && [words[1], words[3], words[5], words[7]] == ["passed,", "failed,", "nodes,", "s,"]
}

#[test]
fn solve_gives_score_move_and_line_and_ends_with_the_summary() {
    let solved = emilia(&["solve", ENDGAME, "--hash", "8"]).success();
    let lines = lines(&solved);
    assert!(
        lines[1].contains("+18") && lines[1].contains(" g8 "),
        "{lines:?}"
    );
    let last = lines.last().unwrap();
    assert!(
        last.starts_with("1 passed, 0 failed, ") && is_summary(last),
        "{last}"
    );
}

#[test]
fn a_board_string_may_begin_with_dashes_and_stand_among_the_options() {
    for args in [["--hash", "8", ENDGAME], [ENDGAME, "--hash", "8"]] {
        emilia(&[&["solve"], &args[..]].concat())
            .success()
            .stdout(contains("+18"));
    }
}

#[test]
fn solve_agrees_with_a_file_or_exits_with_1() {
    let text = format!("% two\n{ENDGAME}; G8:+18; H1:+12;\n\n{ENDGAME}; G8:+16; H1:+12;\n");
    let (_kept, path) = obf_file("test-7-8.obf", &text);
    let base = ["solve", "--hash", "8", "--obf", &path];
    let wrong = emilia(&base).code(1).stderr(contains("1 answer differs"));
    let all = lines(&wrong);
    assert!(
        all[1].starts_with("   7 ") && all[1].contains(" ok "),
        "{all:?}"
    );
    assert!(
        all[2].starts_with("   8 ") && all[2].contains("WRONG: +16 g8"),
        "{all:?}"
    );
    assert!(all.last().unwrap().starts_with("1 passed, 1 failed, "));

    emilia(&[&base[..], &["--only", "7"]].concat()).success();
    emilia(&[&base[..], &["--only", "8-", "--wld"]].concat())
        .success()
        .stdout(contains(" win "));
    emilia(&[&base[..], &["--first", "1", "--only", "1"]].concat()).success();
    emilia(&[&base[..], &["--only", "40-49"]].concat())
        .code(2)
        .stderr(contains("none of the numbers 7 to 8 is chosen"));
}

#[test]
fn solve_in_json_is_an_object_per_position_and_one_for_the_sum() {
    let (_kept, path) = obf_file("x.obf", &format!("{ENDGAME}; G8:+18;"));
    let solved = emilia(&[
        "solve",
        "--json",
        "--hash",
        "8",
        "--threads",
        "2",
        "--obf",
        &path,
    ]);
    let objects = json_lines(&solved.success());
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0]["value"], 18.0);
    assert_eq!(objects[0]["best"], "g8");
    assert_eq!(objects[0]["agrees"], true);
    assert_eq!(objects[0]["solved"], true);
    assert_eq!(objects[1]["passed"], 1);
}

#[test]
fn a_position_costs_the_same_nodes_whatever_came_before_it() {
    let (_kept, path) = obf_file("x.obf", &format!("{ENDGAME}\n{ENDGAME}\n"));
    let objects = json_lines(&emilia(&[
        "solve",
        "--json",
        "--hash",
        "8",
        "--threads",
        "1",
        "--obf",
        &path,
    ]));
    assert_eq!(objects[0]["nodes"], objects[1]["nodes"]);
}

#[test]
fn a_look_ahead_measures_and_never_fails() {
    let (_kept, path) = obf_file("x.obf", &format!("{ENDGAME}; G8:-64; H1:+64;"));
    let args = [
        "solve",
        "--hash",
        "8",
        "--obf",
        &path,
        "--depth",
        "4",
        "--selectivity",
        "82",
    ];
    emilia(&args).success().stdout(
        contains("best move ")
            .and(contains("mean error "))
            .and(contains("within 3 discs ")),
    );
}

#[test]
fn every_kind_of_position_has_a_clear_answer_or_a_clear_error() {
    let full = format!("{} O", "X".repeat(64));
    let empty = format!("{} X", "-".repeat(64));
    emilia(&["solve", "--hash", "1", &full])
        .success()
        .stdout(contains("-64").and(contains("the game is over")));
    emilia(&["analyse", "--hash", "1", &full])
        .success()
        .stdout(contains("Black wins by 64"));
    emilia(&["solve", "--hash", "1", &empty])
        .success()
        .stdout(contains("the game is over"));
    emilia(&["analyse", "--hash", "1", &empty])
        .success()
        .stdout(contains("a draw, 0 to 0"));
    emilia(&["solve", "start"])
        .code(2)
        .stderr(contains("60 empties").and(contains("--depth")));
    emilia(&["solve", "--hash", "1", "--depth", "3", "start"]).success();
    emilia(&["analyse", "--hash", "1", "--depth", "3", "start"]).success();
    for command in ["solve", "analyse"] {
        emilia(&[command, "f5f5"])
            .code(2)
            .stderr(contains("move 2 (f5) is illegal"));
        emilia(&[command, "nonsense"])
            .code(2)
            .stderr(contains("is not a move"));
        emilia(&[command, "--XXXO"]).code(2);
        emilia(&[command, &"X".repeat(63)])
            .code(2)
            .stderr(contains("63"));
        emilia(&[command]).code(2).stderr(contains("Usage"));
        emilia(&[command, "start", "--hash", "1000000"]).code(2);
        emilia(&[command, "start", "--threads", "0"]).code(2);
        emilia(&[command, "start", "--selectivity", "50", "--depth", "3"])
            .code(2)
            .stderr(contains("68, 82, 91, 96, 99, 100"));
    }
}

#[test]
fn a_player_who_must_pass_is_told_so() {
    emilia(&["solve", "--hash", "1", "--depth", "4", PASS])
        .success()
        .stdout(contains(" -- ").and(contains("pass c1")));
    emilia(&["analyse", "--hash", "1", "--depth", "4", PASS])
        .success()
        .stdout(contains("White must pass").and(contains("Black's answer")));
}

#[test]
fn discs_that_do_not_touch_are_still_a_position() {
    // Two islands, as no game makes them: nothing can be turned between them.
    let apart = "X-------".to_owned() + &"-".repeat(48) + "-------O X";
    emilia(&["analyse", "--hash", "1", &apart])
        .success()
        .stdout(contains("a draw, 1 to 1"));
    let islands = "XO------".to_owned() + &"-".repeat(48) + "------OX X";
    emilia(&["analyse", "--hash", "1", "--depth", "4", &islands])
        .success()
        .stdout(contains("4@91%"));
}

#[test]
fn unreadable_files_are_named_with_the_line() {
    emilia(&["solve", "--obf", "/no/such/file.obf"])
        .code(2)
        .stderr(contains("/no/such/file.obf"));
    let (_kept, path) = obf_file("bad.obf", &format!("{ENDGAME}\n{ENDGAME}; A1:+2\n"));
    emilia(&["solve", "--obf", &path])
        .code(2)
        .stderr(contains("line 2: a1 is not a legal move"));
    let (_kept, path) = obf_file("empty.obf", "% nothing\n");
    emilia(&["solve", "--obf", &path])
        .code(2)
        .stderr(contains("no positions"));
}

#[test]
fn analyse_draws_the_board_and_shows_each_iteration() {
    let shown = emilia(&["analyse", "f5d6", "--depth", "5", "--hash", "8"]).success();
    let text = lines(&shown).join("\n");
    assert!(!text.contains('\x1b'), "no colours in a pipe");
    assert!(text.contains("Black to move"));
    for depth in 1..=5 {
        assert!(text.contains(&format!(" {depth}@91% ")), "{text}");
    }
    let level = emilia(&["analyze", "f5 d6", "--level", "4", "--hash", "8"]);
    level.success().stdout(contains(" 4@82% "));
}

#[test]
fn analyse_values_as_many_moves_as_asked_for() {
    let args = [
        "analyse",
        "f5",
        "--depth",
        "6",
        "--multipv",
        "3",
        "--hash",
        "8",
        "--json",
    ];
    let objects = json_lines(&emilia(&args).success());
    let last = objects.last().unwrap();
    assert_eq!(objects.len(), 7);
    assert_eq!(last["final"], true);
    assert_eq!(last["moves"].as_array().unwrap().len(), 3);
    emilia(&args[..8])
        .success()
        .stdout(contains("move").and(contains("d6")).and(contains("f4")));
}

#[test]
fn analyse_keeps_to_nodes_and_time() {
    let nodes = emilia(&[
        "analyse", "start", "--nodes", "50000", "--hash", "8", "--json",
    ]);
    let objects = json_lines(&nodes.success());
    assert!(objects.last().unwrap()["nodes"].as_u64().unwrap() < 100_000);
    let time = emilia(&["analyse", "start", "--time", "0.2", "--hash", "8", "--json"]);
    let objects = json_lines(&time.success());
    // Generous, for a busy machine; without a limit the start position never ends.
    assert!(objects.last().unwrap()["seconds"].as_f64().unwrap() < 20.0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_analysis_with_the_best_so_far() {
    use std::io::{BufRead, BufReader};
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("emilia"))
        .args(["analyse", "start", "--time", "300", "--hash", "8"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        shown.any(|line| line.unwrap().contains("3@")),
        "it searches"
    );
    let status = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    let last = shown.last().unwrap().unwrap();
    assert!(last.contains("so far"), "{last}");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

fn bench_count(args: &[&str]) -> String {
    let run = emilia(&[&["bench", "--quick"], args].concat()).success();
    let last = lines(&run).pop().unwrap();
    last.strip_prefix("Bench: ").expect(&last).to_owned()
}

#[test]
fn bench_counts_the_same_nodes_on_every_run_and_every_tier() {
    let count = bench_count(&[]);
    assert_eq!(count, bench_count(&[]), "a second run");
    let told = emilia::search::BENCH_OF_VERSION.to_string();
    assert_eq!(
        count, told,
        "the search changed: raise search::VERSION and note its new count"
    );
    let names = ["portable", "avx2", "avx512"];
    let tiers = emilia::othello::Tier::available();
    for name in names {
        if tiers.iter().any(|&tier| name.parse() == Ok(tier)) {
            assert_eq!(count, bench_count(&["--tier", name]), "{name}");
        }
    }
}

#[test]
fn bench_runs_all_algorithms_and_calls_two_threads_no_checksum() {
    for algorithm in ["negascout", "alphabeta", "mtdf"] {
        let count = bench_count(&["--algorithm", algorithm]);
        assert!(count.parse::<u64>().unwrap() > 0);
    }
    emilia(&["bench", "--quick", "--threads", "2"])
        .success()
        .stdout(contains("no checksum"));
}

#[test]
fn the_built_in_weights_tell_how_they_were_made() {
    let rounds = contains("train all, seed").and(contains("round 1:").and(contains("games: ")));
    emilia(&["train", "manifest"]).success().stdout(rounds);
    emilia(&["train", "manifest", "book/openings.tsv"])
        .failure()
        .stderr(contains("no weights file"));
}
