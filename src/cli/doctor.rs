//! `emilia doctor`: what would be used, and what is wrong with it.

use super::book::{Place, SaidBy};
use super::exit::no;
use super::logging;
use super::output::{grouped, print_json};
use super::search_options::{available_memory, load_weights};
use crate::book::{StoreOptions, Table, raise_file_limit};
use crate::engine::{defaults, engine_name};
use crate::eval::Evaluator;
use crate::othello::Tier;
use crate::view::{DoctorView, PlaceView, VariableView, WeightsView};
use anyhow::Result;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Say what is used here: CPU, threads, weights, book, paths; and what is wrong with it
///
/// Nothing is changed, and no book is made; where nobody names one and there is none, the first
/// command that reads puts the main book in the usual place. Exit code 1 if something is wrong.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia doctor\n  emilia doctor --book wthor --json")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Look at the weights of this file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Of secrets it is only told that they are set.
const VARIABLES: [(&str, bool); 7] = [
    ("EMILIA_BOOK", false),
    ("EMILIA_LOG", false),
    ("EMILIA_TOKEN", true),
    ("HOME", false),
    ("XDG_DATA_HOME", false),
    ("TMPDIR", false),
    ("NO_COLOR", false),
];

/// A book has hundreds of files, a service a connection for each client.
const FEW_FILES: u64 = 1024;

pub fn run(args: Args) -> Result<()> {
    let mut problems = Vec::new();
    let view = DoctorView {
        version: env!("CARGO_PKG_VERSION").into(),
        engine: engine_name().into(),
        tier: Tier::best().to_string(),
        tiers: Tier::available().iter().map(Tier::to_string).collect(),
        threads: defaults::threads(),
        hash: defaults::HASH,
        memory_free: memory(&mut problems),
        open_files: files(&mut problems),
        weights: weights(args.weights, &mut problems),
        book: book(args.place, &mut problems),
        variables: variables(&mut problems),
        problems,
    };
    let mut out = stdout().lock();
    if args.json {
        print_json(&mut out, &view)?;
    } else {
        print(&mut out, &view)?;
    }
    match view.problems.is_empty() {
        true => Ok(()),
        false => Err(no("")),
    }
}

fn memory(problems: &mut Vec<String>) -> Option<u64> {
    let free = available_memory().map(|bytes| bytes >> 20);
    if let Some(free) = free.filter(|free| *free < defaults::HASH.into()) {
        problems.push(format!(
            "{free} MB of memory are free, and a search takes {}: choose less with --hash",
            defaults::HASH
        ));
    }
    free
}

fn files(problems: &mut Vec<String>) -> Option<u64> {
    // What is raised here counts for this process only, as in every command that opens a book.
    let files = raise_file_limit(u64::MAX);
    if let Some(files) = files.filter(|files| *files < FEW_FILES) {
        problems.push(format!(
            "{files} files may be open at a time, too few for a large book: raise it with ulimit -n"
        ));
    }
    files
}

fn weights(file: Option<PathBuf>, problems: &mut Vec<String>) -> WeightsView {
    let loaded = match &file {
        Some(path) => load_weights(path),
        None => Ok(Evaluator::builtin()),
    };
    let fingerprint = match loaded {
        Ok(evaluator) => Some(format!("{:016x}", evaluator.fingerprint())),
        Err(error) => {
            problems.push(format!("the weights cannot be used: {error:#}"));
            None
        }
    };
    WeightsView { file, fingerprint }
}

fn book(place: Place, problems: &mut Vec<String>) -> PlaceView {
    let options = place.options();
    let (path, said_by) = match place.found() {
        Ok((path, said_by)) => (path, said_by),
        Err(error) => {
            problems.push(format!("{error:#}"));
            return PlaceView {
                path: None,
                said_by: "nobody".into(),
                exists: false,
                positions: None,
            };
        }
    };
    let exists = path.symlink_metadata().is_ok();
    let positions = if exists {
        look_into(options, &path, problems)
    } else {
        if said_by != SaidBy::Custom {
            problems.push(format!(
                "there is no book in {}: emilia book build makes one",
                path.display()
            ));
        }
        None
    };
    PlaceView {
        path: Some(path),
        said_by: match said_by {
            SaidBy::Flag => "--book",
            SaidBy::Variable => "EMILIA_BOOK",
            SaidBy::Custom => "the usual place",
        }
        .into(),
        exists,
        positions,
    }
}

fn look_into(options: StoreOptions, path: &Path, problems: &mut Vec<String>) -> Option<u64> {
    let counted = options
        .open_read_only(path)
        .and_then(|store| store.estimated_records(Table::Nodes));
    counted
        .map_err(|error| problems.push(format!("{:#}", anyhow::Error::from(error))))
        .ok()
}

fn variables(problems: &mut Vec<String>) -> Vec<VariableView> {
    if let Some(Err(reason)) = logging::wanted() {
        problems.push(format!("EMILIA_LOG is not heeded: {reason}"));
    }
    let data = std::env::var_os("XDG_DATA_HOME").filter(|value| !value.is_empty());
    if data.is_some_and(|path| !Path::new(&path).is_absolute()) {
        problems.push("XDG_DATA_HOME is not heeded: it is no whole path".into());
    }
    let shown = |(name, is_secret): (&str, bool)| {
        let value = std::env::var_os(name)?.to_string_lossy().into_owned();
        Some(VariableView {
            name: name.into(),
            value: if is_secret { "(set)".into() } else { value },
        })
    };
    VARIABLES.into_iter().filter_map(shown).collect()
}

fn print(out: &mut impl Write, view: &DoctorView) -> Result<()> {
    let mut rows = vec![
        ("emilia", view.version.clone()),
        ("engine", view.engine.clone()),
        (
            "CPU tier",
            format!("{} of {}", view.tier, view.tiers.join(", ")),
        ),
        ("threads", view.threads.to_string()),
    ];
    let free = match view.memory_free {
        Some(free) => format!("{} MB are free", grouped(free)),
        None => "nobody says how much is free".into(),
    };
    let memory = format!("{free}, {} for the table of a search", view.hash);
    rows.push(("memory", memory));
    let files = match view.open_files {
        Some(files) => format!("up to {}", grouped(files)),
        None => "no limit".into(),
    };
    rows.push(("open files", files));
    let weights = match &view.weights.file {
        Some(path) => path.display().to_string(),
        None => "built in".into(),
    };
    let fingerprint = view.weights.fingerprint.as_deref().unwrap_or("unreadable");
    rows.push(("weights", format!("{weights}, {fingerprint}")));
    let book = &view.book;
    let place = match &book.path {
        Some(path) => path.display().to_string(),
        None => "nowhere".into(),
    };
    let state = match (book.exists, book.positions) {
        (true, Some(positions)) => format!("about {} positions", grouped(positions)),
        (true, None) => "unreadable".into(),
        (false, _) => "not there yet".into(),
    };
    rows.push(("book", format!("{place} ({}), {state}", book.said_by)));
    let variables = view.variables.iter();
    rows.extend(variables.map(|set| (set.name.as_str(), set.value.clone())));
    for (name, text) in rows {
        writeln!(out, "{name:<13} {text}")?;
    }
    writeln!(out)?;
    for problem in &view.problems {
        writeln!(out, "wrong: {problem}")?;
    }
    if view.problems.is_empty() {
        writeln!(out, "nothing is wrong")?;
    }
    Ok(())
}
