//! How much the service takes on.

use crate::cluster::Address;
use std::time::Duration;

/// What a server offers and where it stops.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whoever sends it may change the book; without one nobody may.
    pub token: Option<String>,
    /// Searches that run at the same time.
    pub searches: usize,
    /// Of these, how many for one address.
    pub searches_per_client: usize,
    /// Bytes of each search's table.
    pub table_bytes: usize,
    /// The longest that anybody may have a position searched.
    pub search_time: Duration,
    /// Connections that are open at the same time; the longest idle makes room for a new one.
    pub connections: usize,
    /// Requests that are worked on at the same time.
    pub requests: usize,
    /// The largest collection that is taken, in bytes.
    pub upload_bytes: usize,
    /// Where other machines search for the book; none for this machine's own threads.
    pub cluster: Option<Address>,
}

/// What the machine has.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            token: None,
            searches: cores(),
            searches_per_client: 2,
            table_bytes: 64 << 20,
            search_time: Duration::from_secs(60),
            connections: 512,
            requests: 256,
            upload_bytes: 64 << 20,
            cluster: None,
        }
    }
}

impl Settings {
    /// A body that is not a collection: a batch of 1000 boards fits in.
    pub const BODY_BYTES: usize = 256 << 10;
    /// The head of a request has to be there after this.
    pub const HEAD_TIME: Duration = Duration::from_secs(10);
    /// An answer that needs no search has to be there after this.
    pub const ANSWER_TIME: Duration = Duration::from_secs(10);
    /// A collection has to be uploaded after this.
    pub const UPLOAD_TIME: Duration = Duration::from_secs(120);
    /// How long a shutdown waits for answers that are under way.
    pub const GRACE: Duration = Duration::from_secs(10);
}
