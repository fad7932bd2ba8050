//! Teaching BILL from games: the probabilities of possible edge moves, the discriminants of BILL 3,
//! and what a point of BILL 2 is worth in discs.
//!
//! As in the paper each position of the winner of a game counts as won and each of the loser's as
//! lost, and draws are left out. The games are ours: the caller has our engine play them, from
//! random openings and with exact endings, as BILL 2 played the paper's.

use super::discriminant::{Classes, STAGES, discriminants};
use super::features::{Features, Knowledge};
use super::linear;
use super::lines::{Indices, Side};
use super::possible::PossibleMoves;
use super::tables::Taught;
use crate::games::Game;
use crate::othello::{Board, Color, Position};

/// Games that cannot teach: too few or all alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{games} finished games are too few to fit BILL's tables: give it a few thousand")]
pub struct TooFewGames {
    pub games: usize,
}

/// What the games taught, and what shows whether it makes sense.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub taught: Taught,
    /// Won and lost positions with 40 discs, as in the paper's Table 1.
    pub at_40: Classes,
}

/// Fits everything. The same games give the same tables. `tell` hears of every game that is read.
pub fn fit(games: &[Game], tell: &mut dyn FnMut()) -> Result<Lesson, TooFewGames> {
    let finished: Vec<&Game> = games.iter().filter(|game| game.is_finished()).collect();
    let possible = PossibleMoves::of(finished.iter().copied()).probabilities();
    let knowledge = Knowledge::new(&possible);
    let mut classes = [Classes::default(); STAGES];
    // Least squares through the origin: discs = slope × points.
    let (mut products, mut squares) = (0.0, 0.0);
    for game in &finished {
        tell();
        for_each_labelled(game, |board, discs| {
            let features = features_of(&knowledge, board);
            let points = f64::from(linear::value(&features));
            products += points * f64::from(discs);
            squares += points * points;
            let stage = &mut classes[board.disc_count() as usize];
            match discs {
                0 => {}
                1.. => stage.win.add(&features),
                _ => stage.loss.add(&features),
            }
        });
    }
    let too_few = TooFewGames {
        games: finished.len(),
    };
    let stages = discriminants(&classes).ok_or(too_few)?;
    let centidiscs = 100_000.0 * products / squares.max(1.0);
    Ok(Lesson {
        taught: Taught {
            possible,
            stages,
            centidiscs: centidiscs.round() as i32,
        },
        at_40: classes[40],
    })
}

fn features_of(knowledge: &Knowledge, board: Board) -> Features {
    knowledge.features(board, &Indices::of(board, Side::First), Side::First)
}

/// Calls with each position of a finished game in which somebody moves, and what the game came to
/// for the player to move.
pub fn for_each_labelled(game: &Game, mut see: impl FnMut(Board, i32)) {
    let mut position: Position = game.start();
    let end = game.end();
    let for_black = end.final_score(Color::Black).discs();
    for &square in game.moves() {
        let discs = if position.turn == Color::Black {
            for_black
        } else {
            -for_black
        };
        see(position.board, discs);
        let Ok(next) = position.play(square) else {
            return;
        };
        position = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;
    use crate::players::bill::combination::Combination;

    #[test]
    fn the_same_games_teach_the_same_and_winners_are_told_from_losers() {
        let games: Vec<Game> = SampleGames::new(5).take(400).collect();
        let mut told = 0;
        let lesson = fit(&games, &mut || told += 1).unwrap();
        let finished = games.iter().filter(|game| game.is_finished());
        assert_eq!(told, finished.count());
        let again = fit(&games, &mut || {}).unwrap();
        assert_eq!(lesson.taught, again.taught);
        let knowledge = Knowledge::new(&lesson.taught.possible);
        let bill3 = Combination::Bayesian(lesson.taught.stages.clone());
        // Other games than those it learnt from.
        let (mut right, mut all) = (0, 0);
        for game in SampleGames::new(6).take(100) {
            for_each_labelled(&game, |board, discs| {
                if (36..56).contains(&board.disc_count()) && discs != 0 {
                    let features = features_of(&knowledge, board);
                    let value = bill3.value(&features, board.disc_count());
                    right += u32::from(value.signum() == discs.signum());
                    all += 1;
                }
            });
        }
        assert!(right * 10 > all * 7, "{right} of {all}");
    }

    #[test]
    fn too_few_games_are_an_error_that_says_so() {
        let games: Vec<Game> = SampleGames::new(5).take(3).collect();
        assert_eq!(
            fit(&games, &mut || {}).unwrap_err(),
            TooFewGames { games: 3 }
        );
    }
}
