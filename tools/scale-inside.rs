//! What `tools/scale` measures inside one process: a book that stays open answers, and hears of
//! news, many times. Run as `scale --inside WHAT BOOK`; tells one line.

use crate::Outcome;
use emilia::book::{
    Alternative, EngineNumber, Family, Found, Level, Mark, NodeKey, Store, Value, query,
    settle_by_queue,
};
use emilia::games::SampleGames;
use emilia::othello::{MoveList, Position, Random};
use std::path::Path;
use std::time::{Duration, Instant};

/// So many positions, each of another game.
const POSITIONS: usize = 500;

/// Measures it in a book that has the games of this seed.
pub fn measure(what: &str, book: &Path, seed: u64) -> Outcome<()> {
    let times = match what {
        "query" => queries(&Store::open_read_only(book)?, seed)?,
        "update" => updates(&Store::open(book)?, seed)?,
        _ => return Err(format!("{what} is nothing to measure").into()),
    };
    let (first, warm) = times;
    println!("{}; again {}", told(first), told(warm));
    Ok(())
}

/// A position of each game, from the opening to the endgame.
fn positions(seed: u64) -> impl Iterator<Item = Position> {
    let games = SampleGames::new(seed).take(POSITIONS);
    games.enumerate().filter_map(|(number, game)| {
        let moves = game.moves().get(..10 + number % 40)?;
        let list = emilia::othello::moves_to_string(moves);
        Some(MoveList::parse(Position::START, &list).ok()?.end)
    })
}

type Times = Vec<Duration>;

/// With the ways into the position, as `book query` shows it.
fn queries(store: &Store, seed: u64) -> Outcome<(Times, Times)> {
    let ask = || -> Outcome<Times> {
        let mut times = Vec::new();
        for position in positions(seed) {
            let began = Instant::now();
            query(&store.reader(), position)?;
            times.push(began.elapsed());
        }
        Ok(times)
    };
    Ok((ask()?, ask()?))
}

/// A search finds what a move is worth that leads out of the book: that is written, and everything
/// above hears of it.
fn updates(store: &Store, seed: u64) -> Outcome<(Times, Times)> {
    let mut random = Random::new(seed);
    let mut update = || -> Outcome<Times> {
        let mut times = Vec::new();
        for position in positions(seed) {
            let key = NodeKey::of(position.board);
            let reader = store.reader();
            let outside = Family::read(&reader, key)?.outside();
            let Some((mut node, square)) = reader.node(key)?.zip(outside.first()) else {
                continue;
            };
            let value = Value::new(random.below(4001) as i32 - 2000).unwrap_or(Value::ZERO);
            let began = Instant::now();
            node.alternative = Some(Alternative {
                found: Found::Move(square, value),
                level: Level {
                    depth: 12,
                    selectivity: 82,
                    solved: false,
                },
                engine: EngineNumber::UNKNOWN,
                among: key.board().legal_moves(),
            });
            let mut batch = store.batch()?;
            batch.put_node(key, &node);
            batch.mark(key, Mark::Changed, None);
            batch.commit()?;
            settle_by_queue(store, &())?;
            times.push(began.elapsed());
        }
        Ok(times)
    };
    Ok((update()?, update()?))
}

fn told(mut times: Times) -> String {
    times.sort_unstable();
    let part = |of_a_hundred: usize| {
        let place = times.len().saturating_sub(1) * of_a_hundred / 100;
        let time = times.get(place).copied().unwrap_or_default();
        format!("{:.2} ms", 1000.0 * time.as_secs_f64())
    };
    let count = times.len();
    format!(
        "{count} times: median {}, 99 % {}, longest {}",
        part(50),
        part(99),
        part(100)
    )
}
