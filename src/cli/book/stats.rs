//! `emilia book stats`: what is in a book.

use super::super::output::{grouped, table};
use super::place::Place;
use super::watch::Watch;
use crate::book::{Store, Summary, summarise};
use crate::othello::moves_to_string;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::{Write, stdout};

/// Count what is in a book: positions by disc count, values, levels, bytes
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book stats\n  \
                        emilia book stats --book wthor --json | jq .bytes_per_position")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let path = args.place.path()?;
    let store = Store::open_read_only(&path)?;
    let watch = Watch::new(&store, "counting", None)?;
    let summary = summarise(&store, &watch)?;
    drop(watch);
    let mut out = stdout().lock();
    if args.json {
        writeln!(out, "{}", to_json(&summary))?;
        return Ok(());
    }
    writeln!(
        out,
        "{}: {} positions, {} games",
        path.display(),
        grouped(summary.positions),
        grouped(summary.games)
    )?;
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
    let [game, expansion, import] = summary.origins.map(grouped);
    writeln!(
        out,
        "from games {game}, expansion {expansion}, import {import}"
    )?;
    let line = moves_to_string(&summary.best_line);
    let line = if line.is_empty() { "unknown" } else { &line };
    writeln!(out, "best line: {line}\n")?;

    let mut rows = table(
        &["discs", "positions", "with value", "proven"],
        &[0, 1, 2, 3],
    );
    for layer in &summary.layers {
        rows.add_row([
            layer.layer.discs().to_string(),
            grouped(layer.positions),
            grouped(layer.valued),
            grouped(layer.exact),
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

fn to_json(summary: &Summary) -> Value {
    let layers: Vec<Value> = summary
        .layers
        .iter()
        .map(|layer| {
            json!({ "discs": layer.layer.discs(), "positions": layer.positions,
                    "valued": layer.valued, "exact": layer.exact })
        })
        .collect();
    let bytes: serde_json::Map<String, Value> = summary
        .bytes
        .iter()
        .map(|(table, bytes)| (table.name().to_owned(), (*bytes).into()))
        .collect();
    let values: Vec<Value> = summary
        .values
        .iter()
        .map(|(from, count)| json!({ "from": from, "positions": count }))
        .collect();
    let [game, expansion, import] = summary.origins;
    json!({ "positions": summary.positions, "games": summary.games,
            "positions_with_statistics": summary.positions_with_statistics,
            "plies": summary.profile.map(|profile| profile.plies),
            "created": summary.profile.map(|profile| profile.created),
            "waiting": summary.waiting, "sweep_due": summary.sweep_due,
            "origins": { "game": game, "expansion": expansion, "import": import },
            "layers": layers, "values": values, "levels": summary.levels, "bytes": bytes,
            "bytes_per_position": summary.bytes_per_position(),
            "best_line": moves_to_string(&summary.best_line) })
}
