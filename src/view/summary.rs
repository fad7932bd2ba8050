//! What is in a book, counted.

use super::searched::{EngineView, WantedView};
use crate::book::{Gap, LayerSummary, Line, Note, Openings, Summary};
use crate::othello::moves_to_string;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What a walk through the whole book found.
#[derive(Serialize, ToSchema, Clone)]
pub struct SummaryView {
    /// In the book.
    pub positions: u64,
    /// Games of people that were learned.
    pub games: u64,
    /// Positions that people reached, in the book or held back.
    pub positions_with_statistics: u64,
    /// Games are learned to this many moves; null in a book that was never written to.
    pub plies: Option<u8>,
    /// Positions come in that this many games reached.
    pub min_games: Option<u32>,
    /// When it was begun, in seconds since 1970.
    pub created: Option<u64>,
    /// The book's own name, for machines.
    pub identity: Option<String>,
    /// What somebody wrote about it: some lines of text.
    pub note: Option<String>,
    /// Positions that wait to be re-examined.
    pub waiting: u64,
    /// All positions wait to be re-examined.
    pub sweep_due: bool,
    /// On the disk, by table.
    pub bytes: BTreeMap<&'static str, u64>,
    /// Without human statistics and games.
    pub bytes_per_position: Option<f64>,
    /// Positions by how they came in.
    pub origins: OriginsView,
    /// Positions by number of discs, those with the fewest first.
    pub layers: Vec<LayerView>,
    /// Positions by value, seen by the player to move.
    pub values: Vec<ValueStep>,
    /// Positions by the level of their own search.
    pub levels: BTreeMap<String, u64>,
    /// Positions by the engine that searched them.
    pub engines: Vec<EngineView>,
    /// What is still to be searched.
    pub wanted: Vec<WantedView>,
    /// The best line and those that give away least, each of another opening.
    pub best_lines: Vec<BestLineView>,
    /// The positions without a value that people reach most.
    pub gaps: Vec<GapView>,
}

/// What somebody wrote about a book.
#[derive(Serialize, Clone)]
pub struct NoteView {
    /// Some lines of text; null if there is none.
    pub note: Option<String>,
}

impl From<Option<&Note>> for NoteView {
    fn from(note: Option<&Note>) -> NoteView {
        NoteView {
            note: note.map(|note| note.as_str().to_owned()),
        }
    }
}

/// Positions by how they came in.
#[derive(Serialize, ToSchema, Clone)]
pub struct OriginsView {
    /// From games.
    pub game: u64,
    /// By growing.
    pub expansion: u64,
    /// From a file of another book.
    pub import: u64,
}

/// The positions with as many discs.
#[derive(Serialize, ToSchema, Clone)]
pub struct LayerView {
    /// On the board.
    pub discs: u32,
    /// In the book.
    pub positions: u64,
    /// How many of them have a value.
    pub valued: u64,
    /// How many of them have a proven value.
    pub exact: u64,
    /// For how many of them the moves outside the book were searched, too.
    pub alternatives: u64,
    /// Games of people that the book still follows here.
    pub games: u64,
}

/// The positions with a value of so many discs, or up to four more.
#[derive(Serialize, ToSchema, Clone)]
pub struct ValueStep {
    /// The lower end, in discs.
    pub from: i32,
    /// In the book.
    pub positions: u64,
}

/// A line of best play, but for moves in its beginning that gave something away.
#[derive(Serialize, ToSchema, Clone)]
pub struct BestLineView {
    /// From the start, passes left out.
    pub moves: String,
    /// What people call it.
    pub opening: Option<&'static str>,
    /// What Black gets in the end, in discs.
    pub black_value: f64,
    /// What both players together gave away, in discs.
    pub loss: f64,
}

/// A position that the book has no value for.
#[derive(Serialize, ToSchema, Clone)]
pub struct GapView {
    /// One way to get there.
    pub moves: String,
    /// What people call it.
    pub opening: Option<&'static str>,
    /// Games of people that came here.
    pub games: u32,
}

impl From<&Summary> for SummaryView {
    fn from(summary: &Summary) -> SummaryView {
        let [game, expansion, import] = summary.origins;
        let profile = summary.profile;
        let bytes = summary.bytes.iter();
        let values = summary.values.iter();
        SummaryView {
            positions: summary.positions,
            games: summary.games,
            positions_with_statistics: summary.positions_with_statistics,
            plies: profile.map(|profile| profile.plies),
            min_games: profile.map(|profile| profile.min_games),
            created: profile.map(|profile| profile.created),
            identity: summary.identity.map(|identity| identity.to_string()),
            note: NoteView::from(summary.note.as_ref()).note,
            waiting: summary.waiting,
            sweep_due: summary.sweep_due,
            bytes: bytes.map(|(table, bytes)| (table.name(), *bytes)).collect(),
            bytes_per_position: summary.bytes_per_position(),
            origins: OriginsView {
                game,
                expansion,
                import,
            },
            layers: summary.layers.iter().map(LayerView::from).collect(),
            values: values
                .map(|(&from, &positions)| ValueStep { from, positions })
                .collect(),
            levels: summary.levels.clone(),
            engines: EngineView::of_summary(summary),
            wanted: WantedView::of_summary(summary),
            best_lines: summary.best_lines.iter().map(BestLineView::from).collect(),
            gaps: summary.gaps.iter().map(GapView::from).collect(),
        }
    }
}

impl From<&LayerSummary> for LayerView {
    fn from(layer: &LayerSummary) -> LayerView {
        LayerView {
            discs: u32::from(layer.layer.discs()),
            positions: layer.positions,
            valued: layer.valued,
            exact: layer.exact,
            alternatives: layer.alternatives,
            games: layer.games,
        }
    }
}

impl From<&Line> for BestLineView {
    fn from(line: &Line) -> BestLineView {
        BestLineView {
            moves: moves_to_string(&line.moves),
            opening: line.opening.map(|opening| opening.name.as_str()),
            black_value: line.value.discs(),
            loss: line.loss.discs(),
        }
    }
}

impl From<&Gap> for GapView {
    fn from(gap: &Gap) -> GapView {
        let opening = Openings::shipped().of_moves(&gap.moves);
        GapView {
            moves: moves_to_string(&gap.moves),
            opening: opening.map(|opening| opening.name.as_str()),
            games: gap.games,
        }
    }
}
