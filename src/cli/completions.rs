//! `emilia completions`: what a shell needs to complete our commands.

use anyhow::Result;
use clap_complete::{Shell, generate};
use std::io::{Write, stdout};

/// Write what a shell needs to complete commands and flags
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        emilia completions bash > ~/.local/share/bash-completion/completions/emilia\n  \
        emilia completions zsh > ~/.zfunc/_emilia\n  \
        emilia completions fish > ~/.config/fish/completions/emilia.fish")]
pub struct Args {
    /// For which shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub fn run(args: Args) -> Result<()> {
    // The generator does not tell its writer's errors, so that it writes to memory first.
    let mut script = Vec::new();
    generate(args.shell, &mut super::command(), "emilia", &mut script);
    stdout().lock().write_all(&script)?;
    Ok(())
}
