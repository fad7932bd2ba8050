//! `POST /api/collection`: the games of a file, to look at. Nothing is learned.

use super::asked::Asks;
use super::places::Caller;
use super::problem::{ErrorBody, Problem};
use super::settings::Settings;
use super::shared::Shared;
use crate::games::{self, BadGame, Game};
use crate::othello::{Position, moves_to_string};
use axum::body::Body;
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// How many games one answer holds.
const GAMES: usize = 2000;
/// How many bad games are told about.
const BAD_GAMES: usize = 20;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct File {
    /// The file's name: its ending helps where the content leaves a doubt.
    #[serde(default)]
    #[param(example = "WTH_2001.wtb")]
    pub name: Option<String>,
    /// Leave out this many games.
    #[serde(default)]
    pub skip: usize,
}

/// The games of a file.
#[derive(Serialize, ToSchema)]
pub struct CollectionView {
    #[schema(example = "WTHOR")]
    format: String,
    /// How many good games the file has.
    total: usize,
    /// Up to 2000 of them.
    games: Vec<GameView>,
    /// How many games are broken, and what is wrong with the first ones.
    bad: usize,
    bad_games: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct GameView {
    pub black: Option<String>,
    pub white: Option<String>,
    pub event: Option<String>,
    pub year: Option<u16>,
    /// For Black, in discs.
    pub result: Option<i32>,
    pub moves: String,
    /// The start, where it is not the usual one.
    pub start: Option<String>,
}

impl From<&Game> for GameView {
    fn from(game: &Game) -> GameView {
        let details = game.details();
        let name = |name: &Option<games::Name>| name.as_ref().map(|name| name.to_string());
        GameView {
            black: name(&details.black),
            white: name(&details.white),
            event: name(&details.event),
            year: details.date.map(|date| date.year()),
            result: game.result().map(|score| score.discs()),
            moves: moves_to_string(game.moves()),
            start: (game.start() != Position::START).then(|| game.start().to_string()),
        }
    }
}

/// Read a file of games (WTHOR, GGF, SGF or transcripts, also packed) without learning it.
#[utoipa::path(
    post, path = "/api/collection", tag = "games", params(File),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = CollectionView), (status = 413, body = ErrorBody),
              (status = 422, body = ErrorBody))
)]
pub async fn read(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Asks(file): Asks<File>,
    body: Body,
) -> Result<Json<CollectionView>, Problem> {
    let (uploads, failures) = (&shared.looked_at, &shared.failures);
    let upload = uploads
        .receive(body, file.name.as_deref(), &caller, failures)
        .await?;
    // The file goes along: its sender may send the next one when it is read.
    let reading = shared
        .reading
        .run((), Settings::READING_TIME, move |errand| {
            let stop = errand.clone();
            let mut reader = upload.games_until(move || stop.is_over())?;
            let mut view = CollectionView {
                format: reader.format().to_string(),
                total: 0,
                games: Vec::new(),
                bad: 0,
                bad_games: Vec::new(),
            };
            let mut broke_off = false;
            while let Some(batch) = reader.next_batch() {
                for game in batch {
                    match game {
                        Ok(game) => {
                            if view.total >= file.skip && view.games.len() < GAMES {
                                view.games.push(GameView::from(&game));
                            }
                            view.total += 1;
                        }
                        Err(BadGame { number, flaw, .. }) => {
                            broke_off |= flaw.ends_the_file();
                            view.bad += 1;
                            if view.bad_games.len() < BAD_GAMES {
                                view.bad_games.push(format!("game {number}: {flaw}"));
                            }
                        }
                    }
                }
            }
            if errand.is_over() {
                let limit = Settings::READING_TIME;
                return Err(Problem::Timeout { limit });
            }
            Ok((Json(view), broke_off))
        });
    let read = reading.await;
    let read = read.inspect_err(|problem| failures.note(caller.client, problem));
    let (view, broke_off) = read?;
    // Half a file happens to anybody once; a bomb looks the same.
    if broke_off {
        failures.add(caller.client);
    }
    Ok(view)
}
