//! The page in real browsers with real servers. The ways that people go are in `tests/page`, driven
//! by puppeteer; screenshots stay in the target directory, under `tmp/screenshots`.

use super::server::{Server, TOKEN, games, samples};
use super::skips::skipped;
use emilia::games::{Format, SampleGames};
use emilia::othello::{Color, Position};
use emilia::search::Skill;
use serde_json::json;
use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page")
}

fn exists(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    found.is_ok_and(|output| output.status.success())
}

/// What a script of tests/page says, which must have been content.
fn content(command: &mut Command) -> String {
    let output = command.current_dir(scripts()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let trouble = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}\n{trouble}");
    text
}

/// The texts in the list that begins so in a file of the page.
fn list_in(file: &str, beginning: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/service/page");
    let text = fs::read_to_string(path.join(file)).unwrap();
    let (_, rest) = text.split_once(beginning).expect(file);
    let (list, _) = rest.split_once(']').unwrap();
    let texts = list.split('"').skip(1).step_by(2);
    texts.map(str::to_owned).collect()
}

#[test]
fn the_page_offers_the_levels_of_the_program_in_all_its_languages() {
    let named = |is_one: fn(&Skill) -> bool| -> Vec<&str> {
        let those = Skill::NAMED.iter().filter(|(_, skill)| is_one(skill));
        those.map(|(name, _)| *name).collect()
    };
    assert_eq!(list_in("play-setup.js", "STRENGTHS = ["), named(|_| true));
    // Whoever plays weaker moves asks no book.
    let weak = named(|skill| skill.slack > 0);
    assert_eq!(list_in("site-transport.js", "WEAK = ["), weak);
    for language in ["en", "fr", "ja"] {
        let names = list_in(&format!("texts-{language}.js"), "strengths: [");
        let distinct: HashSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), Skill::NAMED.len(), "{language}");
    }
}

/// Goes all ways in a browser, or says why not.
fn drive(browser: &str, program: &str) {
    if !exists("node") || !exists(program) || !scripts().join("node_modules").exists() {
        let needed = format!("no node, no {program} or no puppeteer (tools/test installs them)");
        skipped(&needed);
        return;
    }
    // Searches take cores from other tests: where the page may search, they are short.
    let quick = ["--search-time", "1"];
    let (server, writable) = (
        Server::with(&quick, None),
        Server::with(&quick, Some(TOKEN)),
    );
    let folder = server.folder.path();
    for name in ["sample.wtb", "sample.jou", "sample.trn"] {
        fs::copy(samples().join(name), folder.join(name)).unwrap();
    }
    fs::write(folder.join("club.ggf"), games(42, 425, Format::Ggf)).unwrap();
    let few = folder.join(format!("club-{browser}.ggf"));
    fs::write(few, games(43, 25, Format::Ggf)).unwrap();
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    let ways = content(
        Command::new("node")
            .args(["run.mjs", browser, "--token", TOKEN])
            .args(["--server", server.url("").as_str()])
            .args(["--writable", writable.url("").as_str()])
            .args([Path::new("--folder"), folder])
            .args([Path::new("--pictures"), &pictures]),
    );
    eprintln!("{ways}");
}

#[test]
fn every_way_is_gone_in_chromium() {
    drive("chromium", "chromium");
}

#[test]
fn the_main_ways_are_gone_in_firefox() {
    drive("firefox", "firefox-esr");
}

#[test]
fn trees_and_texts_of_games_are_read_and_written() {
    if !exists("node") {
        skipped("no node (tools/test installs it)");
        return;
    }
    content(Command::new("node").args(["--test", "units.mjs"]));
}

#[test]
fn the_page_plays_by_the_same_rules() {
    if !exists("node") {
        skipped("no node (tools/test installs it)");
        return;
    }
    let mut script = Command::new("node")
        .arg("rules.mjs")
        .current_dir(scripts())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = script.stdin.take().unwrap();
    let mut positions = 0;
    for game in SampleGames::new(24).take(100) {
        let mut position = Position::START;
        let mut moves = game.moves().iter();
        loop {
            let legal: Vec<_> = position.board.legal_moves().into_iter().collect();
            let after: serde_json::Map<_, _> = legal
                .iter()
                .map(|&square| {
                    let next = position.play(square).unwrap();
                    (square.to_string(), json!(next.to_string()))
                })
                .collect();
            let legal: Vec<_> = legal.iter().map(ToString::to_string).collect();
            let over = position.board.is_over();
            let score = over.then(|| position.final_score(Color::Black).discs());
            let board = position.to_string();
            let line = json!({ "board": board, "legal": legal, "after": after, "score": score });
            writeln!(input, "{line}").unwrap();
            positions += 1;
            let Some(&square) = moves.next() else {
                break;
            };
            position = position.play(square).unwrap();
        }
    }
    drop(input);
    let output = script.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.trim(), format!("{positions} positions"));
}
