//! The repository held to what it says of itself.

mod architecture;
#[cfg(unix)]
mod docs;
mod minimum_rust;
