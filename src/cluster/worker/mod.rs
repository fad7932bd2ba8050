//! A machine that answers: pulls parcels of questions, searches them with all its threads, and sends
//! the answers. What it has in hand it says so, again and again; what it does not, because it died,
//! is handed to another one.

mod news;
mod pulling;
mod waiting;

use self::waiting::{Job, Results, Waiting};
use super::cards::{Sentence, WorkerCard};
use super::error::ClusterError;
use super::link::Link;
use super::names;
use super::wire::{Delivery, Parcel, now};
use crate::book::{Finding, Question, QuestionId};
use crate::engine::Searchers;
use crate::search::StopButton;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::JoinSet;
use xxhash_rust::xxh3::xxh3_64;

/// A worker on which so many different questions broke in a row is broken itself.
const MOST_BREAKS: usize = 8;

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
pub struct WorkerProfile {
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
    profile: WorkerProfile,
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
        waiting: Waiting::new(profile.tables),
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
    worker.waiting.close();
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
async fn free_name(link: &Link, profile: &WorkerProfile) -> Result<String, ClusterError> {
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
    profile: WorkerProfile,
    button: StopButton,
    waiting: Waiting,
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
        for job in self.waiting.take_back_unbegun() {
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

    /// What a thread does.
    fn think(&self, mut mind: Box<dyn Mind>) {
        while let Some((job, place, bytes)) = self.waiting.take() {
            let began = Instant::now();
            let question = &job.parcel.questions[place];
            let answer = catch_unwind(AssertUnwindSafe(|| mind.answer(question)));
            if self.waiting.tables.is_some() {
                mind.let_go();
            }
            self.waiting.release(bytes);
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
}
