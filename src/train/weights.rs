//! The weights of a training run: those it is given, those it makes, and their files.

use super::pipeline::PipelineError;
use super::record::DataError;
use crate::eval::{Container, Evaluator, Model, PAIRS, PATTERNS, PairModel, WeightsError};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Weights that others are learnt from.
pub struct Inherited {
    pub patterns: Model,
    pub pairs: Option<PairModel>,
    /// Tells them from others.
    pub hash: u64,
}

impl Inherited {
    pub fn read(path: &Path) -> Result<Inherited, PipelineError> {
        let file = std::fs::read(path).map_err(DataError::io("read", path))?;
        let container = Container::decode(&file)?;
        let patterns = container.section(PATTERNS);
        let pairs = container.section(PAIRS).map(PairModel::decode);
        Ok(Inherited {
            patterns: Model::decode(patterns.ok_or(WeightsError::Missing(PATTERNS))?)?,
            pairs: pairs.transpose()?,
            hash: xxh3_64(&file),
        })
    }
}

/// Weights as a file holds them and as a searcher uses them.
pub struct Weights {
    pub container: Container,
    pub evaluator: &'static Evaluator,
}

impl Weights {
    /// Searchers keep their weights for good, and a run has a handful of them.
    pub fn resident(container: Container) -> Result<Weights, WeightsError> {
        let mut rest = container.clone();
        let patterns = rest.take(PATTERNS).ok_or(WeightsError::Missing(PATTERNS))?;
        let evaluator = Evaluator::new(&Model::decode(&patterns)?, rest)?;
        Ok(Weights {
            container,
            evaluator: Box::leak(Box::new(evaluator)),
        })
    }
}

/// Writes a file in one step, so that an interrupted run leaves none that is half there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    let unfinished = path.with_extension("unfinished");
    std::fs::write(&unfinished, bytes).map_err(DataError::io("write", &unfinished))?;
    std::fs::rename(&unfinished, path).map_err(DataError::io("write", path))
}
