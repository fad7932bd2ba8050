//! `emilia games selfplay`: games of the engine against itself.

use super::super::interrupt::Interrupt;
use super::super::output::progress;
use super::inputs::BadGames;
use super::target::{Target, TargetArgs};
use crate::engine::{SelfPlay, defaults};
use crate::engine::{centidiscs, read_discs};
use crate::games::Game;
use crate::search::Searcher;
use anyhow::{Context, Result};
use rayon::prelude::*;

/// Games that are played before they are written, for each thread.
const AT_ONCE: u32 = 16;

/// Let the engine play games against itself
///
/// The first moves are varied: any that gives away little may be played, and every other game
/// begins with a named opening. After them both sides play the best they find. The same seed gives
/// the same games, whatever the number of threads.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia games selfplay -o games.ggf --games 1000\n  \
                        emilia games selfplay -o - --games 5 --level 10 --format txt\n\n\
                        Labels for training and books can be made of such games."
)]
pub struct Args {
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u32,

    /// Where the players' luck begins
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How hard to look: about the depth in the middle game, with an exact endgame to match
    #[arg(long, value_name = "LEVEL", default_value_t = defaults::LEVEL_OF_SELFPLAY,
          value_parser = clap::value_parser!(u32).range(1..=60))]
    level: u32,

    /// So many moves at the beginning, or after the named opening, need not be the best
    #[arg(long, value_name = "PLIES", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(0..=60))]
    varied: u32,

    /// Play moves that lose up to this many discs as well, the better ones more often
    #[arg(long, value_name = "DISCS", default_value = "2", value_parser = read_discs)]
    randomness: f64,

    /// Work with this many threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(defaults::THREADS_ALLOWED))]
    threads: Option<u16>,

    #[command(flatten)]
    target: TargetArgs,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    let mut target = Target::new(args.target)?;
    let play = SelfPlay {
        seed: args.seed,
        level: args.level,
        varied_plies: args.varied as usize,
        randomness: centidiscs(args.randomness).unsigned_abs(),
    };
    let threads = args.threads.map_or_else(defaults::threads, usize::from);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .context("cannot start threads")?;
    let bar = progress(args.games.into(), "games", "playing");
    let mut played = 0;
    while played < args.games {
        let next = args.games.min(played + AT_ONCE * threads as u32);
        let games: Vec<Option<Game>> = pool.install(|| {
            (played..next)
                .into_par_iter()
                .with_max_len(1)
                .map_init(
                    || Searcher::new(SelfPlay::TABLE_BYTES),
                    |searcher, number| {
                        if interrupt.is_set() {
                            return None;
                        }
                        let game = play.game(searcher, number.into(), interrupt.button());
                        bar.inc(1);
                        game
                    },
                )
                .collect()
        });
        interrupt.check()?;
        for game in games.iter().flatten() {
            target.write(game)?;
        }
        played = next;
    }
    bar.finish_and_clear();
    let bad = BadGames::new(false, false);
    target.finish(&interrupt)?.tell(args.json, &bad, &[])
}
