//! A position as a row of named fields: what JSON Lines and CSV share.
//!
//! | field | |
//! |---|---|
//! | `position` | 64 signs from a1 to h8 and the side to move, which is always X |
//! | `origin` | game, expansion, import |
//! | `value`, `best` | in discs, seen by X; the move it rests on |
//! | `lower`, `upper` | proven, in discs |
//! | `lines` | ways to go on to a leaf of the book |
//! | `evaluation`, `evaluation_depth`, `_selectivity`, `_solved` | the position's own search |
//! | `alternative_move`, `alternative`, `alternative_depth`, … | the best move that is not in the book; without a move, none of them is better than that |
//! | `games`, `wins`, `draws`, `losses`, `disc_sum`, `first_year`, `last_year` | of people, seen by X |
//!
//! What is unknown is left out. `value` to `lines` follow from the rest and are not read back.

use crate::book::absorb::Incoming;
use crate::book::key::NodeKey;
use crate::book::node::{
    Alternative, Bounds, Derived, Evaluation, Found, Level, Node, Origin, Value,
};
use crate::book::statistics::Statistics;
use crate::book::scan::Scanned;
use crate::othello::{Position, Square};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(deny_unknown_fields)]
pub struct Row {
    position: String,
    origin: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    lower: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    upper: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    lines: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation_depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation_selectivity: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation_solved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    alternative_move: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    alternative: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    alternative_depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    alternative_selectivity: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    alternative_solved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    games: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    wins: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    draws: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    losses: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    disc_sum: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    first_year: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    last_year: Option<u16>,
}

/// In the order of the columns.
pub const FIELDS: [&str; 23] = [
    "position",
    "origin",
    "value",
    "best",
    "lower",
    "upper",
    "lines",
    "evaluation",
    "evaluation_depth",
    "evaluation_selectivity",
    "evaluation_solved",
    "alternative_move",
    "alternative",
    "alternative_depth",
    "alternative_selectivity",
    "alternative_solved",
    "games",
    "wins",
    "draws",
    "losses",
    "disc_sum",
    "first_year",
    "last_year",
];

impl Row {
    pub fn of(row: &Scanned) -> Row {
        let Node {
            origin,
            evaluation,
            alternative,
            derived,
        } = row.node;
        let Derived {
            value,
            best,
            bounds: Bounds { lower, upper },
            lines,
        } = derived;
        let found = alternative.map(|alternative| match alternative.found {
            Found::Move(square, value) => (Some(square), value),
            Found::NoneAbove(value) => (None, value),
        });
        let own = evaluation.map(|own| own.level);
        let other = alternative.map(|alternative| alternative.level);
        let counted = row.counted;
        let years = counted.and_then(|counted| counted.years);
        Row {
            position: row.key.to_string(),
            origin: origin.to_string(),
            value: value.map(Value::discs),
            best: best.map(|square| square.to_string()),
            lower: Some(lower.discs()),
            upper: Some(upper.discs()),
            lines: Some(lines),
            evaluation: evaluation.map(|own| own.value.discs()),
            evaluation_depth: own.map(|level| level.depth),
            evaluation_selectivity: own.map(|level| level.selectivity),
            evaluation_solved: own.map(|level| level.solved),
            alternative_move: found.and_then(|(square, _)| Some(square?.to_string())),
            alternative: found.map(|(_, value)| value.discs()),
            alternative_depth: other.map(|level| level.depth),
            alternative_selectivity: other.map(|level| level.selectivity),
            alternative_solved: other.map(|level| level.solved),
            games: counted.map(|counted| counted.games),
            wins: counted.map(|counted| counted.wins),
            draws: counted.map(|counted| counted.draws),
            losses: counted.map(|counted| counted.losses),
            disc_sum: counted.map(|counted| counted.disc_sum),
            first_year: years.map(|(first, _)| first),
            last_year: years.map(|(_, last)| last),
        }
    }

    /// The position, or what is wrong with the row.
    pub fn incoming(&self) -> Result<Incoming, String> {
        let Position { board, .. } = self
            .position
            .parse::<Position>()
            .map_err(|error| error.to_string())?;
        let (key, symmetry) = NodeKey::with_symmetry(board);
        let origin = match self.origin.as_str() {
            "game" => Origin::Game,
            "expansion" => Origin::Expansion,
            "import" => Origin::Import,
            other => return Err(format!("has the unknown origin '{other}'")),
        };
        let level = level(
            self.evaluation_depth,
            self.evaluation_selectivity,
            self.evaluation_solved,
        );
        let evaluation = match (self.evaluation, level) {
            (Some(discs), Some(level)) => Some(Evaluation {
                value: value(discs)?,
                level,
            }),
            (None, None) => None,
            _ => return Err("has half an evaluation".into()),
        };
        let level = self::level(
            self.alternative_depth,
            self.alternative_selectivity,
            self.alternative_solved,
        );
        let alternative = match (self.alternative, level) {
            (Some(discs), Some(level)) => {
                let value = value(discs)?;
                let found = match &self.alternative_move {
                    Some(name) => {
                        let square: Square = name.parse().map_err(|_| bad_move(name))?;
                        if !board.legal_moves().contains(square) {
                            return Err(bad_move(name));
                        }
                        Found::Move(symmetry.apply_to_square(square), value)
                    }
                    None => Found::NoneAbove(value),
                };
                Some(Alternative { found, level })
            }
            (None, None) => None,
            _ => return Err("has half an alternative".into()),
        };
        Ok(Incoming {
            key,
            node: Node {
                origin,
                evaluation,
                alternative,
                derived: Derived::LEAF,
            },
            counted: self.counted()?,
            linked: false,
        })
    }

    fn counted(&self) -> Result<Option<Statistics>, String> {
        let Some(games) = self.games else {
            return Ok(None);
        };
        let counted = Statistics {
            games,
            wins: self.wins.unwrap_or(0),
            draws: self.draws.unwrap_or(0),
            losses: self.losses.unwrap_or(0),
            disc_sum: self.disc_sum.unwrap_or(0),
            years: self.first_year.zip(self.last_year),
        };
        if !counted.is_possible() {
            return Err("has results that do not add up".into());
        }
        Ok(Some(counted))
    }
}

fn bad_move(name: &str) -> String {
    format!("has the illegal move {name}")
}

fn level(depth: Option<u8>, selectivity: Option<u8>, solved: Option<bool>) -> Option<Level> {
    Some(Level {
        depth: depth?,
        selectivity: selectivity.filter(|per_cent| *per_cent <= 127)?,
        solved: solved?,
    })
}

/// Hundredths of a disc, to which a number is rounded.
fn value(discs: f64) -> Result<Value, String> {
    let centidiscs = (discs * 100.0).round();
    // A float beyond the range becomes the nearest number, which is refused.
    Value::new(centidiscs as i32)
        .filter(|_| centidiscs.is_finite())
        .ok_or_else(|| format!("has the value {discs}"))
}
