//! The keys of the index: positions by their own keys, which begin with a number of discs, and
//! everything else by a letter and its name.

use super::list::GameNumber;
use crate::book::archive::archived_name;
use crate::book::key::{KeyError, NodeKey};
use std::collections::BTreeSet;

/// What has a row in the index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IndexKey {
    /// The games through a position, where there is more than one.
    Position(NodeKey),
    /// The games of an event.
    Event(FoldedName),
    /// The facts of neighbouring games.
    Facts(u32),
    /// The fingerprint of a game.
    Number(GameNumber),
    /// The games of a player.
    Player(FoldedName),
}

/// A name without the difference between large and small letters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FoldedName(String);

impl FoldedName {
    /// As the archive keeps it.
    pub fn of(name: &str) -> FoldedName {
        let name = archived_name(name);
        FoldedName(name.map_or_else(String::new, |name| name.to_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Those of some names that somebody means who writes this one: itself where it is among them,
    /// or else all that begin like it.
    pub fn meant_among(&self, names: &BTreeSet<FoldedName>) -> BTreeSet<FoldedName> {
        if names.contains(self) {
            return BTreeSet::from([self.clone()]);
        }
        let from_here = names.range(self..);
        from_here
            .take_while(|name| name.0.starts_with(&self.0))
            .cloned()
            .collect()
    }
}

const EVENT: u8 = b'e';
const FACTS: u8 = b'f';
const NUMBER: u8 = b'n';
const PLAYER: u8 = b'p';

impl IndexKey {
    pub fn to_bytes(&self) -> Vec<u8> {
        let named = |letter: u8, rest: &[u8]| [&[letter], rest].concat();
        match self {
            IndexKey::Position(key) => key.to_bytes().into(),
            IndexKey::Event(name) => named(EVENT, name.0.as_bytes()),
            IndexKey::Facts(row) => named(FACTS, &row.to_be_bytes()),
            IndexKey::Number(number) => named(NUMBER, &number.0.to_be_bytes()),
            IndexKey::Player(name) => named(PLAYER, name.0.as_bytes()),
        }
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<IndexKey, KeyError> {
        let length = KeyError::Length(bytes.len());
        let (letter, rest) = bytes.split_first().ok_or(length)?;
        let number = || rest.try_into().map(u32::from_be_bytes).map_err(|_| length);
        let name = || {
            let text = std::str::from_utf8(rest).map_err(|_| KeyError::Discs);
            text.map(|text| FoldedName(text.to_owned()))
        };
        Ok(match *letter {
            EVENT => IndexKey::Event(name()?),
            FACTS => IndexKey::Facts(number()?),
            NUMBER => IndexKey::Number(GameNumber(number()?)),
            PLAYER => IndexKey::Player(name()?),
            _ => IndexKey::Position(NodeKey::from_bytes(bytes)?),
        })
    }
}
