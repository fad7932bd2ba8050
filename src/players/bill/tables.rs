//! What BILL was taught: the probabilities of possible edge moves and the discriminants, in a file
//! of `book/players/`.

use super::combination::Combination;
use super::discriminant::{COEFFICIENTS, Discriminant, STAGES};
use super::features::Knowledge;
use super::possible::SITUATIONS;
use crate::eval::{Container, WeightsError};
use std::io;
use std::sync::{Arc, LazyLock};

const POSSIBLE: &str = "bill possible";
const STAGES_SECTION: &str = "bill stages";
const UNIT: &str = "bill unit";

/// The fitted numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Taught {
    /// In 255ths.
    pub possible: [u8; SITUATIONS],
    /// One for each number of discs.
    pub stages: Vec<Discriminant>,
    /// What a thousand points of the linear combination come to on average, in centi-discs.
    pub centidiscs: i32,
}

impl Taught {
    /// The numbers that ship inside the program.
    pub fn builtin() -> &'static Taught {
        static BUILTIN: LazyLock<Taught> = LazyLock::new(|| {
            let file = include_bytes!("../../../book/players/bill.bin");
            // A test decodes these very bytes, so no program with others is built.
            Taught::decode(file).expect("the embedded tables of BILL are valid")
        });
        &BUILTIN
    }

    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let mut container = Container::default();
        container.set(POSSIBLE, self.possible.to_vec());
        let coefficients = self.stages.iter().flat_map(|stage| stage.coefficients);
        let bytes = coefficients.flat_map(f32::to_le_bytes).collect();
        container.set(STAGES_SECTION, bytes);
        container.set(UNIT, self.centidiscs.to_le_bytes().to_vec());
        container.encode()
    }

    pub fn decode(file: &[u8]) -> Result<Taught, WeightsError> {
        let container = Container::decode(file)?;
        let section = |name| container.section(name).ok_or(WeightsError::Missing(name));
        let possible = section(POSSIBLE)?.try_into();
        let centidiscs = section(UNIT)?.try_into().map(i32::from_le_bytes);
        let (numbers, rest) = section(STAGES_SECTION)?.as_chunks();
        let coefficients: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
        let (stages, more) = coefficients.as_chunks::<COEFFICIENTS>();
        let fits = rest.is_empty() && more.is_empty() && stages.len() == STAGES;
        match (possible, centidiscs) {
            (Ok(possible), Ok(centidiscs))
                if fits && coefficients.iter().all(|number| number.is_finite()) =>
            {
                Ok(Taught {
                    possible,
                    stages: stages
                        .iter()
                        .map(|&coefficients| Discriminant { coefficients })
                        .collect(),
                    centidiscs,
                })
            }
            _ => Err(WeightsError::OtherShapes),
        }
    }

    /// The tables behind the features, made once for all players.
    pub fn knowledge() -> Arc<Knowledge> {
        static KNOWLEDGE: LazyLock<Arc<Knowledge>> =
            LazyLock::new(|| Arc::new(Knowledge::new(&Taught::builtin().possible)));
        KNOWLEDGE.clone()
    }

    pub fn bayesian(&self) -> Combination {
        Combination::Bayesian(self.stages.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_whole_and_comes_back_as_it_went_in() {
        let taught = Taught::builtin();
        assert_eq!(Taught::decode(&taught.encode().unwrap()).unwrap(), *taught);
        assert!(taught.centidiscs > 0);
    }

    #[test]
    fn a_file_of_another_shape_is_refused() {
        let mut taught = Taught::builtin().clone();
        taught.stages.pop();
        let error = Taught::decode(&taught.encode().unwrap()).unwrap_err();
        assert!(matches!(error, WeightsError::OtherShapes));
    }
}
