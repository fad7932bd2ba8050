//! Collections of games: a validated [`Game`], and readers and writers for WTHOR, GGF, SGF and
//! plain transcripts. Nothing here knows what the games are for.
//!
//! A collection is read with [`open`]. A game that is broken is skipped and told about; it never
//! stops the reading.
//!
//! ```
//! let collection = emilia::games::open("book/games/sample.wtb".as_ref())?;
//! let games = collection.filter_map(Result::ok);
//! let wins = games.filter(|game| game.result().is_some_and(|score| score.discs() > 0));
//! println!("Black won {} times", wins.count());
//! # Ok::<(), emilia::games::OpenError>(())
//! ```

mod bracket;
mod date;
mod distinct;
mod flaw;
mod format;
mod game;
mod ggf;
mod identity;
mod input;
mod line;
mod loss;
mod moves;
mod name;
mod names;
mod reader;
mod replay;
mod sample;
mod save;
mod scratch;
mod sgf;
mod transcript;
mod writer;
mod wthor;
mod wthor_writer;

#[cfg(test)]
mod arbitrary;

pub use date::Date;
pub use distinct::{DistinctCount, DistinctPositions};
pub use flaw::{BadGame, Flaw};
pub use format::{Format, NotACollection};
pub use game::{Details, Forfeit, Game, MoveNote, Theory};
pub use identity::Identity;
pub use input::Leash;
pub use loss::{Loss, Losses};
pub use moves::{Moves, TooManyMoves};
pub use name::Name;
pub use reader::{GameReader, OpenError, open};
pub use sample::SampleGames;
pub use save::{SaveError, save_as_typed, temporary_in};
pub use scratch::{ScratchFile, scratch_error, scratch_folder};
pub use writer::{GameWriter, Written};
pub use wthor_writer::NameFiles;
