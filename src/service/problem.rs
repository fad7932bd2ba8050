//! What can be wrong with a request: a status, a code for programs, a sentence for people, and the
//! input that was at fault.

use super::settings::Settings;
use crate::book::{FindError, StoreError};
use crate::engine::{PlanError, Widening};
use crate::games::OpenError;
use crate::othello::notation::PositionTextError;
use crate::view::{ErrorBody, ErrorDetail};
use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::time::Duration;

/// Why a request is not answered.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{reason}")]
    Position {
        input: String,
        reason: PositionTextError,
    },
    #[error("{reason}")]
    Value {
        /// The parameter or field.
        input: String,
        reason: String,
    },
    /// A name of nothing that there is: the field, and what it could be.
    #[error("{1}")]
    NoSuch(&'static str, String),
    #[error("give moves or a board, not both")]
    TwoPositions,
    #[error("{0}")]
    TooWide(Widening),
    #[error("{0}")]
    Query(#[from] QueryRejection),
    #[error("{0}")]
    Path(#[from] PathRejection),
    #[error("{0}")]
    Json(#[from] JsonRejection),
    #[error("the body is larger than the {limit} bytes that are taken")]
    TooLarge { limit: usize },
    #[error(
        "the server has no room for uploads: make some in its folder for temporary files, or name \
         another one with the variable TMPDIR"
    )]
    NoScratch,
    #[error("the upload broke off")]
    BrokenUpload,
    #[error("{0}")]
    Collection(#[from] OpenError),
    #[error("there is no {0} here; /docs lists what there is")]
    NotFound(String),
    #[error("{method} is not possible here; /docs lists what is")]
    Method { method: String },
    #[error(
        "this server only reads: start it with a token to change the book (emilia serve --help)"
    )]
    ReadOnly,
    #[error("the token is missing or wrong: send the header Authorization: Bearer TOKEN")]
    Token,
    #[error("{limit} jobs are waiting already: stop one, or wait for one to end")]
    TooManyJobs { limit: usize },
    #[error("you have {limit} {what} under way already: end one first")]
    TooMany { what: What, limit: usize },
    #[error("you failed too often: wait half a minute")]
    TooManyFailures,
    #[error("the body does not come, or too slowly")]
    SlowBody,
    #[error(
        "this server does not answer to the name {host}: use its address, or start it with \
         --public-host"
    )]
    WrongHost { host: String },
    #[error("pages of other sites may not ask this server: start it with --cors ORIGIN to let one")]
    ForeignOrigin,
    #[error("the server is not ready: {0}")]
    NotReady(&'static str),
    #[error("the server has too much to do right now: try again in a moment")]
    Busy,
    #[error("the server is shutting down")]
    Closing,
    #[error("this took longer than {} s and was given up", .limit.as_secs())]
    Timeout { limit: Duration },
    #[error("the cluster cannot be seen: {0}")]
    Cluster(String),
    #[error("the games of this book are not indexed yet: emilia book index-games does it, once")]
    NotIndexed,
    #[error("the book cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error("something broke inside the server; its log says more")]
    Internal,
}

/// What a client has only so much of at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Searches,
    Uploads,
    Bodies,
    Scans,
    Answers,
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            What::Searches => "searches",
            What::Uploads => "uploads",
            What::Bodies => "requests with a body",
            What::Scans => "scans of the games",
            What::Answers => "large answers",
        })
    }
}

/// An input comes back in the answer only this far.
const INPUT_SHOWN: usize = 200;

impl Problem {
    pub fn value(input: impl Into<String>, reason: impl Into<String>) -> Problem {
        Problem::Value {
            input: input.into(),
            reason: reason.into(),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Problem::Value { .. } | Problem::BrokenUpload => StatusCode::BAD_REQUEST,
            // What fits the description, but says what is not so.
            Problem::Position { .. }
            | Problem::NoSuch(..)
            | Problem::TwoPositions
            | Problem::TooWide(_)
            | Problem::Collection(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Problem::Query(rejection) => rejection.status(),
            Problem::Path(rejection) => rejection.status(),
            // JSON that does not fit the description is no better than no JSON.
            Problem::Json(JsonRejection::JsonDataError(_)) => StatusCode::BAD_REQUEST,
            Problem::Json(rejection) => rejection.status(),
            Problem::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Problem::NotFound(_) => StatusCode::NOT_FOUND,
            Problem::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Problem::ReadOnly | Problem::ForeignOrigin => StatusCode::FORBIDDEN,
            Problem::Token => StatusCode::UNAUTHORIZED,
            Problem::TooMany { .. } | Problem::TooManyJobs { .. } | Problem::TooManyFailures => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Problem::WrongHost { .. } => StatusCode::MISDIRECTED_REQUEST,
            Problem::Busy
            | Problem::Closing
            | Problem::Cluster(_)
            | Problem::NotIndexed
            | Problem::NoScratch
            | Problem::NotReady(_) => StatusCode::SERVICE_UNAVAILABLE,
            Problem::Timeout { .. } | Problem::SlowBody => StatusCode::REQUEST_TIMEOUT,
            Problem::Store(_) | Problem::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Problem::Position { .. } => "bad_position",
            Problem::Value { .. } | Problem::NoSuch(..) | Problem::TwoPositions => "bad_value",
            Problem::TooWide(_) => "too_wide",
            Problem::Query(_) => "bad_query",
            Problem::Path(_) => "bad_path",
            Problem::Json(rejection) if is_too_large(rejection.status()) => "too_large",
            Problem::Json(_) => "bad_json",
            Problem::NoScratch => "no_scratch",
            Problem::BrokenUpload => "bad_body",
            Problem::Collection(_) => "not_a_collection",
            Problem::TooLarge { .. } => "too_large",
            Problem::NotFound(_) => "not_found",
            Problem::Method { .. } => "wrong_method",
            Problem::ReadOnly => "read_only",
            Problem::Token => "wrong_token",
            Problem::TooManyJobs { .. } => "too_many_jobs",
            Problem::TooMany { what, .. } => match what {
                What::Searches => "too_many_searches",
                What::Uploads => "too_many_uploads",
                What::Bodies => "too_many_bodies",
                What::Scans => "too_many_scans",
                What::Answers => "too_many_answers",
            },
            Problem::TooManyFailures => "too_many_failures",
            Problem::SlowBody => "slow_body",
            Problem::WrongHost { .. } => "wrong_host",
            Problem::ForeignOrigin => "foreign_origin",
            Problem::NotReady(_) => "not_ready",
            Problem::Busy => "busy",
            Problem::Closing => "closing",
            Problem::Timeout { .. } => "timeout",
            Problem::Cluster(_) => "cluster_unseen",
            Problem::NotIndexed => "not_indexed",
            Problem::Store(_) => "book_error",
            Problem::Internal => "internal",
        }
    }

    fn input(&self) -> Option<String> {
        let input: &str = match self {
            Problem::Position { input, .. } | Problem::Value { input, .. } => input,
            Problem::NotFound(what) => what,
            Problem::NoSuch(field, _) => field,
            Problem::TwoPositions => "moves, board",
            Problem::TooWide(_) => "plies, min_games",
            Problem::WrongHost { host } => host,
            _ => return None,
        };
        Some(input.chars().take(INPUT_SHOWN).collect())
    }

    /// The same as part of a larger answer.
    pub fn body(&self) -> ErrorBody {
        let message = match self {
            Problem::TooWide(widening) => {
                format!("{widening}; say widen=true if that is what you want")
            }
            // Paths on the server are its own business; the log has the whole story.
            Problem::Store(_) => "the book cannot be read; the server's log says more".into(),
            Problem::Query(rejection) => rejection.body_text(),
            Problem::Path(rejection) => rejection.body_text(),
            Problem::Json(rejection) => rejection.body_text(),
            other => other.to_string(),
        };
        ErrorBody {
            error: ErrorDetail {
                code: self.code(),
                message,
                input: self.input(),
            },
        }
    }
}

impl From<FindError> for Problem {
    fn from(error: FindError) -> Problem {
        match error {
            FindError::NotIndexed { .. } => Problem::NotIndexed,
            FindError::Over => Problem::Timeout {
                limit: Settings::SCAN_TIME,
            },
            FindError::Store(error) => Problem::Store(error),
        }
    }
}

impl From<PlanError> for Problem {
    fn from(error: PlanError) -> Problem {
        match error {
            PlanError::Store(error) => Problem::Store(error),
            PlanError::TooWide(widening) => Problem::TooWide(widening),
        }
    }
}

fn is_too_large(status: StatusCode) -> bool {
    status == StatusCode::PAYLOAD_TOO_LARGE
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        let is_ours = status.is_server_error() && status != StatusCode::SERVICE_UNAVAILABLE;
        if is_ours {
            tracing::error!(problem = %self, "a request failed");
        }
        let mut response = (status, Json(self.body())).into_response();
        let headers = response.headers_mut();
        if matches!(
            self,
            Problem::Busy | Problem::TooMany { .. } | Problem::TooManyJobs { .. }
        ) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if matches!(self, Problem::TooManyFailures) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("30"));
        }
        if matches!(self, Problem::Token) {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
