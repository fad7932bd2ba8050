//! Which games of a match are counted together for the error bars, because they say the same or
//! may well do.

use super::referee::GameReport;
use super::tally::Tally;
use crate::games::Identity;
use std::collections::{HashMap, HashSet};

pub enum Groups {
    /// Games of one opening. For each opening of the match the first that is the same.
    ByOpening(Vec<usize>),
    /// Where no opening is given: the two games of a pair, and all pairs that have a game in common.
    ByMoves,
}

impl Groups {
    /// How many there can be at most; none where the games themselves decide.
    pub fn most(&self) -> Option<usize> {
        match self {
            Groups::ByOpening(first) => Some(first.iter().collect::<HashSet<_>>().len()),
            Groups::ByMoves => None,
        }
    }

    pub fn tally(&self, reports: &[GameReport]) -> Tally {
        let mut tally = Tally::default();
        match self {
            Groups::ByOpening(first) => {
                for report in reports {
                    tally.add(first[report.pairing.pair() % first.len()], report.discs);
                }
            }
            Groups::ByMoves => {
                let groups = groups_by_moves(reports);
                for (report, group) in reports.iter().zip(groups) {
                    tally.add(group, report.discs);
                }
            }
        }
        tally
    }
}

/// The group of each game: the number of the first pair in it. A game is the same whichever way the
/// board is turned.
fn groups_by_moves(reports: &[GameReport]) -> Vec<usize> {
    // A pair that shares a game with another one points to it, and so on to the first.
    let mut same_as: HashMap<usize, usize> = HashMap::new();
    let first_of = |same_as: &HashMap<usize, usize>, mut pair: usize| {
        while let Some(&other) = same_as.get(&pair) {
            pair = other;
        }
        pair
    };
    let mut played: HashMap<Identity, usize> = HashMap::new();
    for report in reports {
        let pair = report.pairing.pair();
        let other = *played.entry(report.game.identity()).or_insert(pair);
        let (one, other) = (first_of(&same_as, pair), first_of(&same_as, other));
        if one != other {
            same_as.insert(one.max(other), one.min(other));
        }
    }
    let group = |report: &GameReport| first_of(&same_as, report.pairing.pair());
    reports.iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Pairing;
    use crate::games::{Details, Game, Moves, SampleGames};
    use crate::othello::{Position, Square, Symmetry};

    /// Games of a match in the order of their numbers, by what was played and how it ended.
    fn reports(games: &[(u64, i32)]) -> Vec<GameReport> {
        let report = |(number, &(seed, discs)): (usize, &(u64, i32))| GameReport {
            pairing: Pairing { number },
            game: SampleGames::new(seed).next().unwrap(),
            discs,
            forfeit: None,
            seconds: [0.0; 2],
            book_moves: [0; 2],
        };
        games.iter().enumerate().map(report).collect()
    }

    #[test]
    fn without_openings_pairs_stand_for_themselves_unless_they_have_a_game_in_common() {
        // The third pair has a game of the first, the fourth one of the third.
        let played = [
            (1, 2),
            (2, 2),
            (3, -4),
            (4, 4),
            (1, 2),
            (5, 6),
            (5, 6),
            (6, -8),
        ];
        assert_eq!(groups_by_moves(&reports(&played)), [0, 0, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn a_game_is_the_same_whichever_way_the_board_is_turned() {
        let mut played = reports(&[(1, 2), (2, 2), (3, -4), (4, 4)]);
        let board = Position::START.board;
        let turns = |turn: &Symmetry| *turn != Symmetry::IDENTITY && board.under(*turn) == board;
        let turn = Symmetry::all().find(turns).unwrap();
        let moves = played[0].game.moves().iter();
        let turned: Vec<Square> = moves.map(|&square| turn.apply_to_square(square)).collect();
        let moves = Moves::try_from(&turned[..]).unwrap();
        played[2].game = Game::new(Position::START, moves, Details::default()).unwrap();
        assert_eq!(groups_by_moves(&played), [0, 0, 0, 0]);
    }

    #[test]
    fn the_same_games_again_make_nothing_surer() {
        let played = [(1, 2), (2, 2), (3, -4), (4, -4), (5, 2), (6, -2)];
        let once = reports(&played);
        let again = reports(&[played, played].concat());
        let margin = |games: &[GameReport]| Groups::ByMoves.tally(games).margin();
        assert_eq!(margin(&once), margin(&again));
        assert!(margin(&once).is_some());
    }

    #[test]
    fn an_opening_that_is_played_again_is_one_group() {
        let games = reports(&[(1, 2), (2, 2), (3, -4), (4, -4)]);
        let one = Groups::ByOpening(vec![0, 0]);
        assert_eq!(one.most(), Some(1));
        assert_eq!(one.tally(&games).margin(), None);
        let two = Groups::ByOpening(vec![0, 1]);
        assert!(two.tally(&games).margin().is_some());
    }
}
