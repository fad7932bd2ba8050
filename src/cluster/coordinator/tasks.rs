//! What runs beside the book: questions go out, answers and sentences come in. Who is alive and what
//! got lost is looked after in `lookout.rs`.

use super::Order;
use super::lookout::LOOK_AROUND;
use super::shared::{Post, Receipt, Shared};
use crate::book::{Question, Witness};
use crate::cluster::cards::{BookCard, GONE, Sentence, WorkerCard};
use crate::cluster::error::ClusterError;
use crate::cluster::link::{Link, in_time};
use crate::cluster::names::{self, host_name};
use crate::cluster::wire::{Delivery, Parcel, now};
use crate::engine::engine_name;
use async_nats::jetstream::AckKind;
use futures_util::StreamExt;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use xxhash_rust::xxh3::xxh3_128;

/// Parcels whose arrival at the server is waited for at the same time.
const ON_THE_WAY: usize = 64;

/// What runs beside the book.
#[derive(Clone)]
pub struct Tasks {
    pub link: Link,
    pub shared: Arc<Shared>,
    pub order: Order,
}

impl Tasks {
    /// Before the first question: old ones are taken away, old answers and sentences taken in.
    pub async fn begin(&self) -> Result<(), ClusterError> {
        let server = |error: &dyn std::fmt::Display| ClusterError::Server(error.to_string());
        self.wait_for_my_turn().await?;
        // From now on workers drop what earlier runs asked. (To purge their questions would move
        // servers before 2.10 past the questions of other books.)
        self.tell(now()).await;
        let bucket = self.link.bucket(names::QUARANTINE).await?;
        for sentence in self.link.cards::<Sentence>(&bucket).await? {
            let worker = Witness::from(sentence.worker);
            let mut state = self.shared.lock();
            if state.trust.quarantine(worker.clone()) {
                // The journal of an earlier run may still have answers of theirs.
                state.found_out.push(worker);
            }
        }
        // What a killed run had in hand would come again only much later.
        self.link.forget_answers_in_hand(self.order.book).await;
        let consumer = self.link.answers_to(self.order.book).await?;
        loop {
            let batch = consumer.fetch().max_messages(1000).messages().await;
            let mut batch = batch.map_err(|error| server(&error))?;
            let mut count = 0;
            // Answers of which nothing is heard now come later, as all others do.
            while let Ok(Some(Ok(message))) = in_time(batch.next()).await {
                count += 1;
                self.open(message);
            }
            if count == 0 {
                break;
            }
        }
        let bucket = self.link.bucket(names::WORKERS).await?;
        for card in self.link.cards::<WorkerCard>(&bucket).await? {
            if card.is_alive() && card.engine == engine_name() {
                let mut state = self.shared.lock();
                state
                    .workers
                    .insert(card.name.clone(), (card, Instant::now()));
            }
        }
        Ok(())
    }

    /// Two commands must not ask for one book: each would take the other's answers. A book that
    /// another process asks for is a copy, or is only read here.
    async fn wait_for_my_turn(&self) -> Result<(), ClusterError> {
        let bucket = self.link.bucket(names::BOOKS).await?;
        let own = self.order.book.to_string();
        let began = Instant::now();
        loop {
            let cards = self.link.cards::<BookCard>(&bucket).await?;
            let other = cards.into_iter().find(|card| card.book == own);
            let Some(card) = other.filter(BookCard::is_asking) else {
                return Ok(());
            };
            // One that was killed on this machine does not come back.
            let is_here = card.host == host_name();
            let process = format!("/proc/{}", card.process);
            let is_gone = is_here && !std::path::Path::new(&process).exists();
            if is_gone || is_here && card.process == std::process::id() {
                return Ok(());
            }
            if began.elapsed() > GONE + LOOK_AROUND {
                return Err(ClusterError::BookTaken {
                    host: card.host,
                    process: card.process,
                });
            }
            tokio::time::sleep(LOOK_AROUND / 2).await;
        }
    }

    pub fn spawn(self, posts: UnboundedReceiver<Post>) {
        tokio::spawn(self.clone().send(posts));
        tokio::spawn(self.clone().receive());
        tokio::spawn(self.clone().watch_workers());
        tokio::spawn(self.clone().look_for_doubts());
        tokio::spawn(self.look_around());
    }

    /// A message with answers, if it is one.
    fn open(&self, message: async_nats::jetstream::Message) {
        let (message, acker) = message.split();
        let receipt = Arc::new(Receipt {
            acker: Some(acker),
            outbox: self.shared.outbox.clone(),
        });
        match Delivery::from_bytes(&message.payload) {
            Ok(delivery) if delivery.book == self.order.book => {
                if delivery.engine == engine_name() {
                    self.shared.take(delivery, &receipt);
                } else {
                    // Of a run before this program was renewed.
                    self.shared.lock().figures.unwanted += 1;
                }
            }
            Ok(_) => self.shared.lock().figures.refused += 1,
            Err(reason) => {
                tracing::warn!(%reason, "a message with answers is refused");
                self.shared.lock().figures.refused += 1;
            }
        }
    }

    async fn send(self, mut posts: UnboundedReceiver<Post>) {
        let mut on_the_way: JoinSet<()> = JoinSet::new();
        let mut taken = Vec::new();
        while posts.recv_many(&mut taken, 1024).await > 0 {
            let mut questions = Vec::new();
            let mut parcels = Vec::new();
            for post in taken.drain(..) {
                match post {
                    Post::Ask(some) => questions.extend(some),
                    Post::Check { question, not_for } => {
                        let parcel = self.parcel(vec![question]);
                        parcels.push(Parcel {
                            not_for: Some(not_for.to_string()),
                            ..parcel
                        });
                    }
                    Post::Acknowledge(acker) => {
                        let _ = acker.ack_with(AckKind::Ack).await;
                    }
                    Post::Quarantine(sentence) => {
                        on_the_way.spawn(self.clone().announce(sentence));
                    }
                }
            }
            let packed = {
                let mut state = self.shared.lock();
                let threads = state.threads();
                state.packing.pack(questions, threads)
            };
            parcels.extend(packed.into_iter().map(|questions| self.parcel(questions)));
            for parcel in parcels {
                while on_the_way.len() >= ON_THE_WAY {
                    on_the_way.join_next().await;
                }
                on_the_way.spawn(self.clone().publish(parcel));
            }
            while on_the_way.try_join_next().is_some() {}
        }
    }

    fn parcel(&self, questions: Vec<Question>) -> Parcel {
        Parcel {
            run: self.shared.run,
            deadline: self.order.deadline,
            ..Parcel::new(self.order.book, engine_name(), questions)
        }
    }

    async fn publish(self, parcel: Parcel) {
        match parcel.to_bytes() {
            Ok(bytes) => {
                let subject = names::asking(&parcel.engine, self.order.book);
                // Unlike any other, so that a question can be asked twice; the same for each try.
                let nonce = RandomState::new().build_hasher().finish();
                let id = format!("{:032x}-{nonce:016x}", xxh3_128(&bytes));
                self.link.publish(subject, id, bytes).await;
            }
            Err(reason) => tracing::error!(%reason, "a question cannot be sent"),
        }
    }

    async fn announce(self, sentence: Sentence) {
        for _ in 0..30 {
            if let Ok(bucket) = self.link.bucket(names::QUARANTINE).await {
                let key = &sentence.worker;
                if names::is_good(key) && self.link.put_card(&bucket, key, &sentence).await.is_ok()
                {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Takes answers for ever; when the server goes away and comes back, too.
    async fn receive(self) {
        loop {
            if let Ok(consumer) = self.link.answers_to(self.order.book).await {
                let messages = consumer
                    .stream()
                    .max_messages_per_batch(500)
                    .heartbeat(Duration::from_secs(2))
                    .expires(Duration::from_secs(10))
                    .messages();
                if let Ok(mut messages) = messages.await {
                    while let Some(Ok(message)) = messages.next().await {
                        self.open(message);
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
