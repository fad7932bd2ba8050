//! `GET /api/line`: a line of moves, step by step, as the book sees it.

use super::asked::{Asks, Where};
use super::problem::{ErrorBody, Problem};
use super::shared::Shared;
use super::view::Side;
use crate::book::{NodeKey, Reader, Step, Support, Value, explain};
use crate::othello::{Color, Position, Square};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// A line from the start, or the one position that was asked about.
#[derive(Serialize, ToSchema)]
pub struct LineView {
    /// The first position and the one after each move.
    steps: Vec<StepView>,
    /// What the value of the last position rests on: the best moves from there down to the search,
    /// or the end of the game, that it comes from.
    because: Vec<ReasonView>,
}

/// A position on the way down from a value to where it comes from.
#[derive(Serialize, ToSchema)]
pub struct ReasonView {
    /// The move that goes on; null where the position's own search is the end.
    #[serde(rename = "move")]
    square: Option<String>,
    turn: Side,
    /// In discs, seen by Black.
    black_value: Option<f64>,
    rests_on: RestsOn,
    /// The search it rests on, where it is one.
    level: Option<String>,
}

#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum RestsOn {
    /// The next position of the book.
    Book,
    /// A search that found a move outside the book.
    Alternative,
    /// The end of the game.
    End,
    /// A search of the position itself.
    Evaluation,
    Nothing,
}

impl From<&Step> for ReasonView {
    fn from(step: &Step) -> ReasonView {
        let (rests_on, level) = match step.support {
            Support::Book(_) => (RestsOn::Book, None),
            Support::Alternative(_, level) => (RestsOn::Alternative, Some(level)),
            Support::End(..) => (RestsOn::End, None),
            Support::Evaluation(level) => (RestsOn::Evaluation, Some(level)),
            Support::Nothing => (RestsOn::Nothing, None),
        };
        let turn = step.position.turn;
        ReasonView {
            square: step.support.square().map(|square| square.to_string()),
            turn: turn.into(),
            black_value: step.node.derived.value.map(|value| for_black(turn, value)),
            rests_on,
            level: level.map(|level| level.to_string()),
        }
    }
}

fn for_black(turn: Color, value: Value) -> f64 {
    match turn {
        Color::Black => value.discs(),
        Color::White => -value.discs(),
    }
}

/// A position of the line.
#[derive(Serialize, ToSchema)]
pub struct StepView {
    /// The move that led here; null for the first position.
    #[serde(rename = "move")]
    square: Option<String>,
    /// Who made it.
    by: Option<Side>,
    position: String,
    turn: Side,
    in_book: bool,
    /// In discs, seen by Black, so that a graph needs no turning.
    black_value: Option<f64>,
    /// The value is proven.
    exact: bool,
    /// What the book would play here.
    best: Option<String>,
    /// What the move cost whoever made it, in discs, where both values are known.
    loss: Option<f64>,
    games: u32,
}

/// What the book thinks of each position of a line, and what each move cost.
#[utoipa::path(
    get, path = "/api/line", tag = "book", params(Where),
    responses((status = 200, body = LineView), (status = 400, body = ErrorBody))
)]
pub async fn line(
    State(shared): State<Arc<Shared>>,
    Asks(place): Asks<Where>,
) -> Result<Json<LineView>, Problem> {
    let asked = place.read()?;
    shared
        .read(move |reader| {
            let steps = match &asked.moves {
                Some(moves) => steps(reader, moves)?,
                None => vec![step(reader, asked.position, None, None)?],
            };
            let because = explain(reader, asked.position)?;
            let because = because.iter().map(ReasonView::from).collect();
            Ok(Json(LineView { steps, because }))
        })
        .await
}

fn steps(reader: &Reader<'_>, moves: &[Square]) -> Result<Vec<StepView>, Problem> {
    let mut position = Position::START;
    let mut steps = vec![step(reader, position, None, None)?];
    for &square in moves {
        let by = position.turn;
        // The moves were played when the request was read.
        position = position
            .play(square)
            .map_err(|reason| Problem::value("moves", reason.to_string()))?;
        let before = steps.last().and_then(|step| step.black_value);
        steps.push(step(reader, position, Some((square, by)), before)?);
    }
    Ok(steps)
}

fn step(
    reader: &Reader<'_>,
    position: Position,
    made: Option<(Square, Color)>,
    before: Option<f64>,
) -> Result<StepView, Problem> {
    let (key, symmetry) = NodeKey::with_symmetry(position.board);
    let over = position.board.is_over();
    let node = if over { None } else { reader.node(key)? };
    let black_value = if over {
        Some(f64::from(position.final_score(Color::Black).discs()))
    } else {
        node.and_then(|node| node.derived.value)
            .map(|value| for_black(position.turn, value))
    };
    let loss = match (made, before, black_value) {
        (Some((_, Color::Black)), Some(before), Some(after)) => Some(before - after),
        (Some((_, Color::White)), Some(before), Some(after)) => Some(after - before),
        _ => None,
    };
    let best = node.and_then(|node| node.derived.best);
    Ok(StepView {
        square: made.map(|(square, _)| square.to_string()),
        by: made.map(|(_, by)| by.into()),
        position: position.to_string(),
        turn: position.turn.into(),
        in_book: node.is_some(),
        black_value,
        exact: over || node.is_some_and(|node| node.derived.bounds.is_exact()),
        best: best.map(|square| symmetry.inverse().apply_to_square(square).to_string()),
        loss,
        games: reader
            .statistics(key)?
            .map_or(0, |statistics| statistics.games),
    })
}
