//! Writing a collection in any format.

use super::format::Format;
use super::game::Game;
use super::loss::Losses;
use super::wthor_writer::{NameFiles, WthorWriter};
use super::{ggf, sgf, transcript};
use std::io::{self, Cursor, Seek, Write};

/// Writes games one after the other. WTHOR's header holds the number of games, so the target must
/// let itself be wound back.
pub struct GameWriter<W> {
    out: W,
    format: Format,
    wthor: Option<WthorWriter>,
    games: u64,
    losses: Losses,
}

/// What became of the games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub games: u64,
    /// What the format could not hold.
    pub losses: Losses,
    /// WTHOR keeps names in files beside the games.
    pub names: Option<NameFiles>,
}

impl GameWriter<Cursor<Vec<u8>>> {
    /// The whole collection in memory; the names beside a WTHOR file are left out.
    pub fn to_bytes(format: Format, games: &[Game]) -> io::Result<Vec<u8>> {
        let mut writer = GameWriter::new(format, Cursor::default())?;
        games.iter().try_for_each(|game| writer.write(game))?;
        Ok(writer.finish()?.0.into_inner())
    }
}

impl<W: Write + Seek> GameWriter<W> {
    pub fn new(format: Format, mut out: W) -> io::Result<GameWriter<W>> {
        let wthor = match format {
            Format::Wthor => Some(WthorWriter::begin(&mut out)?),
            _ => None,
        };
        Ok(GameWriter {
            out,
            format,
            wthor,
            games: 0,
            losses: Losses::default(),
        })
    }

    /// Writes a game as far as the format can hold it.
    pub fn write(&mut self, game: &Game) -> io::Result<()> {
        let (out, losses) = (&mut self.out, &mut self.losses);
        let written = match (&mut self.wthor, self.format) {
            (Some(wthor), _) => wthor.write(game, out, losses)?,
            (None, Format::Sgf) => sgf::write(game, out, losses).map(|()| true)?,
            (None, Format::Transcript) => transcript::write(game, out, losses).map(|()| true)?,
            (None, Format::Ggf | Format::Wthor) => ggf::write(game, out, losses).map(|()| true)?,
        };
        self.games += u64::from(written);
        Ok(())
    }

    /// Completes the collection and gives the target back, everything written to it.
    pub fn finish(mut self) -> io::Result<(W, Written)> {
        let names = match self.wthor {
            Some(wthor) => Some(wthor.finish(&mut self.out, &mut self.losses)?),
            None => None,
        };
        self.out.flush()?;
        let written = Written {
            games: self.games,
            losses: self.losses,
            names,
        };
        Ok((self.out, written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameReader;
    use crate::games::arbitrary::any_game;
    use crate::othello::Position;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_collection_is_recognised_and_keeps_its_games_in_order(
            games in prop::collection::vec(any_game(), 1..20),
        ) {
            for format in Format::ALL {
                let mut writer = GameWriter::new(format, Cursor::new(Vec::new())).unwrap();
                for game in &games {
                    writer.write(game).unwrap();
                }
                let (out, written) = writer.finish().unwrap();
                let bytes = GameWriter::to_bytes(format, &games).unwrap();
                prop_assert_eq!(&bytes, out.get_ref());
                let kept: Vec<&Game> = games
                    .iter()
                    .filter(|game| format != Format::Wthor || game.start() == Position::START)
                    .collect();
                prop_assert_eq!(written.games, kept.len() as u64);
                let reader = GameReader::from_stream("x", Cursor::new(out.into_inner())).unwrap();
                prop_assert_eq!(reader.format(), format);
                let found: Result<Vec<Game>, _> = reader.collect();
                let found = found.unwrap();
                prop_assert_eq!(found.len(), kept.len());
                for (found, game) in found.iter().zip(kept) {
                    prop_assert_eq!(found.start(), game.start());
                    prop_assert_eq!(found.moves(), game.moves());
                    prop_assert_eq!(found.is_finished(), game.is_finished());
                }
            }
        }
    }
}
