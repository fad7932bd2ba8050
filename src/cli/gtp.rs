//! `emilia gtp`: the engine for programs that speak the Go Text Protocol.

use super::player_options::PlayerOptions;
use crate::protocol::gtp;
use anyhow::Result;
use std::io::{BufReader, stdin, stdout};

/// Play for a program that speaks GTP, such as GoGui or Quarry
///
/// Commands are read from standard input. Squares are named as Othello players do: a1 is the top
/// left corner.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia gtp --clock 300\n  \
                  printf 'genmove b\\nshowboard\\n' | emilia gtp --level 8 --no-book\n  \
                  emilia match 'gtp emilia gtp --level 4' 'emilia level=4'")]
pub struct Args {
    #[command(flatten)]
    player: PlayerOptions,
}

pub fn run(args: Args) -> Result<()> {
    let pace = args.player.pace();
    let player = args.player.beside_others().player()?;
    gtp::run(player, pace, BufReader::new(stdin()), &mut stdout().lock())?;
    Ok(())
}
