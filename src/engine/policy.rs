//! What the player prefers besides good moves.

use crate::book::{Bounds, MoveAnswer};
use crate::othello::{Board, MoveList, MoveListError, Position, Square};
use crate::search::Skill;
use std::collections::{HashMap, HashSet};

/// How the player chooses among what it knows.
#[derive(Clone, Debug)]
pub struct Policy {
    pub strength: Skill,
    /// Moves that are worse than the best by up to this much are played as well, the better ones
    /// more often; in hundredths of a disc.
    pub randomness: i32,
    /// The same for book moves alone; what is searched is then played as well as it can be.
    pub book_randomness: i32,
    /// The same seed makes the same choice in the same position.
    pub seed: u64,
    pub draws: Draws,
    pub lines: Lines,
    pub confidence: Confidence,
    /// Search the moves the book has nothing on, where nobody did, before a book move is played.
    pub verify: bool,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            strength: Skill::FULL,
            randomness: 0,
            book_randomness: 0,
            seed: 0,
            draws: Draws::Neutral,
            lines: Lines::default(),
            confidence: Confidence::default(),
            verify: true,
        }
    }
}

/// What a proven draw is worth against values that are only estimates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Draws {
    #[default]
    Neutral,
    /// Rather a sure draw than a small advantage.
    Seek,
    /// Rather a small disadvantage than a sure draw; never a sure loss.
    Avoid,
}

/// By how much a preference outweighs an estimate, in hundredths of a disc.
const PREFERENCE: i32 = 400;

impl Draws {
    /// The value by which moves are compared. Proven results keep their order among themselves.
    pub fn weighed(self, value: i32, proven: bool) -> i32 {
        match self {
            Draws::Seek if proven && value >= 0 => value + PREFERENCE,
            Draws::Avoid if proven && value <= 0 => value - PREFERENCE,
            _ => value,
        }
    }
}

/// What a book move must have behind it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Confidence {
    /// The depth of the search behind its value; a value that comes from positions below it in
    /// the book, or is proven, is trusted as it is.
    pub depth: u8,
    /// Games in which people played it.
    pub games: u32,
    /// Only moves whose result is proven.
    pub proven: bool,
}

impl Confidence {
    pub fn trusts(&self, answer: &MoveAnswer) -> bool {
        let proven = is_proven(answer.bounds);
        let depth = answer.level.map_or(0, |level| level.depth);
        let from_below = answer.leads_on;
        let games = answer.statistics.map_or(0, |statistics| statistics.games);
        (proven || !self.proven)
            && (proven || from_below || depth >= self.depth)
            && games >= self.games
    }
}

pub(super) fn is_proven(bounds: Bounds) -> bool {
    bounds.is_exact()
}

/// Lines the player must or must not play, in every orientation and move order that leads to the
/// same positions.
#[derive(Clone, Default, Debug)]
pub struct Lines {
    /// From a position to the one that must come next, both in canonical form.
    forced: HashMap<Board, Board>,
    forbidden: HashSet<(Board, Board)>,
}

impl Lines {
    /// Moves from the start that are played as long as the game follows them.
    pub fn force(&mut self, line: &str) -> Result<(), MoveListError> {
        let steps = steps(line)?;
        self.forced.extend(steps);
        Ok(())
    }

    /// Moves from the start the last of which is never played.
    pub fn forbid(&mut self, line: &str) -> Result<(), MoveListError> {
        let last = steps(line)?.pop();
        self.forbidden.extend(last);
        Ok(())
    }

    /// The move that must be played here, if any.
    pub fn forced(&self, board: Board) -> Option<Square> {
        let next = self.forced.get(&board.canonical())?;
        let leads_there = |&square: &Square| {
            board
                .play(square)
                .is_ok_and(|child| child.canonical() == *next)
        };
        board.legal_moves().into_iter().find(leads_there)
    }

    pub fn forbids(&self, board: Board, square: Square) -> bool {
        !self.forbidden.is_empty()
            && board.play(square).is_ok_and(|child| {
                self.forbidden
                    .contains(&(board.canonical(), child.canonical()))
            })
    }
}

/// The boards before and after each move of a line, in canonical form.
fn steps(line: &str) -> Result<Vec<(Board, Board)>, MoveListError> {
    let list = MoveList::parse(Position::START, line)?;
    let mut position = Position::START;
    let mut steps = Vec::new();
    for square in list.moves {
        let Ok(child) = position.board.play(square) else {
            break;
        };
        steps.push((position.board.canonical(), child.canonical()));
        position = position.play(square).unwrap_or(position);
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn a_line_holds_in_every_orientation() {
        let mut lines = Lines::default();
        lines.forbid("f5f6").unwrap();
        lines.force("f5d6c3").unwrap();
        // f5f6 seen through another symmetry is c4c3.
        let after = Board::START.play(square("c4")).unwrap();
        assert!(lines.forbids(after, square("c3")));
        assert!(!lines.forbids(after, square("e3")));
        assert!(lines.forced(Board::START).is_some());
        // f5d6 turned is c4e3 or d3f4…: the answer leads where c3 leads.
        let mirrored = lines.forced(after).unwrap();
        let there = after.play(mirrored).unwrap().canonical();
        let here = Board::START.play(square("f5")).unwrap();
        assert_eq!(there, here.play(square("d6")).unwrap().canonical());
        assert!(lines.force("f5f5").is_err());
    }

    #[test]
    fn a_preference_never_turns_proven_results_round() {
        for draws in [Draws::Neutral, Draws::Seek, Draws::Avoid] {
            let proven = [-200, 0, 200].map(|value| draws.weighed(value, true));
            assert!(proven.is_sorted(), "{draws:?}: {proven:?}");
        }
        assert!(Draws::Seek.weighed(0, true) > Draws::Seek.weighed(300, false));
        assert!(Draws::Avoid.weighed(0, true) < Draws::Avoid.weighed(-300, false));
    }
}
