//! The records of what people played.

use super::{CodecError, UNCHANGED_FORMAT, from_bytes, to_bytes};
use crate::book::list::GameNumber;
use crate::book::statistics::{Played, Statistics};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct StatisticsRecord {
    version: u8,
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    /// [`UNKNOWN_DISCS`] where nobody told.
    disc_sum: i64,
    /// 0 in both: no game was dated.
    first_year: u16,
    last_year: u16,
}

const STATISTICS_BYTES: usize = 29;

/// No sum of results: each has at most 64 discs, and there are fewer than 2³² of them.
const UNKNOWN_DISCS: i64 = i64::MIN;

pub fn statistics_to_bytes(statistics: &Statistics) -> [u8; STATISTICS_BYTES] {
    let (first_year, last_year) = statistics.years.unwrap_or((0, 0));
    to_bytes(&StatisticsRecord {
        version: UNCHANGED_FORMAT,
        games: statistics.games,
        wins: statistics.wins,
        draws: statistics.draws,
        losses: statistics.losses,
        disc_sum: match statistics.discs_unknown {
            true => UNKNOWN_DISCS,
            false => statistics.disc_sum,
        },
        first_year,
        last_year,
    })
}

pub fn statistics_from_bytes(bytes: &[u8]) -> Result<Statistics, CodecError> {
    played_from_bytes(bytes).map(|played| played.statistics)
}

/// Statistics and, behind them, the number of the game that is the only one.
pub fn played_to_bytes(played: &Played) -> Vec<u8> {
    let mut bytes = statistics_to_bytes(&played.statistics).to_vec();
    if let Some(only) = played.only {
        only.put(&mut bytes);
    }
    bytes
}

pub fn played_from_bytes(bytes: &[u8]) -> Result<Played, CodecError> {
    let (statistics, only) = bytes.split_at(bytes.len().min(STATISTICS_BYTES));
    let record: StatisticsRecord = from_bytes(statistics, STATISTICS_BYTES)?;
    let only = (!only.is_empty()).then(|| GameNumber::from_bytes(only));
    Ok(Played {
        statistics: Statistics {
            games: record.games,
            wins: record.wins,
            draws: record.draws,
            losses: record.losses,
            disc_sum: match record.disc_sum {
                UNKNOWN_DISCS => 0,
                sum => sum,
            },
            discs_unknown: record.disc_sum == UNKNOWN_DISCS,
            years: (record.first_year != 0).then_some((record.first_year, record.last_year)),
        },
        only: only.transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_golden_bytes_of_statistics() {
        let statistics = Statistics {
            games: 1,
            wins: 2,
            draws: 3,
            losses: 4,
            disc_sum: -2,
            discs_unknown: false,
            years: Some((1977, 2015)),
        };
        let bytes = statistics_to_bytes(&statistics);
        let expected = [
            1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xff, 0xfe, 7, 0xb9, 7, 0xdf,
        ];
        assert_eq!(bytes, expected);
        assert_eq!(statistics_from_bytes(&bytes), Ok(statistics));
        let none = Statistics::default();
        assert_eq!(statistics_from_bytes(&statistics_to_bytes(&none)), Ok(none));
    }
}
