//! One searcher, one order at a time.

use super::order::{Order, OrderError};
use super::report::to_json;
use crate::eval::Evaluator;
use crate::othello::Square;
use crate::search::{InSlices, SearchResult, Searcher, Slice, bench, pick};
use std::cmp::Reverse;
use std::time::Duration;

/// The engine of a page's worker.
pub struct Engine {
    searcher: Searcher,
    under_way: Option<UnderWay>,
}

struct UnderWay {
    order: Order,
    search: InSlices,
    /// Of the last iteration that was finished.
    found: Option<SearchResult>,
}

/// What a slice brought, as JSON where it is something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    Nothing,
    Deeper(String),
    Done(String),
}

impl Engine {
    pub fn new(evaluator: &'static Evaluator, table_bytes: usize) -> Engine {
        Engine {
            searcher: Searcher::with_weights(table_bytes, evaluator),
            under_way: None,
        }
    }

    /// Forgets all earlier searches: the next game should not depend on the last one.
    pub fn forget(&mut self) {
        self.under_way = None;
        self.searcher.clear();
    }

    /// Begins what is asked for, and leaves what was under way.
    pub fn begin(&mut self, order: &str) -> Result<(), OrderError> {
        let order = Order::parse(order)?;
        self.under_way = Some(UnderWay {
            search: InSlices::new(&self.searcher, order.board, order.limits),
            order,
            found: None,
        });
        Ok(())
    }

    /// Searches for about so long. Without an order there is nothing to tell.
    pub fn go_on(&mut self, time: Duration) -> Told {
        let Some(under_way) = &mut self.under_way else {
            return Told::Nothing;
        };
        let UnderWay {
            order,
            search,
            found,
        } = under_way;
        let left = order.time.map(|time| time.saturating_sub(search.elapsed()));
        let slice = search.go_on(&self.searcher, left.map_or(time, |left| left.min(time)));
        let finished = matches!(slice, Slice::Finished(_));
        let is_news = match slice {
            Slice::Unfinished => false,
            Slice::Deeper(result) | Slice::Finished(result) => {
                *found = Some(result);
                true
            }
        };
        let is_late = order.time.is_some_and(|time| search.elapsed() >= time);
        match found {
            Some(result) if finished || is_late => {
                let told = to_json(result, chosen(order, result));
                self.under_way = None;
                Told::Done(told)
            }
            Some(result) if is_news => Told::Deeper(to_json(result, None)),
            _ => Told::Nothing,
        }
    }
}

/// The move that is played, where one was asked for.
fn chosen(order: &Order, result: &SearchResult) -> Option<(Square, i32)> {
    let choice = order.choice?;
    let mut ranked: Vec<(Square, i32)> = result.moves.iter().map(|m| (m.square, m.value)).collect();
    ranked.sort_by_key(|(_, value)| Reverse(*value));
    let values: Vec<i32> = ranked.iter().map(|(_, value)| *value).collect();
    let place = pick(order.board, &values, choice.slack, choice.seed);
    let of_several = ranked.get(place).copied();
    of_several.or_else(|| Some((result.best?, result.value)))
}

/// One of the fixed searches of `emilia bench`, in one go: what it found, as JSON. None after the
/// last one.
pub fn run_bench(evaluator: &'static Evaluator, place: usize, depth: u32) -> Option<String> {
    let position = bench::positions(depth).ok()?.into_iter().nth(place)?;
    let searcher = Searcher::with_weights(bench::TABLE_BYTES, evaluator);
    let result = searcher.search(position.board, &position.limits);
    Some(to_json(&result, None))
}
