//! BILL (1990).

mod edge;
pub mod lines;
mod mobility;
mod possible;
