//! `emilia train report`: weights against exact scores.

use super::super::output::{grouped, progress, table};
use super::options::{Bars, EngineArgs, tell};
use crate::train::held_out;
use crate::train::record::{Source, shards};
use crate::train::report::{Accuracy, Report, SCORES, report};
use anyhow::Result;
use comfy_table::Table;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Measure weights against exact scores that were not trained on
///
/// Without shards, makes the held-out sets first: self-play at 20 empty squares and, given WTHOR
/// files, games from 2010 on at 24, 16 and 12.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia train report --wthor wthor --weights weights.emw\n  \
                        emilia train report training/endings --json"
)]
pub struct Args {
    /// Directories of shards to measure on instead
    #[arg(value_name = "DIR")]
    data: Vec<PathBuf>,
    /// Where the held-out sets are, or are to be made
    #[arg(
        long,
        value_name = "DIR",
        default_value = "training/held-out",
        conflicts_with = "data"
    )]
    directory: PathBuf,
    /// A folder of WTHOR files
    #[arg(long, value_name = "DIR", conflicts_with = "data")]
    wthor: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let evaluator = args.engine.evaluator()?;
    if !args.data.is_empty() {
        let mut result = Report::default();
        let all = shards(&args.data)?;
        let bar = progress(all.len() as u64, "shards", "measuring");
        for shard in all {
            report(evaluator, &shard, None, &mut result)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let mut rows = accuracy_table("empties");
        let mut empties = Vec::new();
        for (count, accuracy) in result.by_empties.iter().enumerate() {
            if accuracy.positions > 0 {
                rows.add_row(accuracy_row(count.to_string(), accuracy));
                empties.push(accuracy_json("empties", count.into(), accuracy));
            }
        }
        let groups = groups(&result);
        let object = json!({ "by_empties": empties, "groups": groups_json(&groups) });
        return tell(
            args.json,
            &object,
            format!("{rows}\n{}", groups_table(&groups)),
        );
    }
    let bars = Bars::default();
    let threads = args.engine.threads.count();
    let wthor = args.wthor.as_deref();
    let sets = held_out::make(&args.directory, wthor, evaluator, threads, &bars)?;
    bars.clear();
    let mut rows = accuracy_table("set");
    let (mut tables, mut objects) = (Vec::new(), Vec::new());
    for set in sets {
        let mut result = Report::default();
        for shard in shards(std::slice::from_ref(&set.directory))? {
            report(evaluator, &shard, Some(Source::Exact), &mut result)?;
        }
        let name = format!("{} at {} empties", set.name, set.empties);
        let accuracy = &result.by_empties[set.empties as usize];
        let groups = groups(&result);
        let mut object = accuracy_json("set", set.name.into(), accuracy);
        object["empties"] = set.empties.into();
        object["groups"] = groups_json(&groups);
        objects.push(object);
        tables.push(format!("{name}\n{}", groups_table(&groups)));
        rows.add_row(accuracy_row(name, accuracy));
    }
    let words = format!("{rows}\n\n{}", tables.join("\n\n"));
    tell(args.json, &json!({ "sets": objects }), words)
}

/// By who is to move and by the score.
fn groups(report: &Report) -> Vec<(String, Accuracy)> {
    let colours = ["Black to move", "White to move"].map(str::to_owned);
    let limits =
        |number: usize| match (number.checked_sub(1).map(|i| SCORES[i]), SCORES.get(number)) {
            (None, Some(to)) => format!("score up to {to:+}"),
            (Some(from), Some(to)) => format!("score above {from:+} up to {to:+}"),
            (from, None) => format!("score above {:+}", from.unwrap_or(0)),
        };
    let scores = (0..report.by_score.len()).map(limits);
    let groups = report.by_colour.iter().chain(&report.by_score).copied();
    let named = colours.into_iter().chain(scores).zip(groups);
    named.filter(|(_, group)| group.positions > 0).collect()
}

fn groups_table(groups: &[(String, Accuracy)]) -> Table {
    let mut rows = accuracy_table("group");
    for (name, accuracy) in groups {
        rows.add_row(accuracy_row(name.clone(), accuracy));
    }
    rows
}

fn groups_json(groups: &[(String, Accuracy)]) -> Value {
    groups
        .iter()
        .map(|(name, accuracy)| accuracy_json("group", name.as_str().into(), accuracy))
        .collect()
}

fn accuracy_table(first: &str) -> Table {
    table(&[first, "positions", "RMSE", "MAE", "bias"], &[1, 2, 3, 4])
}

fn accuracy_row(name: String, accuracy: &Accuracy) -> [String; 5] {
    [
        name,
        grouped(accuracy.positions),
        format!("{:.2}", accuracy.rmse()),
        format!("{:.2}", accuracy.mae()),
        format!("{:+.2}", accuracy.bias()),
    ]
}

fn accuracy_json(what: &str, name: Value, accuracy: &Accuracy) -> Value {
    json!({ what: name, "positions": accuracy.positions, "rmse": accuracy.rmse(),
            "mae": accuracy.mae(), "bias": accuracy.bias() })
}
