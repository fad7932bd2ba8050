//! `emilia export-site`: the page, the engine and a book as plain files.

use super::book::{Place, Watch};
use super::exit::interrupted;
use super::interrupt::Interrupt;
use super::new_file::{no_room, put, temporary};
use super::output::grouped;
use crate::book::{Openings, Store, Table, export_for_site, summarise};
use crate::service::{SITE_BOOK, site_files};
use crate::view::{OpeningView, StatsView, SummaryView};
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Write the page with a book as a folder for any web host
///
/// The folder needs no server of ours: explore, analyse and play work from its files alone, with
/// the engine in the browser, and after the first visit without a network. It holds the book's
/// positions, values and counts of games, but not the games. All addresses are relative, so it may
/// live in a folder of a site. A browser reads the book as a whole: up to some hundred thousand
/// positions that takes no time.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia export-site public --book wthor\n  \
                  python3 -m http.server --directory public")]
pub struct Args {
    /// The folder to write; it must be new or empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    place: Place,

    /// Write into a folder that is not empty; files of the same names are replaced
    #[arg(long)]
    force: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    check_empty(&args.folder, args.force)?;
    let store = args.place.open_to_read()?;
    let interrupt = Interrupt::watch()?;
    let mut book = Vec::new();
    let facts = facts(&store, &interrupt)?;
    let watch = Watch::new(&store, "exporting", Some(interrupt))?;
    let positions = export_for_site(&store.snapshot(), facts, &mut book, &watch)?;
    drop(watch);
    let files = site_files(&book);
    for file in &files {
        write(&args.folder.join(&file.path), &file.content)?;
    }
    write(&args.folder.join(SITE_BOOK), &book)?;

    let bytes = book.len() + files.iter().map(|file| file.content.len()).sum::<usize>();
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "folder": args.folder, "files": files.len() + 1, "bytes": bytes,
                             "positions": positions, "book_bytes": book.len() });
        writeln!(out, "{object}")?;
    } else {
        writeln!(
            out,
            "{} positions in {} bytes, {} files with {} bytes in all: {}",
            grouped(positions),
            grouped(book.len() as u64),
            files.len() + 1,
            grouped(bytes as u64),
            args.folder.display()
        )?;
    }
    Ok(())
}

fn check_empty(folder: &Path, force: bool) -> Result<()> {
    let there = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => {
            return Err(error).with_context(|| format!("cannot write into {}", folder.display()));
        }
    };
    if there && !force {
        bail!(
            "the folder {} is not empty; choose another, or add --force to replace files in it",
            folder.display()
        );
    }
    Ok(())
}

/// What the page wants to know besides the positions.
fn facts(store: &Store, interrupt: &Interrupt) -> Result<Map<String, Value>> {
    let watch = Watch::new(store, "counting", Some(interrupt.clone()))?;
    let Some(summary) = summarise(store, &watch)? else {
        return Err(interrupted("interrupted; nothing was written"));
    };
    drop(watch);
    let reader = store.snapshot();
    let mut bytes = 0;
    for table in Table::ALL {
        bytes += store.bytes_on_disk(table)?;
    }
    let stats = StatsView {
        positions: Some(reader.count(Table::Nodes)?),
        games: Some(reader.count(Table::Games)?),
        bytes,
        settled: reader.is_settled()?,
        writable: false,
        cluster: false,
        searches: 1,
        searches_running: 0,
        // The browser is the visitor's own.
        search_seconds: 3600.0,
        version: env!("CARGO_PKG_VERSION"),
        counting: false,
        counted: Some(SummaryView::from(&summary)),
    };
    let openings: Vec<OpeningView> = Openings::shipped()
        .all()
        .iter()
        .map(OpeningView::from)
        .collect();
    let mut facts = Map::new();
    facts.insert("stats".into(), serde_json::to_value(stats)?);
    facts.insert("openings".into(), serde_json::to_value(openings)?);
    Ok(facts)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| no_room(folder))?;
    }
    let mut file = temporary(path)?;
    file.write_all(content)
        .with_context(|| format!("cannot write {}", path.display()))?;
    // Whether files may be replaced was decided for the whole folder.
    put(file, path, true)
}
