//! Games of a file.

use crate::games::{BadGame, Game, Name};
use crate::othello::{Position, moves_to_string};
use serde::Serialize;
use utoipa::ToSchema;

/// Who played what.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct GameView {
    /// The name of the player.
    pub black: Option<String>,
    /// The name of the player.
    pub white: Option<String>,
    /// The tournament.
    pub event: Option<String>,
    /// It was played in.
    pub year: Option<u16>,
    /// For Black, in discs.
    pub result: Option<i32>,
    /// From its start, passes left out.
    pub moves: String,
    /// Where it begins, if that is not the usual start.
    pub start: Option<String>,
}

/// The games of a file.
#[derive(Serialize, ToSchema)]
pub struct CollectionView {
    /// Of the file.
    #[schema(example = "WTHOR")]
    pub format: String,
    /// How many good games the file has.
    pub total: usize,
    /// Up to 2000 of them.
    pub games: Vec<GameView>,
    #[serde(flatten)]
    pub bad: BadGamesView,
}

/// Games that were left out, because they are broken.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Default, Debug)]
pub struct BadGamesView {
    /// How many games are broken.
    pub bad: u64,
    /// The first of them.
    pub bad_games: Vec<BadGameView>,
}

/// A game that was left out.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct BadGameView {
    /// The name of the file it is in.
    pub file: String,
    /// Its number in the file, counted from 1.
    pub game: u64,
    /// The move that is wrong, where one is.
    #[serde(rename = "move")]
    pub at_move: Option<usize>,
    /// What is wrong with it.
    pub reason: String,
}

impl From<&BadGame> for BadGameView {
    fn from(bad: &BadGame) -> BadGameView {
        BadGameView {
            file: bad.file.to_string(),
            game: bad.number,
            at_move: bad.flaw.move_number(),
            reason: bad.flaw.to_string(),
        }
    }
}

fn text(name: Option<&Name>) -> Option<String> {
    name.map(Name::to_string)
}

impl From<&Game> for GameView {
    fn from(game: &Game) -> GameView {
        let details = game.details();
        GameView {
            black: text(details.black.as_ref()),
            white: text(details.white.as_ref()),
            event: text(details.event.as_ref()),
            year: details.date.map(|date| date.year()),
            result: game.result().map(|score| score.discs()),
            moves: moves_to_string(game.moves()),
            start: (game.start() != Position::START).then(|| game.start().to_string()),
        }
    }
}
