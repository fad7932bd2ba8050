//! When a game was played, as far as it is known.

use std::fmt;
use time::{Month, OffsetDateTime};

/// A year, perhaps with a month, perhaps with a day. Collections know no more than that, and
/// many know only the year.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl Date {
    /// A year from 1 to 9999.
    pub fn year_only(year: u16) -> Option<Date> {
        (1..=9999).contains(&year).then_some(Date {
            year,
            month: None,
            day: None,
        })
    }

    pub fn year_and_month(year: u16, month: u8) -> Option<Date> {
        let date = Date::year_only(year)?;
        (1..=12).contains(&month).then_some(Date {
            month: Some(month),
            ..date
        })
    }

    /// A day that the calendar has.
    pub fn full(year: u16, month: u8, day: u8) -> Option<Date> {
        let date = Date::year_and_month(year, month)?;
        let month = Month::try_from(month).ok()?;
        let days = month.length(i32::from(year));
        (1..=days).contains(&day).then_some(Date {
            day: Some(day),
            ..date
        })
    }

    pub const fn year(self) -> u16 {
        self.year
    }

    pub const fn month(self) -> Option<u8> {
        self.month
    }

    pub const fn day(self) -> Option<u8> {
        self.day
    }

    /// Reads the date a text begins with: `2003.12.15_13:24:03.MST` (GGS), `2014-02-21 20:52 GMT`
    /// (NBoard), `1999-05` (SGF), `1987`, or seconds since 1970 (the oldest GGF files). A part
    /// that the calendar does not have ends the date before it.
    pub fn parse(text: &str) -> Option<Date> {
        let text = text.trim();
        let (digits, rest) = leading_digits(text);
        if (9..=11).contains(&digits.len()) && rest.is_empty() {
            return Date::of_unix_seconds(digits.parse().ok()?);
        }
        if digits.len() != 4 {
            return None;
        }
        let year = digits.parse().ok()?;
        let date = Date::year_only(year)?;
        let Some((month, rest)) = next_part(rest) else {
            return Some(date);
        };
        let Some(date) = Date::year_and_month(year, month) else {
            return Some(date);
        };
        Some(
            next_part(rest)
                .and_then(|(day, _)| Date::full(year, month, day))
                .unwrap_or(date),
        )
    }

    /// The day of a moment, in universal time.
    pub fn of_unix_seconds(seconds: u64) -> Option<Date> {
        let seconds = i64::try_from(seconds).ok()?;
        let date = OffsetDateTime::from_unix_timestamp(seconds).ok()?.date();
        let year = u16::try_from(date.year()).ok()?;
        Date::full(year, date.month().into(), date.day())
    }

    /// The date with its parts joined by this sign: GGF writes dots where SGF writes dashes.
    pub fn joined_by(self, sign: char) -> String {
        let mut text = format!("{:04}", self.year);
        for part in [self.month, self.day].into_iter().flatten() {
            text.push_str(&format!("{sign}{part:02}"));
        }
        text
    }
}

/// `1987-05-31`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.joined_by('-'))
    }
}

fn leading_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The one- or two-digit number after a separator, and what follows it.
fn next_part(text: &str) -> Option<(u8, &str)> {
    let (digits, rest) = leading_digits(text.strip_prefix(['-', '.', '/'])?);
    match digits.len() {
        1 | 2 => Some((digits.parse().ok()?, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_way_to_write_a_date_is_read() {
        let day = Date::full(2003, 12, 15);
        for text in [
            "2003.12.15_13:24:03.MST",
            "2003-12-15 20:52:27 GMT",
            "2003/12/15",
            " 2003-12-15,16 ",
            "1071460800",
        ] {
            assert_eq!(Date::parse(text), day, "{text}");
        }
        assert_eq!(Date::parse("1999-5"), Date::year_and_month(1999, 5));
        assert_eq!(Date::parse("1987"), Date::year_only(1987));
        assert_eq!(Date::parse("1987-13-01"), Date::year_only(1987));
        assert_eq!(
            Date::parse("1987-02-30"),
            Date::year_and_month(1987, 2),
            "February has no 30th"
        );
        for text in ["", "?", "0000", "87", "12345", "May 1987"] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn leap_years_follow_the_gregorian_rule() {
        assert!(Date::full(2000, 2, 29).is_some());
        assert!(Date::full(2024, 2, 29).is_some());
        assert!(Date::full(1900, 2, 29).is_none());
        assert_eq!(Date::parse("951782400"), Date::full(2000, 2, 29));
    }

    proptest! {
        #[test]
        fn a_written_date_reads_back(year in 1u16..=9999, month in 0u8..=12, day in 0u8..=28) {
            let date = match (month, day) {
                (0, _) => Date::year_only(year),
                (_, 0) => Date::year_and_month(year, month),
                _ => Date::full(year, month, day),
            };
            let date = date.unwrap();
            prop_assert_eq!(Date::parse(&date.to_string()), Some(date));
            prop_assert_eq!(Date::parse(&date.joined_by('.')), Some(date));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,20}", number: u64) {
            let _ = Date::parse(&text);
            let _ = Date::parse(&number.to_string());
        }
    }
}
