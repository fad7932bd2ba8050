//! The engine at work: it answers the book's questions, drives the building of books, plays
//! games (book first, then search) and judges games that others played.

mod selfplay;

pub use selfplay::SelfPlay;
