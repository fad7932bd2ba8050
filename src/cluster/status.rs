//! How a cluster is: who works, what waits, and what nobody could answer.

use super::cards::{BookCard, Sentence, WorkerCard};
use super::error::ClusterError;
use super::link::{Link, in_time};
use super::names;
use super::wire::Parcel;
use crate::book::Question;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use futures_util::StreamExt;

/// Everything there is to know.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Status {
    pub workers: Vec<Worker>,
    pub books: Vec<Book>,
    pub queue: Queue,
    pub quarantined: Vec<Sentence>,
    pub dead: Vec<Dead>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Worker {
    pub card: WorkerCard,
    /// Seconds since its last sign of life.
    pub silent: f64,
    pub is_alive: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Book {
    pub card: BookCard,
    pub silent: f64,
    pub is_asked: bool,
}

/// Parcels on the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Queue {
    /// Nobody has pulled them yet.
    pub waiting: u64,
    pub in_flight: u64,
    /// Of these, handed out before.
    pub handed_out_again: u64,
    /// Answers that no book has taken yet.
    pub answers: u64,
}

/// A question that nobody could answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Dead {
    pub book: String,
    pub question: Question,
    pub tries: u32,
    pub reason: Option<String>,
}

/// The most questions that are named.
const NAMED: usize = 50;

/// Asks the server.
pub async fn status(link: &Link) -> Result<Status, ClusterError> {
    link.set_up().await?;
    let bucket = link.bucket(names::WORKERS).await?;
    let mut workers: Vec<Worker> = link
        .cards::<WorkerCard>(&bucket)
        .await?
        .into_iter()
        .map(|card| Worker {
            silent: card.silent(),
            is_alive: card.is_alive(),
            card,
        })
        .collect();
    workers.sort_by(|a, b| (!a.is_alive, &a.card.name).cmp(&(!b.is_alive, &b.card.name)));
    let bucket = link.bucket(names::BOOKS).await?;
    let mut books: Vec<Book> = link
        .cards::<BookCard>(&bucket)
        .await?
        .into_iter()
        .map(|card| Book {
            silent: card.silent(),
            is_asked: card.is_asking(),
            card,
        })
        .collect();
    books.sort_by(|a, b| (!a.is_asked, &a.card.name).cmp(&(!b.is_asked, &b.card.name)));
    let bucket = link.bucket(names::QUARANTINE).await?;
    Ok(Status {
        workers,
        books,
        queue: queue(link).await?,
        quarantined: link.cards(&bucket).await?,
        dead: dead(link).await?,
    })
}

async fn queue(link: &Link) -> Result<Queue, ClusterError> {
    let server = |error: &dyn std::fmt::Display| ClusterError::Server(error.to_string());
    let stream = link.context.get_stream(names::QUESTIONS).await;
    let stream = stream.map_err(|error| server(&error))?;
    let mut queue = Queue::default();
    let mut consumers = stream.consumers();
    let mut known = 0;
    while let Some(consumer) = consumers.next().await {
        let info = consumer.map_err(|error| server(&error))?;
        queue.waiting += info.num_pending;
        queue.in_flight += info.num_ack_pending as u64;
        queue.handed_out_again += info.num_redelivered as u64;
        known += 1;
    }
    if known == 0 {
        queue.waiting = stream.cached_info().state.messages;
    }
    let answers = link.context.get_stream(names::ANSWERS).await;
    let answers = answers.map_err(|error| server(&error))?;
    queue.answers = answers.cached_info().state.messages;
    Ok(queue)
}

async fn dead(link: &Link) -> Result<Vec<Dead>, ClusterError> {
    let server = |error: &dyn std::fmt::Display| ClusterError::Server(error.to_string());
    let config = pull::Config {
        ack_policy: AckPolicy::None,
        deliver_policy: DeliverPolicy::All,
        inactive_threshold: std::time::Duration::from_secs(10),
        ..pull::Config::default()
    };
    let made = link.context.create_consumer_on_stream(config, names::DEAD);
    let consumer = made.await.map_err(|error| server(&error))?;
    let messages = consumer.fetch().max_messages(NAMED).messages().await;
    let mut messages = messages.map_err(|error| server(&error))?;
    let mut dead = Vec::new();
    while let Some(Ok(message)) = in_time(messages.next()).await? {
        if let Ok(parcel) = Parcel::from_bytes(&message.payload) {
            for question in &parcel.questions {
                dead.push(Dead {
                    book: parcel.book.to_string(),
                    question: question.clone(),
                    tries: parcel.tries,
                    reason: parcel.reason.clone(),
                });
            }
        }
    }
    Ok(dead)
}

/// Lets a quarantined worker answer again. False if it was not.
pub async fn pardon(link: &Link, worker: &str) -> Result<bool, ClusterError> {
    if !names::is_good(worker) {
        return Err(ClusterError::Name(worker.to_owned()));
    }
    let server = |error: &dyn std::fmt::Display| ClusterError::Server(error.to_string());
    let bucket = link.bucket(names::QUARANTINE).await?;
    let entry = bucket.get(worker).await.map_err(|error| server(&error))?;
    bucket.purge(worker).await.map_err(|error| server(&error))?;
    Ok(entry.is_some())
}
