//! How far a shallow value lies from the deep one: what multi-ProbCut needs to know of these
//! weights. It is measured by `emilia train calibrate` and travels with them.

use super::container::WeightsError;

/// Depths and empty squares the table knows; deeper ones are taken as the last.
const SIZE: usize = 61;

/// Coefficients of a formula.
const TERMS: usize = 5;

/// How deep values differ from shallow ones: one formula for a search against a deeper one, one
/// for a search against the exact score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    pub deeper: Formulas,
    pub exact: Formulas,
}

/// Formulas in empty squares and depths, both in discs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Formulas {
    /// The logarithm of the standard deviation.
    pub deviation: [f64; TERMS],
    /// By how much the deep value is higher on average.
    pub mean: [f64; TERMS],
}

impl Default for Calibration {
    /// What the first weights showed; for files that were never calibrated.
    fn default() -> Calibration {
        let without_mean = |deviation| Formulas {
            deviation,
            mean: [0.0; TERMS],
        };
        Calibration {
            deeper: without_mean([2.01, -0.31, 0.07, 0.89, -0.11]),
            exact: without_mean([1.88, 0.58, -0.23, 0.65, -0.25]),
        }
    }
}

fn sum_of_terms(terms: [f64; TERMS], formula: &[f64; TERMS]) -> f64 {
    terms.iter().zip(formula).map(|(t, c)| t * c).sum()
}

impl Calibration {
    pub const TERMS: usize = TERMS;

    /// What the formulas multiply: `deep` is the empty squares where the value is exact. Each
    /// further ply adds a change of its own that shrinks with the depth, so the variance grows
    /// like the logarithm of the depths' ratio; that holds beyond the depths that were measured.
    pub fn terms(empties: u32, deep: u32, shallow: u32) -> [f64; TERMS] {
        let e = f64::from(empties) / 30.0;
        let (d, s) = (f64::from(deep.max(shallow + 1)), f64::from(shallow));
        let growth = ((d + 2.0) / (s + 2.0)).ln();
        [1.0, e, e * e, 0.5 * growth.ln(), (s + 2.0).ln()]
    }

    fn formulas(&self, empties: u32, deep: u32) -> &Formulas {
        if deep >= empties {
            &self.exact
        } else {
            &self.deeper
        }
    }

    /// The standard deviation in centi-discs.
    pub fn deviation(&self, empties: u32, deep: u32, shallow: u32) -> i16 {
        let terms = Calibration::terms(empties, deep.min(empties), shallow);
        let log = sum_of_terms(terms, &self.formulas(empties, deep).deviation);
        (log.exp() * 100.0).clamp(50.0, 2500.0) as i16
    }

    /// By how many centi-discs the deep value is higher on average.
    pub fn mean(&self, empties: u32, deep: u32, shallow: u32) -> i16 {
        let terms = Calibration::terms(empties, deep.min(empties), shallow);
        let mean = sum_of_terms(terms, &self.formulas(empties, deep).mean);
        (mean * 100.0).clamp(-500.0, 500.0) as i16
    }

    /// The bytes of the section: deviations, then means.
    pub fn encode(&self) -> Vec<u8> {
        let deviations = [self.deeper.deviation, self.exact.deviation];
        let means = [self.deeper.mean, self.exact.mean];
        let numbers = deviations.iter().chain(&means).flatten();
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Reads a section, refusing what is no number. Those of the first files have no means.
    pub fn decode(bytes: &[u8]) -> Result<Calibration, WeightsError> {
        const FORMULA: usize = TERMS * 8;
        if bytes.len() != 2 * FORMULA && bytes.len() != 4 * FORMULA {
            return Err(WeightsError::Calibration);
        }
        let mut formulas = [[0.0; TERMS]; 4];
        let words = bytes.chunks_exact(8);
        for (number, bytes) in formulas.iter_mut().flatten().zip(words) {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            *number = f64::from_le_bytes(word);
            if !number.is_finite() {
                return Err(WeightsError::Calibration);
            }
        }
        let formulas_of = |which: usize| Formulas {
            deviation: formulas[which],
            mean: formulas[which + 2],
        };
        Ok(Calibration {
            deeper: formulas_of(0),
            exact: formulas_of(1),
        })
    }
}

/// What the search asks for at a node.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cut {
    /// The depth whose value stands for the deep one, of the same parity.
    pub shallow: u8,
    /// Standard deviation of the deep value from it, in centi-discs.
    pub deviation: i16,
    /// By how much the deep value is higher on average.
    pub mean: i16,
    /// Standard deviation of the deep value from the static one.
    pub static_deviation: i16,
}

/// The cuts of every number of empty squares and depth.
pub struct ProbcutTable(Box<[[Cut; SIZE]; SIZE]>);

impl ProbcutTable {
    pub fn new(calibration: &Calibration) -> ProbcutTable {
        let mut cuts = Box::new([[Cut::default(); SIZE]; SIZE]);
        for (empties, row) in cuts.iter_mut().enumerate() {
            for (depth, cut) in row.iter_mut().enumerate() {
                let (empties, depth) = (empties as u32, depth as u32);
                let shallow = shallow_depth(depth);
                *cut = Cut {
                    shallow: shallow as u8,
                    deviation: calibration.deviation(empties, depth, shallow),
                    mean: calibration.mean(empties, depth, shallow),
                    static_deviation: calibration.deviation(empties, depth, 0),
                };
            }
        }
        ProbcutTable(cuts)
    }

    /// The cut for a node with this many empty squares, searched this deep.
    #[inline(always)]
    pub fn cut(&self, empties: u32, depth: u32) -> Cut {
        self.0[(empties as usize).min(SIZE - 1)][(depth as usize).min(SIZE - 1)]
    }
}

/// The depth whose value stands for `depth`, of the same parity and about half of it.
fn shallow_depth(depth: u32) -> u32 {
    match 2 * (depth / 4) + (depth & 1) {
        0 => depth.saturating_sub(2),
        shallow => shallow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibration_comes_back_from_its_bytes_and_nonsense_is_refused() {
        let calibration = Calibration::default();
        let bytes = calibration.encode();
        assert_eq!(Calibration::decode(&bytes).unwrap(), calibration);
        let without_means = &bytes[..bytes.len() / 2];
        assert_eq!(Calibration::decode(without_means).unwrap(), calibration);
        assert!(Calibration::decode(&bytes[1..]).is_err());
        let mut infinite = bytes.clone();
        infinite[..8].copy_from_slice(&f64::NAN.to_le_bytes());
        assert!(Calibration::decode(&infinite).is_err());
    }

    #[test]
    fn a_shallow_depth_is_smaller_and_of_the_same_parity() {
        for depth in 3..=60 {
            let shallow = shallow_depth(depth);
            assert!(
                shallow < depth && (depth - shallow).is_multiple_of(2),
                "{depth}"
            );
        }
    }

    #[test]
    fn wild_coefficients_still_give_usable_deviations() {
        let all = |number| Formulas {
            deviation: [number; TERMS],
            mean: [number; TERMS],
        };
        let wild = Calibration {
            deeper: all(1e300),
            exact: all(-1e300),
        };
        let table = ProbcutTable::new(&wild);
        for (empties, depth) in [(0, 0), (60, 59), (12, 12), (500, 500)] {
            let cut = table.cut(empties, depth);
            assert!((50..=2500).contains(&cut.deviation));
            assert!((-500..=500).contains(&cut.mean));
        }
    }
}
