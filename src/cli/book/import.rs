//! `emilia book import`: files of positions into a book.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, print_json};
use super::main_book;
use super::place::Place;
use super::settling::{report_unreachable, settle_and_flush};
use super::watch::Watch;
use crate::book::{Absorbed, Format, Source, import};
use crate::view::{AbsorbedView, ImportedView};
use anyhow::{Context, Result};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Take books from files into a book
///
/// The format is recognised by the content. Into a book that has positions already this is a
/// merge: of each position the deeper knowledge stands, on whichever side it is, and the same
/// import again changes nothing. A file is read to its end and found right before anything is
/// written; positions that no move leads to are left out and listed.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia book import theirs.emb --book mine\n  \
                        emilia book import a.emb b.emb --json\n  \
                        emilia book import --main        # after an update of emilia"
)]
pub struct Args {
    #[arg(required_unless_present = "main", value_name = "FILE",
          help = format!("Books as files: {}", Format::readable_names()))]
    files: Vec<PathBuf>,

    /// The main book of this emilia: whoever has an older one, or a book of their own, gets what
    /// it knows better
    #[arg(long)]
    main: bool,

    #[command(flatten)]
    place: Place,

    /// Print one JSON object per file, and one at the end
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    // All files are recognised before the book is touched, or made.
    let mut sources = Vec::new();
    if args.main {
        sources.push((PathBuf::from("main book"), main_book::source()?));
    }
    for file in args.files {
        let source =
            Source::open(&file).with_context(|| format!("cannot read {}", file.display()))?;
        sources.push((file, source));
    }
    let store = args.place.open_or_create()?;
    for (file, mut source) in sources {
        let watch = Watch::over(Some(source.positions()), "importing", interrupt.clone());
        let absorbed = import(&store, &mut source, &watch)
            .with_context(|| format!("cannot import {}; the book is as it was", file.display()))?;
        drop(watch);
        report(&file, &source, &absorbed, args.json)?;
        if !absorbed.finished {
            return Err(interrupted(
                "interrupted; the same command goes on from there",
            ));
        }
    }
    settle_and_flush(&store, interrupt, args.json)
}

fn report(file: &Path, source: &Source, absorbed: &Absorbed, as_json: bool) -> Result<()> {
    let mut out = stdout().lock();
    if as_json {
        let told = ImportedView {
            file,
            format: source.format().to_string(),
            remarks: source.remarks(),
            positions: AbsorbedView::from(absorbed),
        };
        return print_json(&mut out, &told);
    }
    writeln!(
        out,
        "{} ({}): {} new positions, {} known deeper, {} known before",
        file.display(),
        source.format(),
        grouped(absorbed.new),
        grouped(absorbed.deeper),
        grouped(absorbed.known)
    )?;
    for remark in source.remarks() {
        eprintln!("{remark}");
    }
    report_unreachable(absorbed)
}
