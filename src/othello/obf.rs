//! OBF, the problem files of Edax: a position per line with the scores of its moves.
//!
//! ```text
//! <64 squares> X; G8:+18; H1:+12; A2:+6;   % comment
//! ```

use super::notation::BoardStringError;
use super::position::Position;
use super::score::Score;
use super::square::Square;

/// A position and what the file says of its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObfProblem {
    /// Where the file has it, counted from 1.
    pub line: usize,
    pub position: Position,
    /// In the order of the file, usually the best first.
    pub moves: Vec<ObfMove>,
}

/// A move with its score, seen by the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObfMove {
    /// None is a pass.
    pub square: Option<Square>,
    pub score: Score,
}

/// A line that is no problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ObfError {
    pub line: usize,
    pub reason: ObfReason,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObfReason {
    #[error(transparent)]
    Board(#[from] BoardStringError),
    #[error("'{0}' is not a move with its score, as in G8:+18 or --:-4")]
    NotAScoredMove(String),
    #[error("'{0}' is not a score from -64 to +64")]
    BadScore(String),
    #[error("{0} is not a legal move of this position")]
    IllegalMove(Square),
}

impl ObfProblem {
    /// Reads one line; None if it holds nothing but a comment.
    pub fn parse_line(line: usize, text: &str) -> Result<Option<ObfProblem>, ObfError> {
        let data = text.split(['%', '#']).next().unwrap_or_default().trim();
        if data.is_empty() {
            return Ok(None);
        }
        read_problem(line, data)
            .map(Some)
            .map_err(|reason| ObfError { line, reason })
    }

    /// The score of the best move, if the file gives any.
    pub fn score(&self) -> Option<Score> {
        self.moves.iter().map(|m| m.score).max()
    }

    /// What the file says of this move (None is a pass).
    pub fn score_of(&self, square: Option<Square>) -> Option<Score> {
        self.moves
            .iter()
            .find(|m| m.square == square)
            .map(|m| m.score)
    }

    /// Every legal move has a score.
    pub fn is_complete(&self) -> bool {
        let scored = self.moves.iter().filter_map(|m| m.square).collect();
        self.position.board.legal_moves() == scored
    }
}

/// Reads all problems of a file's text.
pub fn read_obf(text: &str) -> Result<Vec<ObfProblem>, ObfError> {
    text.lines()
        .enumerate()
        .filter_map(|(i, line)| ObfProblem::parse_line(i + 1, line).transpose())
        .collect()
}

fn read_problem(line: usize, data: &str) -> Result<ObfProblem, ObfReason> {
    let mut fields = data.split(';').map(str::trim);
    let position: Position = fields.next().unwrap_or_default().parse()?;
    let mut moves = Vec::new();
    for field in fields.filter(|field| !field.is_empty()) {
        moves.extend(read_move(position, field)?);
    }
    Ok(ObfProblem {
        line,
        position,
        moves,
    })
}

/// None for a pass that the rules do not allow: files fill their columns with `--:-127`.
fn read_move(position: Position, field: &str) -> Result<Option<ObfMove>, ObfReason> {
    let not_scored = || ObfReason::NotAScoredMove(field.to_owned());
    let (name, score) = field.split_once(':').ok_or_else(not_scored)?;
    let (name, score) = (name.trim(), score.trim());
    let is_pass = name == "--" || name.eq_ignore_ascii_case("pa");
    if is_pass && !position.board.must_pass() {
        return Ok(None);
    }
    let square = if is_pass {
        None
    } else {
        let square: Square = name.parse().map_err(|_| not_scored())?;
        if !position.board.legal_moves().contains(square) {
            return Err(ObfReason::IllegalMove(square));
        }
        Some(square)
    };
    let score = score
        .parse()
        .ok()
        .and_then(Score::new)
        .ok_or_else(|| ObfReason::BadScore(score.to_owned()))?;
    Ok(Some(ObfMove { square, score }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn only(text: &str) -> ObfProblem {
        let mut all = read_obf(text).unwrap();
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    fn reason(text: &str) -> String {
        read_obf(text).unwrap_err().to_string()
    }

    #[test]
    fn comments_and_blank_lines_are_skipped_but_counted() {
        let problem = only(&format!(
            "% a file\n\n# more\n{START}; D3:+0; C4:-2; % why\n"
        ));
        assert_eq!(problem.line, 4);
        assert_eq!(problem.position, Position::START);
        assert_eq!(problem.score(), Score::new(0));
        assert_eq!(problem.score_of("c4".parse().ok()), Score::new(-2));
        assert_eq!(problem.score_of("f5".parse().ok()), None);
        assert!(!problem.is_complete());
    }

    #[test]
    fn a_line_without_scores_is_still_a_position() {
        for end in ["", ";", " ; "] {
            let problem = only(&format!("{START}{end}"));
            assert_eq!((problem.moves.len(), problem.score()), (0, None));
        }
        assert!(only(&format!("{START}; d3:0; c4:0; f5:0; e6:0")).is_complete());
    }

    #[test]
    fn a_pass_that_only_fills_the_column_is_left_out() {
        let problem = only(&format!("{START}; D3:+0; --:-127;"));
        assert_eq!(problem.moves.len(), 1);
    }

    #[test]
    fn a_forced_pass_keeps_its_score() {
        let problem =
            only("XO------------------------------------------------------XXXXXXXX O; --:-64;");
        assert!(problem.position.board.must_pass());
        assert_eq!(problem.score_of(None), Some(Score::MIN));
    }

    #[test]
    fn errors_name_the_line_and_what_is_wrong() {
        assert!(reason("% x\n--X O; A1:+2").starts_with("line 2: "));
        assert!(reason(&format!("{START}; D3")).contains("'D3' is not a move with its score"));
        assert!(reason(&format!("{START}; Z9:+2")).contains("'Z9:+2'"));
        assert!(reason(&format!("{START}; D3:+65")).contains("'+65' is not a score"));
        assert!(reason(&format!("{START}; D3:two")).contains("'two' is not a score"));
        assert!(reason(&format!("{START}; A1:+2")).contains("a1 is not a legal move"));
        assert!(reason(&START.replace(" X", "")).contains("side to move is missing"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,120}", tail in "[-A-H0-9:; +%#]{0,40}") {
            let _ = read_obf(&text);
            let _ = read_obf(&format!("{START}; {tail}"));
        }
    }
}
