//! Taking care of a book: checks and repairs, trims, sums.

pub mod check;
pub mod forget;
pub mod forget_game;
pub mod orphans;
pub mod subtree;
pub mod summary;
pub mod trim;
