//! What the coordinator looks after while it works: who is alive and who was found out, which answers
//! are in doubt for too long, which questions got lost; and it says how it goes.

use super::shared::{Open, Post, State};
use super::tasks::Tasks;
use crate::book::Witness;
use crate::cluster::cards::{self, BookCard, GONE, Sentence, WorkerCard};
use crate::cluster::names;
use crate::cluster::wire::now;
use crate::engine::engine_name;
use async_nats::jetstream::kv;
use futures_util::StreamExt;
use std::time::{Duration, Instant};

/// How often the coordinator looks around.
pub const LOOK_AROUND: Duration = Duration::from_secs(1);
/// How often it looks for answers that are in doubt.
const LOOK_FOR_DOUBTS: Duration = Duration::from_millis(50);
/// How long a check waits for somebody else where there is nobody, or nothing else to wait for.
const ALONE: Duration = Duration::from_secs(1);
/// The same for all other checks.
const CHECK_PATIENCE: Duration = Duration::from_secs(60);
/// A question that nobody has any more is sent again after this.
const LOST: Duration = Duration::from_secs(10);

/// Tells whoever waits that there is nobody to wait for.
#[derive(Default)]
struct Lonely {
    looks: u32,
    is_told: bool,
}

impl Lonely {
    /// Looks in vain after which it is told.
    const TELL_AFTER: u32 = 3;

    fn look(&mut self, state: &State) {
        if state.asked.is_empty() || state.threads() > 0 {
            *self = Lonely::default();
            return;
        }
        self.looks += 1;
        if self.looks >= Lonely::TELL_AFTER && !self.is_told {
            self.is_told = true;
            tracing::warn!(
                "{} questions wait, and no worker with the engine {} is there: start emilia worker \
                 with the same --cluster on the machines that should search (emilia cluster status \
                 shows who is there)",
                state.asked.len(),
                engine_name()
            );
        }
    }
}

impl Tasks {
    /// Hears who is alive.
    pub async fn watch_workers(self) {
        loop {
            if let Ok(bucket) = self.link.bucket(names::WORKERS).await
                && let Ok(mut news) = bucket.watch_all().await
            {
                while let Some(Ok(entry)) = news.next().await {
                    if entry.operation != kv::Operation::Put {
                        continue;
                    }
                    if let Some(card) = cards::read::<WorkerCard>(&entry.value) {
                        let mut state = self.shared.lock();
                        if card.ended {
                            state.workers.remove(&card.name);
                        } else if card.engine == engine_name() {
                            let name = card.name.clone();
                            state.workers.insert(name, (card, Instant::now()));
                        }
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// What is in doubt for too long is found out here.
    pub async fn look_for_doubts(self) {
        loop {
            tokio::time::sleep(LOOK_FOR_DOUBTS).await;
            let mut state = self.shared.lock();
            if !state.trust.has_doubts() {
                continue;
            }
            let State {
                trust,
                workers,
                is_waited_for,
                ..
            } = &mut *state;
            let patience = |first: &Witness| {
                let is_alone = workers.keys().all(|name| **name == **first);
                if is_alone || *is_waited_for {
                    ALONE
                } else {
                    CHECK_PATIENCE
                }
            };
            for (id, question) in trust.waiting_too_long(Instant::now(), patience) {
                self.shared.dispute(id, question);
            }
        }
    }

    /// Now and then: who is gone, what got lost, and how it goes.
    pub async fn look_around(self) {
        let since = now();
        let mut empty_before = false;
        let mut lonely = Lonely::default();
        loop {
            tokio::time::sleep(LOOK_AROUND).await;
            {
                let mut state = self.shared.lock();
                let now = Instant::now();
                state
                    .workers
                    .retain(|_, (_, seen)| now.saturating_duration_since(*seen) < GONE);
            }
            lonely.look(&self.shared.lock());
            self.hear_sentences().await;
            empty_before = self.send_lost_again(empty_before).await;
            if self.link.is_connected() {
                self.tell(since).await;
            }
        }
    }

    /// Renews the card of the book.
    pub async fn tell(&self, since: u64) {
        let card = BookCard {
            since,
            ..self.shared.card(&self.order, false)
        };
        if let Ok(bucket) = self.link.bucket(names::BOOKS).await {
            let _ = self.link.put_card(&bucket, &card.book, &card).await;
        }
    }

    /// Others may have found somebody out.
    async fn hear_sentences(&self) {
        let Ok(bucket) = self.link.bucket(names::QUARANTINE).await else {
            return;
        };
        let Ok(sentences) = self.link.cards::<Sentence>(&bucket).await else {
            return;
        };
        let mut state = self.shared.lock();
        for sentence in sentences {
            let worker = Witness::from(sentence.worker);
            if state.trust.quarantine(worker.clone()) {
                self.shared.retract(&mut state, &worker);
            }
        }
    }

    /// Servers before 2.10 may forget what they have handed out when they are killed: then questions
    /// lie there that nobody gets. Workers make their way to them anew when it is gone.
    async fn free_stuck_queue(&self) {
        let Ok(mut queue) = self.link.questions_for(engine_name()).await else {
            return;
        };
        let is_stuck = queue
            .info()
            .await
            .is_ok_and(|info| info.num_pending == 0 && info.num_ack_pending == 0);
        if is_stuck {
            tracing::warn!(
                "the server has questions that it hands to nobody: it is told to begin anew"
            );
            self.link.forget_who_was_asked(engine_name()).await;
        }
    }

    /// Where the server has nothing of this book and answers are still waited for, something was
    /// lost: a disk, or a queue that somebody emptied. Gives whether the server has nothing.
    async fn send_lost_again(&self, empty_before: bool) -> bool {
        let old = |open: &&Open| open.since.elapsed() >= LOST;
        if !self.shared.lock().asked.values().any(|open| old(&open)) {
            return false;
        }
        let own = names::asking(engine_name(), self.order.book);
        let Ok(stream) = self.link.context.get_stream(names::QUESTIONS).await else {
            return false;
        };
        let Ok(mut subjects) = stream.info_with_subjects(own).await else {
            return false;
        };
        if subjects.next().await.is_some() {
            self.free_stuck_queue().await;
            return false;
        }
        // Twice in a row: a parcel that was answered a moment ago is no lost one.
        if empty_before {
            let mut state = self.shared.lock();
            let mut again = Vec::new();
            for open in state.asked.values_mut().filter(|open| old(&&**open)) {
                open.since = Instant::now();
                again.push(open.question.clone());
            }
            state.figures.sent_again += again.len() as u64;
            drop(state);
            tracing::warn!(
                questions = again.len(),
                "questions were lost and are sent again"
            );
            self.shared.post(Post::Ask(again));
        }
        true
    }
}
