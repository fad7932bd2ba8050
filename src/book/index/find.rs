//! Finding games: through a position, of a player, of an event, of some years, with some result,
//! and all of that together.

use super::facts::Facts;
use super::key::IndexKey;
use super::list::{self, GameNumber};
use super::tally::Tally;
use crate::book::archive::ArchivedGame;
use crate::book::key::NodeKey;
use crate::book::parents::ParentFinder;
use crate::book::statistics::Statistics;
use crate::book::store::{Reader, StoreError};
use crate::othello::{Board, Position};
use std::path::PathBuf;
use std::str::FromStr;

/// Which games are meant: all that fulfil everything that is said here.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Selection {
    /// They went through it, in any orientation.
    pub position: Option<Position>,
    /// Black or White has this name or, if nobody has it, one that begins like this.
    pub player: Option<String>,
    /// The same for the event.
    pub event: Option<String>,
    /// Played in these; a game without a date was not.
    pub years: Option<Years>,
    pub winner: Option<Winner>,
}

/// From the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Years {
    pub first: u16,
    pub last: u16,
}

/// `2013`, `2000-2015`, `2000-` or `-1990`.
impl FromStr for Years {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Years, &'static str> {
        let year = |text: &str| {
            let year = text.trim().parse().ok().filter(|year| *year > 0);
            year.ok_or("years are written as 2013, 2000-2015, 2000- or -1990")
        };
        let years = match text.split_once('-') {
            None => {
                let year = year(text)?;
                Years {
                    first: year,
                    last: year,
                }
            }
            Some((first, last)) if first.is_empty() != last.is_empty() => Years {
                first: if first.is_empty() { 1 } else { year(first)? },
                last: if last.is_empty() {
                    u16::MAX
                } else {
                    year(last)?
                },
            },
            Some((first, last)) => Years {
                first: year(first)?,
                last: year(last)?,
            },
        };
        if years.first > years.last {
            return Err("the first year comes first, as in 2000-2015");
        }
        Ok(years)
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Winner {
    Black,
    White,
    /// It was a draw.
    Nobody,
}

impl FromStr for Winner {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Winner, &'static str> {
        match text.trim().to_lowercase().as_str() {
            "black" => Ok(Winner::Black),
            "white" => Ok(Winner::White),
            "draw" => Ok(Winner::Nobody),
            _ => Err("a result is black, white or draw"),
        }
    }
}

/// A part of the games that were found, which are in the order in which the book learned them: a
/// page stays the same while games come in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Only games after this one.
    pub after: Option<GameNumber>,
    pub limit: usize,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FoundGames {
    /// How many there are, on all pages.
    pub total: u64,
    pub games: Vec<FoundGame>,
    /// After this one the next page begins; none on the last.
    pub next: Option<GameNumber>,
    /// The players that were meant, in small letters, if a name was given.
    pub players: Vec<String>,
    pub events: Vec<String>,
}

/// A game of the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundGame {
    pub number: GameNumber,
    /// Turned so that it goes through the position as it was asked for.
    pub game: ArchivedGame,
    /// Where it begins then: the start position, but for a question about a board that no game
    /// reaches as it stands, only its mirror images.
    pub start: Position,
}

#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error(
        "the games of the book in {path} are not indexed yet; emilia book index-games --book \
         {path} does it, once"
    )]
    NotIndexed { path: PathBuf },
    #[error("the games were not all gone through: it took too long, or nobody waits any more")]
    Over,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Games that are gone through before it is asked again whether all is over.
const AT_ONCE: usize = 4096;

/// The games that are meant; an error if it is over before they are found.
pub fn find_games(
    reader: &Reader<'_>,
    selection: &Selection,
    page: Page,
    is_over: &dyn Fn() -> bool,
) -> Result<FoundGames, FindError> {
    let mut among = Among::new(reader, selection, is_over)?;
    let numbers = match selection.position {
        Some(position) => {
            let board = position.after_forced_pass().board;
            among.of(match board.is_over() {
                true => games_that_end_with(reader, board)?,
                false => reader.games_at(NodeKey::of(board))?,
            })?
        }
        None => among.all()?,
    };
    let begin = page.after.map_or(0, |after| {
        numbers.partition_point(|number| *number <= after)
    });
    let end = numbers.len().min(begin.saturating_add(page.limit));
    let shown = &numbers[begin..end];
    let mut games = Vec::with_capacity(shown.len());
    for (number, learned) in shown.iter().zip(reader.numbered_games(shown)?) {
        let Some(game) = learned.and_then(|learned| learned.game) else {
            continue;
        };
        let turned = match selection.position {
            Some(position) => through(&game, position.after_forced_pass().board),
            None => Some((game, Position::START)),
        };
        games.extend(turned.map(|(game, start)| FoundGame {
            number: *number,
            game,
            start,
        }));
    }
    Ok(FoundGames {
        total: numbers.len() as u64,
        games,
        next: shown.last().filter(|_| end < numbers.len()).copied(),
        players: among.players,
        events: among.events,
    })
}

/// The last position of a game is not in the book, and so on no list: those before it are.
fn games_that_end_with(reader: &Reader<'_>, end: Board) -> Result<Vec<GameNumber>, StoreError> {
    let mut games = Vec::new();
    for before in ParentFinder::new(reader)?.before_the_end(end)? {
        let numbers = reader.games_at(before)?;
        let learned = reader.numbered_games(&numbers)?;
        let ends_so = |game: &ArchivedGame| through(game, end).is_some();
        let found = numbers.into_iter().zip(learned).filter(|(_, learned)| {
            let game = learned.as_ref().and_then(|learned| learned.game.as_ref());
            game.is_some_and(ends_so)
        });
        games.extend(found.map(|(number, _)| number));
    }
    games.sort_unstable();
    games.dedup();
    Ok(games)
}

/// The game turned so that it goes through this board. Where it ends it is nobody's turn: after a
/// pass on the way another player may have moved last than in the game that was asked about.
fn through(game: &ArchivedGame, board: Board) -> Option<(ArchivedGame, Position)> {
    game.through(board).or_else(|| {
        let is_over = board.is_over();
        is_over.then(|| game.through(board.pass())).flatten()
    })
}

/// What some games say about positions; the position of the selection means nothing here.
pub struct Among<'a> {
    tally: Tally<'a>,
    reader: &'a Reader<'a>,
    is_over: &'a dyn Fn() -> bool,
    /// In one of these lists, if there are any: of the player, of the event.
    named: Vec<Vec<GameNumber>>,
    years: Option<Years>,
    winner: Option<Winner>,
    players: Vec<String>,
    events: Vec<String>,
}

impl<'a> Among<'a> {
    pub fn new(
        reader: &'a Reader<'a>,
        selection: &Selection,
        is_over: &'a dyn Fn() -> bool,
    ) -> Result<Among<'a>, FindError> {
        if !reader.is_indexed()? {
            let path = reader.path().to_owned();
            return Err(FindError::NotIndexed { path });
        }
        let mut among = Among {
            tally: Tally::new(reader),
            reader,
            is_over,
            named: Vec::new(),
            years: selection.years,
            winner: selection.winner,
            players: Vec::new(),
            events: Vec::new(),
        };
        if let Some(name) = &selection.player {
            among.players = among.add(reader.lists_named(name, IndexKey::Player, is_over)?);
        }
        if let Some(name) = &selection.event {
            among.events = among.add(reader.lists_named(name, IndexKey::Event, is_over)?);
        }
        among.go_on()?;
        Ok(among)
    }

    fn go_on(&self) -> Result<(), FindError> {
        if (self.is_over)() {
            return Err(FindError::Over);
        }
        Ok(())
    }

    /// Gives the names.
    fn add(&mut self, found: Vec<(String, Vec<GameNumber>)>) -> Vec<String> {
        let (names, lists): (Vec<String>, Vec<Vec<GameNumber>>) = found.into_iter().unzip();
        let mut all: Vec<GameNumber> = lists.into_iter().flatten().collect();
        all.sort();
        all.dedup();
        self.named.push(all);
        names
    }

    /// What the games that are meant say about a position, if one of them went there.
    pub fn statistics(&mut self, key: NodeKey) -> Result<Option<Statistics>, FindError> {
        let games = self.of(self.reader.games_at(key)?)?;
        let mut statistics = Statistics::default();
        for some in games.chunks(AT_ONCE) {
            self.go_on()?;
            statistics.add(&self.tally.statistics(key, some)?);
        }
        Ok((statistics.games > 0).then_some(statistics))
    }

    fn all(&mut self) -> Result<Vec<GameNumber>, FindError> {
        let games = match self.named.pop() {
            Some(list) => list,
            None => self.tally.all(self.is_over)?,
        };
        self.of(games)
    }

    /// Those of these games that are meant.
    fn of(&mut self, mut games: Vec<GameNumber>) -> Result<Vec<GameNumber>, FindError> {
        self.go_on()?;
        for list in &self.named {
            games = list::common(&games, list);
        }
        if self.years.is_none() && self.winner.is_none() {
            return Ok(games);
        }
        let mut left = Vec::new();
        for some in games.chunks(AT_ONCE) {
            self.go_on()?;
            for &game in some {
                if let Some(facts) = self.tally.facts(game)?
                    && self.means(&facts)
                {
                    left.push(game);
                }
            }
        }
        Ok(left)
    }

    fn means(&self, facts: &Facts) -> bool {
        let in_time = self.years.is_none_or(|Years { first, last }| {
            let year = facts.year;
            year.is_some_and(|year| (first..=last).contains(&year))
        });
        let winner = facts.result.map(|score| match score.discs() {
            0 => Winner::Nobody,
            discs if discs > 0 => Winner::Black,
            _ => Winner::White,
        });
        in_time && self.winner.is_none_or(|meant| winner == Some(meant))
    }
}
