//! A contestant as a user writes it: `emilia level=10 book=DIR`, `iago depth=6`, `gtp COMMAND`,
//! `nboard COMMAND`.

use super::contestant::{Contestant, Failure, Own};
use super::gtp_client::GtpClient;
use super::nboard_client::NBoardClient;
use crate::book::{Store, StoreError};
use crate::engine::{Draws, Pace, Policy, Skill, Who, defaults};
use crate::engine::{centidiscs, read_discs};
use crate::search::{Searcher, StopButton};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// A contestant that can be made as often as games run at the same time.
#[derive(Clone, Debug)]
pub struct Spec {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Own(Box<OwnSpec>),
    Gtp(String),
    NBoard { command: String, depth: u32 },
}

#[derive(Clone)]
struct OwnSpec {
    who: Who,
    policy: Policy,
    pace: Pace,
    threads: usize,
    hash: usize,
    book_path: Option<PathBuf>,
    book: Option<Arc<Store>>,
}

impl fmt::Debug for OwnSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnSpec")
            .field("who", &self.who)
            .field("policy", &self.policy)
            .field("pace", &self.pace)
            .field("book", &self.book_path)
            .finish_non_exhaustive()
    }
}

/// A text that describes no contestant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error(
        "'{text}' is no contestant: begin with emilia, gtp, nboard or a program of the papers \
         ({players}), as in 'emilia level=10', 'iago depth=6', 'gtp PROGRAM ARGUMENTS' or \
         'nboard depth=12 PROGRAM ARGUMENTS'"
    )]
    Unknown { text: String, players: String },
    #[error("'{0}' names no program")]
    NoCommand(String),
    #[error(
        "'{0}' is no setting: known are level, depth, nodes, move-time, overhead, book, threads, hash, \
         randomness, book-randomness, seed, draws, verify, each as NAME=VALUE"
    )]
    UnknownSetting(String),
    #[error("{0}: a quote does not end; write it twice, as in book='/my books/one'")]
    OpenQuote(String),
    #[error("{name}={value}: {reason}")]
    BadSetting {
        name: String,
        value: String,
        reason: String,
    },
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Spec, SpecError> {
        let text = text.trim();
        let (kind, rest) = text
            .split_once(char::is_whitespace)
            .map_or((text, ""), |(kind, rest)| (kind, rest.trim()));
        let command = |command: &str| {
            let command = command.trim();
            if command.is_empty() {
                Err(SpecError::NoCommand(text.into()))
            } else {
                Ok(command.to_owned())
            }
        };
        let kind = match kind {
            "gtp" => Kind::Gtp(command(rest)?),
            "nboard" => {
                let (depth, program) = match rest.strip_prefix("depth=") {
                    None => (DEFAULT_DEPTH, rest),
                    Some(rest) => {
                        let (depth, program) =
                            rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                        (setting("depth", depth)?, program)
                    }
                };
                Kind::NBoard {
                    command: command(program)?,
                    depth,
                }
            }
            name => match name.parse() {
                Ok(who) => Kind::Own(Box::new(OwnSpec::read(who, rest)?)),
                Err(_) => {
                    return Err(SpecError::Unknown {
                        text: text.into(),
                        players: Who::guests(),
                    });
                }
            },
        };
        Ok(Spec {
            text: text.to_owned(),
            kind,
        })
    }
}

/// What NBoard itself begins with.
const DEFAULT_DEPTH: u32 = 12;

fn setting<T: FromStr>(name: &str, value: &str) -> Result<T, SpecError>
where
    T::Err: fmt::Display,
{
    value
        .parse()
        .map_err(|error: T::Err| bad(name, value, &error))
}

/// Of a disc.
fn hundredths(name: &str, value: &str) -> Result<i32, SpecError> {
    let discs = read_discs(value).map_err(|reason| bad(name, value, &reason))?;
    Ok(centidiscs(discs))
}

fn bad(name: &str, value: &str, reason: &dyn fmt::Display) -> SpecError {
    SpecError::BadSetting {
        name: name.into(),
        value: value.into(),
        reason: reason.to_string(),
    }
}

impl OwnSpec {
    fn read(who: Who, text: &str) -> Result<OwnSpec, SpecError> {
        let mut own = OwnSpec {
            who,
            policy: Policy::default(),
            pace: Pace {
                // Nobody is on the way to the referee, but threads of other games are.
                overhead: Duration::from_millis(5),
                ..Pace::default()
            },
            threads: defaults::THREADS_OF_A_PLAYER,
            hash: defaults::HASH_OF_A_PLAYER as usize,
            book_path: None,
            book: None,
        };
        let words = shell_words::split(text).map_err(|_| SpecError::OpenQuote(text.into()))?;
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                return Err(SpecError::UnknownSetting(word));
            };
            match name {
                "level" => own.policy.strength = setting(name, value)?,
                "depth" => {
                    own.policy.strength = Skill::level(setting::<u32>(name, value)?.clamp(1, 60));
                }
                "nodes" => own.pace.nodes = Some(setting(name, value)?),
                "move-time" => {
                    let seconds: f64 = setting(name, value)?;
                    let time = Duration::try_from_secs_f64(seconds)
                        .map_err(|error| bad(name, value, &error))?;
                    own.pace.per_move = Some(time);
                }
                "overhead" => own.pace.overhead = Duration::from_millis(setting(name, value)?),
                "book" => own.book_path = Some(PathBuf::from(value)),
                "threads" => own.threads = setting::<u16>(name, value)?.max(1).into(),
                "hash" => own.hash = setting::<u16>(name, value)?.max(1).into(),
                "randomness" => own.policy.randomness = hundredths(name, value)?,
                "book-randomness" => own.policy.book_randomness = hundredths(name, value)?,
                "seed" => own.policy.seed = setting(name, value)?,
                "verify" => own.policy.verify = setting(name, value)?,
                "draws" => {
                    own.policy.draws = match value {
                        "neutral" => Draws::Neutral,
                        "seek" => Draws::Seek,
                        "avoid" => Draws::Avoid,
                        _ => return Err(bad(name, value, &"neutral, seek or avoid")),
                    }
                }
                _ => return Err(SpecError::UnknownSetting(word)),
            }
        }
        Ok(own)
    }
}

impl Spec {
    /// Whoever it is, with settings as a user writes them: also a program that is on no roster.
    pub fn of(who: Who, settings: &str) -> Result<Spec, SpecError> {
        Ok(Spec {
            text: format!("{who} {settings}").trim_end().to_owned(),
            kind: Kind::Own(Box::new(OwnSpec::read(who, settings)?)),
        })
    }

    /// Opens the book, if there is one, for all contestants that are made of this.
    pub fn open_book(&mut self) -> Result<(), StoreError> {
        if let Kind::Own(own) = &mut self.kind
            && let Some(path) = &own.book_path
        {
            own.book = Some(Arc::new(Store::open_read_only(Path::new(path))?));
        }
        Ok(())
    }

    /// Whether it thinks in the thread that asks it, whose CPU time is then its own.
    pub fn thinks_here(&self) -> bool {
        matches!(&self.kind, Kind::Own(own) if own.threads == 1)
    }

    /// Whether it can be told a game that does not begin at the start position; a program is
    /// started and asked.
    pub fn starts_anywhere(&self, patience: Duration) -> Result<bool, Failure> {
        match &self.kind {
            Kind::Gtp(command) => {
                GtpClient::start(command, patience, StopButton::new())?.starts_anywhere()
            }
            // Ours takes any board, and NBoard sends whole games.
            Kind::Own(_) | Kind::NBoard { .. } => Ok(true),
        }
    }

    /// A new contestant: a program is started, the engine gets its own table. `patience` is how
    /// long a program may take over what needs no thought; `stop` ends what it is at.
    pub fn make(
        &self,
        patience: Duration,
        stop: &StopButton,
    ) -> Result<Box<dyn Contestant>, Failure> {
        Ok(match &self.kind {
            Kind::Own(own) => {
                let searcher = || Ok(Searcher::new(own.hash << 20).with_threads(own.threads));
                let player = own
                    .who
                    .make(own.policy.clone(), own.book.clone(), searcher)?;
                Box::new(Own::new(player, own.pace, stop.clone()))
            }
            Kind::Gtp(command) => Box::new(GtpClient::start(command, patience, stop.clone())?),
            Kind::NBoard { command, depth } => Box::new(NBoardClient::start(
                command,
                *depth,
                patience,
                stop.clone(),
            )?),
        })
    }
}

/// As the user wrote it.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contestants_are_read_and_mistakes_named() {
        for text in [
            "emilia",
            "emilia level=10 nodes=5000 hash=8 threads=2 randomness=1.5 seed=7 draws=avoid",
            "emilia book=/tmp/book book-randomness=0.5 verify=false move-time=0.5 overhead=20",
            "emilia book='/my books/one' level=3",
            "iago",
            "iago depth=6 nodes=5000 move-time=0.1 seed=3",
            "othellus-corners",
            "gtp edax -gtp -l 10",
            "nboard depth=8 ntest",
            "nboard ntest x",
        ] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), text);
        }
        let error = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
        let unknown = error("edax");
        assert!(unknown.contains("begin with emilia") && unknown.contains("iago, "));
        assert!(error("gtp ").contains("names no program"));
        assert!(error("nboard depth=8").contains("names no program"));
        assert!(error("emilia speed=9").contains("known are level"));
        assert!(error("emilia level=godlike").contains("level=godlike: "));
        assert!(error("emilia book='/my books").contains("a quote does not end"));
    }

    #[test]
    fn whoever_plays_can_be_made_a_contestant_with_settings() {
        let iago: Who = "iago".parse().unwrap();
        let spec = Spec::of(iago, "nodes=100").unwrap();
        assert_eq!(spec.to_string(), "iago nodes=100");
        assert_eq!(Spec::of(iago, "").unwrap().to_string(), "iago");
        assert!(Spec::of(iago, "speed=9").is_err());
    }

    #[test]
    fn a_book_that_is_not_there_is_told_before_the_match() {
        for place in ["/no/such/book", "'/no/such book'"] {
            let mut spec: Spec = format!("emilia book={place}").parse().unwrap();
            let Err(StoreError::Missing { path, .. }) = spec.open_book() else {
                panic!("{place}");
            };
            assert_eq!(path, Path::new(place.trim_matches('\'')));
        }
    }
}
