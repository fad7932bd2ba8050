//! `emilia book export`: a book as one file.

use super::super::interrupt::Interrupt;
use super::super::new_file::{check_free, put, temporary};
use super::super::output::grouped;
use super::place::Place;
use super::watch::Watch;
use crate::book::{Format, export};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{self, BufWriter, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

    /// Print one JSON object; on standard error where the book goes to standard output
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
        let mut out = Counted {
            out: BufWriter::new(stdout().lock()),
            bytes: 0,
        };
        let positions = export(&reader, format, statistics, &mut out, &watch)?;
        out.flush()?;
        drop(watch);
        if args.json {
            let told = to_json(None, format, positions, out.bytes, began.elapsed());
            // Standard output is taken when the book goes there.
            writeln!(stderr(), "{told}")?;
        }
        return Ok(());
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

    let mut out = stdout().lock();
    if args.json {
        let file = Some(&*args.output);
        let told = to_json(file, format, positions, bytes, began.elapsed());
        writeln!(out, "{told}")?;
    } else {
        writeln!(
            out,
            "{} {} in {} bytes, {:.2} each: {} ({format}, {:.1} s)",
            grouped(positions),
            format.unit(),
            grouped(bytes),
            each(bytes, positions),
            args.output.display(),
            began.elapsed().as_secs_f64()
        )?;
    }
    Ok(())
}

fn each(bytes: u64, positions: u64) -> f64 {
    bytes as f64 / positions.max(1) as f64
}

/// What is counted goes by the format's own name for it.
fn to_json(
    file: Option<&Path>,
    format: Format,
    positions: u64,
    bytes: u64,
    took: Duration,
) -> Value {
    json!({ "file": file, "format": format.to_string(), format.unit(): positions, "bytes": bytes,
            "bytes_each": each(bytes, positions), "seconds": took.as_secs_f64() })
}

/// Counts what goes through.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.out.write(data)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
