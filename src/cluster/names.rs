//! What streams, subjects and buckets are called. The number is the version of the messages: programs
//! that speak another one do not meet.

use crate::book::BookId;

/// Questions wait here until somebody has answered them.
pub const QUESTIONS: &str = "emilia-1-questions";
/// Answers wait here until the book has them.
pub const ANSWERS: &str = "emilia-1-answers";
/// Questions that nobody could answer, for people to look at.
pub const DEAD: &str = "emilia-1-dead";
/// Who works, by name.
pub const WORKERS: &str = "emilia-1-workers";
/// Which books are searched, by their names for machines.
pub const BOOKS: &str = "emilia-1-books";
/// Whose answers are not taken, by name.
pub const QUARANTINE: &str = "emilia-1-quarantine";

pub const ALL_QUESTIONS: &str = "emilia.1.ask.*.*";
pub const ALL_ANSWERS: &str = "emilia.1.answer.*";
pub const ALL_DEAD: &str = "emilia.1.dead.*";

/// Where a book asks an engine.
pub fn asking(engine: &str, book: BookId) -> String {
    format!("emilia.1.ask.{engine}.{book}")
}

/// Where an engine is asked, by any book.
pub fn asked(engine: &str) -> String {
    format!("emilia.1.ask.{engine}.*")
}

pub fn answers(book: BookId) -> String {
    format!("emilia.1.answer.{book}")
}

pub fn dead(book: BookId) -> String {
    format!("emilia.1.dead.{book}")
}

/// All workers with one engine share this.
pub fn workers_of(engine: &str) -> String {
    format!("workers-{engine}")
}

/// Letters, digits, `-` and `_`: what can be part of a subject and of a bucket's key.
pub fn is_good(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(good)
}

/// What this machine is called.
pub fn host_name() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| std::env::var("HOSTNAME").ok());
    tidied(told.as_deref().unwrap_or_default().trim())
}

/// The nearest good name.
pub fn tidied(name: &str) -> String {
    let good = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let tidy: String = name.chars().map(good).take(64).collect();
    if tidy.is_empty() {
        "worker".into()
    } else {
        tidy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_subjects() {
        assert!(is_good("north-1_b"));
        for bad in ["", "a.b", "a b", "a*", "ä", &"x".repeat(65)] {
            assert!(!is_good(bad), "{bad}");
            assert!(is_good(&tidied(bad)), "{bad}");
        }
    }
}
