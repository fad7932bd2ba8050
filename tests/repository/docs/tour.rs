//! The README's tour, taken by a newcomer with an empty home.

use super::{Document, root};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// A line that is typed, and what is shown below it.
struct Step {
    line: String,
    shown: String,
    roughly: bool,
}

fn steps(document: &Document) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in document.blocks.iter().filter(|block| block.is_console()) {
        for line in block.text.lines() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(typed), _) => steps.push(Step {
                    line: typed.to_owned(),
                    shown: String::new(),
                    roughly: block.is_rough(),
                }),
                (None, Some(step)) => step.shown += &format!("{line}\n"),
                (None, None) => panic!("a console begins with '{line}' and not with $"),
            }
        }
    }
    steps
}

/// Whether something was said as it is shown; `…` stands for anything, as for times.
fn is_as_shown(shown: &str, said: &str) -> bool {
    // Whoever writes Markdown has no use for spaces at the end of a line.
    let tidy = |text: &str| -> String {
        let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
        lines.join("\n")
    };
    let (shown, said) = (tidy(shown), tidy(said));
    let Some((first, others)) = shown.split_once('…') else {
        return shown == said;
    };
    let Some(mut rest) = said.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = others.split('…').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The same with a `#` in place of each number.
fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        let is_signed = matches!(sign, '+' | '-') && signs.peek().is_some_and(char::is_ascii_digit);
        if is_signed {
            continue;
        }
        if !sign.is_ascii_digit() {
            plain.push(sign);
            continue;
        }
        plain.push('#');
        // Thousands are set apart by spaces, so that two numbers in a row pass for one.
        let goes_on = |sign: &char| sign.is_ascii_digit() || matches!(sign, '.' | ' ');
        let mut last = sign;
        while let Some(next) = signs.next_if(goes_on) {
            last = next;
        }
        if last == ' ' || last == '.' {
            plain.push(last);
        }
    }
    plain
}

/// The tour's `emilia` and `tools/emilia` are the program under test.
const SCRIPT: &str = "emilia() { \"$PROGRAM\" \"$@\"; }; tools/emilia() { emilia \"$@\"; }; ";

fn run(folder: &Path, line: &str) -> (bool, String, String) {
    let output = Command::new("bash")
        .args(["--norc", "-c", &format!("{SCRIPT}{line}")])
        .current_dir(folder)
        .env("PROGRAM", env!("CARGO_BIN_EXE_emilia"))
        .env("HOME", folder.join("home"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("EMILIA_BOOK")
        .env_remove("EMILIA_LOG")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let done = output.status.success();
    (done, text(output.stdout), text(output.stderr))
}

#[test]
fn the_tour_of_the_readme_prints_what_it_shows() {
    let readme = Document::read(&root().join("README.md"));
    let steps = steps(&readme);
    assert!(steps.len() >= 5, "the tour has {} steps", steps.len());
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("home")).unwrap();
    symlink(root().join("book"), folder.path().join("book")).unwrap();
    for Step {
        line,
        shown,
        roughly,
    } in &steps
    {
        let (done, said, trouble) = run(folder.path(), line);
        assert!(done, "$ {line}\n{said}{trouble}");
        let matches = if *roughly {
            is_as_shown(&without_numbers(shown), &without_numbers(&said))
        } else {
            is_as_shown(shown, &said)
        };
        assert!(
            matches,
            "$ {line}\nthe README shows\n{shown}\nand it says\n{said}"
        );
    }
}

#[test]
fn where_numbers_are_examples_words_are_not() {
    let plain = without_numbers;
    assert_eq!(
        plain("f4 -0.28, 661 089 nodes in 0.067 s."),
        "f# #, # nodes in # s."
    );
    assert_eq!(plain("+12 games  (0.4 s)"), plain("-7 000 games  (12 s)"));
    assert_ne!(plain("12 games"), plain("12 moves"));
    assert_ne!(plain("12 games"), plain("twelve games"));
}

#[test]
fn an_ellipsis_stands_for_anything_and_nothing_else_does() {
    let said = "12 games in 0.3 s\nof 4 players  \n";
    for shown in [
        "12 games in 0.3 s\nof 4 players",
        "12 games in … s\n…",
        "…4 players",
    ] {
        assert!(is_as_shown(shown, said), "{shown}");
    }
    for shown in [
        "12 games",
        "13 games in … s\n…",
        "12 games in … s",
        "… 5 players",
    ] {
        assert!(!is_as_shown(shown, said), "{shown}");
    }
}
