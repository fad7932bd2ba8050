//! What a search found as JSON, in the words of the server's `/api/v1/analyse` (`view::FoundView`),
//! so that the page cannot tell one from the other. By hand: a library for it would be larger than
//! all the rest of the report.

use crate::othello::{Square, moves_to_string};
use crate::search::{Bound, SearchResult};
use std::fmt::Write;

/// A report; `chosen` is the move of whoever plays, with its value.
pub fn to_json(result: &SearchResult, chosen: Option<(Square, i32)>) -> String {
    let seconds = result.time.as_secs_f64();
    let bound = match result.bound {
        Bound::Exact => "exact",
        Bound::AtLeast => "lower",
        Bound::AtMost => "upper",
    };
    let best = result
        .best
        .map_or_else(|| "null".to_owned(), |best| format!("\"{best}\""));
    let nps = if seconds > 0.0 {
        (result.nodes as f64 / seconds) as u64
    } else {
        0
    };
    let moves: Vec<String> = result
        .moves
        .iter()
        .map(|m| {
            let line = moves_to_string(&m.pv);
            let (square, value) = (m.square, discs(m.value));
            format!("{{\"move\":\"{square}\",\"value\":{value},\"line\":\"{line}\"}}")
        })
        .collect();
    let mut json = format!(
        "{{\"value\":{},\"bound\":\"{bound}\",\"best\":{best},\"line\":\"{}\",\"depth\":{},\
         \"selectivity\":{},\"solved\":{},\"nodes\":{},\"seconds\":{seconds:.3},\"nps\":{nps},\
         \"moves\":[{}]",
        discs(result.value),
        moves_to_string(&result.pv),
        result.depth,
        result.selectivity.percent(),
        result.solved,
        result.nodes,
        moves.join(","),
    );
    if let Some((square, value)) = chosen {
        // Text takes any amount of writing.
        let _ = write!(
            json,
            ",\"move\":\"{square}\",\"move_value\":{}",
            discs(value)
        );
    }
    json.push('}');
    json
}

/// Centi-discs as discs.
fn discs(value: i32) -> f64 {
    f64::from(value) / 100.0
}
