//! A whole book in order, layer by layer: a scan is many times as fast as looking positions up.

use crate::book::edge::{Edge, for_each_edge_with};
use crate::book::key::{Layer, NodeKey};
use crate::book::layer_table::LayerTable;
use crate::book::node::{Derived, Node};
use crate::book::statistics::Statistics;
use crate::book::store::{Reader, Rows, StoreError, Table};
use crate::othello::kernel::{Job, Kernel, dispatch};
use rayon::prelude::*;

/// A position with what people did there.
#[derive(Clone, Copy, Debug)]
pub struct Scanned {
    pub key: NodeKey,
    pub node: Node,
    pub counted: Option<Statistics>,
}

/// The positions of one layer, in order.
pub fn layer(
    reader: &Reader<'_>,
    layer: Layer,
    statistics: bool,
) -> Result<Vec<Scanned>, StoreError> {
    LayerScan::new(reader, layer, statistics)?.next_chunk(usize::MAX)
}

/// The positions of one layer, some at a time.
pub struct LayerScan<'a> {
    rows: Rows<'a>,
    /// What people did there in the games of the book, and in files.
    counts: Option<[Counts<'a>; 2]>,
}

impl<'a> LayerScan<'a> {
    pub fn new(
        reader: &'a Reader<'_>,
        layer: Layer,
        statistics: bool,
    ) -> Result<LayerScan<'a>, StoreError> {
        let counts = match statistics {
            true => Some([
                Counts::new(reader, Table::Statistics, layer)?,
                Counts::new(reader, Table::Counts, layer)?,
            ]),
            false => None,
        };
        let rows = reader.rows(Table::Nodes, Some(layer))?;
        Ok(LayerScan { rows, counts })
    }

    pub fn next(&mut self) -> Result<Option<Scanned>, StoreError> {
        let Some((key, node)) = self.rows.next_node()? else {
            return Ok(None);
        };
        let counted = match &mut self.counts {
            Some([learned, told]) => Statistics::better_known(learned.at(key)?, told.at(key)?),
            None => None,
        };
        Ok(Some(Scanned { key, node, counted }))
    }

    /// Up to so many, in order; none after the last.
    pub fn next_chunk(&mut self, most: usize) -> Result<Vec<Scanned>, StoreError> {
        let mut chunk = Vec::new();
        while chunk.len() < most
            && let Some(row) = self.next()?
        {
            chunk.push(row);
        }
        Ok(chunk)
    }
}

/// The keys of one layer, in order.
pub fn keys_of(reader: &Reader<'_>, layer: Layer) -> Result<Vec<NodeKey>, StoreError> {
    let mut keys = Vec::new();
    let mut rows = reader.rows(Table::Nodes, Some(layer))?;
    while let Some(key) = rows.next_key()? {
        keys.push(key);
    }
    Ok(keys)
}

/// Statistics beside positions: both are in order.
pub struct Counts<'a> {
    rows: Rows<'a>,
    ahead: Option<(NodeKey, Statistics)>,
}

impl<'a> Counts<'a> {
    pub fn new(
        reader: &'a Reader<'_>,
        table: Table,
        layer: Layer,
    ) -> Result<Counts<'a>, StoreError> {
        let mut rows = reader.rows(table, Some(layer))?;
        let ahead = rows.next_statistics()?;
        Ok(Counts { rows, ahead })
    }

    /// Asked with rising keys.
    pub fn at(&mut self, key: NodeKey) -> Result<Option<Statistics>, StoreError> {
        while self.ahead.is_some_and(|(ahead, _)| ahead < key) {
            self.ahead = self.rows.next_statistics()?;
        }
        let here = self.ahead.filter(|(ahead, _)| *ahead == key);
        Ok(here.map(|(_, found)| found))
    }
}

/// A legal move, and what is known of the position that it leads to.
pub struct Link<T = Derived> {
    pub edge: Edge,
    /// None if the book does not have it, or the game is over.
    pub below: Option<T>,
}

/// What the book derived for the positions below a layer.
pub type LayerBelow = LayerTable<Derived>;

pub fn below_of(rows: &[Scanned]) -> LayerBelow {
    LayerTable::new(rows.iter().map(|row| (row.key, row.node.derived)).collect())
}

const ROWS_PER_JOB: usize = 512;

/// Makes something of every position and its moves, on all cores, in order.
pub fn map_with_links<T: Copy + Sync, M: Send>(
    rows: &[Scanned],
    below: &LayerTable<T>,
    make: impl Fn(&Scanned, &[Link<T>]) -> M + Sync,
) -> Vec<M> {
    struct Links<'a, T, F>(&'a [Scanned], &'a LayerTable<T>, &'a F);
    impl<T: Copy, M, F: Fn(&Scanned, &[Link<T>]) -> M> Job for Links<'_, T, F> {
        type Output = Vec<M>;

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) -> Vec<M> {
            let Links(rows, below, make) = self;
            let mut links = Vec::new();
            let mut made = Vec::with_capacity(rows.len());
            for row in rows {
                links.clear();
                for_each_edge_with(kernel, row.key.board(), |edge| {
                    let below = edge.child().and_then(|key| below.get(key).copied());
                    links.push(Link { edge, below });
                });
                made.push(make(row, &links));
            }
            made
        }
    }
    rows.par_chunks(ROWS_PER_JOB)
        .flat_map_iter(|rows| dispatch(Links(rows, below, &make)))
        .collect()
}

/// The moves into the book; of those of a symmetric board that lead to one position, the first.
pub fn into_the_book<T>(links: &[Link<T>]) -> impl Iterator<Item = &Link<T>> {
    let leads_elsewhere = |place: usize, link: &Link<T>| {
        let before = links.get(..place).unwrap_or_default();
        before
            .iter()
            .all(|other| other.edge.child() != link.edge.child())
    };
    let numbered = links.iter().enumerate();
    numbered
        .filter(move |(place, link)| link.below.is_some() && leads_elsewhere(*place, link))
        .map(|(_, link)| link)
}
