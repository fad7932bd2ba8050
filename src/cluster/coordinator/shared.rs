//! What the book's side and the tasks have in common: which questions are open, which answers are in
//! hand, and who is there. What an answer does to all this is in `answers.rs`.

use super::Order;
use crate::book::{Question, QuestionId, Reply, Witness};
use crate::cluster::cards::{BookCard, Figures, Sentence, WorkerCard};
use crate::cluster::names::host_name;
use crate::cluster::packing::Packing;
use crate::cluster::trust::Trust;
use crate::cluster::wire::now;
use crate::engine::engine_name;
use crate::search::StopButton;
use async_nats::jetstream::message::Acker;
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;

/// Answers of an earlier run that are remembered until they are asked for.
const REMEMBERED: usize = 200_000;

/// What the book's side and the tasks have in common.
pub struct Shared {
    state: Mutex<State>,
    /// Something has come for the book.
    pub news: Condvar,
    pub outbox: UnboundedSender<Post>,
    /// Questions for this program itself.
    pub disputes: Mutex<Option<Sender<(QuestionId, Question)>>>,
    /// Questions that this program has to find out about.
    pub disputed: AtomicUsize,
    pub button: StopButton,
    /// Tells this run from others: what earlier ones asked is not answered any more.
    pub run: u64,
}

pub struct State {
    /// Waiting for an answer.
    pub asked: HashMap<QuestionId, Open>,
    /// For the book to take.
    pub replies: VecDeque<Held>,
    /// Answers that came before they were asked for, in the order they came.
    pub early: HashMap<QuestionId, Held>,
    early_order: VecDeque<QuestionId>,
    pub trust: Trust,
    pub found_out: Vec<Witness>,
    pub packing: Packing,
    /// The card of each worker that is alive, and when it was last heard of.
    pub workers: HashMap<String, (WorkerCard, Instant)>,
    /// The book has no more questions and waits for the last doubts.
    pub is_waited_for: bool,
    pub figures: Figures,
}

/// A question that is on its way.
pub struct Open {
    pub question: Question,
    pub since: Instant,
}

/// An answer in hand.
pub struct Held {
    pub question: Option<Question>,
    pub reply: Reply,
    /// Tells the server when the last answer of its delivery is gone.
    pub _receipt: Arc<Receipt>,
}

/// Acknowledges a delivery when nobody holds it any more.
pub struct Receipt {
    pub acker: Option<Acker>,
    pub outbox: UnboundedSender<Post>,
}

impl Drop for Receipt {
    fn drop(&mut self) {
        if let Some(acker) = self.acker.take() {
            // Where nobody listens any more, the delivery comes again.
            let _ = self.outbox.send(Post::Acknowledge(acker));
        }
    }
}

/// What goes out.
pub enum Post {
    Ask(Vec<Question>),
    /// The same of somebody else.
    Check {
        question: Question,
        not_for: Witness,
    },
    Acknowledge(Acker),
    Quarantine(Sentence),
}

impl Shared {
    /// `outbox` leads to the tasks, `disputes` to this program's own thread.
    pub fn new(
        outbox: UnboundedSender<Post>,
        disputes: Sender<(QuestionId, Question)>,
        button: StopButton,
    ) -> Shared {
        let seed = RandomState::new().build_hasher().finish();
        Shared {
            state: Mutex::new(State {
                asked: HashMap::new(),
                replies: VecDeque::new(),
                early: HashMap::new(),
                early_order: VecDeque::new(),
                trust: Trust::new(seed),
                found_out: Vec::new(),
                packing: Packing::default(),
                workers: HashMap::new(),
                is_waited_for: false,
                figures: Figures::default(),
            }),
            news: Condvar::new(),
            outbox,
            disputes: Mutex::new(Some(disputes)),
            disputed: AtomicUsize::new(0),
            button,
            run: seed.rotate_left(17) ^ now(),
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn post(&self, post: Post) {
        // The tasks end only after the analyst.
        let _ = self.outbox.send(post);
    }

    pub fn card(&self, order: &Order, ended: bool) -> BookCard {
        BookCard {
            book: order.book.to_string(),
            run: self.run,
            name: order.name.clone(),
            host: host_name(),
            process: std::process::id(),
            engine: engine_name().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: 0,
            sent: now(),
            ended,
            figures: self.lock().figures(),
        }
    }
}

impl State {
    /// Threads of the workers that are alive.
    pub fn threads(&self) -> usize {
        let free = |card: &&WorkerCard| !self.trust.is_quarantined(&card.name);
        let cards = self.workers.values().map(|(card, _)| card);
        cards.filter(free).map(|card| card.threads as usize).sum()
    }

    pub fn is_in_doubt(&self) -> bool {
        self.trust.has_doubts() || !self.found_out.is_empty()
    }

    pub fn figures(&self) -> Figures {
        Figures {
            open: self.asked.len() as u64,
            quarantined: self.trust.quarantined() as u64,
            ..self.figures
        }
    }

    /// Keeps an answer that nobody has asked for yet.
    pub fn remember(&mut self, id: QuestionId, held: Held) {
        self.early.insert(id, held);
        self.early_order.push_back(id);
        while self.early.len() > REMEMBERED
            && let Some(oldest) = self.early_order.pop_front()
        {
            self.early.remove(&oldest);
        }
        if self.early_order.len() > 2 * REMEMBERED {
            let early = &self.early;
            self.early_order.retain(|id| early.contains_key(id));
        }
    }
}
