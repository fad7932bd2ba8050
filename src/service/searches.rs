//! Who may search, and with what: a few searchers that requests borrow, some at a time for each
//! client.

use super::problem::Problem;
use super::settings::Settings;
use crate::book::Store;
use crate::engine::{Allowance, Decision, Guest, Player, Plays, Policy, Who};
use crate::othello::Board;
use crate::search::{Searcher, StopButton};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Somebody's search may just be ending.
const WAIT: Duration = Duration::from_secs(5);

pub struct Searches {
    permits: Arc<Semaphore>,
    limit: usize,
    per_client: usize,
    table_bytes: usize,
    closing: AtomicBool,
    next: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Made when they are first needed, and kept with their tables.
    idle: Vec<Searcher>,
    clients: HashMap<IpAddr, usize>,
    /// The stop buttons of those that run.
    running: HashMap<u64, StopButton>,
}

/// The right to one search at a time, with a searcher and a button that stops it. Given back when
/// it is dropped.
pub struct Ticket {
    searches: Arc<Searches>,
    client: IpAddr,
    number: u64,
    button: StopButton,
    searcher: Option<Searcher>,
    _permit: OwnedSemaphorePermit,
}

impl Searches {
    pub fn new(settings: &Settings) -> Searches {
        let limit = settings.searches.max(1);
        Searches {
            permits: Arc::new(Semaphore::new(limit)),
            limit,
            per_client: settings.searches_per_client.max(1),
            table_bytes: settings.table_bytes,
            closing: AtomicBool::new(false),
            next: AtomicU64::new(0),
            inner: Mutex::default(),
        }
    }

    /// A ticket, or why there is none.
    pub async fn ticket(self: &Arc<Searches>, client: IpAddr) -> Result<Ticket, Problem> {
        // Counted before waiting, so that nobody can queue up more than his share.
        let share = Share::take(self, client)?;
        let permits = self.permits.clone().acquire_owned();
        let permit = tokio::time::timeout(WAIT, permits)
            .await
            .map_err(|_| Problem::Busy)?
            .map_err(|_| Problem::Closing)?;
        if self.closing.load(Relaxed) {
            return Err(Problem::Closing);
        }
        let number = self.next.fetch_add(1, Relaxed);
        let button = StopButton::new();
        let searcher = {
            let mut inner = self.lock();
            inner.running.insert(number, button.clone());
            inner.idle.pop()
        };
        share.keep();
        Ok(Ticket {
            searches: self.clone(),
            client,
            number,
            button,
            searcher,
            _permit: permit,
        })
    }

    /// How many are running.
    pub fn running(&self) -> usize {
        self.limit - self.permits.available_permits().min(self.limit)
    }

    /// Ends all searches, and begins no more.
    pub fn close(&self) {
        self.closing.store(true, Relaxed);
        self.permits.close();
        for button in self.lock().running.values() {
            button.press();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back_share(&self, client: IpAddr) {
        let mut inner = self.lock();
        if let Some(count) = inner.clients.get_mut(&client) {
            *count -= 1;
            if *count == 0 {
                inner.clients.remove(&client);
            }
        }
    }
}

/// A client's count while he waits; given back unless it is kept.
struct Share<'a> {
    searches: &'a Searches,
    client: Option<IpAddr>,
}

impl<'a> Share<'a> {
    fn take(searches: &'a Searches, client: IpAddr) -> Result<Share<'a>, Problem> {
        let limit = searches.per_client;
        let mut inner = searches.lock();
        let count = inner.clients.entry(client).or_default();
        if *count >= limit {
            return Err(Problem::TooManySearches { limit });
        }
        *count += 1;
        Ok(Share {
            searches,
            client: Some(client),
        })
    }

    fn keep(mut self) {
        self.client = None;
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client {
            self.searches.give_back_share(client);
        }
    }
}

impl Ticket {
    pub fn button(&self) -> &StopButton {
        &self.button
    }

    /// Call it off the async threads: the first call fills a table.
    pub fn searcher(&mut self) -> &Searcher {
        self.searcher
            .get_or_insert_with(|| Searcher::new(self.searches.table_bytes))
    }

    /// Chooses a move as this player does with this policy. Off the async threads, as above.
    pub fn choose(
        &mut self,
        who: Who,
        board: Board,
        policy: Policy,
        book: Option<Arc<Store>>,
        allowance: Allowance,
    ) -> Decision {
        let book = book.filter(|_| who.uses_book());
        if let Who::Guest(listed) = who {
            let mut guest = Guest::new(listed, policy);
            if let Some(book) = book {
                guest.set_book(book);
            }
            return guest.choose(board, allowance, &self.button);
        }
        let searcher = self.searcher.take();
        let searcher = searcher.unwrap_or_else(|| Searcher::new(self.searches.table_bytes));
        let mut player = Player::new(searcher, policy);
        if let Some(book) = book {
            player.set_book(book);
        }
        let decision = player.choose(board, allowance, &self.button);
        self.searcher = Some(player.into_searcher());
        decision
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.searches.give_back_share(self.client);
        let mut inner = self.searches.lock();
        inner.running.remove(&self.number);
        inner.idle.extend(self.searcher.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[tokio::test]
    async fn a_client_gets_his_share_and_no_more() {
        let searches = Arc::new(Searches::new(&Settings {
            searches: 3,
            searches_per_client: 2,
            ..Settings::default()
        }));
        let [one, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)));
        let first = searches.ticket(one).await.unwrap();
        let _second = searches.ticket(one).await.unwrap();
        let refused = searches.ticket(one).await.err().unwrap();
        assert_eq!(refused.code(), "too_many_searches");
        let _third = searches.ticket(other).await.unwrap();
        assert_eq!(searches.running(), 3);
        let button = first.button().clone();
        drop(first);
        assert!(searches.ticket(one).await.is_ok());
        assert!(!button.is_pressed());

        let last = searches.ticket(one).await.unwrap();
        searches.close();
        assert!(last.button().is_pressed());
        assert_eq!(
            searches.ticket(other).await.err().unwrap().code(),
            "closing"
        );
    }
}
