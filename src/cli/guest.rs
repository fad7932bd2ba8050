//! `emilia analyse --player NAME`: what a program of the papers thinks of a position.

use super::found;
use super::interrupt::Interrupt;
use super::output::{grouped, table};
use crate::othello::Position;
use crate::players::{Component, Listed, Thinking};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::{Write, stdout};
use std::time::Instant;

/// Its move, what the search found, and what it sees without looking ahead. Somebody can move.
pub fn run(listed: &Listed, position: Position, thinking: &Thinking, as_json: bool) -> Result<()> {
    let board = position.after_forced_pass().board;
    let interrupt = Interrupt::watch()?;
    let mut program = listed.make();
    program.begin_game(0);
    let components = program.components(board);
    let began = Instant::now();
    let choice = program.choose(board, thinking, interrupt.button());
    let seconds = began.elapsed().as_secs_f64();
    let mut out = stdout().lock();
    if as_json {
        let parts: Vec<Value> = components
            .iter()
            .map(|part| json!({ "name": part.name, "value": part.value }))
            .collect();
        let object = json!({
            "player": listed.name, "title": listed.title, "year": listed.year,
            "position": position.to_string(), "move": choice.square.to_string(),
            "value": choice.value.map(|value| f64::from(value) / 100.0),
            "win_probability": choice.win_probability, "depth": choice.depth,
            "nodes": choice.nodes, "seconds": seconds, "components": parts,
        });
        writeln!(out, "{object}")?;
        return interrupt.end();
    }
    if !components.is_empty() {
        writeln!(out, "{}\n", component_table(&components))?;
    }
    write!(
        out,
        "{} ({}) plays {}",
        listed.title, listed.year, choice.square
    )?;
    if let Some(value) = choice.value {
        write!(out, " {}", found::discs(value))?;
    }
    if let Some(chance) = choice.win_probability {
        write!(out, ", wins {:.0} %", 100.0 * chance)?;
    }
    let nodes = grouped(choice.nodes);
    writeln!(
        out,
        " (depth {}), {nodes} nodes in {seconds:.3} s",
        choice.depth
    )?;
    interrupt.end()
}

fn component_table(components: &[Component]) -> comfy_table::Table {
    let mut rows = table(&["evaluation, for the player to move", "value"], &[1]);
    for part in components {
        rows.add_row([part.name.to_owned(), format!("{:+.1}", part.value)]);
    }
    let sum: f64 = components.iter().map(|part| part.value).sum();
    rows.add_row(["together".to_owned(), format!("{sum:+.1}")]);
    rows
}
