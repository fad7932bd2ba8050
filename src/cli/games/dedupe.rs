//! `emilia games dedupe`: every game once.

use super::super::interrupt::Interrupt;
use super::inputs::{BadGames, Inputs, games};
use super::target::{Target, TargetArgs};
use crate::games::Identity;
use anyhow::Result;
use std::collections::HashMap;
use std::path::PathBuf;

/// Write every game once
///
/// Two games are the same if their moves are, up to the symmetry of the board. Of those the one is
/// kept about which most is known; the order stays. The files are read twice, so that memory holds
/// a fingerprint of each game and not the game.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia games dedupe mine.ggf yours.wtb -o all.txt\n  \
                  emilia games dedupe *.wtb -o all.ggf.zst --json"
)]
pub struct Args {
    /// The collections to read; - is standard input
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,

    #[command(flatten)]
    target: TargetArgs,

    /// A bad game is an error
    #[arg(long)]
    strict: bool,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// The best game of its kind so far.
struct Best {
    number: u64,
    richness: u32,
}

pub fn run(args: Args) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    let mut target = Target::new(args.target)?;
    let mut inputs = Inputs::new(args.games);
    inputs.keep()?;

    let mut bad = BadGames::new(args.strict, false);
    let mut best: HashMap<Identity, Best> = HashMap::new();
    let mut read = 0u64;
    inputs.read("comparing", &interrupt, &mut bad, |number, game| {
        read += 1;
        let richness = game.richness();
        let entry = best
            .entry(game.identity())
            .or_insert(Best { number, richness });
        if richness > entry.richness {
            *entry = Best { number, richness };
        }
        Ok(())
    })?;

    let mut winners: Vec<u64> = best.into_values().map(|best| best.number).collect();
    winners.sort_unstable();
    let duplicates = read.saturating_sub(winners.len() as u64);
    let mut winners = winners.into_iter().peekable();
    // The same files again: what is bad has been reported.
    let mut again = BadGames::new(false, false);
    inputs.read("writing", &interrupt, &mut again, |number, game| {
        if winners.next_if_eq(&number).is_some() {
            target.write(&game)?;
        }
        Ok(())
    })?;
    let report = target.finish(&interrupt)?;

    if !args.json {
        let duplicates = games(duplicates, "duplicate");
        eprintln!("{} read, {duplicates} left out", games(read, "game"));
    }
    report.tell(
        args.json,
        &bad,
        &[("read", read), ("duplicates", duplicates)],
    )
}
