//! Numbers of games or positions as people write them.

use std::str::FromStr;

/// A choice of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(Vec<(u32, u32)>);

impl Numbers {
    pub fn contains(&self, number: u32) -> bool {
        self.0
            .iter()
            .any(|&(first, last)| (first..=last).contains(&number))
    }
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Numbers, String> {
        let read = |number: &str| {
            number.trim().parse::<u32>().map_err(|_| {
                format!("'{number}' is not a number: write 40-49 or 40,42,45-49 or 50-")
            })
        };
        text.split(',')
            .map(|part| {
                let (first, last) = match part.split_once('-') {
                    Some((first, last)) if last.trim().is_empty() => (read(first)?, u32::MAX),
                    Some((first, last)) => (read(first)?, read(last)?),
                    None => (read(part)?, read(part)?),
                };
                if first <= last {
                    Ok((first, last))
                } else {
                    Err(format!("{first}-{last} runs backwards"))
                }
            })
            .collect::<Result<_, String>>()
            .map(Numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_as_ranges_and_single_ones() {
        let numbers: Numbers = "40-42, 45".parse().unwrap();
        let chosen: Vec<u32> = (39..50).filter(|&n| numbers.contains(n)).collect();
        assert_eq!(chosen, [40, 41, 42, 45]);
        let open: Numbers = "45-".parse().unwrap();
        assert!(open.contains(45) && open.contains(1000) && !open.contains(44));
        assert!(
            "42-40"
                .parse::<Numbers>()
                .unwrap_err()
                .contains("backwards")
        );
        assert!("4x".parse::<Numbers>().unwrap_err().contains("'4x'"));
        assert!("".parse::<Numbers>().is_err());
    }
}
