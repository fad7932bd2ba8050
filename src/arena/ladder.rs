//! Ratings of many players who met in pairs: the Elo numbers that explain all results best, with
//! error bars from results drawn again by lot.

use super::tally::points_of;
use crate::othello::Random;

/// Ratings are looked for so often, one player after the other.
const SWEEPS: usize = 200;
/// The largest change at a time, which keeps the search for a rating on its way.
const STEP: f64 = 200.0;
/// Drawn results for the error bars.
const DRAWS: u64 = 200;

/// Two games of two players from one opening, colours swapped.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Encounter {
    players: [usize; 2],
    /// Mean points of the first: 1 for a win, ½ for a draw.
    points: f64,
}

/// What players made of their games against each other.
#[derive(Clone, Debug)]
pub struct Ladder {
    players: usize,
    encounters: Vec<Encounter>,
}

/// Where a player stands; the mean of all is 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rung {
    pub player: usize,
    pub elo: f64,
    /// Where it lies with 95 % confidence.
    pub low: f64,
    pub high: f64,
}

impl Ladder {
    /// For players that are numbered from 0.
    pub const fn new(players: usize) -> Ladder {
        Ladder {
            players,
            encounters: Vec::new(),
        }
    }

    /// Adds a pair of games, by the mean points of the first.
    pub fn add(&mut self, first: usize, second: usize, points: f64) {
        self.encounters.push(Encounter {
            players: [first, second],
            points,
        });
    }

    /// The best first. Everyone is taken to have drawn one pair of games with everyone else, so that
    /// who wins all games has a rating, too.
    pub fn rungs(&self, seed: u64) -> Vec<Rung> {
        let ratings = self.ratings(&self.encounters);
        let mut drawn = vec![Vec::new(); self.players];
        for draw in 0..DRAWS {
            let mut random = Random::stream(seed, draw);
            let count = self.encounters.len() as u64;
            let again: Vec<Encounter> = (0..count)
                .map(|_| self.encounters[random.below(count) as usize])
                .collect();
            for (of_player, rating) in drawn.iter_mut().zip(self.ratings(&again)) {
                of_player.push(rating);
            }
        }
        let mut rungs: Vec<Rung> = ratings
            .into_iter()
            .zip(&mut drawn)
            .enumerate()
            .map(|(player, (elo, drawn))| {
                drawn.sort_by(f64::total_cmp);
                let at = |share: f64| drawn[(share * (drawn.len() - 1) as f64) as usize];
                Rung {
                    player,
                    elo,
                    low: at(0.025),
                    high: at(0.975),
                }
            })
            .collect();
        rungs.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        rungs
    }

    /// Each rating is one at which a player was expected to make the points that it made.
    fn ratings(&self, encounters: &[Encounter]) -> Vec<f64> {
        // Pairs of games that two players had, and the points of the first.
        let mut table = vec![vec![(1.0, 0.5); self.players]; self.players];
        for &Encounter { players, points } in encounters {
            let [first, second] = players;
            for (a, b, points) in [(first, second, points), (second, first, 1.0 - points)] {
                table[a][b].0 += 1.0;
                table[a][b].1 += points;
            }
        }
        let mut ratings = vec![0.0; self.players];
        for _ in 0..SWEEPS {
            for player in 0..self.players {
                let (mut missing, mut slope) = (0.0, 0.0);
                for other in (0..self.players).filter(|&other| other != player) {
                    let (count, points) = table[player][other];
                    let expected = points_of(ratings[player] - ratings[other]);
                    missing += points - count * expected;
                    slope += count * expected * (1.0 - expected) * std::f64::consts::LN_10 / 400.0;
                }
                if slope > 0.0 {
                    ratings[player] += (missing / slope).clamp(-STEP, STEP);
                }
            }
        }
        let mean = ratings.iter().sum::<f64>() / self.players.max(1) as f64;
        ratings.iter().map(|rating| rating - mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points in whole tenths as two players of these ratings would make them.
    fn ladder(truth: &[f64], pairs: u32) -> Ladder {
        let mut ladder = Ladder::new(truth.len());
        let mut random = Random::new(7);
        for first in 0..truth.len() {
            for second in first + 1..truth.len() {
                for _ in 0..pairs {
                    let expected = points_of(truth[first] - truth[second]);
                    let mut game = || f64::from(random.below(1000) < (1000.0 * expected) as u64);
                    let points = (game() + game()) / 2.0;
                    ladder.add(first, second, points);
                }
            }
        }
        ladder
    }

    #[test]
    fn ratings_are_found_again_within_their_errors() {
        let truth = [0.0, 150.0, -250.0, 100.0];
        let rungs = ladder(&truth, 400).rungs(1);
        assert_eq!(
            rungs.iter().map(|r| r.player).collect::<Vec<_>>(),
            [1, 3, 0, 2]
        );
        for rung in &rungs {
            assert!((rung.elo - truth[rung.player]).abs() < 40.0, "{rung:?}");
            assert!(rung.low < rung.elo && rung.elo < rung.high, "{rung:?}");
            assert!(rung.high - rung.low < 80.0, "{rung:?}");
        }
    }

    #[test]
    fn who_wins_everything_has_a_rating_and_nobody_played_nothing_moves() {
        let mut ladder = Ladder::new(3);
        for _ in 0..10 {
            ladder.add(2, 0, 1.0);
        }
        let rungs = ladder.rungs(1);
        assert_eq!(rungs[0].player, 2);
        assert!(rungs[0].elo.is_finite() && rungs[0].elo > 100.0);
        assert!(Ladder::new(2).rungs(1).iter().all(|rung| rung.elo == 0.0));
    }
}
