//! The name of a player, an event or a round.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A name on one line, never empty, shared between the games that carry it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// The name in a text, with runs of spaces, line ends and control characters as one space, so
    /// that every format can hold it. A text of nothing but question marks means "unknown", as
    /// WTHOR and Edax write it.
    pub fn tidy(text: &str) -> Option<Name> {
        if text.chars().all(|c| c == '?' || is_gap(c)) {
            return None;
        }
        if is_tidy(text) {
            return Some(Name(text.into()));
        }
        let words: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
        Some(Name(words.join(" ").into()))
    }

    /// A name that is not known, only its number in a table that is missing.
    pub(super) fn numbered(number: u16) -> Name {
        Name(format!("#{number}").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Nothing to change: nearly all names are like this, and tables have thousands of them.
fn is_tidy(text: &str) -> bool {
    let mut after_gap = true;
    for c in text.chars() {
        let gap = is_gap(c);
        if gap && (after_gap || c != ' ') {
            return false;
        }
        after_gap = gap;
    }
    !after_gap
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_one_line_of_single_spaces() {
        let tidy = |text| Name::tidy(text).map(|name| name.to_string());
        assert_eq!(
            tidy("  Tastet \t\r\n Marc\0\0"),
            Some("Tastet Marc".to_owned())
        );
        assert_eq!(
            tidy("Préqualif d'A]\\;"),
            Some("Préqualif d'A]\\;".to_owned())
        );
    }

    proptest! {
        #[test]
        fn tidying_a_tidy_name_changes_nothing(text in "[ a?\\t\\n\u{a0}é]{0,10}") {
            if let Some(name) = Name::tidy(&text) {
                prop_assert!(is_tidy(&name));
                prop_assert_eq!(Name::tidy(&name), Some(name));
            }
        }
    }

    #[test]
    fn question_marks_are_no_name() {
        for text in ["", "  ", "?", " ??? ", "\0"] {
            assert_eq!(Name::tidy(text), None, "{text:?}");
        }
        assert!(Name::tidy("Who?").is_some());
    }
}
