//! Ctrl-C and the signal to end, the same for all commands: the first lets a command put things in
//! order, the second ends it at once. And a time after which commands stop by themselves.

use super::exit::{Exit, interrupted};
use crate::search::StopButton;
use anyhow::{Context, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// Who wants the command to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum By {
    Nobody,
    /// Ctrl-C.
    Keyboard,
    /// The system, or whoever looks after services: SIGTERM or SIGHUP.
    System,
}

/// Set once somebody wants the command to stop; a second time stops it the hard way.
#[derive(Clone)]
pub struct Interrupt {
    by: Arc<AtomicU8>,
    /// Somebody wants it, and the time was up before.
    is_late: Arc<AtomicBool>,
    button: StopButton,
}

impl Interrupt {
    /// Takes the signals over for the rest of the process.
    pub fn watch() -> Result<Interrupt> {
        let interrupt = Interrupt::unheard();
        let seen = interrupt.clone();
        listen(move |by| {
            if seen.is_set() {
                std::process::exit(Exit::Interrupted as i32);
            }
            seen.hear(by);
        })?;
        Ok(interrupt)
    }

    fn unheard() -> Interrupt {
        Interrupt {
            by: Arc::new(AtomicU8::new(By::Nobody as u8)),
            is_late: Arc::default(),
            button: StopButton::new(),
        }
    }

    fn hear(&self, by: By) {
        let is_late = self.button.is_pressed();
        self.is_late.store(is_late, Ordering::Relaxed);
        self.by.store(by as u8, Ordering::Relaxed);
        self.button.press();
    }

    /// Ends the process at the first signal, with these words: for work whose finished parts are
    /// on the disk, and whose begun ones nobody misses.
    pub fn end_at_once(words: &'static str) -> Result<()> {
        listen(move |_| {
            eprintln!("emilia: {words}");
            std::process::exit(Exit::Interrupted as i32);
        })
    }

    /// The user pressed Ctrl-C, or the system wants the command to end.
    pub fn is_set(&self) -> bool {
        self.by.load(Ordering::Relaxed) != By::Nobody as u8
    }

    /// The user pressed Ctrl-C when the time was up already: what is still done then is to end, too.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Pressed by the user, or when the time is up.
    pub fn button(&self) -> &StopButton {
        &self.button
    }

    /// Waits until somebody wants the command to stop.
    pub async fn pressed(&self) {
        while !self.button.is_pressed() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Presses the button after this time.
    pub fn stop_after(&self, time: Duration) {
        let button = self.button.clone();
        thread::spawn(move || {
            thread::sleep(time);
            button.press();
        });
    }

    /// An error once the user has pressed Ctrl-C, so that the way out cleans up.
    pub fn check(&self) -> Result<()> {
        if self.is_set() {
            return Err(interrupted("interrupted; nothing was written"));
        }
        Ok(())
    }

    /// How a command ends that has shown what it knows so far: that it is not all stays an
    /// interruption.
    pub fn end(&self) -> Result<()> {
        if self.is_set() {
            return Err(interrupted(""));
        }
        Ok(())
    }

    /// How a command ends that runs until it is told to stop: that the system tells it is no
    /// trouble, and Ctrl-C is an interruption as everywhere.
    pub fn end_of_service(&self) -> Result<()> {
        if self.by.load(Ordering::Relaxed) == By::Keyboard as u8 {
            return Err(interrupted(""));
        }
        Ok(())
    }
}

/// Calls `heard` for each signal, in a thread of its own. When this returns, the signals are taken
/// over.
fn listen(heard: impl Fn(By) + Send + 'static) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .context("cannot listen for Ctrl-C")?;
    let signals = {
        let _inside = runtime.enter();
        Signals::new().context("cannot listen for Ctrl-C")?
    };
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            runtime.block_on(async {
                let mut signals = signals;
                loop {
                    heard(signals.next().await);
                }
            })
        })
        .context("cannot listen for Ctrl-C")?;
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> By {
        tokio::select! {
            _ = self.interrupt.recv() => By::Keyboard,
            _ = self.terminate.recv() => By::System,
            _ = self.hangup.recv() => By::System,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) -> By {
        // An error means that nobody can ever press it.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        By::Keyboard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctrl_c_after_the_end_of_the_time_is_heard_once_more() {
        let [in_time, late] = [false, true].map(|time_is_up| {
            let interrupt = Interrupt::unheard();
            if time_is_up {
                interrupt.button().press();
            }
            assert!(!interrupt.is_set() && !interrupt.is_late());
            interrupt.hear(By::Keyboard);
            assert!(interrupt.is_set() && interrupt.button().is_pressed());
            interrupt
        });
        assert!(!in_time.is_late());
        assert!(late.is_late());
    }
}
