//! What a worker tells while it works, and what it hears: its card, its claims on parcels, which runs
//! ask for which books, and whether it was found out.

use super::{End, Worker};
use crate::cluster::cards::{self, BEAT, BookCard, Sentence, WorkerCard};
use crate::cluster::link::CLAIM_EXTENDED;
use crate::cluster::names;
use crate::cluster::wire::{Parcel, now};
use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt;
use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, MutexGuard, PoisonError};

impl Worker {
    /// Says of every parcel in hand that it is being worked on.
    pub async fn keep_claims(self: Arc<Worker>) {
        loop {
            tokio::time::sleep(CLAIM_EXTENDED).await;
            let ackers: Vec<Arc<Acker>> = self.in_hand().values().cloned().collect();
            for acker in ackers {
                let _ = acker.ack_with(AckKind::Progress).await;
            }
        }
    }

    /// Renews the card, and hears whether there is work for this engine at all.
    pub async fn keep_telling(self: Arc<Worker>) {
        let mut answered = 0;
        let mut warned = false;
        loop {
            tokio::time::sleep(BEAT).await;
            let now = self.answered.load(Relaxed);
            let rate = (now - answered) as f64 / BEAT.as_secs_f64();
            answered = now;
            self.beat(false, rate).await;
            if !warned && answered == 0 {
                warned = self.warn_if_others_are_asked().await;
            }
        }
    }

    fn books(&self) -> MutexGuard<'_, HashMap<String, (u64, bool)>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody waits for the answers: the command has ended, or another one asks for the book now.
    pub async fn is_of_a_run_that_is_over(&self, parcel: &Parcel) -> bool {
        let book = parcel.book.to_string();
        let is_over = |(run, ended): (u64, bool)| ended || run != parcel.run;
        let known = self.books().get(&book).copied();
        if !known.is_some_and(is_over) {
            return false;
        }
        // A new run's questions may be here before the news of it.
        let Ok(bucket) = self.link.bucket(names::BOOKS).await else {
            return false;
        };
        let entry = bucket.get(book.as_str()).await.ok().flatten();
        let card = entry.and_then(|bytes| cards::read::<BookCard>(&bytes));
        card.is_some_and(|card| {
            let now = (card.run, card.ended);
            self.books().insert(book, now);
            is_over(now)
        })
    }

    /// Hears which run asks for each book.
    pub async fn hear_of_books(self: Arc<Worker>) {
        loop {
            if let Ok(bucket) = self.link.bucket(names::BOOKS).await
                && let Ok(mut news) = bucket.watch_with_history(">").await
            {
                while let Some(Ok(entry)) = news.next().await {
                    if let Some(card) = cards::read::<BookCard>(&entry.value) {
                        self.books().insert(card.book, (card.run, card.ended));
                    }
                }
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Whoever is quarantined should not go on: nobody takes its answers.
    pub async fn listen_for_a_sentence(self: Arc<Worker>) {
        loop {
            if let Ok(bucket) = self.link.bucket(names::QUARANTINE).await
                && let Ok(mut news) = bucket.watch_with_history(&self.profile.name).await
            {
                while let Some(Ok(entry)) = news.next().await {
                    if let Some(sentence) = cards::read::<Sentence>(&entry.value) {
                        self.end(End::Quarantined(sentence.reason));
                        return;
                    }
                }
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    pub async fn beat(&self, ended: bool, rate: f64) {
        let card = WorkerCard {
            name: self.profile.name.clone(),
            instance: self.instance,
            engine: self.profile.engine.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads: self.profile.threads as u32,
            since: self.since,
            sent: now(),
            answered: self.answered.load(Relaxed),
            rate,
            in_hand: self.in_hand().len() as u64,
            refused: self.refused.load(Relaxed),
            ended,
        };
        if let Ok(bucket) = self.link.bucket(names::WORKERS).await {
            let _ = self.link.put_card(&bucket, &card.name, &card).await;
        }
    }

    /// A worker with another evaluation gets no work: whoever started it should know why.
    async fn warn_if_others_are_asked(&self) -> bool {
        let Ok(bucket) = self.link.bucket(names::BOOKS).await else {
            return false;
        };
        let Ok(books) = self.link.cards::<BookCard>(&bucket).await else {
            return false;
        };
        let asked: Vec<&BookCard> = books.iter().filter(|card| card.is_asking()).collect();
        let Some(other) = asked.first() else {
            return false;
        };
        if asked.iter().any(|card| card.engine == self.profile.engine) {
            return false;
        }
        tracing::warn!(
            "the book {} is searched by {} (emilia {}), and this worker is {} (emilia {}): it gets no \
             work, because values of different engines do not mix. Run the same version with the same \
             weights",
            other.name,
            other.engine,
            other.version,
            self.profile.engine,
            env!("CARGO_PKG_VERSION"),
        );
        true
    }
}
