//! A whole book in order, layer by layer: a scan is many times as fast as looking positions up.

use crate::book::edge::{Destination, Edge, for_each_edge_with};
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
    let mut counts = if statistics {
        Some([
            Counts::new(reader, Table::Statistics, layer)?,
            Counts::new(reader, Table::Counts, layer)?,
        ])
    } else {
        None
    };
    let mut rows = reader.rows(Table::Nodes, Some(layer))?;
    let mut all = Vec::new();
    while let Some((key, node)) = rows.next_node()? {
        let counted = match &mut counts {
            Some([learned, told]) => Statistics::better_known(learned.at(key)?, told.at(key)?),
            None => None,
        };
        all.push(Scanned { key, node, counted });
    }
    Ok(all)
}

/// How many positions a book has, counted.
pub fn count(reader: &Reader<'_>) -> Result<u64, StoreError> {
    let mut rows = reader.rows(Table::Nodes, None)?;
    let mut positions = 0;
    while rows.next_row()?.is_some() {
        positions += 1;
    }
    Ok(positions)
}

/// Statistics beside positions: both are in order.
struct Counts<'a> {
    rows: Rows<'a>,
    ahead: Option<(NodeKey, Statistics)>,
}

impl<'a> Counts<'a> {
    fn new(reader: &'a Reader<'_>, table: Table, layer: Layer) -> Result<Counts<'a>, StoreError> {
        let mut rows = reader.rows(table, Some(layer))?;
        let ahead = rows.next_statistics()?;
        Ok(Counts { rows, ahead })
    }

    /// Asked with rising keys.
    fn at(&mut self, key: NodeKey) -> Result<Option<Statistics>, StoreError> {
        while self.ahead.is_some_and(|(ahead, _)| ahead < key) {
            self.ahead = self.rows.next_statistics()?;
        }
        let here = self.ahead.filter(|(ahead, _)| *ahead == key);
        Ok(here.map(|(_, found)| found))
    }
}

/// A legal move, and what the book derived for the position that it leads to.
pub struct Link {
    pub edge: Edge,
    /// None if the book does not have it, or the game is over.
    pub below: Option<Derived>,
}

/// What is known below a layer.
pub type Below = LayerTable<Derived>;

pub fn below_of(rows: &[Scanned]) -> Below {
    LayerTable::new(rows.iter().map(|row| (row.key, row.node.derived)).collect())
}

const ROWS_PER_JOB: usize = 512;

/// Makes something of every position and its moves, on all cores, in order.
pub fn map_with_links<T: Send>(
    rows: &[Scanned],
    below: &Below,
    make: impl Fn(&Scanned, &[Link]) -> T + Sync,
) -> Vec<T> {
    struct Links<'a, F>(&'a [Scanned], &'a Below, &'a F);
    impl<T, F: Fn(&Scanned, &[Link]) -> T> Job for Links<'_, F> {
        type Output = Vec<T>;

        #[inline(always)]
        fn run<K: Kernel>(self, kernel: K) -> Vec<T> {
            let Links(rows, below, make) = self;
            let mut links = Vec::new();
            let mut made = Vec::with_capacity(rows.len());
            for row in rows {
                links.clear();
                for_each_edge_with(kernel, row.key.board(), |edge| {
                    let below = match edge.to {
                        Destination::Position { key, .. } => below.get(key).copied(),
                        Destination::End(_) => None,
                    };
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
