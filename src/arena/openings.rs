//! Where games of a match begin.

use crate::engine::GameInProgress;
use crate::games::{BadGame, OpenError, open};
use crate::othello::{Board, MoveList, MoveListError, Position, Random, moves_to_string};
use crate::search::{Limits, Searcher};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The openings that ship: those of eight moves made by [`balanced`], those of nine by
/// `tools/match-openings`; what they promise stands above either kind in the file.
const BUILTIN: &str = include_str!("../../book/match-openings.txt");

/// A few moves to begin a game with.
pub type Opening = GameInProgress;

/// Openings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Game(#[from] BadGame),
    #[error("line {line} of the built-in openings: {reason}")]
    Builtin { line: usize, reason: MoveListError },
    #[error("{path} has no opening that leaves a move to play")]
    None { path: PathBuf },
}

/// The built-in openings.
pub fn builtin_openings() -> Result<Vec<Opening>, OpeningError> {
    BUILTIN
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        .map(|(number, line)| {
            let reason = |reason| OpeningError::Builtin {
                line: number + 1,
                reason,
            };
            let list = MoveList::parse(Position::START, line).map_err(reason)?;
            Ok(of_moves(&list))
        })
        .collect()
}

fn of_moves(list: &MoveList) -> Opening {
    let mut opening = GameInProgress::default();
    for &square in &list.moves {
        if opening.play(square).is_err() {
            break;
        }
    }
    opening
}

/// The games of a file, as far as they go; finished ones leave nothing to play.
pub fn read_openings(path: &Path) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for game in open(path)? {
        let opening = GameInProgress::of_game(&game?);
        if !opening.is_over() {
            openings.push(opening);
        }
    }
    if openings.is_empty() {
        return Err(OpeningError::None {
            path: path.to_owned(),
        });
    }
    Ok(openings)
}

/// Which openings are one: for each the number of the first that leads to the same position,
/// whichever way the board is turned. Games from one opening say less than games from many.
pub fn distinct(openings: &[Opening]) -> Vec<usize> {
    let mut first = HashMap::new();
    let number = |(number, opening): (usize, &Opening)| {
        *first
            .entry(opening.position().board.canonical())
            .or_insert(number)
    };
    openings.iter().enumerate().map(number).collect()
}

/// What a position on the way to an opening may be worth at a glance, in hundredths of a disc.
const ON_THE_WAY: i32 = 500;

/// Makes openings: of all positions after so many moves that look playable on the way, in an order
/// that the seed decides, those that a search of this level finds even within `margin` hundredths
/// of a disc. No two are the same position in another orientation.
pub fn balanced(
    plies: u32,
    margin: i32,
    level: u32,
    seed: u64,
) -> impl Iterator<Item = (String, i32)> {
    let judge = Searcher::new(64 << 20);
    let mut layer = vec![GameInProgress::default()];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for line in &layer {
            for square in line.position().board.legal_moves() {
                let mut line = line.clone();
                let is_new = line.play(square).is_ok()
                    && !line.is_over()
                    && seen.insert(line.position().board.canonical());
                if is_new && value(&judge, line.position().board, 3).abs() <= ON_THE_WAY {
                    next.push(line);
                }
            }
        }
        layer = next;
    }
    layer.sort_by_cached_key(|line| {
        let moves = moves_to_string(line.moves());
        (xxh3_64_with_seed(moves.as_bytes(), seed), moves)
    });
    layer.into_iter().filter_map(move |line| {
        let value = value(&judge, line.position().board, level);
        (value.abs() <= margin).then(|| (moves_to_string(line.moves()), value))
    })
}

fn value(judge: &Searcher, board: Board, level: u32) -> i32 {
    let limits = Limits {
        average: true,
        ..Limits::level(level, board.empty_count())
    };
    judge.search(board, &limits).value
}

/// Random moves of a played opening, and the level of the moves that follow.
const RANDOM_PLIES: usize = 8;
const PLAYED_LEVEL: u32 = 4;

/// Makes openings with so many discs by play: random moves, then those of our engine, kept where a
/// search of this level finds the end even within `margin` hundredths of a disc. No two are the
/// same position in another orientation; all follows from the seed.
pub fn played(discs: u32, margin: i32, level: u32, seed: u64) -> impl Iterator<Item = Opening> {
    let judge = Searcher::new(16 << 20);
    let mut seen = HashSet::new();
    (0..).filter_map(move |number| {
        // What was found out for another opening would make this one depend on it.
        judge.clear();
        let opening = play(&judge, discs, &mut Random::stream(seed, number))?;
        let board = opening.position().board;
        let is_even = value(&judge, board, level).abs() <= margin;
        (is_even && seen.insert(board.canonical())).then_some(opening)
    })
}

/// None where the game ends before, or is decided at a glance when the random moves end.
fn play(judge: &Searcher, discs: u32, random: &mut Random) -> Option<Opening> {
    let mut opening = Opening::default();
    while opening.position().board.disc_count() < discs {
        let board = opening.position().board;
        let square = if opening.moves().len() < RANDOM_PLIES {
            random.square(board.legal_moves())
        } else {
            let limits = Limits::level(PLAYED_LEVEL, board.empty_count());
            judge.search(board, &limits).best
        };
        opening.play(square?).ok()?;
        let board = opening.position().board;
        if opening.moves().len() == RANDOM_PLIES && value(judge, board, 3).abs() > ON_THE_WAY {
            return None;
        }
    }
    (!opening.is_over()).then_some(opening)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_openings_are_many_short_and_different() {
        let openings = builtin_openings().unwrap();
        assert!(openings.len() >= 400, "{}", openings.len());
        let lines = BUILTIN.lines().filter(|line| !line.starts_with('#'));
        for (opening, line) in openings.iter().zip(lines) {
            assert_eq!(moves_to_string(opening.moves()), line);
            assert!(matches!(opening.moves().len(), 8 | 9), "{line}");
            assert!(!opening.is_over(), "{line}");
        }
        assert_eq!(ends_of(&openings).len(), openings.len());
    }

    /// Else a contestant's first move could lead to a game that another opening gave already.
    #[test]
    fn no_built_in_opening_continues_another() {
        let openings = builtin_openings().unwrap();
        let ends = ends_of(&openings);
        for opening in &openings {
            for square in opening.position().board.legal_moves() {
                let mut longer = opening.clone();
                longer.play(square).unwrap();
                let end = longer.position().board.canonical();
                assert!(!ends.contains(&end), "{}", moves_to_string(longer.moves()));
            }
        }
    }

    #[test]
    fn openings_that_lead_to_one_position_are_one() {
        let opening = |moves| of_moves(&MoveList::parse(Position::START, moves).unwrap());
        let openings = ["f5d6", "f5f6", "d3c5", "c4e3", "f5d6c3"].map(opening);
        assert_eq!(distinct(&openings), [0, 1, 0, 0, 4]);
    }

    fn ends_of(openings: &[Opening]) -> HashSet<Board> {
        openings
            .iter()
            .map(|opening| opening.position().board.canonical())
            .collect()
    }

    #[test]
    fn played_openings_are_even_have_their_discs_and_follow_from_the_seed() {
        let made = |seed| played(20, 200, 6, seed).take(4).collect::<Vec<_>>();
        let openings = made(1);
        assert_eq!(ends_of(&openings).len(), 4);
        assert_eq!(ends_of(&openings), ends_of(&made(1)));
        assert_ne!(ends_of(&openings), ends_of(&made(2)));
        let judge = Searcher::new(1 << 20);
        for opening in &openings {
            let board = opening.position().board;
            assert_eq!(board.disc_count(), 20);
            assert!(value(&judge, board, 6).abs() < 400);
        }
    }

    #[test]
    fn openings_are_made_the_same_way_twice() {
        let make = || balanced(4, 300, 4, 1).take(3).collect::<Vec<_>>();
        let made = make();
        assert_eq!(made, make());
        assert!(
            made.iter()
                .all(|(moves, value)| moves.len() == 8 && value.abs() <= 300)
        );
    }
}
