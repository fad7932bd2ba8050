//! Times as people write them. By hand: humantime wants a unit behind every number, and a bare one
//! is seconds here.

use std::time::Duration;

/// Reads `90`, `90s`, `2.5m` or `8h`: how long something lasts, for every flag that says so. The
/// clock of a game is another thing, and has another flag.
pub fn read_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let (number, unit) = match text.char_indices().last() {
        Some((place, 's')) => (&text[..place], 1.0),
        Some((place, 'm')) => (&text[..place], 60.0),
        Some((place, 'h')) => (&text[..place], 3600.0),
        _ => (text, 1.0),
    };
    number
        .parse::<f64>()
        .ok()
        .filter(|&number| number > 0.0)
        .and_then(|number| Duration::try_from_secs_f64(number * unit).ok())
        // Longer than anyone waits, and safe to add to any clock.
        .map(|time| time.min(Duration::from_secs(u64::from(u32::MAX))))
        .ok_or_else(|| "write a time above 0, as in 90, 90s, 10m or 8h".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_minutes_and_hours_are_read() {
        let seconds = |text| read_duration(text).map(|time| time.as_secs_f64());
        let expected = [("90", 90.0), ("0.5s", 0.5), ("10m", 600.0), ("8h", 28800.0)];
        for (text, time) in expected {
            assert_eq!(seconds(text), Ok(time), "{text}");
        }
        for text in ["", "0", "-1", "m", "ten", "inf", "nan", "1e300h", "5é"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        assert!(seconds("1e12").is_ok(), "a very long time is a time");
    }
}
