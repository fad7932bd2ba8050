//! Ctrl-C for commands that have something to clean up.

use anyhow::{Result, bail};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user wants the command to stop; a second Ctrl-C stops it the hard way.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes Ctrl-C over for the rest of the process.
    pub fn watch() -> Result<Interrupt> {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = flag.clone();
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })?;
        Ok(Interrupt(flag))
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error once the user has pressed Ctrl-C, so that the way out cleans up.
    pub fn check(&self) -> Result<()> {
        if self.is_set() {
            bail!("interrupted; nothing was written");
        }
        Ok(())
    }
}
