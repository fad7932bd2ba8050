//! What the page asks for, in one line: `analyse BOARD SIDE level 12 lines 3`,
//! `move BOARD SIDE level club seed 5 seconds 3`, `solve BOARD SIDE`.

use crate::othello::notation::BoardStringError;
use crate::othello::{Board, Position};
use crate::search::{Limits, NotASkill, Skill};
use std::time::Duration;

/// A position and how to look at it.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub board: Board,
    pub limits: Limits,
    /// Leave it after so long, with what was found until then.
    pub time: Option<Duration>,
    /// Of whoever plays a move: how much worse than the best it may be, and what decides.
    pub choice: Option<Choice>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    pub slack: i32,
    pub seed: u64,
}

/// An order that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    #[error("'{0}' is no order: say analyse, move or solve, and then the board")]
    Unknown(String),
    #[error(transparent)]
    Board(#[from] BoardStringError),
    #[error(transparent)]
    Skill(#[from] NotASkill),
    #[error("'{value}' is no number for {name}")]
    Number { name: String, value: String },
    #[error("'{0}' means nothing here: there are level, lines, seed and seconds")]
    Option(String),
}

impl Order {
    pub fn parse(text: &str) -> Result<Order, OrderError> {
        let mut words = text.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let board = words.next().unwrap_or_default();
        let side = words.next().unwrap_or_default();
        let options = Options::parse(words)?;
        let position = || -> Result<Board, OrderError> {
            Ok(format!("{board} {side}").parse::<Position>()?.board)
        };
        match verb {
            "analyse" => analyse(position()?, &options),
            "move" => choose(position()?, &options),
            "solve" => Ok(Order {
                board: position()?,
                limits: Limits::solve(),
                time: options.time,
                choice: None,
            }),
            _ => Err(OrderError::Unknown(verb.chars().take(20).collect())),
        }
    }
}

/// Without a level: deeper and deeper, until the position is solved or nobody cares.
fn analyse(board: Board, options: &Options<'_>) -> Result<Order, OrderError> {
    let limits = match options.level {
        Some(level) => {
            let level = number("level", level)?.min(60) as u32;
            Limits::level(level, board.empty_count())
        }
        None => Limits::solve(),
    };
    Ok(Order {
        board,
        limits: Limits {
            multi_pv: options.lines,
            average: true,
            ..limits
        },
        time: options.time,
        choice: None,
    })
}

/// As the player does it, without a book.
fn choose(board: Board, options: &Options<'_>) -> Result<Order, OrderError> {
    let skill: Skill = options.level.unwrap_or("full").parse()?;
    Ok(Order {
        board,
        limits: Limits {
            multi_pv: Skill::ranked_moves(skill.slack),
            average: true,
            ..skill.limits(board.empty_count(), options.time.is_some())
        },
        time: options.time,
        choice: Some(Choice {
            slack: skill.slack,
            seed: options.seed,
        }),
    })
}

struct Options<'a> {
    level: Option<&'a str>,
    lines: usize,
    seed: u64,
    time: Option<Duration>,
}

impl<'a> Options<'a> {
    fn parse(mut words: impl Iterator<Item = &'a str>) -> Result<Options<'a>, OrderError> {
        let mut options = Options {
            level: None,
            lines: 1,
            seed: 0,
            time: None,
        };
        while let Some(name) = words.next() {
            let value = words.next().unwrap_or_default();
            match name {
                "level" => options.level = Some(value),
                "lines" => options.lines = number(name, value)?.clamp(1, 64) as usize,
                "seed" => options.seed = number(name, value)?,
                "seconds" => options.time = Some(seconds(name, value)?),
                _ => return Err(OrderError::Option(name.chars().take(20).collect())),
            }
        }
        Ok(options)
    }
}

fn no_number(name: &str, value: &str) -> OrderError {
    OrderError::Number {
        name: name.to_owned(),
        value: value.chars().take(20).collect(),
    }
}

fn number(name: &str, value: &str) -> Result<u64, OrderError> {
    value.parse().map_err(|_| no_number(name, value))
}

fn seconds(name: &str, value: &str) -> Result<Duration, OrderError> {
    let seconds: Option<f64> = value.parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| no_number(name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Goal;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    #[test]
    fn an_order_says_where_and_how_hard_to_look() {
        let order = Order::parse(&format!("analyse {START} level 12 lines 3")).unwrap();
        assert_eq!(order.board, Board::START);
        assert_eq!(order.limits.goal, Limits::level(12, 60).goal);
        assert_eq!((order.limits.multi_pv, order.limits.average), (3, true));
        let endless = Order::parse(&format!("analyse {START}")).unwrap();
        assert_eq!(endless.limits.goal, Goal::Score);
        let weak = Order::parse(&format!("move {START} level novice seed 7 seconds 0.5")).unwrap();
        let novice: Skill = "novice".parse().unwrap();
        let choice = Choice {
            slack: novice.slack,
            seed: 7,
        };
        assert_eq!(weak.choice, Some(choice));
        assert_eq!(weak.time, Some(Duration::from_millis(500)));
    }

    #[test]
    fn what_is_no_order_says_why() {
        let told = |text: &str| Order::parse(text).unwrap_err().to_string();
        assert!(told("").contains("say analyse, move or solve"));
        assert!(told("solve -- X").contains("a board has 64 squares"));
        assert!(told(&format!("move {START} level strong")).contains("no level"));
        assert!(told(&format!("analyse {START} lines many")).contains("no number for lines"));
        assert!(told(&format!("analyse {START} seconds -1")).contains("no number for seconds"));
        assert!(told(&format!("analyse {START} depth 4")).contains("'depth' means nothing"));
    }
}
