//! The moves of one game, kept inside the game itself.

use crate::othello::Square;
use std::fmt;
use std::ops::Deref;

/// Up to 62 moves without a heap allocation: a collection is read a hundred thousand games a
/// second, and a legal move needs a disc of each colour on the board before it.
#[derive(Clone, Copy)]
pub struct Moves {
    squares: [Square; Moves::MAX],
    len: u8,
}

/// A 63rd move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no game has more than {} moves", Moves::MAX)]
pub struct TooManyMoves;

impl Moves {
    pub const MAX: usize = 62;

    pub const fn new() -> Moves {
        Moves {
            squares: [Square::at(0, 0); Moves::MAX],
            len: 0,
        }
    }

    #[inline]
    pub fn push(&mut self, square: Square) -> Result<(), TooManyMoves> {
        let place = self
            .squares
            .get_mut(usize::from(self.len))
            .ok_or(TooManyMoves)?;
        *place = square;
        self.len += 1;
        Ok(())
    }
}

impl Default for Moves {
    fn default() -> Moves {
        Moves::new()
    }
}

impl TryFrom<&[Square]> for Moves {
    type Error = TooManyMoves;

    fn try_from(squares: &[Square]) -> Result<Moves, TooManyMoves> {
        let mut moves = Moves::new();
        for &square in squares {
            moves.push(square)?;
        }
        Ok(moves)
    }
}

impl Deref for Moves {
    type Target = [Square];

    #[inline]
    fn deref(&self) -> &[Square] {
        self.squares
            .get(..usize::from(self.len))
            .unwrap_or_default()
    }
}

impl PartialEq for Moves {
    fn eq(&self, other: &Moves) -> bool {
        **self == **other
    }
}

impl Eq for Moves {}

impl fmt::Debug for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|square| write!(f, "{square}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_two_moves_fit_and_no_more() {
        let mut moves = Moves::new();
        for square in Square::all().take(Moves::MAX) {
            moves.push(square).unwrap();
        }
        assert_eq!(moves.len(), 62);
        assert_eq!(moves.push(Square::at(7, 7)), Err(TooManyMoves));
        assert!(moves.iter().copied().eq(Square::all().take(62)));
    }

    #[test]
    fn only_the_moves_that_are_there_are_compared() {
        let mut long = Moves::new();
        long.push(Square::at(5, 4)).unwrap();
        assert_ne!(long, Moves::new());
        assert_eq!(Moves::try_from(&[][..]), Ok(Moves::default()));
    }
}
