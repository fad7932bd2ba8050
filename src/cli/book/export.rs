//! `emilia book export`: a book as one file.

use super::super::interrupt::Interrupt;
use super::super::new_file::{check_free, put, temporary};
use super::super::output::{UsageError, grouped};
use super::place::Place;
use super::watch::Watch;
use crate::book::{Format, export};
use anyhow::{Context, Result};
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
#[command(after_help = "Formats:
  compact    all positions with evaluations, alternatives and levels (.emb)
  jsonl      one JSON object per position and line (.jsonl)
  csv        one line per position, the names of the fields first (.csv)
  edax       Edax's book: values in whole discs, links, leaves, results (.dat)
  egaroucid  Egaroucid's book: values in whole discs, leaves (.egbk3)
  lines      the main variations for people (.txt)

Fields of jsonl and csv; what is unknown is left out:
  position   64 signs from a1 to h8 and the side to move, which is always X
  origin     game, expansion or import
  value, best, lower, upper, lines
             in discs, seen by X: the value, the move it rests on, what is proven,
             the ways to go on in the book; derived, so not read back
  evaluation, evaluation_depth, evaluation_selectivity, evaluation_solved
             the position's own search
  alternative_move, alternative, alternative_depth, ..._selectivity, ..._solved
             the best move that is not in the book; without a move, none is better
  games, wins, draws, losses, disc_sum, first_year, last_year
             of people, seen by X

Examples:
  emilia book export -o wthor.emb --book wthor
  emilia book export -o book.dat --no-statistics
  emilia book export --format lines -o - | less
  emilia book export --format jsonl -o - | jq 'select(.value > 4) | .position'")]
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

pub fn run(args: Args) -> Result<()> {
    let began = Instant::now();
    let Some(format) = args.format.or_else(|| Format::of_name(&args.output)) else {
        return Err(UsageError::because(format!(
            "the name {} does not say the format: let it end in .emb, .jsonl, .csv, .dat, .egbk3 or \
             .txt, or add --format",
            args.output.display()
        )));
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
    let what = match format {
        Format::Lines => "lines",
        _ => "positions",
    };
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
