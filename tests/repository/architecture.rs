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

/// The code without its comments, line by line as in the file.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    code.collect::<Vec<_>>().join("\n")
}

/// The number of the line that a place in a text is on.
fn line_at(text: &str, place: usize) -> usize {
    1 + text[..place].matches('\n').count()
}

fn first_name(text: &str) -> String {
    let is_of_name = |c: &char| c.is_alphanumeric() || *c == '_';
    text.trim_start().chars().take_while(is_of_name).collect()
}

/// The rooms that code names as `crate::room`, also inside `use crate::{a, b::{c, d}}` over any
/// number of lines, each with the place where it does so.
fn rooms_named(code: &str) -> Vec<(usize, String)> {
    let mut rooms = Vec::new();
    for (place, door) in code.match_indices("crate::") {
        let rest = &code[place + door.len()..];
        if !rest.starts_with('{') {
            rooms.push((place, first_name(rest)));
            continue;
        }
        let mut depth = 0;
        for (offset, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 1 && matches!(c, '{' | ',') {
                let here = place + door.len() + offset;
                rooms.push((here, first_name(&rest[offset + 1..])));
            }
            if depth == 0 {
                break;
            }
        }
    }
    rooms.retain(|(_, room)| !room.is_empty());
    rooms
}

#[test]
fn imports_are_found_however_they_are_written() {
    let named = |code: &str| -> Vec<String> {
        let rooms = rooms_named(code).into_iter();
        rooms.map(|(_, room)| room).collect()
    };
    assert_eq!(named("use crate::book::{self, Store};"), ["book"]);
    assert_eq!(
        named("use crate::{book, engine::Player};"),
        ["book", "engine"]
    );
    assert_eq!(
        named("use crate::{\n    book::{\n        look, Store,\n    },\n    cli,\n};\nuse x::{y};"),
        ["book", "cli"]
    );
    assert_eq!(
        named("let a = crate::search::bench(crate::cli::B);"),
        ["search", "cli"]
    );
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
        let code = code_of(&file);
        for (place, named) in rooms_named(&code) {
            if named != room && map.contains_key(&named) && !allowed.contains(&named) {
                let file = file.strip_prefix(source()).unwrap().display();
                let number = line_at(&code, place);
                violations.push(format!("{file}:{number}: {room} imports {named}"));
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
    (
        "bincode",
        &["book/position/codec/mod.rs", "cluster/wire.rs"],
    ),
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
            let code = code_of(&file);
            let uses = [format!("{name}::"), format!("use {name}")];
            let used = uses.iter().find_map(|text| code.find(text));
            if let Some(at) = used {
                let number = line_at(&code, at);
                panic!("{place}:{number} uses {name}, which is for {keepers:?} only");
            }
        }
    }
}

/// Where code may be unsafe: what the CPU and the system give, and the door of WebAssembly, whose
/// names must be as the page calls them.
const UNSAFE_PLACES: [&str; 7] = [
    "browser/exports.rs",
    "eval/features.rs",
    "eval/pair_tables.rs",
    "eval/table.rs",
    "machine/huge_pages.rs",
    "othello/kernel/",
    "search/table.rs",
];

/// The places of the word where it opens a block, a function, an implementation or an attribute.
fn unsafe_words(code: &str) -> Vec<usize> {
    let is_alone = |place: &usize| {
        let is_of_word = |c: char| c.is_alphanumeric() || "_-'\"".contains(c);
        let after = code[place + "unsafe".len()..].chars().next();
        !code[..*place].ends_with(is_of_word) && !after.is_some_and(is_of_word)
    };
    let all = code.match_indices("unsafe").map(|(place, _)| place);
    all.filter(is_alone).collect()
}

#[test]
fn every_kind_of_unsafe_code_is_found() {
    for code in [
        "unsafe { go() }",
        "unsafe fn go() {}",
        "unsafe impl Send for X {}",
        "unsafe\n{ go() }",
        "#[unsafe(no_mangle)]",
        "unsafe extern \"C\" {}",
    ] {
        assert_eq!(unsafe_words(code).len(), 1, "{code}");
    }
    assert!(unsafe_words("let not_unsafe = \"'wasm-unsafe-eval'\";").is_empty());
}

#[test]
fn unsafe_code_stays_in_its_places_and_gives_its_reason() {
    for file in rust_files(&source()) {
        let place = file.strip_prefix(source()).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let code = code_of(&file);
        for at in unsafe_words(&code) {
            let number = line_at(&code, at);
            assert!(
                UNSAFE_PLACES.iter().any(|p| place.starts_with(p)),
                "{place}:{number}: unsafe"
            );
            if code[..at].ends_with("#[") {
                // An attribute that only keeps a name as it is.
                continue;
            }
            // A function that is unsafe says in its documentation what its caller must see to.
            let above = lines[..number].iter().rev().take(4);
            let gives_reason = |l: &&str| l.contains("// SAFETY:") || l.contains("/// # Safety");
            assert!(
                above.clone().any(gives_reason),
                "{place}:{number}: unsafe without a SAFETY comment above it"
            );
        }
    }
}

#[test]
fn every_place_that_a_rule_names_exists() {
    let keepers = KEEPERS.iter().flat_map(|(_, places)| places.iter());
    for place in keepers.chain(&UNSAFE_PLACES) {
        assert!(source().join(place).exists(), "src/{place}");
    }
}
