//! What is in a book, counted.

use crate::book::Watcher;
use crate::book::codec::Profile;
use crate::book::gaps::{Gap, gaps};
use crate::book::key::Layer;
use crate::book::lines::{Line, best_lines};
use crate::book::node::Origin;
use crate::book::note::Note;
use crate::book::store::{BookId, Flag, Store, StoreError, Table};
use crate::book::want::Errand;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub profile: Option<Profile>,
    pub identity: Option<BookId>,
    pub note: Option<Note>,
    pub positions: u64,
    pub layers: Vec<LayerSummary>,
    /// Positions by where they came from: games, expansion, import.
    pub origins: [u64; 3],
    /// Positions by the level of their own search, as people write it.
    pub levels: BTreeMap<String, u64>,
    /// Positions by the engine that searched them, by its name.
    pub engines: BTreeMap<String, u64>,
    /// Positions that are to be searched, by whose work it is.
    pub wanted: BTreeMap<Errand, u64>,
    /// Positions by value, in steps of [`Summary::STEP`] discs, by the lower end of the step.
    pub values: BTreeMap<i32, u64>,
    pub games: u64,
    pub positions_with_statistics: u64,
    pub waiting: u64,
    pub sweep_due: bool,
    /// Bytes of each table on the disk.
    pub bytes: Vec<(Table, u64)>,
    /// The best line and those that give away least, each of another opening.
    pub best_lines: Vec<Line>,
    /// The positions without a value that people reach most, the widest gap first.
    pub gaps: Vec<Gap>,
}

#[derive(Clone, Copy, Debug)]
pub struct LayerSummary {
    pub layer: Layer,
    pub positions: u64,
    /// How many of them have a value, and a proven one.
    pub valued: u64,
    pub exact: u64,
    /// For how many of them the moves that are not in the book were searched, too.
    pub alternatives: u64,
    /// How many games of people went through them: of all the games of the book, those that it
    /// still follows here.
    pub games: u64,
}

const BEST_LINES: usize = 10;
const GAPS: usize = 10;
/// Positions that are read before the watcher is asked.
const AT_ONCE: u64 = 1 << 12;

impl Summary {
    pub const STEP: i32 = 4;

    /// Everything but human statistics, the list of games and its index.
    pub fn bytes_of_positions(&self) -> u64 {
        let of_games = [Table::Statistics, Table::Counts, Table::Games, Table::Index];
        let counts = |table: &Table| !of_games.contains(table);
        let sizes = self.bytes.iter().filter(|(table, _)| counts(table));
        sizes.map(|(_, bytes)| bytes).sum()
    }

    pub fn bytes_per_position(&self) -> Option<f64> {
        let bytes = self.bytes_of_positions() as f64;
        (self.positions > 0).then(|| bytes / self.positions as f64)
    }
}

/// Reads the whole book once. None if the watcher stopped it.
pub fn summarise(store: &Store, watcher: &dyn Watcher) -> Result<Option<Summary>, StoreError> {
    let reader = store.snapshot();
    let mut summary = Summary {
        profile: reader.profile()?,
        identity: reader.identity()?,
        note: reader.note()?,
        sweep_due: reader.flag(Flag::SweepDue)?,
        ..Summary::default()
    };
    let engines = reader.engines()?;
    let mut wants = reader.rows(Table::Wanted, None)?;
    let mut read: u64 = 0;
    while let Some((_, want)) = wants.next_want()? {
        if read.is_multiple_of(AT_ONCE) && watcher.should_stop() {
            return Ok(None);
        }
        read += 1;
        *summary.wanted.entry(want.errand).or_default() += 1;
    }
    for layer in Layer::all() {
        let mut counts = LayerSummary {
            layer,
            positions: 0,
            valued: 0,
            exact: 0,
            alternatives: 0,
            games: 0,
        };
        let mut rows = reader.rows(Table::Nodes, Some(layer))?;
        let mut played = reader.rows(Table::Statistics, Some(layer))?;
        let mut next_played = played.next_statistics()?;
        while let Some((key, node)) = rows.next_node()? {
            if counts.positions.is_multiple_of(AT_ONCE) && watcher.should_stop() {
                return Ok(None);
            }
            // Both tables are in the order of keys.
            while let Some((there, statistics)) = next_played
                && there <= key
            {
                if there == key {
                    counts.games += u64::from(statistics.games);
                }
                next_played = played.next_statistics()?;
            }
            counts.alternatives += u64::from(node.alternative.is_some());
            counts.positions += 1;
            counts.exact += u64::from(node.derived.bounds.is_exact());
            let origin = match node.origin {
                Origin::Game => 0,
                Origin::Expansion => 1,
                Origin::Import => 2,
            };
            summary.origins[origin] += 1;
            if let Some(value) = node.derived.value {
                counts.valued += 1;
                let discs = value.floor().discs();
                let step = discs.div_euclid(Summary::STEP) * Summary::STEP;
                *summary.values.entry(step).or_default() += 1;
            }
            let found = node.evaluation.map(|own| (own.level, own.engine));
            let found = found.or(node.alternative.map(|known| (known.level, known.engine)));
            let level =
                found.map_or_else(|| "not evaluated".into(), |(level, _)| level.to_string());
            *summary.levels.entry(level).or_default() += 1;
            if let Some((_, engine)) = found {
                let name = engines.name(engine).unwrap_or("unknown");
                match summary.engines.get_mut(name) {
                    Some(count) => *count += 1,
                    None => {
                        summary.engines.insert(name.to_owned(), 1);
                    }
                }
            }
            watcher.done(1);
        }
        if counts.positions > 0 {
            summary.positions += counts.positions;
            summary.layers.push(counts);
        }
    }
    summary.games = reader.count(Table::Games)?;
    summary.positions_with_statistics = reader.count(Table::Statistics)?;
    summary.waiting = reader.count(Table::Dirty)?;
    for table in Table::ALL {
        summary.bytes.push((table, store.bytes_on_disk(table)?));
    }
    summary.best_lines = best_lines(&reader, BEST_LINES)?;
    summary.gaps = gaps(&reader, GAPS)?;
    Ok(Some(summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::tests::{learn_all, new_store};
    use crate::games::{Game, SampleGames};

    struct Stops;

    impl Watcher for Stops {
        fn should_stop(&self) -> bool {
            true
        }
    }

    #[test]
    fn counting_ends_when_it_is_told_to() {
        let (_folder, store) = new_store();
        let games: Vec<Game> = SampleGames::new(3).take(5).collect();
        learn_all(&store, &games, 10, 1);
        assert!(summarise(&store, &()).unwrap().is_some());
        assert!(summarise(&store, &Stops).unwrap().is_none());
    }
}
