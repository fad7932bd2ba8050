//! Discs as people write them: what moves may give away, wherever somebody says so.

/// No move can give away more: all squares won become all squares lost.
const MOST: f64 = 128.0;

/// Reads `2` or `0.5`.
pub fn read_discs(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|discs| (0.0..=MOST).contains(discs))
        .ok_or_else(|| format!("write discs from 0 to {MOST}, as in 2 or 0.5"))
}

/// As the engine counts them.
pub fn centidiscs(discs: f64) -> i32 {
    (discs * 100.0).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_have_fractions_and_a_range() {
        let read = |text| read_discs(text).map(centidiscs);
        assert_eq!(read("2"), Ok(200));
        assert_eq!(read("0.57"), Ok(57));
        assert_eq!(read("128"), Ok(12800));
        for text in ["", "-1", "128.1", "nan", "inf", "two"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
