//! `emilia book build`: games in, a book out.

use super::super::exit::interrupted;
use super::super::games::inputs::{BadGames, games};
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, print_json};
use super::effort::Effort;
use super::grown::report_failures;
use super::place::Place;
use super::profile::ProfileOptions;
use super::shelf::{Shelf, check_inputs};
use super::watch::Watch;
use crate::book::{Cause, Learned, Settled, Watcher, settle};
use crate::engine::Course;
use crate::view::{BuiltView, LearnedView, SearchWorkView};
use anyhow::Result;
use serde_json::json;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

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

    /// Write after this many games; what was written is never lost [default: as many as --memory
    /// holds, and 10 000 where they are searched]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,

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
    check_inputs(&args.games)?;
    let store = args.place.open_or_create()?;
    let mut analyst = crew.analyst(&store)?;
    let mut plan = args.profile.plan(&store, Course::USUAL_PLIES)?;
    if let Some(games) = args.batch {
        plan.games_at_once = games as usize;
    }
    let correct = args.profile.correct(Course::USUAL_CORRECT);
    let course = Course::new(plan, Cause::Build, crew.level, correct);
    let mut bad = BadGames::new(args.strict, false);
    let mut shelf = Shelf::new(&args.games, "learning");
    let learned = course.take_in(
        &store,
        &mut *analyst,
        &Stop(&interrupt),
        || shelf.next_games(&mut bad),
        |learned| {
            if args.json {
                let mut out = stdout().lock();
                let learned = LearnedView::from(*learned);
                writeln!(out, "{}", json!({ "written": learned }))?;
                out.flush()?;
            }
            Ok(())
        },
    )?;
    drop(shelf);
    if crew.interrupt.is_set() {
        return Err(interrupted(format!(
            "interrupted; {} written, the same command goes on from there",
            games(learned.games, "game")
        )));
    }

    let settled = if crew.is_stopped() {
        // The time is up: what is there is brought in order, and nothing more is begun.
        let watch = Watch::after_the_time(&store, "propagating", interrupt.clone())?;
        let settled = settle(&store, &watch)?;
        store.flush()?;
        Settled {
            finished: false,
            ..settled
        }
    } else {
        let doing = if course.searches() {
            "searching"
        } else {
            "propagating"
        };
        let watch = Watch::new(&store, doing, Some(crew.interrupt.clone()))?;
        course.search(&store, &mut *analyst, &watch)?
    };
    if crew.interrupt.is_set() {
        return Err(interrupted(format!(
            "interrupted; {} learned, {} positions searched, and the same command goes on from \
             there",
            games(learned.games, "game"),
            grouped(settled.searched)
        )));
    }
    report_failures(&settled.failures)?;
    let done = Done {
        learned,
        settled,
        seconds: began.elapsed().as_secs_f64(),
    };
    if args.json {
        print_json(&mut stdout(), &done.view(&bad))?;
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
    fn view(&self, bad: &BadGames) -> BuiltView {
        BuiltView {
            learned: LearnedView::from(self.learned),
            bad: bad.view(),
            work: SearchWorkView {
                searched: self.settled.searched,
                finished: self.settled.finished,
                seconds: self.seconds,
            },
            changed: self.settled.changed,
        }
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
