//! Links, anchors and paths.

use super::{Document, documents, none_is, root};
use std::path::Path;

/// What is wrong with where a link leads; none for other sites, which nobody asks from here.
fn trouble(document: &Document, target: &str, all: &[Document]) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (target, None),
    };
    let folder = document.path.parent().unwrap_or(Path::new(""));
    let path = match file {
        "" => document.path.clone(),
        file => folder.join(file),
    };
    let Ok(path) = path.canonicalize() else {
        return Some("there is no such file".into());
    };
    if !path.starts_with(root().canonicalize().unwrap()) {
        return Some("it lies outside the repository".into());
    }
    let anchor = anchor?;
    let linked = all
        .iter()
        .find(|one| one.path.canonicalize().is_ok_and(|one| one == path));
    match linked {
        None => Some("only documents have anchors".into()),
        Some(linked) if linked.anchors.iter().any(|name| name == anchor) => None,
        Some(linked) => Some(format!("{} has no heading of that name", linked.name())),
    }
}

#[test]
fn every_link_leads_somewhere() {
    let all = documents();
    let mut broken = Vec::new();
    let mut followed = 0;
    for document in &all {
        for target in &document.targets {
            followed += 1;
            if let Some(trouble) = trouble(document, target, &all) {
                broken.push(format!("{}: {target}: {trouble}", document.name()));
            }
        }
    }
    none_is("links that lead nowhere", &broken);
    assert!(followed > 50, "only {followed} links were found");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let text = "# What's `new` here\n## Twice\n## Twice\n[a](nowhere.md) [b](#nothing) \
                [c](../shared/style.md) [d](Cargo.toml#x) [e](#whats-new-here) [f](#twice-1) \
                [g](Cargo.toml) [h](https://example.org)";
    let document = Document::of(&root().join("README.md"), text);
    let all = [document];
    let found: Vec<&str> = all[0]
        .targets
        .iter()
        .filter(|target| trouble(&all[0], target, &all).is_some())
        .map(String::as_str)
        .collect();
    let broken = [
        "nowhere.md",
        "#nothing",
        "../shared/style.md",
        "Cargo.toml#x",
    ];
    assert_eq!(found, broken);
}

/// The file or folder of the repository that a quote begins with.
fn path_in(quote: &str) -> Option<&str> {
    let word = quote.split_whitespace().next()?;
    let ours = ["src/", "tests/", "tools/", "docs/", "book/", "benches/"];
    let is_pattern = word.contains(['*', '…', '{', '<', '$']);
    (ours.iter().any(|folder| word.starts_with(folder)) && !is_pattern).then_some(word)
}

#[test]
fn every_path_in_backticks_is_there() {
    let mut missing = Vec::new();
    let mut seen = 0;
    for document in documents() {
        for path in document.quotes.iter().filter_map(|quote| path_in(quote)) {
            seen += 1;
            if !root().join(path).exists() {
                missing.push(format!("{}: {path}", document.name()));
            }
        }
    }
    none_is("paths that are not there", &missing);
    assert!(seen > 50, "only {seen} paths were found");
}

#[test]
fn every_chapter_is_linked_to_from_the_readme() {
    let all = documents();
    let readme = all.iter().find(|one| one.name() == "README.md").unwrap();
    let unlinked: Vec<String> = all
        .iter()
        .map(Document::name)
        .filter(|name| name != "README.md" && !readme.targets.contains(name))
        .collect();
    none_is("chapters that the README does not name", &unlinked);
}
