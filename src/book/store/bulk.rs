//! Positions that come into a book all at once.

use super::row_files::RowFiles;
use super::{Store, StoreError, Table};
use crate::book::codec;
use crate::book::key::NodeKey;
use crate::book::node::Node;
use crate::book::statistics::Statistics;

/// Takes a position, with counts of games that are not in the book if there are any.
pub type PutPosition<'a> =
    dyn FnMut(NodeKey, &Node, Option<&Statistics>) -> Result<(), StoreError> + 'a;

impl Store {
    /// Nothing is in the book yet.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        for table in [Table::Nodes, Table::Statistics, Table::Counts, Table::Games] {
            if self.reader().rows(table, None)?.next_row()?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts in what `give` gives, in rising order of the keys: all of it, or nothing if it fails or
    /// says false, which is then said here, too.
    pub fn bulk_positions(
        &self,
        give: impl FnOnce(&mut PutPosition<'_>) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        let mut counts = RowFiles::new(self, Table::Counts)?;
        let mut nodes = RowFiles::new(self, Table::Nodes)?;
        let is_whole = give(&mut |key, node, counted| {
            let name = key.to_bytes();
            if let Some(counted) = counted {
                counts.put(&name, &codec::statistics_to_bytes(counted))?;
            }
            nodes.put(&name, codec::node_to_bytes(key, node).as_ref())
        })?;
        if is_whole {
            // The positions are handed over last: they come with all that belongs to them.
            counts.hand_over()?;
            nodes.hand_over()?;
        }
        Ok(is_whole)
    }
}
