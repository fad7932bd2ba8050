//! How much memory a command may take for its buffers, beside what the database takes.

/// A budget of memory, in bytes, for caches and buffers together. It bounds what grows with a book
/// or a file; what a program needs to run at all is small and comes on top.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget(usize);

impl Budget {
    /// Unless somebody says otherwise.
    pub const USUAL: Budget = Budget(1 << 30);
    /// Less does not hold what the database takes.
    pub const LEAST: Budget = Budget(256 << 20);
    /// What the database takes of it: blocks of its tables, and what is not written yet.
    const OF_DATABASE: usize = 448 << 20;

    /// At least [`Budget::LEAST`].
    pub fn new(bytes: usize) -> Budget {
        Budget(bytes.max(Budget::LEAST.0))
    }

    /// What is left for the command itself.
    pub fn for_work(self) -> usize {
        self.0.saturating_sub(Budget::OF_DATABASE).max(self.0 / 4)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::USUAL
    }
}
