//! What a book remembers about itself: flags, its name, engines, what is under way.

use super::tables::{
    ENGINE_PREFIX, FORGOTTEN_PREFIX, IDENTITY_KEY, JOURNAL_PREFIX, NOTE_KEY, PROFILE_KEY,
    RECOUNT_PREFIX, TRIM_KEY, journal_key, memo_key,
};
use super::{BookId, Flag, Forgotten, Reader, State, StoreError, Table};
use crate::book::codec::{self, CodecError, Profile};
use crate::book::engine::Engines;
use crate::book::journal::Entry;
use crate::book::key::NodeKey;
use crate::book::note::Note;
use crate::book::want::Errand;
use std::sync::{Mutex, PoisonError};

/// The last state of which somebody asked whether it is settled, and the answer.
#[derive(Default)]
pub(super) struct SettledAt(Mutex<Option<(State, bool)>>);

impl Reader<'_> {
    pub fn flag(&self, flag: Flag) -> Result<bool, StoreError> {
        Ok(self.get(Table::Meta, flag.key())?.is_some())
    }

    /// The errand for which a sweep is due, if it is due for one.
    pub fn sweep_errand(&self) -> Result<Option<Errand>, StoreError> {
        let bytes = self.get(Table::Meta, Flag::SweepDue.key())?;
        Ok(bytes.and_then(|bytes| Errand::from_bytes(*bytes.get(1..)?.first_chunk()?)))
    }

    pub fn identity(&self) -> Result<Option<BookId>, StoreError> {
        let bytes = self.get(Table::Meta, IDENTITY_KEY)?;
        Ok(bytes.and_then(|bytes| Some(BookId(u128::from_be_bytes(*bytes.first_chunk()?)))))
    }

    /// The games that are to be counted again.
    pub fn games_to_recount(&self) -> Result<Vec<u128>, StoreError> {
        let mut games = Vec::new();
        self.for_each_about(RECOUNT_PREFIX, |name, _| {
            let name = name.try_into().ok();
            games.extend(name.map(u128::from_be_bytes));
            Ok(())
        })?;
        Ok(games)
    }

    /// Shows what the book remembers under keys that begin like this, without that beginning.
    fn for_each_about(
        &self,
        prefix: &[u8],
        mut show: impl FnMut(&[u8], &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut options = self.options();
        options.set_iterate_range(rocksdb::PrefixRange(prefix));
        let family = self.family(Table::Meta)?;
        let mut iterator = self.view.raw_iterator_cf_opt(family, options);
        iterator.seek_to_first();
        while let Some((key, value)) = iterator.item() {
            show(&key[prefix.len()..], value)?;
            iterator.next();
        }
        iterator
            .status()
            .map_err(|problem| self.store.error(&problem))
    }

    /// What answers from elsewhere made of a position in an errand's run.
    pub fn journal_entry(&self, errand: Errand, key: NodeKey) -> Result<Option<Entry>, StoreError> {
        let name = journal_key(errand, key);
        self.get(Table::Meta, &name)?
            .map(|bytes| Entry::from_bytes(key, &bytes))
            .transpose()
            .map_err(|reason| self.store.record_error(Table::Meta, &name, reason))
    }

    /// Shows all positions that were answered from elsewhere in runs that are not over.
    pub fn for_each_journal_entry(
        &self,
        mut show: impl FnMut(Errand, NodeKey, Entry),
    ) -> Result<(), StoreError> {
        self.for_each_about(JOURNAL_PREFIX, |name, bytes| {
            let error = |reason| self.store.record_error(Table::Meta, name, reason);
            let wrong = || CodecError::Other("it is no row of the journal".into());
            let (errand, key) = name.split_first_chunk().ok_or_else(|| error(wrong()))?;
            let errand = Errand::from_bytes(*errand).ok_or_else(|| error(wrong()))?;
            let key = NodeKey::from_bytes(key)
                .map_err(|reason| self.store.record_error(Table::Meta, name, reason))?;
            show(errand, key, Entry::from_bytes(key, bytes).map_err(error)?);
            Ok(())
        })
    }

    /// The engines that this book's values come from.
    pub fn engines(&self) -> Result<Engines, StoreError> {
        let mut names = Vec::new();
        for number in 1..=u8::MAX {
            let key = [ENGINE_PREFIX, &[number]].concat();
            match self.get(Table::Meta, &key)? {
                Some(bytes) => names.push(String::from_utf8_lossy(&bytes).into_owned()),
                None => break,
            }
        }
        Ok(Engines::of_names(names))
    }

    /// What a trim that is under way takes out, as it said itself.
    pub fn trim(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.get(Table::Meta, TRIM_KEY)?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    /// Something was taken out of the book, and what follows from that is not settled yet.
    pub fn is_being_forgotten(&self, what: Forgotten) -> Result<bool, StoreError> {
        Ok(self.get(Table::Meta, &what.key())?.is_some())
    }

    /// Of anything.
    pub fn is_anything_being_forgotten(&self) -> Result<bool, StoreError> {
        let mut found = false;
        self.for_each_about(FORGOTTEN_PREFIX, |_, _| {
            found = true;
            Ok(())
        })?;
        Ok(found)
    }

    /// What an errand kept for after an interruption.
    pub fn memo(&self, errand: Errand) -> Result<Option<Vec<u8>>, StoreError> {
        let bytes = self.get(Table::Meta, &memo_key(errand))?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    pub fn profile(&self) -> Result<Option<Profile>, StoreError> {
        self.get(Table::Meta, PROFILE_KEY)?
            .map(|bytes| codec::profile_from_bytes(&bytes))
            .transpose()
            .map_err(|reason| self.store.record_error(Table::Meta, PROFILE_KEY, reason))
    }

    /// What somebody wrote about the book.
    pub fn note(&self) -> Result<Option<Note>, StoreError> {
        let Some(bytes) = self.get(Table::Meta, NOTE_KEY)? else {
            return Ok(None);
        };
        let note = std::str::from_utf8(&bytes)
            .ok()
            .and_then(|text| Note::new(text).ok());
        note.ok_or_else(|| {
            let reason = CodecError::Other("it is no text that a note can be".into());
            self.store.record_error(Table::Meta, NOTE_KEY, reason)
        })
    }

    /// No change waits to be carried up.
    pub fn is_settled(&self) -> Result<bool, StoreError> {
        let SettledAt(known) = &self.store.settled;
        let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
        // The end of a queue that was worked off takes long to find.
        if let (Some(state), Some((at, settled))) = (self.state(), *known())
            && state == at
        {
            return Ok(settled);
        }
        let settled = !self.flag(Flag::SweepDue)? && self.fullest_dirty_layer()?.is_none();
        if let Some(state) = self.state() {
            *known() = Some((state, settled));
        }
        Ok(settled)
    }
}
