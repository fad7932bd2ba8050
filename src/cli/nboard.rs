//! `emilia nboard`: the engine for boards that speak the NBoard protocol.

use super::player_options::PlayerOptions;
use crate::protocol::nboard;
use anyhow::Result;
use std::io::{BufReader, stdin, stdout};

/// Play for a program that speaks the NBoard protocol
///
/// In NBoard: Engine, Add Engine, and name the command `emilia nboard`. The board's depth sets
/// the level.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia nboard --threads 2\n  \
                  printf 'nboard 2\\nset depth 8\\ngo\\n' | emilia nboard --no-book")]
pub struct Args {
    #[command(flatten)]
    player: PlayerOptions,
}

pub fn run(args: Args) -> Result<()> {
    let pace = args.player.pace();
    let player = args.player.beside_others().player()?;
    nboard::run(player, pace, BufReader::new(stdin()), &mut stdout().lock())?;
    Ok(())
}
