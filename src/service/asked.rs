//! What a request asks about: a position, as moves or as a board, and bodies in JSON.

use super::problem::Problem;
use crate::othello::{Position, PositionText, Square, moves_to_string};
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::{IntoParams, ToSchema};

/// A position, one way or the other; the start if neither is given.
#[derive(Deserialize, IntoParams, ToSchema, Default)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Where {
    /// Moves from the start, such as `f5d6c3`; passes may be left out.
    #[serde(default)]
    #[param(example = "f5d6c3")]
    pub moves: Option<String>,
    /// 64 squares from a1 to h8 (X Black, O White, - empty) and the side to move.
    #[serde(default)]
    pub board: Option<String>,
}

/// A position that was understood.
pub struct Asked {
    pub position: Position,
    /// The moves that led there, when moves were given.
    pub moves: Option<Vec<Square>>,
}

impl Where {
    pub fn read(&self) -> Result<Asked, Problem> {
        match (&self.moves, &self.board) {
            (Some(_), Some(_)) => Err(Problem::value("moves, board", "give one, not both")),
            (Some(text), None) | (None, Some(text)) => Asked::read(text),
            (None, None) => Asked::read(""),
        }
    }
}

impl Asked {
    pub fn read(text: &str) -> Result<Asked, Problem> {
        // A plus is a space in a query string, and a disc in none.
        let read: PositionText = text.parse().map_err(|reason| Problem::Position {
            input: text.to_owned(),
            reason,
        })?;
        Ok(Asked {
            position: read.position,
            moves: read.moves,
        })
    }

    /// The moves as one word, where there are any to know.
    pub fn line(&self) -> Option<String> {
        self.moves.as_deref().map(moves_to_string)
    }
}

/// A query string whose errors are ours.
pub struct Asks<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asks<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asks<T>, Problem> {
        let Query(value) = Query::from_request_parts(parts, state).await?;
        Ok(Asks(value))
    }
}

/// A part of the path whose errors are ours.
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Named<T>, Problem> {
        let Path(value) = Path::from_request_parts(parts, state).await?;
        Ok(Named(value))
    }
}

/// A JSON body whose errors are ours; its size was looked at before (see `bodies`).
pub struct Sent<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Sent<T>, Problem> {
        let Json(value) = Json::from_request(request, state).await?;
        Ok(Sent(value))
    }
}
