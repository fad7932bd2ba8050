//! Taking care of a book: checks and repairs, trims, sums.

pub mod check;
pub mod forget;
pub mod forget_game;
mod leaving;
pub mod orphans;
mod staying;
pub mod subtree;
pub mod summary;
pub mod trim;
