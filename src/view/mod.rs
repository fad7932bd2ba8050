//! What we say, as serialisable types: the same for `--json`, HTTP and the page.

mod searched;

pub use searched::{EngineView, WantedView};
