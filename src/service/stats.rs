//! `GET /api/v1/stats`: how large the book is. How many positions and games it has is counted at
//! once; what takes a walk through the whole book is counted in the background, once after each
//! change; while another process changes the book all the time, now and then.

use super::problem::Problem;
use super::shared::{Shared, off_thread};
use crate::book::{self, Store, StoreError, Table, summarise};
use crate::view::{StatsView, SummaryView};
use axum::Json;
use axum::extract::State;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Of a book that another process changes, counting takes at most this part of the time.
const COUNTING_PART: u32 = 5;
const SHORTEST_PAUSE: Duration = Duration::from_secs(2);
/// Who asks waits so long for the first numbers, which is enough for some million positions.
const PATIENCE: Duration = Duration::from_secs(2);

/// What was counted last, and whether that goes on.
#[derive(Clone)]
pub struct Counted(Arc<Inner>);

struct Inner {
    store: Arc<Store>,
    last: watch::Sender<Last>,
    counting: AtomicBool,
    /// How many counts were begun.
    counts: AtomicU64,
    stale: AtomicBool,
}

#[derive(Clone, Default)]
struct Last {
    sizes: Option<Sizes>,
    walk: Option<Walk>,
}

/// How many records the book has.
#[derive(Clone, Copy)]
struct Sizes {
    positions: u64,
    games: u64,
    /// In which count they were found.
    count: u64,
}

/// What a walk through the whole book found.
#[derive(Clone)]
struct Walk {
    view: SummaryView,
    /// What was walked through.
    state: book::State,
    ended: Instant,
    took: Duration,
}

impl Walk {
    /// Another process has changed the book since, and it is time to count again.
    fn is_outdated(&self, store: &Store) -> bool {
        let pause = SHORTEST_PAUSE.max(COUNTING_PART * self.took);
        !store.is_ours() && self.state != store.state() && self.ended.elapsed() > pause
    }

    /// Another process has put another book in its place.
    fn is_of_another_book(&self, store: &Store) -> bool {
        self.state.is_of_another_book(&store.state())
    }
}

impl Counted {
    pub fn new(store: Arc<Store>) -> Counted {
        Counted(Arc::new(Inner {
            store,
            last: watch::Sender::default(),
            counting: AtomicBool::new(false),
            counts: AtomicU64::new(0),
            stale: AtomicBool::new(true),
        }))
    }

    /// The book has changed: the next who asks has it counted again.
    pub fn book_changed(&self) {
        self.0.stale.store(true, Relaxed);
    }

    /// The last count, and whether a new one is under way; begins one if it is old. Whoever asks
    /// first, or first after a change, waits a moment for the numbers of records.
    async fn get(&self) -> (Last, bool) {
        let inner = &self.0;
        let mut changes = inner.last.subscribe();
        let walk_is = |what: fn(&Walk, &Store) -> bool| {
            let last = inner.last.borrow();
            last.walk
                .as_ref()
                .is_some_and(|walk| what(walk, &inner.store))
        };
        if walk_is(Walk::is_of_another_book) {
            inner.last.send_replace(Last::default());
            self.book_changed();
        }
        let outdated = walk_is(Walk::is_outdated);
        if (inner.stale.load(Relaxed) || outdated) && !inner.counting.swap(true, Relaxed) {
            inner.stale.store(false, Relaxed);
            let number = inner.counts.fetch_add(1, Relaxed) + 1;
            let counted = self.clone();
            tokio::task::spawn_blocking(move || counted.count(number));
        }
        if inner.counting.load(Relaxed) {
            let number = inner.counts.load(Relaxed);
            let is_new = |last: &Last| last.sizes.is_some_and(|sizes| sizes.count >= number);
            // Without an answer in time, the one before it is given.
            let _ = tokio::time::timeout(PATIENCE, changes.wait_for(is_new)).await;
        }
        let last = inner.last.borrow().clone();
        (last, inner.counting.load(Relaxed))
    }

    fn count(&self, number: u64) {
        if let Err(error) = self.try_to_count(number) {
            tracing::error!(%error, "the book cannot be counted");
        }
        self.0.counting.store(false, Relaxed);
    }

    fn try_to_count(&self, number: u64) -> Result<(), StoreError> {
        let Inner { store, last, .. } = &*self.0;
        store.catch_up();
        let (began, state) = (Instant::now(), store.state());
        let reader = store.snapshot();
        let sizes = Sizes {
            positions: reader.count(Table::Nodes)?,
            games: reader.count(Table::Games)?,
            count: number,
        };
        drop(reader);
        last.send_modify(|last| last.sizes = Some(sizes));
        let Some(summary) = summarise(store, &())? else {
            return Ok(());
        };
        let view = SummaryView::from(&summary);
        let walk = Walk {
            view,
            state,
            ended: Instant::now(),
            took: began.elapsed(),
        };
        last.send_modify(|last| last.walk = Some(walk));
        Ok(())
    }

    /// How many positions the book had when they were counted last.
    pub fn positions(&self) -> Option<u64> {
        let last = self.0.last.borrow();
        last.sizes.map(|sizes| sizes.positions)
    }
}

/// How large the book is, and what this server offers.
#[utoipa::path(get, path = "/api/v1/stats", tag = "book",
    responses((status = 200, body = StatsView)))]
pub async fn stats(State(shared): State<Arc<Shared>>) -> Result<Json<StatsView>, Problem> {
    let store = shared.store.clone();
    off_thread(move || {
        store.notice_replacement();
        Ok(())
    })
    .await?;
    let (Last { sizes, walk }, counting) = shared.counted.get().await;
    let this = shared.clone();
    shared
        .read(move |reader| {
            let store = &this.store;
            let mut bytes = 0;
            for table in Table::ALL {
                bytes += store.bytes_on_disk(table)?;
            }
            Ok(Json(StatsView {
                positions: sizes.map(|sizes| sizes.positions),
                games: sizes.map(|sizes| sizes.games),
                bytes,
                settled: reader.is_settled()?,
                writable: this.jobs.is_some(),
                cluster: this.cluster.is_some(),
                searches: this.settings.searches,
                searches_running: this.searches.running(),
                search_seconds: this.settings.search_time.as_secs_f64(),
                version: env!("CARGO_PKG_VERSION"),
                counting,
                counted: walk.map(|walk| walk.view),
            }))
        })
        .await
}
