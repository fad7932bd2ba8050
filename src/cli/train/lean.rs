//! `emilia train lean`: whether values lean to one colour.

use super::super::output::{grouped, progress, table};
use super::options::{EngineArgs, tell};
use crate::train::held_out;
use crate::train::import::year_files;
use crate::train::label::Depths;
use crate::train::lean::{GROUPS, PlayOuts};
use crate::train::starts::Starts;
use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;

/// Measure whether values lean to one colour
///
/// The engine plays both sides from positions that people reach after 6 to 10 moves; what it said
/// at each ply is compared with what came of it. In the table, "for Black" are the discs by which
/// its values were too hopeful for Black.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia train lean wthor --games 600")]
pub struct Args {
    /// The folder with WTH_<year>.wtb files; games from 2010 on are taken
    #[arg(value_name = "DIR")]
    wthor: PathBuf,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1800)]
    games: u32,
    /// Which positions are drawn follows from this number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Plies of the searches
    #[arg(long, value_name = "PLIES", default_value_t = 10)]
    depth: u32,
    /// Solve exactly from this many empty squares on
    #[arg(long, value_name = "E", default_value_t = 20)]
    solve_from: u32,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let years = year_files(&args.wthor, held_out::HELD_OUT_FROM..=u32::MAX)?;
    let play_outs = PlayOuts {
        seed: args.seed,
        games: args.games,
        depths: Depths {
            plies: args.depth,
            reach_from: 0,
            solve_from: args.solve_from,
        },
    };
    let bar = progress(u64::from(args.games), "games", "playing");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.engine.threads.count())
        .build()?;
    let evaluator = args.engine.evaluator()?;
    let starts = Starts::read(&years)?;
    let leans = pool.install(|| play_outs.measure(evaluator, &starts, || bar.inc(1)))?;
    bar.finish_and_clear();
    let columns = ["plies", "games", "positions", "for Black", "± 2 errors"];
    let mut groups = Vec::new();
    let mut rows = table(&columns, &[1, 2, 3, 4]);
    for (plies, lean) in GROUPS.iter().zip(leans) {
        groups.push(
            json!({ "plies": [plies.start(), plies.end()], "games": lean.games,
                            "positions": lean.positions, "for_black": lean.mean,
                            "error": lean.error }),
        );
        rows.add_row([
            format!("{}–{}", plies.start(), plies.end()),
            grouped(lean.games),
            grouped(lean.positions),
            format!("{:+.2}", lean.mean),
            format!("{:.2}", 2.0 * lean.error),
        ]);
    }
    tell(args.json, &json!({ "groups": groups }), rows)
}
