//! A line of moves, step by step, as the book sees it, and what its last value rests on.

use super::position::Side;
use crate::book::{NodeKey, Reader, Step, StoreError, Support, Value, explain};
use crate::othello::{Color, Position, PositionText, Square};
use serde::Serialize;
use utoipa::ToSchema;

/// A line from the start, or the one position that was asked about.
#[derive(Serialize, ToSchema)]
pub struct LineView {
    /// The first position and the one after each move.
    pub steps: Vec<StepView>,
    /// What the value of the last position rests on: the best moves from there down to the search,
    /// or the end of the game, that it comes from. Empty where the book does not have it.
    pub because: Vec<ReasonView>,
}

/// A position of the line.
#[derive(Serialize, ToSchema)]
pub struct StepView {
    /// The move that led here; null for the first position.
    #[serde(rename = "move")]
    pub square: Option<String>,
    /// Who made it.
    pub by: Option<Side>,
    /// 64 squares from a1 to h8, a space, and the side to move.
    pub position: String,
    /// Who moves.
    pub turn: Side,
    /// The book has the position.
    pub in_book: bool,
    /// In discs, seen by Black, so that a graph needs no turning.
    pub black_value: Option<f64>,
    /// The value is proven.
    pub exact: bool,
    /// What the book would play here.
    pub best: Option<String>,
    /// What the move cost whoever made it, in discs, where both values are known.
    pub loss: Option<f64>,
    /// Games of people that came here.
    pub games: u32,
}

/// A position on the way down from a value to where it comes from.
#[derive(Serialize, ToSchema)]
pub struct ReasonView {
    /// 64 squares from a1 to h8, a space, and the side to move.
    pub position: String,
    /// Who moves.
    pub turn: Side,
    /// The move that goes on; null where the position's own search is the end.
    #[serde(rename = "move")]
    pub square: Option<String>,
    /// In discs, seen by Black.
    pub black_value: Option<f64>,
    /// What the value comes from.
    pub rests_on: RestsOn,
    /// The search it rests on, where it is one.
    #[schema(example = "12@82%")]
    pub level: Option<String>,
    /// Why the position is in the book: game, expansion or import.
    pub origin: String,
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

impl LineView {
    /// The line that leads to what was asked about, or that position alone.
    pub fn look_up(reader: &Reader<'_>, asked: &PositionText) -> Result<LineView, StoreError> {
        let steps = match &asked.moves {
            Some(moves) => steps(reader, moves)?,
            None => vec![StepView::look_up(reader, asked.position, None, None)?],
        };
        let because = explain(reader, asked.position)?;
        let because = because.iter().map(ReasonView::from).collect();
        Ok(LineView { steps, because })
    }
}

fn steps(reader: &Reader<'_>, moves: &[Square]) -> Result<Vec<StepView>, StoreError> {
    let mut position = Position::START;
    let mut steps = vec![StepView::look_up(reader, position, None, None)?];
    for &square in moves {
        let by = position.turn;
        // The moves of a text that was understood are legal.
        let Ok(next) = position.play(square) else {
            break;
        };
        position = next;
        let before = steps.last().and_then(|step| step.black_value);
        let made = Some((square, by));
        steps.push(StepView::look_up(reader, position, made, before)?);
    }
    Ok(steps)
}

impl StepView {
    fn look_up(
        reader: &Reader<'_>,
        position: Position,
        made: Option<(Square, Color)>,
        before: Option<f64>,
    ) -> Result<StepView, StoreError> {
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
            position: step.position.to_string(),
            turn: turn.into(),
            square: step.support.square().map(|square| square.to_string()),
            black_value: step.node.derived.value.map(|value| for_black(turn, value)),
            rests_on,
            level: level.map(|level| level.to_string()),
            origin: step.node.origin.to_string(),
        }
    }
}

fn for_black(turn: Color, value: Value) -> f64 {
    match turn {
        Color::Black => value.discs(),
        Color::White => -value.discs(),
    }
}
