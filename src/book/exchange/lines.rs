//! The main variations for people, numbered as in a game record: first the best play of both
//! sides, then the lines in which less and less is given away.

use super::ExchangeError;
use crate::book::lines::{Line, best_lines};
use crate::book::node::Value;
use crate::book::store::Reader;
use std::io::Write;

/// More lines than anybody reads.
const LINES: usize = 100;

/// Gives the number of lines.
pub fn write(reader: &Reader<'_>, out: &mut dyn Write) -> Result<u64, ExchangeError> {
    let lines = best_lines(reader, LINES)?;
    for line in &lines {
        writeln!(out, "{}", text(line)).map_err(ExchangeError::Io)?;
    }
    Ok(lines.len() as u64)
}

/// `1. f5 d6 2. c3 d3 {Tiger; Black gets +0.50; 3.00 given away}`.
fn text(line: &Line) -> String {
    let mut text = String::new();
    for (number, pair) in (1..).zip(line.moves.chunks(2)) {
        text.push_str(&format!("{number}."));
        for square in pair {
            text.push_str(&format!(" {square}"));
        }
        text.push(' ');
    }
    let mut remarks = Vec::new();
    remarks.extend(line.opening.map(|opening| opening.name.clone()));
    remarks.push(format!("Black gets {}", line.value));
    if line.loss > Value::ZERO {
        remarks.push(format!("{:.2} given away", line.loss.discs()));
    }
    text.push_str(&format!("{{{}}}", remarks.join("; ")));
    text
}
