//! Who may search, and with what: a few searchers that requests borrow, some at a time for each
//! client. While others wait, whoever has searched for longest ends with what was found: two clients
//! with a minute each do not own a small server.

use super::clients::Client;
use super::problem::{Problem, What};
use super::settings::Settings;
use super::shares::{Share, Shares};
use crate::book::Store;
use crate::engine::{Allowance, Decision, Guest, Player, Plays, Policy, Who};
use crate::othello::Board;
use crate::search::{Searcher, StopButton};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// For the searches of others, and for a client's own that may just be ending.
const WAIT: Duration = Duration::from_secs(8);
const OWN_WAIT: Duration = Duration::from_secs(3);
/// Nobody need search for a shorter time than this because others wait.
const AT_LEAST: Duration = Duration::from_secs(4);
/// How often those who wait look whether somebody has searched for long enough.
const LOOK: Duration = Duration::from_millis(200);

pub struct Searches {
    permits: Arc<Semaphore>,
    limit: usize,
    clients: Arc<Shares>,
    table_bytes: usize,
    next: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Made when they are first needed, and kept with their tables.
    idle: Vec<Searcher>,
    /// Those that run: since when, and how to stop them.
    running: HashMap<u64, (Instant, StopButton)>,
    /// They were ended, and none begins any more.
    closing: bool,
}

/// The right to one search at a time, with a searcher and a button that stops it. Given back when
/// it is dropped.
pub struct Ticket {
    searches: Arc<Searches>,
    number: u64,
    button: StopButton,
    searcher: Option<Searcher>,
    _permits: (Share, OwnedSemaphorePermit),
}

impl Searches {
    pub fn new(settings: &Settings) -> Searches {
        let limit = settings.searches.max(1);
        Searches {
            permits: Arc::new(Semaphore::new(limit)),
            limit,
            clients: Shares::new(settings.searches_per_client),
            table_bytes: settings.table_bytes,
            next: AtomicU64::new(0),
            inner: Mutex::default(),
        }
    }

    /// A ticket, or why there is none.
    pub async fn ticket(self: &Arc<Searches>, client: Client) -> Result<Ticket, Problem> {
        // Counted before waiting, so that nobody can queue up more than his share.
        let (what, limit) = (What::Searches, self.clients.each());
        let share = self.clients.wait(client, OWN_WAIT).await;
        let share = share.ok_or(Problem::TooMany { what, limit })?;
        let permit = self.turn().await?;
        let number = self.next.fetch_add(1, Relaxed);
        let button = StopButton::new();
        let searcher = {
            let mut inner = self.lock();
            // Whoever is among those that run when they are ended is ended with them; nobody
            // joins them later.
            if inner.closing {
                return Err(Problem::Closing);
            }
            let running = (Instant::now(), button.clone());
            inner.running.insert(number, running);
            inner.idle.pop()
        };
        Ok(Ticket {
            searches: self.clone(),
            number,
            button,
            searcher,
            _permits: (share, permit),
        })
    }

    /// Waits for one of the searches.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let began = Instant::now();
        let mut permit = pin!(self.permits.clone().acquire_owned());
        loop {
            match tokio::time::timeout(LOOK, permit.as_mut()).await {
                Ok(permit) => return permit.map_err(|_| Problem::Closing),
                Err(_) if began.elapsed() >= WAIT => return Err(Problem::Busy),
                Err(_) => self.make_room(),
            }
        }
    }

    /// Ends the search that has run for longest, if that was long enough.
    fn make_room(&self) {
        let inner = self.lock();
        if let Some((since, button)) = inner.running.values().min_by_key(|(since, _)| *since)
            && since.elapsed() >= AT_LEAST
        {
            button.press();
        }
    }

    /// How many are running.
    pub fn running(&self) -> usize {
        self.limit - self.permits.available_permits().min(self.limit)
    }

    /// Ends all searches, and begins no more.
    pub fn close(&self) {
        self.permits.close();
        let mut inner = self.lock();
        inner.closing = true;
        for (_, button) in inner.running.values() {
            button.press();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut inner = self.searches.lock();
        inner.running.remove(&self.number);
        inner.idle.extend(self.searcher.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    #[tokio::test]
    async fn a_client_gets_his_share_and_no_more() {
        let searches = Arc::new(Searches::new(&Settings {
            searches: 3,
            searches_per_client: 2,
            ..Settings::default()
        }));
        let [one, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)).into());
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
