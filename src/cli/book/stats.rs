//! `emilia book stats`: what is in a book.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::super::new_file::{check_target, write_file};
use super::super::output::{grouped, print_json, table};
use super::place::Place;
use super::store_figures;
use super::svg;
use super::watch::Watch;
use crate::book::{Summary, summarise};
use crate::othello::moves_to_string;
use crate::view::SummaryView;
use anyhow::Result;
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Count what is in a book: positions by disc count, values, levels, bytes, best lines
///
/// The best lines are those that give away least from the start, one of each opening, with what
/// Black gets. By disc count: positions, with a value, with a proven value, with the moves outside
/// the book searched, and the games that the book follows so far.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book stats\n  \
                        emilia book stats --svg book.svg\n  \
                        emilia book stats --store\n  \
                        emilia book stats --book wthor --json | jq .bytes_per_position")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Also write a picture: positions by ply, and by value
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Replace the picture if it exists
    #[arg(long, requires = "svg")]
    force: bool,

    /// Only what the database says about itself: sizes, files, memory, what waits; at once
    #[arg(long, conflicts_with = "svg")]
    store: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    if let Some(picture) = &args.svg {
        check_target(picture, args.force)?;
    }
    let store = args.place.open_to_read()?;
    if args.store {
        return store_figures::print(&store, args.json);
    }
    let path = store.path();
    let watch = Watch::new(&store, "counting", Some(Interrupt::watch()?))?;
    let summary = summarise(&store, &watch)?;
    drop(watch);
    let Some(summary) = summary else {
        return Err(interrupted("interrupted; nothing was counted"));
    };
    if let Some(picture) = &args.svg {
        write_file(picture, drawn(&summary).as_bytes(), args.force)?;
    }
    let mut out = stdout().lock();
    if args.json {
        return print_json(&mut out, &SummaryView::from(&summary));
    }
    writeln!(
        out,
        "{}: {} positions, {} games",
        path.display(),
        grouped(summary.positions),
        grouped(summary.games)
    )?;
    if let Some(note) = &summary.note {
        writeln!(out, "{}", note.as_str())?;
    }
    if let Some(profile) = summary.profile.filter(|profile| profile.plies > 0) {
        let (plies, games) = (profile.plies, profile.min_games);
        writeln!(
            out,
            "learned to ply {plies}, positions of at least {games} game(s)"
        )?;
    }
    if summary.sweep_due || summary.waiting > 0 {
        let waiting = if summary.sweep_due {
            "all positions".into()
        } else {
            grouped(summary.waiting)
        };
        writeln!(
            out,
            "to be re-examined: {waiting} (emilia book propagate does it)"
        )?;
    }
    for (errand, positions) in &summary.wanted {
        let positions = grouped(*positions);
        writeln!(
            out,
            "to be searched: {positions} ({errand}: the same command goes on, or emilia book deepen)"
        )?;
    }
    let [game, expansion, import] = summary.origins.map(grouped);
    writeln!(
        out,
        "from games {game}, expansion {expansion}, import {import}"
    )?;
    writeln!(out)?;
    if !summary.best_lines.is_empty() {
        let mut rows = table(&["for Black", "loss", "opening", "best line"], &[0, 1]);
        for line in &summary.best_lines {
            rows.add_row([
                line.value.to_string(),
                format!("{:.2}", line.loss.discs()),
                line.opening.map_or_else(String::new, |o| o.name.clone()),
                moves_to_string(&line.moves),
            ]);
        }
        writeln!(out, "{rows}\n")?;
    }

    let header = [
        "discs",
        "positions",
        "with value",
        "proven",
        "alternative",
        "games",
    ];
    let mut rows = table(&header, &[0, 1, 2, 3, 4, 5]);
    for layer in &summary.layers {
        rows.add_row([
            layer.layer.discs().to_string(),
            grouped(layer.positions),
            grouped(layer.valued),
            grouped(layer.exact),
            grouped(layer.alternatives),
            shown_coverage(layer.games, summary.games),
        ]);
    }
    writeln!(out, "{rows}\n")?;
    if !summary.values.is_empty() {
        let mut rows = table(&["value", "positions"], &[0, 1]);
        for (from, count) in &summary.values {
            let to = from + Summary::STEP;
            rows.add_row([format!("{from:+}..{to:+}"), grouped(*count)]);
        }
        writeln!(out, "{rows}\n")?;
    }
    let mut rows = table(&["level", "positions"], &[1]);
    for (level, count) in &summary.levels {
        rows.add_row([level.clone(), grouped(*count)]);
    }
    writeln!(out, "{rows}\n")?;
    if !summary.engines.is_empty() {
        let mut rows = table(&["engine", "positions"], &[1]);
        for (engine, count) in &summary.engines {
            rows.add_row([engine.clone(), grouped(*count)]);
        }
        writeln!(out, "{rows}\n")?;
    }
    let mut rows = table(&["table", "bytes on disk"], &[1]);
    for (table, bytes) in &summary.bytes {
        rows.add_row([table.name().to_owned(), grouped(*bytes)]);
    }
    writeln!(out, "{rows}")?;
    if let Some(bytes) = summary.bytes_per_position() {
        writeln!(
            out,
            "{bytes:.1} bytes per position without human statistics"
        )?;
    }
    Ok(())
}

/// How many games the book follows to a layer, and what part of all games that is.
fn shown_coverage(games: u64, all: u64) -> String {
    if all == 0 {
        return String::new();
    }
    let part = 100.0 * games as f64 / all as f64;
    format!("{} ({part:.0} %)", grouped(games))
}

fn drawn(summary: &Summary) -> String {
    let by_ply = summary.layers.iter().map(|layer| {
        let ply = layer.layer.plies();
        (ply.to_string(), layer.positions)
    });
    let by_value = summary.values.iter().map(|(from, count)| {
        let to = from + Summary::STEP;
        (format!("{from:+}..{to:+}"), *count)
    });
    svg::charts(&[
        svg::Bars {
            title: "Positions by number of moves",
            bars: by_ply.collect(),
        },
        svg::Bars {
            title: "Positions by value in discs, for the player to move",
            bars: by_value.collect(),
        },
    ])
}
