//! `POST /api/move`: a move of whoever is asked to play; `GET /api/players`: who can be asked.

use super::analyse::{FoundView, discs, time_within};
use super::asked::{Sent, Where};
use super::background::PressedWhenLeft;
use super::places::Caller;
use super::problem::{ErrorBody, Problem};
use super::shared::{Shared, off_thread};
use crate::engine::{Allowance, Policy, Reason, Skill, Who};
use crate::players::{Listed, Roster};
use crate::search::time::Budget;
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

const TIME: Duration = Duration::from_secs(5);

/// A position and how strong an answer is wanted.
#[derive(Deserialize, ToSchema)]
pub struct Move {
    #[serde(flatten)]
    place: Where,
    /// Who plays: emilia, or a program of the papers as /api/players lists them.
    #[schema(default = "emilia")]
    player: Option<String>,
    #[serde(default)]
    level: LevelName,
    /// Think no longer than this.
    #[schema(default = 5.0)]
    seconds: Option<f64>,
    /// Ask the book first.
    #[schema(default = true)]
    book: Option<bool>,
    /// What a player who does not always make the best move makes instead; the same seed makes the
    /// same moves.
    #[schema(default = 0)]
    seed: Option<u64>,
}

/// A number from 0 to 60, about the depth in the middle game, or a name: beginner, novice, amateur,
/// club, expert, master, full. For a program of the papers, the most plies it looks ahead.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
enum LevelName {
    Number(u32),
    Name(String),
}

impl Default for LevelName {
    fn default() -> LevelName {
        LevelName::Name("full".into())
    }
}

impl LevelName {
    fn skill(&self) -> Result<Skill, Problem> {
        let text = match self {
            LevelName::Number(number) => number.to_string(),
            LevelName::Name(name) => name.clone(),
        };
        text.parse()
            .map_err(|reason: crate::engine::NotASkill| Problem::value("level", reason.to_string()))
    }
}

/// A move and where it comes from.
#[derive(Serialize, ToSchema)]
pub struct MoveMade {
    /// Null when the game is over.
    #[serde(rename = "move")]
    square: Option<String>,
    /// In discs, seen by the player who makes the move.
    value: Option<f64>,
    source: Source,
    /// The same in words.
    why: String,
    /// What the search found, if there was one.
    search: Option<FoundView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Source {
    Book,
    Search,
    Over,
}

/// The player's move: from the book if it has one, and searched within the time otherwise.
#[utoipa::path(
    post, path = "/api/move", tag = "engine", request_body = Move,
    responses((status = 200, body = MoveMade), (status = 400, body = ErrorBody),
              (status = 429, body = ErrorBody))
)]
pub async fn play(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Sent(wanted): Sent<Move>,
) -> Result<Json<MoveMade>, Problem> {
    let board = wanted.place.read()?.position.board;
    let board = if board.must_pass() {
        board.pass()
    } else {
        board
    };
    let who = match &wanted.player {
        None => Who::Emilia,
        Some(name) => name.parse().map_err(|reason: crate::engine::Nobody| {
            Problem::value("player", reason.to_string())
        })?,
    };
    let policy = Policy {
        strength: wanted.level.skill()?,
        seed: wanted.seed.unwrap_or(0),
        ..Policy::default()
    };
    let time = time_within(wanted.seconds, TIME, shared.settings.search_time)?;
    let allowance = Allowance::time(Budget::exactly(time));
    let book = wanted.book.unwrap_or(true).then(|| shared.store.clone());
    let mut ticket = shared.searches.ticket(caller.client).await?;
    // Whoever takes his move back has left this request, and may want another move at once.
    let _here = PressedWhenLeft(ticket.button().clone());
    off_thread(move || {
        let decision = ticket.choose(who, board, policy, book, allowance);
        Ok(Json(MoveMade {
            square: decision.square.map(|square| square.to_string()),
            value: decision.value.map(discs),
            source: match decision.reason {
                Reason::Pass => Source::Over,
                _ if decision.is_from_book() => Source::Book,
                _ => Source::Search,
            },
            why: decision.to_string(),
            search: decision.search.as_ref().map(FoundView::from),
        }))
    })
    .await
}

/// Who can be asked for a move.
#[derive(Serialize, ToSchema)]
pub struct PlayerView {
    /// For the field `player` of a move.
    #[schema(example = "iago")]
    name: &'static str,
    #[schema(example = "IAGO")]
    title: &'static str,
    #[schema(example = 1981)]
    year: u16,
    /// What it brought.
    idea: &'static str,
}

impl From<&'static Listed> for PlayerView {
    fn from(listed: &'static Listed) -> PlayerView {
        PlayerView {
            name: listed.name,
            title: listed.title,
            year: listed.year,
            idea: listed.idea,
        }
    }
}

/// The programs of the papers, each with its year and its idea.
#[utoipa::path(get, path = "/api/players", tag = "engine", responses((status = 200, body = Vec<PlayerView>)))]
pub async fn players() -> Json<Vec<PlayerView>> {
    Json(Roster::ALL.iter().map(PlayerView::from).collect())
}
