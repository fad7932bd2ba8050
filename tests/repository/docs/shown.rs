//! Files that a document shows whole.

use super::{documents, none_is, root};
use std::fs;

#[test]
fn a_file_that_is_shown_is_shown_as_it_is() {
    let mut shown = 0;
    let mut different = Vec::new();
    for document in documents() {
        for block in &document.blocks {
            let paths = block.words.iter().skip(1).filter(|word| word.contains('/'));
            for path in paths {
                shown += 1;
                if fs::read_to_string(root().join(path)).ok().as_ref() != Some(&block.text) {
                    different.push(format!("{}: {path}", document.name()));
                }
            }
        }
    }
    assert!(shown > 0);
    none_is("a file is not what a document shows", &different);
}
