//! Whether text is coloured: as `--color` says, and otherwise on a terminal unless `NO_COLOR` is
//! set (<https://no-color.org>).

use std::io::IsTerminal;
use std::sync::OnceLock;

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the variable NO_COLOR is set
    Auto,
    Always,
    Never,
}

static CHOICE: OnceLock<ColorChoice> = OnceLock::new();

/// For the rest of the program; who comes second changes nothing.
pub fn choose(choice: ColorChoice) {
    let _ = CHOICE.set(choice);
}

/// Whether what goes there is coloured.
pub fn colors(out: &impl IsTerminal) -> bool {
    let choice = CHOICE.get().copied().unwrap_or(ColorChoice::Auto);
    decide(
        choice,
        std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty()),
        out.is_terminal(),
    )
}

fn decide(choice: ColorChoice, is_unwanted: bool, is_terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && !is_unwanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_counts_more_than_the_variable_and_the_variable_more_than_the_terminal() {
        assert!(decide(ColorChoice::Auto, false, true));
        assert!(!decide(ColorChoice::Auto, true, true));
        assert!(!decide(ColorChoice::Auto, false, false));
        assert!(decide(ColorChoice::Always, true, false));
        assert!(!decide(ColorChoice::Never, false, true));
    }
}
