//! What we say, as serialisable types: the same for `--json`, HTTP and the page.

mod cluster;
mod searched;
mod store;

pub use cluster::{
    AskedBookView, ClusterView, DeadView, FiguresView, QuarantinedView, QueueView, WorkerView,
};
pub use searched::{EngineView, WantedView};
pub use store::{StoreView, TableView};
