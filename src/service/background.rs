//! Work that takes longer than a look into the book: files that are read, games that are gone
//! through, batches of positions. Each kind has its own threads, which stand back behind those who
//! answer, so that none keeps another waiting. What a client may have of it goes along with the
//! work, which ends when the client leaves or its time is up: a request that is given up leaves
//! nothing running behind.

use super::problem::Problem;
use super::settings::cores;
use crate::search::StopButton;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot};

/// Threads for one kind of work.
pub struct Background {
    pool: ThreadPool,
    /// For those who wait, too.
    room: Arc<Semaphore>,
    size: usize,
}

/// A piece of work, as whoever does it sees it.
#[derive(Clone)]
pub struct Chore {
    button: StopButton,
    until: Instant,
}

impl Chore {
    /// Nobody waits for it any more, or it has taken too long.
    pub fn is_over(&self) -> bool {
        self.button.is_pressed() || self.is_late()
    }

    /// It has taken too long.
    pub fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// Presses a button when it is dropped, as happens when a client leaves before his answer.
pub struct PressedWhenLeft(pub StopButton);

impl Drop for PressedWhenLeft {
    fn drop(&mut self) {
        self.0.press();
    }
}

/// Half of the cores: the others are for those who ask.
pub fn threads() -> usize {
    (cores() / 2).max(1)
}

/// Threads that let everybody else go first: they get what time is left.
pub fn low_priority_pool(name: &'static str) -> Result<ThreadPool, io::Error> {
    ThreadPoolBuilder::new()
        .num_threads(threads())
        .thread_name(move |number| format!("{name} {number}"))
        .start_handler(|_| stand_back())
        .build()
        .map_err(io::Error::other)
}

fn stand_back() {
    // On Linux a thread has a priority of its own. A refusal does no harm.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(15);
}

impl Background {
    /// Takes on so much, the work that waits included.
    pub fn start(name: &'static str, room: usize) -> Result<Background, io::Error> {
        let size = room.max(1);
        Ok(Background {
            pool: low_priority_pool(name)?,
            room: Arc::new(Semaphore::new(size)),
            size,
        })
    }

    /// How much is under way, what waits included.
    pub fn under_way(&self) -> usize {
        self.size - self.room.available_permits()
    }

    /// Does something in the background, for at most this long once it has begun. What goes along
    /// is let go of when the work ends, not when the client leaves.
    pub async fn run<T: Send + 'static>(
        &self,
        goes_along: impl Send + 'static,
        time: Duration,
        work: impl FnOnce(&Chore) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let room = self.room.clone().try_acquire_owned();
        let room = room.map_err(|_| Problem::Busy)?;
        let button = StopButton::new();
        let _here = PressedWhenLeft(button.clone());
        let (reply, answer) = oneshot::channel();
        self.pool.spawn(move || {
            let held = (goes_along, room);
            let until = Instant::now() + time;
            let chore = Chore { button, until };
            if chore.is_over() {
                return;
            }
            let done = catch_unwind(AssertUnwindSafe(|| work(&chore)));
            // Before the answer: whoever has it may ask for the next.
            drop(held);
            // Whoever asked may have left.
            let _ = reply.send(done.unwrap_or(Err(Problem::Internal)));
        });
        answer.await.unwrap_or(Err(Problem::Internal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    const LONG: Duration = Duration::from_secs(600);

    #[tokio::test]
    async fn work_ends_when_its_client_leaves_and_holds_its_permit_until_then() {
        let background = Background::start("test", 4).unwrap();
        let permits = Arc::new(Semaphore::new(1));
        let running = Arc::new(AtomicUsize::new(0));
        let permit = permits.clone().acquire_owned().await.unwrap();
        let begun = running.clone();
        let work = background.run(permit, LONG, move |chore| {
            begun.store(1, SeqCst);
            while !chore.is_over() {
                std::thread::yield_now();
            }
            begun.store(2, SeqCst);
            Ok(())
        });
        let left = async {
            while running.load(SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = work => unreachable!("nothing ends it but its client"),
            () = left => {}
        }
        let _back = permits.acquire().await.unwrap();
        assert_eq!(running.load(SeqCst), 2);
    }

    #[tokio::test]
    async fn work_that_breaks_or_takes_too_long_is_told_and_the_next_is_done() {
        let background = Background::start("test", 1).unwrap();
        let broken = background.run((), LONG, |_| -> Result<(), Problem> {
            panic!("on purpose")
        });
        assert_eq!(broken.await.unwrap_err().code(), "internal");
        let late = background.run((), Duration::from_millis(1), |chore| {
            while !chore.is_over() {}
            Ok(chore.is_late())
        });
        assert!(late.await.unwrap());
    }
}
