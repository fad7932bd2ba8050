//! A machine that answers: pulls parcels of questions, searches them with all its threads, and sends
//! the answers. What it has in hand it says so, again and again; what it does not, because it died,
//! is handed to another one.

use super::cards::{self, BEAT, BookCard, Sentence, WorkerCard};
use super::link::{CLAIM_EXTENDED, ClusterError, Link};
use super::names;
use super::wire::{Delivery, Parcel, now};
use crate::book::{Finding, Question, QuestionId};
use crate::engine::{Searchers, table_bytes_for};
use crate::search::StopButton;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt;
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use xxhash_rust::xxh3::xxh3_64;

/// A question that was tried so often in vain is given up.
pub const MOST_TRIES: u32 = 8;
/// A parcel of several that was handed out so often is taken apart: one of them may be the reason.
const APART_AFTER: u32 = 3;
/// Parcels in hand for each thread: the one it works on, and the next.
const IN_HAND: usize = 2;
/// How long a look into an empty queue lasts.
const LOOK: Duration = Duration::from_secs(5);
/// Milliseconds after the deadline until which a parcel is still answered.
const GRACE: u64 = 60_000;
/// A worker on which so many different questions broke in a row is broken itself.
const MOST_BREAKS: usize = 8;
/// Whoever gets a parcel that is not for them passes it on after this.
const PASS_ON: Duration = Duration::from_millis(300);

/// Whoever finds answers, on one thread.
pub trait Mind: Send {
    /// None if it was stopped.
    fn answer(&mut self, question: &Question) -> Option<Finding>;

    /// Gives memory back that the next answer would only find ready.
    fn let_go(&mut self) {}
}

impl Mind for Searchers {
    fn answer(&mut self, question: &Question) -> Option<Finding> {
        Searchers::answer(self, question)
    }

    fn let_go(&mut self) {
        Searchers::let_go(self);
    }
}

/// What a worker is like.
#[derive(Clone, Debug)]
pub struct Profile {
    pub name: String,
    /// A number may be added to the name where another worker has it.
    pub may_be_numbered: bool,
    /// Whose answers it gives.
    pub engine: String,
    pub threads: usize,
    /// Bytes of tables in use at the same time; none for no limit.
    pub tables: Option<usize>,
}

/// How a worker ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worked {
    pub answered: u64,
}

/// Works until the button is pressed, then finishes what it has begun.
pub async fn work(
    link: Link,
    profile: Profile,
    button: StopButton,
    mut mind: impl FnMut() -> Box<dyn Mind>,
) -> Result<Worked, ClusterError> {
    let mut profile = profile;
    link.set_up().await?;
    profile.name = free_name(&link, &profile).await?;
    let (done, finished) = unbounded_channel();
    let (notice, noticed) = watch::channel(None);
    let worker = Arc::new(Worker {
        instance: instance(),
        since: now(),
        link,
        bench: Bench::new(profile.tables),
        profile,
        button,
        in_hand: Mutex::default(),
        answered: AtomicU64::new(0),
        refused: AtomicU64::new(0),
        is_short: AtomicBool::new(false),
        done,
        notice,
        breaks: Mutex::default(),
        books: Mutex::default(),
    });
    worker.beat(false, 0.0).await;
    let mut threads = Vec::new();
    for _ in 0..worker.profile.threads.max(1) {
        let (shared, mind) = (worker.clone(), mind());
        let thread = std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || shared.think(mind))?;
        threads.push(thread);
    }
    let result = worker.clone().run(finished, noticed).await;
    worker.bench.close();
    worker.beat(true, 0.0).await;
    worker.link.close().await;
    for thread in threads {
        if thread.join().is_err() {
            tracing::error!("a thread that searches broke");
        }
    }
    result.map(|()| Worked {
        answered: worker.answered.load(Relaxed),
    })
}

/// A name that no worker has who is alive, and that is not quarantined.
async fn free_name(link: &Link, profile: &Profile) -> Result<String, ClusterError> {
    let name = &profile.name;
    if !names::is_good(name) {
        return Err(ClusterError::Name(name.clone()));
    }
    let bucket = link.bucket(names::QUARANTINE).await?;
    for sentence in link.cards::<Sentence>(&bucket).await? {
        // A machine that was found out does not come back with another number.
        let numbered = sentence.worker.strip_prefix(name.as_str());
        let is_numbered = numbered.is_some_and(|rest| rest.starts_with('-'));
        if sentence.worker == *name || profile.may_be_numbered && is_numbered {
            return Err(ClusterError::Quarantined(sentence.reason));
        }
    }
    let bucket = link.bucket(names::WORKERS).await?;
    let workers = link.cards::<WorkerCard>(&bucket).await?;
    let alive = workers.iter().filter(|card| card.is_alive());
    let taken: HashSet<&str> = alive.map(|card| card.name.as_str()).collect();
    let numbered = (2..1000).map(|number| format!("{name}-{number}"));
    let names = [name.clone()].into_iter().chain(numbered);
    let tried = if profile.may_be_numbered {
        usize::MAX
    } else {
        1
    };
    let free = names.take(tried).find(|one| !taken.contains(one.as_str()));
    free.ok_or_else(|| ClusterError::NameTaken(name.clone()))
}

fn instance() -> u64 {
    xxh3_64(format!("{}-{:?}", std::process::id(), Instant::now()).as_bytes()) ^ now()
}

/// Why a worker ends by itself.
#[derive(Clone)]
enum End {
    Quarantined(String),
    Broken,
}

struct Worker {
    instance: u64,
    since: u64,
    link: Link,
    profile: Profile,
    button: StopButton,
    bench: Bench,
    /// Parcels that were pulled and not answered, by number.
    in_hand: Mutex<HashMap<u64, Arc<Acker>>>,
    answered: AtomicU64,
    refused: AtomicU64,
    /// It was told that this worker has too little memory for some questions.
    is_short: AtomicBool,
    done: UnboundedSender<Arc<Job>>,
    /// Why it has to end, if it has.
    notice: watch::Sender<Option<End>>,
    /// The run that asks for each book, and whether it has ended.
    books: Mutex<HashMap<String, (u64, bool)>>,
    /// Questions that broke since the last one that did not.
    breaks: Mutex<HashSet<QuestionId>>,
}

/// A parcel that is worked on.
struct Job {
    number: u64,
    parcel: Parcel,
    acker: Arc<Acker>,
    handed_out: u32,
    results: Mutex<Results>,
    /// Makes room for another parcel when it is gone.
    _place: OwnedSemaphorePermit,
}

#[derive(Default)]
struct Results {
    found: Vec<(usize, Result<Finding, String>)>,
    seconds: f64,
}

impl Job {
    fn results(&self) -> MutexGuard<'_, Results> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Questions for the threads, within the memory there is.
struct Bench {
    state: Mutex<BenchState>,
    news: Condvar,
    memory: Option<usize>,
}

#[derive(Default)]
struct BenchState {
    waiting: VecDeque<(Arc<Job>, usize)>,
    in_use: usize,
    is_closed: bool,
}

impl Bench {
    fn new(memory: Option<usize>) -> Bench {
        Bench {
            state: Mutex::default(),
            news: Condvar::new(),
            memory,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BenchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, job: &Arc<Job>) {
        let mut state = self.lock();
        let questions = 0..job.parcel.questions.len();
        state
            .waiting
            .extend(questions.map(|place| (job.clone(), place)));
        drop(state);
        self.news.notify_all();
    }

    /// The next question that there is memory for, with what it takes; none when it is over.
    fn take(&self) -> Option<(Arc<Job>, usize, usize)> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            let in_use = state.in_use;
            let bytes =
                |(job, place): &(Arc<Job>, usize)| table_bytes_for(&job.parcel.questions[*place]);
            let fits = |one: &(Arc<Job>, usize)| {
                self.memory
                    .is_none_or(|memory| in_use + bytes(one) <= memory)
            };
            if let Some(place) = state.waiting.iter().position(fits)
                && let Some(piece) = state.waiting.remove(place)
            {
                let bytes = bytes(&piece);
                state.in_use += bytes;
                return Some((piece.0, piece.1, bytes));
            }
            let woken = self.news.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn release(&self, bytes: usize) {
        self.lock().in_use -= bytes;
        self.news.notify_all();
    }

    /// Takes the parcels back of which nothing was begun.
    fn take_back_unbegun(&self) -> Vec<Arc<Job>> {
        let mut state = self.lock();
        let mut waiting: HashMap<u64, usize> = HashMap::new();
        for (job, _) in &state.waiting {
            *waiting.entry(job.number).or_default() += 1;
        }
        let is_unbegun = |job: &Job| waiting.get(&job.number) == Some(&job.parcel.questions.len());
        let mut back: Vec<Arc<Job>> = Vec::new();
        state.waiting.retain(|(job, place)| {
            if is_unbegun(job) && *place == 0 {
                back.push(job.clone());
            }
            !is_unbegun(job)
        });
        back
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_all();
    }
}

impl Worker {
    fn in_hand(&self) -> MutexGuard<'_, HashMap<u64, Arc<Acker>>> {
        self.in_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn breaks(&self) -> MutexGuard<'_, HashSet<QuestionId>> {
        self.breaks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A machine on which nothing works would be the fastest to take work, and spoil all of it.
    fn note_break(&self, question: &Question, engine: &str) {
        let mut breaks = self.breaks();
        breaks.insert(QuestionId::of(question, engine));
        if breaks.len() >= MOST_BREAKS {
            self.end(End::Broken);
        }
    }

    fn end(&self, reason: End) {
        self.notice.send_replace(Some(reason));
    }

    async fn run(
        self: Arc<Worker>,
        mut finished: UnboundedReceiver<Arc<Job>>,
        mut noticed: watch::Receiver<Option<End>>,
    ) -> Result<(), ClusterError> {
        let mut tasks: JoinSet<()> = JoinSet::new();
        tasks.spawn(self.clone().keep_telling());
        tasks.spawn(self.clone().keep_claims());
        tasks.spawn(self.clone().listen_for_a_sentence());
        tasks.spawn(self.clone().hear_of_books());
        let pulling = tokio::spawn(self.clone().pull());
        let mut sending: JoinSet<()> = JoinSet::new();
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let reason = loop {
            tokio::select! {
                Some(job) = finished.recv() => {
                    sending.spawn(self.clone().deliver(job));
                    while sending.try_join_next().is_some() {}
                }
                _ = noticed.changed() => {
                    break noticed.borrow().clone();
                }
                _ = look.tick() => {
                    if self.button.is_pressed() {
                        break None;
                    }
                }
            }
        };
        pulling.abort();
        match reason {
            Some(reason) => {
                // Nobody would take the answers: others have to find them.
                let in_hand = std::mem::take(&mut *self.in_hand());
                for acker in in_hand.values() {
                    let _ = acker.ack_with(AckKind::Nak(None)).await;
                }
                Err(match reason {
                    End::Quarantined(reason) => ClusterError::Quarantined(reason),
                    End::Broken => ClusterError::Broken,
                })
            }
            None => {
                self.drain(&mut finished, &mut sending).await;
                Ok(())
            }
        }
    }

    /// Gives back what was not begun, and finishes the rest.
    async fn drain(
        self: &Arc<Worker>,
        finished: &mut UnboundedReceiver<Arc<Job>>,
        sending: &mut JoinSet<()>,
    ) {
        for job in self.bench.take_back_unbegun() {
            self.in_hand().remove(&job.number);
            let _ = job.acker.ack_with(AckKind::Nak(None)).await;
        }
        loop {
            tokio::select! {
                Some(job) = finished.recv() => {
                    sending.spawn(self.clone().deliver(job));
                }
                Some(_) = sending.join_next() => {}
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
            }
            if self.in_hand().is_empty() && sending.is_empty() {
                return;
            }
        }
    }

    /// Takes parcels while there is room for them.
    async fn pull(self: Arc<Worker>) {
        let places = Arc::new(Semaphore::new(IN_HAND * self.profile.threads.max(1)));
        let mut number = 0;
        loop {
            let Ok(consumer) = self.link.questions_for(&self.profile.engine).await else {
                tokio::time::sleep(Duration::from_millis(300)).await;
                continue;
            };
            loop {
                let Ok(place) = places.clone().acquire_owned().await else {
                    return;
                };
                let free = 1 + places.available_permits();
                let batch = consumer.batch().max_messages(free).expires(LOOK);
                let Ok(mut batch) = batch.messages().await else {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    break;
                };
                let mut place = Some(place);
                let mut is_lost = false;
                let mut is_empty = true;
                while let Some(message) = batch.next().await {
                    is_empty = false;
                    let Ok(message) = message else {
                        is_lost = true;
                        break;
                    };
                    let own = match place.take() {
                        Some(place) => place,
                        None => match places.clone().acquire_owned().await {
                            Ok(place) => place,
                            Err(_) => return,
                        },
                    };
                    number += 1;
                    self.receive(number, message, own).await;
                }
                if is_lost {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                // A server that lost its disk has lost this way to it, and does not say so.
                if is_lost || is_empty {
                    break;
                }
            }
        }
    }

    /// Looks at what was pulled.
    async fn receive(
        self: &Arc<Worker>,
        number: u64,
        message: async_nats::jetstream::Message,
        place: OwnedSemaphorePermit,
    ) {
        let handed_out = message.info().map_or(1, |info| info.delivered.max(1)) as u32;
        let (message, acker) = message.split();
        let parcel = match Parcel::from_bytes(&message.payload) {
            Ok(parcel) if parcel.engine == self.profile.engine => parcel,
            Ok(_) => {
                let _ = acker.ack_with(AckKind::Nak(Some(PASS_ON))).await;
                return;
            }
            Err(reason) => {
                tracing::warn!(%reason, "a parcel of questions is refused");
                self.refused.fetch_add(1, Relaxed);
                let _ = acker.ack_with(AckKind::Term).await;
                return;
            }
        };
        // Clocks differ a little.
        let is_over = |deadline: u64| deadline.saturating_add(GRACE) < now();
        if parcel.deadline.is_some_and(is_over) {
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        if parcel.not_for.as_deref() == Some(&self.profile.name) {
            let _ = acker.ack_with(AckKind::Nak(Some(PASS_ON))).await;
            return;
        }
        if self.is_of_a_run_that_is_over(&parcel).await {
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        // Whoever passes a check on has not tried it.
        let is_check = parcel.not_for.is_some();
        let tries = parcel.tries.saturating_add(handed_out - 1);
        if !is_check && parcel.questions.len() > 1 && handed_out > APART_AFTER {
            for question in &parcel.questions {
                let single = Parcel {
                    tries,
                    ..parcel.only(question.clone())
                };
                self.post(&single).await;
            }
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        if is_check && parcel.tries >= MOST_TRIES {
            // Nobody can check it.
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        if !is_check && tries >= MOST_TRIES {
            self.give_up(&parcel, tries, handed_out).await;
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        let largest = parcel.questions.iter().map(table_bytes_for).max();
        if let (Some(tables), Some(needed)) = (self.profile.tables, largest)
            && needed > tables
        {
            let passing_on = self.clone();
            tokio::spawn(async move {
                passing_on
                    .pass_on_what_is_too_large(parcel, tries, acker, needed)
                    .await;
            });
            return;
        }
        let acker = Arc::new(acker);
        self.in_hand().insert(number, acker.clone());
        self.bench.put(&Arc::new(Job {
            number,
            parcel,
            acker,
            handed_out,
            results: Mutex::default(),
            _place: place,
        }));
    }

    /// Somebody with more memory should have it. It is sent anew: to hand it back would count as a
    /// try.
    async fn pass_on_what_is_too_large(
        &self,
        parcel: Parcel,
        tries: u32,
        acker: Acker,
        needed: usize,
    ) {
        if !self.is_short.swap(true, Relaxed) {
            tracing::warn!(
                "there are questions that need {} MB, more than --tables allows: others have to \
                 answer them",
                needed >> 20
            );
        }
        tokio::time::sleep(PASS_ON).await;
        self.post(&Parcel { tries, ..parcel }).await;
        let _ = acker.ack_with(AckKind::Ack).await;
    }

    async fn post(&self, parcel: &Parcel) {
        if let Ok(bytes) = parcel.to_bytes() {
            let subject = names::asking(&parcel.engine, parcel.book);
            let id = format!("{:016x}-{}-{}", xxh3_64(&bytes), self.instance, now());
            self.link.publish(subject, id, bytes).await;
        }
    }

    /// Nobody will try this again: it is kept for people to look at, and the book is told.
    async fn give_up(&self, parcel: &Parcel, tries: u32, handed_out: u32) {
        let reason = parcel.reason.as_deref().unwrap_or("whoever tried it died");
        let text = format!("given up after {tries} tries: {reason}");
        let told = Parcel {
            tries,
            ..parcel.clone()
        };
        if let Ok(bytes) = told.to_bytes() {
            let id = format!("{:016x}", xxh3_64(&bytes));
            self.link.publish(names::dead(parcel.book), id, bytes).await;
        }
        let answer = |question: &Question| {
            let id = QuestionId::of(question, &parcel.engine);
            (id, Err(text.clone()))
        };
        let delivery = Delivery {
            handed_out,
            answers: parcel.questions.iter().map(answer).collect(),
            gave_up: true,
            ..Delivery::new(parcel, &self.profile.name)
        };
        self.send(&delivery).await;
    }

    async fn send(&self, delivery: &Delivery) {
        if let Ok(bytes) = delivery.to_bytes() {
            let id = format!("{:016x}-{}-{}", xxh3_64(&bytes), self.instance, now());
            let subject = names::answers(delivery.book);
            self.link.publish(subject, id, bytes).await;
        }
    }

    /// What a thread does.
    fn think(&self, mut mind: Box<dyn Mind>) {
        while let Some((job, place, bytes)) = self.bench.take() {
            let began = Instant::now();
            let question = &job.parcel.questions[place];
            let answer = catch_unwind(AssertUnwindSafe(|| mind.answer(question)));
            if self.bench.memory.is_some() {
                mind.let_go();
            }
            self.bench.release(bytes);
            let outcome = match answer {
                Ok(Some(finding)) => Ok(finding),
                Ok(None) => Err("it was stopped".to_owned()),
                Err(_) => Err("the search broke".to_owned()),
            };
            let mut results = job.results();
            results.found.push((place, outcome));
            results.seconds += began.elapsed().as_secs_f64();
            let is_done = results.found.len() == job.parcel.questions.len();
            drop(results);
            if is_done {
                let _ = self.done.send(job);
            }
        }
    }

    /// Sends what was found; what broke is tried again, alone.
    async fn deliver(self: Arc<Worker>, job: Arc<Job>) {
        let Results { mut found, seconds } = std::mem::take(&mut *job.results());
        found.sort_unstable_by_key(|(place, _)| *place);
        let mut delivery = Delivery {
            handed_out: job.handed_out,
            seconds: seconds as f32,
            ..Delivery::new(&job.parcel, &self.profile.name)
        };
        for (place, outcome) in found {
            let question = &job.parcel.questions[place];
            match outcome {
                Ok(finding) => {
                    self.breaks().clear();
                    let id = QuestionId::of(question, &job.parcel.engine);
                    delivery.answers.push((id, Ok(finding)));
                }
                Err(reason) => {
                    self.note_break(question, &job.parcel.engine);
                    let again = Parcel {
                        tries: job.parcel.tries + 1,
                        reason: Some(format!("{reason} on {}", self.profile.name)),
                        ..job.parcel.only(question.clone())
                    };
                    self.post(&again).await;
                }
            }
        }
        if !delivery.answers.is_empty() {
            self.send(&delivery).await;
        }
        let count = delivery.answers.len() as u64;
        self.answered.fetch_add(count, Relaxed);
        self.in_hand().remove(&job.number);
        let _ = job.acker.ack_with(AckKind::Ack).await;
    }

    /// Says of every parcel in hand that it is being worked on.
    async fn keep_claims(self: Arc<Worker>) {
        loop {
            tokio::time::sleep(CLAIM_EXTENDED).await;
            let ackers: Vec<Arc<Acker>> = self.in_hand().values().cloned().collect();
            for acker in ackers {
                let _ = acker.ack_with(AckKind::Progress).await;
            }
        }
    }

    /// Renews the card, and hears whether there is work for this engine at all.
    async fn keep_telling(self: Arc<Worker>) {
        let mut answered = 0;
        let mut warned = false;
        loop {
            tokio::time::sleep(BEAT).await;
            let now = self.answered.load(Relaxed);
            let rate = (now - answered) as f64 / BEAT.as_secs_f64();
            answered = now;
            self.beat(false, rate).await;
            if !warned && answered == 0 {
                warned = self.warn_if_others_are_asked().await;
            }
        }
    }

    fn books(&self) -> MutexGuard<'_, HashMap<String, (u64, bool)>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody waits for the answers: the command has ended, or another one asks for the book now.
    async fn is_of_a_run_that_is_over(&self, parcel: &Parcel) -> bool {
        let book = parcel.book.to_string();
        let is_over = |(run, ended): (u64, bool)| ended || run != parcel.run;
        let known = self.books().get(&book).copied();
        if !known.is_some_and(is_over) {
            return false;
        }
        // A new run's questions may be here before the news of it.
        let Ok(bucket) = self.link.bucket(names::BOOKS).await else {
            return false;
        };
        let entry = bucket.get(book.as_str()).await.ok().flatten();
        let card = entry.and_then(|bytes| cards::read::<BookCard>(&bytes));
        card.is_some_and(|card| {
            let now = (card.run, card.ended);
            self.books().insert(book, now);
            is_over(now)
        })
    }

    /// Hears which run asks for each book.
    async fn hear_of_books(self: Arc<Worker>) {
        loop {
            if let Ok(bucket) = self.link.bucket(names::BOOKS).await
                && let Ok(mut news) = bucket.watch_with_history(">").await
            {
                while let Some(Ok(entry)) = news.next().await {
                    if let Some(card) = cards::read::<BookCard>(&entry.value) {
                        self.books().insert(card.book, (card.run, card.ended));
                    }
                }
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Whoever is quarantined should not go on: nobody takes its answers.
    async fn listen_for_a_sentence(self: Arc<Worker>) {
        loop {
            if let Ok(bucket) = self.link.bucket(names::QUARANTINE).await
                && let Ok(mut news) = bucket.watch_with_history(&self.profile.name).await
            {
                while let Some(Ok(entry)) = news.next().await {
                    if let Some(sentence) = cards::read::<Sentence>(&entry.value) {
                        self.end(End::Quarantined(sentence.reason));
                        return;
                    }
                }
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    async fn beat(&self, ended: bool, rate: f64) {
        let card = WorkerCard {
            name: self.profile.name.clone(),
            instance: self.instance,
            engine: self.profile.engine.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads: self.profile.threads as u32,
            since: self.since,
            sent: now(),
            answered: self.answered.load(Relaxed),
            rate,
            in_hand: self.in_hand().len() as u64,
            refused: self.refused.load(Relaxed),
            ended,
        };
        if let Ok(bucket) = self.link.bucket(names::WORKERS).await {
            let _ = self.link.put_card(&bucket, &card.name, &card).await;
        }
    }

    /// A worker with another evaluation gets no work: whoever started it should know why.
    async fn warn_if_others_are_asked(&self) -> bool {
        let Ok(bucket) = self.link.bucket(names::BOOKS).await else {
            return false;
        };
        let Ok(books) = self.link.cards::<BookCard>(&bucket).await else {
            return false;
        };
        let asked: Vec<&BookCard> = books.iter().filter(|card| card.is_asking()).collect();
        let Some(other) = asked.first() else {
            return false;
        };
        if asked.iter().any(|card| card.engine == self.profile.engine) {
            return false;
        }
        tracing::warn!(
            "the book {} is searched by {} (emilia {}), and this worker is {} (emilia {}): it gets no \
             work, because values of different engines do not mix. Run the same version with the same \
             weights",
            other.name,
            other.engine,
            other.version,
            self.profile.engine,
            env!("CARGO_PKG_VERSION"),
        );
        true
    }
}
