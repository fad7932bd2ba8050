//! `emilia games sample`: games of two simple players.

use super::super::interrupt::Interrupt;
use super::super::output::progress;
use super::inputs::BadGames;
use super::target::{Target, TargetArgs};
use crate::games::SampleGames;
use anyhow::Result;

/// Write games of two simple players
///
/// One turns as many discs as it can, the other leaves its opponent few moves; both are weak. The
/// same seed gives the same games. The collections in book/games were made like this.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia games sample --games 200 --seed 1 -o sample.wtb\n  \
                        emilia games sample --games 5 -o - --format txt"
)]
pub struct Args {
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u64,

    /// Where the players' luck begins
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    target: TargetArgs,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    let mut target = Target::new(args.target)?;
    let bar = progress(args.games, "games", "playing");
    let mut games = SampleGames::new(args.seed);
    for _ in 0..args.games {
        interrupt.check()?;
        if let Some(game) = games.next() {
            target.write(&game)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let bad = BadGames::new(false, false);
    target.finish(&interrupt)?.tell(args.json, &bad, &[])
}
