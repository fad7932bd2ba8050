//! Ctrl-C for commands that have something to clean up, and a time after which they stop by
//! themselves.

use crate::search::StopButton;
use anyhow::{Result, bail};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Set once the user wants the command to stop; a second Ctrl-C stops it the hard way.
#[derive(Clone)]
pub struct Interrupt {
    by_user: Arc<AtomicBool>,
    button: StopButton,
}

impl Interrupt {
    /// Takes Ctrl-C over for the rest of the process.
    pub fn watch() -> Result<Interrupt> {
        let interrupt = Interrupt {
            by_user: Arc::new(AtomicBool::new(false)),
            button: StopButton::new(),
        };
        let seen = interrupt.clone();
        ctrlc::set_handler(move || {
            if seen.by_user.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            seen.button.press();
        })?;
        Ok(interrupt)
    }

    /// The user pressed Ctrl-C.
    pub fn is_set(&self) -> bool {
        self.by_user.load(Ordering::Relaxed)
    }

    /// Pressed with Ctrl-C, or when the time is up.
    pub fn button(&self) -> &StopButton {
        &self.button
    }

    /// Presses the button after this time.
    pub fn stop_after(&self, time: Duration) {
        let button = self.button.clone();
        std::thread::spawn(move || {
            std::thread::sleep(time);
            button.press();
        });
    }

    /// An error once the user has pressed Ctrl-C, so that the way out cleans up.
    pub fn check(&self) -> Result<()> {
        if self.is_set() {
            bail!("interrupted; nothing was written");
        }
        Ok(())
    }
}
