//! JSON Lines and CSV: a line per position, the fields of [`Row`].
//!
//! CSV by hand: lines are parsed on all cores and are never longer than we allow, where the csv
//! crate reads one stream of records of any size, and takes a quote that does not end for the rest
//! of the file.

use super::foreign::{Foreign, Gatherer};
use super::rows::{FIELDS, Named, Row, is_text, known_fields};
use super::source::{Content, Input};
use super::writing::{AT_ONCE, layer_to_write};
use super::{ExchangeError, Format};
use crate::book::Watcher;
use crate::book::key::Layer;
use crate::book::store::Reader;
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read, Write};

/// No line that can be right is longer.
const LONGEST_LINE: u64 = 4096;

pub fn begins_as_json(start: &[u8]) -> bool {
    start.starts_with(b"{")
}

/// By the first name of the first line, which a spreadsheet may have put in quotes.
pub fn begins_as_csv(start: &[u8]) -> bool {
    let name = start.strip_prefix(b"\"").unwrap_or(start);
    known_fields().any(|field| name.starts_with(field.as_bytes()))
}

pub fn read_json_lines(input: Box<dyn Input>) -> Result<Box<dyn Content>, ExchangeError> {
    let input = BufReader::new(input);
    let content = read_lines(Format::JsonLines, input, 1, |line| {
        serde_json::from_str(line)
            .map_err(|error| format!("is no such object: {}", briefly(&error)))
    })?;
    Ok(Box::new(content))
}

/// What is wrong, without the list of all fields there are and without a field's worth of noise.
fn briefly(error: &serde_json::Error) -> String {
    const ENOUGH: usize = 120;
    let said = error.to_string();
    let what = said.split(", expected one of").next().unwrap_or_default();
    match what.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{}…", &what[..end]),
        None => what.to_owned(),
    }
}

pub fn read_csv(input: Box<dyn Input>) -> Result<Box<dyn Content>, ExchangeError> {
    let mut input = BufReader::new(input);
    let header = next_line(Format::Csv, &mut input)?.unwrap_or_default();
    let names = split(&header).map_err(|what| ExchangeError::Record {
        format: Format::Csv,
        record: 1,
        what,
    })?;
    let is_unknown = |name: &&String| !known_fields().any(|field| field == name.as_str());
    if let Some(name) = names.iter().find(is_unknown) {
        return Err(ExchangeError::Record {
            format: Format::Csv,
            record: 1,
            what: format!("names the unknown field '{name}'"),
        });
    }
    let content = read_lines(Format::Csv, input, 2, |line| {
        let cells = split(line)?;
        if cells.len() != names.len() {
            return Err(format!(
                "has {} fields instead of {}",
                cells.len(),
                names.len()
            ));
        }
        let filled = names.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
        let object: Map<String, Value> = filled
            .map(|(name, cell)| (name.clone(), json_of(name, cell)))
            .collect();
        serde_json::from_value(Value::Object(object))
            .map_err(|error| format!("has a wrong field: {}", briefly(&error)))
    })?;
    Ok(Box::new(content))
}

fn json_of(name: &str, cell: String) -> Value {
    if is_text(name) {
        return Value::String(cell);
    }
    // What is neither a number nor true or false is told as wrong text.
    serde_json::from_str(&cell).unwrap_or(Value::String(cell))
}

/// The cells of a line; quotes are taken off, as spreadsheets put them on.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            // Two quotes within quotes are one that is meant.
            '"' if quoted && signs.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(sign),
        }
    }
    if quoted {
        return Err("has a quote that does not end".into());
    }
    cells.push(cell);
    Ok(cells)
}

/// A cell that [`split`] gives back as it was. A line break would end the line, quotes or not.
fn quoted(text: &str) -> String {
    if !text.contains(|sign: char| matches!(sign, '"' | ',') || sign.is_control()) {
        return text.to_owned();
    }
    let in_one_line = text.replace(char::is_control, " ");
    format!("\"{}\"", in_one_line.replace('"', "\"\""))
}

/// None at the end of the file.
fn next_line(format: Format, input: &mut impl BufRead) -> Result<Option<String>, ExchangeError> {
    let mut line = Vec::new();
    let length = input
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut line)
        .map_err(ExchangeError::Io)?;
    if length == 0 {
        return Ok(None);
    }
    if length as u64 == LONGEST_LINE {
        let what = "it has a line that is too long".into();
        return Err(ExchangeError::Damaged { format, what });
    }
    let line = String::from_utf8(line).map_err(|_| ExchangeError::Damaged {
        format,
        what: "it is no text in UTF-8".into(),
    })?;
    Ok(Some(line.trim_end().to_owned()))
}

fn read_lines(
    format: Format,
    mut input: impl BufRead,
    first: u64,
    parse: impl Fn(&str) -> Result<Row, String> + Sync,
) -> Result<Foreign, ExchangeError> {
    let mut gatherer = Gatherer::new(format);
    let mut number = first;
    loop {
        let mut lines = Vec::new();
        while lines.len() < AT_ONCE
            && let Some(line) = next_line(format, &mut input)?
        {
            lines.push(line);
        }
        if lines.is_empty() {
            break;
        }
        let positions: Vec<_> = lines
            .par_iter()
            .map(|line| match line.as_str() {
                "" => Ok(None),
                line => parse(line).and_then(Row::named).map(Some),
            })
            .collect();
        for position in positions {
            let position = position.map_err(|what| gatherer.wrong(number, what))?;
            if let Some(named) = position {
                let board = named.position.key.board();
                gatherer.board(number, board.mover().0, board.opponent().0)?;
                gatherer.add_named(named)?;
            }
            number += 1;
        }
    }
    gatherer.finish(|_, _| ())
}

impl Gatherer {
    fn add_named(&mut self, named: Named) -> Result<(), ExchangeError> {
        let mut position = named.position;
        if let Some((own, name)) = position
            .node
            .evaluation
            .as_mut()
            .zip(named.evaluation_engine)
        {
            own.engine = self.engine(&name);
        }
        let alternative = position.node.alternative.as_mut();
        if let Some((other, name)) = alternative.zip(named.alternative_engine) {
            other.engine = self.engine(&name);
        }
        self.add(position)
    }
}

pub fn write_json_lines(
    reader: &Reader<'_>,
    statistics: bool,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    write_lines(reader, statistics, out, watcher, |row| {
        // A row of numbers and texts is always an object.
        serde_json::to_string(row).unwrap_or_default()
    })
}

pub fn write_csv(
    reader: &Reader<'_>,
    statistics: bool,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
) -> Result<u64, ExchangeError> {
    writeln!(out, "{}", FIELDS.join(",")).map_err(ExchangeError::Io)?;
    write_lines(reader, statistics, out, watcher, |row| {
        let object = serde_json::to_value(row).unwrap_or_default();
        let cell = |name: &&str| match object.get(name) {
            None => String::new(),
            Some(Value::String(text)) => quoted(text),
            Some(other) => other.to_string(),
        };
        FIELDS.iter().map(cell).collect::<Vec<_>>().join(",")
    })
}

fn write_lines(
    reader: &Reader<'_>,
    statistics: bool,
    out: &mut dyn Write,
    watcher: &dyn Watcher,
    line: impl Fn(&Row) -> String + Sync,
) -> Result<u64, ExchangeError> {
    let engines = reader.engines()?;
    let mut positions = 0;
    for layer in Layer::all() {
        let rows = layer_to_write(reader, layer, statistics)?;
        for chunk in rows.chunks(AT_ONCE) {
            if watcher.should_stop() {
                return Err(ExchangeError::Interrupted);
            }
            let lines: Vec<String> = chunk
                .par_iter()
                .map(|row| line(&Row::of(row, &engines)))
                .collect();
            for line in lines {
                writeln!(out, "{line}").map_err(ExchangeError::Io)?;
            }
            watcher.done(chunk.len() as u64);
        }
        positions += rows.len() as u64;
    }
    Ok(positions)
}
