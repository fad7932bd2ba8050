//! Who searched a book, and what is still to be searched.

use crate::book::Summary;
use serde::Serialize;
use utoipa::ToSchema;

/// Positions that one engine searched.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct EngineView {
    /// Changes with the evaluation, the search and the levels; "unknown" where nobody wrote it
    /// down.
    #[schema(example = "emilia-0123456789ab")]
    pub name: String,
    /// That it searched.
    pub positions: u64,
}

impl EngineView {
    pub fn of_summary(summary: &Summary) -> Vec<EngineView> {
        let view = |(name, positions): (&String, &u64)| EngineView {
            name: name.clone(),
            positions: *positions,
        };
        summary.engines.iter().map(view).collect()
    }
}

/// Positions that are still to be searched for a command.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct WantedView {
    /// The command that goes on with it.
    #[schema(example = "build")]
    pub cause: String,
    /// How hard they are to be searched.
    pub level: u8,
    /// That are to be searched.
    pub positions: u64,
}

impl WantedView {
    pub fn of_summary(summary: &Summary) -> Vec<WantedView> {
        let wanted = summary.wanted.iter();
        wanted
            .map(|(errand, positions)| WantedView {
                cause: errand.cause.to_string(),
                level: errand.level,
                positions: *positions,
            })
            .collect()
    }
}
