//! Pictures of a book: a tree of moves, and bars.

use super::tree::VIEW;
use crate::book::Branch;
use crate::engine::picture::{Picture, escaped, width_of};

const ROW: f64 = 24.0;
/// Between two columns of a tree, for the lines.
const GAP: f64 = 26.0;
/// On both sides of the words in a box.
const PADDING: f64 = 6.0;
const MARGIN: f64 = 20.0;
const BAR: f64 = 14.0;
const CHART: f64 = 160.0;

/// A tree from the left to the right: the moves with their values, and the names of openings. Boxes
/// are as wide as the longest words of their column.
pub fn tree(root: &Branch, label: impl Fn(&Branch) -> String) -> String {
    let mut widths = Vec::new();
    measure(root, 0, &mut widths, &label);
    let mut columns = vec![MARGIN];
    for width in &widths {
        columns.push(columns[columns.len() - 1] + width + GAP);
    }
    let legend = format!("{VIEW} Green is good for that player, red is bad.");
    let width = columns[columns.len() - 1] - GAP;
    let width = width.max(MARGIN + width_of(&legend)) + MARGIN;
    let mut drawing = Drawing {
        columns,
        widths,
        rows: 0.0,
        picture: Picture::new(width, 2.0 * MARGIN + ROW * (leaves(root) as f64 + 1.0)),
    };
    drawing
        .picture
        .words(MARGIN, MARGIN + 4.0, "fill=\"#555\"", &legend);
    drawing.draw(root, 0, &label);
    drawing.picture.finish()
}

/// How wide the boxes of each column are.
fn measure(
    branch: &Branch,
    column: usize,
    widths: &mut Vec<f64>,
    label: &impl Fn(&Branch) -> String,
) {
    if widths.len() <= column {
        widths.push(0.0);
    }
    let width = width_of(&label(branch)) + 2.0 * PADDING;
    widths[column] = width.max(widths[column]);
    for next in &branch.branches {
        measure(next, column + 1, widths, label);
    }
}

fn leaves(branch: &Branch) -> usize {
    let below: usize = branch.branches.iter().map(leaves).sum();
    below.max(1)
}

struct Drawing {
    /// Where each column begins.
    columns: Vec<f64>,
    widths: Vec<f64>,
    /// That are taken.
    rows: f64,
    picture: Picture,
}

impl Drawing {
    /// Draws a branch and gives the height at which it lies: in the middle of those below it.
    fn draw(&mut self, branch: &Branch, column: usize, label: &impl Fn(&Branch) -> String) -> f64 {
        let mut ends = Vec::new();
        for next in &branch.branches {
            ends.push(self.draw(next, column + 1, label));
        }
        let y = match (ends.first(), ends.last()) {
            (Some(first), Some(last)) => (first + last) / 2.0,
            _ => {
                self.rows += 1.0;
                // Below the legend.
                MARGIN + (self.rows + 0.5) * ROW
            }
        };
        let (x, width) = (self.columns[column], self.widths[column]);
        let (from, to) = (x + width, x + width + GAP);
        for end in ends {
            self.picture.put(format_args!(
                "<path d=\"M {from:.0} {y:.1} C {to:.0} {y:.1} {from:.0} {end:.1} {to:.0} \
                 {end:.1}\" fill=\"none\" stroke=\"#888\"/>"
            ));
        }
        let fill = match branch.value.map(|value| value.centidiscs().signum()) {
            Some(1) => "#e3f3e3",
            Some(-1) => "#f8e4e0",
            _ => "#eeeeee",
        };
        let top = y - 9.0;
        self.picture.put(format_args!(
            "<rect x=\"{x:.0}\" y=\"{top:.1}\" width=\"{width:.0}\" height=\"18\" rx=\"4\" \
             fill=\"{fill}\"/>"
        ));
        self.picture.words(x + PADDING, y + 4.0, "", &label(branch));
        y
    }
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
    let mut picture = Picture::new(width, MARGIN + each * charts.len() as f64);
    for (number, chart) in charts.iter().enumerate() {
        let top = MARGIN + each * number as f64;
        picture.words(MARGIN, top + 4.0, "font-size=\"14\"", chart.title);
        let highest = chart.bars.iter().map(|(_, count)| *count).max();
        let highest = highest.unwrap_or(0).max(1) as f64;
        let ground = top + 20.0 + CHART;
        for (place, (name, count)) in chart.bars.iter().enumerate() {
            let x = MARGIN + BAR * place as f64;
            let height = CHART * *count as f64 / highest;
            picture.put(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" \
                 fill=\"#4a7ab5\"><title>{}: {count}</title></rect>\
                 <text transform=\"translate({:.1} {:.1}) rotate(90)\" font-size=\"9\">{}</text>",
                ground - height,
                BAR - 3.0,
                escaped(name),
                x + 2.0,
                ground + 5.0,
                escaped(name)
            ));
        }
    }
    picture.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;

    fn branch(moves: &str, branches: Vec<Branch>) -> Branch {
        Branch {
            square: moves.parse().ok(),
            position: Position::START,
            value: None,
            proven: false,
            games: 0,
            opening: None,
            again: false,
            more: 0,
            branches,
        }
    }

    #[test]
    fn no_words_run_over_their_box_and_no_box_into_the_next_column() {
        let leaf = || branch("d6", Vec::new());
        let root = branch("", vec![branch("f5", vec![leaf(), leaf()]), leaf()]);
        let long = "f5 +0.50  1 234 games  Stephenson, long after the Tiger";
        let svg = tree(&root, |branch| match branch.square {
            None => "Black to move".into(),
            Some(_) if branch.branches.is_empty() => "d6".into(),
            Some(_) => long.into(),
        });
        let number = |element: &str, name: &str| -> f64 {
            let value = element.split(&format!("{name}=\"")).nth(1).unwrap();
            value.split('"').next().unwrap().parse().unwrap()
        };
        let boxes: Vec<(f64, f64)> = svg
            .lines()
            .filter(|line| line.contains("rx="))
            .map(|line| (number(line, " x"), number(line, "width")))
            .collect();
        assert_eq!(boxes.len(), 5);
        let mut columns: Vec<(f64, f64)> = boxes.clone();
        columns.sort_by(|a, b| a.0.total_cmp(&b.0));
        columns.dedup();
        assert_eq!(columns.len(), 3, "{columns:?}");
        for pair in columns.windows(2) {
            assert!(pair[0].0 + pair[0].1 < pair[1].0, "{columns:?}");
        }
        assert!(columns[1].1 >= width_of(long));
        let picture = number(&svg, "width");
        assert!(columns[2].0 + columns[2].1 <= picture, "{columns:?}");
        assert!(svg.contains("for the player who makes the move"));
    }
}
