//! The course of a judged game as an SVG picture.

use super::judge::JudgedMove;
use crate::othello::Color;
use std::fmt::Write as _;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 44.0;

/// A line for the value seen by Black, and a bar for what each move gave away.
pub fn svg_graph(title: &str, moves: &[JudgedMove]) -> String {
    let largest = moves
        .iter()
        .flat_map(|m| [m.value.abs(), m.best_value.abs()])
        .max()
        .unwrap_or(0);
    // Whole steps of 8 discs, so that graphs of even games look alike.
    let limit = f64::from((largest / 100 + 8) / 8 * 8).clamp(8.0, 64.0);
    let last = moves.iter().map(|m| m.number).max().unwrap_or(1).max(60);
    let x = |number: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * number as f64 / last as f64;
    let y = |discs: f64| HEIGHT / 2.0 - (HEIGHT / 2.0 - MARGIN) * discs / limit;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escape(title)
    );
    let mut line = |x1: f64, y1: f64, x2: f64, y2: f64, style: &str| {
        let _ = writeln!(
            svg,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>"
        );
    };
    let step = limit / 4.0;
    for tick in -4..=4 {
        let height = y(f64::from(tick) * step);
        let style = if tick == 0 {
            "stroke=\"#333\""
        } else {
            "stroke=\"#ddd\""
        };
        line(MARGIN, height, WIDTH - MARGIN, height, style);
    }
    for judged in moves.iter().filter(|m| m.loss() > 0) {
        let loss = f64::from(judged.loss()) / 100.0;
        // A loss of Black's pulls down, one of White's up.
        let (sign, color) = match judged.color {
            Color::Black => (-1.0, "#222"),
            Color::White => (1.0, "#c33"),
        };
        let style = format!("stroke=\"{color}\" stroke-opacity=\"0.45\" stroke-width=\"7\"");
        let at = x(judged.number);
        line(
            at,
            y(0.0),
            at,
            y((sign * loss).clamp(-limit, limit)),
            &style,
        );
    }
    for tick in -4..=4 {
        let discs = f64::from(tick) * step;
        let (left, height) = (MARGIN - 6.0, y(discs) + 4.0);
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{height:.1}\" text-anchor=\"end\">{discs:+.0}</text>"
        );
    }
    for number in (10..=last).step_by(10) {
        let (at, height) = (x(number), HEIGHT - MARGIN + 18.0);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{height}\" text-anchor=\"middle\">{number}</text>"
        );
    }
    let points: Vec<String> = moves
        .iter()
        .map(|m| {
            let discs = f64::from(m.value_for_black()) / 100.0;
            format!("{:.1},{:.1}", x(m.number), y(discs.clamp(-limit, limit)))
        })
        .collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#17a\" stroke-width=\"2\"/>",
        points.join(" ")
    );
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{}\" fill=\"#555\">Line: value for Black in discs. Bars: discs \
         given away by Black (dark) and White (red).</text>\n</svg>",
        HEIGHT - 8.0
    );
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_has_a_point_for_each_move_and_survives_any_title() {
        let judged = |number, value| JudgedMove {
            number,
            color: Color::White,
            square: "f5".parse().unwrap(),
            empties: 61 - number as u32,
            value,
            best: "d6".parse().unwrap(),
            best_value: value + 250,
            exact: false,
            in_book: false,
            choices: 3,
        };
        let svg = svg_graph("A & B <1980>", &[judged(1, -6400), judged(2, 300)]);
        assert!(svg.contains("A &amp; B &lt;1980&gt;"));
        let points = svg.split("points=\"").nth(1).unwrap();
        assert_eq!(points.split('"').next().unwrap().split(' ').count(), 2);
        assert!(svg_graph("", &[]).ends_with("</svg>\n"));
    }
}
