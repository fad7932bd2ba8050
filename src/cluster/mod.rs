//! Growing a book on many machines, with NATS JetStream between them. The only room that knows NATS.
//!
//! ```text
//! book ──ask──▶ coordinator ──parcels──▶ questions (a work queue) ──pull──▶ worker, worker, worker …
//!  ▲                │ ▲                                                        │
//!  └────replies─────┘ └──────────── answers (a work queue) ◀──── deliveries ───┘
//! ```
//!
//! The book is written by one process, which asks through the same door as with its own threads
//! ([`ClusterAnalyst`]). Questions and answers depend on nothing but themselves, so it does not matter
//! who answers, how often, or when: the book is the one that a single machine would have made.
//! Nothing here was invented for transport: streams, claims, redelivery and duplicates are JetStream's.

mod address;
mod cards;
mod coordinator;
mod error;
mod link;
mod names;
mod packing;
mod status;
mod trust;
mod wire;
mod worker;

pub use address::Address;
pub use cards::{BookCard, Figures, Sentence, WorkerCard};
pub use coordinator::{ClusterAnalyst, Order};
pub use error::ClusterError;
pub use link::{Layout, Link};
pub use names::host_name;
pub use status::{Dead, Queue, Status, pardon, status};
pub use worker::{Mind, Worked, WorkerProfile, work};
