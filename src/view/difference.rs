//! What differs between two books, as people and programs are told of it.

use crate::book::{Compared, Comparison, Difference, DifferenceKind, Opinion};
use serde::Serialize;
use std::path::Path;
use utoipa::ToSchema;

/// A position that two books do not agree on.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct DifferenceView {
    /// The board, turned so that it is the same for all eight images; X is to move.
    pub position: String,
    pub discs: u8,
    /// `only_in_first`, `only_in_second`, `best_move` or `value`.
    #[schema(example = "best_move")]
    pub kind: &'static str,
    /// None where the book does not have the position.
    pub first: Option<OpinionView>,
    pub second: Option<OpinionView>,
}

/// What a book thinks of a position.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct OpinionView {
    /// In discs, for the player to move.
    pub value: Option<f64>,
    /// On the board as `position` shows it.
    #[schema(example = "f5")]
    pub best: Option<String>,
}

/// How many positions were compared, and how many differ.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct ComparedView {
    pub same: u64,
    pub only_in_first: u64,
    pub only_in_second: u64,
    /// In both books with different best moves.
    pub best_moves: u64,
    /// In both books with the same best move, or none, and different values.
    pub values: u64,
}

/// Two books, compared.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct BooksComparedView<'a> {
    /// Their folders.
    pub first: &'a Path,
    pub second: &'a Path,
    pub differ: bool,
    /// Differences that were told before this.
    pub shown: usize,
    pub summary: ComparedView,
    pub layers: Vec<LayerComparedView>,
}

/// The same for positions with so many discs.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct LayerComparedView {
    pub discs: u8,
    #[serde(flatten)]
    pub compared: ComparedView,
}

impl<'a> BooksComparedView<'a> {
    pub fn of(
        [first, second]: [&'a Path; 2],
        comparison: &Comparison,
        shown: usize,
    ) -> BooksComparedView<'a> {
        let total = comparison.total();
        let layers = comparison.layers.iter();
        let layers = layers.map(|(layer, compared)| LayerComparedView {
            discs: layer.discs(),
            compared: ComparedView::from(compared),
        });
        BooksComparedView {
            first,
            second,
            differ: total.differ(),
            shown,
            summary: ComparedView::from(&total),
            layers: layers.collect(),
        }
    }
}

impl From<&Difference> for DifferenceView {
    fn from(difference: &Difference) -> DifferenceView {
        let (kind, first, second) = match difference.kind {
            DifferenceKind::OnlyInFirst(one) => ("only_in_first", Some(one), None),
            DifferenceKind::OnlyInSecond(other) => ("only_in_second", None, Some(other)),
            DifferenceKind::BestMove(one, other) => ("best_move", Some(one), Some(other)),
            DifferenceKind::Value(one, other) => ("value", Some(one), Some(other)),
        };
        DifferenceView {
            position: difference.key.to_string(),
            discs: difference.key.layer().discs(),
            kind,
            first: first.map(OpinionView::from),
            second: second.map(OpinionView::from),
        }
    }
}

impl From<Opinion> for OpinionView {
    fn from(opinion: Opinion) -> OpinionView {
        OpinionView {
            value: opinion.value.map(|value| value.discs()),
            best: opinion.best.map(|square| square.to_string()),
        }
    }
}

impl From<&Compared> for ComparedView {
    fn from(compared: &Compared) -> ComparedView {
        ComparedView {
            same: compared.same,
            only_in_first: compared.only_in_first,
            only_in_second: compared.only_in_second,
            best_moves: compared.best_moves,
            values: compared.values,
        }
    }
}
