//! For which errands something is to be done at the positions of a layer: what a sweep has to know
//! beside the records.

use crate::book::desk::Desk;
use crate::book::key::{Layer, NodeKey};
use crate::book::store::{Reader, StoreError, Table};
use crate::book::want::{Errand, Want};
use std::collections::HashMap;

/// The errands for which something is to be done, by position.
#[derive(Default)]
pub struct Due {
    pub wants: HashMap<NodeKey, Want>,
    /// Wants of others that whoever answers everything fulfils.
    pub others: HashMap<NodeKey, Vec<Want>>,
    pub marks: HashMap<NodeKey, Vec<Errand>>,
}

impl Due {
    pub fn read(
        reader: &Reader<'_>,
        layer: Layer,
        desk: Option<&Desk<'_>>,
    ) -> Result<Due, StoreError> {
        let mut due = Due::default();
        let mut marks = reader.rows(Table::Dirty, Some(layer))?;
        while let Some((key, _)) = marks.next_row()? {
            let (key, _, errand) = reader.read_mark(key)?;
            due.add_mark(key, errand);
        }
        if let Some(desk) = desk {
            let mut wants = reader.rows(Table::Wanted, Some(layer))?;
            while let Some((key, want)) = wants.next_want()? {
                due.add_want(key, want, desk);
            }
        }
        Ok(due)
    }

    pub fn read_some(
        reader: &Reader<'_>,
        keys: &[NodeKey],
        desk: &Desk<'_>,
    ) -> Result<Due, StoreError> {
        let mut due = Due::default();
        for &key in keys {
            for (_, errand) in reader.marks(key)? {
                due.add_mark(key, errand);
            }
            for want in reader.wants(key)? {
                due.add_want(key, want, desk);
            }
        }
        Ok(due)
    }

    fn add_mark(&mut self, key: NodeKey, errand: Option<Errand>) {
        if let Some(errand) = errand {
            self.marks.entry(key).or_default().push(errand);
        }
    }

    fn add_want(&mut self, key: NodeKey, want: Want, desk: &Desk<'_>) {
        if want.errand == desk.errand() {
            self.wants.insert(key, want);
        } else if desk.wants_everything() {
            // Whoever answers everything answers what others want, as hard as they do.
            let own = self.wants.entry(key).or_insert(Want::of(desk.errand()));
            own.level = own.level.max(want.level);
            self.others.entry(key).or_default().push(want);
        }
    }
}
