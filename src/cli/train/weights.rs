//! `emilia train small` and `manifest`: weights made smaller, and how they were made.

use super::super::output::{grouped, progress};
use super::options::{TargetArgs, tell, weights_or_builtin};
use crate::eval::{Container, Evaluator, MANIFEST};
use crate::train::small::{SMALL_BYTES, TRIES, shrunk};
use anyhow::{Context, Result};
use serde_json::json;
use std::path::PathBuf;

/// Make weights coarser until their file is small enough
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia train small weights.emw -o small.emw")]
pub struct SmallArgs {
    /// The weights to begin from; the built-in ones if none are given
    #[arg(value_name = "FILE")]
    weights: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    /// How large the file may be
    #[arg(long, value_name = "N", default_value_t = SMALL_BYTES)]
    bytes: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Tell how weights were made: seeds, amounts, hashes, and how each round fared
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia train manifest\n  emilia train manifest weights.emw")]
pub struct ManifestArgs {
    /// A weights file; the built-in one if none is given
    #[arg(value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run_small(args: SmallArgs) -> Result<()> {
    args.target.check()?;
    let file = match &args.weights {
        Some(path) => {
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?
        }
        None => Evaluator::builtin_file().to_vec(),
    };
    let bar = progress(TRIES.into(), "steps", "making weights coarser");
    let (small, step) = shrunk(&Container::decode(&file)?, args.bytes, &mut || bar.inc(1))?;
    bar.finish_and_clear();
    args.target.write(&small)?;
    let (path, size) = (&args.target.output, grouped(small.len() as u64));
    let object = json!({ "file": path, "bytes": small.len(), "step": step });
    let words = format!(
        "{size} bytes, in steps of {step}/128 disc: {}",
        path.display()
    );
    tell(args.json, &object, words)
}

pub fn run_manifest(args: ManifestArgs) -> Result<()> {
    let evaluator = weights_or_builtin(args.weights.as_deref())?;
    let manifest = evaluator
        .section(MANIFEST)
        .context("these weights have no manifest: only `emilia train fit` and `all` write one")?;
    let manifest = String::from_utf8_lossy(manifest);
    let object = json!({ "manifest": manifest });
    tell(args.json, &object, manifest.trim_end())
}
