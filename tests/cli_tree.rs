//! Every command of the tree, held to the same rules: a `--help` with examples, a flag means one
//! thing, exit codes 0, 1, 2 and 130, `--json`, no file replaced without `--force`, Ctrl-C. The
//! commands come from the program itself: a new one that is not in the list below fails the test.
//! What was found is the table in docs/commands.md; `EMILIA_WRITE_TABLE=1` writes it anew.

#![cfg(unix)]

use assert_cmd::Command;
use emilia::games::{Format, GameWriter, SampleGames};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What is tried of a command. Words are separated by spaces; `''` is an empty one.
#[derive(Default)]
struct Trial {
    name: &'static str,
    /// It ends with 0.
    done: &'static str,
    /// The answer is no: it ends with 1.
    no: &'static str,
    /// Besides an unknown flag, which every command refuses: it ends with 2.
    wrong: &'static str,
    /// Why a script would not read it as JSON, where it has no such output.
    no_json: &'static str,
    /// It writes to a file that is there, and is refused with 2; with --force it does.
    replaces: &'static str,
    /// It is at work until somebody stops it, with 130.
    endless: &'static str,
}

const PROTOCOL: &str = "it speaks a protocol";

/// All that is not said is as in the default: nothing is tried.
fn trials() -> Vec<Trial> {
    let trial = |name| Trial {
        name,
        ..Trial::default()
    };
    vec![
        Trial {
            done: "analyse f5 --depth 3 --hash 4",
            wrong: "analyse f5f5",
            replaces: "analyse games.txt --only 1 --level 1 --hash 4 --svg there.svg",
            endless: "analyse start --time 8h --hash 4",
            ..trial("analyse")
        },
        Trial {
            done: "bench --quick",
            wrong: "bench --depth 99",
            endless: "bench --depth 22",
            ..trial("bench")
        },
        Trial {
            done: "book audit --positions 2 --moves 4-6 --level 2",
            wrong: "book audit --level 0",
            endless: "book audit --positions 1000000 --level 20 --moves 1-9",
            ..trial("book audit")
        },
        Trial {
            done: "book backup kept",
            wrong: "book backup book",
            ..trial("book backup")
        },
        Trial {
            done: "book backups backups",
            no: "book backups nowhere",
            ..trial("book backups")
        },
        Trial {
            done: "book build games.txt --level 0 --book new",
            wrong: "book build none.txt",
            endless: "book build games.txt --level 22 --plies 20 --book new",
            ..trial("book build")
        },
        Trial {
            done: "book check",
            wrong: "book check --book none",
            ..trial("book check")
        },
        Trial {
            done: "book compact",
            wrong: "book compact --book none",
            ..trial("book compact")
        },
        Trial {
            done: "book deepen --level 1 --time 0.1",
            wrong: "book deepen --level 0",
            endless: "book deepen --level 22",
            ..trial("book deepen")
        },
        Trial {
            done: "book deviate 0 0 --level 1 --positions 1",
            no: "book deviate 0 0 --from f5f4e3f2",
            wrong: "book deviate 1",
            endless: "book deviate 9 9 --level 20",
            ..trial("book deviate")
        },
        Trial {
            done: "book diff book book",
            no: "book diff book other",
            wrong: "book diff book none",
            ..trial("book diff")
        },
        Trial {
            done: "book expand --positions 1 --level 1",
            no: "book expand --positions 1 --from f5f4e3f2",
            wrong: "book expand",
            endless: "book expand --time 8h --level 20",
            ..trial("book expand")
        },
        Trial {
            done: "book explain",
            no: "book explain f5f4e3f2",
            wrong: "book explain f5f5",
            ..trial("book explain")
        },
        Trial {
            done: "book export -o new.emb",
            wrong: "book export -o new.xyz",
            replaces: "book export -o there.emb",
            ..trial("book export")
        },
        Trial {
            done: "book forget f5d6",
            no: "book forget f5f4e3f2",
            wrong: "book forget start",
            ..trial("book forget")
        },
        Trial {
            done: "book forget-game 1",
            no: "book forget-game 999999",
            wrong: "book forget-game one",
            ..trial("book forget-game")
        },
        Trial {
            done: "book games",
            no: "book games --years 1850",
            wrong: "book games --years soon",
            ..trial("book games")
        },
        Trial {
            done: "book import kept.emb --book new",
            wrong: "book import games.txt",
            ..trial("book import")
        },
        Trial {
            done: "book index-games",
            wrong: "book index-games --book none",
            ..trial("book index-games")
        },
        Trial {
            done: "book learn f5d6c3 --level 1",
            wrong: "book learn f5f5",
            endless: "book learn f5d6c3d3c4 --level 26",
            ..trial("book learn")
        },
        Trial {
            done: "book merge other",
            wrong: "book merge book",
            ..trial("book merge")
        },
        Trial {
            done: "book openings rose",
            no: "book openings nonsense",
            ..trial("book openings")
        },
        Trial {
            done: "book play-out --level 1 --time 0.1",
            no: "book play-out --from f5f4e3f2",
            wrong: "book play-out --level 0",
            endless: "book play-out --level 22 --slack 9",
            ..trial("book play-out")
        },
        Trial {
            done: "book propagate --full",
            wrong: "book propagate --book none",
            ..trial("book propagate")
        },
        Trial {
            done: "book prune --loss 64",
            wrong: "book prune --loss 99",
            ..trial("book prune")
        },
        Trial {
            done: "book query --search 1 --hash 4",
            no: "book query f5f4e3f2",
            wrong: "book query f5f5",
            endless: "book query --search 40 --hash 4",
            ..trial("book query")
        },
        Trial {
            done: "book restore backups --book new",
            wrong: "book restore nowhere --book new",
            replaces: "book restore backups",
            ..trial("book restore")
        },
        Trial {
            done: "book solve start --level 1 --time 0.1",
            no: "book solve f5f4e3f2",
            wrong: "book solve",
            ..trial("book solve")
        },
        Trial {
            done: "book stats",
            wrong: "book stats --book none",
            replaces: "book stats --svg there.svg",
            ..trial("book stats")
        },
        Trial {
            done: "book subtree f5d6 -o new",
            no: "book subtree f5f4e3f2 -o new",
            wrong: "book subtree f5d6 -o other",
            ..trial("book subtree")
        },
        Trial {
            done: "book tree",
            no: "book tree f5f4e3f2",
            wrong: "book tree f5f5",
            replaces: "book tree --svg there.svg",
            ..trial("book tree")
        },
        Trial {
            wrong: "cluster pardon x --cluster nats://127.0.0.1:1",
            ..trial("cluster pardon")
        },
        Trial {
            wrong: "cluster setup --cluster nats://127.0.0.1:1",
            ..trial("cluster setup")
        },
        Trial {
            wrong: "cluster status --cluster nats://127.0.0.1:1",
            ..trial("cluster status")
        },
        Trial {
            done: "completions bash",
            wrong: "completions csh",
            no_json: "it writes a script for a shell",
            ..trial("completions")
        },
        Trial {
            done: "console --no-book --hash 4",
            wrong: "console --level godlike",
            no_json: PROTOCOL,
            endless: "console --no-book --hash 4",
            ..trial("console")
        },
        Trial {
            done: "doctor",
            no: "doctor --book none",
            ..trial("doctor")
        },
        Trial {
            done: "games convert games.txt -o new.ggf",
            wrong: "games convert none.txt -o new.ggf",
            replaces: "games convert games.txt -o there.txt",
            ..trial("games convert")
        },
        Trial {
            done: "games dedupe games.txt -o new.ggf",
            wrong: "games dedupe none.txt -o new.ggf",
            replaces: "games dedupe games.txt -o there.txt",
            ..trial("games dedupe")
        },
        Trial {
            done: "games sample --games 2 -o new.txt",
            wrong: "games sample -o new.xyz",
            replaces: "games sample --games 2 -o there.txt",
            endless: "games sample --games 1000000000 -o new.txt",
            ..trial("games sample")
        },
        Trial {
            done: "games selfplay --games 1 --level 1 -o new.txt",
            wrong: "games selfplay -o new.xyz",
            replaces: "games selfplay --games 1 --level 1 -o there.txt",
            endless: "games selfplay --games 1000000 -o new.txt",
            ..trial("games selfplay")
        },
        Trial {
            done: "games stat games.txt",
            wrong: "games stat none.txt",
            ..trial("games stat")
        },
        Trial {
            done: "gtp --no-book --hash 4",
            wrong: "gtp --level godlike",
            no_json: PROTOCOL,
            endless: "gtp --no-book --hash 4",
            ..trial("gtp")
        },
        Trial {
            done: "manual pages",
            wrong: "manual games.txt",
            replaces: "manual there",
            ..trial("manual")
        },
        Trial {
            done: "match iago othellus-corners --games 2 --clock 1",
            no: "match othellus-corners othellus-corners --games 2 --sprt 100,200",
            wrong: "match emilia edax",
            replaces: "match othellus-corners othellus-corners --games 2 --save there.txt",
            endless: "match emilia emilia --games 1000",
            ..trial("match")
        },
        Trial {
            done: "nboard --no-book --hash 4",
            wrong: "nboard --level godlike",
            no_json: PROTOCOL,
            endless: "nboard --no-book --hash 4",
            ..trial("nboard")
        },
        Trial {
            done: "perft 3",
            wrong: "perft 99",
            endless: "perft 20",
            ..trial("perft")
        },
        Trial {
            done: "play --plain --no-book --hash 4",
            wrong: "play --load none.txt",
            no_json: "a person plays",
            endless: "play --plain --no-book --hash 4",
            ..trial("play")
        },
        Trial {
            done: "serve --new-token new.token",
            wrong: "serve --new-token games.txt",
            no_json: "it says its address in one line, and the rest over HTTP",
            endless: "serve --listen 127.0.0.1:0",
            ..trial("serve")
        },
        Trial {
            done: "solve --obf right.obf --hash 4",
            no: "solve --obf wrong.obf --hash 4",
            wrong: "solve --obf none.obf",
            endless: "solve d3c5b6d2e6f7c4f5f6g6g7b4d6c6c7e7b5g8d7d8 --hash 4",
            ..trial("solve")
        },
        Trial {
            wrong: "train all --seed 1 --directory work --wthor none -o new.emw",
            replaces: "train all --seed 1 --directory work -o there.emw",
            endless: "train all --seed 1 --directory work -o new.emw",
            ..trial("train all")
        },
        Trial {
            done: "train calibrate shards --weights small.emw -o new.emw --positions 1 --depth 2 --solve-from 4",
            wrong: "train calibrate none --weights small.emw -o new.emw",
            replaces: "train calibrate shards --weights small.emw -o there.emw",
            endless: "train calibrate shards --weights small.emw -o new.emw --depth 16",
            ..trial("train calibrate")
        },
        Trial {
            no: "train duel small small --pairs 2 --depth 1 --solve-from 4",
            wrong: "train duel none.emw",
            endless: "train duel small --pairs 1000000",
            ..trial("train duel")
        },
        Trial {
            wrong: "train endings none -o new --seed 1",
            ..trial("train endings")
        },
        Trial {
            wrong: "train fit none -o new.emw",
            replaces: "train fit shards -o there.emw --iterations 1",
            endless: "train fit shards -o new.emw --iterations 100000",
            ..trial("train fit")
        },
        Trial {
            wrong: "train import none -o new",
            ..trial("train import")
        },
        Trial {
            wrong: "train lean none",
            ..trial("train lean")
        },
        Trial {
            done: "train manifest",
            wrong: "train manifest games.txt",
            ..trial("train manifest")
        },
        Trial {
            replaces: "train players --seed 1 -o there",
            endless: "train players --seed 1 -o new",
            ..trial("train players")
        },
        Trial {
            done: "train report shards",
            wrong: "train report none",
            ..trial("train report")
        },
        Trial {
            done: "train selfplay -o new --seed 1 --shards 1 --games 1 --depth 1 --solve-from 4",
            wrong: "train selfplay -o games.txt --seed 1 --shards 1 --games 1",
            endless: "train selfplay -o new --seed 1",
            ..trial("train selfplay")
        },
        Trial {
            wrong: "train small games.txt -o new.emw",
            replaces: "train small -o there.emw",
            endless: "train small -o new.emw",
            ..trial("train small")
        },
        Trial {
            wrong: "worker",
            endless: "worker --cluster nats://127.0.0.1:1",
            ..trial("worker")
        },
    ]
}

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
    folder
}

fn copied(from: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(from, folder.path());
    folder
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
        .args(command.split_whitespace())
        .stdin(Stdio::null());
    emilia
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

/// Starts a command, waits so long, sends what Ctrl-C sends, and tells how it ended.
fn interrupted(folder: &Path, command: &str, after: Duration) -> (ExitStatus, String) {
    let mut child = emilia(folder, command)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
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
    let help = ends_with(here().path(), &format!("{name} --help"), 0);
    assert!(
        help.contains(&format!("Usage: emilia {name}")),
        "{name}: {help}"
    );
    assert!(help.contains("Example"), "{name} --help has no example");
    ends_with(here().path(), &format!("{name} --no-such-flag"), 2);
    if !trial.wrong.is_empty() {
        ends_with(here().path(), trial.wrong, 2);
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
    let replaces = match trial.replaces {
        "" => "writes no file that could be there",
        words => {
            refuses_to_replace(here().path(), words);
            let takes_hours = name.starts_with("train") && !trial.endless.is_empty();
            if !takes_hours {
                ends_with(here().path(), &format!("{words} --force"), 0);
            }
            assert!(has(command, "force"), "{name}");
            "refused, `--force`"
        }
    };
    let stops = match (trial.endless, trial.done) {
        ("", "") => "not tried: it takes a server, or games",
        ("", words) => {
            for after in [5, 40, 120] {
                let here = here();
                let (status, said) = interrupted(here.path(), words, Duration::from_millis(after));
                let code = shell_code(status);
                assert!(
                    matches!(code, Some(0 | 130)),
                    "emilia {words}: {code:?} {said}"
                );
                is_tidy(here.path(), words);
            }
            "done, or 130; nothing half is left"
        }
        (words, _) => {
            let here = here();
            let (status, said) = interrupted(here.path(), words, Duration::from_millis(1500));
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

Made by `tests/cli_tree.rs`, which walks all commands of the program and holds each to the same rules: \
`--help` with an example; exit code 0 when it is done, 1 when the answer is no, 2 for bad use or input, \
130 after Ctrl-C, with `--json` or without; one JSON object per line and nothing else on standard output; \
a file that is there is replaced only with `--force`. Do not edit it: `EMILIA_WRITE_TABLE=1 cargo test \
--test cli_tree` writes it.

| command | the answer is no (1) | `--json` | a file that is there | Ctrl-C |
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
    let template = template();
    let mut table = HEAD.to_owned();
    let mut broken = Vec::new();
    for trial in &trials {
        let (_, command) = tree.iter().find(|(name, _)| name == trial.name).unwrap();
        // All commands are tried, whatever is wrong with one of them.
        let row = catch_unwind(AssertUnwindSafe(|| {
            try_out(template.path(), command, trial)
        }));
        match row {
            Ok(row) => table.push_str(&row),
            Err(_) => broken.push(trial.name),
        }
    }
    assert_eq!(
        broken,
        Vec::<&str>::new(),
        "they break the rules, see above"
    );
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
    // Written is a file, or a folder where a book or shards are.
    flags.remove("output");
    flags.retain(|_, values| values.len() > 1);
    assert!(flags.is_empty(), "{flags:#?}");
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
