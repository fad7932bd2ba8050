//! Statistics of some games in a position, from what the index knows of them.

use super::facts::{Facts, Row};
use super::list::GameNumber;
use crate::book::key::NodeKey;
use crate::book::statistics::Statistics;
use crate::book::store::{Reader, StoreError};

/// Looks facts up, each row once.
pub struct Tally<'a> {
    reader: &'a Reader<'a>,
    rows: Vec<Option<Row>>,
}

impl<'a> Tally<'a> {
    pub fn new(reader: &'a Reader<'a>) -> Tally<'a> {
        Tally {
            reader,
            rows: Vec::new(),
        }
    }

    /// None if there is no such game.
    pub fn facts(&mut self, game: GameNumber) -> Result<Option<Facts>, StoreError> {
        Ok(self.row(Row::number_of(game))?.get(game))
    }

    fn row(&mut self, number: u32) -> Result<&Row, StoreError> {
        let place = number as usize;
        if self.rows.len() <= place {
            self.rows.resize(place + 1, None);
        }
        let row = &mut self.rows[place];
        match row {
            Some(row) => Ok(row),
            None => Ok(row.insert(self.reader.facts(number)?)),
        }
    }

    /// All games of the book, in rising order, or the first of them if it is over before.
    pub fn all(&mut self, is_over: &dyn Fn() -> bool) -> Result<Vec<GameNumber>, StoreError> {
        let end = self.reader.next_game()?;
        let mut games = Vec::new();
        for number in 0..=Row::number_of(end) {
            if is_over() {
                break;
            }
            games.extend(self.row(number)?.games(number).map(|(game, _)| game));
        }
        Ok(games)
    }

    /// What these games say about a position that they went through.
    pub fn statistics(
        &mut self,
        key: NodeKey,
        games: &[GameNumber],
    ) -> Result<Statistics, StoreError> {
        let plies = key.layer().discs().saturating_sub(4);
        let mut sum = Statistics::default();
        let mut doubtful = Vec::new();
        for &game in games {
            let Some(facts) = self.facts(game)? else {
                continue;
            };
            match facts.turn_after(plies) {
                Some(turn) => sum.add(&facts.statistics(turn)),
                None => doubtful.push(game),
            }
        }
        for learned in self.reader.numbered_games(&doubtful)?.into_iter().flatten() {
            if let Some(game) = learned.game
                && let Some(position) = game.positions().nth(plies.into())
            {
                sum.add(&game.statistics(position.turn));
            }
        }
        Ok(sum)
    }
}
