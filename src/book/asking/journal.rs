//! Who said what during a run. Answers from elsewhere are written down beside what they changed, so
//! that what somebody said who turns out to be wrong can be taken back, with all that followed from
//! it, and is asked again.
//!
//! One row for each position that was answered: how it was before the run, how it is now, and who
//! had a part in that. What follows from a position lies above it, so taking back restores the
//! positions that were answered wrongly and every answered one from which they can be reached: what
//! was asked there may have been asked because of them.

use super::want::{Errand, Want};
use crate::book::codec::{self, CodecError};
use crate::book::key::NodeKey;
use crate::book::node::Node;
use crate::book::parents::ParentFinder;
use crate::book::store::{Batch, Mark, Reader, Store, StoreError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Whoever answered, by a name of at most 255 bytes.
pub type Witness = Arc<str>;

/// What happened to one position during a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// How the position was before its first answer.
    pub before: Node,
    /// How the last answer left it.
    pub after: Node,
    /// Who answered, one or more.
    pub by: Vec<Witness>,
    /// What was wanted of it. Where it was asked because its value had dropped, nothing was: how it
    /// was before tells that it drops again.
    pub wants: Vec<Want>,
}

impl Entry {
    pub fn to_bytes(&self, key: NodeKey) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(128);
        for node in [&self.before, &self.after] {
            let record = codec::node_to_bytes(key, node);
            let record: &[u8] = record.as_ref();
            bytes.push(record.len() as u8);
            bytes.extend(record);
        }
        bytes.push(self.wants.len() as u8);
        for want in &self.wants {
            bytes.extend(want.errand.to_bytes());
            bytes.extend(want.to_bytes());
        }
        for name in &self.by {
            bytes.push(name.len() as u8);
            bytes.extend(name.as_bytes());
        }
        bytes
    }

    pub fn from_bytes(key: NodeKey, bytes: &[u8]) -> Result<Entry, CodecError> {
        let mut rest = Rest(bytes);
        let mut node = || -> Result<Node, CodecError> {
            let length = rest.byte()?;
            codec::node_from_bytes(key, rest.take(length.into())?)
        };
        let (before, after) = (node()?, node()?);
        let count = rest.byte()?;
        let mut wants = Vec::new();
        for _ in 0..count {
            let errand = rest.array::<{ Errand::BYTES }>()?;
            let errand = Errand::from_bytes(errand).ok_or(CodecError::Field {
                field: "errand",
                found: errand[0].into(),
            })?;
            wants.push(Want::from_bytes(errand, rest.array()?));
        }
        let mut by = Vec::new();
        while !rest.0.is_empty() {
            let length = rest.byte()?;
            let name = String::from_utf8_lossy(rest.take(length.into())?);
            by.push(Witness::from(&*name));
        }
        Ok(Entry {
            before,
            after,
            by,
            wants,
        })
    }
}

/// Bytes that are still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], CodecError> {
        let (front, back) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| CodecError::Other("the record ends too soon".to_owned()))?;
        self.0 = back;
        Ok(front)
    }

    fn byte(&mut self) -> Result<u8, CodecError> {
        Ok(self.array::<1>()?[0])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
}

/// An answer, for the journal.
pub(in crate::book) struct Testimony<'a> {
    /// For whose work it was asked.
    pub errand: Errand,
    pub key: NodeKey,
    pub by: &'a Witness,
    /// With what followed for it before it was asked.
    pub before: Node,
    pub after: Node,
    pub wants: &'a [Want],
}

/// Writes an answer down, in the batch that applies it.
pub(in crate::book) fn note(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    testimony: Testimony<'_>,
) -> Result<(), StoreError> {
    let Testimony {
        errand, key, by, ..
    } = testimony;
    // What was answered before in this run keeps its beginning.
    let earlier = reader.journal_entry(errand, key)?;
    let mut entry = earlier.unwrap_or_else(|| Entry {
        before: testimony.before,
        after: testimony.after,
        by: Vec::new(),
        wants: Vec::new(),
    });
    entry.after = testimony.after;
    if !entry.by.contains(by) {
        entry.by.push(by.clone());
    }
    for want in testimony.wants {
        entry.wants.retain(|known| known.errand != want.errand);
        entry.wants.push(*want);
    }
    batch.put_journal_entry(errand, key, &entry);
    Ok(())
}

/// Takes back what these witnesses said and all that may have followed from it: the positions are as
/// they were before the run, and wanted again. Gives their number.
pub(in crate::book) fn take_back(store: &Store, liars: &[Witness]) -> Result<u64, StoreError> {
    let reader = store.reader();
    let mut errands: BTreeSet<Errand> = BTreeSet::new();
    let mut tainted: BTreeSet<NodeKey> = BTreeSet::new();
    reader.for_each_journal_entry(|errand, key, entry| {
        errands.insert(errand);
        if entry.by.iter().any(|by| liars.contains(by)) {
            tainted.insert(key);
        }
    })?;
    // Keys begin with the disc count: from the end is from the fullest layer up.
    let mut finder = ParentFinder::new(&reader)?;
    let mut affected = Vec::new();
    while let Some(key) = tainted.pop_last() {
        tainted.extend(finder.find(key)?);
        for &errand in &errands {
            if reader.journal_entry(errand, key)?.is_some() {
                affected.push((errand, key));
            }
        }
    }
    let mut count = 0;
    // The emptiest first: the witnesses' own rows, by which all of this is found, go last, so that
    // a kill on the way has it done again.
    for chunk in affected.rchunks(1 << 12) {
        let mut batch = store.batch()?;
        for &(errand, key) in chunk.iter().rev() {
            count += u64::from(restore(&reader, &mut batch, errand, key)?);
        }
        batch.commit()?;
    }
    Ok(count)
}

/// True unless somebody else has changed the position since.
fn restore(
    reader: &Reader<'_>,
    batch: &mut Batch<'_>,
    errand: Errand,
    key: NodeKey,
) -> Result<bool, StoreError> {
    let entry = reader.journal_entry(errand, key)?;
    let (Some(entry), Some(now)) = (entry, reader.node(key)?) else {
        return Ok(false);
    };
    batch.remove_journal_entry(errand, key);
    let said = |node: &Node| (node.evaluation, node.alternative);
    if said(&now) != said(&entry.after) {
        return Ok(false);
    }
    // With what followed then: whoever looks at it next sees a drop where there is one.
    let node = Node {
        evaluation: entry.before.evaluation,
        alternative: entry.before.alternative,
        derived: entry.before.derived,
        ..now
    };
    batch.put_node(key, &node);
    batch.mark(key, Mark::Changed, Some(errand));
    for want in &entry.wants {
        batch.want(key, *want);
        batch.mark(key, Mark::Changed, Some(want.errand));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::super::want::{Cause, Wanted};
    use super::*;
    use crate::book::node::{EngineNumber, Evaluation, Level, Origin, Value};
    use crate::othello::{Board, Square};

    fn searched(centidiscs: i32) -> Node {
        let mut node = Node::new(Origin::Game);
        node.evaluation = Value::new(centidiscs).map(|value| Evaluation {
            value,
            level: Level {
                depth: 4,
                selectivity: 91,
                solved: false,
            },
            engine: EngineNumber(1),
        });
        node
    }

    fn want(level: u8) -> Want {
        Want {
            what: Wanted::Beside(7),
            ..Want::of(Errand::new(Cause::Build, level).unwrap())
        }
    }

    /// The start and a line of positions after it.
    fn line(moves: &[&str]) -> Vec<NodeKey> {
        let mut board = Board::START;
        let mut keys = vec![NodeKey::of(board)];
        for name in moves {
            board = board.play(name.parse::<Square>().unwrap()).unwrap();
            keys.push(NodeKey::of(board));
        }
        keys
    }

    fn noted(
        reader: &Reader<'_>,
        batch: &mut Batch<'_>,
        key: NodeKey,
        by: &str,
        [before, after]: [Node; 2],
        wants: &[Want],
    ) {
        let by = &Witness::from(by);
        let errand = Errand::new(Cause::Build, 8).unwrap();
        let one = Testimony {
            errand,
            key,
            by,
            before,
            after,
            wants,
        };
        note(reader, batch, one).unwrap();
    }

    #[test]
    fn entries_are_read_as_they_were_written_and_damaged_ones_refused() {
        let key = NodeKey::of(Board::START);
        let entry = Entry {
            before: Node::new(Origin::Game),
            after: searched(150),
            by: vec!["north-1".into(), "south".into()],
            wants: vec![want(8), want(12)],
        };
        let bytes = entry.to_bytes(key);
        assert_eq!(Entry::from_bytes(key, &bytes), Ok(entry));
        for length in 0..bytes.len() - "south".len() - 1 {
            let cut = Entry::from_bytes(key, &bytes[..length]);
            assert!(cut.is_err() || cut.unwrap().by.len() < 2);
        }
    }

    #[test]
    fn what_a_liar_said_is_taken_back_with_what_was_answered_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(&folder.path().join("b")).unwrap();
        let [start, first, second, third] = line(&["f5", "d6", "c3"]).try_into().unwrap();
        let other = line(&["f5", "f6"])[2];
        let answers = [
            (third, "honest"),
            (second, "liar"),
            (first, "honest"),
            (other, "honest"),
        ];
        let mut batch = store.batch().unwrap();
        for key in [start, first, second, third, other] {
            batch.put_node(key, &Node::new(Origin::Game));
        }
        batch.commit().unwrap();
        for (key, by) in answers {
            let reader = store.reader();
            let mut batch = store.batch().unwrap();
            let (before, after) = (reader.node(key).unwrap().unwrap(), searched(100));
            batch.put_node(key, &after);
            noted(&reader, &mut batch, key, by, [before, after], &[want(8)]);
            batch.commit().unwrap();
        }
        assert_eq!(take_back(&store, &["nobody".into()]).unwrap(), 0);
        assert_eq!(take_back(&store, &["liar".into()]).unwrap(), 2);
        let reader = store.reader();
        let value = |key| reader.node(key).unwrap().unwrap().evaluation.is_some();
        let found = [start, first, second, third, other].map(value);
        assert_eq!(found, [false, false, false, true, true]);
        let wanted = [start, first, second, third, other].map(|key| reader.wants(key).unwrap());
        assert_eq!(wanted.map(|wants| wants.len()), [0, 1, 1, 0, 0]);
        // Once is enough.
        assert_eq!(take_back(&store, &["liar".into()]).unwrap(), 0);
    }

    #[test]
    fn what_was_searched_again_since_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(&folder.path().join("b")).unwrap();
        let key = NodeKey::of(Board::START);
        let (before, after) = (Node::new(Origin::Game), searched(100));
        let mut batch = store.batch().unwrap();
        batch.put_node(key, &searched(250));
        noted(
            &store.reader(),
            &mut batch,
            key,
            "liar",
            [before, after],
            &[],
        );
        batch.commit().unwrap();
        assert_eq!(take_back(&store, &["liar".into()]).unwrap(), 0);
        let kept = store.reader().node(key).unwrap();
        assert_eq!(kept, Some(searched(250)));
    }

    #[test]
    fn a_position_that_is_answered_twice_keeps_how_it_was_before_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(&folder.path().join("b")).unwrap();
        let key = NodeKey::of(Board::START);
        let steps = [Node::new(Origin::Game), searched(100), searched(200)];
        for (pair, by) in steps.windows(2).zip(["honest", "liar"]) {
            let mut batch = store.batch().unwrap();
            batch.put_node(key, &pair[1]);
            noted(
                &store.reader(),
                &mut batch,
                key,
                by,
                [pair[0], pair[1]],
                &[],
            );
            batch.commit().unwrap();
        }
        assert_eq!(take_back(&store, &["liar".into()]).unwrap(), 1);
        assert_eq!(store.reader().node(key).unwrap(), Some(steps[0]));
    }
}
