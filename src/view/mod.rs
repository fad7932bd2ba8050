//! What we say, as serialisable types: for `--json`, HTTP and the page, one type where they tell the same.
//!
//! Everywhere the same words mean the same: a `value` is in discs and seen by the player to move,
//! a `black_value` is seen by Black, `bounds` are what is proven, `seconds` are seconds, a `line`
//! and `moves` in one word are squares from the start without passes. docs/api.md lists
//! the fields of what the server answers with.

mod absorbed;
mod audited;
mod backup;
mod checked;
mod cluster;
mod collections;
mod difference;
mod doctor;
mod found;
mod game;
mod games;
mod job;
mod learned;
mod line;
mod opening;
mod position;
mod problem;
mod searched;
mod stats;
mod store;
mod summary;
mod tournament;
mod tree;
mod work;

pub use absorbed::{AbsorbedView, ImportedView, MergedView};
pub use audited::{AuditView, AuditedMovesView, AuditedPlyView};
pub use backup::BackupView;
pub use checked::{CheckedView, RepairedView};
pub use cluster::{
    AskedBookView, ClusterView, DeadView, FiguresView, QuarantinedView, QueueView, WorkerView,
};
pub use collections::{CountedCollectionsView, CountedFileView, CountedTotalView, CountsView};
pub use difference::{BooksComparedView, ComparedView, DifferenceView, OpinionView};
pub use doctor::{DoctorView, PlaceView, VariableView, WeightsView};
pub use found::{BoundView, FoundMove, FoundView, discs};
pub use game::{BadGameView, BadGamesView, CollectionView, GameView};
pub use games::{FoundGameView, FoundGamesView};
pub use job::{JobKind, JobState, JobView, JobsView, SearchedView};
pub use learned::{BuiltView, GameLearnedView, LearnedView, LossView};
pub use line::{LineView, ReasonView, RestsOn, StepView};
pub use opening::{OpeningView, OpeningsView, opening_of};
pub use position::{
    KnownView, MoveView, NodeView, PositionView, SearchedPositionView, Side, StatisticsView,
};
pub use problem::{ErrorBody, ErrorDetail};
pub use searched::{EngineView, WantedView};
pub use stats::StatsView;
pub use store::{StoreView, TableView};
pub use summary::{
    BestLineView, GapView, LayerView, NoteView, OriginsView, SummaryView, ValueStep,
};
pub use tournament::{ContestantView, EloView, MatchView, SprtView};
pub use tree::BranchView;
pub use work::{DeepenedView, GrownView, SearchWorkView, SettledView};
