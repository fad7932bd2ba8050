//! The evaluation: pattern weights by stage of the game and what pairs of patterns mean together,
//! learnt by `emilia train`.
//!
//! A [`Features`] value holds the index of every pattern instance and follows the search move by
//! move; [`Evaluator::evaluate`] looks the indices up in the stage's table, adds the weights up,
//! adds what the pairs say and bends the sum to a value. [`Evaluator::rate`] leaves the pairs out,
//! for who puts moves in order. All of it in integers, so every CPU tier gives the same value.

mod calibration;
mod container;
mod curve;
mod features;
mod model;
mod pair_tables;
mod pairs;
mod scalars;
mod shapes;
mod table;

pub use calibration::{Calibration, Cut, Formulas, ProbcutTable};
pub use container::{Container, WeightsError};
pub use curve::value_and_slope;
pub use features::Features;
pub use model::{Folds, Model, STAGES, UNIT, stage_of};
pub use pair_tables::PairTables;
pub use pairs::{
    CHANNELS, PAIR_BUCKETS, PAIR_LAYOUT, PAIR_ROWS, PAIR_SHAPES, PAIR_UNIT, PLACES, PairModel,
    PairRow, bucket_of,
};
pub use scalars::{SCALAR_SIZE, SCALARS, scalars};
pub use shapes::{LANES, LAYOUT, SHAPE_COUNT, composed, inverse, own_symmetries, permuted};

use crate::othello::Board;
use crate::othello::kernel::Kernel;
use std::path::Path;
#[cfg(feature = "program")]
use std::sync::LazyLock;
use table::Tables;
use xxhash_rust::xxh3::xxh3_64;

/// The largest value an evaluation gives, in centi-discs: a solved win stays above it.
pub const LIMIT: i32 = 6300;

/// Immutable weights, shared by all threads.
pub struct Evaluator {
    tables: Tables,
    /// Files of earlier versions have none.
    pairs: Option<PairTables>,
    probcut: ProbcutTable,
    container: Container,
    fingerprint: u64,
}

/// The section of the patterns' weights.
pub const PATTERNS: &str = "patterns";

/// The section of what patterns mean together.
pub const PAIRS: &str = "pairs";

/// The section of the ProbCut calibration.
pub const PROBCUT: &str = "probcut";

/// The section that tells how the weights were made.
pub const MANIFEST: &str = "manifest";

/// The weights that ship inside the program.
#[cfg(feature = "program")]
impl Evaluator {
    /// Those that play.
    pub fn builtin() -> &'static Evaluator {
        static BUILTIN: LazyLock<Evaluator> = LazyLock::new(|| {
            // A test decodes these very bytes, so no program with others is built.
            Evaluator::decode(Evaluator::builtin_file()).expect("the embedded weights are valid")
        });
        &BUILTIN
    }

    /// The file of these weights.
    pub const fn builtin_file() -> &'static [u8] {
        include_bytes!("../../book/weights.emw")
    }

    /// The same, coarser, in less than two megabytes.
    pub fn small() -> &'static Evaluator {
        static SMALL: LazyLock<Evaluator> = LazyLock::new(|| {
            // A test decodes these, too.
            Evaluator::decode(Evaluator::small_file()).expect("the embedded weights are valid")
        });
        &SMALL
    }

    /// The file of the small weights.
    pub const fn small_file() -> &'static [u8] {
        include_bytes!("../../book/weights-small.emw")
    }
}

impl Evaluator {
    /// The weights of a file that `emilia train fit` wrote.
    pub fn load(path: &Path) -> Result<Evaluator, WeightsError> {
        let file = std::fs::read(path).map_err(|source| WeightsError::Read {
            path: path.to_owned(),
            source,
        })?;
        Evaluator::decode(&file)
    }

    /// The weights of a file's bytes.
    pub fn decode(file: &[u8]) -> Result<Evaluator, WeightsError> {
        let mut container = Container::decode(file)?;
        let patterns = container
            .take(PATTERNS)
            .ok_or(WeightsError::Missing(PATTERNS))?;
        Ok(Evaluator {
            fingerprint: xxh3_64(file),
            ..Evaluator::new(&Model::decode(&patterns)?, container)?
        })
    }

    /// An evaluator with these weights; `container` holds the other sections.
    pub fn new(model: &Model, container: Container) -> Result<Evaluator, WeightsError> {
        let calibration = match container.section(PROBCUT) {
            Some(bytes) => Calibration::decode(bytes)?,
            None => Calibration::default(),
        };
        let pairs = container
            .section(PAIRS)
            .map(PairModel::decode)
            .transpose()?;
        Ok(Evaluator {
            tables: Tables::new(|stage| model.unfolded(stage)),
            pairs: pairs.as_ref().map(PairTables::new),
            probcut: ProbcutTable::new(&calibration),
            container,
            fingerprint: 0,
        })
    }

    /// Tells these weights from others: a hash of their file; 0 where they come from none.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How far shallow values lie from deep ones.
    #[inline(always)]
    pub fn probcut(&self) -> &ProbcutTable {
        &self.probcut
    }

    /// The bytes of another section of the weights file, such as the manifest.
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.container.section(name)
    }

    /// The pattern indices of a board from scratch.
    pub fn features(&self, board: Board) -> Features {
        Features::of(board)
    }

    /// The expected final score in centi-discs, seen by the player to move, within ±[`LIMIT`].
    /// `features` must be those of `board`.
    #[inline(always)]
    pub fn evaluate<K: Kernel>(&self, kernel: K, features: &Features, board: Board) -> i32 {
        let sum = self.linear(kernel, features, board) + self.paired(kernel, features, board);
        curve::value_of(sum).clamp(-LIMIT, LIMIT)
    }

    /// The value as far as the patterns' own weights tell: in a fraction of the time, for whom an
    /// order is enough.
    #[inline(always)]
    pub fn rate<K: Kernel>(&self, kernel: K, features: &Features, board: Board) -> i32 {
        curve::value_of(self.linear(kernel, features, board)).clamp(-LIMIT, LIMIT)
    }

    /// The sum of the patterns' own weights.
    #[inline(always)]
    fn linear<K: Kernel>(&self, kernel: K, features: &Features, board: Board) -> i32 {
        let stage = stage_of(board.empty_count());
        let scalars = scalars(kernel, board);
        self.tables.sum(kernel, stage, features, scalars)
    }

    /// What pairs of patterns add to it.
    #[inline(always)]
    fn paired<K: Kernel>(&self, kernel: K, features: &Features, board: Board) -> i32 {
        let bucket = bucket_of(board.empty_count());
        let pairs = self.pairs.as_ref();
        pairs.map_or(0, |pairs| pairs.sum(kernel, bucket, features))
    }
}

#[cfg(test)]
mod tests;
