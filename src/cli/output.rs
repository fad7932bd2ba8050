//! What subcommands share when they print: tables, big numbers, progress bars, broken pipes.

use comfy_table::{Cell, CellAlignment, Table};
use indicatif::{FormattedDuration, ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;
use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

/// `head` closed our output: that is no error of ours.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// One JSON value on a line of its own.
pub fn print_json(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    Ok(())
}

/// `24571284` as `24 571 284`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A table without frames; the columns named in `right` are aligned to the right.
pub fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(header.iter().enumerate().map(|(column, title)| {
        let alignment = if right.contains(&column) {
            CellAlignment::Right
        } else {
            CellAlignment::Left
        };
        Cell::new(title).set_alignment(alignment)
    }));
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A bar on standard error with rate and time to go; hidden by itself when that is no terminal.
pub fn progress(total: u64, unit: &'static str, doing: &'static str) -> ProgressBar {
    let template = format!(
        "{{msg}} {{wide_bar}} {{human_pos}}/{{human_len}} {unit}  {{per_sec}}  {{eta}} left"
    );
    let bar = ProgressBar::new(total).with_message(doing);
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A count on standard error for work whose end nobody knows; hidden like [`progress`].
pub fn counter(unit: &'static str, doing: &'static str) -> ProgressBar {
    let template = format!("{{msg}} {{human_pos}} {unit}  {{per_sec}}  {{elapsed}}");
    let bar = ProgressBar::no_length().with_message(doing);
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A count of work that ends after a time, with what is left of it.
pub fn countdown(time: Duration, unit: &'static str, doing: &'static str) -> ProgressBar {
    let template = format!("{{msg}} {{human_pos}} {unit}  {{per_sec}}  {{remains}} left");
    let bar = ProgressBar::no_length().with_message(doing);
    let remains = move |state: &ProgressState, out: &mut dyn fmt::Write| {
        let left = time.saturating_sub(state.elapsed());
        // A line that cannot be written is not shown.
        let _ = write!(out, "{}", FormattedDuration(left));
    };
    bar.enable_steady_tick(Duration::from_secs(1));
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style.with_key("remains", remains)),
        Err(_) => bar,
    }
}

/// A sign of life on standard error for work that does not say how far it is.
pub fn waiting(doing: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{msg}  {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(doing);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        let all = [0, 999, 1000, 24571284].map(grouped);
        assert_eq!(all, ["0", "999", "1 000", "24 571 284"]);
    }
}
