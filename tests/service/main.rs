//! `emilia serve`, over real sockets with real books: the interface, the page in a real browser,
//! and those who mean no good.

mod api;
mod besieged;
mod browser;
mod documented;
mod engine;
mod full_disk;
mod hostile;
mod page;
mod same;
mod server;
mod site;
#[path = "../shared/skips.rs"]
mod skips;
mod strangers;
