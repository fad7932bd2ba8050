//! How much the service takes on.

use super::clients::Proxies;
use super::origin::Neighbours;
use super::token::Token;
use crate::cluster::Address;
use crate::engine::defaults;
use std::time::Duration;

/// What a server offers and where it stops.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whoever sends it may change the book; without one nobody may.
    pub token: Option<Token>,
    /// Searches that run at the same time.
    pub searches: usize,
    /// Of these, how many for one address.
    pub searches_per_client: usize,
    /// Bytes of each search's table.
    pub table_bytes: usize,
    /// The longest that anybody may have a position searched.
    pub search_time: Duration,
    /// Connections that are open at the same time; one that is idle makes room for a new one.
    pub connections: usize,
    /// Work that is taken on of each kind, what waits included.
    pub requests: usize,
    /// The largest collection that is taken, in bytes.
    pub upload_bytes: usize,
    /// Who may ask, and by which name.
    pub neighbours: Neighbours,
    /// Those who say truly where a request comes from.
    pub proxies: Proxies,
    /// Where other machines search for the book; none for this machine's own threads.
    pub cluster: Option<Address>,
}

/// What the machine has.
pub fn cores() -> usize {
    defaults::threads()
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            token: None,
            searches: cores(),
            searches_per_client: 2,
            table_bytes: (defaults::HASH_OF_A_SERVICE as usize) << 20,
            search_time: Duration::from_secs(60),
            connections: 4096,
            requests: 256,
            upload_bytes: 64 << 20,
            neighbours: Neighbours::default(),
            proxies: Proxies::default(),
            cluster: None,
        }
    }
}

impl Settings {
    /// Of all connections, so many for one address: no single one can have all of them.
    pub fn connections_per_client(&self) -> usize {
        self.connections.div_ceil(4)
    }

    /// A batch of 1000 boards fits in.
    pub const BATCH_BYTES: usize = 256 << 10;
    /// Answers to batches that are made or fetched at a time, together.
    pub const BATCHES_KILOBYTES: u32 = 4 << 10;
    /// How many times as long as a batch of short lines its answer is.
    pub const BATCH_EXPANSION: u64 = 96;
    /// Pages of games, lines, figures: the same for them.
    pub const LISTS_KILOBYTES: u32 = 8 << 10;
    /// The games of a file that somebody looks at.
    pub const FILES_KILOBYTES: u32 = 8 << 10;
    /// Any other body that is not a collection: a position and some wishes.
    pub const BODY_BYTES: usize = 16 << 10;
    /// Collections that one client may have sent at a time, to look at.
    pub const UPLOADS_PER_CLIENT: usize = 2;
    /// Collections of the largest size that are kept on the disk at a time, to look at.
    pub const LOOKED_AT: usize = 4;
    /// The same, to learn, for those with the token, one of whom may have all of them: as many as
    /// jobs may wait, and some that are on their way.
    pub const LEARNED: usize = 24;
    /// The head of a request has to be there after this.
    pub const HEAD_TIME: Duration = Duration::from_secs(10);
    /// An answer that needs no search has to be there after this.
    pub const ANSWER_TIME: Duration = Duration::from_secs(10);
    /// A collection has to be uploaded, and looked at, after this.
    pub const UPLOAD_TIME: Duration = Duration::from_secs(120);
    /// A collection that was uploaded is read for this long.
    pub const READING_TIME: Duration = Duration::from_secs(20);
    /// The games of the book are gone through for this long.
    pub const SCAN_TIME: Duration = Duration::from_secs(20);
    /// For a scan's turn to come.
    pub const SCAN_WAIT: Duration = Duration::from_secs(40);
    /// How long a shutdown waits for answers that are under way.
    pub const GRACE: Duration = Duration::from_secs(10);
}
