//! `GET /api/stats`: how large the book is. What takes a walk through the whole book is counted in
//! the background, once after each change; while another process changes the book all the time,
//! now and then.

use super::gaps::{Gap, gaps};
use super::problem::Problem;
use super::shared::Shared;
use crate::book::{self, LayerSummary, Line, Openings, Store, Summary, Table, summarise};
use crate::othello::moves_to_string;
use crate::view::{EngineView, WantedView};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// How many of the widest gaps are told.
const GAPS: usize = 10;
/// Of a book that another process changes, counting takes at most this part of the time.
const COUNTING_PART: u32 = 5;
const SHORTEST_PAUSE: Duration = Duration::from_secs(2);

/// How large the book is, and what it can do here.
#[derive(Serialize, ToSchema)]
pub struct StatsView {
    /// About how many positions; exact in `counted`.
    positions: u64,
    games: u64,
    /// On the disk.
    bytes: u64,
    /// False while changes wait to be carried up.
    settled: bool,
    /// Uploads and expansions are possible with the token.
    writable: bool,
    /// Other machines search for it; /api/cluster tells which.
    cluster: bool,
    /// Searches that run at the same time, and those that run now.
    searches: usize,
    searches_running: usize,
    search_seconds: f64,
    version: &'static str,
    /// The book is being counted: what is in `counted` is from before its last change.
    counting: bool,
    /// Null until somebody has asked for it and it is counted.
    counted: Option<CountedView>,
}

/// What a walk through the whole book found.
#[derive(Serialize, ToSchema, Clone)]
pub struct CountedView {
    positions: u64,
    games: u64,
    positions_with_statistics: u64,
    bytes_per_position: Option<f64>,
    /// The best line and those that give away least, each of another opening.
    best_lines: Vec<BestLine>,
    /// The positions without a value that people reach most.
    gaps: Vec<GapView>,
    layers: Vec<LayerView>,
    /// Positions from games, by expansion and by import.
    origins: [u64; 3],
    /// Positions by the level of their own search.
    levels: BTreeMap<String, u64>,
    /// Positions by the engine that searched them.
    engines: Vec<EngineView>,
    /// What is still to be searched.
    wanted: Vec<WantedView>,
    /// Positions by value in discs, in steps of four, by the lower end of the step.
    values: BTreeMap<i32, u64>,
}

/// The positions with as many discs.
#[derive(Serialize, ToSchema, Clone)]
struct LayerView {
    discs: u32,
    positions: u64,
    /// How many of them have a value, and a proven one.
    valued: u64,
    exact: u64,
    /// Games of people that the book still follows here.
    games: u64,
}

/// A position that the book has no value for.
#[derive(Serialize, ToSchema, Clone)]
struct GapView {
    moves: String,
    opening: Option<&'static str>,
    games: u32,
}

impl From<&Gap> for GapView {
    fn from(gap: &Gap) -> GapView {
        let opening = Openings::shipped().of_moves(&gap.moves);
        GapView {
            moves: moves_to_string(&gap.moves),
            opening: opening.map(|opening| opening.name.as_str()),
            games: gap.games,
        }
    }
}

/// A line of best play, but for moves in its beginning that gave something away.
#[derive(Serialize, ToSchema, Clone)]
struct BestLine {
    moves: String,
    opening: Option<&'static str>,
    /// What Black gets in the end, in discs.
    black_value: f64,
    /// What both players together gave away.
    loss: f64,
}

impl From<&Line> for BestLine {
    fn from(line: &Line) -> BestLine {
        BestLine {
            moves: moves_to_string(&line.moves),
            opening: line.opening.map(|opening| opening.name.as_str()),
            black_value: line.value.discs(),
            loss: line.loss.discs(),
        }
    }
}

impl CountedView {
    fn new(summary: Summary, gaps: &[Gap]) -> CountedView {
        let layer = |layer: &LayerSummary| LayerView {
            discs: u32::from(layer.layer.discs()),
            positions: layer.positions,
            valued: layer.valued,
            exact: layer.exact,
            games: layer.games,
        };
        CountedView {
            positions: summary.positions,
            games: summary.games,
            positions_with_statistics: summary.positions_with_statistics,
            bytes_per_position: summary.bytes_per_position(),
            best_lines: summary.best_lines.iter().map(BestLine::from).collect(),
            gaps: gaps.iter().map(GapView::from).collect(),
            layers: summary.layers.iter().map(layer).collect(),
            origins: summary.origins,
            engines: EngineView::of_summary(&summary),
            wanted: WantedView::of_summary(&summary),
            levels: summary.levels,
            values: summary.values,
        }
    }
}

/// The last count, and whether one is under way.
#[derive(Clone)]
pub struct Counted(Arc<Inner>);

struct Inner {
    store: Arc<Store>,
    last: Mutex<Option<Count>>,
    counting: AtomicBool,
    stale: AtomicBool,
}

struct Count {
    view: CountedView,
    /// What was counted.
    state: book::State,
    ended: Instant,
    took: Duration,
}

impl Count {
    /// Another process has changed the book since, and it is time to count again.
    fn is_outdated(&self, store: &Store) -> bool {
        let pause = SHORTEST_PAUSE.max(COUNTING_PART * self.took);
        !store.is_ours() && self.state != store.state() && self.ended.elapsed() > pause
    }
}

impl Counted {
    pub fn new(store: Arc<Store>) -> Counted {
        Counted(Arc::new(Inner {
            store,
            last: Mutex::default(),
            counting: AtomicBool::new(false),
            stale: AtomicBool::new(true),
        }))
    }

    /// The book has changed: the next who asks has it counted again.
    pub fn book_changed(&self) {
        self.0.stale.store(true, Relaxed);
    }

    /// The last count, and whether a new one is under way; begins one if it is old.
    fn get(&self) -> (Option<CountedView>, bool) {
        let inner = &self.0;
        let is_outdated = |last: &Count| last.is_outdated(&inner.store);
        let stale = inner.stale.load(Relaxed) || self.lock().as_ref().is_some_and(is_outdated);
        if stale && !inner.counting.swap(true, Relaxed) {
            inner.stale.store(false, Relaxed);
            let counted = self.clone();
            tokio::task::spawn_blocking(move || counted.count());
        }
        let counting = inner.counting.load(Relaxed);
        let last = self.lock();
        (last.as_ref().map(|last| last.view.clone()), counting)
    }

    fn count(&self) {
        let store = &self.0.store;
        store.catch_up();
        let (began, state) = (Instant::now(), store.state());
        let counted = summarise(store, &()).and_then(|summary| {
            let gaps = gaps(&store.snapshot(), GAPS)?;
            Ok(CountedView::new(summary, &gaps))
        });
        match counted {
            Ok(view) => {
                *self.lock() = Some(Count {
                    view,
                    state,
                    ended: Instant::now(),
                    took: began.elapsed(),
                });
            }
            Err(error) => tracing::error!(%error, "the book cannot be counted"),
        }
        self.0.counting.store(false, Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Count>> {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How large the book is, and what this server offers.
#[utoipa::path(get, path = "/api/stats", tag = "book",
    responses((status = 200, body = StatsView)))]
pub async fn stats(State(shared): State<Arc<Shared>>) -> Result<Json<StatsView>, Problem> {
    let (counted, counting) = shared.counted.get();
    let this = shared.clone();
    shared
        .read(move |reader| {
            let store = &this.store;
            let mut bytes = 0;
            for table in Table::ALL {
                bytes += store.bytes_on_disk(table)?;
            }
            Ok(Json(StatsView {
                positions: store.estimated_records(Table::Nodes)?,
                games: store.estimated_records(Table::Games)?,
                bytes,
                settled: reader.is_settled()?,
                writable: this.jobs.is_some(),
                cluster: this.cluster.is_some(),
                searches: this.settings.searches,
                searches_running: this.searches.running(),
                search_seconds: this.settings.search_time.as_secs_f64(),
                version: env!("CARGO_PKG_VERSION"),
                counting,
                counted,
            }))
        })
        .await
}
