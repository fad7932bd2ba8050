//! What goes wrong between a book and those who answer it.

use std::path::PathBuf;

/// What goes wrong on the way.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error("this is no address of a NATS server: write nats://HOST:PORT, or several with commas")]
    Address,
    #[error("cannot read the credentials in {}: {reason}", path.display())]
    Credentials { path: PathBuf, reason: String },
    #[error(
        "cannot reach a NATS server at {servers}: {reason}; one is started with nats-server -js -sd DIR"
    )]
    Connect { servers: String, reason: String },
    #[error(
        "the NATS server at {servers} does not let this program in: give it user and password in the \
         URL, --cluster-token-file or --cluster-credentials"
    )]
    NotLetIn { servers: String },
    #[error("the book has no name to be asked by: {0}")]
    Nameless(String),
    #[error("stopped before the NATS server was found")]
    Stopped,
    #[error(
        "the NATS server cannot keep {what}: {reason}; JetStream is switched on with nats-server -js -sd DIR"
    )]
    SetUp { what: &'static str, reason: String },
    #[error("the NATS server does not answer: {0}")]
    Server(String),
    #[error(
        "process {process} on {host} asks for this book, or a copy of it, through this server: wait \
         until it is done"
    )]
    BookTaken { host: String, process: u32 },
    #[error("'{0}' is no name for a worker: use up to 64 letters, digits, - and _")]
    Name(String),
    #[error("a worker called {0} is at work already: give this one another name with --name")]
    NameTaken(String),
    #[error(
        "this worker is quarantined: {0}. Test the machine's memory; emilia cluster pardon lets it \
         answer again"
    )]
    Quarantined(String),
    #[error(
        "every search breaks on this machine: it was taken out before it spoils the work of others. \
         Test the machine's memory"
    )]
    Broken,
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
