//! WTHOR, the French federation's binary format: a 16-byte header, then 68 bytes a game.
//!
//! | bytes | header | bytes | game |
//! |---|---|---|---|
//! | 0–3 | century, year, month, day of the file | 0–1 | tournament |
//! | 4–7 | number of games | 2–3, 4–5 | Black, White |
//! | 8–9 | number of names (in `.jou`, `.trn`) | 6 | black discs at the end |
//! | 10–11 | year of the games | 7 | the same with perfect play |
//! | 12, 13, 14 | board size, type, depth of "perfect" | 8–67 | moves: 10 × row + column, then 0 |

use super::bracket::decode;
use super::date::Date;
use super::flaw::Flaw;
use super::game::{Details, Game, Theory};
use super::loss::{Loss, Losses};
use super::moves::Moves;
use super::name::Name;
use super::names::{self, Names, Table, encode};
use super::replay::replay_with;
use crate::othello::kernel::{Job, Kernel, dispatch};
use crate::othello::{Color, Position, Score, Square};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

pub(super) const HEADER: usize = names::HEADER;
pub(super) const RECORD: usize = 68;

/// The header of a game file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Day, month, year and century of the file are those of a calendar.
    pub dated: bool,
    pub games: u32,
    /// How many names a table has; 0 in a game file.
    pub names: u16,
    pub year: u16,
    /// 0 stands for 8.
    pub board_size: u8,
    /// At how many empty squares the theoretical results begin.
    pub depth: u8,
}

impl Header {
    pub fn parse(bytes: &[u8]) -> Option<Header> {
        let bytes: &[u8; HEADER] = bytes.first_chunk()?;
        let &[
            century,
            year,
            month,
            day,
            g0,
            g1,
            g2,
            g3,
            n0,
            n1,
            y0,
            y1,
            size,
            _,
            depth,
            _,
        ] = bytes;
        Some(Header {
            dated: (18..=21).contains(&century) && year < 100 && month <= 12 && day <= 31,
            games: u32::from_le_bytes([g0, g1, g2, g3]),
            names: u16::from_le_bytes([n0, n1]),
            year: u16::from_le_bytes([y0, y1]),
            board_size: size,
            depth,
        })
    }

    fn to_bytes(self) -> [u8; HEADER] {
        // The date is made from the games and not from the clock: the same games, the same bytes.
        let year = match self.year {
            year @ 1800..=2199 => year,
            _ => 2000,
        };
        let [g0, g1, g2, g3] = self.games.to_le_bytes();
        let [n0, n1] = self.names.to_le_bytes();
        let [y0, y1] = self.year.to_le_bytes();
        let (century, of_century) = ((year / 100) as u8, (year % 100) as u8);
        let size = self.board_size;
        let depth = self.depth;
        [
            century, of_century, 1, 1, g0, g1, g2, g3, n0, n1, y0, y1, size, 0, depth, 0,
        ]
    }

    /// What all games of the file have in common.
    fn shared(&self) -> Shared {
        Shared {
            date: Date::year_only(self.year),
            theory_empties: (1..=60).contains(&self.depth).then_some(self.depth),
        }
    }
}

#[derive(Clone, Copy)]
struct Shared {
    date: Option<Date>,
    /// A depth of 0 means that nobody computed theoretical results.
    theory_empties: Option<u8>,
}

/// The records of a stream, batch by batch.
pub(super) struct Records<R> {
    input: R,
    header: Header,
    names: Names,
    read: u64,
    done: bool,
}

/// Enough to keep many cores busy, little enough to forget: a third of a megabyte.
const BATCH: usize = 4096;

/// Enough that handing it to a thread costs nothing beside replaying it.
const CHUNK: usize = 64;

impl<R: Read> Records<R> {
    /// `input` stands behind the header.
    pub fn new(input: R, header: Header, names: Names) -> Records<R> {
        Records {
            input,
            header,
            names,
            read: 0,
            done: false,
        }
    }

    /// The next games, replayed on all cores; none after the last.
    pub fn next_batch(&mut self) -> io::Result<Option<Vec<Result<Game, Flaw>>>> {
        if self.done {
            return Ok(None);
        }
        let left = u64::from(self.header.games).saturating_sub(self.read);
        let wanted = usize::try_from(left).unwrap_or(BATCH).min(BATCH) * RECORD;
        let mut bytes = Vec::new();
        read_up_to(&mut self.input, wanted, &mut bytes)?;
        let shared = self.header.shared();
        let names = &self.names;
        let mut games: Vec<Result<Game, Flaw>> = bytes
            .par_chunks(CHUNK * RECORD)
            .flat_map_iter(|records| {
                dispatch(Chunk {
                    records,
                    shared,
                    names,
                })
            })
            .collect();
        self.read += (bytes.len() / RECORD) as u64;
        let found = bytes.len() % RECORD;
        let cut_off = bytes.len() < wanted;
        if cut_off || self.read == u64::from(self.header.games) {
            self.done = true;
            let announced = self.header.games;
            if found > 0 {
                games.push(Err(Flaw::Truncated {
                    found,
                    expected: RECORD,
                }));
            } else if cut_off {
                let found = self.read;
                games.push(Err(Flaw::WrongCount { announced, found }));
            } else {
                games.extend(self.count_the_rest()?.map(Err));
            }
        }
        Ok(Some(games))
    }

    /// Bytes after the last game that the header announces are no games, but worth a word.
    fn count_the_rest(&mut self) -> io::Result<Option<Flaw>> {
        let rest = io::copy(&mut self.input, &mut io::sink())?;
        // DOS programs filled the last block of a file with zeros or ^Z.
        let extra = rest / RECORD as u64;
        Ok((extra > 0).then_some(Flaw::WrongCount {
            announced: self.header.games,
            found: self.read + extra,
        }))
    }
}

/// Fills a buffer that grows with what is really there: the header may promise the moon.
fn read_up_to(input: &mut impl Read, wanted: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    match input.take(wanted as u64).read_to_end(bytes) {
        Ok(_) => Ok(()),
        // The games before the damage are worth having; the next call meets the damage again.
        Err(error) if error.kind() != ErrorKind::Interrupted && bytes.len() >= RECORD => Ok(()),
        Err(error) => Err(error),
    }
}

/// Replays some records in a region compiled for the CPU's tier.
struct Chunk<'a> {
    records: &'a [u8],
    shared: Shared,
    names: &'a Names,
}

impl Job for Chunk<'_> {
    type Output = Vec<Result<Game, Flaw>>;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> Self::Output {
        let (records, _) = self.records.as_chunks::<RECORD>();
        let mut games = Vec::with_capacity(records.len());
        for record in records {
            games.push(parse(kernel, record, self.shared, self.names));
        }
        games
    }
}

#[inline(always)]
fn parse<K: Kernel>(
    kernel: K,
    record: &[u8; RECORD],
    shared: Shared,
    names: &Names,
) -> Result<Game, Flaw> {
    let &[t0, t1, b0, b1, w0, w1, discs, theory, ref squares @ ..] = record;
    let moves = parse_moves(squares)?;
    let replay = replay_with(kernel, Position::START, &moves)?;
    let result = black_discs(discs).ok_or(Flaw::TooManyDiscs { discs })?;
    let details = Details {
        black: names.player(u16::from_le_bytes([b0, b1])),
        white: names.player(u16::from_le_bytes([w0, w1])),
        event: names.tournament(u16::from_le_bytes([t0, t1])),
        date: shared.date,
        result: Some(result),
        theory: shared
            .theory_empties
            .and_then(|empties| black_discs(theory).map(|score| Theory { score, empties })),
        ..Details::default()
    };
    let start = Position::START;
    Ok(Game::of_replay(
        start,
        moves,
        replay.end,
        replay.finished,
        details,
    ))
}

#[inline(always)]
fn parse_moves(squares: &[u8; 60]) -> Result<Moves, Flaw> {
    let mut moves = Moves::new();
    for (i, &byte) in squares.iter().enumerate() {
        let number = i + 1;
        if byte == 0 {
            // All that follows must be empty too, or a move is missing here.
            let rest = squares.get(i..).unwrap_or_default();
            if rest.iter().any(|&byte| byte != 0) {
                return Err(Flaw::MissingMove { number });
            }
            break;
        }
        let (row, column) = (byte / 10, byte % 10);
        if !(1..=8).contains(&row) || !(1..=8).contains(&column) {
            return Err(Flaw::NotASquare { number, byte });
        }
        let square = Square::at(column - 1, row - 1);
        moves
            .push(square)
            .map_err(|_| Flaw::NotASquare { number, byte })?;
    }
    Ok(moves)
}

/// The score of a game that Black ends with this many discs, the empty squares counted.
#[inline(always)]
fn black_discs(discs: u8) -> Option<Score> {
    Score::new(2 * i32::from(discs) - 64)
}

/// Writes games; names and header come when the number of games is known.
pub(super) struct Writer {
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

impl Writer {
    /// Leaves room for the header.
    pub fn begin(out: &mut impl Write) -> io::Result<Writer> {
        out.write_all(&[0; HEADER])?;
        Ok(Writer {
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
        out.write_all(&header.to_bytes())?;
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

    fn into_bytes(self, year: u16) -> Vec<u8> {
        let header = Header {
            dated: true,
            games: 0,
            // A full table has one entry more than the field can say; readers count the bytes.
            names: u16::try_from(self.numbers.len() + 1).unwrap_or(u16::MAX),
            year: 0,
            board_size: 0,
            depth: 0,
        };
        let mut bytes = Header { year, ..header }.to_bytes();
        // Only the file's date is made of the year; a table has no year of games.
        if let Some(field) = bytes.get_mut(10..12) {
            field.fill(0);
        }
        let mut file = bytes.to_vec();
        file.extend(self.bytes);
        file
    }
}

/// Whether these are the first bytes of a table of names rather than of games.
pub(super) fn is_name_table(head: &[u8]) -> bool {
    let Some(header) = Header::parse(head) else {
        return false;
    };
    let first_name = head.get(HEADER..HEADER + 19).unwrap_or_default();
    let is_text = decode(first_name)
        .chars()
        .all(|c| c == '\0' || !c.is_control());
    header.dated && header.games == 0 && header.names > 0 && header.year == 0 && is_text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::arbitrary::any_game;
    use proptest::prelude::*;
    use std::io::Cursor;

    const SHORT: [&str; 9] = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"];

    fn record(moves: &[&str], discs: u8) -> Vec<u8> {
        let mut bytes = vec![1, 0, 2, 0, 3, 0, discs, 40];
        for name in moves {
            let square: Square = name.parse().unwrap();
            bytes.push(10 * (square.row() + 1) + square.column() + 1);
        }
        bytes.resize(RECORD, 0);
        bytes
    }

    fn header(games: u32) -> Header {
        Header {
            dated: true,
            games,
            names: 0,
            year: 1990,
            board_size: 8,
            depth: 24,
        }
    }

    fn read(games: u32, records: &[u8]) -> Vec<Result<Game, Flaw>> {
        let mut records = Records::new(records, header(games), Names::default());
        let mut all = Vec::new();
        while let Some(batch) = records.next_batch().unwrap() {
            all.extend(batch);
        }
        all
    }

    #[test]
    fn a_record_with_all_it_tells() {
        let games = read(1, &record(&SHORT, 64));
        let game = games[0].as_ref().unwrap();
        assert!(game.is_finished());
        assert_eq!(game.result(), Score::new(64));
        let details = game.details();
        assert_eq!(details.black.as_deref(), Some("#2"));
        assert_eq!(details.event.as_deref(), Some("#1"));
        assert_eq!(details.date, Date::year_only(1990));
        let theory = details.theory.unwrap();
        assert_eq!((theory.score.discs(), theory.empties), (16, 24));
    }

    #[test]
    fn an_early_stop_is_an_unfinished_game_with_the_recorded_result() {
        let games = read(1, &record(&SHORT[..4], 20));
        let game = games[0].as_ref().unwrap();
        assert!(!game.is_finished());
        assert_eq!(game.result(), Score::new(-24));
    }

    #[test]
    fn a_bad_record_does_not_stop_the_others() {
        let mut bytes = record(&["f5", "f5"], 32);
        bytes.extend(record(&["f5"], 65));
        let mut wrong_byte = record(&["f5"], 32);
        wrong_byte[9] = 99;
        bytes.extend(wrong_byte);
        let mut gap = record(&["f5"], 32);
        gap[10] = 11;
        bytes.extend(gap);
        bytes.extend(record(&SHORT, 64));
        let games = read(5, &bytes);
        let flaws: Vec<String> = games
            .iter()
            .take(4)
            .map(|game| game.as_ref().unwrap_err().to_string())
            .collect();
        assert!(flaws[0].contains("move 2 (f5) is illegal"));
        assert!(flaws[1].contains("65 black discs"));
        assert!(flaws[2].contains("move 2: the byte 99"));
        assert!(flaws[3].contains("move 2 is missing"));
        assert!(games[4].is_ok());
    }

    #[test]
    fn a_count_that_is_not_true_is_reported_once() {
        let bytes = record(&SHORT, 64).repeat(3);
        let last = |games: u32, bytes: &[u8]| {
            let found = read(games, bytes);
            (
                found.iter().filter(|game| game.is_ok()).count(),
                found.last().unwrap().clone().err(),
            )
        };
        let wrong = |announced, found| Some(Flaw::WrongCount { announced, found });
        assert_eq!(last(u32::MAX, &bytes), (3, wrong(u32::MAX, 3)));
        assert_eq!(last(2, &bytes), (2, wrong(2, 3)));
        assert_eq!(last(3, &bytes), (3, None));
        let truncated = Flaw::Truncated {
            found: 10,
            expected: RECORD,
        };
        assert_eq!(last(3, &bytes[..2 * RECORD + 10]), (2, Some(truncated)));
    }

    #[test]
    fn a_batch_ends_between_records() {
        let bytes = record(&SHORT, 64).repeat(BATCH + 1);
        let games = read(BATCH as u32 + 1, &bytes);
        assert_eq!(games.len(), BATCH + 1);
        assert!(games.iter().all(Result::is_ok));
    }

    #[test]
    fn the_header_is_the_one_of_the_format() {
        let bytes = header(12).to_bytes();
        let expected = [19, 90, 1, 1, 12, 0, 0, 0, 0, 0, 0xc6, 7, 8, 0, 24, 0];
        assert_eq!(bytes, expected);
        assert_eq!(Header::parse(&bytes), Some(header(12)));
        assert_eq!(Header::parse(&bytes[..15]), None);
    }

    fn written(games: &[Game]) -> (Vec<u8>, NameFiles, Losses) {
        let mut out = Cursor::new(Vec::new());
        let mut losses = Losses::default();
        let mut writer = Writer::begin(&mut out).unwrap();
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
