//! Workers that behave badly, in this process, and what else speaks to the server by hand.

use async_nats::jetstream;
use emilia::book::{Finding, Question, Value};
use emilia::cluster::{Address, ClusterError, Link, Mind, Worked, WorkerProfile, work};
use emilia::engine::{Searchers, engine_name};
use emilia::othello::Random;
use emilia::search::StopButton;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Clone, Copy)]
pub enum Behaviour {
    /// Another value in one of so many answers.
    Lies {
        one_in: u64,
        seed: u64,
    },
    /// Breaks over one of so many questions, always the same.
    BreaksOnLeavesOf {
        one_in: u64,
    },
    OtherEngine,
    /// Answers so many questions, and the rest only when it may go on.
    RestsAfter {
        answers: u64,
    },
}

struct BadMind {
    searchers: Searchers,
    behaviour: Behaviour,
    random: Random,
    answers: Arc<AtomicU64>,
    rests: Arc<AtomicBool>,
    may_go_on: Arc<AtomicBool>,
}

impl Mind for BadMind {
    fn answer(&mut self, question: &Question) -> Option<Finding> {
        if let Behaviour::RestsAfter { answers } = self.behaviour {
            while self.answers.load(Relaxed) >= answers && !self.may_go_on.load(Relaxed) {
                self.rests.store(true, Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        self.answers.fetch_add(1, Relaxed);
        let mut found = self.searchers.answer(question)?;
        match self.behaviour {
            Behaviour::Lies { one_in, .. } => {
                if let Finding::Moves(best) = &mut found
                    && self.random.below(one_in) == 0
                {
                    let wrong = (best.value.centidiscs() + 700).min(6300);
                    best.value = Value::new(wrong).unwrap();
                }
            }
            Behaviour::BreaksOnLeavesOf { one_in } => {
                if let Question::Moves(asked) = question
                    && asked.without.is_empty()
                    && asked.position.board().hash().is_multiple_of(one_in)
                {
                    panic!("as it was told to");
                }
            }
            Behaviour::OtherEngine | Behaviour::RestsAfter { .. } => {}
        }
        Some(found)
    }
}

/// A worker in this process.
pub struct InProcess {
    answers: Arc<AtomicU64>,
    rests: Arc<AtomicBool>,
    may_go_on: Arc<AtomicBool>,
    button: StopButton,
    thread: Option<JoinHandle<Result<Worked, ClusterError>>>,
}

impl InProcess {
    pub fn start(url: &str, name: &str, behaviour: Behaviour) -> InProcess {
        let (answers, button) = (Arc::new(AtomicU64::new(0)), StopButton::new());
        let (counted, pressed) = (answers.clone(), button.clone());
        let rests = Arc::new(AtomicBool::new(false));
        let may_go_on = Arc::new(AtomicBool::new(false));
        let (resting, released) = (rests.clone(), may_go_on.clone());
        let profile = WorkerProfile {
            name: name.into(),
            may_be_numbered: false,
            engine: match behaviour {
                Behaviour::OtherEngine => "emilia-000000000000".into(),
                _ => engine_name().into(),
            },
            threads: 1,
            tables: None,
        };
        let address = address(url);
        let thread = std::thread::spawn(move || {
            let seed = match behaviour {
                Behaviour::Lies { seed, .. } => seed,
                _ => 0,
            };
            let mind = || {
                Box::new(BadMind {
                    searchers: Searchers::new(StopButton::new()),
                    behaviour,
                    random: Random::new(seed),
                    answers: counted.clone(),
                    rests: resting.clone(),
                    may_go_on: released.clone(),
                }) as Box<dyn Mind>
            };
            runtime().block_on(async {
                let link = Link::connect(&address, &profile.name, None).await?;
                work(link, profile, pressed, mind).await
            })
        });
        InProcess {
            answers,
            rests,
            may_go_on,
            button,
            thread: Some(thread),
        }
    }

    /// What it has answered so far.
    pub fn answers(&self) -> u64 {
        self.answers.load(Relaxed)
    }

    /// It has answered what it answers before it rests.
    pub fn rests(&self) -> bool {
        self.rests.load(Relaxed)
    }

    /// Whoever rests works again.
    pub fn go_on(&self) {
        self.may_go_on.store(true, Relaxed);
    }

    /// How it ended by itself.
    pub fn ended(mut self) -> Result<Worked, ClusterError> {
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.button.press();
        self.go_on();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn address(url: &str) -> Address {
    Address {
        servers: url.into(),
        ..Address::default()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// Sends bytes as they are.
pub fn publish(url: &str, messages: &[(String, Vec<u8>)]) {
    runtime().block_on(async {
        let context = jetstream::new(async_nats::connect(url).await.unwrap());
        for (subject, bytes) in messages {
            let sent = context.publish(subject.clone(), bytes.clone().into());
            sent.await.unwrap().await.unwrap();
        }
    });
}

/// Sends until no more is taken.
pub fn fill(url: &str, subject: &str) {
    runtime().block_on(async {
        let context = jetstream::new(async_nats::connect(url).await.unwrap());
        for size in [100_000, 1_000, 10] {
            loop {
                let sent = context.publish(subject.to_owned(), vec![0; size].into());
                if sent.await.unwrap().await.is_err() {
                    break;
                }
            }
        }
    });
}

pub fn purge(url: &str, subject: &str) {
    runtime().block_on(async {
        let context = jetstream::new(async_nats::connect(url).await.unwrap());
        let stream = context.get_stream("emilia-1-questions").await.unwrap();
        stream.purge().filter(subject).await.unwrap();
    });
}

/// The name of the server that leads the questions' stream.
pub fn leader(urls: &str) -> Option<String> {
    runtime().block_on(async {
        let servers: Vec<async_nats::ServerAddr> =
            urls.split(',').map(|url| url.parse().unwrap()).collect();
        let context = jetstream::new(async_nats::connect(servers).await.unwrap());
        let stream = context.get_stream("emilia-1-questions").await.ok()?;
        stream.cached_info().cluster.as_ref()?.leader.clone()
    })
}
