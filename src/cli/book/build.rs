//! `emilia book build`: games in, a book out.

use super::super::games::inputs::{BadGames, Bar, games, is_name_table, open_input};
use super::super::interrupt::Interrupt;
use super::super::output::grouped;
use super::place::Place;
use super::watch::Watch;
use crate::book::{Learned, Learner, Plan, Store, settle};
use crate::games::{Game, GameReader};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::io::{Write, stderr, stdout};
use std::path::PathBuf;
use std::time::Instant;

/// Learn collections of games into a book
///
/// Every position of the games up to --plies moves comes in, with who won from there, and the
/// values are carried up through all transpositions. A game is learned once, however often it is
/// given: the same command again changes nothing, and after an interruption (Ctrl-C, kill, a power
/// cut) it goes on where it stopped. Games that are equal up to the board's symmetry are one game.
/// Games that begin elsewhere than at the start position are left out.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book build book/games/*\n  \
                        emilia book build WTH_*.wtb --book wthor --plies 40\n  \
                        emilia book build games.ggf.gz --min-games 5")]
pub struct Args {
    /// Collections: WTHOR, GGF, SGF or transcripts, also packed; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,

    #[command(flatten)]
    place: Place,

    /// Learn the positions after at most this many moves
    #[arg(long, value_name = "N", default_value_t = 40,
          value_parser = clap::value_parser!(u8).range(0..=60))]
    plies: u8,

    /// Take in only positions that this many games reached
    #[arg(long, value_name = "K", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,

    /// How hard to look at positions; 0, the only level so far, does not evaluate them
    #[arg(long, value_name = "L", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=0))]
    level: u8,

    /// Write after this many games; what was written is never lost
    #[arg(long, value_name = "GAMES", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch: u32,

    /// A bad game is an error
    #[arg(long)]
    strict: bool,

    /// Print a JSON object whenever games were written, and one at the end
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let began = Instant::now();
    let path = args.place.path()?;
    let interrupt = Interrupt::watch()?;
    let store = Store::open_or_create(&path)?;
    let plan = Plan {
        plies: args.plies,
        min_games: args.min_games,
        games_at_once: args.batch as usize,
    };
    let mut bad = BadGames::new(args.strict, false);
    let mut learner = Learner::new(&store, plan);
    let report = |learned: &Learned| -> Result<()> {
        if args.json {
            let mut out = stdout().lock();
            writeln!(out, "{}", json!({ "written": to_json(learned) }))?;
            out.flush()?;
        }
        Ok(())
    };

    let bar = Bar::new(&args.games, "learning");
    let mut collections = 0;
    'files: for file in &args.games {
        let mut reader = match open_input(file) {
            Ok(reader) => reader,
            Err(error) if is_name_table(&error) => continue,
            Err(error) => return Err(error.into()),
        };
        collections += 1;
        while let Some(batch) = next_games(&mut reader, &mut bad)? {
            if interrupt.is_set() {
                break 'files;
            }
            bar.show(&reader);
            if learner.add(&batch)? {
                report(&learner.learned())?;
            }
        }
        bar.end_of_file(&reader);
    }
    drop(bar);
    if collections == 0 {
        bail!("there are only tables of names here; name the .wtb files as well");
    }
    if interrupt.is_set() {
        learner.write()?;
        report(&learner.learned())?;
        bail!(
            "interrupted; {} written, the same command goes on from there",
            games(learner.learned().games, "game")
        );
    }
    let learned = learner.finish()?;
    report(&learned)?;

    let watch = Watch::new(&store, "propagating", Some(interrupt))?;
    let settled = settle(&store, &watch)?;
    drop(watch);
    if !settled.finished {
        bail!("interrupted while values were carried up; the same command goes on from there");
    }

    store.flush()?;

    let seconds = began.elapsed().as_secs_f64();
    if args.json {
        let mut object = to_json(&learned);
        object["bad"] = bad.count().into();
        object["bad_games"] = bad.to_json();
        object["recomputed"] = settled.recomputed.into();
        object["changed"] = settled.changed.into();
        object["seconds"] = seconds.into();
        writeln!(stdout(), "{object}")?;
        return Ok(());
    }
    let mut out = stdout().lock();
    writeln!(
        out,
        "{} learned, {} known before; {} new positions in {}  ({seconds:.1} s)",
        games(learned.games, "game"),
        grouped(learned.known),
        grouped(learned.positions),
        path.display(),
    )?;
    if learned.other_start > 0 {
        let left_out = games(learned.other_start, "game");
        writeln!(out, "{left_out} left out: not from the start position")?;
    }
    bad.print(&mut stderr())?;
    Ok(())
}

/// The good games of the next batch; a file whose rest cannot be read is an error.
fn next_games(reader: &mut GameReader, bad: &mut BadGames) -> Result<Option<Vec<Game>>> {
    let Some(batch) = reader.next_batch() else {
        return Ok(None);
    };
    let mut good = Vec::with_capacity(batch.len());
    for game in batch {
        match game {
            Ok(game) => good.push(game),
            Err(flaw) if flaw.flaw.ends_the_file() => return Err(flaw.into()),
            Err(flaw) => bad.add(flaw)?,
        }
    }
    Ok(Some(good))
}

fn to_json(learned: &Learned) -> Value {
    json!({ "games": learned.games, "known": learned.known,
            "other_start": learned.other_start, "positions": learned.positions })
}
