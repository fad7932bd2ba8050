//! Looking into a book: one position, a line, a tree, what is missing, or everything in order.

pub mod diff;
pub mod explain;
pub mod gaps;
pub mod lines;
pub mod openings;
pub mod query;
pub mod scan;
pub mod tree;
pub mod way;
