//! What is asked of many games at once, in five bytes a game: the result, the year and who moved.
//! Rows of some thousand games each.

use super::list::GameNumber;
use crate::book::archive::ArchivedGame;
use crate::book::codec::CodecError;
use crate::book::statistics::Statistics;
use crate::othello::{Color, Score};

/// Games of one row.
pub const PER_ROW: u32 = 4096;
const BYTES: usize = 5;
/// No result is known; otherwise its discs, moved up so that 0 is no game.
const NO_RESULT: u8 = 255;
const MIDDLE: i32 = 100;
/// It never happens.
const NEVER: u8 = u8::MAX;

/// A game, but for its moves and names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// For Black.
    pub result: Option<Score>,
    pub year: Option<u16>,
    /// After so many moves somebody has passed: from then on White is to move where Black would
    /// be.
    first_pass: u8,
    /// After so many moves the passes have made up for each other.
    next_pass: u8,
}

impl Facts {
    pub fn of(game: &ArchivedGame) -> Facts {
        let mut passes = [NEVER; 2];
        let mut seen = 0;
        let positions = game.positions().map(|position| position.turn);
        // No game has more moves than fit a byte.
        for (plies, turn) in (0u8..).zip(positions) {
            let turned = turn != by_count(plies);
            if let Some(pass) = passes.get_mut(seen)
                && turned == (seen == 0)
            {
                *pass = plies;
                seen += 1;
            }
        }
        let [first_pass, next_pass] = passes;
        Facts {
            result: game.result,
            year: game.year,
            first_pass,
            next_pass,
        }
    }

    /// Who is to move after so many moves; none if only the game itself can tell.
    pub fn turn_after(&self, plies: u8) -> Option<Color> {
        let by_count = by_count(plies);
        if plies < self.first_pass {
            Some(by_count)
        } else if plies < self.next_pass {
            Some(by_count.other())
        } else {
            None
        }
    }

    /// What the game adds to the statistics of a position with this colour to move.
    pub fn statistics(&self, turn: Color) -> Statistics {
        let result = self.result.map(|score| match turn {
            Color::Black => score,
            Color::White => -score,
        });
        Statistics::of_game(result, self.year)
    }

    pub fn to_bytes(self) -> [u8; BYTES] {
        // A score is within ±64.
        let discs = self.result.map(|score| (score.discs() + MIDDLE) as u8);
        let [century, year] = self.year.unwrap_or(0).to_be_bytes();
        let result = discs.unwrap_or(NO_RESULT);
        [result, century, year, self.first_pass, self.next_pass]
    }

    fn from_bytes(bytes: [u8; BYTES]) -> Option<Facts> {
        let [result, century, year, first_pass, next_pass] = bytes;
        let result = match result {
            0 => return None,
            NO_RESULT => None,
            discs => Score::new(i32::from(discs) - MIDDLE),
        };
        let year = u16::from_be_bytes([century, year]);
        Some(Facts {
            result,
            year: (year != 0).then_some(year),
            first_pass,
            next_pass,
        })
    }
}

/// Who is to move if nobody has passed.
const fn by_count(plies: u8) -> Color {
    if plies.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}

/// The facts of neighbouring games.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Row(Vec<u8>);

impl Row {
    pub fn number_of(game: GameNumber) -> u32 {
        game.0 / PER_ROW
    }

    /// The row of this number can be there, and these are whole games, no more than a row has.
    pub fn check(row: u32, bytes: &[u8]) -> Result<(), CodecError> {
        if row.checked_mul(PER_ROW).is_none() {
            return Err(CodecError::Other("no game is numbered so high".into()));
        }
        let found = bytes.len();
        let expected = (found / BYTES).min(PER_ROW as usize) * BYTES;
        if found != expected {
            return Err(CodecError::Length { found, expected });
        }
        Ok(())
    }

    /// What cannot be a game is none.
    pub fn from_bytes(bytes: &[u8]) -> Row {
        Row(bytes.to_vec())
    }

    pub fn to_bytes(&self) -> &[u8] {
        &self.0
    }

    /// None if there is no such game.
    pub fn get(&self, game: GameNumber) -> Option<Facts> {
        let place = (game.0 % PER_ROW) as usize * BYTES;
        let bytes = self.0.get(place..)?.first_chunk()?;
        Facts::from_bytes(*bytes)
    }

    pub fn set(&mut self, game: GameNumber, facts: Option<Facts>) {
        let place = (game.0 % PER_ROW) as usize * BYTES;
        let end = place + BYTES;
        if self.0.len() < end {
            self.0.resize(end, 0);
        }
        let bytes = facts.map_or([0; BYTES], Facts::to_bytes);
        self.0[place..end].copy_from_slice(&bytes);
    }

    /// The games of this row, which is that of this number; none if there is no such row.
    pub fn games(&self, row: u32) -> impl Iterator<Item = (GameNumber, Facts)> {
        let first = row.checked_mul(PER_ROW);
        let numbers = first.into_iter().flat_map(|first| first..=u32::MAX);
        let rows = self.0.chunks_exact(BYTES).zip(numbers);
        rows.filter_map(|(bytes, number)| {
            let facts = Facts::from_bytes(*bytes.first_chunk()?)?;
            Some((GameNumber(number), facts))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::SampleGames;

    #[test]
    fn facts_tell_what_the_game_tells() {
        let mut passed = 0;
        for game in SampleGames::new(11).take(300) {
            let game = ArchivedGame::of(&game).unwrap();
            let facts = Facts::of(&game);
            assert_eq!(Facts::from_bytes(facts.to_bytes()), Some(facts));
            for (plies, position) in (0..).zip(game.positions()) {
                let turn = facts.turn_after(plies);
                assert!(turn.is_none_or(|turn| turn == position.turn));
                passed += u32::from(turn.is_some_and(|turn| turn != by_count(plies)));
                assert_eq!(turn.is_none(), plies >= facts.next_pass);
            }
        }
        assert!(passed > 100, "{passed}");
    }

    #[test]
    fn a_row_has_the_games_that_were_set() {
        let game = ArchivedGame::of(&SampleGames::new(1).next().unwrap()).unwrap();
        let facts = Facts::of(&game);
        let mut row = Row::default();
        let first = GameNumber(PER_ROW + 2);
        row.set(first, Some(facts));
        row.set(GameNumber(PER_ROW + 9), Some(facts));
        row.set(GameNumber(PER_ROW + 9), None);
        assert_eq!(row.get(first), Some(facts));
        assert_eq!(row.get(GameNumber(PER_ROW)), None);
        let games: Vec<_> = row.games(1).collect();
        assert_eq!(games, [(first, facts)]);
    }

    #[test]
    fn rows_end_with_the_last_number() {
        let game = ArchivedGame::of(&SampleGames::new(1).next().unwrap()).unwrap();
        let facts = Facts::of(&game);
        let last = GameNumber(u32::MAX);
        let mut row = Row::default();
        row.set(last, Some(facts));
        let games: Vec<_> = row.games(Row::number_of(last)).collect();
        assert_eq!(games, [(last, facts)]);
        assert_eq!(row.games(Row::number_of(last) + 1).count(), 0);
        assert_eq!(row.games(u32::MAX).count(), 0);
    }
}
