//! Games for property tests: random, legal, with passes and awkward names.

use super::{Date, Details, Forfeit, Game, MoveNote, Moves, Name, Theory};
use crate::othello::{Bitboard, Board, Color, Position, Score, Square};
use proptest::prelude::*;

impl Game {
    /// The same game with other details: what a format keeps of it.
    pub(crate) fn with_details(&self, change: impl FnOnce(&mut Details)) -> Game {
        let mut details = self.details().clone();
        change(&mut details);
        let moves = Moves::try_from(self.moves()).unwrap();
        Game::new(self.start(), moves, details).unwrap()
    }
}

/// The usual start, or any discs at all with no pass due; few discs make games with passes.
pub(crate) fn any_start() -> impl Strategy<Value = Position> {
    let odd = (
        any::<u64>(),
        any::<u64>(),
        any::<u64>(),
        any::<u64>(),
        any::<bool>(),
    )
        .prop_map(|(a, b, c, colours, black)| {
            let discs = a & b & c;
            let board = Board::new(Bitboard(discs & colours), Bitboard(discs & !colours)).unwrap();
            let turn = if black { Color::Black } else { Color::White };
            let position = Position { board, turn };
            if board.must_pass() {
                position.pass()
            } else {
                position
            }
        });
    prop_oneof![3 => Just(Position::START), 1 => odd]
}

/// A start and legal moves from it, to the end or a part of the way.
pub(crate) fn any_line() -> impl Strategy<Value = (Position, Vec<Square>)> {
    let choices = prop_oneof![
        2 => prop::collection::vec(any::<u8>(), 62),
        1 => prop::collection::vec(any::<u8>(), 0..62),
    ];
    (any_start(), choices).prop_map(|(start, choices)| {
        let mut position = start;
        let mut moves = Vec::new();
        for choice in choices {
            let legal: Vec<Square> = position.board.legal_moves().into_iter().collect();
            if legal.is_empty() {
                break;
            }
            let square = legal[usize::from(choice) % legal.len()];
            position = position.play(square).unwrap();
            moves.push(square);
        }
        (start, moves)
    })
}

fn any_name() -> impl Strategy<Value = Option<Name>> {
    let text = prop_oneof![
        "[A-Za-z]{1,8} [A-Za-z]{1,8}",
        "[\\]\\[\\\\;:#=()\"' /\\?]{1,12}",
        "[éèüÿ§ßA-Z ]{1,12}",
        "\\PC{1,30}",
    ];
    prop_oneof![1 => Just(None), 4 => text.prop_map(|text| Name::tidy(&text))]
}

fn any_date() -> impl Strategy<Value = Option<Date>> {
    (0u16..=9999, 0u8..=12, 0u8..=28).prop_map(|(year, month, day)| match (month, day) {
        (0, _) => Date::year_only(year),
        (_, 0) => Date::year_and_month(year, month),
        _ => Date::full(year, month, day),
    })
}

fn any_score() -> impl Strategy<Value = Option<Score>> {
    (-80i32..=80).prop_map(Score::new)
}

fn any_note() -> impl Strategy<Value = MoveNote> {
    let number = || prop::option::of(-6400i16..=6400).prop_map(|n| n.map(|n| f32::from(n) / 100.0));
    (number(), number()).prop_map(|(discs, seconds)| MoveNote {
        discs,
        seconds: seconds.map(f32::abs),
    })
}

/// A game about which anything may be known.
pub(crate) fn any_game() -> impl Strategy<Value = Game> {
    let forfeit = prop::option::of(prop_oneof![
        Just(Forfeit::Resigned),
        Just(Forfeit::OutOfTime),
        Just(Forfeit::Agreed),
    ]);
    let theory = (any_score(), 0u8..=60)
        .prop_map(|(score, empties)| score.map(|score| Theory { score, empties }));
    let names = (any_name(), any_name(), any_name(), any_name());
    let notes = prop_oneof![Just(Vec::new()), prop::collection::vec(any_note(), 0..62)];
    (
        any_line(),
        names,
        any_date(),
        any_score(),
        forfeit,
        theory,
        notes,
    )
        .prop_map(
            |(
                (start, moves),
                (black, white, event, round),
                date,
                result,
                forfeit,
                theory,
                notes,
            )| {
                let details = Details {
                    black,
                    white,
                    event,
                    round,
                    date,
                    result,
                    forfeit,
                    theory,
                    notes: notes.into(),
                };
                let moves = Moves::try_from(&moves[..]).unwrap();
                Game::new(start, moves, details).unwrap()
            },
        )
}
