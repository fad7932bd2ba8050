//! A position as a row of named fields: what JSON Lines and CSV share. [`FIELDS_HELP`] tells what
//! they are.

use crate::book::absorb::Incoming;
use crate::book::engine::Engines;
use crate::book::key::NodeKey;
use crate::book::node::{
    Alternative, Bounds, Derived, EngineNumber, Evaluation, Found, Level, Node, Origin, Value,
};
use crate::book::scan::Scanned;
use crate::book::statistics::Statistics;
use crate::othello::{Bitboard, Board, Position, Square, Symmetry};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// For people who read or make such files.
pub const FIELDS_HELP: &str =
    "  position   64 signs from a1 to h8 and the side to move, which is always X
  origin     game, expansion or import
  value, best, lower, upper
             in discs, seen by X: the value, the move it rests on, what is proven;
             derived, so not read back
  evaluation, evaluation_depth, evaluation_selectivity, evaluation_solved,
  evaluation_engine
             the position's own search, and by whom
  alternative_move, alternative, alternative_depth, alternative_selectivity,
  alternative_solved, alternative_engine
             the best move that is not in the book; without a move, none is better
  alternative_at_least
             true if the move is worth that or more, and nothing is said of others
  alternative_among
             the moves that a solved alternative looked at, as in c3d6f4, or - if
             there was none; without it the alternative proves nothing
  games, wins, draws, losses, disc_sum, first_year, last_year
             of people, seen by X";

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
    /// The number of lines below, in files of earlier versions.
    #[serde(rename = "lines", skip_serializing, default)]
    _lines: IgnoredAny,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation_depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation_selectivity: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation_solved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    evaluation_engine: Option<String>,
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
    alternative_engine: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    alternative_at_least: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    alternative_among: Option<String>,
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
pub const FIELDS: [&str; 26] = [
    "position",
    "origin",
    "value",
    "best",
    "lower",
    "upper",
    "evaluation",
    "evaluation_depth",
    "evaluation_selectivity",
    "evaluation_solved",
    "evaluation_engine",
    "alternative_move",
    "alternative",
    "alternative_depth",
    "alternative_selectivity",
    "alternative_solved",
    "alternative_engine",
    "alternative_at_least",
    "alternative_among",
    "games",
    "wins",
    "draws",
    "losses",
    "disc_sum",
    "first_year",
    "last_year",
];

/// Fields of earlier versions: read, and ignored.
const FORMER_FIELDS: [&str; 1] = ["lines"];

/// The names that a file may begin with.
pub fn known_fields() -> impl Iterator<Item = &'static str> {
    FIELDS.into_iter().chain(FORMER_FIELDS)
}

/// What is in the field is text, also if it looks like a number.
pub fn is_text(field: &str) -> bool {
    matches!(
        field,
        "position"
            | "origin"
            | "best"
            | "evaluation_engine"
            | "alternative_move"
            | "alternative_engine"
            | "alternative_among"
    )
}

/// How a set without a move is written.
const NO_MOVES: &str = "-";

/// A position as it was read, with the names of the engines that found its evaluation and its
/// alternative.
pub struct Named {
    pub position: Incoming,
    pub evaluation_engine: Option<String>,
    pub alternative_engine: Option<String>,
}

impl Row {
    /// `engines` are those of the book.
    pub fn of(row: &Scanned, engines: &Engines) -> Row {
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
            ..
        } = derived;
        let name = |engine: EngineNumber| engines.name(engine).map(str::to_owned);
        let found = alternative.map(|alternative| alternative.found);
        let is_at_least = matches!(found, Some(Found::AtLeast(..)));
        let own = evaluation.map(|own| own.level);
        let other = alternative.map(|alternative| alternative.level);
        let solved = alternative.filter(|alternative| alternative.level.solved);
        let counted = row.counted;
        let years = counted.and_then(|counted| counted.years);
        Row {
            position: row.key.to_string(),
            origin: origin.to_string(),
            value: value.map(Value::discs),
            best: best.map(|square| square.to_string()),
            lower: Some(lower.discs()),
            upper: Some(upper.discs()),
            _lines: IgnoredAny,
            evaluation: evaluation.map(|own| own.value.discs()),
            evaluation_depth: own.map(|level| level.depth),
            evaluation_selectivity: own.map(|level| level.selectivity),
            evaluation_solved: own.map(|level| level.solved),
            evaluation_engine: evaluation.and_then(|own| name(own.engine)),
            alternative_move: found
                .and_then(Found::square)
                .map(|square| square.to_string()),
            alternative: found.map(|found| found.value().discs()),
            alternative_depth: other.map(|level| level.depth),
            alternative_selectivity: other.map(|level| level.selectivity),
            alternative_solved: other.map(|level| level.solved),
            alternative_engine: alternative.and_then(|other| name(other.engine)),
            alternative_at_least: is_at_least.then_some(true),
            alternative_among: solved.map(|solved| text_of_moves(solved.among)),
            games: counted.map(|counted| counted.games),
            wins: counted.map(|counted| counted.wins),
            draws: counted.map(|counted| counted.draws),
            losses: counted.map(|counted| counted.losses),
            disc_sum: counted
                .filter(|counted| !counted.discs_unknown)
                .map(|counted| counted.disc_sum),
            first_year: years.map(|(first, _)| first),
            last_year: years.map(|(_, last)| last),
        }
    }

    /// The position, or what is wrong with the row.
    pub fn named(self) -> Result<Named, String> {
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
                engine: EngineNumber::UNKNOWN,
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
                let among = match &self.alternative_among {
                    Some(text) => Some(symmetry.apply(moves_of_text(text, board)?)),
                    None => None,
                };
                // Whoever does not say what was looked at proves nothing.
                let proves = among.filter(|_| level.solved);
                Some(Alternative {
                    found: self.found(value(discs)?, board, symmetry)?,
                    level: Level {
                        solved: proves.is_some(),
                        ..level
                    },
                    engine: EngineNumber::UNKNOWN,
                    among: proves.unwrap_or(key.board().legal_moves()),
                })
            }
            (None, None) => None,
            _ => return Err("has half an alternative".into()),
        };
        Ok(Named {
            position: Incoming {
                key,
                node: Node {
                    origin,
                    evaluation,
                    alternative,
                    derived: Derived::LEAF,
                },
                counted: self.counted()?,
                linked: false,
            },
            evaluation_engine: self.evaluation_engine,
            alternative_engine: self.alternative_engine,
        })
    }

    fn found(&self, value: Value, board: Board, symmetry: Symmetry) -> Result<Found, String> {
        let square = match &self.alternative_move {
            Some(name) => Some(symmetry.apply_to_square(legal_move(name, board)?)),
            None => None,
        };
        match (square, self.alternative_at_least == Some(true)) {
            (Some(square), true) => Ok(Found::AtLeast(square, value)),
            (Some(square), false) => Ok(Found::Move(square, value)),
            (None, true) => Err("has half an alternative".into()),
            (None, false) => Ok(Found::NoneAbove(value)),
        }
    }

    fn counted(&self) -> Result<Option<Statistics>, String> {
        let Some(games) = self.games else {
            return Ok(None);
        };
        let mut counted = Statistics {
            games,
            wins: self.wins.unwrap_or(0),
            draws: self.draws.unwrap_or(0),
            losses: self.losses.unwrap_or(0),
            disc_sum: self.disc_sum.unwrap_or(0),
            discs_unknown: false,
            years: self.first_year.zip(self.last_year),
        };
        counted.discs_unknown = self.disc_sum.is_none() && counted.decided() > 0;
        if !counted.is_possible() {
            return Err("has results that do not add up".into());
        }
        Ok(Some(counted))
    }
}

fn legal_move(name: &str, board: Board) -> Result<Square, String> {
    let square = name.parse().ok();
    square
        .filter(|square| board.legal_moves().contains(*square))
        .ok_or_else(|| format!("has the illegal move {name}"))
}

/// `c3d6f4`.
fn text_of_moves(moves: Bitboard) -> String {
    if moves.is_empty() {
        return NO_MOVES.into();
    }
    moves.into_iter().map(|square| square.to_string()).collect()
}

fn moves_of_text(text: &str, board: Board) -> Result<Bitboard, String> {
    if text == NO_MOVES {
        return Ok(Bitboard::EMPTY);
    }
    let signs: Vec<char> = text.chars().collect();
    let names = signs.chunks(2).map(String::from_iter);
    names.map(|name| legal_move(&name, board)).collect()
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
