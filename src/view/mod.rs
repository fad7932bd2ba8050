//! What we say, as serialisable types: the same for `--json`, HTTP and the page.

mod backup;
mod cluster;
mod difference;
mod games;
mod searched;
mod store;

pub use backup::BackupView;
pub use cluster::{
    AskedBookView, ClusterView, DeadView, FiguresView, QuarantinedView, QueueView, WorkerView,
};
pub use difference::{ComparedView, DifferenceView, OpinionView};
pub use games::{FoundGameView, FoundGamesView};
pub use searched::{EngineView, WantedView};
pub use store::{StoreView, TableView};
