//! What a format cannot hold of the games written to it.

use std::collections::BTreeMap;
use std::fmt;

/// One kind of thing that gets lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Loss {
    /// The whole game: WTHOR knows only the usual start.
    Start,
    /// The year: a WTHOR file has one year for all its games.
    Year,
    /// Month and day.
    Day,
    /// Names were cut to WTHOR's 19 (players) or 25 (tournaments) bytes.
    LongName,
    /// Characters outside Latin-1 became question marks.
    NameCharacters,
    /// The table of names is full.
    NameTable,
    Round,
    /// An unfinished game without a result gets the discs on the board.
    NoResult,
    /// WTHOR counts discs, so a difference must be even.
    OddResult,
    Forfeit,
    /// The theoretical result.
    Theory,
    /// A WTHOR file has one depth for all theoretical results, and none may be missing.
    TheoryDepth,
    /// Evaluations and times of the moves.
    Notes,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Loss::Start => "left out: not from the usual start",
            Loss::Year => "year lost: the file holds one year for all games",
            Loss::Day => "month and day lost",
            Loss::LongName => "a name cut short",
            Loss::NameCharacters => "a name has letters outside Latin-1, now '?'",
            Loss::NameTable => "a name lost: the table holds 65535",
            Loss::Round => "round lost",
            Loss::NoResult => "no result known: the discs on the board were counted",
            Loss::OddResult => "an odd result rounded towards a draw",
            Loss::Forfeit => "kind of forfeit lost",
            Loss::Theory => "theoretical result lost",
            Loss::TheoryDepth => "theoretical result missing or of another depth",
            Loss::Notes => "evaluations and times lost",
        })
    }
}

/// How many games lost what.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses(BTreeMap<Loss, u64>);

impl Losses {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each kind with the number of games it befell.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64)> {
        self.0.iter().map(|(&loss, &games)| (loss, games))
    }

    pub fn count(&self, loss: Loss) -> u64 {
        self.0.get(&loss).copied().unwrap_or(0)
    }

    pub(super) fn note(&mut self, loss: Loss, happened: bool) {
        self.add(loss, u64::from(happened));
    }

    pub(super) fn add(&mut self, loss: Loss, games: u64) {
        if games > 0 {
            *self.0.entry(loss).or_default() += games;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happened_is_counted() {
        let mut losses = Losses::default();
        losses.note(Loss::Round, false);
        assert!(losses.is_empty());
        losses.note(Loss::Round, true);
        losses.add(Loss::Round, 2);
        assert_eq!(losses.iter().collect::<Vec<_>>(), [(Loss::Round, 3)]);
        assert_eq!(losses.count(Loss::Year), 0);
    }
}
