//! Every command of the tree, held to the same rules: a `--help` with examples, a flag means one
//! thing, exit codes 0, 1, 2 and 130, `--json`, no file replaced without `--force`, Ctrl-C. The
//! commands come from the program itself: a new one that is not in the list below fails the test.
//! What was found is the table in docs/commands.md; `EMILIA_WRITE_TABLE=1` writes it anew.

mod trials;
mod wordings;

use crate::servers::Nats;
use assert_cmd::Command;
use emilia::book::{Node, NodeKey, Origin, Store};
use emilia::games::{Format, GameWriter, SampleGames};
use emilia::othello::{Bitboard, Board};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use trials::{Trial, trials};
use wordings::AGREED;

/// The commands that do something, as a user writes them.
fn leaves(command: &clap::Command, above: &str, found: &mut Vec<(String, clap::Command)>) {
    for below in command.get_subcommands() {
        let name = format!("{above} {}", below.get_name());
        if below.has_subcommands() {
            leaves(below, &name, found);
        } else {
            found.push((name.trim().to_owned(), below.clone()));
        }
    }
}

fn tree() -> Vec<(String, clap::Command)> {
    let mut found = Vec::new();
    leaves(&emilia::cli::command(), "", &mut found);
    found
}

/// Where the NATS server of the trials is.
static SERVER: OnceLock<String> = OnceLock::new();

/// A folder with everything that the trials need; each gets a copy.
fn template() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let games = |count: usize| {
        let mut writer = GameWriter::new(Format::Transcript, Cursor::new(Vec::new())).unwrap();
        let all = SampleGames::new(5).take(count);
        all.for_each(|game| writer.write(&game).unwrap());
        writer.finish().unwrap().0.into_inner()
    };
    fs::write(path("games.txt"), games(20)).unwrap();
    fs::write(path("few.txt"), games(5)).unwrap();
    // A year to learn from, and one that is held out.
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games/sample.wtb");
    fs::create_dir(path("years")).unwrap();
    for year in ["years/WTH_1999.wtb", "years/WTH_2010.wtb"] {
        fs::copy(&sample, path(year)).unwrap();
    }
    let weights = emilia::eval::Evaluator::small_file();
    fs::write(path("small.emw"), weights).unwrap();
    for name in ["there.svg", "there.emb", "there.txt", "there.emw"] {
        fs::write(path(name), "mine").unwrap();
    }
    fs::create_dir(path("there")).unwrap();
    for name in ["there/emilia.1", "there/chen.bin"] {
        fs::write(path(name), "mine").unwrap();
    }
    let ending = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    fs::write(path("right.obf"), format!("{ending}; G8:+18; H1:+12;\n")).unwrap();
    fs::write(path("wrong.obf"), format!("{ending}; G8:+16; H1:+12;\n")).unwrap();
    for command in [
        "book build games.txt --level 1 --plies 10",
        "book build few.txt --level 1 --plies 10 --book other",
        "book export -o kept.emb",
        "book backup backups",
        "train selfplay -o shards --seed 1 --shards 1 --games 12 --depth 1 --solve-from 4",
    ] {
        let status = run(folder.path(), command).status;
        assert!(status.success(), "{command}");
    }
    copied_into(&path("other"), &path("broken"));
    break_book(&path("broken"));
    folder
}

/// Puts a position into a book in which nobody can move: no game leads there.
fn break_book(path: &Path) {
    let store = Store::open(path).unwrap();
    let over = Board::new(Bitboard(0xff), Bitboard::EMPTY).unwrap();
    let mut batch = store.batch().unwrap();
    batch.put_node(NodeKey::of(over), &Node::new(Origin::Import));
    batch.commit().unwrap();
    store.sync().unwrap();
}

fn copied(from: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(from, folder.path());
    folder
}

fn copied_into(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    copy(from, to);
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn emilia(folder: &Path, command: &str) -> std::process::Command {
    let mut emilia = std::process::Command::new(env!("CARGO_BIN_EXE_emilia"));
    emilia
        .current_dir(folder)
        .env("EMILIA_BOOK", "book")
        .env("HOME", folder)
        .env_remove("XDG_DATA_HOME")
        .env_remove("EMILIA_TOKEN")
        .env_remove("EMILIA_LOG")
        .args(command.split_whitespace().map(with_server))
        .stdin(Stdio::null());
    emilia
}

fn with_server(word: &str) -> &str {
    match (word, SERVER.get()) {
        ("nats://SERVER", Some(server)) => server,
        _ => word,
    }
}

fn run(folder: &Path, command: &str) -> std::process::Output {
    emilia(folder, command).output().unwrap()
}

/// Ends with this code, and says nothing of a panic.
fn ends_with(folder: &Path, command: &str, code: i32) -> String {
    let output = run(folder, command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "emilia {command}: {said}");
    assert!(!said.contains("panicked"), "emilia {command}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// As a shell sees it.
fn shell_code(status: ExitStatus) -> Option<i32> {
    status.code().or_else(|| Some(128 + status.signal()?))
}

/// When a command is interrupted.
#[derive(Clone, Copy)]
enum Moment {
    After(Duration),
    /// When it is at its work, which the processor tells; those that wait for somebody have some time
    /// for it.
    AtWork,
}

impl Moment {
    fn wait(self, child: &Child) {
        let began = Instant::now();
        let has_come = || match self {
            Moment::After(time) => began.elapsed() >= time,
            Moment::AtWork => {
                computed(child) >= Duration::from_millis(500)
                    || began.elapsed() >= Duration::from_millis(1500)
            }
        };
        while !has_come() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// How long a process has computed, where the system tells it.
fn computed(child: &Child) -> Duration {
    let told = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    // The name may contain anything; behind it the 12th and 13th word are hundredths of seconds.
    let words = told.rsplit(')').next().unwrap_or_default();
    let ticks = words.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|word| word.parse().ok())
        .map(|ticks: u64| Duration::from_millis(10 * ticks))
        .sum()
}

/// Starts a command, waits, sends what Ctrl-C sends, and tells how it ended.
fn interrupted(folder: &Path, command: &str, moment: Moment) -> (ExitStatus, String) {
    let mut child = emilia(folder, command)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    moment.wait(&child);
    let id = child.id().to_string();
    let _ = std::process::Command::new("kill")
        .args(["-INT", &id])
        .stderr(Stdio::null())
        .status();
    // For ever is too long; anything less is said by no test.
    let until = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("emilia {command} does not hear Ctrl-C");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut said = String::new();
    let mut errors = child.stderr.take().unwrap();
    errors.read_to_string(&mut said).unwrap();
    (child.wait().unwrap(), said)
}

/// What a command that was stopped may leave: nothing half, and a book that is right.
fn is_tidy(folder: &Path, command: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_string_lossy();
        assert!(
            !name.starts_with(".emilia"),
            "emilia {command} leaves {name}"
        );
    }
    if command.starts_with("book") {
        let found = ends_with(folder, "book check --json", 0);
        assert!(
            found.contains("\"sound\":true"),
            "emilia {command}: {found}"
        );
    }
}

fn has(command: &clap::Command, flag: &str) -> bool {
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(flag))
}

/// Holds a command to the rules, and gives its row of the table.
fn try_out(template: &Path, command: &clap::Command, trial: &Trial) -> String {
    let name = trial.name;
    let here = || copied(template);
    // What only tells, or refuses, has one folder: it changes nothing there.
    let only_read = here();
    let help = ends_with(only_read.path(), &format!("{name} --help"), 0);
    assert!(
        help.contains(&format!("Usage: emilia {name}")),
        "{name}: {help}"
    );
    assert!(help.contains("Example"), "{name} --help has no example");
    ends_with(only_read.path(), &format!("{name} --no-such-flag"), 2);
    if !trial.wrong.is_empty() {
        ends_with(only_read.path(), trial.wrong, 2);
    }
    for (words, code) in [(trial.done, 0), (trial.no, 1)] {
        if words.is_empty() {
            continue;
        }
        ends_with(here().path(), words, code);
        if has(command, "json") {
            let words = format!("{words} --json");
            let out = ends_with(here().path(), &words, code);
            for line in out.lines() {
                let parsed = serde_json::from_str::<serde_json::Value>(line);
                assert!(parsed.is_ok(), "emilia {words}: {line}");
            }
        }
    }
    let json = match (has(command, "json"), trial.no_json) {
        (true, "") => "yes",
        (false, why) if !why.is_empty() => why,
        (has, why) => panic!("{name}: --json is there: {has}, and the list says '{why}'"),
    };
    let replaces = match (trial.replaces, trial.keeps) {
        ("", "") => "–",
        ("", words) => {
            let before = mine(only_read.path());
            ends_with(only_read.path(), words, 2);
            assert_eq!(mine(only_read.path()), before, "emilia {words}");
            "refused"
        }
        (words, _) => {
            refuses_to_replace(only_read.path(), words);
            begins_nothing_without_a_folder(only_read.path(), words);
            let takes_hours = name.starts_with("train") && !trial.endless.is_empty();
            if !takes_hours {
                ends_with(here().path(), &format!("{words} --force"), 0);
            }
            assert!(has(command, "force"), "{name}");
            "refused, `--force`"
        }
    };
    let quick = [trial.done, trial.no]
        .into_iter()
        .find(|words| !words.is_empty());
    let stops = match (trial.endless, quick) {
        ("", None) => panic!("{name}: nothing says whether it hears Ctrl-C"),
        ("", Some(words)) => {
            for after in [5, 40, 120] {
                let here = here();
                let (status, said) = interrupted(
                    here.path(),
                    words,
                    Moment::After(Duration::from_millis(after)),
                );
                let code = shell_code(status);
                assert!(
                    matches!(code, Some(0 | 130)) || words == trial.no && code == Some(1),
                    "emilia {words}: {code:?} {said}"
                );
                is_tidy(here.path(), words);
            }
            "done, or 130; nothing half is left"
        }
        (words, _) => {
            let here = here();
            let (status, said) = interrupted(here.path(), words, Moment::AtWork);
            assert_eq!(shell_code(status), Some(130), "emilia {words}: {said}");
            is_tidy(here.path(), words);
            "130"
        }
    };
    let no = match trial.no {
        "" => "–".to_owned(),
        words => format!("`{}`", words.replace('|', "\\|")),
    };
    format!("| `{name}` | {no} | {json} | {replaces} | {stops} |\n")
}

fn refuses_to_replace(folder: &Path, words: &str) {
    let before = mine(folder);
    let output = run(folder, words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "emilia {words}: {said}");
    assert!(said.contains("--force"), "emilia {words}: {said}");
    assert_eq!(mine(folder), before, "emilia {words}");
}

/// What cannot be written in the end is not begun; commands that make their folder have no such file.
fn begins_nothing_without_a_folder(folder: &Path, words: &str) {
    let elsewhere = words.replace(" there.", " nowhere/there.");
    if elsewhere != words {
        let output = run(folder, &elsewhere);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "emilia {elsewhere}: {said}");
        assert!(said.contains("no folder nowhere"), "{elsewhere}: {said}");
    }
}

/// What must not be touched, by name.
fn mine(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    [
        "there.svg",
        "there.emb",
        "there.txt",
        "there.emw",
        "there/emilia.1",
        "there/chen.bin",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), fs::read(folder.join(name)).unwrap()))
    .collect()
}

const HEAD: &str = "# The commands

Made by `tests/cli/tree.rs`, which walks all commands of the program and holds each to the same rules: \
`--help` with an example; exit code 0 when it is done, 1 when the answer is no, 2 for bad use or input, \
130 after Ctrl-C, with `--json` or without; one JSON object per line and nothing else on standard output; \
a file that is there is replaced only with `--force`. Do not edit it: `EMILIA_WRITE_TABLE=1 tools/cargo test \
--test cli tree` writes it.

| command | the answer is no (1) | `--json` | what it would replace | Ctrl-C |
|---|---|---|---|---|
";

#[test]
fn every_command_keeps_the_rules_and_the_table_says_so() {
    let trials = trials();
    let tree = tree();
    let names: Vec<&str> = tree.iter().map(|(name, _)| name.as_str()).collect();
    let mut tried: Vec<&str> = trials.iter().map(|trial| trial.name).collect();
    tried.sort_unstable();
    let mut expected = names.clone();
    expected.sort_unstable();
    assert_eq!(
        tried, expected,
        "the list of trials and the tree of commands"
    );
    let server = Nats::start();
    SERVER.set(server.url().to_owned()).unwrap();
    let template = template();
    // Much of it is waiting, so that several are tried at a time; and all of them, whatever is wrong
    // with one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
    let rows: Vec<Option<String>> = pool.unwrap().install(|| {
        let row = |trial: &Trial| {
            let (_, command) = tree.iter().find(|(name, _)| name == trial.name).unwrap();
            catch_unwind(AssertUnwindSafe(|| {
                try_out(template.path(), command, trial)
            }))
            .ok()
        };
        trials.par_iter().with_max_len(1).map(row).collect()
    });
    let broken: Vec<&str> = trials
        .iter()
        .zip(&rows)
        .filter(|(_, row)| row.is_none())
        .map(|(trial, _)| trial.name)
        .collect();
    assert!(
        broken.is_empty(),
        "they break the rules, see above: {broken:?}"
    );
    let table = HEAD.to_owned() + &rows.into_iter().flatten().collect::<String>();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    if std::env::var_os("EMILIA_WRITE_TABLE").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        written, table,
        "docs/commands.md is old: EMILIA_WRITE_TABLE=1 writes it"
    );
}

#[test]
fn a_flag_takes_the_same_thing_wherever_it_stands() {
    let mut flags: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for (name, command) in tree() {
        for arg in command.get_arguments() {
            let Some(flag) = arg.get_long() else { continue };
            let takes = arg.get_action().takes_values();
            let value = match (takes, arg.get_value_names()) {
                (false, _) => "nothing".to_owned(),
                (true, Some(names)) => names.join(" "),
                (true, None) => panic!("{name} --{flag} does not say what it takes"),
            };
            let commands = flags.entry(flag.to_owned()).or_default();
            commands.entry(value).or_default().push(name.clone());
        }
    }
    // Written is a file, or a folder where a book or shards are. Plies are as many at most, and an
    // audit may leave out the first ones.
    flags.remove("output");
    flags.remove("plies");
    flags.retain(|_, values| values.len() > 1);
    assert!(flags.is_empty(), "{flags:#?}");
}

/// What a help text says a flag is, without what is added behind it.
fn first_sentence(help: &str) -> String {
    let until = help.find(['\n', '[', ';', ':']).unwrap_or(help.len());
    let sentence = help[..until].split(". ").next().unwrap_or_default();
    sentence.trim().trim_end_matches('.').to_owned()
}

#[test]
fn a_flag_says_the_same_thing_wherever_it_stands() {
    let mut flags: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for (name, command) in tree() {
        for arg in command.get_arguments() {
            let Some(flag) = arg.get_long() else { continue };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let says = first_sentence(&help);
            let commands = flags.entry(flag.to_owned()).or_default();
            commands.entry(says).or_default().push(name.clone());
        }
    }
    flags.retain(|_, wordings| wordings.len() > 1);
    for (flag, agreed) in AGREED {
        let wordings = flags.get_mut(*flag);
        let wordings = wordings.unwrap_or_else(|| panic!("--{flag} has one wording only"));
        for wording in *agreed {
            let there = wordings.remove(*wording);
            assert!(there.is_some(), "nobody says of --{flag}: {wording}");
        }
    }
    flags.retain(|_, wordings| !wordings.is_empty());
    assert!(
        flags.is_empty(),
        "they mean several things, or tests/cli/tree/wordings.rs does not know that they mean one: \
         {flags:#?}"
    );
}

#[test]
fn the_binary_completes_for_every_shell_and_its_pages_name_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = ends_with(folder.path(), &format!("completions {shell}"), 0);
        assert!(script.contains("play-out"), "{shell}");
    }
    ends_with(folder.path(), "manual pages", 0);
    for (name, _) in tree() {
        let page = format!("pages/emilia-{}.1", name.replace(' ', "-"));
        let page = fs::read_to_string(folder.path().join(&page)).expect(&page);
        assert!(page.contains(".SH NAME"), "{name}");
    }
    assert!(folder.path().join("pages/emilia.1").exists());
}

#[test]
fn a_bad_variable_for_the_log_is_told_and_colours_obey() {
    let template = template();
    let emilia = |words: &str| {
        let mut command = Command::from_std(emilia(template.path(), words));
        command.env_remove("NO_COLOR");
        command
    };
    let told = predicates::str::contains("EMILIA_LOG is not heeded: 'loud' is no level");
    emilia("perft 1")
        .env("EMILIA_LOG", "loud")
        .assert()
        .success()
        .stderr(told);
    emilia("doctor").env("EMILIA_LOG", "loud").assert().code(1);
    let quiet = emilia("perft 1")
        .env("EMILIA_LOG", "warn")
        .assert()
        .success();
    assert!(quiet.get_output().stderr.is_empty());
    let colored = |words: &str, no_color: &str| {
        let run = emilia(words).env("NO_COLOR", no_color).assert().success();
        run.get_output().stdout.contains(&0x1b)
    };
    assert!(!colored("book tree", ""), "not in a pipe");
    assert!(colored("book tree --color always", ""));
    assert!(
        colored("book tree --color always", "1"),
        "a flag counts more"
    );
    assert!(!colored("book tree --color never", ""));
}

#[test]
fn weights_that_are_to_be_replaced_are_whole_whenever_it_ends() {
    let template = template();
    let folder = template.path();
    let before = fs::read(folder.join("small.emw")).unwrap();
    let words = "train calibrate shards --weights small.emw -o small.emw --force --depth 16";
    let (status, said) = interrupted(folder, words, Moment::AtWork);
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted"), "{said}");
    assert_eq!(fs::read(folder.join("small.emw")).unwrap(), before);
}

/// Whoever looks after services takes another end for a failure.
#[test]
fn a_service_that_the_system_tells_to_end_has_done_its_work() {
    let template = template();
    let mut child = emilia(template.path(), "serve --listen 127.0.0.1:0")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(told.next().unwrap().unwrap().starts_with("http://"));
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &id])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
