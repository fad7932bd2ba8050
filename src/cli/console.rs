//! `emilia console`: Edax-style commands, for scripts.

use super::player_options::PlayerOptions;
use crate::protocol::console;
use anyhow::Result;
use std::io::{BufReader, IsTerminal, stdin, stdout};

/// Play by console commands in the style of Edax: play, go, hint, mode, book show
///
/// `help` lists the commands. What cannot be done is told in a line that begins with `?`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia console\n  \
                  printf 'play f5d6c3\\nhint 3\\n' | emilia console --level 10 --no-book")]
pub struct Args {
    #[command(flatten)]
    player: PlayerOptions,
}

pub fn run(args: Args) -> Result<()> {
    let pace = args.player.pace();
    let player = args.player.player()?;
    let prompt = stdin().is_terminal();
    let input = BufReader::new(stdin());
    console::run(player, pace, input, &mut stdout().lock(), prompt)?;
    Ok(())
}
