//! The threads that look positions up. A thread that has one question after the other keeps its
//! view of the book for a moment, where an old one will do: taking a snapshot waits for whoever
//! writes, and what waits there holds up everybody who asks. A thread without questions keeps
//! none, because a snapshot keeps what was overwritten alive.

use super::problem::Problem;
use crate::book::{Answer, Reader, State, Store, Ways, look_up};
use crate::othello::Position;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// What the book said about a position, without the ways to it.
pub struct Sighting {
    pub answer: Answer,
    pub seen: LookedAt,
}

/// When the book was looked at.
#[derive(Clone, Copy)]
pub struct LookedAt {
    /// Where it is certain.
    state: Option<State>,
    time: Instant,
}

impl LookedAt {
    /// In this state of the book, or at most `oldest` ago.
    pub fn is_good_for(&self, state: State, oldest: Duration) -> bool {
        self.state == Some(state) || self.time.elapsed() < oldest
    }
}

/// The threads, until this is dropped.
pub struct Readers {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

struct Question {
    position: Position,
    oldest: Duration,
    reply: oneshot::Sender<Result<Sighting, Problem>>,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    news: Condvar,
}

#[derive(Default)]
struct Waiting {
    questions: VecDeque<Question>,
    is_closed: bool,
}

impl Readers {
    pub fn start(store: &Arc<Store>, threads: usize) -> Result<Readers, io::Error> {
        let mut readers = Readers {
            queue: Arc::default(),
            threads: Vec::new(),
        };
        for _ in 0..threads {
            let (store, queue) = (store.clone(), readers.queue.clone());
            let thread = std::thread::Builder::new()
                .name("reader".into())
                .spawn(move || answer_all(&store, &queue))?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    /// What the book says about a position, without the ways to it, now or at most `oldest` ago.
    pub async fn look_up(&self, position: Position, oldest: Duration) -> Result<Sighting, Problem> {
        let (reply, answer) = oneshot::channel();
        self.queue.lock().questions.push_back(Question {
            position,
            oldest,
            reply,
        });
        self.queue.news.notify_one();
        answer.await.unwrap_or(Err(Problem::Internal))
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.news.notify_all();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                tracing::error!("a thread that looks positions up broke");
            }
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next question, if there is one already.
    fn at_hand(&self) -> Option<Question> {
        self.lock().questions.pop_front()
    }

    /// The next question, or none when there will be no more.
    fn next(&self) -> Option<Question> {
        let mut waiting = self.lock();
        loop {
            if let Some(question) = waiting.questions.pop_front() {
                return Some(question);
            }
            if waiting.is_closed {
                return None;
            }
            let woken = self.news.wait(waiting);
            waiting = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct View<'a> {
    reader: Reader<'a>,
    seen: LookedAt,
}

impl<'a> View<'a> {
    fn of_now(store: &'a Store) -> View<'a> {
        let time = Instant::now();
        let reader = store.snapshot();
        let state = reader.state();
        View {
            reader,
            seen: LookedAt { state, time },
        }
    }
}

fn answer_all(store: &Store, queue: &Queue) {
    let mut view: Option<View<'_>> = None;
    loop {
        let question = queue.at_hand().or_else(|| {
            view = None;
            queue.next()
        });
        let Some(question) = question else { return };
        if question.reply.is_closed() {
            continue;
        }
        let kept = view
            .take()
            .filter(|view| view.seen.is_good_for(store.state(), question.oldest));
        let view = view.insert(kept.unwrap_or_else(|| View::of_now(store)));
        let found = catch_unwind(AssertUnwindSafe(|| {
            Ok(Sighting {
                answer: look_up(&view.reader, question.position, Ways::LeftOut)?,
                seen: view.seen,
            })
        }));
        // Whoever asked may have left.
        let _ = question.reply.send(found.unwrap_or(Err(Problem::Internal)));
    }
}

#[cfg(test)]
impl Sighting {
    /// What the book says at this moment.
    pub fn now(store: &Store, position: Position) -> Sighting {
        let view = View::of_now(store);
        Sighting {
            answer: look_up(&view.reader, position, Ways::LeftOut).unwrap(),
            seen: view.seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Flag;

    fn write(store: &Store) {
        let mut batch = store.batch().unwrap();
        batch.raise(Flag::SweepDue);
        batch.commit().unwrap();
    }

    #[tokio::test]
    async fn an_answer_is_of_now() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open_or_create(folder.path()).unwrap());
        let readers = Readers::start(&store, 1).unwrap();
        for _ in 0..20 {
            write(&store);
            let ask = || readers.look_up(Position::START, Duration::ZERO);
            let (first, second) = tokio::join!(ask(), ask());
            for found in [first, second] {
                assert_eq!(found.unwrap().seen.state, Some(store.state()));
            }
        }
    }

    #[test]
    fn a_view_is_good_until_the_book_changes_or_as_long_as_an_old_one_will_do() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let seen = View::of_now(&store).seen;
        assert!(seen.is_good_for(store.state(), Duration::ZERO));
        write(&store);
        assert!(!seen.is_good_for(store.state(), Duration::ZERO));
        assert!(seen.is_good_for(store.state(), Duration::from_hours(1)));
    }

    #[tokio::test]
    async fn threads_end_with_their_owner_and_let_go_of_the_book() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open_or_create(folder.path()).unwrap());
        let readers = Readers::start(&store, 3).unwrap();
        let found = readers.look_up(Position::START, Duration::ZERO).await;
        assert!(found.is_ok());
        drop(readers);
        assert_eq!(Arc::strong_count(&store), 1);
    }
}
