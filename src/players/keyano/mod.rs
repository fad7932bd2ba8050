//! KEYANO (1997).
mod classifier;
mod directions;
mod evaluation;
mod parity;
mod patterns;
mod probcut;
mod search;
mod smoothing;
mod solver;
mod table;
