//! Long work on the book.

use serde::Serialize;
use utoipa::ToSchema;

/// All jobs, the newest first.
#[derive(Serialize, ToSchema)]
pub struct JobsView {
    /// At most the last fifty.
    pub jobs: Vec<JobView>,
}

/// A job as it is told about.
#[derive(Serialize, ToSchema)]
pub struct JobView {
    /// The number it is stopped by.
    #[schema(minimum = 1)]
    pub id: u64,
    /// What it does.
    pub kind: JobKind,
    /// The file or the position it is about.
    pub about: String,
    /// How far it is.
    pub state: JobState,
    /// What it is doing, or what came of it, in words.
    pub message: String,
    /// How much of the present part is done: bytes of a file while it is learned, positions
    /// otherwise.
    pub done: u64,
    /// Of how much, where that is known.
    pub total: Option<u64>,
    /// Seconds since it began, or that it took; null while it waits.
    pub seconds: Option<f64>,
    /// It was stopped and can be taken up again where it was: /api/v1/jobs/{id}/resume.
    pub resumable: bool,
    /// While it runs: positions that were searched just now, the last one last.
    pub searching: Vec<SearchedView>,
}

/// A position that was searched just now.
#[derive(Serialize, ToSchema, Clone, PartialEq, Debug)]
pub struct SearchedView {
    /// One way to get there.
    pub moves: String,
    /// In discs, seen by the player to move.
    pub value: f64,
}

#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum JobKind {
    /// Games that were uploaded are learned.
    Learn,
    /// The book grows.
    Expand,
}

#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    Waiting,
    Running,
    Done,
    Stopped,
    Failed,
}
