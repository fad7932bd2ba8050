//! The games that were learned, each kept with its moves. Human statistics follow from them: that
//! is how books are merged without counting a game twice, and how a position shows the games that
//! went through it.

use crate::book::codec::{self, CodecError};
use crate::book::key::NodeKey;
use crate::book::list::GameNumber;
use crate::book::statistics::Statistics;
use crate::games::{Game, Name};
use crate::othello::{Board, Color, Position, Score, Square, Symmetry};
use xxhash_rust::xxh3::Xxh3;

/// A game as the book keeps it, from the start position on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchivedGame {
    /// The first one is f5, whichever of its images was played.
    pub moves: Vec<Square>,
    /// For Black.
    pub result: Option<Score>,
    pub year: Option<u16>,
    pub black: Option<Name>,
    pub white: Option<Name>,
    pub event: Option<Name>,
}

/// A game and how it was learned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LearnedGame {
    /// With how many plies from the start.
    pub plies: u8,
    /// How many positions from the start on count in statistics: where the ending was corrected,
    /// not all.
    pub counted: u8,
    /// An early book kept no contents.
    pub game: Option<ArchivedGame>,
    /// In the index, if it is there.
    pub number: Option<GameNumber>,
}

/// The name of a game: the same for all its images, because it is made of canonical positions. The
/// whole game counts, not only the part that is learned.
#[derive(Default)]
pub struct Fingerprint(Xxh3);

impl Fingerprint {
    pub fn add(&mut self, key: NodeKey) {
        self.0.update(&key.to_bytes());
    }

    pub fn end(self) -> u128 {
        self.0.digest128()
    }
}

const NO_RESULT: i8 = i8::MIN;
/// Longer names are cut.
const LONGEST_NAME: usize = 255;

impl ArchivedGame {
    /// None if the game begins elsewhere than at the start.
    pub fn of(game: &Game) -> Option<ArchivedGame> {
        if game.start() != Position::START {
            return None;
        }
        let moves = game.moves();
        let upright = moves.first().map_or(Symmetry::IDENTITY, |&first| {
            let f5 = Square::at(5, 4);
            symmetries_of_the_start()
                .find(|symmetry| symmetry.apply_to_square(first) == f5)
                .unwrap_or(Symmetry::IDENTITY)
        });
        let details = game.details();
        Some(ArchivedGame {
            moves: moves
                .iter()
                .map(|&square| upright.apply_to_square(square))
                .collect(),
            result: game.result(),
            year: details.date.map(|date| date.year()),
            black: details.black.clone(),
            white: details.white.clone(),
            event: details.event.clone(),
        })
    }

    /// The result for this colour.
    pub fn result_for(&self, turn: Color) -> Option<Score> {
        self.result.map(|score| match turn {
            Color::Black => score,
            Color::White => -score,
        })
    }

    /// What the game adds to a position's statistics.
    pub fn statistics(&self, turn: Color) -> Statistics {
        Statistics::of_game(self.result_for(turn), self.year)
    }

    /// The game's positions from the start to its end.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        let mut position = Position::START;
        let later = self.moves.iter().map_while(move |&square| {
            // A game's moves are legal; a damaged record ends early.
            position = position.play(square).ok()?;
            Some(position)
        });
        std::iter::once(Position::START).chain(later)
    }

    /// Shows the game's positions from the start to its end, with the colour to move.
    pub fn for_each_position(&self, mut see: impl FnMut(NodeKey, Color)) {
        for position in self.positions() {
            see(NodeKey::of(position.board), position.turn);
        }
    }

    /// Statistics do not tell the two records of one game apart.
    pub fn counts_like(&self, other: &ArchivedGame) -> bool {
        (self.result, self.year) == (other.result, other.year)
    }

    /// The game under a symmetry that leads it through exactly this board, and where it begins
    /// then; none if it never comes there. A board that can be reached is reached from the start.
    pub fn through(&self, board: Board) -> Option<(ArchivedGame, Position)> {
        let plies = (board.disc_count() as usize).checked_sub(4)?;
        let mut position = Position::START;
        for &square in self.moves.get(..plies)? {
            position = position.play(square).ok()?;
        }
        let symmetry = symmetries_of_the_start()
            .chain(Symmetry::all())
            .find(|symmetry| position.board.under(*symmetry) == board)?;
        let mut turned = self.clone();
        for square in &mut turned.moves {
            *square = symmetry.apply_to_square(*square);
        }
        let start = Position {
            board: Board::START.under(symmetry),
            ..Position::START
        };
        Some((turned, start))
    }

    /// Of two records of one game, the one that says more.
    pub fn join(self, other: ArchivedGame) -> ArchivedGame {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }

    /// How much is known about the game: of two records of one game, the larger stands.
    fn rank(&self) -> impl Ord + use<> {
        let known = [
            self.result.is_some(),
            self.year.is_some(),
            self.black.is_some(),
            self.white.is_some(),
            self.event.is_some(),
        ];
        let known = known.iter().filter(|is| **is).count();
        let text = |name: &Option<Name>| name.as_ref().map(|name| name.as_str().to_owned());
        (
            known,
            self.result,
            self.year,
            text(&self.black),
            text(&self.white),
            text(&self.event),
        )
    }
}

impl LearnedGame {
    /// What two books know about one game: the larger depth, and the record that says more.
    pub fn join(self, other: LearnedGame) -> LearnedGame {
        LearnedGame {
            plies: self.plies.max(other.plies),
            counted: self.counted.max(other.counted),
            game: match (self.game, other.game) {
                (Some(one), Some(other)) => Some(one.join(other)),
                (one, other) => one.or(other),
            },
            number: self.number.or(other.number),
        }
    }

    pub(in crate::book) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![codec::UNCHANGED_FORMAT, self.plies];
        let Some(game) = &self.game else {
            return bytes;
        };
        // A score is within ±64, and no game has more than 62 moves.
        let result = game.result.map_or(NO_RESULT, |score| score.discs() as i8);
        bytes.extend([self.counted, result as u8]);
        bytes.extend(game.year.unwrap_or(0).to_be_bytes());
        bytes.push(game.moves.len() as u8);
        bytes.extend(game.moves.iter().map(|square| square.index() as u8));
        for name in [&game.black, &game.white, &game.event] {
            let name = cut(name.as_deref().unwrap_or_default(), LONGEST_NAME);
            bytes.push(name.len() as u8);
            bytes.extend(name.as_bytes());
        }
        if let Some(number) = self.number {
            number.put(&mut bytes);
        }
        bytes
    }

    pub(in crate::book) fn from_bytes(bytes: &[u8]) -> Result<LearnedGame, CodecError> {
        codec::check_format(bytes)?;
        let found = bytes.len();
        let mut rest = Bytes(bytes);
        let short = CodecError::Length { found, expected: 2 };
        let (Some(_), Some(plies)) = (rest.one(), rest.one()) else {
            return Err(short);
        };
        if rest.0.is_empty() {
            return Ok(LearnedGame {
                plies,
                counted: plies.saturating_add(1),
                game: None,
                number: None,
            });
        }
        let counted = rest.one().unwrap_or_default();
        let game = rest.game();
        let game = game.ok_or_else(|| CodecError::Other("it is no game".into()))?;
        let number = (!rest.0.is_empty()).then(|| GameNumber::from_bytes(rest.0));
        Ok(LearnedGame {
            plies,
            counted,
            game: Some(game),
            number: number.transpose()?,
        })
    }
}

/// A name as it is when it comes back from the archive.
pub fn archived_name(name: &str) -> Option<Name> {
    Name::tidy(cut(name, LONGEST_NAME))
}

/// The longest beginning of a text within some bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let fits = (0..=bytes).rev().find_map(|end| text.get(..end));
    fits.filter(|_| text.len() > bytes).unwrap_or(text)
}

/// What is left of a record.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn one(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn some(&mut self, count: u8) -> Option<&'a [u8]> {
        let (some, rest) = self.0.split_at_checked(usize::from(count))?;
        self.0 = rest;
        Some(some)
    }

    fn game(&mut self) -> Option<ArchivedGame> {
        let result = match self.one()? as i8 {
            NO_RESULT => None,
            discs => Some(Score::new(discs.into())?),
        };
        let year = u16::from_be_bytes([self.one()?, self.one()?]);
        let count = self.one()?;
        let moves: Vec<Square> = self
            .some(count)?
            .iter()
            .map(|&index| Square::new(index))
            .collect::<Option<_>>()?;
        let mut names = [None, None, None];
        for name in &mut names {
            let length = self.one()?;
            *name = Name::tidy(std::str::from_utf8(self.some(length)?).ok()?);
        }
        let [black, white, event] = names;
        Some(ArchivedGame {
            moves,
            result,
            year: (year != 0).then_some(year),
            black,
            white,
            event,
        })
    }
}

/// The four symmetries under which the start position is itself.
fn symmetries_of_the_start() -> impl Iterator<Item = Symmetry> {
    Symmetry::all().filter(|symmetry| Board::START.under(*symmetry) == Board::START)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Date, Details, Moves, SampleGames};
    use crate::othello::MoveList;

    fn archived(text: &str, details: Details) -> ArchivedGame {
        let list = MoveList::parse(Position::START, text).unwrap();
        let moves = Moves::try_from(&list.moves[..]).unwrap();
        ArchivedGame::of(&Game::new(Position::START, moves, details).unwrap()).unwrap()
    }

    #[test]
    fn all_images_of_a_game_are_kept_alike() {
        let all = ["f5d6c3", "c4e3f6", "e6f4c3", "d3c5f6"].map(|t| archived(t, Details::default()));
        assert!(all.iter().all(|game| *game == all[0]));
    }

    #[test]
    fn the_golden_bytes_of_a_game() {
        let details = Details {
            black: Name::tidy("Rose"),
            date: Date::year_only(1990),
            result: Score::new(-2),
            ..Details::default()
        };
        let learned = LearnedGame {
            plies: 40,
            counted: 3,
            game: Some(archived("e6f4", details)),
            number: None,
        };
        let bytes = learned.to_bytes();
        let expected = [
            1, 40, 3, 0xfe, 7, 0xc6, 2, 37, 43, 4, b'R', b'o', b's', b'e', 0, 0,
        ];
        assert_eq!(bytes, expected);
        assert_eq!(LearnedGame::from_bytes(&bytes), Ok(learned));
        let early = LearnedGame::from_bytes(&[1, 40]).unwrap();
        assert_eq!((early.plies, &early.game), (40, &None));
        assert_eq!(early.to_bytes(), [1, 40]);
    }

    #[test]
    fn what_is_no_game_is_an_error() {
        let good = LearnedGame {
            plies: 40,
            counted: 4,
            game: Some(archived("f5d6c3", Details::default())),
            number: None,
        };
        let good = good.to_bytes();
        for length in 0..good.len() {
            let read = LearnedGame::from_bytes(&good[..length]);
            assert_eq!(read.is_ok(), length == 2, "{length} bytes");
        }
        let longer = [&good[..], &[0, 0]].concat();
        assert!(LearnedGame::from_bytes(&longer).is_err());
        assert!(LearnedGame::from_bytes(&[9, 40]).is_err());
    }

    #[test]
    fn every_game_reads_back() {
        for game in SampleGames::new(3).take(50) {
            let learned = LearnedGame {
                plies: 60,
                counted: 61,
                game: ArchivedGame::of(&game),
                number: Some(GameNumber(70_000)),
            };
            assert!(learned.game.is_some());
            assert_eq!(LearnedGame::from_bytes(&learned.to_bytes()), Ok(learned));
        }
    }

    #[test]
    fn the_richer_record_of_a_game_stands_from_both_sides() {
        let known = Details {
            black: Name::tidy("Rose"),
            ..Details::default()
        };
        let rich = LearnedGame {
            plies: 10,
            counted: 3,
            game: Some(archived("f5d6", known)),
            number: Some(GameNumber(300)),
        };
        let poor = LearnedGame {
            plies: 20,
            counted: 2,
            game: Some(archived("f5d6", Details::default())),
            number: None,
        };
        let joined = rich.clone().join(poor.clone());
        assert_eq!(joined, poor.join(rich.clone()));
        assert_eq!((joined.plies, joined.counted), (20, 3));
        assert_eq!(joined.game, rich.game);
    }

    #[test]
    fn a_game_is_shown_in_the_orientation_of_the_question() {
        let game = archived("f5d6c3", Details::default());
        let asked = MoveList::parse(Position::START, "d3c5").unwrap();
        let (shown, start) = game.through(asked.end.board).unwrap();
        assert_eq!(start, Position::START);
        let text: Vec<String> = shown.moves.iter().map(Square::to_string).collect();
        assert_eq!(text, ["d3", "c5", "f6"]);
        let elsewhere = MoveList::parse(Position::START, "d3c3").unwrap();
        assert_eq!(game.through(elsewhere.end.board), None);
    }
}
