//! The rules of Othello: squares, boards, symmetry, score and notation. Nothing here knows of
//! games, searches or books.

mod bitboard;
mod board;
mod drawing;
pub mod kernel;
mod neighbours;
pub mod notation;
mod obf;
mod perft;
mod position;
mod quadrants;
mod random;
mod score;
mod square;
mod symmetry;

pub use bitboard::{Bitboard, Squares};
pub use board::{Board, IllegalMove};
pub use drawing::Drawing;
pub use kernel::Tier;
pub use notation::{MoveList, MoveListError, PositionText, moves_to_string};
pub use obf::{ObfError, ObfMove, ObfProblem, ObfReason, read_obf};
pub use perft::{Passes, perft, perft_on};
pub use position::{Color, Position};
pub use random::Random;
pub use score::Score;
pub use square::{NotASquare, Square};
pub use symmetry::Symmetry;
