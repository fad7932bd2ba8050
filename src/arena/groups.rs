//! Which games of a match are counted together for the error bars, because they say the same or
//! may well do.

use super::referee::GameReport;
use super::tally::Tally;
use crate::othello::Board;
use std::collections::{HashMap, HashSet};

pub enum Groups {
    /// Games of one opening. For each opening of the match the first that is the same.
    ByOpening(Vec<usize>),
    /// Where no opening is given: games that came to the same position in as many moves as the
    /// shortest built-in openings have.
    ByBeginning,
}

/// The moves of a beginning.
const BEGINNING: usize = 8;

impl Groups {
    /// How many these games have.
    pub fn count(&self, reports: &[GameReport]) -> usize {
        self.of(reports).collect::<HashSet<_>>().len()
    }

    /// How many there can be at most; none where the games themselves decide.
    pub fn most(&self) -> Option<usize> {
        match self {
            Groups::ByOpening(first) => Some(first.iter().collect::<HashSet<_>>().len()),
            Groups::ByBeginning => None,
        }
    }

    pub fn tally(&self, reports: &[GameReport]) -> Tally {
        let mut tally = match self {
            Groups::ByOpening(_) => Tally::default(),
            Groups::ByBeginning => Tally::weighing_games(),
        };
        for (report, group) in reports.iter().zip(self.of(reports)) {
            tally.add(group, report.discs);
        }
        tally
    }

    /// The group of each game.
    fn of(&self, reports: &[GameReport]) -> impl Iterator<Item = usize> {
        let mut first = HashMap::new();
        reports
            .iter()
            .enumerate()
            .map(move |(number, report)| match self {
                Groups::ByOpening(first) => first[report.pairing.pair() % first.len()],
                Groups::ByBeginning => *first.entry(beginning_of(report)).or_insert(number),
            })
    }
}

/// The position a game came to, the same whichever way the board is turned; the last one of a game
/// that was shorter.
fn beginning_of(report: &GameReport) -> Board {
    let mut position = report.game.start();
    for &square in report.game.moves().iter().take(BEGINNING) {
        match position.play(square) {
            Ok(next) => position = next,
            Err(_) => break,
        }
    }
    position.board.canonical()
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

    /// What each sample game came to, and no two of these to the same.
    fn groups(games: &[GameReport]) -> Vec<usize> {
        Groups::ByBeginning.of(games).collect()
    }

    #[test]
    fn without_openings_games_with_one_beginning_count_together() {
        let played = [(1, 2), (2, 2), (3, -4), (1, 4), (2, 2), (4, 6)];
        assert_eq!(groups(&reports(&played)), [0, 1, 2, 0, 1, 5]);
        assert_eq!(Groups::ByBeginning.count(&reports(&played)), 4);
        // Two games that part only later have one beginning.
        let mut parted = reports(&[(1, 2), (2, 2)]);
        let moves = parted[0].game.moves().to_vec();
        let start = Position::START;
        let part = |count: usize| {
            let moves = Moves::try_from(&moves[..count]).unwrap();
            Game::new(start, moves, Details::default()).unwrap()
        };
        parted[1].game = part(8);
        assert_eq!(groups(&parted), [0, 0]);
        parted[1].game = part(7);
        assert_eq!(groups(&parted), [0, 1]);
    }

    #[test]
    fn a_beginning_is_the_same_whichever_way_the_board_is_turned() {
        let mut played = reports(&[(1, 2), (2, 2), (3, -4), (4, 4)]);
        let board = Position::START.board;
        let turns = |turn: &Symmetry| *turn != Symmetry::IDENTITY && board.under(*turn) == board;
        let turn = Symmetry::all().find(turns).unwrap();
        let moves = played[0].game.moves().iter();
        let turned: Vec<Square> = moves.map(|&square| turn.apply_to_square(square)).collect();
        let moves = Moves::try_from(&turned[..]).unwrap();
        played[2].game = Game::new(Position::START, moves, Details::default()).unwrap();
        assert_eq!(groups(&played), [0, 1, 0, 3]);
    }

    #[test]
    fn the_same_games_again_make_nothing_surer() {
        let played = [(1, 2), (2, 2), (3, -4), (4, -4), (5, 2), (6, -2)];
        let once = reports(&played);
        let again = reports(&[played, played].concat());
        let margin = |games: &[GameReport]| Groups::ByBeginning.tally(games).margin().unwrap();
        assert!((margin(&once) - margin(&again)).abs() < 1e-12);
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
