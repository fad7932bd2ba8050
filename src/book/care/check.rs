//! Every invariant of a book, each violation by name, and what can be mended.

use crate::book::Watcher;
use crate::book::agrees::{Part, wrong_parts};
use crate::book::archive::LearnedGame;
use crate::book::codec::{self, CodecError};
use crate::book::edge::{Destination, for_each_edge};
use crate::book::facts::Row;
use crate::book::index_key::IndexKey;
use crate::book::key::{KeyError, Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::list;
use crate::book::node::{Derived, Node, Origin, Told};
use crate::book::orphans::{Orphans, Roots, attach_or_remove};
use crate::book::propagate::settle;
use crate::book::statistics::Statistics;
use crate::book::store::{Flag, Reader, Store, StoreError, Table, fingerprint};
use crate::book::sweep::derive_all;
use crate::othello::Square;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    #[error("{table}: the key {key} is no position: {reason}")]
    Key {
        table: &'static str,
        key: String,
        reason: KeyError,
    },
    #[error("{table}: the record of {key} cannot be read: {reason}")]
    Record {
        table: &'static str,
        key: String,
        reason: CodecError,
    },
    #[error("{0}: nobody who is to move can move there, so it is no position of a book")]
    NobodyMoves(NodeKey),
    #[error("{key}: a search names {square}, which is no legal move there")]
    IllegalMove { key: NodeKey, square: Square },
    #[error("{key}: {field} is {stored}, but what is below it gives {expected}")]
    Derived {
        key: NodeKey,
        field: &'static str,
        stored: String,
        expected: String,
    },
    #[error("{0}: no position of the book leads there")]
    Orphan(NodeKey),
    #[error("{key}: {games} games, but {decided} results")]
    TooManyResults {
        key: NodeKey,
        games: u32,
        decided: u64,
    },
    #[error("{0}: the disc sum or the years of its statistics are impossible")]
    Statistics(NodeKey),
    #[error(
        "{games} games are counted in the positions with {discs} discs, but only {before} could \
         have got there"
    )]
    LayerSum { discs: u8, games: u64, before: u64 },
    #[error("the dirty queue has a key that is no position")]
    Mark,
    #[error("the list of what is wanted has a record that is none")]
    Want,
    #[error("index: {0} are not what the archive of games says")]
    Index(Part),
    #[error("index: a part of its file is damaged, and all of it is to be made anew")]
    IndexFile,
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Findings {
    pub positions: u64,
    /// Positions with statistics.
    pub statistics: u64,
    /// Games learned.
    pub games: u64,
    /// Positions that are to be searched.
    pub wanted: u64,
    /// Positions that wait to be re-examined. Their values, and those right above them, may be
    /// old: that is no violation but work that was interrupted.
    pub waiting: u64,
    pub sweep_due: bool,
    /// The games are to be counted and indexed, or were never indexed: no violation either.
    pub index_due: bool,
    /// The first ones; see `violation_count`.
    pub violations: Vec<Violation>,
    pub violation_count: u64,
}

/// More violations are only counted.
const KEPT: usize = 1000;
const ROWS_AT_ONCE: usize = 1 << 16;

impl Findings {
    fn add(&mut self, violation: Violation) {
        self.violation_count += 1;
        if self.violations.len() < KEPT {
            self.violations.push(violation);
        }
    }

    /// Nothing is wrong, though work may be left.
    pub fn is_sound(&self) -> bool {
        self.violation_count == 0
    }
}

/// Checks the whole book; the watcher hears of the positions, and cannot stop it half-way.
pub fn check(store: &Store, watcher: &dyn Watcher) -> Result<Findings, StoreError> {
    let reader = store.snapshot();
    let mut findings = Findings {
        sweep_due: reader.flag(Flag::SweepDue)?,
        index_due: !reader.is_indexed()?,
        ..Findings::default()
    };
    let mut is_legible = true;
    for_each_bad_record(&reader, &mut |_, _, violation| {
        is_legible &= violation != Violation::IndexFile;
        findings.add(violation);
    })?;
    check_games_and_statistics(&reader, &mut findings)?;
    if !findings.index_due && is_legible {
        let wrong = wrong_parts(&reader)?;
        wrong
            .into_iter()
            .for_each(|part| findings.add(Violation::Index(part)));
    }
    check_positions(&reader, watcher, &mut findings)?;
    let mut wants = reader.rows(Table::Wanted, None)?;
    while wants.next_row()?.is_some() {
        findings.wanted += 1;
    }
    Ok(findings)
}

/// What a repair did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Repaired {
    /// Records that were wrong by themselves and were replaced or removed.
    pub records: u64,
    pub orphans: Orphans,
}

/// Mends what can be mended, then sweeps: records without a legible key go, nodes that cannot be
/// read become fresh ones in their place, statistics that cannot be read go, and what no move
/// leads to is connected again or goes. Statistics and the index of games are made anew from the
/// games where they do not follow from them.
pub fn repair(store: &Store, watcher: &dyn Watcher) -> Result<Repaired, StoreError> {
    let reader = store.snapshot();
    let plies = reader.profile().ok().flatten().map_or(0, |p| p.plies);
    let mut records = 0;
    let mut recount = false;
    let mut batch = store.batch()?;
    for_each_bad_record(&reader, &mut |table, key, violation| {
        records += 1;
        match (table, violation, NodeKey::from_bytes(key)) {
            (_, Violation::IndexFile, _) => recount = true,
            // The tree stays whole: only what searches knew about this position is lost.
            (Table::Nodes, Violation::Record { .. } | Violation::IllegalMove { .. }, Ok(key)) => {
                batch.put_node(key, &Node::new(Origin::Game));
            }
            // Forgetting a game would count it twice when it is learned again.
            (Table::Games, ..) if key.len() == 16 => {
                let mut fingerprint = [0; 16];
                fingerprint.copy_from_slice(key);
                let learned = LearnedGame {
                    plies,
                    counted: plies.saturating_add(1),
                    game: None,
                    number: None,
                };
                recount = true;
                batch.put_game(u128::from_be_bytes(fingerprint), &learned);
            }
            (table, ..) => {
                // What the games say can be counted again.
                if matches!(table, Table::Statistics | Table::Index) {
                    recount = true;
                }
                batch.remove(table, key);
            }
        }
    })?;
    let index_follows = || -> Result<bool, StoreError> {
        Ok(!reader.is_indexed()? || wrong_parts(&reader)?.is_empty())
    };
    if recount || !statistics_follow(&reader)? || !index_follows()? {
        batch.raise(Flag::RecountDue);
    }
    batch.commit()?;
    let orphans = attach_or_remove(store)?;
    store.make_sweep_due()?;
    settle(store, watcher)?;
    Ok(Repaired { records, orphans })
}

/// Shows every record that is wrong by itself.
fn for_each_bad_record(
    reader: &Reader<'_>,
    see: &mut dyn FnMut(Table, &[u8], Violation),
) -> Result<(), StoreError> {
    let hex = |key: &[u8]| -> String { key.iter().map(|byte| format!("{byte:02x}")).collect() };
    for table in [
        Table::Nodes,
        Table::Statistics,
        Table::Counts,
        Table::Dirty,
        Table::Wanted,
        Table::Games,
        Table::Index,
    ] {
        if !reader.has(table) {
            continue;
        }
        let mut rows = reader.rows(table, None)?;
        loop {
            let (key, value) = match rows.next_row() {
                Ok(Some(row)) => row,
                Ok(None) => break,
                // All that is there follows from the games.
                Err(StoreError::Damaged { .. }) if table == Table::Index => {
                    see(table, &[], Violation::IndexFile);
                    break;
                }
                Err(error) => return Err(error),
            };
            let name = match table {
                Table::Nodes | Table::Statistics | Table::Counts => {
                    NodeKey::from_bytes(key).map(Some)
                }
                Table::Wanted => {
                    if reader.read_want(key, value).is_err() {
                        see(table, key, Violation::Want);
                    }
                    Ok(None)
                }
                Table::Dirty => {
                    if reader.read_mark(key).is_err() {
                        see(table, key, Violation::Mark);
                    }
                    Ok(None)
                }
                Table::Index => IndexKey::from_bytes(key).map(|_| None),
                Table::Games | Table::Meta => Ok(None),
            };
            let record = match (table, &name) {
                (Table::Nodes, Ok(Some(name))) => match codec::node_from_bytes(*name, value) {
                    Ok(node) => {
                        if let Some(square) = illegal_move(*name, &node) {
                            see(table, key, Violation::IllegalMove { key: *name, square });
                            continue;
                        }
                        Ok(())
                    }
                    Err(reason) => Err(reason),
                },
                (Table::Statistics | Table::Counts, _) => {
                    codec::statistics_from_bytes(value).map(drop)
                }
                (Table::Games, _) => LearnedGame::from_bytes(value).map(drop),
                (Table::Index, _) => check_index_row(key, value),
                _ => Ok(()),
            };
            let table_name = table.name();
            match (name, record) {
                (Err(reason), _) => {
                    let violation = Violation::Key {
                        table: table_name,
                        key: hex(key),
                        reason,
                    };
                    see(table, key, violation);
                }
                (_, Err(reason)) => {
                    let violation = Violation::Record {
                        table: table_name,
                        key: hex(key),
                        reason,
                    };
                    see(table, key, violation);
                }
                (Ok(Some(name)), Ok(())) if name.board().legal_moves().is_empty() => {
                    see(table, key, Violation::NobodyMoves(name));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// A row of the index can be read.
fn check_index_row(key: &[u8], value: &[u8]) -> Result<(), CodecError> {
    match IndexKey::from_bytes(key) {
        Ok(IndexKey::Number(_)) => fingerprint(value).map(drop),
        Ok(IndexKey::Facts(row)) => Row::check(row, value),
        Ok(_) => list::from_bytes(value).map(drop),
        // The key is what is wrong.
        Err(_) => Ok(()),
    }
}

/// A move that a search is said to have found, although nobody can make it.
fn illegal_move(key: NodeKey, node: &Node) -> Option<Square> {
    let named = node.alternative.and_then(|known| known.found.square());
    named.filter(|square| !key.board().legal_moves().contains(*square))
}

/// What is counted could have been counted from games.
fn statistics_follow(reader: &Reader<'_>) -> Result<bool, StoreError> {
    let mut findings = Findings::default();
    check_games_and_statistics(reader, &mut findings)?;
    Ok(findings.is_sound())
}

/// Every game is in exactly one position of each layer, until it ends.
fn check_games_and_statistics(
    reader: &Reader<'_>,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let mut games = reader.rows(Table::Games, None)?;
    while games.next_row()?.is_some() {
        findings.games += 1;
    }
    // Until they are counted anew: a batch that was killed has left what its games add.
    let sums_hold = !reader.flag(Flag::RecountDue)?;
    let mut before = findings.games;
    for layer in Layer::all() {
        let mut sum = 0;
        let mut rows = reader.rows(Table::Statistics, Some(layer))?;
        while let Some((key, value)) = rows.next_row()? {
            findings.statistics += 1;
            // What cannot be read has been reported.
            let (Ok(key), Ok(found)) = (
                NodeKey::from_bytes(key),
                codec::statistics_from_bytes(value),
            ) else {
                continue;
            };
            sum += u64::from(found.games);
            check_statistics(key, &found, findings);
        }
        if sums_hold && sum > before {
            findings.add(Violation::LayerSum {
                discs: layer.discs(),
                games: sum,
                before,
            });
        }
        if layer >= Layer::FIRST {
            before = sum;
        }
    }
    let mut counts = reader.rows(Table::Counts, None)?;
    while let Some((key, value)) = counts.next_row()? {
        if let (Ok(key), Ok(found)) = (
            NodeKey::from_bytes(key),
            codec::statistics_from_bytes(value),
        ) {
            check_statistics(key, &found, findings);
        }
    }
    Ok(())
}

fn check_statistics(key: NodeKey, found: &Statistics, findings: &mut Findings) {
    let decided = found.decided();
    if decided > u64::from(found.games) {
        let games = found.games;
        findings.add(Violation::TooManyResults {
            key,
            games,
            decided,
        });
    }
    if decided <= u64::from(found.games) && !found.is_possible() {
        findings.add(Violation::Statistics(key));
    }
}

fn check_positions(
    reader: &Reader<'_>,
    watcher: &dyn Watcher,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    type Layered = LayerTable<(Told, AtomicBool)>;
    let roots = Roots::of(reader)?;
    let report_orphans = |layer: &Layered, findings: &mut Findings| {
        for (board, (_, reached)) in layer.iter() {
            let key = NodeKey::of(*board);
            if !reached.load(Ordering::Relaxed) && !roots.contain(key) {
                findings.add(Violation::Orphan(key));
            }
        }
    };
    let mut below: Layered = LayerTable::new(Vec::new());
    let mut marked_below = HashSet::new();
    for layer in Layer::all().rev() {
        let marked = marks(reader, layer)?;
        findings.waiting += marked.len() as u64;
        let mut known = Vec::new();
        let mut rows = reader.rows(Table::Nodes, Some(layer))?;
        loop {
            let mut chunk = Vec::new();
            while chunk.len() < ROWS_AT_ONCE
                && let Some((key, value)) = rows.next_row()?
            {
                // What cannot be read has been reported.
                if let Ok(key) = NodeKey::from_bytes(key)
                    && let Ok(node) = codec::node_from_bytes(key, value)
                {
                    chunk.push((key, node));
                }
            }
            if chunk.is_empty() {
                break;
            }
            // Whoever is asked for is reached.
            let derived = derive_all(&chunk, &|child| {
                let (known, reached) = below.get(child)?;
                reached.store(true, Ordering::Relaxed);
                Some(*known)
            });
            for ((key, node), expected) in chunk.iter().zip(derived) {
                // The layer above is judged by what is stored here, right or wrong.
                let stored = node.derived.told();
                known.push((*key, (stored, AtomicBool::new(false))));
                if expected != node.derived
                    && !findings.sweep_due
                    && !marked.contains(key)
                    && !leads_to_any(*key, &marked_below)
                {
                    compare(*key, &node.derived, &expected, findings);
                }
            }
            findings.positions += chunk.len() as u64;
            watcher.done(chunk.len() as u64);
        }
        report_orphans(&below, findings);
        below = LayerTable::new(known);
        marked_below = marked;
    }
    report_orphans(&below, findings);
    Ok(())
}

fn marks(reader: &Reader<'_>, layer: Layer) -> Result<HashSet<NodeKey>, StoreError> {
    let mut marked = HashSet::new();
    let mut rows = reader.rows(Table::Dirty, Some(layer))?;
    while let Some((key, _)) = rows.next_row()? {
        if let Ok((key, ..)) = reader.read_mark(key) {
            marked.insert(key);
        }
    }
    Ok(marked)
}

fn leads_to_any(from: NodeKey, marked: &HashSet<NodeKey>) -> bool {
    let mut found = false;
    if !marked.is_empty() {
        for_each_edge(from.board(), |edge| {
            found |= matches!(edge.to, Destination::Position { key, .. } if marked.contains(&key));
        });
    }
    found
}

/// Names each number that differs.
fn compare(key: NodeKey, stored: &Derived, expected: &Derived, findings: &mut Findings) {
    type Field = (&'static str, fn(&Derived) -> String);
    fn text<T: std::fmt::Debug>(value: Option<T>) -> String {
        value.map_or_else(|| "unknown".into(), |value| format!("{value:?}"))
    }
    let fields: [Field; 5] = [
        ("the value", |d| text(d.value)),
        ("the best move", |d| text(d.best)),
        ("the lower bound", |d| d.bounds.lower.to_string()),
        ("the upper bound", |d| d.bounds.upper.to_string()),
        ("whether it is a leaf", |d| (!d.leads_on).to_string()),
    ];
    for (field, read) in fields {
        let (stored, expected) = (read(stored), read(expected));
        if stored != expected {
            findings.add(Violation::Derived {
                key,
                field,
                stored,
                expected,
            });
        }
    }
}
