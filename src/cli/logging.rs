//! What is told on standard error besides the answer.

use super::color;
use std::io::stderr;
use tracing_subscriber::EnvFilter;

const VARIABLE: &str = "EMILIA_LOG";

/// As loud as the flags say, unless the variable says otherwise. A variable that says nothing is
/// told about, and the command goes on.
pub fn start(verbose: u8) {
    let level = ["warn", "info", "debug"][usize::from(verbose.min(2))];
    let filter = match wanted() {
        Some(Ok(filter)) => filter,
        Some(Err(reason)) => {
            eprintln!(
                "emilia: {VARIABLE} is not heeded: {reason}; write a level (off, error, warn, info, \
                 debug, trace), or parts with levels, as in emilia::service=debug,warn"
            );
            EnvFilter::new(level)
        }
        None => EnvFilter::new(level),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(color::colors(&stderr()))
        .with_target(false)
        .init();
}

/// What the variable says, if it is set.
pub fn wanted() -> Option<Result<EnvFilter, String>> {
    let text = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
    text.as_deref().map(read)
}

fn read(text: &str) -> Result<EnvFilter, String> {
    let levels = ["off", "error", "warn", "info", "debug", "trace"];
    for word in text.split(',').map(str::trim) {
        // A word alone is a level, or else the filter takes it for the name of a part: of us, or of
        // a library, which is written with colons.
        let is_level = levels.iter().any(|level| word.eq_ignore_ascii_case(level));
        if !is_level && !word.contains(['=', ':', '[']) && word != "emilia" {
            return Err(format!("'{word}' is no level"));
        }
    }
    EnvFilter::try_new(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_parts_are_read_and_other_words_are_named() {
        for text in [
            "warn",
            "DEBUG",
            "emilia::service=debug,warn",
            "emilia",
            "tower_http=trace",
        ] {
            assert!(read(text).is_ok(), "{text}");
        }
        assert!(read("loud").unwrap_err().contains("'loud'"));
        assert!(read("warn,loud").is_err());
        assert!(read("emilia=loud").is_err());
    }
}
