//! `POST /api/v1/collection`: the games of a file, to look at. Nothing is learned.

use super::asked::Asks;
use super::places::Caller;
use super::problem::Problem;
use super::settings::Settings;
use super::shared::Shared;
use super::upload::FileBytes;
use crate::view::{BadGameView, BadGamesView, CollectionView, GameView};
use axum::body::Body;
use axum::extract::State;
use axum::{Extension, Json};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

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
    #[param(required = false, example = "games.txt")]
    pub name: String,
    /// Leave out this many games.
    #[serde(default)]
    #[param(required = false, default = 0, format = Int64, minimum = 0,
            maximum = 4_294_967_295u32)]
    pub skip: u32,
}

/// Read a file of games (WTHOR, GGF, SGF or transcripts, also packed) without learning it.
#[utoipa::path(
    post, path = "/api/v1/collection", operation_id = "collection", tag = "games", params(File),
    request_body(content = inline(FileBytes), content_type = "application/octet-stream",
                 example = json!("f5d6c3d3c4f4f6f3e6e7\n")),
    responses((status = 200, body = CollectionView))
)]
pub async fn read(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Asks(file): Asks<File>,
    body: Body,
) -> Result<Json<CollectionView>, Problem> {
    let (uploads, failures) = (&shared.looked_at, &shared.failures);
    let upload = uploads.receive(body, &file.name, &caller, failures).await?;
    // The file goes along: its sender may send the next one when it is read.
    let reading = shared
        .reading
        .run((), Settings::READING_TIME, move |chore| {
            let stop = chore.clone();
            let mut reader = upload.games_until(move || stop.is_over())?;
            let mut view = CollectionView {
                format: reader.format().to_string(),
                total: 0,
                games: Vec::new(),
                bad: BadGamesView::default(),
            };
            let mut broke_off = false;
            while let Some(batch) = reader.next_batch() {
                for game in batch {
                    match game {
                        Ok(game) => {
                            if view.total >= file.skip as usize && view.games.len() < GAMES {
                                view.games.push(GameView::from(&game));
                            }
                            view.total += 1;
                        }
                        Err(broken) => {
                            broke_off |= broken.flaw.ends_the_file();
                            let bad = &mut view.bad;
                            bad.bad += 1;
                            if bad.bad_games.len() < BAD_GAMES {
                                bad.bad_games.push(BadGameView::from(&broken));
                            }
                        }
                    }
                }
            }
            if chore.is_over() {
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
