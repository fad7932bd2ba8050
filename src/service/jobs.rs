//! Long work on the book, one job after the other on a thread of its own: how far each is, and how
//! it ended. A job that is stopped keeps what it has written.

use super::background::low_priority_pool;
use super::problem::Problem;
use super::stats::Counted;
use super::work::Work;
use crate::book::{Store, Watcher};
use crate::cluster::Address;
use crate::engine::Expansion;
use crate::search::StopButton;
use crate::view::{JobKind, JobState, JobView, SearchedView};
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Jobs that are remembered after their end.
const REMEMBERED: usize = 50;
/// Jobs that may wait.
const WAITING: usize = 20;
/// What is said of a job that broke the rules of this program.
const BROKEN: &str = "something broke inside; the log says more, and what was written stays";

/// One job and how far it is.
pub struct Job {
    id: u64,
    kind: JobKind,
    about: String,
    done: AtomicU64,
    /// 0 while it is unknown.
    total: AtomicU64,
    stop: StopButton,
    /// The server ends: not even what was found is carried up.
    hurry: StopButton,
    stage: Mutex<Stage>,
    /// What it was to do, where that can be taken up again.
    growth: Option<(Expansion, u8)>,
    /// Another job goes on with it.
    taken_up: AtomicBool,
    searched: Mutex<Vec<SearchedView>>,
    changes: watch::Sender<u64>,
}

struct Stage {
    state: JobState,
    /// What it is doing, or what came of it.
    message: String,
    /// What it did before it paused.
    paused: Option<String>,
    began: Option<Instant>,
    took: Option<Duration>,
}

impl Job {
    pub fn view(&self) -> JobView {
        let stage = self.lock();
        let (done, total) = (self.done.load(Relaxed), self.total.load(Relaxed));
        JobView {
            id: self.id,
            kind: self.kind,
            about: self.about.clone(),
            state: stage.state,
            message: stage.message.clone(),
            done,
            // An estimate of the store can turn out too low.
            total: (total > 0 && total >= done).then_some(total),
            seconds: stage
                .took
                .or(stage.began.map(|began| began.elapsed()))
                .map(|time| time.as_secs_f64()),
            resumable: self.is_resumable(stage.state),
            searching: match stage.state {
                JobState::Running => lock(&self.searched).clone(),
                _ => Vec::new(),
            },
        }
    }

    /// Positions that were searched just now.
    pub fn searched(&self, positions: Vec<SearchedView>) {
        *lock(&self.searched) = positions;
        self.changed();
    }

    fn is_resumable(&self, state: JobState) -> bool {
        state == JobState::Stopped && self.growth.is_some() && !self.taken_up.load(Relaxed)
    }

    /// What is left of it, if it was stopped.
    fn rest(&self) -> Option<Work> {
        let (expansion, level) = self.growth?;
        let resumable = self.is_resumable(self.lock().state);
        let done = self.done.load(Relaxed);
        let left = |positions: u64| positions.saturating_sub(done).max(1);
        let expansion = Expansion {
            positions: expansion.positions.map(left),
            ..expansion
        };
        resumable.then_some(Work::Expand { expansion, level })
    }

    /// Pressed when the job is to stop.
    pub fn button(&self) -> &StopButton {
        &self.stop
    }

    /// A new part of the work, with as much to do.
    pub fn begin(&self, doing: &str, total: u64) {
        self.lock().message = doing.to_owned();
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
        self.changed();
    }

    /// How much of the part is done.
    pub fn reached(&self, done: u64) {
        self.done.store(done, Relaxed);
        self.changed();
    }

    fn changed(&self) {
        self.changes.send_modify(|version| *version += 1);
    }

    fn enter(&self, state: JobState, message: String) {
        let mut stage = self.lock();
        stage.state = state;
        stage.message = message;
        match state {
            JobState::Running => stage.began = Some(Instant::now()),
            _ => stage.took = stage.began.map(|began| began.elapsed()),
        }
        drop(stage);
        self.changed();
    }

    fn lock(&self) -> MutexGuard<'_, Stage> {
        lock(&self.stage)
    }

    fn is_over(&self) -> bool {
        !matches!(self.lock().state, JobState::Waiting | JobState::Running)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watcher for Job {
    fn done(&self, positions: u64) {
        self.done.fetch_add(positions, Relaxed);
        self.changed();
    }

    fn pauses_for(&self, what: &'static str) {
        let mut stage = self.lock();
        stage.paused = Some(std::mem::replace(&mut stage.message, what.to_owned()));
        drop(stage);
        self.changed();
    }

    fn goes_on(&self) {
        let mut stage = self.lock();
        if let Some(message) = stage.paused.take() {
            stage.message = message;
        }
        drop(stage);
        self.changed();
    }

    fn should_stop(&self) -> bool {
        self.stop.is_pressed()
    }

    fn must_stop(&self) -> bool {
        self.hurry.is_pressed()
    }
}

/// What came of a job that was not broken off by an error.
pub enum Outcome {
    Done(String),
    Stopped(String),
}

/// A job and what it does.
type Task = (Arc<Job>, Work);

/// All jobs since the start, and the thread that does them.
pub struct Jobs {
    all: Mutex<VecDeque<Arc<Job>>>,
    /// None once no more work is taken.
    queue: Mutex<Option<Sender<Task>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    next: AtomicU64,
    changes: watch::Sender<u64>,
    is_running: Arc<AtomicBool>,
}

impl Jobs {
    pub fn start(
        store: Arc<Store>,
        counted: Counted,
        cluster: Option<Address>,
    ) -> Result<Jobs, io::Error> {
        let (queue, waiting) = mpsc::channel::<Task>();
        let is_running = Arc::new(AtomicBool::new(false));
        let running = is_running.clone();
        let pool = low_priority_pool("job")?;
        let thread = std::thread::Builder::new()
            .name("jobs".into())
            .spawn(move || {
                for (job, work) in waiting {
                    if job.should_stop() {
                        job.enter(JobState::Stopped, "stopped before it began".into());
                        continue;
                    }
                    running.store(true, Release);
                    job.enter(JobState::Running, "beginning".into());
                    let run = || pool.install(|| work.run(&store, &job, cluster.as_ref()));
                    // A bug in one job must not end all that come after it.
                    let (state, message) = match catch_unwind(AssertUnwindSafe(run)) {
                        Ok(Ok(Outcome::Done(message))) => (JobState::Done, message),
                        Ok(Ok(Outcome::Stopped(message))) => (JobState::Stopped, message),
                        Ok(Err(error)) => (JobState::Failed, error.to_string()),
                        Err(_) => (JobState::Failed, BROKEN.into()),
                    };
                    tracing::info!(job = job.id, ?state, message, "a job ended");
                    counted.book_changed();
                    running.store(false, Release);
                    job.enter(state, message);
                }
            })?;
        Ok(Jobs {
            all: Mutex::default(),
            queue: Mutex::new(Some(queue)),
            thread: Mutex::new(Some(thread)),
            next: AtomicU64::new(1),
            changes: watch::Sender::new(0),
            is_running,
        })
    }

    /// Puts work at the end of the queue.
    pub fn add(&self, kind: JobKind, about: String, work: Work) -> Result<JobView, Problem> {
        let job = Arc::new(Job {
            id: self.next.fetch_add(1, Relaxed),
            kind,
            about,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            stop: StopButton::new(),
            hurry: StopButton::new(),
            stage: Mutex::new(Stage {
                state: JobState::Waiting,
                message: "waiting for its turn".into(),
                paused: None,
                began: None,
                took: None,
            }),
            growth: work.growth(),
            taken_up: AtomicBool::new(false),
            searched: Mutex::default(),
            changes: self.changes.clone(),
        });
        let mut all = self.lock();
        if all.iter().filter(|job| !job.is_over()).count() >= WAITING {
            return Err(Problem::TooManyJobs { limit: WAITING });
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(Problem::Closing)?;
        queue
            .send((job.clone(), work))
            .map_err(|_| Problem::Closing)?;
        all.push_front(job.clone());
        all.truncate(REMEMBERED.max(WAITING));
        drop(all);
        job.changed();
        Ok(job.view())
    }

    /// A job is at work. What it has written is seen by everybody once it is not.
    pub fn is_running(&self) -> bool {
        self.is_running.load(Acquire)
    }

    /// The newest first.
    pub fn list(&self) -> Vec<JobView> {
        self.lock().iter().map(|job| job.view()).collect()
    }

    /// Asks a job to stop; it does after what it is writing.
    pub fn stop(&self, id: u64) -> Option<JobView> {
        let job = self.lock().iter().find(|job| job.id == id).cloned()?;
        job.stop.press();
        Some(job.view())
    }

    /// Takes a job up again that was stopped, as a new one; none if there is no such job.
    pub fn resume(&self, id: u64) -> Option<Result<JobView, Problem>> {
        let job = self.lock().iter().find(|job| job.id == id).cloned()?;
        let rest = job.rest()?;
        let added = self.add(job.kind, job.about.clone(), rest);
        job.taken_up.store(added.is_ok(), Relaxed);
        Some(added)
    }

    /// Changes whenever there is news of a job.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Asks all jobs to stop, and takes no more.
    pub fn close(&self) {
        self.queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        for job in self.lock().iter() {
            job.stop.press();
            job.hurry.press();
        }
        // Those who follow look up, and see that it is over.
        self.changes.send_modify(|version| *version += 1);
    }

    /// No more work is taken.
    pub fn is_closed(&self) -> bool {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.is_none()
    }

    /// Waits for the job that is running to stop.
    pub fn join(&self) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread for jobs broke");
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Job>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Expansion;
    use crate::service::shared::Shared;
    use crate::service::{Settings, connections, routes};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    const TOKEN: &str = "0123456789abcdef";

    /// The states of all jobs, the newest first, as a client sees them.
    async fn states(address: std::net::SocketAddr) -> Vec<String> {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "GET /api/jobs HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {TOKEN}\r\n\
             connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        let jobs = body["jobs"].as_array().unwrap().iter();
        jobs.map(|job| job["state"].as_str().unwrap().to_owned())
            .collect()
    }

    #[tokio::test]
    async fn a_job_that_breaks_is_told_and_the_next_one_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open_or_create(folder.path()).unwrap());
        let settings = Settings {
            token: Some(TOKEN.parse().unwrap()),
            ..Settings::default()
        };
        let shared = Arc::new(Shared::new(store, settings).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = routes::router(shared.clone());
        let serving = connections::serve(listener, router, shared.clone(), std::future::pending());
        let server = tokio::spawn(serving);
        let jobs = shared.jobs().unwrap();
        let expansion = Expansion::from_start(1);
        jobs.add(JobKind::Expand, "nothing".into(), Work::Break)
            .unwrap();
        let next = Work::Expand {
            expansion,
            level: 1,
        };
        jobs.add(JobKind::Expand, "the start".into(), next).unwrap();
        let mut seen = states(address).await;
        while seen
            .iter()
            .any(|state| state == "waiting" || state == "running")
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
            seen = states(address).await;
        }
        assert_eq!(seen, ["done", "failed"]);
        assert!(!jobs.is_running());
        server.abort();
    }
}
