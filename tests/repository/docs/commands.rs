//! Command lines: the shell takes them apart, and the program's own parser judges them.

use super::{Block, Document, documents, none_is, root};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// The lines of a block that somebody would type, those that go on in the next one joined.
fn typed(block: &Block) -> Vec<String> {
    let text = block.text.replace("\\\n", " ");
    let lines = text.lines().map(str::trim);
    if block.is_console() {
        lines
            .filter_map(|line| line.strip_prefix("$ "))
            .map(str::to_owned)
            .collect()
    } else if block.is_shell() {
        lines.map(str::to_owned).collect()
    } else {
        Vec::new()
    }
}

fn is_ours(line: &str) -> bool {
    line.starts_with("emilia ") || line.starts_with("tools/")
}

/// The words of each call of the program in a line, as a shell divides them. Nothing else is run:
/// there is no path to find it by.
fn calls(line: &str) -> Vec<Vec<String>> {
    const SCRIPT: &str = "PATH=; exec 3>&1; emilia() { printf '%s\\0' \"$@\" $'\\n' >&3; }; \
                          tools/emilia() { emilia \"$@\"; }; ";
    let nowhere = tempfile::tempdir().unwrap();
    let output = Command::new("bash")
        .args(["--norc", "-c", &format!("{SCRIPT}{line}")])
        .current_dir(nowhere.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let words: Vec<String> = said.split('\0').map(str::to_owned).collect();
    let (_, calls) = words.split_last().unwrap();
    calls
        .split(|word| word == "\n")
        .map(<[String]>::to_vec)
        .filter(|words| !words.is_empty())
        .collect()
}

/// What is wrong with a line that begins with the program or a tool.
fn trouble(line: &str) -> Option<String> {
    if let Some(tool) = line.split_whitespace().next()
        && tool.starts_with("tools/")
        && tool != "tools/emilia"
    {
        return (!is_program(&root().join(tool))).then(|| "there is no such tool".into());
    }
    let calls = calls(line);
    if calls.is_empty() {
        return Some("a shell finds no command in it".into());
    }
    let is_sketch = |word: &&String| word.contains('…') || word.starts_with('[');
    if let Some(word) = calls.iter().flatten().find(is_sketch) {
        return Some(format!("nobody can type {word}"));
    }
    calls.iter().find_map(|words| {
        let words = ["emilia"]
            .into_iter()
            .chain(words.iter().map(String::as_str));
        let parsed = emilia::cli::command().try_get_matches_from(words);
        // To show help is no failure, but clap has it among its errors.
        let error = parsed.err().filter(|error| error.use_stderr())?;
        error.to_string().lines().next().map(str::to_owned)
    })
}

fn is_program(path: &Path) -> bool {
    let executable = |about: std::fs::Metadata| about.permissions().mode() & 0o111 != 0;
    path.metadata().is_ok_and(executable)
}

#[test]
fn every_command_line_is_one_that_the_program_takes() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for document in documents() {
        for line in document.blocks.iter().flat_map(typed) {
            if !is_ours(&line) {
                continue;
            }
            tried += 1;
            if let Some(trouble) = trouble(&line) {
                wrong.push(format!("{}: {line}: {trouble}", document.name()));
            }
        }
    }
    none_is(
        "command lines that do not work (a sketch is fenced as text)",
        &wrong,
    );
    assert!(tried > 50, "only {tried} command lines were found");
}

#[test]
fn a_command_line_that_does_not_work_is_found() {
    for line in [
        "emilia book query f5d6c3 --search 12   # a comment",
        "tools/emilia match 'emilia level=8' iago --games 10 > table.txt",
        "emilia games convert *.wtb -o - --format txt | head",
        "emilia book --help",
        "tools/test --quick",
    ] {
        assert_eq!(trouble(line), None, "{line}");
    }
    for line in [
        "emilia book query --serch",
        "emilia book querry",
        "emilia book expand --time soon",
        "emilia match 'emilia level=8'",
        "emilia book build GAMES… [--level L]",
        "emilia book export -o mine.emb && emilia book import",
        "tools/no-such-tool",
    ] {
        assert!(trouble(line).is_some(), "{line}");
    }
}

/// What is wrong with a command between backticks, where arguments may be left out: its name or one
/// of its flags. None if it is no command.
fn trouble_in_quote(quote: &str, program: &clap::Command) -> Option<String> {
    let mut words = quote.split_whitespace().peekable();
    let named = words.next_if_eq(&"emilia").is_some();
    let mut command = program;
    while let Some(below) = words.peek().and_then(|word| command.find_subcommand(word)) {
        command = below;
        words.next();
    }
    let is_whole = !command.has_subcommands();
    let is_command = named || is_whole && quote.contains(' ');
    if !is_command {
        return None;
    }
    if named && !is_whole && words.peek().is_some_and(|word| !word.starts_with('-')) {
        return Some("there is no such command".into());
    }
    let takes = |flag: &str| {
        command
            .get_arguments()
            .any(|argument| argument.get_long() == Some(flag))
    };
    words
        .filter_map(|word| word.strip_prefix("--"))
        .map(|flag| flag.split(['=', ',', ']']).next().unwrap_or_default())
        .find(|flag| !flag.is_empty() && *flag != "help" && !takes(flag))
        .map(|flag| format!("it has no --{flag}"))
}

fn program() -> clap::Command {
    let mut program = emilia::cli::command();
    // So that every command knows the flags of all.
    program.build();
    program
}

#[test]
fn every_command_in_backticks_is_there_with_its_flags() {
    let program = program();
    let mut wrong = Vec::new();
    for document in documents() {
        for quote in &document.quotes {
            if let Some(trouble) = trouble_in_quote(quote, &program) {
                wrong.push(format!("{}: {quote}: {trouble}", document.name()));
            }
        }
    }
    none_is("commands that are not there", &wrong);
}

#[test]
fn a_flag_that_is_not_there_is_found_between_backticks() {
    let program = program();
    let trouble = |quote: &str| trouble_in_quote(quote, &program);
    for quote in [
        "emilia book query",
        "book query --years 2000-2015 --player NAME",
        "emilia serve --book",
        "emilia",
        "query",
        "book of games",
        "emilia bench -v --color always",
    ] {
        assert_eq!(trouble(quote), None, "{quote}");
    }
    for quote in ["emilia book querry", "book query --serch", "emilia surf"] {
        assert!(trouble(quote).is_some(), "{quote}");
    }
}

#[test]
fn what_is_fenced_as_text_is_no_command() {
    let text = "    emilia bench\n\n```text\nemilia sketch\n```\n\n```sh\nemilia \\\n  perft 3\n```\n\n\
                ```console\n$ emilia doctor\nemilia says much\n```\n";
    let document = Document::of(Path::new("x.md"), text);
    let lines: Vec<String> = document.blocks.iter().flat_map(typed).collect();
    assert_eq!(
        lines,
        ["emilia bench", "emilia    perft 3", "emilia doctor"]
    );
}
