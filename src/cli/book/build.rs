//! `emilia book build`: games in, a book out.

use super::super::games::inputs::{BadGames, Bar, games, is_name_table, open_input};
use super::super::interrupt::Interrupt;
use super::super::output::grouped;
use super::effort::Effort;
use super::grown::report_failures;
use super::place::Place;
use super::profile::ProfileOptions;
use super::watch::Watch;
use crate::book::{
    Assignment, Cause, Errand, Learned, Learner, Plan, Searching, Settled, Watcher, answer_wants,
    settle,
};
use crate::games::{Game, GameReader};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The deepest that costs at most 50 ms a game on one core.
const DEFAULT_CORRECT: u8 = 18;

/// How far games are learned into a new book.
const USUAL_PLIES: u8 = 40;

/// Correcting takes time: so many games at most are lost when the process is killed.
const CORRECTED_AT_ONCE: usize = 200;

/// Learn collections of games into a book, and search it
///
/// Every position of the games up to --plies moves comes in, with who won from there. Then their
/// leaves are searched, and at every other position the best move that is not in the book, so that
/// a mistake in a game is found out; the values are carried up through all transpositions. What
/// the book had before is left as it is: emilia book deepen searches all of it.
///
/// A game is learned once, however often it is given, and what is searched is not searched again
/// at the same level or below: the same command again changes nothing, and after an interruption
/// (Ctrl-C, kill, a power cut, --time) it goes on where it stopped. Games that are equal up to the
/// board's symmetry are one game. Games that begin elsewhere than at the start position are left
/// out.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book build book/games/*\n  \
                        emilia book build WTH_*.wtb --book wthor --plies 40\n  \
                        emilia book build games.ggf.gz --min-games 5\n  \
                        emilia book build WTH_*.wtb --level 10 --time 8h")]
pub struct Args {
    /// Collections: WTHOR, GGF, SGF or transcripts, also packed; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    profile: ProfileOptions,

    #[command(flatten)]
    effort: Effort,

    /// From this many empty squares on, replace moves that give discs away by best play before a
    /// game is learned; 0 leaves games as they are. Matters only where --plies reaches so far
    #[arg(long, value_name = "E", default_value_t = DEFAULT_CORRECT,
          value_parser = clap::value_parser!(u8).range(0..=30))]
    correct: u8,

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
    let crew = args.effort.start()?;
    let interrupt = crew.interrupt.clone();
    let store = args.place.open_or_create()?;
    let mut analyst = crew.analyst(&store)?;
    let mut plan = Plan {
        games_at_once: args.batch as usize,
        ..args.profile.plan(&store, USUAL_PLIES)?
    };
    // The last position that is learned has this many empty squares, as a rule.
    let corrects = 60 - plan.plies < args.correct;
    if corrects {
        plan.games_at_once = plan.games_at_once.min(CORRECTED_AT_ONCE);
    }
    let errand = Errand::new(Cause::Build, crew.level);
    let searching = Searching {
        analyst: &mut *analyst,
        errand,
        correct: if corrects { args.correct } else { 0 },
    };
    let stop = Stop(&interrupt);
    let mut learner = Learner::new(&store, plan).searching(searching, &stop);
    let mut bad = BadGames::new(args.strict, false);
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
            if interrupt.button().is_pressed() {
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
    let learned = if interrupt.button().is_pressed() {
        learner.write()?;
        learner.learned()
    } else {
        learner.finish()?
    };
    report(&learned)?;
    if crew.interrupt.is_set() {
        bail!(
            "interrupted; {} written, the same command goes on from there",
            games(learned.games, "game")
        );
    }

    let settled = match errand {
        // The time is up: what is there is brought in order, and nothing more is begun.
        _ if crew.is_stopped() => Settled {
            finished: false,
            ..settle(&store, &())?
        },
        None => {
            let watch = Watch::new(&store, "propagating", Some(crew.interrupt.clone()))?;
            settle(&store, &watch)?
        }
        Some(errand) => {
            let watch = Watch::new(&store, "searching", Some(crew.interrupt.clone()))?;
            answer_wants(&store, &mut *analyst, Assignment::of(errand), &watch)?
        }
    };
    store.flush()?;
    if crew.interrupt.is_set() {
        bail!(
            "interrupted; {} learned, {} positions searched, and the same command goes on from \
             there",
            games(learned.games, "game"),
            grouped(settled.searched)
        );
    }
    report_failures(&settled.failures)?;
    let done = Done {
        learned,
        settled,
        seconds: began.elapsed().as_secs_f64(),
    };
    if args.json {
        writeln!(stdout(), "{}", done.to_json(&bad))?;
    } else {
        done.print(store.path())?;
        bad.print(&mut stderr())?;
    }
    Ok(())
}

/// Stops with the command.
struct Stop<'a>(&'a Interrupt);

impl Watcher for Stop<'_> {
    fn should_stop(&self) -> bool {
        self.0.button().is_pressed()
    }
}

/// What a build did.
struct Done {
    learned: Learned,
    settled: Settled,
    seconds: f64,
}

impl Done {
    fn to_json(&self, bad: &BadGames) -> Value {
        let mut object = to_json(&self.learned);
        object["bad"] = bad.count().into();
        object["bad_games"] = bad.to_json();
        object["searched"] = self.settled.searched.into();
        object["changed"] = self.settled.changed.into();
        object["finished"] = self.settled.finished.into();
        object["seconds"] = self.seconds.into();
        object
    }

    fn print(&self, path: &Path) -> Result<()> {
        let learned = &self.learned;
        let mut out = stdout().lock();
        writeln!(
            out,
            "{} learned, {} known before; {} new positions, {} searched in {}  ({:.1} s)",
            games(learned.games, "game"),
            grouped(learned.known),
            grouped(learned.positions),
            grouped(self.settled.searched),
            path.display(),
            self.seconds
        )?;
        if learned.other_start > 0 {
            let left_out = games(learned.other_start, "game");
            writeln!(out, "{left_out} left out: not from the start position")?;
        }
        if !self.settled.finished {
            writeln!(out, "the time is up; the same command goes on from there")?;
        }
        Ok(())
    }
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
