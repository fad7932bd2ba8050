//! Two builds of this program on the same work, in turns: which needs less CPU time, and how sure
//! that is. Run it with `tools/faster`.
//!
//! Whatever else the machine does slows both alike, because their runs alternate; each pair of runs
//! gives one ratio, and the error is that of the ratios' mean.

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use indicatif::ProgressBar;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Two builds on the same work, in turns: ratios of CPU time and nodes, with 95 % confidence
#[derive(Parser)]
#[command(after_help = "Examples:
  tools/faster old/emilia new/emilia -- solve --obf fforum-20-39.obf
  tools/faster old/emilia new/emilia --rounds 20 -- bench
  tools/faster old/emilia new/emilia -- solve --obf hard-20.obf --depth 10 --selectivity 91

Exit code 1: an answer of one of the two was wrong, or they disagree about how many were right.")]
struct Cli {
    /// The program as it was
    base: PathBuf,
    /// The program as it is
    new: PathBuf,
    /// Pairs of runs
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..))]
    rounds: u32,
    /// What both do: a command that prints cpu_seconds and nodes with --json, which is added
    #[arg(last = true, required = true)]
    work: Vec<String>,
}

/// What the last line of a run says.
struct Run {
    cpu_seconds: f64,
    nodes: f64,
    /// Right answers; none where nothing is judged.
    passed: Option<u64>,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("faster: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    let bar = ProgressBar::new(u64::from(cli.rounds));
    let (mut time, mut nodes) = (Vec::new(), Vec::new());
    let mut seconds = [0.0; 2];
    for round in 0..cli.rounds {
        // Neither is always the one that finds the machine warm.
        let (base, new) = if round % 2 == 0 {
            let base = measure(&cli.base, &cli.work)?;
            (base, measure(&cli.new, &cli.work)?)
        } else {
            let new = measure(&cli.new, &cli.work)?;
            (measure(&cli.base, &cli.work)?, new)
        };
        ensure!(
            base.passed == new.passed,
            "the two do not find the same: {:?} and {:?} right answers",
            base.passed,
            new.passed
        );
        time.push((new.cpu_seconds / base.cpu_seconds).ln());
        nodes.push((new.nodes / base.nodes).ln());
        seconds[0] += base.cpu_seconds;
        seconds[1] += new.cpu_seconds;
        bar.inc(1);
        bar.set_message(format!("{:.3}", time[time.len() - 1].exp()));
    }
    bar.finish_and_clear();
    let (time, nodes) = (Ratio::of(&time), Ratio::of(&nodes));
    println!(
        "CPU time {time}  ({:.2} s and {:.2} s a run)\nnodes    {nodes}\nverdict  {}",
        seconds[0] / f64::from(cli.rounds),
        seconds[1] / f64::from(cli.rounds),
        time.verdict()
    );
    Ok(())
}

fn measure(program: &Path, work: &[String]) -> Result<Run> {
    let output = Command::new(program)
        .args(work)
        .arg("--json")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!(
            "{} {} failed:\n{}{}",
            program.display(),
            work.join(" "),
            text.lines().last().unwrap_or(""),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let last = text.lines().last().unwrap_or("");
    let sum: Value = serde_json::from_str(last)
        .with_context(|| format!("{}: no JSON: {last}", program.display()))?;
    let number = |name: &str| {
        let number = sum[name].as_f64().filter(|number| *number > 0.0);
        number.with_context(|| format!("{}: no {name} in {last}", program.display()))
    };
    Ok(Run {
        cpu_seconds: number("cpu_seconds")?,
        nodes: number("nodes")?,
        passed: sum["passed"].as_u64(),
    })
}

/// A mean ratio and the ends of its 95 % interval.
struct Ratio {
    mean: f64,
    low: f64,
    high: f64,
}

impl Ratio {
    /// Of the logarithms of at least two ratios.
    fn of(logarithms: &[f64]) -> Ratio {
        let count = logarithms.len() as f64;
        let mean = logarithms.iter().sum::<f64>() / count;
        let squares: f64 = logarithms.iter().map(|l| (l - mean).powi(2)).sum();
        // Student's t at 97.5 %, within 2 %: a formula in the degrees of freedom that was fitted to a
        // table of it.
        let freedom = count - 1.0;
        let t = 1.96
            + 2.37 / freedom
            + 2.82 / freedom.powi(2)
            + 2.56 / freedom.powi(3)
            + 3.0 / freedom.powi(4);
        let error = t * (squares / (count - 1.0) / count).sqrt();
        Ratio {
            mean: mean.exp(),
            low: (mean - error).exp(),
            high: (mean + error).exp(),
        }
    }

    fn verdict(&self) -> &'static str {
        if self.high < 1.0 {
            "faster"
        } else if self.low > 1.0 {
            "slower"
        } else {
            "no difference seen"
        }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.4} ({:.4} to {:.4})", self.mean, self.low, self.high)
    }
}
