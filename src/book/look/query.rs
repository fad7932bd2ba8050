//! What the book says about a position, in the orientation it was asked in.

use crate::book::edge::{Destination, Edge, Sign, edges};
use crate::book::find::{Among, FindError, Selection};
use crate::book::key::NodeKey;
use crate::book::node::{Bounds, Level, Node, Value};
use crate::book::openings::{Opening, Openings};
use crate::book::parents::ParentFinder;
use crate::book::statistics::Statistics;
use crate::book::store::{Flag, Reader, Record, StoreError};
use crate::othello::{Position, Square};
use std::cmp::Reverse;

/// A position and all its legal moves.
#[derive(Clone, Debug)]
pub struct Answer {
    /// As it was asked, with a forced pass made.
    pub position: Position,
    /// None if the book does not have it.
    pub node: Option<Node>,
    /// The best move, where the value rests on one.
    pub best: Option<Square>,
    /// None also where they are not counted to the end.
    pub statistics: Option<Statistics>,
    /// From how many positions of the book a move leads here, if that was counted.
    pub ways_in: Option<usize>,
    /// The best one first; what is unknown last.
    pub moves: Vec<MoveAnswer>,
    /// No change waits to be carried up; otherwise values may still be old.
    pub settled: bool,
}

/// One legal move, seen by the player who makes it.
#[derive(Clone, Debug)]
pub struct MoveAnswer {
    pub square: Square,
    pub known: Known,
    pub value: Option<Value>,
    pub bounds: Bounds,
    /// The search behind the value, where it is the position's own.
    pub level: Option<Level>,
    /// The value comes from positions of the book farther on, not from a search of this one alone.
    pub leads_on: bool,
    pub statistics: Option<Statistics>,
    /// From how many positions of the book a move leads to the same one.
    pub ways_in: Option<usize>,
    /// The opening that the move leads to, if the position has a name of its own.
    pub opening: Option<&'static Opening>,
}

/// What the book has on a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// The position it leads to.
    InBook,
    /// The move ends the game.
    Ends,
    /// A search found it best of those that are not in the book.
    Alternative,
    Nothing,
}

/// Whether to find out how positions are reached, which takes many looks into the book for each
/// of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ways {
    Counted,
    LeftOut,
}

/// Looks a position up, with everything there is to know.
///
/// ```
/// use emilia::book::{Learner, Plan, Store, query};
/// use emilia::othello::Position;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("book");
/// # let book = Store::open_or_create(&path)?;
/// # let games: Vec<_> = emilia::games::SampleGames::new(1).take(100).collect();
/// # let plan = Plan { plies: 20, min_games: 1, games_at_once: 1000 };
/// # let mut learner = Learner::new(&book, plan);
/// # learner.add(&games)?;
/// # learner.finish()?;
/// # drop(book);
/// let book = Store::open_read_only(&path)?;
/// let answer = query(&book.reader(), Position::START)?;
/// for found in &answer.moves {
///     let games = found.statistics.map_or(0, |statistics| statistics.games);
///     println!("{} was played {games} times", found.square);
/// }
/// assert_eq!(answer.statistics.map(|statistics| statistics.games), Some(100));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn query(reader: &Reader<'_>, position: Position) -> Result<Answer, StoreError> {
    look_up(reader, position, Ways::Counted)
}

/// Looks a position up.
pub fn look_up(reader: &Reader<'_>, position: Position, ways: Ways) -> Result<Answer, StoreError> {
    let is_counted = !reader.flag(Flag::HalfCounted)?;
    look_up_with(reader, position, ways, |mut records, _| {
        if !is_counted {
            records
                .iter_mut()
                .for_each(|record| record.statistics = None);
        }
        Ok(records)
    })
}

/// Looks a position up, with the statistics of some games only. The position of the selection
/// means nothing here. An error if it is over before all games are counted.
pub fn look_up_among(
    reader: &Reader<'_>,
    position: Position,
    ways: Ways,
    games: &Selection,
    is_over: &dyn Fn() -> bool,
) -> Result<Answer, FindError> {
    let mut among = Among::new(reader, games, is_over)?;
    look_up_with(reader, position, ways, |mut records, keys| {
        for (record, key) in records.iter_mut().zip(keys) {
            record.statistics = among.statistics(*key)?;
        }
        Ok(records)
    })
}

/// Looks a position up, with what somebody makes of the records.
fn look_up_with<E: From<StoreError>>(
    reader: &Reader<'_>,
    position: Position,
    ways: Ways,
    seen: impl FnOnce(Vec<Record>, &[NodeKey]) -> Result<Vec<Record>, E>,
) -> Result<Answer, E> {
    let position = position.after_forced_pass();
    let (key, symmetry) = NodeKey::with_symmetry(position.board);
    let as_asked = |square| symmetry.inverse().apply_to_square(square);
    let edges = edges(position.board);
    // In rising order, which is read fastest; moves of a symmetric board may lead to one position.
    let mut keys = vec![key];
    keys.extend(edges.iter().filter_map(Edge::child));
    keys.sort_unstable();
    keys.dedup();
    let records = seen(reader.records(&keys)?, &keys)?;
    let record = |key| {
        let place = keys.binary_search(&key);
        place.map_or_else(|_| Record::default(), |place| records[place])
    };
    let Record { node, statistics } = record(key);
    let mut finder = match ways {
        Ways::Counted => Some(ParentFinder::new(reader)?),
        Ways::LeftOut => None,
    };
    let mut ways_in = |key| -> Result<Option<usize>, StoreError> {
        let finder = finder.as_mut();
        finder.map(|finder| Ok(finder.find(key)?.len())).transpose()
    };
    let alternative = node.and_then(|node| node.alternative);

    let mut moves = Vec::with_capacity(edges.len());
    for edge in edges {
        let mut answer = MoveAnswer {
            square: edge.square,
            known: Known::Nothing,
            value: None,
            bounds: Bounds::UNKNOWN,
            level: None,
            leads_on: false,
            statistics: None,
            ways_in: None,
            opening: None,
        };
        match edge.to {
            Destination::End(score) => {
                answer.known = Known::Ends;
                answer.value = Some(Value::of_score(score));
                answer.bounds = Bounds {
                    lower: score,
                    upper: score,
                };
            }
            Destination::Position { key, sign } => {
                let Record { node, statistics } = record(key);
                answer.opening = Openings::shipped().of_key(key);
                answer.statistics = statistics.map(|statistics| match sign {
                    Sign::Minus => statistics.for_the_other(),
                    Sign::Plus => statistics,
                });
                if let Some(child) = node {
                    answer.known = Known::InBook;
                    answer.value = child.derived.value.map(|value| sign.value(value));
                    answer.bounds = sign.bounds(child.derived.bounds);
                    answer.level = child.evaluation.map(|evaluation| evaluation.level);
                    answer.leads_on = child.derived.leads_on;
                    answer.ways_in = ways_in(key)?;
                }
                // Until its position has a value, what a search said of the move stands.
                if answer.value.is_none()
                    && let Some(alternative) = alternative
                    && alternative.found.square().map(as_asked) == Some(edge.square)
                {
                    if answer.known == Known::Nothing {
                        answer.known = Known::Alternative;
                    }
                    answer.value = Some(alternative.found.value());
                    answer.level = Some(alternative.level);
                }
            }
        }
        moves.push(answer);
    }
    let best = node.and_then(|node| node.derived.best).map(as_asked);
    moves.sort_by_key(|answer| {
        let games = answer.statistics.map_or(0, |statistics| statistics.games);
        let is_best = best == Some(answer.square);
        (Reverse((is_best, answer.value, games)), answer.square)
    });
    Ok(Answer {
        position,
        node,
        best,
        statistics,
        ways_in: ways_in(key)?,
        moves,
        settled: reader.is_settled()?,
    })
}
