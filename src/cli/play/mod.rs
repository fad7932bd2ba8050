//! `emilia play`: a game against the engine, on the whole terminal or line by line.

mod plain;
mod screen;
mod sitting;
mod terminal;

use super::player_options::PlayerOptions;
use crate::othello::Color;
use anyhow::{Result, anyhow};
use sitting::{Seats, Sitting};
use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;

/// Play against the engine
///
/// On a terminal the board fills the screen: move with the arrow keys and Enter, by typing a
/// square, or with the mouse. Over a pipe, or with --plain, moves and commands are lines; `help`
/// lists them.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia play --level club\n  \
                  emilia play --as white --level full --clock 5:00\n  \
                  emilia play --load game.ggf\n  \
                  printf 'f5\\nhint\\nsave game.ggf\\n' | emilia play --level 4")]
pub struct Args {
    /// The colour you play, or both, or none to watch
    #[arg(long = "as", value_name = "COLOUR", default_value = "black")]
    seats: SeatsName,

    /// Go on with the first game of this file
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,

    /// Lines of text instead of a screen
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    player: PlayerOptions,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum SeatsName {
    Black,
    White,
    Both,
    None,
}

impl From<SeatsName> for Seats {
    fn from(name: SeatsName) -> Seats {
        match name {
            SeatsName::Black => Seats::Person(Color::Black),
            SeatsName::White => Seats::Person(Color::White),
            SeatsName::Both => Seats::People,
            SeatsName::None => Seats::Engine,
        }
    }
}

pub fn run(args: Args) -> Result<()> {
    let pace = args.player.pace();
    let mut sitting = Sitting::new(args.player.player()?, pace, args.seats.into());
    if let Some(path) = &args.load {
        sitting.load(path).map_err(|reason| anyhow!(reason))?;
    }
    let prompt = stdin().is_terminal() && stdout().is_terminal();
    if args.plain || !prompt {
        plain::run(sitting, stdin().lock(), &mut stdout().lock(), prompt)?;
        return Ok(());
    }
    terminal::run(sitting)
}
