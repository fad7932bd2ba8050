//! A cluster as people and programs are told of it.

use crate::book::Question;
use crate::cluster::{Figures, Status};
use serde::Serialize;
use utoipa::ToSchema;

/// Who works, what waits, and what nobody could answer.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct ClusterView {
    /// The machines.
    pub workers: Vec<WorkerView>,
    /// Whose questions are answered.
    pub books: Vec<AskedBookView>,
    /// What waits on the server between them.
    pub queue: QueueView,
    /// Workers whose answers are not taken.
    pub quarantined: Vec<QuarantinedView>,
    /// Questions that nobody could answer.
    pub dead: Vec<DeadView>,
}

/// A machine that answers.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct WorkerView {
    /// As it was started.
    pub name: String,
    /// It has given a sign of life in the last ten seconds.
    pub alive: bool,
    /// That search.
    pub threads: u32,
    /// Whose answers it gives; only books that ask this engine get them.
    pub engine: String,
    /// Of the program.
    pub version: String,
    /// Questions, since it was started.
    pub answered: u64,
    /// Answers a second, lately.
    pub rate: f64,
    /// Parcels of questions in hand.
    pub in_hand: u64,
    /// Messages that were not believed.
    pub refused: u64,
    /// Seconds since the last sign of life.
    pub silent: f64,
}

/// A book whose questions are answered.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct AskedBookView {
    /// The book's own name, for machines.
    pub id: String,
    /// The folder it lies in.
    pub name: String,
    /// Somebody asks for it now.
    pub asking: bool,
    /// Whose answers it asks for.
    pub engine: String,
    /// Of the program that asks.
    pub version: String,
    /// Seconds since the last sign of life.
    pub silent: f64,
    /// What was counted so far.
    pub figures: FiguresView,
}

// Field by field what it counts, as everything else we say: a card that changes among the machines of
// a cluster must not change an answer of the service.
/// What a command that asks has counted so far.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
pub struct FiguresView {
    /// Questions that are asked and not answered.
    pub open: u64,
    /// Questions.
    pub answered: u64,
    /// Answers to questions that were handed out more than once.
    pub delivered_again: u64,
    /// Questions that were lost and sent once more.
    pub sent_again: u64,
    /// Answers that somebody else was asked about as well.
    pub checked: u64,
    /// Of the answers that were checked.
    pub disagreements: u64,
    /// Workers whose answers are not taken.
    pub quarantined: u64,
    /// Questions that nobody could answer.
    pub dead: u64,
    /// Messages that were not believed.
    pub refused: u64,
    /// Answers that nobody waited for.
    pub unwanted: u64,
}

/// Parcels of questions on the server.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueView {
    /// For a worker.
    pub waiting: u64,
    /// In the hands of workers.
    pub in_flight: u64,
    /// Of those in flight, handed out before.
    pub handed_out_again: u64,
    /// Deliveries of answers that no book has taken yet.
    pub answers: u64,
}

/// A worker whose answers are not taken.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct QuarantinedView {
    /// Its name.
    pub worker: String,
    /// Why.
    pub reason: String,
    /// How many of its answers had come when it was found out; they were taken back.
    pub answers: u64,
}

/// A question that nobody could answer.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct DeadView {
    /// The book's own name.
    pub book: String,
    /// The position, or the last one of a game.
    pub position: String,
    /// How hard it was to be looked at; null for the ending of a game.
    pub level: Option<u8>,
    /// How often it was handed out.
    pub tries: u32,
    /// What the last worker said.
    pub reason: Option<String>,
}

impl From<Figures> for FiguresView {
    fn from(figures: Figures) -> FiguresView {
        FiguresView {
            open: figures.open,
            answered: figures.answered,
            delivered_again: figures.delivered_again,
            sent_again: figures.sent_again,
            checked: figures.checked,
            disagreements: figures.disagreements,
            quarantined: figures.quarantined,
            dead: figures.dead,
            refused: figures.refused,
            unwanted: figures.unwanted,
        }
    }
}

impl From<Status> for ClusterView {
    fn from(status: Status) -> ClusterView {
        let workers = status.workers.into_iter().map(|worker| WorkerView {
            name: worker.card.name,
            alive: worker.is_alive,
            threads: worker.card.threads,
            engine: worker.card.engine,
            version: worker.card.version,
            answered: worker.card.answered,
            rate: if worker.is_alive {
                worker.card.rate
            } else {
                0.0
            },
            in_hand: worker.card.in_hand,
            refused: worker.card.refused,
            silent: worker.silent,
        });
        let books = status.books.into_iter().map(|book| AskedBookView {
            id: book.card.book,
            name: book.card.name,
            asking: book.is_asked,
            engine: book.card.engine,
            version: book.card.version,
            silent: book.silent,
            figures: book.card.figures.into(),
        });
        let quarantined = status.quarantined.into_iter().map(|one| QuarantinedView {
            worker: one.worker,
            reason: one.reason,
            answers: one.answers,
        });
        let dead = status.dead.into_iter().map(|dead| {
            let (position, level) = match &dead.question {
                Question::Moves(asked) => (Some(asked.position), Some(asked.level)),
                Question::Ending(asked) => (asked.path.last().copied(), None),
            };
            DeadView {
                book: dead.book,
                position: position.map_or_else(String::new, |key| key.to_string()),
                level,
                tries: dead.tries,
                reason: dead.reason,
            }
        });
        ClusterView {
            workers: workers.collect(),
            books: books.collect(),
            queue: QueueView {
                waiting: status.queue.waiting,
                in_flight: status.queue.in_flight,
                handed_out_again: status.queue.handed_out_again,
                answers: status.queue.answers,
            },
            quarantined: quarantined.collect(),
            dead: dead.collect(),
        }
    }
}
