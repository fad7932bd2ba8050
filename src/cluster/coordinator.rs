//! Workers elsewhere as the book's [`Analyst`]: the book asks them through the same door as its own
//! threads, and does not know the difference.
//!
//! What comes in and goes out is done by a few tasks of their own; the book's side only puts questions
//! into a box and takes answers from another. A question stays open here until it is answered, so
//! that whatever is lost on the way is sent again; an answer is acknowledged when the book has taken
//! it, so that answers that come while nobody is there are found by the next run.

use super::cards::{BookCard, Figures, GONE, Sentence, WorkerCard};
use super::link::{Address, ClusterError, Link, in_time};
use super::names::{self, host_name};
use super::packing::Packing;
use super::trust::{Second, Trust};
use super::wire::{Delivery, Parcel, now};
use super::worker::Mind;
use crate::book::{
    Analyst, AnalystError, BookId, Finding, Level, Question, QuestionId, Reply, Store, Witness,
};
use crate::engine::{Searchers, engine_name, worth_of_level};
use crate::othello::Board;
use crate::search::StopButton;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::kv;
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt;
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use xxhash_rust::xxh3::xxh3_128;

/// How long a command looks for the server before it gives up.
const PATIENCE: Duration = Duration::from_secs(15);
/// Answers of an earlier run that are remembered until they are asked for.
const REMEMBERED: usize = 200_000;
/// Parcels whose arrival at the server is waited for at the same time.
const ON_THE_WAY: usize = 64;
/// How often the coordinator looks around.
const LOOK_AROUND: Duration = Duration::from_secs(1);
/// How often it looks for answers that are in doubt.
const LOOK_FOR_DOUBTS: Duration = Duration::from_millis(50);
/// An answer that can be found here in so many seconds is checked here.
const QUICK: f64 = 0.02;
/// Not more than so many at the same time.
const MOST_DISPUTED: usize = 64;
/// How long a check waits for somebody else where there is nobody, or nothing else to wait for.
const ALONE: Duration = Duration::from_secs(1);
/// The same for all other checks.
const CHECK_PATIENCE: Duration = Duration::from_secs(60);
/// A question that nobody has any more is sent again after this.
const LOST: Duration = Duration::from_secs(10);

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

/// What the book's side and the tasks have in common.
struct Shared {
    state: Mutex<State>,
    /// Something has come for the book.
    news: Condvar,
    outbox: UnboundedSender<Post>,
    /// Questions for this program itself.
    disputes: Mutex<Option<Sender<(QuestionId, Question)>>>,
    /// Questions that this program has to find out about.
    disputed: AtomicUsize,
    button: StopButton,
    /// Tells this run from others: what earlier ones asked is not answered any more.
    run: u64,
}

struct State {
    /// Waiting for an answer.
    asked: HashMap<QuestionId, Open>,
    /// For the book to take.
    replies: VecDeque<Held>,
    /// Answers that came before they were asked for, in the order they came.
    early: HashMap<QuestionId, Held>,
    early_order: VecDeque<QuestionId>,
    trust: Trust,
    found_out: Vec<Witness>,
    packing: Packing,
    /// Threads of each worker that is alive.
    workers: HashMap<String, (WorkerCard, Instant)>,
    /// The book has no more questions and waits for the last doubts.
    is_waited_for: bool,
    figures: Figures,
}

/// A question that is on its way.
struct Open {
    question: Question,
    since: Instant,
}

/// An answer in hand.
struct Held {
    question: Option<Question>,
    reply: Reply,
    /// Tells the server when the last answer of its delivery is gone.
    _receipt: Arc<Receipt>,
}

/// Acknowledges a delivery when nobody holds it any more.
struct Receipt {
    acker: Option<Acker>,
    outbox: UnboundedSender<Post>,
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
enum Post {
    Ask(Vec<Question>),
    /// The same of somebody else.
    Check {
        question: Question,
        not_for: Witness,
    },
    Acknowledge(Acker),
    Quarantine(Sentence),
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
        let seed = RandomState::new().build_hasher().finish();
        let shared = Arc::new(Shared {
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
            button: button.clone(),
            run: seed.rotate_left(17) ^ now(),
        });
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

impl State {
    /// Threads of the workers that are alive.
    fn threads(&self) -> usize {
        let free = |card: &&WorkerCard| !self.trust.is_quarantined(&card.name);
        let cards = self.workers.values().map(|(card, _)| card);
        cards.filter(free).map(|card| card.threads as usize).sum()
    }

    fn is_in_doubt(&self) -> bool {
        self.trust.has_doubts() || !self.found_out.is_empty()
    }

    fn figures(&self) -> Figures {
        Figures {
            open: self.asked.len() as u64,
            quarantined: self.trust.quarantined() as u64,
            ..self.figures
        }
    }

    /// Keeps an answer that nobody has asked for yet.
    fn remember(&mut self, id: QuestionId, held: Held) {
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

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, post: Post) {
        // The tasks end only after the analyst.
        let _ = self.outbox.send(post);
    }

    fn card(&self, order: &Order, ended: bool) -> BookCard {
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

    /// Whether an answer is to be checked, and by whom.
    fn examine(
        &self,
        state: &mut State,
        id: QuestionId,
        question: &Question,
        by: &Witness,
        finding: &Finding,
    ) {
        if !state.trust.first(id, question, by, finding) {
            return;
        }
        state.figures.checked += 1;
        // What is found out here at once needs no journey, as long as it does not pile up here.
        let is_quick = state.packing.expected(question) <= QUICK;
        if is_quick && self.disputed.load(Relaxed) < MOST_DISPUTED {
            state.trust.find_out(id);
            self.dispute(id, question.clone());
        } else {
            self.post(Post::Check {
                question: question.clone(),
                not_for: by.clone(),
            });
        }
    }

    /// Lets this program find out.
    fn dispute(&self, id: QuestionId, question: Question) {
        let disputes = self.disputes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(disputes) = &*disputes {
            self.disputed.fetch_add(1, Relaxed);
            // Whoever finds out ends only after the analyst.
            let _ = disputes.send((id, question));
        }
    }

    /// Answers have come.
    fn take(&self, delivery: Delivery, receipt: &Arc<Receipt>) {
        let mut state = self.lock();
        let by = Witness::from(delivery.worker.as_str());
        if state.trust.is_quarantined(&by) {
            state.figures.refused += 1;
            self.ask_others(&state, delivery.answers.iter().map(|(id, _)| *id));
            return;
        }
        if delivery.handed_out > 1 {
            state.figures.delivered_again += delivery.answers.len() as u64;
        }
        if delivery.gave_up {
            state.figures.dead += delivery.answers.len() as u64;
        }
        let count = delivery.answers.len();
        let first = delivery
            .answers
            .first()
            .and_then(|(id, _)| state.asked.get(id));
        if let Some(question) = first.map(|open| open.question.clone()) {
            let seconds = f64::from(delivery.seconds);
            state.packing.learn(&question, count, seconds);
        }
        let mut answers = delivery.answers.into_iter();
        for (id, outcome) in answers.by_ref() {
            self.take_one(&mut state, id, outcome, &by, (receipt, delivery.is_check));
            if state.trust.is_quarantined(&by) {
                break;
            }
        }
        // What comes after an answer that gave it away does not count either.
        self.ask_others(&state, answers.map(|(id, _)| id));
        drop(state);
        self.news.notify_all();
    }

    /// Somebody else has to answer what a quarantined worker had in hand.
    fn ask_others(&self, state: &State, ids: impl Iterator<Item = QuestionId>) {
        let mut again = Vec::new();
        for id in ids {
            again.extend(state.asked.get(&id).map(|open| open.question.clone()));
            if let Some((question, not_for)) = state.trust.in_check(id) {
                self.post(Post::Check { question, not_for });
            }
        }
        self.post(Post::Ask(again));
    }

    fn take_one(
        &self,
        state: &mut State,
        id: QuestionId,
        outcome: Result<Finding, String>,
        by: &Witness,
        (receipt, is_check): (&Arc<Receipt>, bool),
    ) {
        let mut is_check = is_check;
        if let Ok(finding) = &outcome {
            match state.trust.second(id, by, finding) {
                Second::Unasked => {}
                Second::Same(question) => {
                    is_check = true;
                    self.post(Post::Check {
                        question,
                        not_for: by.clone(),
                    });
                }
                Second::Agrees | Second::Disputed => is_check = true,
                Second::Disagrees(question) => {
                    is_check = true;
                    state.figures.disagreements += 1;
                    self.dispute(id, question);
                }
            }
        }
        let mut held = Held {
            question: None,
            reply: Reply {
                id,
                outcome,
                by: Some(by.clone()),
            },
            _receipt: receipt.clone(),
        };
        let Some(open) = state.asked.remove(&id) else {
            if !is_check {
                state.figures.unwanted += 1;
                state.remember(id, held);
            }
            return;
        };
        if let Ok(finding) = &held.reply.outcome {
            if !finding.fits(&open.question) {
                // No engine of ours says such a thing.
                self.condemn(state, by.clone(), "an answer did not fit its question");
                self.post(Post::Ask(vec![open.question.clone()]));
                state.asked.insert(id, open);
                return;
            }
            self.examine(state, id, &open.question, by, finding);
        }
        state.figures.answered += 1;
        held.question = Some(open.question);
        state.replies.push_back(held);
    }

    /// Nothing that this worker said counts any more.
    fn condemn(&self, state: &mut State, worker: Witness, reason: &str) {
        state.trust.quarantine(worker.clone());
        self.retract(state, &worker);
        tracing::warn!(worker = &*worker, reason, "a worker is quarantined");
        self.post(Post::Quarantine(Sentence {
            worker: worker.to_string(),
            reason: reason.to_owned(),
            since: now(),
            answers: state.trust.answers_of(&worker),
        }));
    }

    /// Forgets what a quarantined worker said that the book has not taken yet, and has the book take
    /// the rest back.
    fn retract(&self, state: &mut State, worker: &Witness) {
        let is_by = |held: &Held| held.reply.by.as_ref() == Some(worker);
        state.early.retain(|_, held| !is_by(held));
        let mut again = Vec::new();
        let replies = std::mem::take(&mut state.replies);
        for held in replies {
            match &held.question {
                Some(question) if is_by(&held) => {
                    let open = Open {
                        question: question.clone(),
                        since: Instant::now(),
                    };
                    state.asked.insert(held.reply.id, open);
                    again.push(question.clone());
                }
                _ => state.replies.push_back(held),
            }
        }
        self.post(Post::Ask(again));
        state.found_out.push(worker.clone());
        self.news.notify_all();
    }

    /// What this program's own thread does: finds out who is right.
    fn find_out(
        &self,
        disputed: std::sync::mpsc::Receiver<(QuestionId, Question)>,
        mut umpire: Box<dyn Mind>,
    ) {
        for (id, question) in disputed {
            let truth = catch_unwind(AssertUnwindSafe(|| umpire.answer(&question)));
            self.disputed.fetch_sub(1, Relaxed);
            let mut state = self.lock();
            let truth = match truth {
                Ok(Some(truth)) => truth,
                // Stopped, and everything with it.
                Ok(None) => return,
                // A question that breaks whoever tries it proves nothing about others.
                Err(_) => {
                    state.trust.drop_doubt(id);
                    continue;
                }
            };
            for liar in state.trust.settle(id, &truth) {
                self.condemn(&mut state, liar, "an answer was found to be wrong");
            }
            drop(state);
            self.news.notify_all();
        }
    }
}

/// Tells whoever waits that there is nobody to wait for.
#[derive(Default)]
struct Lonely {
    looks: u32,
    is_told: bool,
}

impl Lonely {
    /// Looks in vain after which it is told.
    const TELL_AFTER: u32 = 3;

    fn look(&mut self, state: &State) {
        if state.asked.is_empty() || state.threads() > 0 {
            *self = Lonely::default();
            return;
        }
        self.looks += 1;
        if self.looks >= Lonely::TELL_AFTER && !self.is_told {
            self.is_told = true;
            tracing::warn!(
                "{} questions wait, and no worker with the engine {} is there: start emilia worker \
                 with the same --cluster on the machines that should search (emilia cluster status \
                 shows who is there)",
                state.asked.len(),
                engine_name()
            );
        }
    }
}

/// What runs beside the book.
#[derive(Clone)]
struct Tasks {
    link: Link,
    shared: Arc<Shared>,
    order: Order,
}

impl Tasks {
    /// Before the first question: old ones are taken away, old answers and sentences taken in.
    async fn begin(&self) -> Result<(), ClusterError> {
        let server = |error: &dyn std::fmt::Display| ClusterError::Server(error.to_string());
        self.wait_for_my_turn().await?;
        // From now on workers drop what earlier runs asked. (To purge their questions would move
        // servers before 2.10 past the questions of other books.)
        self.tell(now()).await;
        let bucket = self.link.bucket(names::QUARANTINE).await?;
        for sentence in self.link.cards::<Sentence>(&bucket).await? {
            let worker = Witness::from(sentence.worker);
            let mut state = self.shared.lock();
            if state.trust.quarantine(worker.clone()) {
                // The journal of an earlier run may still have answers of theirs.
                state.found_out.push(worker);
            }
        }
        // What a killed run had in hand would come again only much later.
        self.link.forget_answers_in_hand(self.order.book).await;
        let consumer = self.link.answers_to(self.order.book).await?;
        loop {
            let batch = consumer.fetch().max_messages(1000).messages().await;
            let mut batch = batch.map_err(|error| server(&error))?;
            let mut count = 0;
            // Answers of which nothing is heard now come later, as all others do.
            while let Ok(Some(Ok(message))) = in_time(batch.next()).await {
                count += 1;
                self.open(message);
            }
            if count == 0 {
                break;
            }
        }
        let bucket = self.link.bucket(names::WORKERS).await?;
        for card in self.link.cards::<WorkerCard>(&bucket).await? {
            if card.is_alive() && card.engine == engine_name() {
                let mut state = self.shared.lock();
                state
                    .workers
                    .insert(card.name.clone(), (card, Instant::now()));
            }
        }
        Ok(())
    }

    /// Two commands must not ask for one book: each would take the other's answers. A book that
    /// another process asks for is a copy, or is only read here.
    async fn wait_for_my_turn(&self) -> Result<(), ClusterError> {
        let bucket = self.link.bucket(names::BOOKS).await?;
        let own = self.order.book.to_string();
        let began = Instant::now();
        loop {
            let cards = self.link.cards::<BookCard>(&bucket).await?;
            let other = cards.into_iter().find(|card| card.book == own);
            let Some(card) = other.filter(BookCard::is_asking) else {
                return Ok(());
            };
            // One that was killed on this machine does not come back.
            let is_here = card.host == host_name();
            let process = format!("/proc/{}", card.process);
            let is_gone = is_here && !std::path::Path::new(&process).exists();
            if is_gone || is_here && card.process == std::process::id() {
                return Ok(());
            }
            if began.elapsed() > GONE + LOOK_AROUND {
                return Err(ClusterError::BookTaken {
                    host: card.host,
                    process: card.process,
                });
            }
            tokio::time::sleep(LOOK_AROUND / 2).await;
        }
    }

    fn spawn(self, posts: UnboundedReceiver<Post>) {
        tokio::spawn(self.clone().send(posts));
        tokio::spawn(self.clone().receive());
        tokio::spawn(self.clone().watch_workers());
        tokio::spawn(self.clone().look_for_doubts());
        tokio::spawn(self.look_around());
    }

    /// A message with answers, if it is one.
    fn open(&self, message: async_nats::jetstream::Message) {
        let (message, acker) = message.split();
        let receipt = Arc::new(Receipt {
            acker: Some(acker),
            outbox: self.shared.outbox.clone(),
        });
        match Delivery::from_bytes(&message.payload) {
            Ok(delivery) if delivery.book == self.order.book => {
                if delivery.engine == engine_name() {
                    self.shared.take(delivery, &receipt);
                } else {
                    // Of a run before this program was renewed.
                    self.shared.lock().figures.unwanted += 1;
                }
            }
            Ok(_) => self.shared.lock().figures.refused += 1,
            Err(reason) => {
                tracing::warn!(%reason, "a message with answers is refused");
                self.shared.lock().figures.refused += 1;
            }
        }
    }

    async fn send(self, mut posts: UnboundedReceiver<Post>) {
        let mut on_the_way: JoinSet<()> = JoinSet::new();
        let mut taken = Vec::new();
        while posts.recv_many(&mut taken, 1024).await > 0 {
            let mut questions = Vec::new();
            let mut parcels = Vec::new();
            for post in taken.drain(..) {
                match post {
                    Post::Ask(some) => questions.extend(some),
                    Post::Check { question, not_for } => {
                        let parcel = self.parcel(vec![question]);
                        parcels.push(Parcel {
                            not_for: Some(not_for.to_string()),
                            ..parcel
                        });
                    }
                    Post::Acknowledge(acker) => {
                        let _ = acker.ack_with(AckKind::Ack).await;
                    }
                    Post::Quarantine(sentence) => {
                        on_the_way.spawn(self.clone().announce(sentence));
                    }
                }
            }
            let packed = {
                let mut state = self.shared.lock();
                let threads = state.threads();
                state.packing.pack(questions, threads)
            };
            parcels.extend(packed.into_iter().map(|questions| self.parcel(questions)));
            for parcel in parcels {
                while on_the_way.len() >= ON_THE_WAY {
                    on_the_way.join_next().await;
                }
                on_the_way.spawn(self.clone().publish(parcel));
            }
            while on_the_way.try_join_next().is_some() {}
        }
    }

    fn parcel(&self, questions: Vec<Question>) -> Parcel {
        Parcel {
            run: self.shared.run,
            deadline: self.order.deadline,
            ..Parcel::new(self.order.book, engine_name(), questions)
        }
    }

    async fn publish(self, parcel: Parcel) {
        match parcel.to_bytes() {
            Ok(bytes) => {
                let subject = names::asking(&parcel.engine, self.order.book);
                // Unlike any other, so that a question can be asked twice; the same for each try.
                let nonce = RandomState::new().build_hasher().finish();
                let id = format!("{:032x}-{nonce:016x}", xxh3_128(&bytes));
                self.link.publish(subject, id, bytes).await;
            }
            Err(reason) => tracing::error!(%reason, "a question cannot be sent"),
        }
    }

    async fn announce(self, sentence: Sentence) {
        for _ in 0..30 {
            if let Ok(bucket) = self.link.bucket(names::QUARANTINE).await {
                let key = &sentence.worker;
                if names::is_good(key) && self.link.put_card(&bucket, key, &sentence).await.is_ok()
                {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Takes answers for ever; when the server goes away and comes back, too.
    async fn receive(self) {
        loop {
            if let Ok(consumer) = self.link.answers_to(self.order.book).await {
                let messages = consumer
                    .stream()
                    .max_messages_per_batch(500)
                    .heartbeat(Duration::from_secs(2))
                    .expires(Duration::from_secs(10))
                    .messages();
                if let Ok(mut messages) = messages.await {
                    while let Some(Ok(message)) = messages.next().await {
                        self.open(message);
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Hears who is alive.
    async fn watch_workers(self) {
        loop {
            if let Ok(bucket) = self.link.bucket(names::WORKERS).await
                && let Ok(mut news) = bucket.watch_all().await
            {
                while let Some(Ok(entry)) = news.next().await {
                    if entry.operation != kv::Operation::Put {
                        continue;
                    }
                    if let Some(card) = super::cards::read::<WorkerCard>(&entry.value) {
                        let mut state = self.shared.lock();
                        if card.ended {
                            state.workers.remove(&card.name);
                        } else if card.engine == engine_name() {
                            let name = card.name.clone();
                            state.workers.insert(name, (card, Instant::now()));
                        }
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// What is in doubt for too long is found out here.
    async fn look_for_doubts(self) {
        loop {
            tokio::time::sleep(LOOK_FOR_DOUBTS).await;
            let mut state = self.shared.lock();
            if !state.trust.has_doubts() {
                continue;
            }
            let State {
                trust,
                workers,
                is_waited_for,
                ..
            } = &mut *state;
            let patience = |first: &Witness| {
                let is_alone = workers.keys().all(|name| **name == **first);
                if is_alone || *is_waited_for {
                    ALONE
                } else {
                    CHECK_PATIENCE
                }
            };
            for (id, question) in trust.waiting_too_long(Instant::now(), patience) {
                self.shared.dispute(id, question);
            }
        }
    }

    /// Now and then: who is gone, what got lost, and how it goes.
    async fn look_around(self) {
        let since = now();
        let mut empty_before = false;
        let mut lonely = Lonely::default();
        loop {
            tokio::time::sleep(LOOK_AROUND).await;
            {
                let mut state = self.shared.lock();
                let now = Instant::now();
                state
                    .workers
                    .retain(|_, (_, seen)| now.saturating_duration_since(*seen) < GONE);
            }
            lonely.look(&self.shared.lock());
            self.hear_sentences().await;
            empty_before = self.send_lost_again(empty_before).await;
            if self.link.is_connected() {
                self.tell(since).await;
            }
        }
    }

    /// Renews the card of the book.
    async fn tell(&self, since: u64) {
        let card = BookCard {
            since,
            ..self.shared.card(&self.order, false)
        };
        if let Ok(bucket) = self.link.bucket(names::BOOKS).await {
            let _ = self.link.put_card(&bucket, &card.book, &card).await;
        }
    }

    /// Others may have found somebody out.
    async fn hear_sentences(&self) {
        let Ok(bucket) = self.link.bucket(names::QUARANTINE).await else {
            return;
        };
        let Ok(sentences) = self.link.cards::<Sentence>(&bucket).await else {
            return;
        };
        let mut state = self.shared.lock();
        for sentence in sentences {
            let worker = Witness::from(sentence.worker);
            if state.trust.quarantine(worker.clone()) {
                self.shared.retract(&mut state, &worker);
            }
        }
    }

    /// Servers before 2.10 may forget what they have handed out when they are killed: then questions
    /// lie there that nobody gets. Workers make their way to them anew when it is gone.
    async fn free_stuck_queue(&self) {
        let Ok(mut queue) = self.link.questions_for(engine_name()).await else {
            return;
        };
        let is_stuck = queue
            .info()
            .await
            .is_ok_and(|info| info.num_pending == 0 && info.num_ack_pending == 0);
        if is_stuck {
            tracing::warn!(
                "the server has questions that it hands to nobody: it is told to begin anew"
            );
            self.link.forget_who_was_asked(engine_name()).await;
        }
    }

    /// Where the server has nothing of this book and answers are still waited for, something was
    /// lost: a disk, or a queue that somebody emptied. Gives whether the server has nothing.
    async fn send_lost_again(&self, empty_before: bool) -> bool {
        let old = |open: &&Open| open.since.elapsed() >= LOST;
        if !self.shared.lock().asked.values().any(|open| old(&open)) {
            return false;
        }
        let own = names::asking(engine_name(), self.order.book);
        let Ok(stream) = self.link.context.get_stream(names::QUESTIONS).await else {
            return false;
        };
        let Ok(mut subjects) = stream.info_with_subjects(own).await else {
            return false;
        };
        if subjects.next().await.is_some() {
            self.free_stuck_queue().await;
            return false;
        }
        // Twice in a row: a parcel that was answered a moment ago is no lost one.
        if empty_before {
            let mut state = self.shared.lock();
            let mut again = Vec::new();
            for open in state.asked.values_mut().filter(|open| old(&&**open)) {
                open.since = Instant::now();
                again.push(open.question.clone());
            }
            state.figures.sent_again += again.len() as u64;
            drop(state);
            tracing::warn!(
                questions = again.len(),
                "questions were lost and are sent again"
            );
            self.shared.post(Post::Ask(again));
        }
        true
    }
}
