//! How parcels come in: pulled while there is room for them, and looked at before anybody works on
//! them. What is not for this worker, what nobody waits for and what was tried too often goes on
//! from here at once.

use super::Worker;
use super::waiting::Job;
use crate::book::{Question, QuestionId};
use crate::cluster::names;
use crate::cluster::wire::{Delivery, Parcel, now};
use crate::engine::table_bytes_for;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use xxhash_rust::xxh3::xxh3_64;

/// A question that was tried so often in vain is given up.
const MOST_TRIES: u32 = 8;
/// A parcel of several that was handed out so often is taken apart: one of them may be the reason.
const APART_AFTER: u32 = 3;
/// Parcels in hand for each thread: the one it works on, and the next.
const IN_HAND: usize = 2;
/// How long a look into an empty queue lasts.
const LOOK: Duration = Duration::from_secs(5);
/// Milliseconds after the deadline until which a parcel is still answered.
const GRACE: u64 = 60_000;
/// Whoever gets a parcel that is not for them passes it on after this.
const PASS_ON: Duration = Duration::from_millis(300);

impl Worker {
    /// Takes parcels while there is room for them.
    pub async fn pull(self: Arc<Worker>) {
        let places = Arc::new(Semaphore::new(IN_HAND * self.profile.threads.max(1)));
        let mut number = 0;
        loop {
            let Ok(consumer) = self.link.questions_for(&self.profile.engine).await else {
                tokio::time::sleep(Duration::from_millis(300)).await;
                continue;
            };
            loop {
                let Ok(place) = places.clone().acquire_owned().await else {
                    return;
                };
                let free = 1 + places.available_permits();
                let batch = consumer.batch().max_messages(free).expires(LOOK);
                let Ok(mut batch) = batch.messages().await else {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    break;
                };
                let mut place = Some(place);
                let mut is_lost = false;
                let mut is_empty = true;
                while let Some(message) = batch.next().await {
                    is_empty = false;
                    let Ok(message) = message else {
                        is_lost = true;
                        break;
                    };
                    let own = match place.take() {
                        Some(place) => place,
                        None => match places.clone().acquire_owned().await {
                            Ok(place) => place,
                            Err(_) => return,
                        },
                    };
                    number += 1;
                    self.receive(number, message, own).await;
                }
                if is_lost {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                // A server that lost its disk has lost this way to it, and does not say so.
                if is_lost || is_empty {
                    break;
                }
            }
        }
    }

    /// Looks at what was pulled.
    async fn receive(
        self: &Arc<Worker>,
        number: u64,
        message: async_nats::jetstream::Message,
        place: OwnedSemaphorePermit,
    ) {
        let handed_out = message.info().map_or(1, |info| info.delivered.max(1)) as u32;
        let (message, acker) = message.split();
        let parcel = match Parcel::from_bytes(&message.payload) {
            Ok(parcel) if parcel.engine == self.profile.engine => parcel,
            Ok(_) => {
                let _ = acker.ack_with(AckKind::Nak(Some(PASS_ON))).await;
                return;
            }
            Err(reason) => {
                tracing::warn!(%reason, "a parcel of questions is refused");
                self.refused.fetch_add(1, Relaxed);
                let _ = acker.ack_with(AckKind::Term).await;
                return;
            }
        };
        // Clocks differ a little.
        let is_over = |deadline: u64| deadline.saturating_add(GRACE) < now();
        if parcel.deadline.is_some_and(is_over) {
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        if parcel.not_for.as_deref() == Some(&self.profile.name) {
            let _ = acker.ack_with(AckKind::Nak(Some(PASS_ON))).await;
            return;
        }
        if self.is_of_a_run_that_is_over(&parcel).await {
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        // Whoever passes a check on has not tried it.
        let is_check = parcel.not_for.is_some();
        let tries = parcel.tries.saturating_add(handed_out - 1);
        if !is_check && parcel.questions.len() > 1 && handed_out > APART_AFTER {
            for question in &parcel.questions {
                let single = Parcel {
                    tries,
                    ..parcel.only(question.clone())
                };
                self.post(&single).await;
            }
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        if is_check && parcel.tries >= MOST_TRIES {
            // Nobody can check it.
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        if !is_check && tries >= MOST_TRIES {
            self.give_up(&parcel, tries, handed_out).await;
            let _ = acker.ack_with(AckKind::Ack).await;
            return;
        }
        let largest = parcel.questions.iter().map(table_bytes_for).max();
        if let (Some(tables), Some(needed)) = (self.profile.tables, largest)
            && needed > tables
        {
            let passing_on = self.clone();
            tokio::spawn(async move {
                passing_on
                    .pass_on_what_is_too_large(parcel, tries, acker, needed)
                    .await;
            });
            return;
        }
        let acker = Arc::new(acker);
        self.in_hand().insert(number, acker.clone());
        self.waiting.put(&Arc::new(Job {
            number,
            parcel,
            acker,
            handed_out,
            results: Mutex::default(),
            _place: place,
        }));
    }

    /// Somebody with more memory should have it. It is sent anew: to hand it back would count as a
    /// try.
    async fn pass_on_what_is_too_large(
        &self,
        parcel: Parcel,
        tries: u32,
        acker: Acker,
        needed: usize,
    ) {
        if !self.is_short.swap(true, Relaxed) {
            tracing::warn!(
                "there are questions that need {} MB, more than --tables allows: others have to \
                 answer them",
                needed >> 20
            );
        }
        tokio::time::sleep(PASS_ON).await;
        self.post(&Parcel { tries, ..parcel }).await;
        let _ = acker.ack_with(AckKind::Ack).await;
    }

    pub async fn post(&self, parcel: &Parcel) {
        if let Ok(bytes) = parcel.to_bytes() {
            let subject = names::asking(&parcel.engine, parcel.book);
            let id = format!("{:016x}-{}-{}", xxh3_64(&bytes), self.instance, now());
            self.link.publish(subject, id, bytes).await;
        }
    }

    /// Nobody will try this again: it is kept for people to look at, and the book is told.
    async fn give_up(&self, parcel: &Parcel, tries: u32, handed_out: u32) {
        let reason = parcel.reason.as_deref().unwrap_or("whoever tried it died");
        let text = format!("given up after {tries} tries: {reason}");
        let told = Parcel {
            tries,
            ..parcel.clone()
        };
        if let Ok(bytes) = told.to_bytes() {
            let id = format!("{:016x}", xxh3_64(&bytes));
            self.link.publish(names::dead(parcel.book), id, bytes).await;
        }
        let answer = |question: &Question| {
            let id = QuestionId::of(question, &parcel.engine);
            (id, Err(text.clone()))
        };
        let delivery = Delivery {
            handed_out,
            answers: parcel.questions.iter().map(answer).collect(),
            gave_up: true,
            ..Delivery::new(parcel, &self.profile.name)
        };
        self.send(&delivery).await;
    }

    pub async fn send(&self, delivery: &Delivery) {
        if let Ok(bytes) = delivery.to_bytes() {
            let id = format!("{:016x}-{}-{}", xxh3_64(&bytes), self.instance, now());
            let subject = names::answers(delivery.book);
            self.link.publish(subject, id, bytes).await;
        }
    }
}
