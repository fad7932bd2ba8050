//! The documents are held to what is there: a link leads somewhere, a path in backticks exists, a
//! command line is one that the program takes, and the README's tour prints what it shows.
//!
//! How a command line is told from a sketch of one: an indented block and one fenced as `sh` hold
//! command lines; one fenced as `console` has them after `$ ` with what they print, and in the
//! README they are run; what is fenced as anything else, such as `text`, is not looked at. In what
//! is printed `…` stands for anything, and behind `console roughly` any number for any other: those
//! change with the machine or with the search. A block with the path of a file behind its language
//! shows that file as it is.

mod commands;
mod links;
mod shown;
mod tour;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of Markdown, taken apart.
struct Document {
    path: PathBuf,
    /// The names by which parts of it can be linked to.
    anchors: Vec<String>,
    /// Where its links and pictures lead.
    targets: Vec<String>,
    /// What it has between backticks.
    quotes: Vec<String>,
    blocks: Vec<Block>,
}

/// A block of code.
struct Block {
    /// The words behind the fence; none if the block is indented or the fence says nothing.
    words: Vec<String>,
    text: String,
}

impl Block {
    /// It holds lines for a shell and nothing else.
    fn is_shell(&self) -> bool {
        matches!(self.language(), None | Some("sh" | "bash"))
    }

    /// It shows what is typed and what comes back.
    fn is_console(&self) -> bool {
        self.language() == Some("console")
    }

    /// Its numbers are examples.
    fn is_rough(&self) -> bool {
        self.words.iter().any(|word| word == "roughly")
    }

    fn language(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every chapter, and what lies beside the README.
fn documents() -> Vec<Document> {
    let mut paths: Vec<PathBuf> = [root(), root().join("docs")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.sort();
    paths.iter().map(|path| Document::read(path)).collect()
}

impl Document {
    fn read(path: &Path) -> Document {
        let text = fs::read_to_string(path).unwrap();
        Document::of(path, &text)
    }

    fn of(path: &Path, text: &str) -> Document {
        let mut document = Document {
            path: path.to_owned(),
            anchors: Vec::new(),
            targets: Vec::new(),
            quotes: Vec::new(),
            blocks: Vec::new(),
        };
        let mut heading: Option<String> = None;
        let mut block: Option<Block> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let words = heading.take().unwrap_or_default();
                    document.add_anchor(&words);
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.targets.push(dest_url.into_string());
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let words = match kind {
                        CodeBlockKind::Indented => Vec::new(),
                        CodeBlockKind::Fenced(words) => {
                            words.split_whitespace().map(str::to_owned).collect()
                        }
                    };
                    let text = String::new();
                    block = Some(Block { words, text });
                }
                Event::End(TagEnd::CodeBlock) => document.blocks.extend(block.take()),
                Event::Code(quote) => {
                    heading.iter_mut().for_each(|words| words.push_str(&quote));
                    document.quotes.push(quote.into_string());
                }
                Event::Text(text) => match (&mut block, &mut heading) {
                    (Some(block), _) => block.text.push_str(&text),
                    (None, Some(words)) => words.push_str(&text),
                    (None, None) => {}
                },
                _ => {}
            }
        }
        document
    }

    /// As web pages of repositories name headings: small letters, hyphens for spaces, no other
    /// signs; a name that is there already gets a number.
    fn add_anchor(&mut self, words: &str) {
        let named = |sign: char| match sign {
            ' ' => Some('-'),
            '-' | '_' => Some(sign),
            _ => sign.is_alphanumeric().then_some(sign),
        };
        let name: String = words.to_lowercase().chars().filter_map(named).collect();
        let numbered = |number: usize| match number {
            0 => name.clone(),
            _ => format!("{name}-{number}"),
        };
        let free = (0..)
            .map(numbered)
            .find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }

    /// For messages.
    fn name(&self) -> String {
        let name = self.path.strip_prefix(root()).unwrap_or(&self.path);
        name.display().to_string()
    }
}

/// Fails with all that is wrong, not only with the first of it.
fn none_is(wrong: &str, found: &[String]) {
    assert!(found.is_empty(), "{wrong}:\n  {}", found.join("\n  "));
}
