//! Which positions are due: those that are marked in the queue, and those of which an errand wants
//! something. Read layer by layer, in the order of keys.

use crate::book::journal::Witness;
use crate::book::key::{Layer, NodeKey};
use crate::book::shadow::Shadow;
use crate::book::store::{Mark, Reader, Rows, StoreError, Table};
use crate::book::want::{Errand, Want};

/// A position of the queue, or one of which something is wanted.
#[derive(Clone, Debug)]
pub struct Visit {
    pub key: NodeKey,
    pub marks: Vec<(Mark, Option<Errand>)>,
    /// What the desk's errand wants.
    pub want: Option<Want>,
    /// Who answered it, if somebody elsewhere did.
    pub by: Option<Witness>,
}

impl Visit {
    pub fn at(key: NodeKey) -> Visit {
        Visit {
            key,
            marks: Vec::new(),
            want: None,
            by: None,
        }
    }

    /// As the database has it now; none if there is nothing to do.
    pub fn read(
        reader: &Reader<'_>,
        key: NodeKey,
        errand: Errand,
    ) -> Result<Option<Visit>, StoreError> {
        let wants = reader.wants(key)?;
        let visit = Visit {
            marks: reader.marks(key)?,
            want: wants.into_iter().find(|want| want.errand == errand),
            ..Visit::at(key)
        };
        Ok((!visit.marks.is_empty() || visit.want.is_some()).then_some(visit))
    }

    pub fn is_new(&self) -> bool {
        self.marks.iter().any(|(mark, _)| *mark == Mark::New)
    }

    /// For whose work it is visited.
    pub fn errands(&self) -> Vec<Errand> {
        let mut errands: Vec<Errand> = self
            .marks
            .iter()
            .filter_map(|(_, errand)| *errand)
            .collect();
        errands.extend(self.want.map(|want| want.errand));
        errands.sort_unstable();
        errands.dedup();
        errands
    }
}

/// The visits that one layer needs, in the order of keys. Work on a layer only adds marks to the
/// layer above.
pub struct Visits<'a> {
    reader: &'a Reader<'a>,
    marks: Rows<'a>,
    next_mark: Option<(NodeKey, Mark, Option<Errand>)>,
    /// The wants of one errand.
    wants: Option<(Errand, Rows<'a>)>,
    next_want: Option<(NodeKey, Want)>,
}

impl<'a> Visits<'a> {
    pub fn new(
        reader: &'a Reader<'a>,
        layer: Layer,
        errand: Option<Errand>,
    ) -> Result<Visits<'a>, StoreError> {
        let wants = match errand {
            Some(errand) => Some((errand, reader.rows(Table::Wanted, Some(layer))?)),
            None => None,
        };
        let mut visits = Visits {
            reader,
            marks: reader.rows(Table::Dirty, Some(layer))?,
            next_mark: None,
            wants,
            next_want: None,
        };
        visits.read_mark()?;
        visits.read_want()?;
        Ok(visits)
    }

    fn read_mark(&mut self) -> Result<(), StoreError> {
        self.next_mark = match self.marks.next_row()? {
            Some((key, _)) => Some(self.reader.read_mark(key)?),
            None => None,
        };
        Ok(())
    }

    fn read_want(&mut self) -> Result<(), StoreError> {
        self.next_want = None;
        if let Some((errand, rows)) = &mut self.wants {
            while let Some((key, want)) = rows.next_want()? {
                if want.errand == *errand {
                    self.next_want = Some((key, want));
                    break;
                }
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Visit>, StoreError> {
        let marked = self.next_mark.as_ref().map(|(key, ..)| *key);
        let wanted = self.next_want.as_ref().map(|(key, _)| *key);
        let Some(key) = marked.into_iter().chain(wanted).min() else {
            return Ok(None);
        };
        let mut visit = Visit::at(key);
        while let Some((marked, mark, errand)) = self.next_mark
            && marked == key
        {
            visit.marks.push((mark, errand));
            self.read_mark()?;
        }
        if let Some((wanted, want)) = self.next_want
            && wanted == key
        {
            visit.want = Some(want);
            self.read_want()?;
        }
        Ok(Some(visit))
    }

    /// What has to wait keeps its marks and wants: it is read again when it is visited.
    pub fn next_chunk(
        &mut self,
        at_once: usize,
        shadow: &Shadow,
    ) -> Result<Vec<Visit>, StoreError> {
        let mut chunk = Vec::new();
        while chunk.len() < at_once
            && let Some(visit) = self.next()?
        {
            if !shadow.covers(visit.key) {
                chunk.push(visit);
            }
        }
        Ok(chunk)
    }
}
