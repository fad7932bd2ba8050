//! What workers and books tell about themselves, for each other and for people who watch: small
//! JSON objects in buckets of the server, renewed every other second.

use super::wire::now;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How often a card is renewed.
pub const BEAT: Duration = Duration::from_secs(2);
/// Whoever has not renewed a card for so long is gone.
pub const GONE: Duration = Duration::from_secs(10);

/// A worker.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WorkerCard {
    pub name: String,
    /// Two programs with one name are told apart by it.
    pub instance: u64,
    pub engine: String,
    /// Of the program.
    pub version: String,
    pub threads: u32,
    /// In milliseconds since 1970, by the worker's own clock.
    pub since: u64,
    pub sent: u64,
    /// Questions answered so far.
    pub answered: u64,
    /// Questions a second over the last beats.
    pub rate: f64,
    /// Parcels of questions in hand.
    pub in_hand: u64,
    /// Messages that were not believed.
    pub refused: u64,
    /// It has ended and will not answer any more.
    pub ended: bool,
}

/// A book that is searched by a cluster, and how it goes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BookCard {
    pub book: String,
    /// The run of a command that asks, by a number of its own.
    pub run: u64,
    /// The folder it lies in.
    pub name: String,
    /// The machine and the process that ask.
    pub host: String,
    pub process: u32,
    pub engine: String,
    pub version: String,
    pub since: u64,
    pub sent: u64,
    /// Nobody asks for this book now.
    pub ended: bool,
    pub figures: Figures,
}

/// Seconds since a card was renewed; clocks differ a little, so that it may seem to come from the
/// future.
fn age(sent: u64) -> f64 {
    now().saturating_sub(sent) as f64 / 1000.0
}

impl WorkerCard {
    /// Seconds since the last sign of life.
    pub fn silent(&self) -> f64 {
        age(self.sent)
    }

    pub fn is_alive(&self) -> bool {
        !self.ended && self.silent() < GONE.as_secs_f64()
    }
}

impl BookCard {
    /// Seconds since the last sign of life.
    pub fn silent(&self) -> f64 {
        age(self.sent)
    }

    /// Somebody asks for the book now.
    pub fn is_asking(&self) -> bool {
        !self.ended && self.silent() < GONE.as_secs_f64()
    }
}

/// What a coordinator counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Questions that are asked and not answered.
    pub open: u64,
    pub answered: u64,
    /// Answers to parcels that were handed out more than once.
    pub delivered_again: u64,
    /// Questions that were sent once more because nobody had them any more.
    pub sent_again: u64,
    /// Answers that another one was asked about as well.
    pub checked: u64,
    pub disagreements: u64,
    /// Workers that were found out.
    pub quarantined: u64,
    /// Questions that nobody could answer.
    pub dead: u64,
    /// Messages that were not believed.
    pub refused: u64,
    /// Answers that nobody waited for: late ones and second ones.
    pub unwanted: u64,
}

/// Why a worker's answers are not taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sentence {
    pub worker: String,
    pub reason: String,
    pub since: u64,
    /// How many of its answers had come by then.
    pub answers: u64,
}

/// A card that somebody put there who speaks another language is no card.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

pub fn written<T: Serialize>(card: &T) -> Vec<u8> {
    // Plain structs of numbers and strings cannot fail.
    serde_json::to_vec(card).unwrap_or_default()
}
