//! What people did with a position. Engine values never mix with this.

use crate::book::list::GameNumber;
use crate::othello::Score;

/// Counts over games, results seen by the player to move in the position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    pub games: u32,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    /// The sum of the results in discs; 0 where it is not known.
    pub disc_sum: i64,
    /// Results were counted whose discs nobody told: another program's book has wins and losses.
    pub discs_unknown: bool,
    /// The first and the last year in which it was played, as far as games are dated.
    pub years: Option<(u16, u16)>,
}

/// What the games of the book say about a position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Played {
    pub statistics: Statistics,
    /// The game, where it is the only one: such a position has no list of games.
    pub only: Option<GameNumber>,
}

impl Played {
    /// What these games say.
    pub fn by(games: &[GameNumber], statistics: Statistics) -> Played {
        let only = match games {
            [only] => Some(*only),
            _ => None,
        };
        Played { statistics, only }
    }
}

impl Statistics {
    /// One game with this result for the player to move, if anybody knows it.
    pub fn of_game(result: Option<Score>, year: Option<u16>) -> Statistics {
        let discs = result.map(Score::discs);
        let count = |yes: bool| u32::from(yes);
        Statistics {
            games: 1,
            wins: count(discs.is_some_and(|discs| discs > 0)),
            draws: count(discs == Some(0)),
            losses: count(discs.is_some_and(|discs| discs < 0)),
            disc_sum: i64::from(discs.unwrap_or(0)),
            discs_unknown: false,
            years: year.map(|year| (year, year)),
        }
    }

    /// Adds other games. The order and the grouping of additions do not matter, as a merge
    /// operator requires: counts stop at the largest number instead of wrapping.
    pub fn add(&mut self, other: &Statistics) {
        self.games = self.games.saturating_add(other.games);
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
        self.discs_unknown |= other.discs_unknown;
        self.disc_sum = match self.discs_unknown {
            true => 0,
            false => self.disc_sum.saturating_add(other.disc_sum),
        };
        self.years = match (self.years, other.years) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, None) | (None, one) => one,
        };
    }

    /// The rest without a game that was counted. Its year stays: nobody knows who else played then.
    pub fn without(&self, game: &Statistics) -> Statistics {
        Statistics {
            games: self.games.saturating_sub(game.games),
            wins: self.wins.saturating_sub(game.wins),
            draws: self.draws.saturating_sub(game.draws),
            losses: self.losses.saturating_sub(game.losses),
            disc_sum: match self.discs_unknown {
                true => 0,
                false => self.disc_sum.saturating_sub(game.disc_sum),
            },
            discs_unknown: self.discs_unknown,
            years: self.years,
        }
    }

    /// Of the games that a book learned and of those that a file only counted, the larger number.
    /// They are not added, because they may be the same games.
    pub fn better_known(
        learned: Option<Statistics>,
        told: Option<Statistics>,
    ) -> Option<Statistics> {
        let games = |found: &Option<Statistics>| found.map_or(0, |found| found.games);
        if games(&told) > games(&learned) {
            told
        } else {
            learned
        }
    }

    /// The games whose result is known.
    pub fn decided(&self) -> u64 {
        u64::from(self.wins) + u64::from(self.draws) + u64::from(self.losses)
    }

    /// None where no result is known, or none in discs.
    pub fn average_discs(&self) -> Option<f64> {
        let decided = self.decided();
        (decided > 0 && !self.discs_unknown).then(|| self.disc_sum as f64 / decided as f64)
    }

    /// No more results than games, no more discs than results, and the first year first.
    pub fn is_possible(&self) -> bool {
        let decided = self.decided();
        decided <= u64::from(self.games)
            && self.disc_sum.unsigned_abs() <= 64 * decided
            && (self.disc_sum == 0 || !self.discs_unknown)
            && self.years.is_none_or(|(first, last)| first <= last)
    }

    /// The same games seen by the other player.
    pub fn for_the_other(self) -> Statistics {
        Statistics {
            wins: self.losses,
            losses: self.wins,
            disc_sum: -self.disc_sum,
            ..self
        }
    }
}
