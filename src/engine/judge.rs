//! Judging games that others played, as IAGO's authors did in 1980: what each move gave away
//! against the best, exact from the solver's reach on.

use crate::book::{Known, Store, query};
use crate::games::Game;
use crate::othello::{Bitboard, Board, Color, Position, Square};
use crate::search::{Limits, SearchResult, Searcher, StopButton};
use std::fmt;

/// A move that gives away less than this, in hundredths of a disc, is as good as the best: two
/// searches of one position differ by as much.
const EQUIVALENT: i32 = 50;

/// Judges moves with this engine, at this level, and tells which are in this book.
pub struct Judge<'a> {
    pub searcher: &'a Searcher,
    pub book: Option<&'a Store>,
    pub level: u32,
}

/// One move of a game. Values are hundredths of a disc, seen by the player who moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JudgedMove {
    /// Counted from 1.
    pub number: usize,
    pub color: Color,
    pub square: Square,
    /// Squares that were empty before the move.
    pub empties: u32,
    pub value: i32,
    pub best: Square,
    pub best_value: i32,
    /// Both values are solved.
    pub exact: bool,
    /// The move leads to a position of the book.
    pub in_book: bool,
    /// How many legal moves there were.
    pub choices: u32,
}

impl JudgedMove {
    /// What the move gave away.
    pub fn loss(&self) -> i32 {
        (self.best_value - self.value).max(0)
    }

    /// As good as the best.
    pub fn is_equivalent(&self) -> bool {
        self.square == self.best || self.loss() < EQUIVALENT
    }

    /// What the game is worth to Black after the move.
    pub fn value_for_black(&self) -> i32 {
        match self.color {
            Color::Black => self.value,
            Color::White => -self.value,
        }
    }
}

/// A third of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Opening,
    Middle,
    End,
}

impl Phase {
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middle, Phase::End];

    /// Twenty moves each.
    pub const fn of_empties(empties: u32) -> Phase {
        match empties {
            41.. => Phase::Opening,
            21..=40 => Phase::Middle,
            _ => Phase::End,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Phase::Opening => "moves 1–20",
            Phase::Middle => "moves 21–40",
            Phase::End => "moves 41–60",
        })
    }
}

/// How well some moves were played.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Quality {
    pub moves: u32,
    /// As good as the best.
    pub equivalent: u32,
    /// The sum of what was given away, in hundredths of a disc.
    pub loss: i64,
}

impl Quality {
    pub fn of<'m>(moves: impl IntoIterator<Item = &'m JudgedMove>) -> Quality {
        let mut quality = Quality::default();
        for judged in moves {
            quality.moves += 1;
            quality.equivalent += u32::from(judged.is_equivalent());
            quality.loss += i64::from(judged.loss());
        }
        quality
    }

    pub fn add(&mut self, other: &Quality) {
        self.moves += other.moves;
        self.equivalent += other.equivalent;
        self.loss += other.loss;
    }

    /// Of the moves, how many were as good as the best.
    pub fn fraction(&self) -> Option<f64> {
        (self.moves > 0).then(|| f64::from(self.equivalent) / f64::from(self.moves))
    }

    /// Discs given away per move.
    pub fn mean_loss(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.loss as f64 / 100.0 / f64::from(self.moves))
    }
}

/// A judged game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Judgement {
    /// In the order of the game.
    pub moves: Vec<JudgedMove>,
    /// The judge was told to stop, and the first moves are missing.
    pub stopped: bool,
}

impl Judgement {
    /// How well one player did, or both, in a phase or in all. Forced moves do not count: nobody
    /// had a choice.
    pub fn quality(&self, color: Option<Color>, phase: Option<Phase>) -> Quality {
        Quality::of(self.moves.iter().filter(|judged| {
            judged.choices > 1
                && color.is_none_or(|color| judged.color == color)
                && phase.is_none_or(|phase| Phase::of_empties(judged.empties) == phase)
        }))
    }
}

impl Judge<'_> {
    /// Judges a game from its last move to its first, so that what is found out about the end
    /// helps with the beginning. Each move is shown to `seen` as soon as it is judged.
    pub fn judge(
        &self,
        game: &Game,
        button: &StopButton,
        seen: &mut dyn FnMut(&JudgedMove),
    ) -> Judgement {
        let mut positions = Vec::new();
        let mut position = game.start();
        for &square in game.moves() {
            positions.push((position, square));
            position = position.play(square).unwrap_or(position);
        }
        let mut judgement = Judgement::default();
        for (place, &(position, square)) in positions.iter().enumerate().rev() {
            let judged = self.judge_move(place + 1, position, square, button);
            if button.is_pressed() {
                judgement.stopped = true;
                break;
            }
            if let Some(judged) = judged {
                seen(&judged);
                judgement.moves.push(judged);
            }
        }
        judgement.moves.reverse();
        judgement
    }

    fn judge_move(
        &self,
        number: usize,
        position: Position,
        square: Square,
        button: &StopButton,
    ) -> Option<JudgedMove> {
        let board = position.board;
        let legal = board.legal_moves();
        let search = |without| -> SearchResult {
            let limits = Limits {
                without,
                average: true,
                ..Limits::level(self.level, board.empty_count())
            };
            self.searcher
                .search_with(board, &limits, button, &mut |_| {})
        };
        let best = search(Bitboard::EMPTY);
        // Where a position looks the same from several sides, several moves are the best one.
        let after = |square| board.play(square).map(Board::canonical);
        let is_best = best
            .best
            .is_some_and(|best| best == square || after(best) == after(square));
        // The same depth for the move that was played, or the two could not be compared.
        let played = if is_best {
            best.clone()
        } else {
            search(!Bitboard::from(square))
        };
        // Where a deeper look at the played move finds more, it was the best one.
        let best_square = if played.value >= best.value {
            square
        } else {
            best.best?
        };
        Some(JudgedMove {
            number,
            color: position.turn,
            square,
            empties: board.empty_count(),
            value: played.value,
            best: best_square,
            best_value: best.value.max(played.value),
            exact: best.solved && played.solved,
            in_book: self.is_in_book(position, square),
            choices: legal.count(),
        })
    }

    fn is_in_book(&self, position: Position, square: Square) -> bool {
        let answer = self.book.map(|book| query(&book.reader(), position));
        answer.and_then(Result::ok).is_some_and(|answer| {
            answer
                .moves
                .iter()
                .any(|m| m.square == square && m.known == Known::InBook)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Details, Moves, SampleGames};

    fn judge(game: &Game, level: u32) -> Judgement {
        let searcher = Searcher::new(4 << 20);
        let judge = Judge {
            searcher: &searcher,
            book: None,
            level,
        };
        judge.judge(game, &StopButton::new(), &mut |_| {})
    }

    #[test]
    fn the_losses_of_a_solved_ending_add_up_to_the_result() {
        let game = SampleGames::new(11).next().unwrap();
        let judgement = judge(&game, 5);
        let solved: Vec<&JudgedMove> = judgement.moves.iter().filter(|m| m.exact).collect();
        assert!(solved.len() >= 8, "{}", solved.len());
        // Each player's losses turn the value before the first solved move into the result.
        let first = solved[0];
        let sign = |color| if color == Color::Black { 1 } else { -1 };
        let start = sign(first.color) * first.best_value;
        let given: i32 = solved.iter().map(|m| sign(m.color) * m.loss()).sum();
        let result = game.result().unwrap().discs() * 100;
        assert_eq!(start - given, result);
        assert!(judgement.moves.len() == game.moves().len());
    }

    #[test]
    fn moves_that_lead_to_the_same_position_are_equally_good() {
        for line in ["f5", "d3", "c4", "e6"] {
            let moves = Moves::try_from(&[line.parse().unwrap()][..]).unwrap();
            let game = Game::new(Position::START, moves, Details::default()).unwrap();
            let [first] = judge(&game, 10).moves[..] else {
                panic!("one move is judged");
            };
            assert_eq!((first.loss(), first.best), (0, first.square), "{line}");
        }
    }

    #[test]
    fn forced_moves_do_not_count_and_players_and_phases_add_up() {
        let game = SampleGames::new(12).next().unwrap();
        let judgement = judge(&game, 2);
        let all = judgement.quality(None, None);
        let mut sum = Quality::default();
        for color in [Color::Black, Color::White] {
            for phase in Phase::ALL {
                sum.add(&judgement.quality(Some(color), Some(phase)));
            }
        }
        assert_eq!(sum, all);
        let forced = judgement.moves.iter().filter(|m| m.choices == 1).count();
        assert_eq!(all.moves as usize + forced, judgement.moves.len());
        assert!(all.fraction().unwrap() < 1.0 && all.mean_loss().unwrap() > 0.0);
    }

    #[test]
    fn a_stopped_judge_says_so_and_an_empty_game_has_nothing_to_judge() {
        let game = SampleGames::new(13).next().unwrap();
        let searcher = Searcher::new(1 << 20);
        let judge = Judge {
            searcher: &searcher,
            book: None,
            level: 2,
        };
        let button = StopButton::new();
        let judgement = judge.judge(&game, &button, &mut |m| {
            if m.number == 50 {
                button.press();
            }
        });
        assert!(judgement.stopped);
        assert_eq!(judgement.moves.first().map(|m| m.number), Some(50));
        let empty = Game::new(Position::START, Moves::new(), Details::default()).unwrap();
        let judgement = judge.judge(&empty, &StopButton::new(), &mut |_| {});
        assert_eq!(judgement.quality(None, None).fraction(), None);
    }
}
