//! What people call the openings. A name belongs to a position, however it was reached and
//! whichever way the board is turned; a line is called after the deepest named position it went
//! through.

use crate::book::key::NodeKey;
use crate::othello::{Board, MoveList, MoveListError, Position, Square};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// A named position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    pub name: String,
    /// What else it is called.
    pub also: Vec<String>,
    /// One way to get there.
    pub moves: Vec<Square>,
}

/// A list of openings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpeningsError {
    #[error("line {line}: write moves, a tab, the name and perhaps a tab and other names")]
    Columns { line: usize },
    #[error("line {line}: {reason}")]
    Moves { line: usize, reason: MoveListError },
    #[error("line {line}: {name} is the position that is called {other} already")]
    SamePosition {
        line: usize,
        name: String,
        other: String,
    },
    #[error("line {line}: the name {name} is taken")]
    SameName { line: usize, name: String },
}

/// Names by position.
#[derive(Clone, Default, Debug)]
pub struct Openings {
    all: Vec<Opening>,
    by_key: HashMap<NodeKey, usize>,
    /// The discs of the fullest board with a name: no later one has to be looked for.
    most_discs: u32,
}

impl Openings {
    /// The ones that come with the program.
    pub fn shipped() -> &'static Openings {
        static SHIPPED: LazyLock<Openings> = LazyLock::new(|| {
            // A test reads the same text: nothing falls back.
            Openings::parse(include_str!("../../../book/openings.tsv")).unwrap_or_default()
        });
        &SHIPPED
    }

    /// Reads one opening per line: moves, name, other names, with tabs between them and
    /// semicolons between other names. A line that begins with `#` is a comment.
    pub fn parse(text: &str) -> Result<Openings, OpeningsError> {
        let mut openings = Openings::default();
        let mut names = HashSet::new();
        for (line, text) in (1..).zip(text.lines()) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let mut columns = text.split('\t').map(str::trim);
            let (Some(moves), Some(name), also, None) = (
                columns.next(),
                columns.next().filter(|name| !name.is_empty()),
                columns.next(),
                columns.next(),
            ) else {
                return Err(OpeningsError::Columns { line });
            };
            let list = MoveList::parse(Position::START, moves)
                .map_err(|reason| OpeningsError::Moves { line, reason })?;
            let opening = Opening {
                name: name.to_owned(),
                also: also
                    .into_iter()
                    .flat_map(|names| names.split(';'))
                    .map(|name| name.trim().to_owned())
                    .collect(),
                moves: list.moves,
            };
            for name in std::iter::once(&opening.name).chain(&opening.also) {
                if !names.insert(name.to_lowercase()) {
                    let name = name.clone();
                    return Err(OpeningsError::SameName { line, name });
                }
            }
            let place = openings.all.len();
            if let Some(other) = openings.by_key.insert(NodeKey::of(list.end.board), place) {
                return Err(OpeningsError::SamePosition {
                    line,
                    name: opening.name,
                    other: openings.all[other].name.clone(),
                });
            }
            openings.most_discs = openings.most_discs.max(list.end.board.disc_count());
            openings.all.push(opening);
        }
        Ok(openings)
    }

    pub fn all(&self) -> &[Opening] {
        &self.all
    }

    /// The name of this very position.
    pub fn at(&self, board: Board) -> Option<&Opening> {
        if self.is_too_late(board) {
            return None;
        }
        self.of_key(NodeKey::of(board))
    }

    /// The name of the position with this key.
    pub fn of_key(&self, key: NodeKey) -> Option<&Opening> {
        if self.is_too_late(key.board()) {
            return None;
        }
        let place = self.by_key.get(&key)?;
        self.all.get(*place)
    }

    fn is_too_late(&self, board: Board) -> bool {
        board.disc_count() > self.most_discs
    }

    /// The name of a line: of the deepest named position among these, the first one first.
    pub fn of_line<I>(&self, boards: I) -> Option<&Opening>
    where
        I: IntoIterator<Item = Board>,
        I::IntoIter: DoubleEndedIterator,
    {
        boards.into_iter().rev().find_map(|board| self.at(board))
    }

    /// The name of the line of these moves from the start position, as far as they are legal.
    pub fn of_moves(&self, moves: &[Square]) -> Option<&Opening> {
        let mut position = Position::START;
        let mut boards = Vec::with_capacity(moves.len());
        for &square in moves {
            let Ok(next) = position.play(square) else {
                break;
            };
            position = next;
            boards.push(position.board);
        }
        self.of_line(boards)
    }
}

impl Opening {
    /// The name, or one of the other names, contains this text; capitals do not matter.
    pub fn is_called(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        std::iter::once(&self.name)
            .chain(&self.also)
            .any(|name| name.to_lowercase().contains(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;

    fn moves(text: &str) -> Vec<Square> {
        MoveList::parse(Position::START, text).unwrap().moves
    }

    fn name_of(text: &str) -> Option<&'static str> {
        let opening = Openings::shipped().of_moves(&moves(text));
        opening.map(|opening| opening.name.as_str())
    }

    #[test]
    fn the_shipped_openings_are_legal_unique_and_many() {
        let text = include_str!("../../../book/openings.tsv");
        let openings = Openings::parse(text).unwrap();
        assert!(openings.all().len() >= 80, "{}", openings.all().len());
        for opening in openings.all() {
            let first = opening.moves.first().map(|square| square.to_string());
            assert_eq!(first.as_deref(), Some("f5"), "{}", opening.name);
            let found = openings.of_moves(&opening.moves);
            assert_eq!(found, Some(opening));
        }
        assert_eq!(Openings::shipped().all(), openings.all());
    }

    #[test]
    fn a_line_is_called_after_its_deepest_named_position() {
        assert_eq!(name_of(""), None);
        assert_eq!(name_of("f5"), None);
        assert_eq!(name_of("f5d6"), Some("Perpendicular"));
        assert_eq!(name_of("f5d6c3d3c4"), Some("Tiger"));
        assert_eq!(name_of("f5d6c3d3c4f4"), Some("Tiger"));
        assert_eq!(name_of("f5d6c3d3c4f4f6f3"), Some("Comp'Oth"));
        assert_eq!(name_of("f5f6e6f4e3c5c4e7"), Some("Tanida"));
    }

    #[test]
    fn names_hold_for_every_turn_of_the_board() {
        let openings = Openings::shipped();
        // The eight images of the board have four first moves between them.
        for line in ["c4e3f6e6f5", "d3c5f6f5e6", "e6f4c3c4d3"] {
            assert_eq!(name_of(line), Some("Tiger"), "{line}");
        }
        for opening in openings.all() {
            let list = MoveList::parse(
                Position::START,
                &crate::othello::moves_to_string(&opening.moves),
            );
            let board = list.unwrap().end.board;
            for symmetry in Symmetry::all() {
                assert_eq!(openings.at(board.under(symmetry)), Some(opening));
            }
        }
    }

    #[test]
    fn names_hold_for_transpositions() {
        // Two orders of the same moves.
        assert_eq!(name_of("f5f6e6d6f7"), Some("Snake"));
        assert_eq!(name_of("e6f6f5d6f7"), Some("Snake"));
    }

    #[test]
    fn any_part_of_any_name_finds_an_opening() {
        let called = |text: &str| {
            let all = Openings::shipped().all().iter();
            all.filter(|opening| opening.is_called(text)).count()
        };
        assert_eq!(called("tobidashi"), 1);
        assert!(called("BAT") > 4);
        assert_eq!(called("no such opening"), 0);
    }

    #[test]
    fn a_bad_list_is_told_where_and_why() {
        let told = |text: &str| Openings::parse(text).unwrap_err().to_string();
        assert!(told("f5d6").starts_with("line 1: write moves, a tab, the name"));
        assert!(told("# x\nf5d6\tA\tB\tC").starts_with("line 2: write moves"));
        assert!(told("f5f5\tA").contains("move 2 (f5) is illegal"));
        let same = told("f5d6\tA\nc4e3\tB");
        assert_eq!(same, "line 2: B is the position that is called A already");
        let taken = told("f5d6\tA\tB\nf5f6\tb");
        assert_eq!(taken, "line 2: the name b is taken");
    }
}
