//! Games of a book that somebody looked for.

use super::game::GameView;
use crate::book::{FoundGame, FoundGames};
use crate::othello::{Position, moves_to_string};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of the games that were found.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct FoundGamesView {
    /// How many there are, on all pages.
    pub total: u64,
    /// In the order in which the book learned them, turned so that they go through the position as
    /// it was asked for.
    pub games: Vec<FoundGameView>,
    /// Ask for the games after this one to get the next page; null on the last.
    pub next: Option<u32>,
    /// The players whose games these are, in small letters, if a player was asked for; the first
    /// 100 of them.
    pub players: Vec<String>,
    /// The same for events.
    pub events: Vec<String>,
}

/// A game of the book.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct FoundGameView {
    /// The same for ever, and no other game's.
    pub number: u32,
    /// Its start is another than the usual one only if a board was asked for that games reach only
    /// in mirror images.
    #[serde(flatten)]
    pub game: GameView,
}

/// Names that are listed: a letter or two may begin those of thousands.
const NAMES: usize = 100;

fn first(names: &[String]) -> Vec<String> {
    names.iter().take(NAMES).cloned().collect()
}

impl From<&FoundGames> for FoundGamesView {
    fn from(found: &FoundGames) -> FoundGamesView {
        FoundGamesView {
            total: found.total,
            games: found.games.iter().map(FoundGameView::from).collect(),
            next: found.next.map(|number| number.0),
            players: first(&found.players),
            events: first(&found.events),
        }
    }
}

impl From<&FoundGame> for FoundGameView {
    fn from(found: &FoundGame) -> FoundGameView {
        let game = &found.game;
        let is_usual = found.start == Position::START;
        FoundGameView {
            number: found.number.0,
            game: GameView {
                black: game.black.as_ref().map(|name| name.to_string()),
                white: game.white.as_ref().map(|name| name.to_string()),
                event: game.event.as_ref().map(|name| name.to_string()),
                year: game.year,
                result: game.result.map(|score| score.discs()),
                moves: moves_to_string(&game.moves),
                start: (!is_usual).then(|| found.start.to_string()),
            },
        }
    }
}
