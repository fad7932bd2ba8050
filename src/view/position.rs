//! What the book knows about a position.

use super::found::FoundView;
use super::opening::name_of;
use crate::book::{Answer, Bounds, Known, MoveAnswer, Statistics, Value};
use crate::othello::{Color, Position, PositionText, moves_to_string};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Black,
    White,
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        match color {
            Color::Black => Side::Black,
            Color::White => Side::White,
        }
    }
}

/// Everything the book knows about a position and each of its moves.
#[derive(Serialize, ToSchema)]
pub struct PositionView {
    /// 64 squares from a1 to h8 (X Black, O White, - empty), a space, and the side to move. A
    /// forced pass is made.
    pub position: String,
    /// The moves that led here, when moves were asked for.
    pub line: Option<String>,
    /// What people call the line, or the position where no line is known.
    pub opening: Option<&'static str>,
    /// Who moves.
    pub turn: Side,
    /// The game is over.
    pub over: bool,
    /// Of a game that is over: the result for Black, empty squares counted for the winner.
    pub result: Option<i32>,
    /// The book has the position.
    pub in_book: bool,
    /// What the book has on it; null where it does not have it.
    pub node: Option<NodeView>,
    /// The move the value rests on.
    pub best: Option<String>,
    /// From how many positions of the book a move leads here, if ways were asked for.
    pub ways_in: Option<usize>,
    /// Games of people that came here.
    pub statistics: Option<StatisticsView>,
    /// All legal moves: the best first, what is unknown last.
    pub moves: Vec<MoveView>,
    /// False while changes wait to be carried up: values may still be old.
    pub settled: bool,
}

/// What the book knows about a position, and what a search found there now.
#[derive(Serialize)]
pub struct SearchedPositionView {
    #[serde(flatten)]
    pub position: PositionView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<FoundView>,
}

/// A position of the book.
#[derive(Serialize, ToSchema)]
pub struct NodeView {
    /// In discs, seen by the player to move; null while nothing below it has a value.
    pub value: Option<f64>,
    /// What is proven, lower and upper, in discs.
    pub bounds: [i32; 2],
    /// Moves of the book with a value lead on from here: it is no leaf.
    pub leads_on: bool,
    /// Why it is in the book: game, expansion or import.
    pub origin: String,
    /// The position's own search: depth, confidence of its cuts, and whether it was solved.
    #[schema(example = "12@82%")]
    pub level: Option<String>,
}

/// One legal move, seen by the player who makes it. What is not known of it is left out.
#[derive(Serialize, ToSchema)]
pub struct MoveView {
    /// Its square.
    #[serde(rename = "move")]
    pub square: String,
    /// What the book has on it.
    pub known: KnownView,
    /// In discs, seen by the player who makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What is proven, lower and upper, in discs, seen by the player who makes it.
    pub bounds: [i32; 2],
    /// The search behind the value: depth, and confidence of its cuts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The value comes from positions farther on, not from a search of the next one alone.
    pub leads_on: bool,
    /// From how many positions of the book a move leads to the same one, if ways were asked for:
    /// more than one is a transposition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ways_in: Option<usize>,
    /// Games of people that came to the next position, results seen by the player who makes the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<StatisticsView>,
    /// The opening that the move leads to, if the position has a name of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<&'static str>,
}

/// What the book has on a move.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum KnownView {
    /// The position it leads to.
    Book,
    /// The move ends the game.
    End,
    /// A search found it best of those that are not in the book.
    Alternative,
    Unknown,
}

/// Games of people, results seen by the player to move.
#[derive(Serialize, ToSchema, Clone)]
pub struct StatisticsView {
    /// All of them.
    pub games: u32,
    /// Won by the player to move.
    pub wins: u32,
    /// Neither won.
    pub draws: u32,
    /// Lost by the player to move.
    pub losses: u32,
    /// The mean result in discs.
    pub average_discs: Option<f64>,
    /// The year of the oldest.
    pub first_year: Option<u16>,
    /// The year of the newest.
    pub last_year: Option<u16>,
}

impl PositionView {
    /// An answer to what was asked, which tells the line that leads there.
    pub fn new(answer: &Answer, asked: &PositionText) -> PositionView {
        let Position { board, turn } = answer.position;
        let over = answer.moves.is_empty() && board.is_over();
        PositionView {
            position: answer.position.to_string(),
            line: asked.moves.as_deref().map(moves_to_string),
            opening: name_of(asked),
            turn: turn.into(),
            over,
            result: over.then(|| answer.position.final_score(Color::Black).discs()),
            in_book: answer.node.is_some(),
            node: answer.node.as_ref().map(|node| NodeView {
                value: node.derived.value.map(Value::discs),
                bounds: bounds(node.derived.bounds),
                leads_on: node.derived.leads_on,
                origin: node.origin.to_string(),
                level: node.evaluation.map(|own| own.level.to_string()),
            }),
            best: answer.best.map(|square| square.to_string()),
            ways_in: answer.ways_in,
            statistics: answer.statistics.map(StatisticsView::from),
            moves: answer.moves.iter().map(MoveView::from).collect(),
            settled: answer.settled,
        }
    }
}

impl From<&MoveAnswer> for MoveView {
    fn from(answer: &MoveAnswer) -> MoveView {
        MoveView {
            square: answer.square.to_string(),
            known: match answer.known {
                Known::InBook => KnownView::Book,
                Known::Ends => KnownView::End,
                Known::Alternative => KnownView::Alternative,
                Known::Nothing => KnownView::Unknown,
            },
            value: answer.value.map(Value::discs),
            bounds: bounds(answer.bounds),
            level: answer.level.map(|level| level.to_string()),
            leads_on: answer.leads_on,
            ways_in: answer.ways_in,
            statistics: answer.statistics.map(StatisticsView::from),
            opening: answer.opening.map(|opening| opening.name.as_str()),
        }
    }
}

impl From<Statistics> for StatisticsView {
    fn from(statistics: Statistics) -> StatisticsView {
        StatisticsView {
            games: statistics.games,
            wins: statistics.wins,
            draws: statistics.draws,
            losses: statistics.losses,
            average_discs: statistics.average_discs(),
            first_year: statistics.years.map(|years| years.0),
            last_year: statistics.years.map(|years| years.1),
        }
    }
}

fn bounds(bounds: Bounds) -> [i32; 2] {
    [bounds.lower.discs(), bounds.upper.discs()]
}
