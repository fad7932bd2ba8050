//! `emilia book learn`: one game, searched at once.

use super::super::exit::interrupted;
use super::super::output::{grouped, print_json};
use super::effort::Effort;
use super::grown::report_failures;
use super::place::Place;
use super::profile::ProfileOptions;
use super::watch::Watch;
use crate::book::{Cause, Store, StoreError, query};
use crate::engine::{Course, Lesson, learn_game};
use crate::games::{Details, Game, Moves};
use crate::othello::{MoveList, Position, Square};
use crate::view::{GameLearnedView, LearnedView, LossView, SearchWorkView};
use anyhow::{Result, anyhow};
use std::io::{Write, stdout};
use std::time::Instant;

/// Learn a game, and from its mistakes
///
/// The positions of the game come in, what might have been played instead is searched, and the
/// loss is carried up: the book avoids the line next time. A game that is known is searched where
/// it is not searched to the level yet. A book that was built up to some number of moves, or with
/// positions that some number of games reached, stays so unless --widen says otherwise.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book learn f5d6c3d3c4f4f6\n  \
                        emilia book learn f5f4e3 --level 12 --plies 30")]
pub struct Args {
    /// The moves of the game from the start
    #[arg(value_name = "GAME")]
    game: String,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    profile: ProfileOptions,

    #[command(flatten)]
    effort: Effort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let usage = |error: &dyn std::fmt::Display| anyhow!("{error}");
    let list = MoveList::parse(Position::START, &args.game).map_err(|error| usage(&error))?;
    let moves = Moves::try_from(&list.moves[..]).map_err(|error| usage(&error))?;
    let game =
        Game::new(Position::START, moves, Details::default()).map_err(|error| usage(&error))?;
    let crew = args.effort.start_searching()?;
    let store = args.place.open_or_create()?;
    let mut analyst = crew.analyst(&store)?;
    let began = Instant::now();
    let watch = Watch::over(None, "searching", crew.interrupt.clone());
    let plan = args.profile.plan(&store, Course::PLIES_OF_A_GAME)?;
    let course = Course::new(plan, Cause::Learn, crew.level, args.profile.correct(0));
    let lesson = learn_game(&store, &game, &course, &mut *analyst, &watch)?;
    let Lesson { learned, settled } = lesson;
    drop(watch);
    if crew.interrupt.is_set() {
        return Err(interrupted(
            "interrupted; the same command goes on from there",
        ));
    }
    report_failures(&settled.failures)?;
    let losses = losses(&store, &game)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if args.json {
        let losses = losses.iter().map(|loss| LossView {
            ply: loss.ply,
            played: loss.played.to_string(),
            best: loss.best.to_string(),
            discs: loss.discs,
        });
        let told = GameLearnedView {
            learned: LearnedView::from(learned),
            work: SearchWorkView {
                searched: settled.searched,
                finished: settled.finished,
                seconds,
            },
            losses: losses.collect(),
        };
        return print_json(&mut out, &told);
    }
    writeln!(
        out,
        "{}; {} new positions, {} searches  ({seconds:.1} s)",
        if learned.known == 1 {
            "the game was known before"
        } else {
            "1 game learned"
        },
        grouped(learned.positions),
        grouped(settled.searched),
    )?;
    for loss in &losses {
        let Loss {
            ply,
            played,
            best,
            discs,
        } = loss;
        writeln!(
            out,
            "  move {ply}, {played}, gives {discs:.2} discs away; {best} was better"
        )?;
    }
    if learned.known == 0 && plan.min_games > 1 {
        writeln!(
            out,
            "the book takes in positions that {} games reached (--widen takes in more)",
            plan.min_games
        )?;
    }
    if !settled.finished {
        writeln!(out, "the time is up; the same command goes on from there")?;
    }
    Ok(())
}

/// A move that the book now knows to be a mistake.
struct Loss {
    /// The number of the move, from 1 on.
    ply: usize,
    played: Square,
    best: Square,
    discs: f64,
}

/// Less than this, in discs, is a matter of taste.
const SMALLEST_LOSS: f64 = 0.5;

/// What the moves of a game gave away, as the book sees it now.
fn losses(store: &Store, game: &Game) -> Result<Vec<Loss>, StoreError> {
    let reader = store.reader();
    let mut losses = Vec::new();
    let mut position = game.start();
    for (ply, &played) in (1..).zip(game.moves()) {
        let answer = query(&reader, position)?;
        let value = answer.node.and_then(|node| node.derived.value);
        let own = answer.moves.iter().find(|known| known.square == played);
        if let (Some(best), Some(value), Some(own)) =
            (answer.best, value, own.and_then(|known| known.value))
        {
            let discs = value.discs() - own.discs();
            if discs >= SMALLEST_LOSS {
                losses.push(Loss {
                    ply,
                    played,
                    best,
                    discs,
                });
            }
        }
        // A game's moves are legal.
        let Ok(next) = answer.position.play(played) else {
            break;
        };
        position = next;
    }
    Ok(losses)
}
