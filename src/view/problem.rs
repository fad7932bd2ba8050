//! Why something is not answered.

use serde::Serialize;
use utoipa::ToSchema;

/// The body of every answer that is an error.
#[derive(Serialize, ToSchema)]
pub struct ErrorBody {
    /// What is wrong.
    pub error: ErrorDetail,
}

#[derive(Serialize, ToSchema)]
pub struct ErrorDetail {
    /// For programs; it does not change.
    #[schema(example = "bad_position")]
    pub code: &'static str,
    /// For people.
    #[schema(example = "move 2 (f5) is illegal: f5 is occupied")]
    pub message: String,
    /// What was at fault, where one thing was.
    #[schema(example = "f5f5")]
    pub input: Option<String>,
}
