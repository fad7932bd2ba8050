//! Positions from a file of another program: gathered, put in order, and told whether moves lead to
//! them.

use super::source::{Content, See};
use super::spool::{Run, Sorted, Sorter};
use super::{ExchangeError, Format};
use crate::book::absorb::{Incoming, Linker};
use crate::book::edge::{edges, for_each_edge};
use crate::book::engine::{Engines, tidy_name};
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Alternative, EngineNumber, Found, Level, Node, Value};
use crate::book::scan::Link;
use crate::othello::{Bitboard, Board, Score, Square, Symmetry};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;

/// Positions that are shown at once.
const AT_ONCE: usize = 1 << 14;

/// All positions of a file, by layer: put in order on the disk, because the file has them in none.
pub struct Foreign {
    rows: Run,
    engines: Engines,
    remarks: Vec<String>,
}

impl Content for Foreign {
    fn positions(&self) -> u64 {
        self.rows.positions()
    }

    fn engines(&self) -> &Engines {
        &self.engines
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// It was read to its end before it was put in order.
    fn check(&mut self) -> Result<(), ExchangeError> {
        Ok(())
    }

    fn for_each_chunk(&mut self, see: &mut See<'_>) -> Result<bool, ExchangeError> {
        let mut linker = Linker::default();
        for layer in Layer::all() {
            let mut keys = Vec::new();
            let mut rows = self.rows.rows(layer).map_err(ExchangeError::Io)?;
            while let Some(row) = rows.next().map_err(ExchangeError::Io)? {
                keys.push(row.key);
            }
            if keys.is_empty() {
                continue;
            }
            let mut linked = linker.link_keys(&keys).into_iter();
            drop(keys);
            let mut rows = self.rows.rows(layer).map_err(ExchangeError::Io)?;
            loop {
                let mut chunk = rows.next_chunk(AT_ONCE).map_err(ExchangeError::Io)?;
                if chunk.is_empty() {
                    break;
                }
                for row in &mut chunk {
                    row.linked = linked.next().unwrap_or(false);
                }
                if !see(chunk)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Collects the positions of a file.
pub struct Gatherer {
    format: Format,
    rows: Sorter,
    engines: Vec<String>,
    /// Positions where a player must pass, or the game is over: they are no nodes here.
    without_moves: u64,
}

/// More positions are only counted.
const KEPT: usize = 5;
const PER_JOB: usize = 256;

impl Gatherer {
    pub fn new(format: Format) -> Gatherer {
        Gatherer {
            format,
            rows: Sorter::default(),
            engines: Vec::new(),
            without_moves: 0,
        }
    }

    /// The number of an engine in this file. More engines than there are numbers stay unnamed.
    pub fn engine(&mut self, name: &str) -> EngineNumber {
        let Some(name) = tidy_name(name) else {
            return EngineNumber::UNKNOWN;
        };
        let place = match self.engines.iter().position(|known| *known == name) {
            Some(place) => place,
            None if self.engines.len() < usize::from(u8::MAX) => {
                self.engines.push(name);
                self.engines.len() - 1
            }
            None => return EngineNumber::UNKNOWN,
        };
        u8::try_from(place + 1).map_or(EngineNumber::UNKNOWN, EngineNumber)
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
    pub fn add(&mut self, position: Incoming) -> Result<(), ExchangeError> {
        if position.key.board().legal_moves().is_empty() {
            self.without_moves += 1;
            return Ok(());
        }
        self.rows.push(position).map_err(ExchangeError::Io)
    }

    /// Puts the positions in order. `settle` sees each with those of its moves that lead to another
    /// position of the file.
    pub fn finish(
        self,
        settle: impl Fn(&mut Incoming, Bitboard) + Sync,
    ) -> Result<Foreign, ExchangeError> {
        let mut remarks = Vec::new();
        let mut sorted = self.rows.finish().map_err(ExchangeError::Io)?;
        let mut settled = Settled::default();
        for layer in Layer::all().rev() {
            settled
                .take_layer(&mut sorted, layer, &settle)
                .map_err(ExchangeError::Io)?;
        }
        if settled.duplicates > 0 {
            remarks.push(format!(
                "{} records are of positions that came before; of each the deeper one stands",
                settled.duplicates
            ));
            remarks.extend(settled.twice.iter().map(|key| format!("  {key}")));
        }
        if self.without_moves > 0 {
            let count = self.without_moves;
            remarks.push(format!(
                "{count} positions without a legal move were passed over: a pass is no position here"
            ));
        }
        Ok(Foreign {
            rows: settled.rows,
            engines: Engines::of_names(self.engines),
            remarks,
        })
    }
}

/// The positions of a file as they are when those below are known, from the fullest layer on.
struct Settled {
    rows: Run,
    /// Those of the layer before.
    below: LayerTable<()>,
    duplicates: u64,
    /// The first of them.
    twice: BTreeSet<NodeKey>,
}

impl Default for Settled {
    fn default() -> Settled {
        Settled {
            rows: Run::new(),
            below: LayerTable::new(Vec::new()),
            duplicates: 0,
            twice: BTreeSet::new(),
        }
    }
}

impl Settled {
    fn take_layer(
        &mut self,
        sorted: &mut Sorted,
        layer: Layer,
        settle: &(impl Fn(&mut Incoming, Bitboard) + Sync),
    ) -> io::Result<()> {
        let mut keys: Vec<(NodeKey, ())> = Vec::new();
        let mut chunk = Vec::new();
        let (rows, below) = (&mut self.rows, &self.below);
        let (duplicates, twice) = (&mut self.duplicates, &mut self.twice);
        let mut write = |chunk: &mut Vec<Incoming>| -> io::Result<()> {
            chunk.par_iter_mut().with_min_len(PER_JOB).for_each(|row| {
                let mut inside = Bitboard::EMPTY;
                for_each_edge(row.key.board(), |edge| {
                    if edge.child().is_some_and(|key| below.get(key).is_some()) {
                        inside = inside.with(edge.square);
                    }
                });
                settle(row, inside);
            });
            for row in chunk.drain(..) {
                keys.push((row.key, ()));
                rows.push(&row)?;
            }
            Ok(())
        };
        let again = |key| {
            *duplicates += 1;
            twice.insert(key);
            if twice.len() > KEPT {
                twice.pop_last();
            }
        };
        sorted.for_each(layer, again, |row| {
            chunk.push(row);
            match chunk.len() {
                AT_ONCE => write(&mut chunk),
                _ => Ok(()),
            }
        })?;
        write(&mut chunk)?;
        self.below = LayerTable::new(keys);
        Ok(())
    }
}

/// These moves of a position, and those that lead to the same positions as they do.
pub fn with_their_images(key: NodeKey, moves: Bitboard) -> Bitboard {
    let edges = edges(key.board());
    let reached: Vec<NodeKey> = edges
        .iter()
        .filter(|edge| moves.contains(edge.square))
        .filter_map(|edge| edge.child())
        .collect();
    let images = edges
        .iter()
        .filter(|edge| edge.child().is_some_and(|child| reached.contains(&child)));
    images.map(|edge| edge.square).collect::<Bitboard>() | moves
}

/// A solved search for the best of the other moves did not look at these.
pub fn leave_out(node: &mut Node, moves: impl FnOnce() -> Bitboard) {
    if let Some(known) = &mut node.alternative
        && known.level.solved
    {
        known.among &= !moves();
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
    /// The leaf as an alternative of the position, whose board is `board` under `symmetry`, until
    /// it is known which moves it did not look at. A move that ends the game is none: what it is
    /// worth follows from the board.
    pub fn alternative(
        &self,
        board: Board,
        symmetry: Symmetry,
        engine: EngineNumber,
    ) -> Option<Alternative> {
        let found = match self.square {
            Some(square) if board.play(square).is_ok_and(Board::is_over) => return None,
            Some(square) => Found::Move(symmetry.apply_to_square(square), self.value),
            None => Found::NoneAbove(self.value),
        };
        Some(Alternative {
            found,
            level: self.level,
            engine,
            among: symmetry.apply(board.legal_moves()),
        })
    }
}

/// The alternative of a position as the leaf of its record, on the board under `symmetry`. A leaf
/// speaks of all moves that do not lead into the file, so that it is solved only if all of them
/// were looked at.
pub fn leaf_of<T>(node: &Node, links: &[Link<T>], symmetry: Symmetry) -> Option<Leaf> {
    let known = node.alternative?;
    let mut outside = links
        .iter()
        .filter(|link| link.below.is_none() && link.edge.child().is_some());
    let speaks_of_all =
        known.found.limit().is_some() && outside.all(|link| known.among.contains(link.edge.square));
    let square = known.found.square();
    Some(Leaf {
        square: square.map(|square| symmetry.apply_to_square(square)),
        value: known.found.value(),
        level: Level {
            solved: known.level.solved && speaks_of_all,
            ..known.level
        },
    })
}
