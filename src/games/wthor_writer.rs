//! The writer of WTHOR: games, and beside them the tables of their names. What the bytes mean is told
//! in `wthor.rs`.

use super::date::Date;
use super::game::Game;
use super::loss::{Loss, Losses};
use super::name::Name;
use super::names::{Table, encode};
use super::wthor::{HEADER, Header, RECORD};
use crate::othello::{Color, Position, Score};
use std::collections::HashMap;
use std::io::{self, Seek, SeekFrom, Write};

/// Writes games; names and header come when the number of games is known.
pub(super) struct WthorWriter {
    players: NameTable,
    tournaments: NameTable,
    games: u32,
    year: Common<u16>,
    dated: u64,
    depth: Common<u8>,
    without_theory: u64,
}

/// The two tables that belong beside the games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameFiles {
    /// The players, for the `.jou` file.
    pub players: Vec<u8>,
    /// The tournaments, for the `.trn` file.
    pub tournaments: Vec<u8>,
}

/// A value that all games of a file have to share.
enum Common<T> {
    Unseen,
    Same(T),
    Mixed,
}

impl<T: PartialEq + Copy> Common<T> {
    fn see(&mut self, value: T) {
        *self = match *self {
            Common::Unseen => Common::Same(value),
            Common::Same(seen) if seen == value => return,
            _ => Common::Mixed,
        };
    }
}

impl WthorWriter {
    /// Leaves room for the header.
    pub fn begin(out: &mut impl Write) -> io::Result<WthorWriter> {
        out.write_all(&[0; HEADER])?;
        Ok(WthorWriter {
            players: NameTable::new(Table::Players),
            tournaments: NameTable::new(Table::Tournaments),
            games: 0,
            year: Common::Unseen,
            dated: 0,
            depth: Common::Unseen,
            without_theory: 0,
        })
    }

    /// Writes a game, unless WTHOR cannot hold it: then it is counted among the losses.
    pub fn write(
        &mut self,
        game: &Game,
        out: &mut impl Write,
        losses: &mut Losses,
    ) -> io::Result<bool> {
        // From the usual start no game has more than 60 moves.
        if game.start() != Position::START || game.moves().len() > RECORD - 8 {
            losses.note(Loss::Start, true);
            return Ok(false);
        }
        let details = game.details();
        losses.note(Loss::Round, details.round.is_some());
        losses.note(Loss::Forfeit, details.forfeit.is_some());
        losses.note(Loss::Notes, !details.notes.is_empty());
        let day = details.date.is_some_and(|date| date.month().is_some());
        losses.note(Loss::Day, day);
        losses.note(Loss::NoResult, details.result.is_none());
        self.year.see(details.date.map_or(0, Date::year));
        self.dated += u64::from(details.date.is_some());

        let result = details
            .result
            .unwrap_or_else(|| game.end().final_score(Color::Black));
        losses.note(Loss::OddResult, result.discs() % 2 != 0);
        let theory = match details.theory {
            Some(theory) => {
                self.depth.see(theory.empties);
                losses.note(Loss::OddResult, theory.score.discs() % 2 != 0);
                theory.score
            }
            None => {
                self.without_theory += 1;
                result
            }
        };
        let mut record = Vec::with_capacity(RECORD);
        for number in [
            self.tournaments.number(details.event.as_ref(), losses),
            self.players.number(details.black.as_ref(), losses),
            self.players.number(details.white.as_ref(), losses),
        ] {
            record.extend(number.to_le_bytes());
        }
        record.extend([discs_of(result), discs_of(theory)]);
        record.extend(
            game.moves()
                .iter()
                .map(|square| 10 * (square.row() + 1) + square.column() + 1),
        );
        record.resize(RECORD, 0);
        self.games = self
            .games
            .checked_add(1)
            .ok_or_else(|| io::Error::other("WTHOR cannot count beyond 4294967295 games"))?;
        out.write_all(&record)?;
        Ok(true)
    }

    /// Goes back and writes the header.
    pub fn finish<W: Write + Seek>(
        self,
        out: &mut W,
        losses: &mut Losses,
    ) -> io::Result<NameFiles> {
        let year = match self.year {
            Common::Same(year) => year,
            Common::Unseen => 0,
            Common::Mixed => {
                losses.add(Loss::Year, self.dated);
                0
            }
        };
        let depth = match self.depth {
            Common::Unseen => 0,
            Common::Same(depth) => {
                losses.add(Loss::TheoryDepth, self.without_theory);
                depth
            }
            // No depth is true for all, and 0 says that none is known.
            Common::Mixed => {
                losses.add(Loss::TheoryDepth, u64::from(self.games));
                0
            }
        };
        let header = Header {
            dated: true,
            games: self.games,
            names: 0,
            year,
            board_size: 8,
            depth,
        };
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header.to_bytes(year))?;
        out.seek(SeekFrom::End(0))?;
        Ok(NameFiles {
            players: self.players.into_bytes(year),
            tournaments: self.tournaments.into_bytes(year),
        })
    }
}

/// Half of a difference that is even; an odd one is rounded towards a draw.
fn discs_of(score: Score) -> u8 {
    // Within 0 to 64 for every score.
    (32 + score.discs() / 2) as u8
}

/// Names by number, in the order in which they come; number 0 is "unknown".
struct NameTable {
    table: Table,
    numbers: HashMap<Vec<u8>, u16>,
    bytes: Vec<u8>,
}

impl NameTable {
    fn new(table: Table) -> NameTable {
        NameTable {
            table,
            numbers: HashMap::new(),
            bytes: encode("???", table).bytes,
        }
    }

    fn number(&mut self, name: Option<&Name>, losses: &mut Losses) -> u16 {
        let Some(name) = name else { return 0 };
        let encoded = encode(name, self.table);
        losses.note(Loss::LongName, encoded.cut);
        losses.note(Loss::NameCharacters, encoded.foreign);
        if let Some(&number) = self.numbers.get(&encoded.bytes) {
            return number;
        }
        let Ok(number) = u16::try_from(self.numbers.len() + 1) else {
            losses.note(Loss::NameTable, true);
            return 0;
        };
        self.bytes.extend(&encoded.bytes);
        self.numbers.insert(encoded.bytes, number);
        number
    }

    /// `games_of` is the year of the games.
    fn into_bytes(self, games_of: u16) -> Vec<u8> {
        let header = Header {
            dated: true,
            games: 0,
            // A full table has one entry more than the field can say; readers count the bytes.
            names: u16::try_from(self.numbers.len() + 1).unwrap_or(u16::MAX),
            // The file is dated like that of the games; a table itself has no year.
            year: 0,
            board_size: 0,
            depth: 0,
        };
        let mut file = header.to_bytes(games_of).to_vec();
        file.extend(self.bytes);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::arbitrary::any_game;
    use crate::games::game::Theory;
    use crate::games::names::Names;
    use crate::games::wthor::tests::{SHORT, read, record};
    use crate::games::wthor::{Records, is_name_table};
    use proptest::prelude::*;
    use std::io::Cursor;

    fn written(games: &[Game]) -> (Vec<u8>, NameFiles, Losses) {
        let mut out = Cursor::new(Vec::new());
        let mut losses = Losses::default();
        let mut writer = WthorWriter::begin(&mut out).unwrap();
        for game in games {
            writer.write(game, &mut out, &mut losses).unwrap();
        }
        let names = writer.finish(&mut out, &mut losses).unwrap();
        (out.into_inner(), names, losses)
    }

    #[test]
    fn mixed_years_and_depths_are_reported() {
        let games = read(1, &record(&SHORT[..4], 20));
        let game = games[0].clone().unwrap();
        let other = game.with_details(|details| {
            details.date = Date::year_only(1991);
            details.theory = None;
        });
        let (bytes, _, losses) = written(&[game, other]);
        assert_eq!(losses.count(Loss::Year), 2);
        assert_eq!(losses.count(Loss::TheoryDepth), 1);
        assert_eq!(Header::parse(&bytes).unwrap().year, 0);
    }

    #[test]
    fn a_table_holds_as_many_names_as_numbers() {
        let mut table = NameTable::new(Table::Players);
        let mut losses = Losses::default();
        for i in 0..65_535 {
            table.number(Name::tidy(&format!("n{i}")).as_ref(), &mut losses);
        }
        assert!(losses.is_empty());
        assert_eq!(
            table.number(Name::tidy("one more").as_ref(), &mut losses),
            0
        );
        assert_eq!(losses.count(Loss::NameTable), 1);
        assert_eq!(table.into_bytes(0).len(), HEADER + 65_536 * 20);
    }

    #[test]
    fn a_table_of_names_is_told_from_games() {
        let games = read(1, &record(&SHORT, 64));
        let (bytes, names, _) = written(&[games[0].clone().unwrap()]);
        assert!(is_name_table(&names.players));
        assert!(is_name_table(&names.tournaments));
        assert!(!is_name_table(&bytes));
    }

    proptest! {
        #[test]
        fn a_written_game_reads_back_with_all_that_wthor_holds(game in any_game()) {
            let (bytes, files, losses) = written(std::slice::from_ref(&game));
            if game.start() != Position::START {
                prop_assert_eq!(losses.count(Loss::Start), 1);
                prop_assert_eq!(bytes.len(), HEADER);
                return Ok(());
            }
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("x.JOU"), &files.players).unwrap();
            std::fs::write(folder.path().join("x.trn"), &files.tournaments).unwrap();
            let names = Names::beside(&folder.path().join("x.wtb")).unwrap();
            let header = Header::parse(&bytes).unwrap();
            let mut records = Records::new(&bytes[HEADER..], header, names);
            let mut batch = records.next_batch().unwrap().unwrap();
            prop_assert_eq!(batch.len(), 1);
            let found = batch.remove(0).unwrap();

            let kept = |name: &Option<Name>, table: Table| {
                let bytes = encode(name.as_ref()?, table).bytes;
                let text: String = bytes.iter().map(|&b| char::from(b)).collect();
                Name::tidy(&text)
            };
            let even = |score: Score| Score::new(score.discs() / 2 * 2).unwrap();
            let expected = game.with_details(|details| {
                details.black = kept(&details.black, Table::Players);
                details.white = kept(&details.white, Table::Players);
                details.event = kept(&details.event, Table::Tournaments);
                details.round = None;
                details.date = details.date.and_then(|date| Date::year_only(date.year()));
                let result = details.result
                    .unwrap_or_else(|| game.end().final_score(Color::Black));
                details.result = Some(even(result));
                details.forfeit = None;
                details.theory = details.theory.filter(|theory| theory.empties > 0)
                    .map(|theory| Theory { score: even(theory.score), ..theory });
                details.notes = Box::default();
            });
            prop_assert_eq!(found, expected);
        }
    }
}
