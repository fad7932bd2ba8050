//! `emilia book merge`: other books into one.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, print_json};
use super::place::Place;
use super::settling::{report_unreachable, settle_and_flush};
use super::watch::Watch;
use crate::book::{Merged, merge};
use crate::view::MergedView;
use anyhow::{Result, bail};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Take all that other books know into a book
///
/// Of each position the deeper knowledge stands, on whichever side it is; what is proven on one
/// side is proven. A game that both books learned counts once. The order does not matter, and the
/// same merge again changes nothing. The other books stay as they are. A merge that was
/// interrupted goes on with the same command.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia book merge ggs-book tournament-book\n  \
                        emilia book merge wthor --book everything"
)]
pub struct Args {
    /// The folders of other books
    #[arg(required = true, value_name = "OTHER")]
    others: Vec<PathBuf>,

    #[command(flatten)]
    place: Place,

    /// Take over how far the other books go and how few games they ask for, and bring in what this
    /// one held back
    #[arg(long)]
    widen: bool,

    /// Print one JSON object per book, and one at the end
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    let options = args.place.options().among(args.others.len() + 1);
    let path = args.place.path()?;
    let mut others = Vec::new();
    for other in &args.others {
        if is_same(other, &path) {
            bail!(
                "{} cannot be merged into itself; name another book",
                path.display()
            );
        }
        others.push((other, options.open_read_only(other)?));
    }
    let store = options.open_or_create(&path)?;
    for (name, other) in others {
        let watch = Watch::new(&other, "merging", Some(interrupt.clone()))?;
        let merged = merge(&store, &other, args.widen, &watch)?;
        drop(watch);
        report(name, &merged, args.json)?;
        if !merged.positions.finished {
            return Err(interrupted(
                "interrupted; the same command goes on from there",
            ));
        }
    }
    settle_and_flush(&store, interrupt, args.json)
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn report(name: &Path, merged: &Merged, as_json: bool) -> Result<()> {
    let mut out = stdout().lock();
    let positions = &merged.positions;
    if as_json {
        return print_json(&mut out, &MergedView::of(name, merged));
    }
    writeln!(
        out,
        "{}: {} new positions, {} known deeper, {} known before; {} new games, {} known before",
        name.display(),
        grouped(positions.new),
        grouped(positions.deeper),
        grouped(positions.known),
        grouped(merged.games),
        grouped(merged.known_games)
    )?;
    if merged.games_without_moves > 0 {
        let count = grouped(merged.games_without_moves);
        writeln!(
            out,
            "{count} games of it were not counted: it was built before books kept their games; \
             learn its collections with emilia book build"
        )?;
    }
    report_unreachable(positions)
}
