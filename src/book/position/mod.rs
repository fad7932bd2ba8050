//! What a position is: its key, its moves, what is known about it, and all that as bytes.

pub mod codec;
pub mod edge;
pub mod engine;
pub mod key;
pub mod node;
pub mod note;
pub mod statistics;
