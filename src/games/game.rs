//! A validated game with what is known about it.

use super::date::Date;
use super::moves::Moves;
use super::name::Name;
use super::replay::{for_each_board, replay};
use crate::othello::{Board, Color, MoveListError, Position, Score, Square};

/// A legal game, finished or not. Its moves can be played from its start; nothing else can be
/// made into a `Game`.
///
/// ```
/// use emilia::games::{Details, Game, Moves};
/// use emilia::othello::{MoveList, Position};
///
/// // Black turns every white disc with the ninth move.
/// let list = MoveList::parse(Position::START, "e6f4e3f6g5d6e7f5c5")?;
/// let moves = Moves::try_from(&list.moves[..])?;
/// let game = Game::new(Position::START, moves, Details::default())?;
/// assert!(game.is_finished());
/// assert_eq!(game.result().map(|score| score.discs()), Some(64));
///
/// let twice = Moves::try_from(&[list.moves[0]; 2][..])?;
/// assert!(Game::new(Position::START, twice, Details::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Game {
    start: Position,
    moves: Moves,
    end: Position,
    finished: bool,
    details: Details,
}

/// What a collection tells about a game besides its moves.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Details {
    pub black: Option<Name>,
    pub white: Option<Name>,
    /// A tournament or, where the format knows no tournaments (GGF), the place.
    pub event: Option<Name>,
    pub round: Option<Name>,
    pub date: Option<Date>,
    /// The result for Black. A finished game's is counted on the board; of an unfinished one the
    /// record may tell it (the players went on, resigned, or ran out of time).
    pub result: Option<Score>,
    /// How an unfinished game came to its result.
    pub forfeit: Option<Forfeit>,
    pub theory: Option<Theory>,
    /// One note for each move, or none at all.
    pub notes: Box<[MoveNote]>,
}

/// How a game ended that was not played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forfeit {
    Resigned,
    OutOfTime,
    Agreed,
}

/// The result with perfect play from some point on (WTHOR).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theory {
    /// For Black.
    pub score: Score,
    /// How many squares were empty where perfect play began.
    pub empties: u8,
}

/// What the player thought of a move (GGF).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MoveNote {
    /// The player's own evaluation, in discs, from the mover's side.
    pub discs: Option<f32>,
    /// The time the move took.
    pub seconds: Option<f32>,
}

impl MoveNote {
    pub const NONE: MoveNote = MoveNote {
        discs: None,
        seconds: None,
    };
}

impl Game {
    /// The game of these moves, if they are legal. A pass that is due at the start is made.
    pub fn new(start: Position, moves: Moves, details: Details) -> Result<Game, MoveListError> {
        let start = if start.board.must_pass() {
            start.pass()
        } else {
            start
        };
        let replay = replay(start, &moves)?;
        Ok(Game::of_replay(
            start,
            moves,
            replay.end,
            replay.finished,
            details,
        ))
    }

    /// The game of moves that have just been replayed.
    #[inline]
    pub(super) fn of_replay(
        start: Position,
        moves: Moves,
        end: Position,
        finished: bool,
        mut details: Details,
    ) -> Game {
        if finished {
            // The board knows better than a record, and a komi or a forfeit means nothing here.
            details.result = Some(end.final_score(Color::Black));
            details.forfeit = None;
        } else if details.result.is_none() {
            details.forfeit = None;
        }
        if details.notes.iter().all(|note| *note == MoveNote::NONE) {
            details.notes = Box::default();
        } else if details.notes.len() != moves.len() {
            let mut notes = details.notes.into_vec();
            notes.resize(moves.len(), MoveNote::NONE);
            details.notes = notes.into();
        }
        Game {
            start,
            moves,
            end,
            finished,
            details,
        }
    }

    pub const fn start(&self) -> Position {
        self.start
    }

    pub fn moves(&self) -> &[Square] {
        &self.moves
    }

    /// The position after the last move, with a forced pass made.
    pub const fn end(&self) -> Position {
        self.end
    }

    /// The game was played until neither player could move.
    pub const fn is_finished(&self) -> bool {
        self.finished
    }

    /// The result for Black, unless the game stopped and nobody wrote it down.
    pub const fn result(&self) -> Option<Score> {
        self.details.result
    }

    pub const fn details(&self) -> &Details {
        &self.details
    }

    /// Shows every position to `see`: the start and the one after each move, never one where a
    /// pass is due.
    pub fn for_each_board(&self, see: impl FnMut(Board)) {
        for_each_board(self.start, &self.moves, see);
    }

    /// How much is known about the game: of two equal games the richer is worth keeping.
    pub fn richness(&self) -> u32 {
        let details = &self.details;
        let date = details.date.map_or(0, |date| {
            1 + u32::from(date.month().is_some()) + u32::from(date.day().is_some())
        });
        let known = [
            details.black.is_some(),
            details.white.is_some(),
            details.event.is_some(),
            details.round.is_some(),
            details.result.is_some(),
            details.forfeit.is_some(),
            details.theory.is_some(),
            !details.notes.is_empty(),
        ];
        date + known.iter().map(|&is| u32::from(is)).sum::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::MoveList;

    fn game(text: &str, details: Details) -> Game {
        let list = MoveList::parse(Position::START, text).unwrap();
        let moves = Moves::try_from(&list.moves[..]).unwrap();
        Game::new(Position::START, moves, details).unwrap()
    }

    /// Black wipes White out with the ninth move.
    const SHORT: &str = "e6f4e3f6g5d6e7f5c5";

    #[test]
    fn the_board_decides_a_finished_game() {
        let details = Details {
            result: Score::new(-10),
            forfeit: Some(Forfeit::OutOfTime),
            ..Details::default()
        };
        let finished = game(SHORT, details.clone());
        assert!(finished.is_finished());
        assert_eq!(finished.result(), Score::new(64));
        assert_eq!(finished.details().forfeit, None);

        let unfinished = game("f5d6", details);
        assert!(!unfinished.is_finished());
        assert_eq!(unfinished.result(), Score::new(-10));
        assert_eq!(unfinished.details().forfeit, Some(Forfeit::OutOfTime));
        assert_eq!(game("f5d6", Details::default()).result(), None);
    }

    #[test]
    fn notes_are_one_per_move_or_none() {
        let note = MoveNote {
            discs: Some(1.5),
            seconds: None,
        };
        let with = |notes: Vec<MoveNote>| {
            let details = Details {
                notes: notes.into(),
                ..Details::default()
            };
            game("f5d6", details).details().notes.to_vec()
        };
        assert_eq!(with(vec![note]), [note, MoveNote::NONE]);
        assert_eq!(with(vec![MoveNote::NONE; 2]), []);
        assert_eq!(with(vec![note; 3]), [note; 2]);
    }

    #[test]
    fn a_richer_game_knows_more() {
        let known = Details {
            black: Name::tidy("Rose"),
            date: Date::full(1990, 5, 1),
            ..Details::default()
        };
        assert!(game("f5", known).richness() > game("f5", Details::default()).richness());
    }

    #[test]
    fn an_illegal_move_makes_no_game() {
        let moves = Moves::try_from(&[Square::at(0, 0)][..]).unwrap();
        assert!(Game::new(Position::START, moves, Details::default()).is_err());
    }
}
