//! `POST /api/v1/move`: a move of whoever is asked to play; `GET /api/v1/players`: who can be asked.

use super::analyse::time_within;
use super::asked::{Sent, where_is, whole};
use super::background::PressedWhenLeft;
use super::places::Caller;
use super::problem::Problem;
use super::shared::{Shared, off_thread};
use crate::engine::{Allowance, Nobody, NotASkill, Policy, Reason, Skill, Who};
use crate::players::{Listed, Roster};
use crate::search::time::Budget;
use crate::view::{FoundView, discs};
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, OneOf, Type};
use utoipa::openapi::{RefOr, Schema};

/// A position and how strong an answer is wanted; the start if neither moves nor a board are given.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "moves": "f5d6c3", "level": "club", "seconds": 0.5 }))]
pub struct Move {
    /// Moves from the start; passes may be left out.
    #[serde(default)]
    moves: String,
    /// 64 squares from a1 to h8 and the side to move, instead of moves.
    #[serde(default)]
    board: String,
    /// Who plays: emilia, or a program of the papers as /api/v1/players lists them.
    #[serde(default = "emilia")]
    #[schema(default = "emilia")]
    player: String,
    #[serde(default)]
    #[schema(schema_with = level_schema)]
    level: LevelName,
    /// Think no longer than this, or than the server's own limit.
    #[serde(default = "usual_seconds")]
    #[schema(default = 5.0, minimum = 0.001)]
    seconds: f64,
    /// Ask the book first.
    #[serde(default = "yes")]
    #[schema(default = true)]
    book: bool,
    /// What a player who does not always make the best move makes instead; the same seed makes the
    /// same moves.
    #[serde(default, deserialize_with = "whole")]
    #[schema(default = 0, format = Int64, minimum = 0, maximum = 4_294_967_295u32)]
    seed: u32,
}

fn emilia() -> String {
    "emilia".into()
}

fn usual_seconds() -> f64 {
    5.0
}

fn yes() -> bool {
    true
}

/// About the depth in the middle game, or a name. For a program of the papers, the most plies it
/// looks ahead.
#[derive(Deserialize)]
#[serde(untagged)]
enum LevelName {
    Number(#[serde(deserialize_with = "whole")] u32),
    Name(String),
}

fn level_schema() -> RefOr<Schema> {
    let number = Object::builder()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .maximum(Some(60));
    let names = Skill::names();
    OneOf::builder()
        .item(number)
        .item(Object::builder().schema_type(Type::String))
        .default(Some("full".into()))
        .description(Some(format!(
            "About the depth in the middle game, or a name: {names}. For a program of the papers, \
             the most plies it looks ahead."
        )))
        .into()
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
            .map_err(|reason: NotASkill| Problem::NoSuch("level", reason.to_string()))
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
    /// Where it comes from.
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
    post, path = "/api/v1/move", operation_id = "move", tag = "engine", request_body = Move,
    responses((status = 200, body = MoveMade))
)]
pub async fn play(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Sent(wanted): Sent<Move>,
) -> Result<Json<MoveMade>, Problem> {
    let board = where_is(&wanted.moves, &wanted.board)?.position.board;
    let board = if board.must_pass() {
        board.pass()
    } else {
        board
    };
    let who: Who = wanted
        .player
        .parse()
        .map_err(|reason: Nobody| Problem::NoSuch("player", reason.to_string()))?;
    let policy = Policy {
        strength: wanted.level.skill()?,
        seed: wanted.seed.into(),
        ..Policy::default()
    };
    let time = time_within(wanted.seconds, shared.settings.search_time)?;
    let allowance = Allowance::time(Budget::exactly(time));
    let book = wanted.book.then(|| shared.store.clone());
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
    /// As its authors write it.
    #[schema(example = "IAGO")]
    title: &'static str,
    /// Of the paper.
    #[schema(example = 1981)]
    year: u16,
    /// What it brought.
    idea: &'static str,
    /// Elo beside our own engine, each with a second for a game.
    #[schema(example = -560)]
    elo: i16,
}

impl From<&'static Listed> for PlayerView {
    fn from(listed: &'static Listed) -> PlayerView {
        PlayerView {
            name: listed.name,
            title: listed.title,
            year: listed.year,
            idea: listed.idea,
            elo: listed.elo,
        }
    }
}

/// The programs of the papers, each with its year and its idea.
#[utoipa::path(get, path = "/api/v1/players", tag = "engine", responses((status = 200, body = Vec<PlayerView>)))]
pub async fn players() -> Json<Vec<PlayerView>> {
    Json(Roster::ALL.iter().map(PlayerView::from).collect())
}
