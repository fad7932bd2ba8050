//! The house has rooms, and doors only where the map in `src/lib.rs` shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The rooms of the map's table and what each may import; `all` means every other room.
fn rooms_of_the_map() -> BTreeMap<String, BTreeSet<String>> {
    let map = fs::read_to_string(source().join("lib.rs")).unwrap();
    let rows: Vec<[String; 3]> = map
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `"))
        .map(|row| {
            let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_owned()).collect();
            [
                cells[0].trim_end_matches('`').to_owned(),
                cells[1].clone(),
                cells[2].clone(),
            ]
        })
        .collect();
    let names: BTreeSet<String> = rows.iter().map(|[name, ..]| name.clone()).collect();
    rows.into_iter()
        .map(|[name, _, imports]| {
            let allowed = if imports == "all" {
                names.clone()
            } else {
                imports
                    .split(',')
                    .map(|room| room.trim().trim_matches('`').to_owned())
                    .filter(|room| !room.is_empty())
                    .collect()
            };
            (name, allowed)
        })
        .collect()
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The lines of code without comments, numbered from 1.
fn code_lines(file: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.split("//").next().unwrap_or("").to_owned()))
        .collect()
}

/// The rooms that a line names as `crate::room`, also inside `use crate::{a, b}`.
fn rooms_named(line: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let names = match rest.strip_prefix('{') {
            Some(group) => group
                .split('}')
                .next()
                .unwrap_or(group)
                .split(',')
                .collect(),
            None => vec![rest],
        };
        for name in names {
            let room: String = name
                .trim()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if !room.is_empty() {
                rooms.push(room);
            }
        }
    }
    rooms
}

fn room_of(file: &Path) -> String {
    let inside = file.strip_prefix(source()).unwrap();
    let first = inside.iter().next().unwrap().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn every_room_is_on_the_map_and_every_room_of_the_map_is_built() {
    let map = rooms_of_the_map();
    let built: BTreeSet<String> = fs::read_dir(source())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(built, map.keys().cloned().collect());
}

#[test]
fn a_room_imports_only_from_the_rooms_its_row_names() {
    let map = rooms_of_the_map();
    let mut violations = Vec::new();
    for file in rust_files(&source()) {
        let room = room_of(&file);
        let Some(allowed) = map.get(&room) else {
            continue;
        };
        // A room's tests may come in by the doors of the rooms above it.
        if file.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        for (number, line) in code_lines(&file) {
            for named in rooms_named(&line) {
                if named != room && map.contains_key(&named) && !allowed.contains(&named) {
                    let place = file.strip_prefix(source()).unwrap().display();
                    violations.push(format!("{place}:{number}: {room} imports {named}"));
                }
            }
        }
    }
    assert!(
        violations.is_empty(),
        "not on the map:\n{}",
        violations.join("\n")
    );
}

/// A crate, and the only places under `src/` that may name it.
const KEEPERS: [(&str, &[&str]); 4] = [
    ("anyhow", &["cli/"]),
    ("rocksdb", &["book/store"]),
    ("bincode", &["book/position/codec.rs", "cluster/wire.rs"]),
    ("async_nats", &["cluster/"]),
];

#[test]
fn a_crate_with_a_keeper_is_used_by_nobody_else() {
    for (name, keepers) in KEEPERS {
        for file in rust_files(&source()) {
            let place = file.strip_prefix(source()).unwrap().display().to_string();
            if keepers.iter().any(|keeper| place.starts_with(keeper)) {
                continue;
            }
            for (number, line) in code_lines(&file) {
                let uses =
                    line.contains(&format!("{name}::")) || line.contains(&format!("use {name}"));
                assert!(
                    !uses,
                    "{place}:{number} uses {name}, which is for {keepers:?} only"
                );
            }
        }
    }
}

#[test]
fn unsafe_code_stays_in_its_places_and_gives_its_reason() {
    const PLACES: [&str; 3] = ["othello/kernel/", "search/table.rs", "eval/"];
    for file in rust_files(&source()) {
        let place = file.strip_prefix(source()).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in code_lines(&file) {
            if !line.contains("unsafe {") {
                continue;
            }
            assert!(
                PLACES.iter().any(|p| place.starts_with(p)),
                "{place}:{number}: unsafe"
            );
            let reason = lines[..number]
                .iter()
                .rev()
                .take(4)
                .any(|l| l.contains("// SAFETY:"));
            assert!(
                reason,
                "{place}:{number}: unsafe without a SAFETY comment above it"
            );
        }
    }
}
