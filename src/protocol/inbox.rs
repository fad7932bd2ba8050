//! Lines from the other program, read by a thread of its own, so that a search can be interrupted.

use crate::search::StopButton;
use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Longer lines are no commands: a game of 60 moves with all its notes has some 2000 characters.
const LONGEST_LINE: u64 = 1 << 18;
/// The other program waits while so many lines are to be read, or one that never stops talking
/// would take all memory.
const LINES_THAT_WAIT: usize = 256;

/// The lines that have come, in order.
pub struct Inbox {
    lines: Receiver<String>,
    running: Arc<Mutex<Running>>,
    interrupts: fn(&str) -> bool,
}

/// What the reading thread must know of the search.
#[derive(Default)]
struct Running {
    button: Option<StopButton>,
    /// Lines in the inbox that interrupt a search.
    waiting: usize,
}

impl Inbox {
    /// Reads until the input ends. A line for which `interrupts` is true stops the search that
    /// runs when it comes, or that is begun while it waits.
    pub fn open(mut input: impl BufRead + Send + 'static, interrupts: fn(&str) -> bool) -> Inbox {
        let running = Arc::new(Mutex::new(Running::default()));
        let (sender, lines) = sync_channel(LINES_THAT_WAIT);
        let shared = running.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            loop {
                bytes.clear();
                let read = (&mut input)
                    .take(LONGEST_LINE)
                    .read_until(b'\n', &mut bytes);
                if !read.is_ok_and(|read| read > 0) {
                    // Dropping the sender tells that no more lines come.
                    return;
                }
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                if interrupts(&line) {
                    let mut running = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    running.waiting += 1;
                    if let Some(button) = &running.button {
                        button.press();
                    }
                }
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Inbox {
            lines,
            running,
            interrupts,
        }
    }

    /// The next line; waits for it, and returns none at the end of the input.
    pub fn next(&self) -> Option<String> {
        let line = self.lines.recv().ok()?;
        if (self.interrupts)(&line) {
            self.running().waiting -= 1;
        }
        Some(line)
    }

    /// Runs a search with a button that an interrupting line presses.
    pub fn while_listening<T>(&self, search: impl FnOnce(&StopButton) -> T) -> T {
        let button = StopButton::new();
        {
            let mut running = self.running();
            if running.waiting > 0 {
                button.press();
            }
            running.button = Some(button.clone());
        }
        let found = search(&button);
        self.running().button = None;
        found
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::io::{BufReader, pipe};

    fn is_stop(line: &str) -> bool {
        line == "stop"
    }

    #[test]
    fn lines_come_in_order_and_bytes_that_are_no_text_do_no_harm() {
        let inbox = Inbox::open(&b"one\r\n\xff\xfe\n\nlast"[..], is_stop);
        let lines: Vec<String> = std::iter::from_fn(|| inbox.next()).collect();
        assert_eq!(lines, ["one", "\u{fffd}\u{fffd}", "", "last"]);
    }

    #[test]
    fn whoever_never_stops_talking_waits_until_he_is_heard() {
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
        struct Talks(Arc<AtomicU64>);
        impl Read for Talks {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let line = b"y\n";
                buffer[..line.len()].copy_from_slice(line);
                self.0.fetch_add(1, Relaxed);
                Ok(line.len())
            }
        }
        let said = Arc::new(AtomicU64::new(0));
        let inbox = Inbox::open(BufReader::new(Talks(said.clone())), is_stop);
        let mut heard = 0;
        for _ in 0..1000 {
            assert_eq!(inbox.next().as_deref(), Some("y"));
            heard += 1;
            // One is in the hand of whoever reads, and one between.
            assert!(said.load(Relaxed) <= heard + LINES_THAT_WAIT as u64 + 2);
        }
    }

    #[test]
    fn a_line_interrupts_the_search_that_runs_and_the_one_it_waits_for() {
        let (reader, mut writer) = pipe().unwrap();
        let inbox = Inbox::open(BufReader::new(reader), is_stop);
        inbox.while_listening(|button| {
            writeln!(writer, "go on\nstop").unwrap();
            while !button.is_pressed() {
                thread::yield_now();
            }
        });
        // Both lines still wait to be read, so the next search stops at once too.
        assert!(inbox.while_listening(StopButton::is_pressed));
        assert_eq!(inbox.next().as_deref(), Some("go on"));
        assert_eq!(inbox.next().as_deref(), Some("stop"));
        assert!(!inbox.while_listening(StopButton::is_pressed));
    }
}
