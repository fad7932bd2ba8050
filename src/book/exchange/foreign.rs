//! Positions from a file of another program: gathered, put in order, and told whether moves lead to
//! them.

use crate::book::absorb::{Incoming, Linker};
use crate::book::edge::{Destination, for_each_edge};
use crate::book::knowledge::{join, larger_count};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Alternative, Found, Level, Node, Value};
use super::{ExchangeError, Format};
use crate::othello::{Bitboard, Board, Score, Square, Symmetry};
use rayon::prelude::*;

/// All positions of a file, by layer.
#[derive(Debug)]
pub struct Foreign {
    pub layers: Vec<Vec<Incoming>>,
    /// What is strange about the file, for people.
    pub remarks: Vec<String>,
}

/// Collects the positions of a file.
pub struct Gatherer {
    format: Format,
    rows: Vec<Incoming>,
    /// Positions where a player must pass, or the game is over: they are no nodes here.
    without_moves: u64,
}

/// More positions are only counted.
const KEPT: usize = 5;

impl Gatherer {
    pub fn new(format: Format) -> Gatherer {
        Gatherer {
            format,
            rows: Vec::new(),
            without_moves: 0,
        }
    }

    /// A record that cannot be right.
    pub fn wrong(&self, record: u64, what: impl Into<String>) -> ExchangeError {
        ExchangeError::Record {
            format: self.format,
            record,
            what: what.into(),
        }
    }

    /// The board of a record, if it is one that a game may have.
    pub fn board(&self, record: u64, mover: u64, opponent: u64) -> Result<Board, ExchangeError> {
        const CENTRE: u64 = 0x0000_0018_1800_0000;
        let board = Board::new(Bitboard(mover), Bitboard(opponent))
            .ok_or_else(|| self.wrong(record, "has two discs on one square"))?;
        if board.occupied().0 & CENTRE != CENTRE {
            return Err(self.wrong(record, "has an empty square in the centre"));
        }
        Ok(board)
    }

    /// Takes a position in. One without a legal move is only counted.
    pub fn add(&mut self, position: Incoming) {
        if position.key.board().legal_moves().is_empty() {
            self.without_moves += 1;
        } else {
            self.rows.push(position);
        }
    }

    /// Puts the positions in order. `settle` sees each with whether one of its moves leads to
    /// another position of the file.
    pub fn finish(mut self, settle: impl Fn(&mut Incoming, bool) + Sync) -> Foreign {
        let mut remarks = Vec::new();
        let mut twice = Vec::new();
        let mut duplicates = 0;
        self.rows.par_sort_unstable_by_key(|row| row.key);
        self.rows.dedup_by(|next, first| {
            if next.key != first.key {
                return false;
            }
            first.node = join(&first.node, &next.node);
            first.counted = match (first.counted, next.counted) {
                (Some(one), Some(other)) => Some(larger_count(one, other)),
                (one, other) => one.or(other),
            };
            duplicates += 1;
            if twice.len() < KEPT {
                twice.push(next.key);
            }
            true
        });
        if duplicates > 0 {
            remarks.push(format!(
                "{duplicates} records are of positions that came before; of each the deeper one \
                 stands"
            ));
            remarks.extend(twice.iter().map(|key| format!("  {key}")));
        }
        if self.without_moves > 0 {
            let count = self.without_moves;
            remarks.push(format!(
                "{count} positions without a legal move were passed over: a pass is no position here"
            ));
        }
        let mut layers: Vec<Vec<Incoming>> = self
            .rows
            .chunk_by(|a, b| a.key.layer() == b.key.layer())
            .map(<[Incoming]>::to_vec)
            .collect();
        drop(self.rows);
        settle_layers(&mut layers, settle);
        let mut linker = Linker::default();
        for layer in &mut layers {
            linker.link(layer);
        }
        Foreign { layers, remarks }
    }
}

fn settle_layers(layers: &mut [Vec<Incoming>], settle: impl Fn(&mut Incoming, bool) + Sync) {
    let mut below: LayerTable<()> = LayerTable::new(Vec::new());
    for layer in layers.iter_mut().rev() {
        layer.par_iter_mut().for_each(|row| {
            let mut leads_on = false;
            for_each_edge(row.key.board(), |edge| {
                if let Destination::Position { key, .. } = edge.to {
                    leads_on |= below.get(key).is_some();
                }
            });
            settle(row, leads_on);
        });
        below = LayerTable::new(layer.iter().map(|row| (row.key, ())).collect());
    }
}

/// Other programs write how hard they looked as one number. From 60 on it means to the end of the
/// game without a doubt; below it is near the depth, and how sure they were they do not say.
pub const SOLVED_LEVEL: u8 = 60;
/// Of levels up to 10 no search cuts.
const SURE_LEVEL: u8 = 10;
/// What the deeper levels use in midgame.
const USUAL_SELECTIVITY: u8 = 73;

pub fn level_of_number(level: u8, board: Board) -> Level {
    if level >= SOLVED_LEVEL {
        return Level {
            // A board has 64 squares.
            depth: board.empty_count() as u8,
            selectivity: 100,
            solved: true,
        };
    }
    Level {
        depth: level,
        selectivity: if level <= SURE_LEVEL {
            100
        } else {
            USUAL_SELECTIVITY
        },
        solved: false,
    }
}

pub fn number_of_level(level: Level) -> u8 {
    if level.solved {
        SOLVED_LEVEL
    } else {
        level.depth.min(SOLVED_LEVEL - 1)
    }
}

/// Whole discs, as other programs write values: the nearest, half a disc away from zero.
pub fn whole_discs(value: Value) -> i8 {
    let centidiscs = value.centidiscs();
    // Within ±64.
    ((centidiscs + 50 * centidiscs.signum()) / 100) as i8
}

pub fn value_of_discs(discs: i32) -> Option<Value> {
    Score::new(discs).map(Value::of_score)
}

/// What a record says about the best of the moves that are not in the file.
pub struct Leaf {
    /// On the record's own board.
    pub square: Option<Square>,
    pub value: Value,
    pub level: Level,
}

impl Leaf {
    /// The leaf as an alternative of the position, whose board is `board` under `symmetry`. A
    /// move that ends the game is none: what it is worth follows from the board.
    pub fn alternative(&self, board: Board, symmetry: Symmetry) -> Option<Alternative> {
        let found = match self.square {
            Some(square) if board.play(square).is_ok_and(Board::is_over) => return None,
            Some(square) => Found::Move(symmetry.apply_to_square(square), self.value),
            None => Found::NoneAbove(self.value),
        };
        Some(Alternative {
            found,
            level: self.level,
        })
    }
}

/// The alternative of a position as the leaf of its record, on the board under `symmetry`.
pub fn leaf_of(node: &Node, symmetry: Symmetry) -> Option<Leaf> {
    let Alternative { found, level } = node.alternative?;
    let (square, value) = match found {
        Found::Move(square, value) => (Some(symmetry.apply_to_square(square)), value),
        Found::NoneAbove(value) => (None, value),
    };
    Some(Leaf {
        square,
        value,
        level,
    })
}
