//! What follows from what: the one rule, and the passes that carry changes up by it.

pub mod due;
pub mod family;
pub mod layer_table;
pub mod outcome;
pub mod parents;
pub mod propagate;
pub mod rule;
pub mod shadow;
pub mod sweep;
pub mod visits;
