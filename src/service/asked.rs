//! What a request asks about: a position, as moves or as a board, and bodies in JSON.

use super::problem::Problem;
use crate::othello::PositionText;
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Number;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use utoipa::IntoParams;

/// A position, one way or the other; the start if neither is given.
#[derive(Deserialize, IntoParams, Default)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Where {
    /// Moves from the start; passes may be left out.
    #[serde(default)]
    #[param(required = false, example = "f5d6c3")]
    pub moves: String,
    /// 64 squares from a1 to h8 (X Black, O White, - empty) and the side to move, instead of moves.
    #[serde(default)]
    #[param(required = false)]
    pub board: String,
}

impl Where {
    pub fn read(&self) -> Result<PositionText, Problem> {
        where_is(&self.moves, &self.board)
    }
}

/// The greatest whole number that every reader of JSON can read.
pub const GREATEST_WHOLE: u64 = (1 << 53) - 1;

/// The position that a request is about: what is empty is not given.
pub fn where_is(moves: &str, board: &str) -> Result<PositionText, Problem> {
    match (moves.is_empty(), board.is_empty()) {
        (false, false) => Err(Problem::TwoPositions),
        (_, true) => read_position(moves),
        (true, false) => read_position(board),
    }
}

/// Moves from the start, or a board with the side to move.
pub fn read_position(text: &str) -> Result<PositionText, Problem> {
    // A plus is a space in a query string, and a disc in none.
    text.parse().map_err(|reason| Problem::Position {
        input: text.to_owned(),
        reason,
    })
}

/// A number of a request, which must be one of these.
pub fn within<T: PartialOrd + Display>(
    name: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<T, Problem> {
    if range.contains(&value) {
        return Ok(value);
    }
    let (from, to) = range.into_inner();
    let reason = format!("{name} goes from {from} to {to}");
    Err(Problem::value(name, reason))
}

/// A whole number of a JSON body; `10.0` is one, too.
pub fn whole<'de, T: TryFrom<u64>, D: Deserializer<'de>>(number: D) -> Result<T, D::Error> {
    let number = Number::deserialize(number)?;
    let whole = number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        let fits = float.fract() == 0.0 && (0.0..=GREATEST_WHOLE as f64).contains(&float);
        fits.then_some(float as u64)
    });
    whole
        .and_then(|whole| T::try_from(whole).ok())
        .ok_or_else(|| D::Error::custom(format!("{number} is no whole number that fits here")))
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
        let Json(Fields(value)) = Json::from_request(request, state).await?;
        Ok(Sent(value))
    }
}

/// What is sent as an object, with names: serde would also take a list for the fields in order, and
/// an empty one for all that can be left out.
struct Fields<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Fields<T> {
    fn deserialize<D: Deserializer<'de>>(body: D) -> Result<Fields<T>, D::Error> {
        struct Object<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields))
            }
        }

        body.deserialize_map(Object(PhantomData)).map(Fields)
    }
}
