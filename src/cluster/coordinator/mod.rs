//! Workers elsewhere as the book's [`Analyst`]: the book asks them through the same door as its own
//! threads, and does not know the difference.
//!
//! What comes in and goes out is done by a few tasks of their own; the book's side only puts questions
//! into a box and takes answers from another. A question stays open here until it is answered, so
//! that whatever is lost on the way is sent again; an answer is acknowledged when the book has taken
//! it, so that answers that come while nobody is there are found by the next run.

mod answers;
mod lookout;
mod shared;
mod tasks;

use self::shared::{Held, Open, Post, Shared};
use self::tasks::Tasks;
use super::address::Address;
use super::cards::Figures;
use super::error::ClusterError;
use super::link::Link;
use super::names;
use super::worker::Mind;
use crate::book::{
    Analyst, AnalystError, BookId, Level, Question, QuestionId, Reply, Store, Witness,
};
use crate::engine::{Searchers, engine_name, worth_of_level};
use crate::othello::Board;
use crate::search::StopButton;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::unbounded_channel;

/// How long a command looks for the server before it gives up.
const PATIENCE: Duration = Duration::from_secs(15);

/// What is asked, and of whom.
#[derive(Clone, Debug)]
pub struct Order {
    pub address: Address,
    pub book: BookId,
    /// For people: the folder of the book.
    pub name: String,
    /// Nobody waits for answers after this many milliseconds since 1970.
    pub deadline: Option<u64>,
}

/// Answers through a cluster, until it is dropped.
pub struct ClusterAnalyst {
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
    link: Link,
    order: Order,
}

impl ClusterAnalyst {
    /// For a book that is open; whoever only reads it may ask beside the command that writes.
    pub fn for_book(
        store: &Store,
        address: Address,
        deadline: Option<u64>,
        button: StopButton,
    ) -> Result<ClusterAnalyst, ClusterError> {
        let named = store.reader().identity();
        let named = named.map_err(|error| ClusterError::Nameless(error.to_string()))?;
        let Some(book) = named else {
            let reason = "open it for writing once: emilia book propagate".to_owned();
            return Err(ClusterError::Nameless(reason));
        };
        let order = Order {
            address,
            book: if store.is_ours() {
                book
            } else {
                book.of_reader()
            },
            name: store.path().display().to_string(),
            deadline,
        };
        ClusterAnalyst::start(order, button)
    }

    /// Finds the server, and takes what earlier runs were answered.
    pub fn start(order: Order, button: StopButton) -> Result<ClusterAnalyst, ClusterError> {
        let umpire = Box::new(Searchers::new(button.clone()));
        ClusterAnalyst::start_with(order, button, umpire)
    }

    /// The same with somebody else who knows what is true.
    pub fn start_with(
        order: Order,
        button: StopButton,
        umpire: Box<dyn Mind>,
    ) -> Result<ClusterAnalyst, ClusterError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("cluster")
            .enable_all()
            .build()?;
        let (outbox, posts) = unbounded_channel();
        let (disputes, disputed) = std::sync::mpsc::channel();
        let shared = Arc::new(Shared::new(outbox, disputes, button.clone()));
        let beginning = async {
            let link = Link::connect(&order.address, "emilia coordinator", Some(PATIENCE)).await?;
            link.set_up().await?;
            let tasks = Tasks {
                link: link.clone(),
                shared: shared.clone(),
                order: order.clone(),
            };
            tasks.begin().await?;
            tasks.spawn(posts);
            Ok::<Link, ClusterError>(link)
        };
        let link = runtime.block_on(async {
            tokio::select! {
                link = beginning => link,
                () = pressed(&button) => Err(ClusterError::Stopped),
            }
        })?;
        let asking = shared.clone();
        std::thread::Builder::new()
            .name("umpire".into())
            .spawn(move || asking.find_out(disputed, umpire))?;
        Ok(ClusterAnalyst {
            shared,
            runtime: Some(runtime),
            link,
            order,
        })
    }

    /// How it goes.
    pub fn figures(&self) -> Figures {
        self.shared.lock().figures()
    }
}

async fn pressed(button: &StopButton) {
    while !button.is_pressed() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

impl Drop for ClusterAnalyst {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else {
            return;
        };
        // Whoever finds out who is right ends with it.
        let disputes = &self.shared.disputes;
        *disputes.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let (link, order) = (&self.link, &self.order);
        let card = self.shared.card(order, true);
        let mut state = self.shared.lock();
        if state.is_waited_for && !state.is_in_doubt() {
            // All is known: what is left in hand are late answers, which nobody will ask for.
            state.early.clear();
            state.replies.clear();
        }
        drop(state);
        let farewell = async {
            // The last acknowledgements are on their way out.
            tokio::time::sleep(Duration::from_millis(100)).await;
            if let Ok(bucket) = link.bucket(names::BOOKS).await {
                let _ = link.put_card(&bucket, &card.book, &card).await;
            }
            link.close().await;
        };
        runtime.block_on(async {
            if link.is_connected() {
                let _ = tokio::time::timeout(Duration::from_secs(3), farewell).await;
            }
        });
        runtime.shutdown_timeout(Duration::from_millis(500));
    }
}

impl Analyst for ClusterAnalyst {
    fn engine(&self) -> &str {
        engine_name()
    }

    fn promises(&self, board: Board, level: u8) -> Level {
        worth_of_level(level, board.empty_count())
    }

    fn workers(&self) -> usize {
        self.shared.lock().threads().max(1)
    }

    fn room(&self) -> usize {
        let state = self.shared.lock();
        let limit = state.packing.limit(state.threads());
        let cards = state.workers.values().map(|(card, _)| card);
        let workers = cards.map(|card| (card.name.as_str(), card.threads as usize));
        let limit = limit.min(state.trust.caution(workers));
        limit.saturating_sub(state.asked.len())
    }

    fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
        if self.shared.button.is_pressed() {
            return Err(AnalystError::Stopped);
        }
        let mut state = self.shared.lock();
        state.is_waited_for = false;
        let mut new = Vec::new();
        for (id, question) in questions {
            let early = state.early.remove(&id);
            let fits = |held: &Held| match &held.reply.outcome {
                Ok(finding) => finding.fits(&question),
                Err(_) => false,
            };
            if let Some(held) = early.filter(fits) {
                if let (Ok(finding), Some(by)) = (&held.reply.outcome, &held.reply.by) {
                    let (by, finding) = (by.clone(), finding.clone());
                    self.shared
                        .examine(&mut state, id, &question, &by, &finding);
                }
                state.figures.answered += 1;
                state.replies.push_back(Held {
                    question: Some(question),
                    ..held
                });
                continue;
            }
            let since = Instant::now();
            let open = Open {
                question: question.clone(),
                since,
            };
            if state.asked.insert(id, open).is_none() {
                new.push(question);
            }
        }
        drop(state);
        self.shared.post(Post::Ask(new));
        Ok(())
    }

    fn next(&mut self, timeout: Duration) -> Result<Option<Reply>, AnalystError> {
        let until = Instant::now() + timeout;
        let mut state = self.shared.lock();
        loop {
            if let Some(held) = state.replies.pop_front() {
                return Ok(Some(held.reply));
            }
            if self.shared.button.is_pressed() {
                return Err(AnalystError::Stopped);
            }
            // Whoever was found out is told of before anything else is waited for.
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !state.found_out.is_empty() {
                return Ok(None);
            }
            let woken = self.shared.news.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn found_out(&mut self) -> Vec<Witness> {
        std::mem::take(&mut self.shared.lock().found_out)
    }

    fn vouch(&mut self, timeout: Duration) -> Result<bool, AnalystError> {
        let mut state = self.shared.lock();
        if self.shared.button.is_pressed() {
            return Err(AnalystError::Stopped);
        }
        state.is_waited_for = true;
        if !state.is_in_doubt() {
            return Ok(true);
        }
        let woken = self.shared.news.wait_timeout(state, timeout);
        let state = woken.unwrap_or_else(PoisonError::into_inner).0;
        Ok(!state.is_in_doubt())
    }
}
