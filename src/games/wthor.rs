//! WTHOR, the French federation's binary format: a 16-byte header, then 68 bytes a game.
//!
//! | bytes | header | bytes | game |
//! |---|---|---|---|
//! | 0–3 | century, year, month, day of the file | 0–1 | tournament |
//! | 4–7 | number of games | 2–3, 4–5 | Black, White |
//! | 8–9 | number of names (in `.jou`, `.trn`) | 6 | black discs at the end |
//! | 10–11 | year of the games | 7 | the same with perfect play |
//! | 12, 13, 14 | board size, type, depth of "perfect" | 8–67 | moves: 10 × row + column, then 0 |
//!
//! Read here, written in `wthor_writer.rs`.

use super::bracket::decode;
use super::date::Date;
use super::flaw::Flaw;
use super::game::{Details, Game, Theory};
use super::moves::Moves;
use super::names::{self, Names};
use super::replay::replay_with;
use crate::othello::kernel::{Job, Kernel, dispatch};
use crate::othello::{Position, Score, Square};
use rayon::prelude::*;
use std::io::{self, ErrorKind, Read};

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

    /// The file's date has this year, which comes from the games and not from the clock: the same
    /// games, the same bytes.
    pub fn to_bytes(self, dated: u16) -> [u8; HEADER] {
        let dated = match dated {
            year @ 1800..=2199 => year,
            _ => 2000,
        };
        let [g0, g1, g2, g3] = self.games.to_le_bytes();
        let [n0, n1] = self.names.to_le_bytes();
        let [y0, y1] = self.year.to_le_bytes();
        let (century, of_century) = ((dated / 100) as u8, (dated % 100) as u8);
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
pub(super) mod tests {
    use super::*;

    pub const SHORT: [&str; 9] = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"];

    pub fn record(moves: &[&str], discs: u8) -> Vec<u8> {
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

    pub fn read(games: u32, records: &[u8]) -> Vec<Result<Game, Flaw>> {
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
        let bytes = header(12).to_bytes(1990);
        let expected = [19, 90, 1, 1, 12, 0, 0, 0, 0, 0, 0xc6, 7, 8, 0, 24, 0];
        assert_eq!(bytes, expected);
        assert_eq!(Header::parse(&bytes), Some(header(12)));
        assert_eq!(Header::parse(&bytes[..15]), None);
    }
}
