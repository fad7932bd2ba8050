//! Learning the evaluation: labelled positions, the fit, and the accuracy report.

pub mod calibrate;
pub mod duel;
pub mod endings;
pub mod fit;
pub mod held_out;
pub mod import;
pub mod label;
pub mod lean;
mod least_squares;
pub mod pairs;
pub mod pipeline;
pub mod recipe;
pub mod record;
pub mod report;
mod rounds;
pub mod selfplay;
pub mod small;
pub mod starts;
mod weights;
pub mod work;

pub use least_squares::Effort;
