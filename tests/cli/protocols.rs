//! `gtp`, `nboard` and `console`: scripted sessions after the protocols' descriptions, with
//! malformed input, against the real binary.

use crate::said;
use assert_cmd::Command;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use tempfile::TempDir;

const QUICK: [&str; 5] = ["--no-book", "--hash", "8", "--level", "3"];

/// What a program answers to these lines when the input then ends.
fn answers(protocol: &str, arguments: &[&str], script: &[u8]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    said(command.arg(protocol).args(arguments).write_stdin(script))
}

/// The answers of a GTP session, one string each.
fn gtp(script: &str) -> Vec<String> {
    let text = answers("gtp", &QUICK, script.as_bytes());
    text.trim_end_matches('\n')
        .split("\n\n")
        .map(|answer| answer.trim_end().to_owned())
        .collect()
}

/// A running program that is written to and read from line by line.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Talk {
    fn with(protocol: &str, arguments: &[&str]) -> Talk {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_emilia"))
            .arg(protocol)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Talk {
            child,
            input,
            output,
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
        self.input.flush().unwrap();
    }

    /// The lines up to one that begins like this.
    fn hear_until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "the program ended after {lines:?}");
            lines.push(line.trim_end().to_owned());
            if line.starts_with(beginning) {
                return lines;
            }
        }
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn a_gtp_session_as_the_specification_shows_it() {
    let found = gtp("1 protocol_version\n2 name\nboardsize 8\nclear_board\n\
         3 play black F5\n4 play WHITE d6\ngenmove b\nundo\nundo\n5 undo\n6 undo\n\
         known_command genmove\nknown_command xyzzy\nfinal_score\nquit\nname\n");
    assert_eq!(found[0], "=1 2");
    assert_eq!(found[1], "=2 Emilia");
    assert_eq!(found[2..6], ["=", "=", "=3", "=4"]);
    let vertex = found[6].strip_prefix("= ").unwrap();
    assert!(
        vertex.len() == 2 && vertex == vertex.to_uppercase(),
        "{vertex}"
    );
    assert_eq!(found[7..11], ["=", "=", "=5", "?6 cannot undo"]);
    assert_eq!(found[11..14], ["= true", "= false", "= 0"]);
    assert_eq!(found[14..], ["="], "nothing is answered after quit");
}

#[test]
fn gtp_lists_what_it_knows_and_shows_the_board() {
    let found = gtp("list_commands\nshowboard\nset_game Othello\nset_game Go\nlist_games\n");
    for name in [
        "boardsize",
        "genmove",
        "time_left",
        "time_settings",
        "undo",
        "gogui-interrupt",
    ] {
        assert!(
            found[0]
                .lines()
                .any(|line| line.trim_start_matches("= ") == name),
            "{name}"
        );
    }
    assert!(
        found[1].contains("4 . . * O X . . .   Black 2"),
        "{}",
        found[1]
    );
    assert_eq!(found[2..], ["=", "? unsupported game", "= Othello"]);
}

#[test]
fn malformed_gtp_gets_errors_and_the_session_goes_on() {
    let script = b"# a comment\n\n   \nxyzzy\n7\n8 \xff\xfe\nplay\nplay black\nplay purple f5\n\
        play black z9\nplay black a1\nplay white f5\nplay black pass\ngenmove\ngenmove white\n\
        boardsize 19\nboardsize x\nkomi\ntime_settings 1\ntime_left b x y\ngg-undo -1\nloadsgf\n\
        loadsgf /no/such/file\n9 na\x07me\tx # y\n";
    let text = answers("gtp", &QUICK, script);
    let found: Vec<&str> = text.trim_end().split("\n\n").map(str::trim_end).collect();
    assert_eq!(found.len(), 21, "{found:#?}");
    assert!(
        found[..20].iter().all(|answer| answer.starts_with('?')),
        "{found:#?}"
    );
    assert_eq!(found[0], "? unknown command");
    assert_eq!(found[1], "?7 unknown command");
    assert!(found[2].starts_with("?8 "));
    assert_eq!(found[7], "? illegal move", "a1 turns nothing");
    assert_eq!(found[11], "? it is Black's turn");
    assert_eq!(found[12], "? unacceptable size");
    assert_eq!(found[20], "=9 Emilia");
}

#[test]
fn gtp_plays_a_whole_game_with_passes_and_takes_it_back() {
    let mut talk = Talk::with("gtp", &QUICK);
    let mut passes = 0;
    let mut told = 0;
    while passes < 2 {
        let color = if told % 2 == 0 { "black" } else { "white" };
        talk.say(&format!("time_left {color} 5 0"));
        talk.hear_until("");
        talk.hear_until("");
        talk.say(&format!("genmove {color}"));
        let answer = talk.hear_until("=").pop().unwrap();
        talk.hear_until("");
        passes = if answer == "= PASS" { passes + 1 } else { 0 };
        told += 1;
        assert!(told < 80, "the game does not end");
    }
    talk.say(&format!("gg-undo {told}"));
    assert_eq!(talk.hear_until("=").pop().unwrap(), "= ".trim_end());
    talk.end();
}

#[test]
fn games_with_the_same_seed_and_nodes_are_identical_through_gtp() {
    let game = |seed: &str| {
        let script: String = (0..30)
            .map(|_| "genmove b\ngenmove w\n")
            .chain(["emilia-explain\n"])
            .collect();
        let arguments = [
            "--no-book",
            "--hash",
            "8",
            "--nodes",
            "1000",
            "--seed",
            seed,
            "--randomness",
            "1",
        ];
        answers("gtp", &arguments, script.as_bytes())
            .lines()
            .filter(|line| line.len() < 8)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(game("3"), game("3"));
    assert_ne!(game("3"), game("4"));
}

/// The example of the protocol's description.
const NBOARD_GAME: &str = "set game (;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]\
    PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]BO[8 ---------------------------O*------*O-----------\
    ---------------- *]B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)";

#[test]
fn an_nboard_session_as_the_description_shows_it() {
    let script = format!("nboard 2\n{NBOARD_GAME}\nset depth 6\nping 1\ngo\n");
    let text = answers("nboard", &QUICK[..3], script.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..3],
        ["set myname Emilia", "pong 1", "status Emilia is thinking"]
    );
    let answer = lines.iter().find(|line| line.starts_with("=== ")).unwrap();
    let fields: Vec<&str> = answer[4..].split('/').collect();
    let (square, value, seconds) = (fields[0], fields[1], fields[2]);
    assert!(square.len() == 2 && value.parse::<f64>().is_ok() && seconds.parse::<f64>().is_ok());
    assert!(lines.iter().any(|line| line.starts_with("nodestats ")));
    assert!(lines.last().unwrap().starts_with("status "));
}

#[test]
fn nboard_hints_moves_and_analyses() {
    let script = format!("nboard 2\nset depth 4\n{NBOARD_GAME}\nhint 3\n");
    let text = answers("nboard", &QUICK[..3], script.as_bytes());
    let hints: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("search "))
        .collect();
    assert!(hints.len() >= 3, "{text}");
    let words: Vec<&str> = hints[0].split(' ').collect();
    assert_eq!(
        (words.len(), words[3]),
        (5, "0"),
        "search PV EVAL 0 DEPTH: {words:?}"
    );

    let script = "nboard 2\nset depth 2\nmove F5/0.5/1.0\nmove D6//\nanalyze\n";
    let text = answers("nboard", &QUICK[..3], script.as_bytes());
    let played: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("analysis "))
        .map(|rest| rest.split(' ').next().unwrap())
        .collect();
    assert_eq!(played, ["2", "1", "0"], "from the end to the beginning");
}

#[test]
fn a_ping_interrupts_nboard_searches_and_nothing_comes_after_the_pong() {
    let mut talk = Talk::with("nboard", &["--no-book", "--hash", "8"]);
    talk.say("nboard 2");
    talk.say("set depth 60");
    talk.say("hint 2");
    talk.hear_until("search ");
    talk.say("ping 7");
    talk.hear_until("pong 7");
    talk.say("ping 8");
    assert_eq!(talk.hear_until("pong 8"), ["pong 8"]);

    talk.say("go");
    talk.hear_until("status Emilia is thinking");
    talk.say("ping 9");
    let lines = talk.hear_until("pong 9");
    assert!(
        lines.iter().all(|line| !line.starts_with("===")),
        "{lines:?}"
    );
    talk.end();
}

#[test]
fn nboard_learns_the_game_into_its_book() {
    let folder = TempDir::new().unwrap();
    let book = folder.path().join("book");
    let book = book.to_str().unwrap();
    let emilia = || Command::new(env!("CARGO_BIN_EXE_emilia"));
    let first = ["book", "learn", "f5d6", "--level", "2", "--book", book];
    emilia().args(first).assert().success();

    let mut talk = Talk::with("nboard", &["--book", book, "--hash", "8"]);
    talk.say("nboard 2");
    for square in ["F5", "F6", "E6"] {
        talk.say(&format!("move {square}"));
    }
    talk.say("learn");
    talk.hear_until("learned");
    talk.hear_until("status 2 new positions");
    talk.say("hint 1");
    let hint = talk.hear_until("search ");
    assert!(
        hint.iter().any(|line| line.starts_with("book ")),
        "{hint:?}"
    );
    talk.end();
    let query = ["book", "query", "f5f6e6", "--json", "--book", book];
    let output = emilia().args(query).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("\"in_book\":true"), "{text}");

    let text = answers("nboard", &QUICK, b"nboard 2\nmove F5\nlearn\n");
    assert!(text.contains("status learn: there is no book"), "{text}");
}

#[test]
fn malformed_nboard_is_ignored_or_told_as_a_status() {
    let script = "nboard\nxyzzy\nset\nset depth\nset depth many\nset game\nset game nonsense\n\
        set game (;GM[Othello]BO[8 -- *]B[f5];)\nset game (;GM[Othello]BO[8 ---------------\
        ------------O*------*O--------------------------- *]B[a1];)\nset contempt x\nmove\n\
        move z9\nmove a1\nmove PA\nhint\nhint x\n\u{fffd}\nping\nping 3\n";
    let text = answers("nboard", &QUICK, script.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "set myname Emilia");
    let errors = lines
        .iter()
        .filter(|line| line.starts_with("status "))
        .count();
    assert_eq!(errors, 13, "{lines:#?}");
    assert_eq!(lines[lines.len() - 2..], ["pong ", "pong 3"]);
}

#[test]
fn console_commands_in_the_style_of_edax() {
    let script = "play f5d6\nshow\nmode 1\nundo\nmode 3\nhint 2\nf4\nu\nr\nlevel expert\nversion\n";
    let text = answers("console", &QUICK, script.as_bytes());
    assert!(text.contains("Black to move"), "{text}");
    assert!(
        text.contains("Emilia plays "),
        "mode 1 lets the engine play Black: {text}"
    );
    let hints = text
        .lines()
        .filter(|line| line.contains("@") && !line.starts_with(' '));
    assert_eq!(hints.count(), 2, "{text}");
}

#[test]
fn the_console_plays_itself_saves_and_loads() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("game.ggf");
    let script = format!("mode 2\nsave {}\nundo\nundo\n", file.display());
    let text = answers("console", &QUICK, script.as_bytes());
    assert!(text.contains("*** Game over: "), "{text}");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(
        saved.starts_with("(;GM[Othello]PB[Emilia]PW[Emilia]"),
        "{saved}"
    );
    let text = answers(
        "console",
        &QUICK,
        format!("load {}\nshow\n", file.display()).as_bytes(),
    );
    assert!(text.contains("Empty"), "{text}");
}

#[test]
fn what_the_console_cannot_do_it_says_in_one_line() {
    let script = b"xyzzy\nplay\nplay a1\na1\nundo\nredo\nmode 9\nmode\nlevel godlike\nhint x\n\
        move-time soon\ngame-time x\nsetboard ---\nbook show\nbook merge x\nload /no/such/file\n\
        save nowhere\n\xff\nf5\n";
    let text = answers("console", &QUICK, script);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 17, "{lines:#?}");
    assert!(
        lines.iter().all(|line| line.starts_with("? ")),
        "{lines:#?}"
    );
}

#[test]
fn a_book_that_was_named_must_be_there() {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
        .args(["gtp", "--book", "/no/such/book", "--hash", "8"])
        .assert()
        .failure()
        .stderr(predicates::str::contains(
            "there is no book in /no/such/book",
        ));
}
