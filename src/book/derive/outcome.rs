//! What a visit of one position comes to: it is asked, or it is settled and its parents hear of it.

use crate::book::desk::{Answered, Desk};
use crate::book::family::Family;
use crate::book::key::NodeKey;
use crate::book::node::{EngineNumber, Node};
use crate::book::parents::ParentFinder;
use crate::book::question::MovesQuestion;
use crate::book::shadow::Shadow;
use crate::book::store::{Batch, Mark, Reader, StoreError};
use crate::book::visits::Visit;
use crate::book::want::{Errand, Want};
use crate::book::wanted::has_dropped;

/// What a visit came to.
pub enum Outcome {
    /// The position is not in the book: a repair or a trim took it out.
    Gone,
    Ask(MovesQuestion),
    Settled(Change),
    /// An answer that no longer says what is wanted.
    Outdated,
}

/// A position that was recomputed.
pub struct Change {
    pub before: Node,
    pub after: Node,
    /// The errands that want it searched now because its best value dropped.
    pub dropped_for: Vec<Errand>,
    /// What cannot be asked yet.
    pub still_wanted: Option<Want>,
    /// Who has to be told.
    pub parents: Vec<NodeKey>,
}

/// Writes a change, and marks those who have to be told.
pub fn put(batch: &mut Batch<'_>, visit: &Visit, change: &Change) {
    if change.after != change.before {
        batch.put_node(visit.key, &change.after);
    }
    for errand in &change.dropped_for {
        batch.want(visit.key, Want::of(*errand));
    }
    let errands = visit.errands();
    for parent in &change.parents {
        if errands.is_empty() {
            batch.mark(*parent, Mark::Changed, None);
        }
        for errand in &errands {
            batch.mark(*parent, Mark::Changed, Some(*errand));
        }
    }
}

/// Recomputes one position, or tells what it is to be asked.
pub fn examine(
    reader: &Reader<'_>,
    finder: &mut ParentFinder<'_>,
    asker: Option<(&Desk<'_>, &Shadow)>,
    visit: &Visit,
) -> Result<Outcome, StoreError> {
    let Some(before) = reader.node(visit.key)? else {
        return Ok(Outcome::Gone);
    };
    let family = Family::read(reader, visit.key)?;
    let mut dropped_for = visit.errands();
    if !has_dropped(&family, &before, &before.derived) {
        dropped_for.clear();
    }
    let mut still_wanted = None;
    if let Some((desk, shadow)) = asker {
        let own = desk.errand();
        let want = visit
            .want
            .or(dropped_for.contains(&own).then(|| Want::of(own)));
        if let Some(question) = want.and_then(|want| desk.question_of(&family, &before, &want)) {
            if !shadow.is_blocked(visit.key) {
                return Ok(Outcome::Ask(question));
            }
            still_wanted = want;
        }
        dropped_for.retain(|errand| *errand != own);
    }
    let after = Node {
        derived: family.derive(&before),
        ..before
    };
    let change = change(finder, visit, before, after, dropped_for)?;
    Ok(Outcome::Settled(Change {
        still_wanted,
        ..change
    }))
}

/// Applies an answer to a position as it is now.
pub fn applied(
    reader: &Reader<'_>,
    finder: &mut ParentFinder<'_>,
    visit: &Visit,
    answer: &Answered,
    engine: EngineNumber,
) -> Result<Outcome, StoreError> {
    let question = &answer.question;
    let Some(before) = reader.node(visit.key)? else {
        return Ok(Outcome::Gone);
    };
    let family = Family::read(reader, visit.key)?;
    if !question.fits(&family) {
        return Ok(Outcome::Outdated);
    }
    let mut after = before;
    question.answered(&mut after, &answer.best, engine);
    after.derived = family.derive(&after);
    Ok(Outcome::Settled(change(
        finder,
        visit,
        before,
        after,
        Vec::new(),
    )?))
}

/// Its parents hear of a change only if it is new to them.
fn change(
    finder: &mut ParentFinder<'_>,
    visit: &Visit,
    before: Node,
    after: Node,
    dropped_for: Vec<Errand>,
) -> Result<Change, StoreError> {
    let parents = if after.derived.told() != before.derived.told() || visit.is_new() {
        finder.find(visit.key)?
    } else {
        Vec::new()
    };
    Ok(Change {
        before,
        after,
        dropped_for,
        still_wanted: None,
        parents,
    })
}
