//! What the results say: points, discs, Elo with error bars, and a sequential test.

/// Results of a match so far, seen by the first contestant. Two games of one opening, colours
/// swapped, depend on each other, and so do games of an opening that comes again: what is counted
/// for the error bars are groups of games (see [`super::Groups`]).
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The results in discs of the games of each group, a pair as a rule.
    groups: Vec<Vec<i32>>,
    /// The players find their openings themselves: how often one comes is a part of what they can,
    /// and no game waits for a second one with colours swapped. Otherwise an opening that comes
    /// oftener counts no more than another.
    weighs_games: bool,
}

/// What the complete groups say.
struct Estimate {
    /// Points of a game.
    mean: f64,
    groups: usize,
    /// Of the mean.
    variance: f64,
}

/// Counts for a table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing {
    pub games: usize,
    pub wins: usize,
    pub draws: usize,
    pub losses: usize,
    /// Mean points of a game: 1 for a win, ½ for a draw.
    pub points: f64,
    /// Mean result in discs.
    pub discs: f64,
}

/// A difference in strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elo {
    pub difference: f64,
    /// Where it lies with 95 % confidence; infinite when all points went one way.
    pub low: f64,
    pub high: f64,
}

impl Tally {
    /// For players who find their openings themselves.
    pub fn weighing_games() -> Tally {
        Tally {
            weighs_games: true,
            ..Tally::default()
        }
    }

    /// Adds a game of this group.
    pub fn add(&mut self, group: usize, discs: i32) {
        if self.groups.len() <= group {
            self.groups.resize(group + 1, Vec::new());
        }
        self.groups[group].push(discs);
    }

    fn games(&self) -> impl Iterator<Item = i32> {
        self.groups.iter().flatten().copied()
    }

    pub fn standing(&self) -> Standing {
        let count = |is: fn(i32) -> bool| self.games().filter(|&discs| is(discs)).count();
        let games = count(|_| true);
        let mean = |sum: f64| if games > 0 { sum / games as f64 } else { 0.0 };
        Standing {
            games,
            wins: count(|discs| discs > 0),
            draws: count(|discs| discs == 0),
            losses: count(|discs| discs < 0),
            points: mean(self.games().map(points).sum()),
            discs: mean(self.games().map(f64::from).sum()),
        }
    }

    /// Groups come by lot, and not games: a large one moves the mean by all its weight at once.
    fn estimate(&self) -> Option<Estimate> {
        let fewest = if self.weighs_games { 1 } else { 2 };
        let complete: Vec<(f64, f64)> = self
            .groups
            .iter()
            .filter(|games| games.len() >= fewest)
            .map(|games| {
                let count = games.len() as f64;
                let points = games.iter().copied().map(points).sum::<f64>();
                (if self.weighs_games { count } else { 1.0 }, points / count)
            })
            .collect();
        if complete.is_empty() {
            return None;
        }
        let all: f64 = complete.iter().map(|(weight, _)| weight).sum();
        let mean = complete.iter().map(|(weight, p)| weight * p).sum::<f64>() / all;
        let beside = |(weight, p): &(f64, f64)| (weight * (p - mean)).powi(2);
        let spread: f64 = complete.iter().map(beside).sum();
        let groups = complete.len();
        // Few groups are nearer to their own mean than to the truth.
        let few = groups as f64 / (groups as f64 - 1.0).max(1.0);
        Some(Estimate {
            mean,
            groups,
            variance: few * spread / (all * all),
        })
    }

    /// How far the mean points may be from the truth, with 95 % confidence; none before the first
    /// group is complete, and where all ended alike, which says nothing about chance.
    pub fn margin(&self) -> Option<f64> {
        let estimate = self.estimate()?;
        (estimate.variance > 0.0).then(|| 1.96 * estimate.variance.sqrt())
    }

    /// The difference in Elo; none before the first group is complete.
    pub fn elo(&self) -> Option<Elo> {
        let Estimate { mean, .. } = self.estimate()?;
        // Where nothing is known about chance, everything is possible.
        let (low, high) = match self.margin() {
            Some(margin) => (elo_of(mean - margin), elo_of(mean + margin)),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Some(Elo {
            difference: elo_of(mean),
            low,
            high,
        })
    }
}

fn points(discs: i32) -> f64 {
    0.5 + 0.5 * f64::from(discs.signum())
}

fn elo_of(points: f64) -> f64 {
    let points = points.clamp(0.0, 1.0);
    // Half of the points are no difference, and not minus nothing.
    -400.0 * (1.0 / points - 1.0).log10() + 0.0
}

pub(super) fn points_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test: is the first contestant `elo1` stronger, or only `elo0`?
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// The chance to accept `elo1` when `elo0` is true, and the other way round.
    pub error: f64,
}

impl Sprt {
    /// The log-likelihood ratio at which `elo0` is accepted, and that for `elo1`.
    pub fn bounds(&self) -> (f64, f64) {
        let upper = ((1.0 - self.error) / self.error).ln();
        (-upper, upper)
    }

    /// The log-likelihood ratio of a match, the mean taken as normally distributed.
    pub fn ratio(&self, tally: &Tally) -> f64 {
        // A handful of equal results has no variance, and proves nothing yet.
        let Some(estimate) = tally
            .estimate()
            .filter(|estimate| estimate.groups >= 2 && estimate.variance > 0.0)
        else {
            return 0.0;
        };
        let (low, high) = (points_of(self.elo0), points_of(self.elo1));
        (high - low) * (2.0 * estimate.mean - low - high) / (2.0 * estimate.variance)
    }

    /// Which hypothesis is accepted: `elo1` is true.
    pub fn verdict(&self, tally: &Tally) -> Option<bool> {
        let ratio = self.ratio(tally);
        let (low, high) = self.bounds();
        if ratio >= high {
            Some(true)
        } else if ratio <= low {
            Some(false)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(pairs: &[[i32; 2]]) -> Tally {
        let mut tally = Tally::default();
        for (pair, games) in pairs.iter().enumerate() {
            for &discs in games {
                tally.add(pair, discs);
            }
        }
        tally
    }

    #[test]
    fn a_standing_counts_games_and_the_elo_pairs() {
        let tally = tally(&[[10, -4], [0, 2], [6, 6]]);
        let standing = tally.standing();
        assert_eq!((standing.wins, standing.draws, standing.losses), (4, 1, 1));
        assert!((standing.points - 0.75).abs() < 1e-12);
        assert!((standing.discs - 20.0 / 6.0).abs() < 1e-12);
        let elo = tally.elo().unwrap();
        assert!((elo.difference - 190.848_5).abs() < 1e-3, "{elo:?}");
        assert!(elo.low < elo.difference && elo.difference < elo.high);
    }

    #[test]
    fn equal_sides_are_equal_and_one_sided_matches_have_no_end() {
        let equal = tally(&[[4, -4]; 5]).elo().unwrap();
        assert_eq!(
            (equal.difference, equal.difference.is_sign_negative()),
            (0.0, false)
        );
        // Five times the same says nothing about chance.
        assert_eq!((equal.low, equal.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(tally(&[[4, 4]; 5]).elo().unwrap().difference, f64::INFINITY);
        assert_eq!(Tally::default().elo(), None);
    }

    /// Worked out by hand: three groups of 4, 1 and 1 games with 3, 0 and 1 points.
    #[test]
    fn an_opening_of_the_players_own_weighs_as_much_as_its_games() {
        let mut tally = Tally::weighing_games();
        for (group, discs) in [(0, 2), (0, 2), (0, 2), (0, -2), (1, -2), (2, 2)] {
            tally.add(group, discs);
        }
        assert!((tally.standing().points - 2.0 / 3.0).abs() < 1e-12);
        // Beside the mean: 3 - 8/3, 0 - 2/3 and 1 - 2/3; the squares are 1/9, 4/9 and 1/9.
        let variance = 1.5 * (6.0 / 9.0) / 36.0;
        let margin = tally.margin().unwrap();
        assert!((margin - 1.96 * f64::sqrt(variance)).abs() < 1e-12);
    }

    #[test]
    fn the_same_games_again_make_nothing_surer() {
        let once = [[10, -4], [0, 2], [6, 6], [-2, -2]];
        let mut again = tally(&once);
        for _ in 0..50 {
            for (opening, games) in once.iter().enumerate() {
                games.iter().for_each(|&discs| again.add(opening, discs));
            }
        }
        assert_eq!(again.elo(), tally(&once).elo());
        assert_eq!(again.standing().games, 51 * 8);
    }

    #[test]
    fn the_sequential_test_ends_on_the_side_of_the_truth() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 50.0,
            error: 0.05,
        };
        let better = [[4, -2], [4, 4], [0, 2], [4, -2], [2, 2]].repeat(20);
        assert_eq!(sprt.verdict(&tally(&better)), Some(true));
        let equal = [[4, -2], [-4, -4], [2, 2], [4, -2], [0, 0]].repeat(40);
        assert_eq!(sprt.verdict(&tally(&equal)), Some(false));
        assert_eq!(sprt.verdict(&tally(&better[..3])), None);
        assert_eq!(sprt.verdict(&Tally::default()), None);
    }
}
