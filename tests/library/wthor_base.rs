//! The whole WTHOR base, where it is at hand: `../shared/data/wthor`, or under `EMILIA_SHARED`.

use crate::wthor;
use emilia::games::{Format, Game, GameWriter, open};
use emilia::othello::Color;
use std::io::Cursor;
use std::path::PathBuf;

fn base() -> Option<Vec<PathBuf>> {
    wthor::folder().map(|folder| wthor::files(&folder))
}

#[test]
fn every_game_of_the_base_is_read_and_named() {
    let Some(paths) = base() else { return };
    assert!(!paths.is_empty());
    let mut games = 0;
    let mut unfinished = 0;
    for path in &paths {
        let announced = std::fs::metadata(path).unwrap().len() / 68;
        let mut found = 0;
        for game in open(path).unwrap() {
            let game = game.unwrap_or_else(|bad| panic!("{bad}"));
            found += 1;
            unfinished += u64::from(!game.is_finished());
            let details = game.details();
            for name in [&details.black, &details.white, &details.event] {
                let name = name.as_deref().unwrap_or_default();
                assert!(!name.starts_with('#'), "{}: {name}", path.display());
            }
            let year = details.date.unwrap().year().to_string();
            assert!(path.to_str().unwrap().contains(&year));
            assert!(details.theory.is_some_and(|theory| theory.empties == 24));
        }
        assert_eq!(found, announced, "{}", path.display());
        games += found;
    }
    println!("{games} games, {unfinished} unfinished");
    assert!(unfinished < games / 100);
}

#[test]
fn the_recorded_discs_of_every_finished_game_are_those_on_the_board() {
    let Some(paths) = base() else { return };
    for path in &paths {
        let bytes = std::fs::read(path).unwrap();
        for (game, record) in open(path).unwrap().zip(bytes[16..].chunks(68)) {
            let game = game.unwrap();
            if game.is_finished() {
                let score = game.end().final_score(Color::Black);
                assert_eq!(i32::from(record[6]) * 2 - 64, score.discs());
            }
        }
    }
}

#[test]
fn a_year_of_the_base_survives_every_format() {
    let Some(paths) = base() else { return };
    let path = paths.iter().find(|path| path.ends_with("WTH_1986.wtb"));
    let Some(path) = path else { return };
    let games: Vec<Game> = open(path).unwrap().collect::<Result<_, _>>().unwrap();
    for format in Format::ALL {
        let mut writer = GameWriter::new(format, Cursor::new(Vec::new())).unwrap();
        for game in &games {
            writer.write(game).unwrap();
        }
        let (out, written) = writer.finish().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("x.{}", format.extension()));
        std::fs::write(&path, out.into_inner()).unwrap();
        if let Some(names) = written.names {
            std::fs::write(path.with_extension("jou"), names.players).unwrap();
            std::fs::write(path.with_extension("trn"), names.tournaments).unwrap();
        }
        let again: Vec<Game> = open(&path).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(again.len(), games.len());
        for (again, game) in again.iter().zip(&games) {
            assert_eq!(again.moves(), game.moves());
            assert_eq!(again.result(), game.result());
            let (found, expected) = (again.details(), game.details());
            assert_eq!(found.black, expected.black, "{format}");
            assert_eq!(found.white, expected.white, "{format}");
            assert_eq!(found.event, expected.event, "{format}");
            assert_eq!(found.date, expected.date, "{format}");
        }
    }
}
