//! What we say, as serialisable types: the same for `--json`, HTTP and the page.

mod cluster;
mod games;
mod searched;

pub use cluster::{
    AskedBookView, ClusterView, DeadView, FiguresView, QuarantinedView, QueueView, WorkerView,
};
pub use games::{FoundGameView, FoundGamesView};
pub use searched::{EngineView, WantedView};
