//! `emilia train`: learns the evaluation's weights, and the tables of the players of the papers. A
//! file for each step, but the three that make labelled positions share `shards.rs`, and the two that
//! work on a weights file `weights.rs`. Ctrl-C ends all of them at once: what is finished is on the
//! disk, and the same command goes on from there.

mod all;
mod calibrate;
mod duel;
mod fit;
mod lean;
mod options;
mod players;
mod report;
mod shards;
mod weights;

use super::interrupt::Interrupt;
use anyhow::Result;

/// Learn the evaluation: make labelled positions, fit weights, measure them
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(clap::Subcommand)]
enum Step {
    Selfplay(shards::SelfplayArgs),
    Import(shards::ImportArgs),
    Endings(shards::EndingsArgs),
    Fit(fit::Args),
    Calibrate(calibrate::Args),
    Report(report::Args),
    Lean(lean::Args),
    Duel(duel::Args),
    All(all::Args),
    Small(weights::SmallArgs),
    Manifest(weights::ManifestArgs),
    Players(players::Args),
}

pub fn run(args: Args) -> Result<()> {
    Interrupt::end_at_once(
        "interrupted; a command that keeps its work in a folder goes on with it, others begin anew",
    )?;
    match args.step {
        Step::Selfplay(args) => shards::run_selfplay(args),
        Step::Import(args) => shards::run_import(args),
        Step::Endings(args) => shards::run_endings(args),
        Step::Fit(args) => fit::run(args),
        Step::Calibrate(args) => calibrate::run(args),
        Step::Report(args) => report::run(args),
        Step::Lean(args) => lean::run(args),
        Step::Duel(args) => duel::run(args),
        Step::All(args) => all::run(args),
        Step::Small(args) => weights::run_small(args),
        Step::Manifest(args) => weights::run_manifest(args),
        Step::Players(args) => players::run(&args),
    }
}
