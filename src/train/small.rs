//! Weights for places where a few megabytes are too much: the same form, made coarser until the file
//! is small enough. Nothing is learnt for it.
//!
//! A file keeps each stage of the game as its difference from the stage before. So a weight stays what
//! it was until it has moved by a whole step, and then moves by whole steps: most differences are 0.

use crate::eval::{Container, MANIFEST, Model, PATTERNS, STAGES, UNIT, WeightsError};
use std::fmt::Write;

/// The largest step that makes sense: half a disc.
const LARGEST_STEP: i32 = UNIT / 2;

/// What the small weights that ship may have.
pub const SMALL_BYTES: usize = 2_000_000;

/// How many steps [`shrunk`] tries: the largest, and one for each halving of what is left.
pub const TRIES: u32 = 1 + LARGEST_STEP.ilog2();

/// Why there are no small weights.
#[derive(Debug, thiserror::Error)]
pub enum TooLarge {
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error("the weights cannot be packed: {0}")]
    Pack(#[from] std::io::Error),
    #[error("even in steps of half a disc the file has {0} bytes")]
    Still(usize),
}

/// The finest form of these weights whose file has no more than so many bytes, and its step in
/// 1/128 disc. `tell` hears of every step that was tried.
pub fn shrunk(
    container: &Container,
    bytes: usize,
    tell: &mut dyn FnMut(),
) -> Result<(Vec<u8>, i32), TooLarge> {
    let patterns = container.section(PATTERNS);
    let model = Model::decode(patterns.ok_or(WeightsError::Missing(PATTERNS))?)?;
    let (mut fine, mut coarse) = (0, LARGEST_STEP);
    let mut found = in_steps(container, &model, coarse)?;
    tell();
    if found.len() > bytes {
        return Err(TooLarge::Still(found.len()));
    }
    // Halving: a coarser step never makes a larger file, or hardly ever.
    while coarse - fine > 1 {
        let step = (fine + coarse) / 2;
        let file = in_steps(container, &model, step)?;
        tell();
        if file.len() <= bytes {
            (coarse, found) = (step, file);
        } else {
            fine = step;
        }
    }
    Ok((found, coarse))
}

fn in_steps(container: &Container, model: &Model, step: i32) -> Result<Vec<u8>, TooLarge> {
    let mut coarse = Model::zero();
    let mut before = vec![0i16; model.stage(0).len()];
    for stage in 0..STAGES {
        for (kept, &weight) in before.iter_mut().zip(model.stage(stage)) {
            let steps = (i32::from(weight) - i32::from(*kept)) / step;
            *kept = (i32::from(*kept) + steps * step) as i16;
        }
        coarse.set_stage(stage, before.clone());
    }
    let mut small = container.clone();
    small.set(PATTERNS, coarse.encode());
    let manifest = container.section(MANIFEST).unwrap_or_default();
    let mut manifest = String::from_utf8_lossy(manifest).into_owned();
    // Writing to a string cannot fail.
    let _ = writeln!(manifest, "small: patterns in steps of {step}/{UNIT} disc");
    small.set(MANIFEST, manifest.into_bytes());
    Ok(small.encode()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::othello::kernel::Portable;
    use crate::othello::{Board, Random};

    /// What was written about how they were made.
    fn step_of(file: &[u8]) -> i32 {
        let container = Container::decode(file).unwrap();
        let manifest = String::from_utf8(container.section(MANIFEST).unwrap().to_vec()).unwrap();
        let told = manifest.lines().last().unwrap();
        let step = told.strip_prefix("small: patterns in steps of ").unwrap();
        step.split('/').next().unwrap().parse().unwrap()
    }

    #[test]
    fn the_small_weights_that_ship_are_made_of_those_that_ship() {
        let container = Container::decode(Evaluator::builtin_file()).unwrap();
        let model = Model::decode(container.section(PATTERNS).unwrap()).unwrap();
        let small = Evaluator::small_file();
        let file = in_steps(&container, &model, step_of(small)).unwrap();
        assert!(
            file == small,
            "run emilia train small -o book/weights-small.emw"
        );
        assert!(small.len() <= SMALL_BYTES);
    }

    #[test]
    fn small_weights_say_about_the_same_and_there_are_no_smaller_ones_than_there_can_be() {
        let (mut count, mut off) = (0, 0.0);
        for game in 0..20 {
            let mut random = Random::stream(1, game);
            let mut board = Board::START;
            while let Some(square) = random.square(board.legal_moves()) {
                board = board.play_unchecked(square, board.flips(square));
                let said = [Evaluator::builtin(), Evaluator::small()].map(|one| {
                    let features = one.features(board);
                    f64::from(one.evaluate(Portable, &features, board))
                });
                off += (said[0] - said[1]).abs() / 100.0;
                count += 1;
            }
        }
        let mean = off / f64::from(count);
        assert!(mean > 0.0 && mean < 2.0, "{mean} discs apart");
        let mut least = Container::default();
        least.set(PATTERNS, Model::zero().encode());
        let refused = shrunk(&least, 100, &mut || {});
        assert!(matches!(refused, Err(TooLarge::Still(_))));
    }
}
