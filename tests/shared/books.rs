//! What the tests of `emilia book` share: the real binary in a folder of its own.

use assert_cmd::Command;
use emilia::book::{Store, Table};
use emilia::games::{Format, GameWriter, SampleGames};
use serde_json::Value;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use tempfile::TempDir;

fn emilia() -> Command {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
}

/// `emilia book` in a folder, with the book in `b`.
pub fn book(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = emilia();
    command
        .current_dir(folder.path())
        .env("EMILIA_BOOK", "b")
        .arg("book")
        .args(arguments);
    command
}

/// The last line of the output as JSON.
pub fn json(command: &mut Command) -> Value {
    let output = command.assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[allow(
    dead_code,
    reason = "not every test that shares this module writes games"
)]
pub fn write_games(folder: &TempDir, name: &str, seed: u64, count: usize) {
    let format = Format::of_name(Path::new(name)).unwrap();
    let mut writer = GameWriter::new(format, Cursor::new(Vec::new())).unwrap();
    for game in SampleGames::new(seed).take(count) {
        writer.write(&game).unwrap();
    }
    let bytes = writer.finish().unwrap().0.into_inner();
    fs::write(folder.path().join(name), bytes).unwrap();
}

/// What a check says of a book in which nothing is wrong.
pub fn sound(folder: &TempDir) -> Value {
    let found = json(&mut book(folder, &["check", "--json"]));
    assert_eq!(found["sound"], true, "{found}");
    found
}

/// Every position, every statistic and every game of a book, to the last byte.
#[allow(
    dead_code,
    reason = "not every test that shares this module compares books"
)]
pub fn contents(folder: &TempDir) -> Vec<(Vec<u8>, Vec<u8>)> {
    let store = Store::open_read_only(&folder.path().join("b")).unwrap();
    let reader = store.reader();
    let mut all = Vec::new();
    for table in [Table::Nodes, Table::Statistics, Table::Counts, Table::Games] {
        let mut rows = reader.rows(table, None).unwrap();
        while let Some((key, value)) = rows.next_row().unwrap() {
            all.push((key.to_vec(), value.to_vec()));
        }
    }
    all
}

/// The same without the numbers of games, which follow from the order in which they were learned.
#[allow(
    dead_code,
    reason = "not every test that shares this module learns games in another order"
)]
pub fn contents_without_numbers(folder: &TempDir) -> Vec<String> {
    let store = Store::open_read_only(&folder.path().join("b")).unwrap();
    let reader = store.reader();
    let mut all = Vec::new();
    for table in [Table::Nodes, Table::Counts] {
        let mut rows = reader.rows(table, None).unwrap();
        while let Some((key, value)) = rows.next_row().unwrap() {
            all.push(format!("{key:?} {value:?}"));
        }
    }
    let mut rows = reader.rows(Table::Statistics, None).unwrap();
    while let Some((key, statistics)) = rows.next_statistics().unwrap() {
        all.push(format!("{key:?} {statistics:?}"));
    }
    let mut rows = reader.rows(Table::Games, None).unwrap();
    while let Some((fingerprint, learned)) = rows.next_game().unwrap() {
        all.push(format!(
            "{fingerprint} {} {:?}",
            learned.counted, learned.game
        ));
    }
    all
}

/// A copy of a folder with all that is in it.
#[allow(
    dead_code,
    reason = "not every test that shares this module copies books"
)]
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}
