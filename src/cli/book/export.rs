//! `emilia book export`: a book as one file.

use super::super::interrupt::Interrupt;
use super::super::new_file::{check_free, put, temporary};
use super::super::output::grouped;
use super::place::Place;
use super::watch::Watch;
use crate::book::{Format, export};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::io::{BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Write a book into one file
///
/// The compact form holds all that searches found, in a few bytes per position, and the same book
/// gives the same bytes; emilia book import reads it back, and the formats of other programs. The
/// games themselves are in none of them: emilia book merge and emilia book backup keep those.
#[derive(clap::Args)]
#[command(after_help = help())]
pub struct Args {
    /// The file to write; - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Write this format, whatever the name says
    #[arg(long)]
    format: Option<Format>,

    #[command(flatten)]
    place: Place,

    /// Leave out how people did
    #[arg(long)]
    no_statistics: bool,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn help() -> String {
    format!(
        "Formats:\n{}\n\nFields of jsonl and csv; what is unknown is left out:\n{}\n\nExamples:\n  \
         emilia book export -o wthor.emb --book wthor\n  \
         emilia book export -o book.dat --no-statistics\n  \
         emilia book export --format lines -o - | less\n  \
         emilia book export --format jsonl -o - | jq 'select(.value > 4) | .position'",
        Format::describe_all(),
        Format::describe_fields()
    )
}

pub fn run(args: Args) -> Result<()> {
    let began = Instant::now();
    let Some(format) = args.format.or_else(|| Format::of_name(&args.output)) else {
        bail!(
            "the name {} does not say the format: let it end in {}, or add --format",
            args.output.display(),
            Format::extensions()
        );
    };
    let store = args.place.open_to_read()?;
    let reader = store.snapshot();
    let watch = Watch::new(&store, "exporting", Some(Interrupt::watch()?))?;
    let statistics = !args.no_statistics;
    if args.output == Path::new("-") {
        let mut out = BufWriter::new(stdout().lock());
        export(&reader, format, statistics, &mut out, &watch)?;
        return Ok(out.flush()?);
    }
    check_free(&args.output, args.force)?;
    let file = temporary(&args.output)?;
    let mut out = BufWriter::new(file);
    let positions = export(&reader, format, statistics, &mut out, &watch)
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    drop(watch);
    let file = out.into_inner().map_err(|error| error.into_error())?;
    let bytes = file.as_file().metadata()?.len();
    put(file, &args.output, args.force)?;

    let seconds = began.elapsed().as_secs_f64();
    let each = bytes as f64 / positions.max(1) as f64;
    let what = format.unit();
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "file": args.output, "format": format.to_string(),
                             what: positions, "bytes": bytes,
                             "bytes_each": each, "seconds": seconds });
        writeln!(out, "{object}")?;
    } else {
        writeln!(
            out,
            "{} {what} in {} bytes, {each:.2} each: {} ({format}, {seconds:.1} s)",
            grouped(positions),
            grouped(bytes),
            args.output.display()
        )?;
    }
    Ok(())
}
