//! The library from outside: what it finds held to other sources of truth, what it reads held to hostile
//! bytes.

mod fuzz_books;
mod fuzz_readers;
mod search_exact;
mod search_selective;
#[path = "../shared/wthor.rs"]
mod wthor;
mod wthor_base;
