//! `emilia book export`, `import`, `merge`, `prune`, `forget`, `subtree` and `tree` as a user meets
//! them.

use crate::books::{book, json, sound, write_games};
use predicates::prelude::*;
use std::fs;

#[test]
fn a_book_goes_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 100);
    let build = ["build", "games.txt", "--plies", "30", "--level", "0"];
    book(&folder, &build).assert().success();
    let positions = sound(&folder)["positions"].clone();
    for name in ["x.emb", "x.jsonl", "x.csv", "x.dat", "x.egbk3"] {
        let written = json(&mut book(&folder, &["export", "-o", name, "--json"]));
        assert_eq!(written["positions"], positions, "{name}");
        book(
            &folder,
            &["import", name, "--book", name.trim_start_matches('x')],
        )
        .assert()
        .success()
        .stdout(predicate::str::contains("new positions"));
        let place = name.trim_start_matches('x');
        let found = json(&mut book(&folder, &["check", "--json", "--book", place]));
        assert_eq!(found["sound"], true, "{name}: {found}");
        assert_eq!(found["positions"], positions, "{name}");
    }
    // The same again, and onto the book itself: nothing changes.
    let again = book(&folder, &["import", "x.emb", "--json"])
        .output()
        .unwrap();
    let first: serde_json::Value =
        serde_json::from_slice(again.stdout.split(|b| *b == b'\n').next().unwrap()).unwrap();
    assert_eq!((&first["new"], &first["deeper"]), (&0.into(), &0.into()));
    let copy = json(&mut book(
        &folder,
        &["query", "f5d6", "--json", "--book", ".emb"],
    ));
    let original = json(&mut book(&folder, &["query", "f5d6", "--json"]));
    assert_eq!(copy, original);

    book(&folder, &["export", "-o", "x.emb"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("--force"));
    book(&folder, &["export", "-o", "x.xyz"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("--format"));
    let mut lines = book(&folder, &["export", "-o", "-", "--format", "lines"]);
    let quiet = lines.output().unwrap();
    assert!(quiet.status.success() && quiet.stderr.is_empty());
    // The book has standard output; what is said about it goes to standard error.
    let told = lines.arg("--json").output().unwrap();
    assert_eq!(told.stdout, quiet.stdout);
    let summary: serde_json::Value = serde_json::from_slice(&told.stderr).unwrap();
    assert_eq!(summary["bytes"], told.stdout.len());
    assert_eq!(summary["file"], serde_json::Value::Null);
}

#[test]
fn a_damaged_file_changes_nothing_and_makes_no_book() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 20);
    let build = ["build", "games.txt", "--plies", "20", "--level", "0"];
    book(&folder, &build).assert().success();
    book(&folder, &["export", "-o", "x.emb"]).assert().success();
    let mut bytes = fs::read(folder.path().join("x.emb")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.path().join("bad.emb"), bytes).unwrap();
    fs::write(folder.path().join("bad.dat"), b"XADEKOOB").unwrap();
    for name in ["bad.emb", "bad.dat", "games.txt", "none.emb"] {
        book(&folder, &["import", name])
            .assert()
            .code(2)
            .stderr(predicate::str::contains(name));
    }
    book(&folder, &["import", "bad.dat", "--book", "new"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("ends too early"));
    assert!(!folder.path().join("new").exists());
    sound(&folder);
}

#[test]
fn merged_books_count_every_game_once() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 60);
    write_games(&folder, "more.txt", 6, 60);
    for (name, files) in [
        ("one", &["games.txt"][..]),
        ("other", &["games.txt", "more.txt"]),
        ("all", &["more.txt", "games.txt"]),
    ] {
        let options = ["build", "--book", name, "--plies", "20", "--level", "0"];
        book(&folder, &[&options, files].concat())
            .assert()
            .success();
    }
    book(&folder, &["merge", "one", "other"])
        .assert()
        .success()
        .stdout(predicate::str::contains("60 new games, 60 known before"));
    let found = sound(&folder);
    assert_eq!(found["games"], 120);
    let merged = json(&mut book(&folder, &["query", "f5d6", "--json"]));
    let all = json(&mut book(
        &folder,
        &["query", "f5d6", "--json", "--book", "all"],
    ));
    assert_eq!(merged, all);
    book(&folder, &["merge", "b"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("into itself"));
    book(&folder, &["merge", "nowhere"]).assert().code(2);
}

#[test]
fn a_book_is_trimmed_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 5, 60);
    let build = ["build", "games.txt", "--plies", "60", "--level", "0"];
    book(&folder, &build).assert().success();
    let all = sound(&folder)["positions"].as_u64().unwrap();

    let part = json(&mut book(
        &folder,
        &["subtree", "f5d6", "-o", "part", "--json"],
    ));
    let found = json(&mut book(&folder, &["check", "--json", "--book", "part"]));
    assert_eq!(found["positions"], part["positions"]);
    book(&folder, &["subtree", "f5d6", "-o", "part"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("exists already"));
    book(&folder, &["subtree", "f5d6a1", "-o", "none"])
        .assert()
        .code(2);
    book(&folder, &["subtree", "f5d6c3d3c4f4f6f3e6e7", "-o", "none"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("not in the book"));
    assert!(!folder.path().join("none").exists());

    book(&folder, &["tree", "f5", "--depth", "2", "--width", "2"])
        .assert()
        .success()
        .stdout(predicate::str::contains("├─ ").and(predicate::str::contains("└─ ")));
    let tree = json(&mut book(&folder, &["tree", "f5", "--json"]));
    assert!(tree["branches"][0]["branches"].is_array(), "{tree}");
    book(&folder, &["tree", "--svg", "tree.svg"])
        .assert()
        .success();
    book(&folder, &["stats", "--svg", "stats.svg"])
        .assert()
        .success();
    for name in ["tree.svg", "stats.svg"] {
        let picture = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(
            picture.starts_with("<svg ") && picture.ends_with("</svg>\n"),
            "{name}"
        );
    }
    book(&folder, &["tree", "--svg", "tree.svg"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("--force"));

    // Games that were played to their end have values, so something is given away somewhere.
    book(&folder, &["prune", "--loss", "20"]).assert().success();
    let pruned = sound(&folder)["positions"].as_u64().unwrap();
    assert!(pruned < all, "{pruned} of {all}");
    book(&folder, &["forget", "f5"])
        .assert()
        .success()
        .stdout(predicate::str::contains("positions removed"));
    assert_eq!(sound(&folder)["positions"], 1);
    book(&folder, &["forget", "start"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("whole book"));
    book(&folder, &["prune", "--loss", "-1"]).assert().code(2);
}
