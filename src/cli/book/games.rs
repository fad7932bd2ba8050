//! `emilia book games`, `forget-game` and `index-games`: the games behind the positions.

use super::super::exit::{interrupted, no};
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, table};
use super::place::Place;
use super::settling::settle_and_flush;
use super::watch::Watch;
use crate::book::{
    ForgetGameError, GameNumber, Page, Selection, Table, Winner, Years, find_games, forget_game,
    index_games, is_game,
};
use crate::othello::PositionText;
use crate::view::{FoundGameView, FoundGamesView};
use anyhow::Result;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::time::Instant;

/// Which games are meant, but for the position
#[derive(clap::Args)]
pub struct SomeGames {
    /// Only games of this player: the whole name or, if nobody has it, its beginning; large and
    /// small letters are the same
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,

    /// Only games of these years: 2013, 2000-2015, 2000- or -1990
    #[arg(
        long,
        visible_alias = "year",
        value_name = "YEARS",
        allow_hyphen_values = true
    )]
    pub years: Option<Years>,
}

/// List games of the book, by position, player, event, years and result
///
/// All that is said must be true of a game. Games are shown as they go through the position as it
/// was asked, whichever way they were played, in the order in which the book learned them; a
/// game's number stays the same. Exit code 1 if there is none.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book games f5d6c3d3c4\n  \
                        emilia book games --player tastet --years 1990-1999 --result draw\n  \
                        emilia book games f5f6 --player \"Rose Brian\" --limit 50 --after 1234 --json")]
pub struct Args {
    /// Moves from the start, or a board string with the side to move
    #[arg(value_name = "MOVES|POSITION", allow_hyphen_values = true)]
    position: Option<PositionText>,

    #[command(flatten)]
    some: SomeGames,

    /// Only games of this event: the whole name or, if none has it, its beginning; large and small
    /// letters are the same
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// Only games that ended like this: black (won), white or draw
    #[arg(long, value_name = "RESULT")]
    result: Option<Winner>,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// Show games after this number: the next page
    #[arg(long, value_name = "NUMBER")]
    after: Option<u32>,

    #[command(flatten)]
    place: Place,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let store = args.place.open_to_read()?;
    let selection = Selection {
        position: args.position.map(|asked| asked.position),
        player: args.some.player,
        event: args.event,
        years: args.some.years,
        winner: args.result,
    };
    let page = Page {
        after: args.after.map(GameNumber),
        limit: args.limit,
    };
    let found = find_games(&store.snapshot(), &selection, page, &|| false)?;
    let found = FoundGamesView::from(&found);
    let mut out = stdout().lock();
    let end = match found.total {
        0 => Err(no("")),
        _ => Ok(()),
    };
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&found)?)?;
        return end;
    }
    for names in [&found.players, &found.events] {
        if names.len() > 1 {
            writeln!(out, "of {}", names.join(", "))?;
        }
    }
    let header = [
        "number", "year", "black", "white", "result", "event", "moves",
    ];
    let mut rows = table(&header, &[0, 1, 4]);
    for game in &found.games {
        rows.add_row(row(game));
    }
    if !found.games.is_empty() {
        writeln!(out, "{rows}")?;
    }
    let (shown, total) = (found.games.len() as u64, grouped(found.total));
    match found.next {
        Some(next) => writeln!(
            out,
            "{} of {total} games; --after {next} shows the next",
            grouped(shown)
        )?,
        None => writeln!(out, "{} of {total} games", grouped(shown))?,
    }
    end
}

fn row(FoundGameView { number, game }: &FoundGameView) -> Vec<String> {
    let text = |known: &Option<String>| known.clone().unwrap_or_default();
    let moves = match &game.start {
        Some(start) => format!("{} from {start}", game.moves),
        None => game.moves.clone(),
    };
    vec![
        number.to_string(),
        game.year.map_or_else(String::new, |year| year.to_string()),
        text(&game.black),
        text(&game.white),
        game.result
            .map_or_else(String::new, |discs| format!("{discs:+}")),
        text(&game.event),
        moves,
    ]
}

/// Remove games from the book, as if it had never learned them
///
/// What a game counts in the statistics goes, and the positions that only it brought in. Positions
/// that other games reached, that a file brought or from where the book has grown stay.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book forget-game 1234 1240")]
pub struct ForgetArgs {
    /// As emilia book games shows them
    #[arg(value_name = "NUMBER", required = true)]
    numbers: Vec<u32>,

    #[command(flatten)]
    place: Place,

    /// Print JSON objects
    #[arg(long)]
    json: bool,
}

pub fn run_forget(args: ForgetArgs) -> Result<()> {
    let store = args.place.open()?;
    let interrupt = Interrupt::watch()?;
    let numbers: BTreeSet<GameNumber> = args.numbers.iter().copied().map(GameNumber).collect();
    // A number that was never given is said before anything is done. One whose game is gone, perhaps
    // by this command before an interruption, needs nothing but what is left to settle.
    let mut there = Vec::new();
    let next = store.reader().next_game()?;
    for number in numbers {
        if is_game(&store, number)? {
            there.push(number);
        } else if number >= next {
            return Err(ForgetGameError::NoSuchGame(number).into());
        } else if !args.json {
            eprintln!("emilia: game {number} is gone already");
        }
    }
    let (mut games, mut removed) = (0, 0);
    for number in there {
        if interrupt.is_set() {
            break;
        }
        removed += forget_game(&store, number)?.removed;
        games += 1;
    }
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "games": games, "removed": removed });
        writeln!(out, "{object}")?;
    } else {
        let games = grouped(games);
        let removed = grouped(removed);
        writeln!(out, "{games} games forgotten, {removed} positions removed")?;
    }
    drop(out);
    settle_and_flush(&store, interrupt, args.json)
}

/// Index the games of a book that an older emilia wrote
///
/// The index finds games by position, player and event; it is kept up to date with every game that
/// is learned, so that this is done once. Whatever learns games does it, too. Here it is made
/// anew, with the statistics, also where it is there.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book index-games --book wthor")]
pub struct IndexArgs {
    #[command(flatten)]
    place: Place,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run_index(args: IndexArgs) -> Result<()> {
    let store = args.place.open()?;
    let interrupt = Interrupt::watch()?;
    let began = Instant::now();
    let about = store.estimated_records(Table::Nodes)?;
    let watch = Watch::over(Some(about), "indexing", interrupt);
    let finished = index_games(&store, &watch)?;
    drop(watch);
    if !finished {
        return Err(interrupted(
            "interrupted; emilia book index-games begins anew",
        ));
    }
    store.flush()?;
    let games = store.reader().count(Table::Games)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if args.json {
        let object = json!({ "games": games, "seconds": seconds });
        writeln!(out, "{object}")?;
    } else {
        writeln!(out, "{} games indexed  ({seconds:.1} s)", grouped(games))?;
    }
    Ok(())
}
