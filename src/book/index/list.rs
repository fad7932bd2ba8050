//! Rising lists of game numbers as bytes: the first number and then what lies between one and the
//! next, seven bits a byte. The list of a position that all games went through is all zeros, which
//! packs to nothing.

use crate::book::codec::CodecError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of a game for people and lists: the later it was learned, the larger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GameNumber(pub u32);

impl fmt::Display for GameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl GameNumber {
    pub(in crate::book) fn put(self, bytes: &mut Vec<u8>) {
        put(bytes, self.0);
    }

    /// A number that is all there is.
    pub(in crate::book) fn from_bytes(mut bytes: &[u8]) -> Result<GameNumber, CodecError> {
        let number = take(&mut bytes).filter(|_| bytes.is_empty());
        number.map(GameNumber).ok_or_else(broken)
    }
}

fn broken() -> CodecError {
    CodecError::Other("it is no list of games".into())
}

fn put(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in (0..32).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Numbers that rise.
pub fn to_bytes(numbers: &[GameNumber]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(numbers.len() + 4);
    let mut least = 0;
    for number in numbers {
        put(&mut bytes, number.0 - least);
        least = number.0.saturating_add(1);
    }
    bytes
}

pub fn from_bytes(mut bytes: &[u8]) -> Result<Vec<GameNumber>, CodecError> {
    let mut numbers = Vec::with_capacity(bytes.len());
    let mut least = Some(0u32);
    while !bytes.is_empty() {
        let gap = take(&mut bytes).ok_or_else(broken)?;
        let number = least.and_then(|least| least.checked_add(gap));
        let number = number.ok_or_else(broken)?;
        numbers.push(GameNumber(number));
        least = number.checked_add(1);
    }
    Ok(numbers)
}

/// All that are in one of these lists. The order and the grouping do not matter, nor how often a
/// number comes, as a merge operator likes it. None if one of them is no list.
pub fn union<'a>(lists: impl Iterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
    let mut all: Vec<GameNumber> = Vec::new();
    for bytes in lists {
        all.extend(from_bytes(bytes).ok()?);
    }
    // Runs that rise already, as a rule one after the other: this sort finds them.
    all.sort();
    all.dedup();
    Some(to_bytes(&all))
}

/// Those that are in both.
pub fn common(one: &[GameNumber], other: &[GameNumber]) -> Vec<GameNumber> {
    let (short, mut long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let mut both = Vec::new();
    for number in short {
        // Far ahead in steps that double: a short list costs little beside a long one.
        let mut step = 1;
        while long.get(step).is_some_and(|there| there < number) {
            step *= 2;
        }
        let near = &long[..long.len().min(step + 1)];
        let (place, found) = match near.binary_search(number) {
            Ok(place) => (place + 1, true),
            Err(place) => (place, false),
        };
        long = &long[place..];
        if found {
            both.push(*number);
        }
    }
    both
}

/// Those of the first that are not in the second.
pub fn without(one: &[GameNumber], other: &[GameNumber]) -> Vec<GameNumber> {
    let stays = |number: &&GameNumber| other.binary_search(number).is_err();
    one.iter().filter(stays).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_set;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn numbers(set: &BTreeSet<u32>) -> Vec<GameNumber> {
        set.iter().copied().map(GameNumber).collect()
    }

    fn any_set() -> impl Strategy<Value = BTreeSet<u32>> {
        let edge = prop_oneof![0..200u32, any::<u32>(), Just(u32::MAX), Just(u32::MAX - 1)];
        btree_set(edge, 0..60)
    }

    proptest! {
        #[test]
        fn a_list_reads_back(set in any_set()) {
            let list = numbers(&set);
            prop_assert_eq!(from_bytes(&to_bytes(&list)), Ok(list));
        }

        #[test]
        fn any_bytes_are_a_rising_list_or_an_error(bytes in any::<Vec<u8>>()) {
            if let Ok(list) = from_bytes(&bytes) {
                prop_assert!(list.is_sorted_by(|a, b| a < b));
            }
        }

        #[test]
        fn lists_are_sets(one in any_set(), other in any_set()) {
            let (a, b) = (numbers(&one), numbers(&other));
            let (bytes_a, bytes_b) = (to_bytes(&a), to_bytes(&b));
            let both = union([&bytes_a[..], &bytes_b[..]].into_iter()).unwrap();
            prop_assert_eq!(from_bytes(&both), Ok(numbers(&(&one | &other))));
            prop_assert_eq!(common(&a, &b), numbers(&(&one & &other)));
            prop_assert_eq!(without(&a, &b), numbers(&(&one - &other)));
        }
    }

    #[test]
    fn the_golden_bytes_of_a_list() {
        let list = [3, 4, 5, 300].map(GameNumber);
        assert_eq!(to_bytes(&list), [3, 0, 0, 0xa6, 2]);
    }
}
