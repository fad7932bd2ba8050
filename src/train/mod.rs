//! Learning the evaluation: labelled positions, the fit, and the accuracy report.

pub mod fit;
pub mod import;
mod least_squares;
pub mod record;
pub mod report;

pub use least_squares::Effort;
