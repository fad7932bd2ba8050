//! The way to the NATS server: connecting, and the streams and buckets that all of it goes through.

use super::address::{Address, options, parse_servers};
use super::cards;
use super::error::ClusterError;
use super::names;
use crate::book::BookId;
use async_nats::connection::State;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::kv;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectErrorKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// A parcel that nobody has said anything about for so long is handed out again.
pub const CLAIM: Duration = Duration::from_secs(8);
/// How often whoever works on a parcel says so.
pub const CLAIM_EXTENDED: Duration = Duration::from_secs(2);
/// Answers that a book has taken into its hands and not acknowledged for so long come again.
const ANSWERS_IN_HAND: Duration = Duration::from_secs(600);
/// What a server is asked for has to be there after this.
pub const ANSWER_TIME: Duration = Duration::from_secs(5);
/// How often a list is begun that does not end.
const LISTS: usize = 3;
/// Cards of those who are gone are kept so long.
const CARDS_KEPT: Duration = Duration::from_secs(24 * 3600);
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// How the streams are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// On how many servers.
    pub replicas: usize,
    /// How many bytes of questions may wait, and as many of answers.
    pub bytes: i64,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            replicas: 1,
            bytes: 256 << 20,
        }
    }
}

/// An open way.
#[derive(Clone)]
pub struct Link {
    client: Client,
    pub(super) context: Context,
    layout: Layout,
}

impl Link {
    /// Connects, and goes on trying for this long; for ever if nothing is said. Afterwards the
    /// client connects again by itself whenever the way is lost.
    pub async fn connect(
        address: &Address,
        name: &str,
        patience: Option<Duration>,
    ) -> Result<Link, ClusterError> {
        let servers = parse_servers(&address.servers)?;
        let began = tokio::time::Instant::now();
        let mut is_told = false;
        loop {
            let options = options(address, &servers, name)?;
            let reason = match options.connect(servers.clone()).await {
                Ok(client) => {
                    let context = jetstream::context::ContextBuilder::new()
                        .timeout(ANSWER_TIME)
                        .ack_timeout(ANSWER_TIME)
                        .backpressure_on_inflight(true)
                        .build(client.clone());
                    return Ok(Link {
                        client,
                        context,
                        layout: Layout::default(),
                    });
                }
                Err(error) => match error.kind() {
                    ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                        let servers = address.shown();
                        return Err(ClusterError::NotLetIn { servers });
                    }
                    _ => error.to_string(),
                },
            };
            if patience.is_some_and(|patience| began.elapsed() >= patience) {
                let servers = address.shown();
                return Err(ClusterError::Connect { servers, reason });
            }
            if !is_told {
                tracing::warn!(
                    servers = address.shown(),
                    reason,
                    "waiting for the NATS server"
                );
                is_told = true;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Streams that are made from now on are kept like this.
    pub fn with_layout(self, layout: Layout) -> Link {
        Link { layout, ..self }
    }

    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Makes what is missing; what is there stays as it is.
    pub async fn set_up(&self) -> Result<(), ClusterError> {
        for (what, config) in self.streams() {
            self.context
                .get_or_create_stream(config)
                .await
                .map_err(|error| ClusterError::SetUp {
                    what,
                    reason: error.to_string(),
                })?;
        }
        for bucket in [names::WORKERS, names::BOOKS, names::QUARANTINE] {
            self.bucket(bucket).await?;
        }
        Ok(())
    }

    /// Brings what is there into this layout as well.
    pub async fn lay_out(&self) -> Result<(), ClusterError> {
        let refused = |what, reason: String| ClusterError::SetUp { what, reason };
        for (what, config) in self.streams() {
            self.context
                .create_or_update_stream(config)
                .await
                .map_err(|error| refused(what, error.to_string()))?;
        }
        for bucket in [names::WORKERS, names::BOOKS, names::QUARANTINE] {
            self.context
                .create_or_update_stream(self.bucket_stream(bucket))
                .await
                .map_err(|error| refused("buckets", error.to_string()))?;
        }
        Ok(())
    }

    /// On how many servers questions are kept in truth: a server that stands alone takes any number.
    pub async fn replicas(&self) -> Result<usize, ClusterError> {
        let stream = self.context.get_stream(names::QUESTIONS).await;
        let stream = stream.map_err(|error| ClusterError::Server(error.to_string()))?;
        let cluster = stream.cached_info().cluster.as_ref();
        Ok(1 + cluster.map_or(0, |cluster| cluster.replicas.len()))
    }

    fn streams(&self) -> [(&'static str, stream::Config); 3] {
        let Layout { replicas, bytes } = self.layout;
        let queue = |name: &str, subject: &str| stream::Config {
            name: name.into(),
            subjects: vec![subject.into()],
            retention: RetentionPolicy::WorkQueue,
            // Whoever brings more has to wait; nothing is thrown away.
            discard: DiscardPolicy::New,
            max_bytes: bytes,
            max_age: WEEK,
            num_replicas: replicas,
            ..stream::Config::default()
        };
        let dead = stream::Config {
            retention: RetentionPolicy::Limits,
            discard: DiscardPolicy::Old,
            max_bytes: bytes.min(16 << 20),
            ..queue(names::DEAD, names::ALL_DEAD)
        };
        [
            ("questions", queue(names::QUESTIONS, names::ALL_QUESTIONS)),
            ("answers", queue(names::ANSWERS, names::ALL_ANSWERS)),
            ("what nobody could answer", dead),
        ]
    }

    /// A bucket of keys and values is a stream, too. Made by hand: the library first asks the server
    /// for something that Debian's (2.9) does not have.
    fn bucket_stream(&self, name: &str) -> stream::Config {
        stream::Config {
            name: format!("KV_{name}"),
            subjects: vec![format!("$KV.{name}.>")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            max_age: match name {
                names::QUARANTINE => Duration::ZERO,
                _ => CARDS_KEPT,
            },
            num_replicas: self.layout.replicas,
            ..stream::Config::default()
        }
    }

    /// A bucket, made if it is missing.
    pub(super) async fn bucket(&self, name: &str) -> Result<kv::Store, ClusterError> {
        if let Ok(bucket) = self.context.get_key_value(name).await {
            return Ok(bucket);
        }
        let refused = |reason: String| ClusterError::SetUp {
            what: "buckets",
            reason,
        };
        let config = self.bucket_stream(name);
        let made = self.context.get_or_create_stream(config).await;
        made.map_err(|error| refused(error.to_string()))?;
        let bucket = self.context.get_key_value(name).await;
        bucket.map_err(|error| refused(error.to_string()))
    }

    /// What all workers with one engine pull from.
    pub(super) async fn questions_for(&self, engine: &str) -> Result<PullConsumer, ClusterError> {
        self.consumer(
            names::QUESTIONS,
            pull::Config {
                durable_name: Some(names::workers_of(engine)),
                filter_subject: names::asked(engine),
                ack_wait: CLAIM,
                ..self.consumer_config()
            },
        )
        .await
    }

    /// What a book gets its answers from.
    pub(super) async fn answers_to(&self, book: BookId) -> Result<PullConsumer, ClusterError> {
        self.consumer(
            names::ANSWERS,
            pull::Config {
                durable_name: Some(answers_consumer(book)),
                filter_subject: names::answers(book),
                ack_wait: ANSWERS_IN_HAND,
                ..self.consumer_config()
            },
        )
        .await
    }

    /// All questions for an engine are to be handed out again.
    pub(super) async fn forget_who_was_asked(&self, engine: &str) {
        let _ = self
            .context
            .delete_consumer_from_stream(names::workers_of(engine), names::QUESTIONS)
            .await;
    }

    /// Answers that were handed out and never acknowledged are there again for whoever asks next.
    pub(super) async fn forget_answers_in_hand(&self, book: BookId) {
        // Where there is none, nothing was handed out.
        let _ = self
            .context
            .delete_consumer_from_stream(answers_consumer(book), names::ANSWERS)
            .await;
    }

    fn consumer_config(&self) -> pull::Config {
        pull::Config {
            ack_policy: AckPolicy::Explicit,
            max_ack_pending: 100_000,
            max_waiting: 100_000,
            ..pull::Config::default()
        }
    }

    async fn consumer(
        &self,
        stream: &str,
        config: pull::Config,
    ) -> Result<PullConsumer, ClusterError> {
        let made = self.context.create_consumer_on_stream(config, stream);
        made.await
            .map_err(|error| ClusterError::Server(error.to_string()))
    }

    /// Publishes until the server has it: a stream that is full, a leader that died, a server that
    /// restarts only take time. The same id is kept once.
    pub(super) async fn publish(&self, subject: String, id: String, bytes: Vec<u8>) {
        let payload = bytes::Bytes::from(bytes);
        let mut pause = Duration::from_millis(50);
        let mut is_told = false;
        loop {
            let message = PublishMessage::build()
                .payload(payload.clone())
                .message_id(&id);
            let sent = match self.context.send_publish(subject.clone(), message).await {
                Ok(acknowledged) => acknowledged.await.map(|_| ()),
                Err(error) => Err(error),
            };
            let Err(error) = sent else {
                return;
            };
            if !is_told {
                tracing::warn!(%error, "the NATS server does not take messages now; trying again");
                is_told = true;
            }
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(Duration::from_secs(2));
            // A server that lost its disk has lost its streams.
            if pause >= Duration::from_secs(1) {
                let _ = self.set_up().await;
            }
        }
    }

    pub(super) async fn put_card<T: Serialize>(
        &self,
        bucket: &kv::Store,
        key: &str,
        card: &T,
    ) -> Result<(), ClusterError> {
        let put = bucket.put(key, cards::written(card).into());
        put.await
            .map(|_| ())
            .map_err(|error| ClusterError::Server(error.to_string()))
    }

    /// All cards of a bucket.
    pub(super) async fn cards<T: DeserializeOwned>(
        &self,
        bucket: &kv::Store,
    ) -> Result<Vec<T>, ClusterError> {
        for _ in 0..LISTS {
            if let Ok(cards) = in_time(self.list_cards(bucket)).await {
                return cards;
            }
        }
        Err(unanswered())
    }

    async fn list_cards<T: DeserializeOwned>(
        &self,
        bucket: &kv::Store,
    ) -> Result<Vec<T>, ClusterError> {
        use futures_util::StreamExt;
        let failed = |error: &dyn std::fmt::Display| ClusterError::Server(error.to_string());
        let mut keys = bucket.keys().await.map_err(|error| failed(&error))?;
        let mut cards = Vec::new();
        while let Some(key) = keys.next().await {
            let key = key.map_err(|error| failed(&error))?;
            let entry = bucket.get(key).await.map_err(|error| failed(&error))?;
            cards.extend(entry.and_then(|bytes| cards::read(&bytes)));
        }
        Ok(cards)
    }

    /// Says what is still to be said.
    pub async fn close(&self) {
        let _ = tokio::time::timeout(Duration::from_secs(1), self.client.flush()).await;
    }
}

/// A list comes from the server piece by piece, and its end is the last piece: where one is lost, or
/// becomes another meanwhile, the library waits for the end for ever.
pub(super) async fn in_time<T>(list: impl Future<Output = T>) -> Result<T, ClusterError> {
    let listed = tokio::time::timeout(ANSWER_TIME, list).await;
    listed.map_err(|_| unanswered())
}

fn unanswered() -> ClusterError {
    ClusterError::Server("it began a list and did not end it".into())
}

fn answers_consumer(book: BookId) -> String {
    format!("book-{book}")
}
