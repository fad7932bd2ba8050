//! Books as a database's user sees them: memory, figures, backups, and what differs between two.

use crate::books::{book, contents, json, sound, write_games};
use predicates::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A book in `b` of some games at level 0.
fn with_book(seed: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    build(&folder, "b", seed);
    folder
}

fn build(folder: &TempDir, name: &str, seed: u64) {
    let games = format!("games-{seed}.txt");
    write_games(folder, &games, seed, 40);
    let arguments = ["build", &games, "--level", "0", "--book", name];
    book(folder, &arguments).assert().success();
}

fn lines(output: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(output.to_vec()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn backups(folder: &TempDir) -> Vec<Value> {
    let listed = book(folder, &["backups", "kept", "--json"])
        .assert()
        .success();
    lines(&listed.get_output().stdout)
}

#[cfg(unix)]
#[test]
fn an_export_does_not_take_the_place_of_what_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 3, 4);
    let build = ["build", "games.txt", "--level", "0"];
    book(&folder, &build).assert().success();
    let link = folder.path().join("link.emb");
    std::os::unix::fs::symlink("elsewhere", &link).unwrap();
    book(&folder, &["export", "-o", "link.emb", "--force"])
        .assert()
        .failure()
        .stderr(predicates::str::contains("no plain file"));
    assert!(link.is_symlink());
}

#[test]
fn backups_are_books_that_share_what_did_not_change() {
    let folder = with_book(5);
    let before = contents(&folder);
    let first = json(&mut book(&folder, &["backup", "kept", "--json"]));
    assert!(first["records_verified"].as_u64().unwrap() as usize >= before.len());
    // The tables are the book's own files; what is copied are lists.
    assert!(first["bytes_copied"].as_u64() < first["bytes"].as_u64());
    build(&folder, "b", 6);
    book(&folder, &["backup", "kept"]).assert().success();
    let names: Vec<Value> = backups(&folder)
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(names.len(), 2);
    let path = format!("kept/{}", names[0].as_str().unwrap());
    let queried = json(&mut book(&folder, &["check", "--json", "--book", &path]));
    assert_eq!(queried["sound"], true);
    let third = json(&mut book(
        &folder,
        &["backup", "kept", "--keep", "1", "--json"],
    ));
    assert_eq!(third["removed"].as_array().unwrap()[..], names[..]);
    assert_eq!(backups(&folder).len(), 1);
}

#[test]
fn a_restored_book_is_the_one_that_was_backed_up() {
    let folder = with_book(5);
    let before = contents(&folder);
    book(&folder, &["backup", "kept"]).assert().success();
    build(&folder, "b", 6);
    assert_ne!(contents(&folder), before);
    let refused = book(&folder, &["restore", "kept"]).assert().code(2);
    refused.stderr(predicate::str::contains("add --force to replace it"));
    assert_ne!(contents(&folder), before);
    book(&folder, &["restore", "kept", "--force"])
        .assert()
        .success();
    assert_eq!(contents(&folder), before);
    sound(&folder);
    let mut elsewhere = book(&folder, &["restore", "kept", "--book", "new/b2", "--json"]);
    assert_eq!(json(&mut elsewhere)["book"], "new/b2");
    let nothing = book(&folder, &["restore", "games-5.txt"]).assert().code(2);
    nothing.stderr(predicate::str::contains("emilia: "));
}

#[test]
fn a_book_whose_replacement_was_killed_between_two_steps_is_put_back() {
    let folder = with_book(5);
    let before = contents(&folder);
    book(&folder, &["backup", "kept"]).assert().success();
    let (place, aside) = (folder.path().join("b"), folder.path().join(".replaced-b"));
    for command in [&["query", "f5"][..], &["stats"], &["propagate"]] {
        fs::rename(&place, &aside).unwrap();
        book(&folder, command).assert().success();
        assert_eq!(contents(&folder), before);
    }
    // Nobody begins another book there.
    fs::rename(&place, &aside).unwrap();
    build(&folder, "b", 5);
    assert_eq!(contents(&folder), before);
}

#[cfg(unix)]
#[test]
fn a_book_whose_name_is_no_text_is_backed_up_and_restored() {
    use std::os::unix::ffi::OsStrExt;
    let folder = with_book(5);
    let before = contents(&folder);
    let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"b\xff"));
    fs::rename(folder.path().join("b"), &odd).unwrap();
    for arguments in [
        &["backup", "kept", "--keep", "1"][..],
        &["backup", "kept", "--keep", "1", "--json"],
        &["restore", "kept", "--force", "--json"],
    ] {
        let mut command = book(&folder, arguments);
        command.env("EMILIA_BOOK", &odd).assert().success();
    }
    assert_eq!(backups(&folder).len(), 1);
    book(&folder, &["restore", "kept"]).assert().success();
    assert_eq!(contents(&folder), before);
}

#[test]
fn a_folder_with_backups_of_two_books_wants_one_named() {
    let folder = with_book(5);
    build(&folder, "other", 6);
    for name in ["b", "other"] {
        book(&folder, &["backup", "kept", "--book", name])
            .assert()
            .success();
    }
    let unclear = book(&folder, &["restore", "kept", "--book", "new"])
        .assert()
        .code(2);
    unclear.stderr(predicate::str::contains("backups of several books"));
    let first = backups(&folder)[0]["path"].as_str().unwrap().to_owned();
    book(&folder, &["restore", &first, "--book", "new"])
        .assert()
        .success();
    let into_book = book(&folder, &["backup", "b"]).assert().code(2);
    into_book.stderr(predicate::str::contains("name another folder for backups"));
}

#[test]
fn a_backup_that_lacks_a_file_is_not_restored() {
    let folder = with_book(5);
    book(&folder, &["backup", "kept"]).assert().success();
    let before = contents(&folder);
    let path = PathBuf::from(backups(&folder)[0]["path"].as_str().unwrap());
    let tables = fs::read_dir(folder.path().join(path).join("db")).unwrap();
    let table = tables
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "sst"));
    fs::remove_file(table.unwrap()).unwrap();
    let refused = book(&folder, &["restore", "kept", "--force"])
        .assert()
        .code(2);
    refused.stderr(predicate::str::contains("is damaged"));
    assert_eq!(contents(&folder), before);
}

#[test]
fn a_book_does_not_differ_from_its_backup() {
    let folder = with_book(5);
    book(&folder, &["backup", "kept"]).assert().success();
    let path = backups(&folder)[0]["path"].as_str().unwrap().to_owned();
    let same = json(&mut book(&folder, &["diff", "b", &path, "--json"]));
    assert_eq!(same["differ"], false);
    assert_eq!(same["summary"]["same"], sound(&folder)["positions"]);
}

#[test]
fn differences_are_counted_shown_and_told_by_the_exit_code() {
    let folder = with_book(5);
    build(&folder, "other", 6);
    let compared = book(&folder, &["diff", "b", "other", "--json", "--limit", "3"])
        .assert()
        .code(1);
    let all = lines(&compared.get_output().stdout);
    let end = &all[3];
    assert_eq!((all.len(), &end["shown"]), (4, &Value::from(3)));
    let count = |of: &Value, what: &str| of["summary"][what].as_u64().unwrap();
    assert!(count(end, "only_in_first") > 100 && count(end, "only_in_second") > 100);
    let by_discs: Vec<u64> = all[..3]
        .iter()
        .map(|one| one["discs"].as_u64().unwrap())
        .collect();
    assert!(by_discs.is_sorted());
    let only = [
        "diff", "b", "other", "--json", "--kind", "values", "--order", "value",
    ];
    let compared = book(&folder, &only).assert().code(1);
    let all = lines(&compared.get_output().stdout);
    let size = |one: &Value| {
        let value = |side: &str| one[side]["value"].as_f64();
        value("first")
            .zip(value("second"))
            .map(|(a, b)| (a - b).abs())
    };
    let sizes: Vec<Option<f64>> = all[..all.len() - 1].iter().map(size).collect();
    assert!(sizes.len() > 1, "{all:?}");
    // None, where only one book has a value, comes first.
    let order = |size: &Option<f64>| size.unwrap_or(f64::INFINITY);
    assert!(sizes.iter().map(order).rev().is_sorted(), "{sizes:?}");
    // The other way round it is the same, the other way round.
    let turned = book(&folder, &["diff", "other", "b", "--json"])
        .assert()
        .code(1);
    let turned = lines(&turned.get_output().stdout);
    let turned = turned.last().unwrap();
    assert_eq!(count(turned, "only_in_first"), count(end, "only_in_second"));
    assert_eq!(count(turned, "values"), count(end, "values"));
    book(&folder, &["diff", "b", "none"]).assert().code(2);
}

#[test]
fn the_database_tells_its_figures_without_counting() {
    let folder = with_book(5);
    let told = json(&mut book(&folder, &["stats", "--store", "--json"]));
    let tables = told["tables"].as_array().unwrap();
    let nodes = tables
        .iter()
        .find(|table| table["name"] == "nodes")
        .unwrap();
    assert!(nodes["bytes"].as_u64().unwrap() > 1000, "{told}");
    assert_eq!(nodes["records"], sound(&folder)["positions"]);
    let text = book(&folder, &["stats", "--store"]).assert().success();
    text.stdout(predicate::str::contains("index in memory"));
}

#[test]
fn memory_is_a_budget_that_is_read_as_people_write_it() {
    let folder = with_book(5);
    let told = json(&mut book(
        &folder,
        &["stats", "--store", "--json", "--memory", "256M"],
    ));
    assert_eq!(told["cache_capacity"], 64 << 20);
    let small = [
        "propagate",
        "--full",
        "--memory",
        "32M",
        "--write-rate",
        "20M",
        "--background-threads",
        "1",
    ];
    book(&folder, &small).assert().success();
    sound(&folder);
    let refused = book(&folder, &["query", "--memory", "1K"]).assert().code(2);
    refused.stderr(predicate::str::contains("at least 32M"));
    let refused = book(&folder, &["query", "--memory", "much"])
        .assert()
        .code(2);
    refused.stderr(predicate::str::contains("512M or 1.5G"));
}
