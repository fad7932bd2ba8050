//! How a command ends, as scripts see it: one number, the same for every command, with `--json` or
//! without.

use super::output::is_broken_pipe;
use crate::book::{ExchangeError, ForgetGameError, TrimError};
use crate::engine::GrowError;
use std::process::ExitCode;

/// What the number says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// It was done.
    Done = 0,
    /// The answer is no: a wrong solution, not in the book, books that differ.
    No = 1,
    /// A command that cannot be, input that cannot be read, or a machine that cannot.
    Wrong = 2,
    /// The user stopped it, with Ctrl-C or a signal.
    Interrupted = 130,
}

/// An end that is neither done nor wrong, as an error so that it passes through `?`.
#[derive(Debug, thiserror::Error)]
enum Ending {
    #[error("{0}")]
    No(String),
    #[error("{0}")]
    Interrupted(String),
}

/// The answer is no, and this is why; nothing where the output has said so.
pub fn no(reason: impl Into<String>) -> anyhow::Error {
    Ending::No(reason.into()).into()
}

/// The user stopped the command; what became of its work.
pub fn interrupted(reason: impl Into<String>) -> anyhow::Error {
    Ending::Interrupted(reason.into()).into()
}

impl Exit {
    pub fn of(error: &anyhow::Error) -> Exit {
        if is_broken_pipe(error) {
            return Exit::Done;
        }
        error
            .chain()
            .find_map(Exit::of_cause)
            .unwrap_or(Exit::Wrong)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Exit> {
        if let Some(ending) = cause.downcast_ref() {
            return Some(match ending {
                Ending::No(_) => Exit::No,
                Ending::Interrupted(_) => Exit::Interrupted,
            });
        }
        let is_no = matches!(cause.downcast_ref(), Some(TrimError::NotInBook(_)))
            || matches!(cause.downcast_ref(), Some(ForgetGameError::NoSuchGame(_)))
            || matches!(cause.downcast_ref(), Some(GrowError::NotInBook(_)));
        let is_stop = matches!(
            cause.downcast_ref(),
            Some(TrimError::Interrupted | TrimError::Unfinished)
        ) || matches!(cause.downcast_ref(), Some(ExchangeError::Interrupted));
        match (is_no, is_stop) {
            (true, _) => Some(Exit::No),
            (_, true) => Some(Exit::Interrupted),
            _ => None,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context, anyhow};
    use std::io::{Error, ErrorKind};

    #[test]
    fn an_end_is_recognised_however_much_was_said_about_it() {
        let told = |error: anyhow::Error| Exit::of(&Err::<(), _>(error).context("so").unwrap_err());
        assert_eq!(told(no("they differ")), Exit::No);
        assert_eq!(told(interrupted("stopped")), Exit::Interrupted);
        assert_eq!(told(TrimError::NotInBook(3).into()), Exit::No);
        assert_eq!(told(TrimError::Interrupted.into()), Exit::Interrupted);
        assert_eq!(told(ExchangeError::Interrupted.into()), Exit::Interrupted);
        assert_eq!(told(anyhow!("no such file")), Exit::Wrong);
        let pipe = Error::from(ErrorKind::BrokenPipe);
        assert_eq!(told(pipe.into()), Exit::Done);
    }
}
