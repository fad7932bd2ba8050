//! Pictures of a book as SVG: a tree of moves, and bars.

use crate::book::Branch;
use std::fmt::Write as _;

const ROW: f64 = 24.0;
const COLUMN: f64 = 190.0;
const MARGIN: f64 = 20.0;
const BAR: f64 = 14.0;
const CHART: f64 = 160.0;

/// The start of a picture on white ground.
fn begin(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A tree from the left to the right: the moves with their values, and the names of openings.
pub fn tree(root: &Branch, label: impl Fn(&Branch) -> String) -> String {
    let mut body = String::new();
    let mut row = 0.0;
    draw(root, 0, &mut row, &mut body, &label);
    let columns = depth(root) as f64 + 1.0;
    let width = 2.0 * MARGIN + columns * COLUMN;
    let mut picture = begin(width, 2.0 * MARGIN + row * ROW);
    picture.push_str(&body);
    picture.push_str("</svg>\n");
    picture
}

fn depth(branch: &Branch) -> usize {
    let below = branch.branches.iter().map(|next| 1 + depth(next));
    below.max().unwrap_or(0)
}

/// Draws a branch and gives the height at which it lies: in the middle of those below it.
fn draw(
    branch: &Branch,
    column: usize,
    row: &mut f64,
    body: &mut String,
    label: &impl Fn(&Branch) -> String,
) -> f64 {
    let x = MARGIN + column as f64 * COLUMN;
    let ends: Vec<f64> = branch
        .branches
        .iter()
        .map(|next| draw(next, column + 1, row, body, label))
        .collect();
    let y = match (ends.first(), ends.last()) {
        (Some(first), Some(last)) => (first + last) / 2.0,
        _ => {
            *row += 1.0;
            MARGIN + (*row - 0.5) * ROW
        }
    };
    let (from, to) = (x + COLUMN - 20.0, x + COLUMN);
    for end in ends {
        // Writing into a text cannot fail.
        let _ = writeln!(
            body,
            "<path d=\"M {from:.0} {y:.1} C {to:.0} {y:.1} {from:.0} {end:.1} {to:.0} {end:.1}\" \
             fill=\"none\" stroke=\"#888\"/>"
        );
    }
    let fill = match branch.value.map(|value| value.centidiscs().signum()) {
        Some(1) => "#e3f3e3",
        Some(-1) => "#f8e4e0",
        _ => "#eeeeee",
    };
    let _ = writeln!(
        body,
        "<rect x=\"{x:.0}\" y=\"{:.1}\" width=\"{:.0}\" height=\"18\" rx=\"4\" fill=\"{fill}\"/>\
         <text x=\"{:.0}\" y=\"{:.1}\">{}</text>",
        y - 9.0,
        COLUMN - 20.0,
        x + 6.0,
        y + 4.0,
        escaped(&label(branch))
    );
    y
}

/// Columns side by side: a title, and for each a name and how much.
pub struct Bars<'a> {
    pub title: &'a str,
    pub bars: Vec<(String, u64)>,
}

/// Charts under each other.
pub fn charts(charts: &[Bars<'_>]) -> String {
    let most = charts.iter().map(|chart| chart.bars.len()).max();
    let width = 2.0 * MARGIN + BAR * most.unwrap_or(0).max(30) as f64;
    let each = CHART + 80.0;
    let mut picture = begin(width, MARGIN + each * charts.len() as f64);
    for (number, chart) in charts.iter().enumerate() {
        let top = MARGIN + each * number as f64;
        let _ = writeln!(
            picture,
            "<text x=\"{MARGIN}\" y=\"{:.0}\" font-size=\"14\">{}</text>",
            top + 4.0,
            escaped(chart.title)
        );
        let highest = chart.bars.iter().map(|(_, count)| *count).max();
        let highest = highest.unwrap_or(0).max(1) as f64;
        let ground = top + 20.0 + CHART;
        for (place, (name, count)) in chart.bars.iter().enumerate() {
            let x = MARGIN + BAR * place as f64;
            let height = CHART * *count as f64 / highest;
            let _ = writeln!(
                picture,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" \
                 fill=\"#4a7ab5\"><title>{}: {count}</title></rect>\
                 <text transform=\"translate({:.1} {:.1}) rotate(90)\" font-size=\"9\">{}</text>",
                ground - height,
                BAR - 3.0,
                escaped(name),
                x + 2.0,
                ground + 5.0,
                escaped(name)
            );
        }
    }
    picture.push_str("</svg>\n");
    picture
}
