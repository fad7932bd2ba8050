//! `emilia book prune`, `subtree` and `forget`: books with less in them.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::super::output::grouped;
use super::place::Place;
use super::settling::settle_and_flush;
use super::watch::Watch;
use crate::book::{NewBook, Trimmed, forget, prune, subtree};
use crate::engine::{centidiscs, read_discs};
use crate::othello::{PositionText, Square};
use anyhow::{Result, anyhow};
use serde_json::json;
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Remove the lines that nobody follows who gives away little
///
/// A position stays if some line leads there in which both sides together give away at most --loss
/// discs; a move whose value is unknown gives nothing away. The best of the moves that leave the
/// book is remembered, so that values stay what they were. Games stay, and count as before. After
/// Ctrl-C nothing is removed; a prune that was killed is finished by the same command. emilia book
/// backup makes a copy first.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book prune --loss 10\n  \
                        emilia book prune --loss 2.5 --book wthor --json")]
pub struct PruneArgs {
    /// How many discs all moves of a line may give away together; lines that give away more
    /// are removed
    #[arg(long, value_name = "DISCS", value_parser = read_discs)]
    loss: f64,

    #[command(flatten)]
    place: Place,

    /// Print JSON objects
    #[arg(long)]
    json: bool,
}

pub fn run_prune(args: PruneArgs) -> Result<()> {
    let store = args.place.open()?;
    let interrupt = Interrupt::watch()?;
    let watch = Watch::new(&store, "pruning", Some(interrupt.clone()))?;
    let trimmed = prune(&store, centidiscs(args.loss), &watch)?;
    drop(watch);
    report(trimmed, args.json)?;
    settle_and_flush(&store, interrupt, args.json)
}

/// Remove a position and everything that only it leads to
///
/// What other lines also lead to stays. Games stay, and count as before.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book forget f5f4")]
pub struct ForgetArgs {
    /// Moves from the start
    #[arg(value_name = "MOVES")]
    moves: PositionText,

    #[command(flatten)]
    place: Place,

    /// Print JSON objects
    #[arg(long)]
    json: bool,
}

pub fn run_forget(args: ForgetArgs) -> Result<()> {
    let moves = moves_of(args.moves)?;
    let store = args.place.open()?;
    let interrupt = Interrupt::watch()?;
    let watch = Watch::new(&store, "forgetting", Some(interrupt.clone()))?;
    let removed = forget(&store, &moves, &watch)?;
    drop(watch);
    let mut out = stdout().lock();
    match args.json {
        true => writeln!(out, "{}", json!({ "removed": removed }))?,
        false => writeln!(out, "{} positions removed", grouped(removed))?,
    }
    drop(out);
    settle_and_flush(&store, interrupt, args.json)
}

/// Copy a line and everything below its end into a new book
///
/// The new book has the positions with all that searches found, and the numbers of games; the
/// games themselves stay in the old one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book subtree f5d6c3d3c4 -o tiger")]
pub struct SubtreeArgs {
    /// Moves from the start
    #[arg(value_name = "MOVES")]
    moves: PositionText,

    /// The folder of the new book, which does not exist yet
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    #[command(flatten)]
    place: Place,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run_subtree(args: SubtreeArgs) -> Result<()> {
    let moves = moves_of(args.moves)?;
    let options = args.place.options().among(2);
    let store = options.open_read_only(&args.place.path_to_read()?)?;
    let interrupt = Interrupt::watch()?;
    let into = NewBook::begin(&args.output, options)?;
    let watch = Watch::new(&store, "copying", Some(interrupt))?;
    let reader = store.snapshot();
    let copied = subtree(&reader, &moves, into.store(), &watch)?;
    drop(watch);
    if !copied.finished {
        return Err(interrupted("interrupted; nothing was made"));
    }
    into.finish()?;
    let mut out = stdout().lock();
    if args.json {
        writeln!(
            out,
            "{}",
            json!({ "book": args.output, "positions": copied.new })
        )?;
    } else {
        let (positions, book) = (grouped(copied.new), args.output.display());
        writeln!(out, "{positions} positions in {book}")?;
    }
    Ok(())
}

/// A board alone does not say by which line it is meant.
fn moves_of(position: PositionText) -> Result<Vec<Square>> {
    position
        .moves
        .ok_or_else(|| anyhow!("name the line by its moves, as in f5d6c3"))
}

fn report(trimmed: Trimmed, as_json: bool) -> Result<()> {
    let mut out = stdout().lock();
    if as_json {
        let object = json!({ "removed": trimmed.removed, "kept": trimmed.kept });
        writeln!(out, "{object}")?;
    } else {
        writeln!(
            out,
            "{} positions removed, {} kept",
            grouped(trimmed.removed),
            grouped(trimmed.kept)
        )?;
    }
    Ok(())
}
