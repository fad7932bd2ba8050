//! What somebody wrote about a book: who made it, from what and how. It is kept in the book and
//! goes with its compact file.

/// A note that can be kept: some lines of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note(String);

/// Why a text is no note.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadNote {
    #[error("a note has at most {most} bytes, and this one has {found}: keep the rest in a file")]
    TooLong { found: usize, most: usize },
    #[error("a note is text: tabs and line ends are all it may have besides")]
    NoText,
}

impl Note {
    pub const LONGEST: usize = 4000;

    /// None if nothing is left when blanks at both ends are taken off.
    pub fn new(text: &str) -> Result<Option<Note>, BadNote> {
        let text = text.trim();
        if text.len() > Note::LONGEST {
            return Err(BadNote::TooLong {
                found: text.len(),
                most: Note::LONGEST,
            });
        }
        let may_stand = |sign: char| !sign.is_control() || sign == '\n' || sign == '\t';
        if !text.chars().all(may_stand) {
            return Err(BadNote::NoText);
        }
        Ok((!text.is_empty()).then(|| Note(text.to_owned())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_some_lines_of_text() {
        let note = |text: &str| Note::new(text).map(|note| note.map(|note| note.0));
        assert_eq!(
            note(" two\n\tlines, ä \n"),
            Ok(Some("two\n\tlines, ä".into()))
        );
        assert_eq!(note(" \n"), Ok(None));
        assert_eq!(note("a\0b"), Err(BadNote::NoText));
        assert_eq!(note("\x1b[2J"), Err(BadNote::NoText));
        let long = "ä".repeat(Note::LONGEST / 2);
        assert_eq!(note(&long), Ok(Some(long.clone())));
        let too_long = BadNote::TooLong {
            found: Note::LONGEST + 1,
            most: Note::LONGEST,
        };
        assert_eq!(note(&(long + "b")), Err(too_long));
    }
}
