//! Looking into a book: one position, a line, a tree, or everything in order.

pub mod diff;
pub mod explain;
pub mod lines;
pub mod openings;
pub mod query;
pub mod scan;
pub mod tree;
