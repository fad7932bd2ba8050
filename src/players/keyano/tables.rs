//! What KEYANO learnt, in a file of `book/players/`.

use super::evaluation::{COUNTS, Evaluation, FEATURES, Learnt, STAGES};
use super::patterns::{Kind, mirror};
use super::probcut::{DEEPEST, Differences};
use crate::eval::{Container, WeightsError};
use std::io;
use std::sync::{Arc, LazyLock};

const MOBILITY: &str = "keyano mobility";
const PATTERNS: &str = "keyano patterns";
const WEIGHTS: &str = "keyano weights";
const PROBCUT: &str = "keyano probcut";

/// The evaluation's numbers and ProbCut's.
#[derive(Clone, PartialEq, Debug)]
pub struct Taught {
    pub learnt: Learnt,
    pub differences: Differences,
}

impl Taught {
    /// The numbers that ship inside the program.
    pub fn builtin() -> &'static Taught {
        static BUILTIN: LazyLock<Taught> = LazyLock::new(|| {
            let file = include_bytes!("../../../book/players/keyano.bin");
            // A test decodes these very bytes, so no program with others is built.
            Taught::decode(file).expect("the embedded tables of KEYANO are valid")
        });
        &BUILTIN
    }

    /// Their evaluation, made once for all players.
    pub fn evaluation() -> Arc<Evaluation> {
        static EVALUATION: LazyLock<Arc<Evaluation>> =
            LazyLock::new(|| Arc::new(Evaluation::new(Taught::builtin().learnt.clone())));
        EVALUATION.clone()
    }

    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let short = |numbers: &[i16]| -> Vec<u8> {
            numbers.iter().copied().flat_map(i16::to_le_bytes).collect()
        };
        let mut container = Container::default();
        let mobility = [self.learnt.whole, self.learnt.quarter].concat();
        container.set(MOBILITY, short(&mobility));
        // Of two mirror images one is stored.
        let patterns = Kind::ALL
            .into_iter()
            .zip(&self.learnt.patterns)
            .flat_map(|(kind, values)| stored(kind).map(|place| values[place] as u8))
            .collect();
        container.set(PATTERNS, patterns);
        let weights = self.learnt.weights.iter().flatten();
        container.set(
            WEIGHTS,
            weights.copied().flat_map(f32::to_le_bytes).collect(),
        );
        let differences = [self.differences.means, self.differences.deviations].concat();
        container.set(PROBCUT, short(&differences));
        container.encode()
    }

    pub fn decode(file: &[u8]) -> Result<Taught, WeightsError> {
        let container = Container::decode(file)?;
        let section = |name| container.section(name).ok_or(WeightsError::Missing(name));
        let short = |name| {
            let (numbers, rest) = section(name)?.as_chunks();
            let numbers: Vec<i16> = numbers.iter().copied().map(i16::from_le_bytes).collect();
            rest.is_empty()
                .then_some(numbers)
                .ok_or(WeightsError::OtherShapes)
        };
        let (mobility, differences) = (short(MOBILITY)?, short(PROBCUT)?);
        let (mobility, no_more) = mobility.as_chunks::<COUNTS>();
        let (of_depths, nothing) = differences.as_chunks::<{ DEEPEST + 1 }>();
        let (numbers, rest) = section(WEIGHTS)?.as_chunks();
        let weights: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
        let (weights, left) = weights.as_chunks::<FEATURES>();
        let whole = rest.is_empty() && left.is_empty() && weights.len() == STAGES;
        let (&[of_board, of_quarter], &[means, deviations], true, true) = (
            mobility,
            of_depths,
            whole && weights.iter().flatten().all(|weight| weight.is_finite()),
            no_more.is_empty() && nothing.is_empty(),
        ) else {
            return Err(WeightsError::OtherShapes);
        };
        Ok(Taught {
            learnt: Learnt {
                whole: of_board,
                quarter: of_quarter,
                patterns: unfold(section(PATTERNS)?).ok_or(WeightsError::OtherShapes)?,
                weights: weights.to_vec(),
            },
            differences: Differences { means, deviations },
        })
    }
}

/// The configurations of a kind that are stored: the first of each pair of mirror images.
fn stored(kind: Kind) -> impl Iterator<Item = usize> {
    (0..kind.configurations()).filter(move |&place| place <= mirror(kind, place))
}

/// The values of all configurations from those that are stored.
fn unfold(bytes: &[u8]) -> Option<Vec<Vec<i8>>> {
    let mut bytes = bytes.iter();
    let mut all = Vec::with_capacity(Kind::ALL.len());
    for kind in Kind::ALL {
        let mut values = vec![0; kind.configurations()];
        for place in stored(kind) {
            let value = *bytes.next()? as i8;
            values[place] = value;
            values[mirror(kind, place)] = value;
        }
        all.push(values);
    }
    bytes.next().is_none().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_small_and_comes_back_as_it_went_in() {
        let taught = Taught::builtin();
        let file = taught.encode().unwrap();
        assert!(file.len() < 300_000, "{} bytes", file.len());
        assert_eq!(Taught::decode(&file).unwrap(), *taught);
    }

    #[test]
    fn a_file_of_another_shape_is_refused() {
        let mut taught = Taught::builtin().clone();
        taught.learnt.weights.pop();
        let error = Taught::decode(&taught.encode().unwrap()).unwrap_err();
        assert!(matches!(error, WeightsError::OtherShapes));
        assert!(unfold(&[0; 100]).is_none());
    }
}
