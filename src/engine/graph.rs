//! The course of a judged game as a picture.

use super::judge::JudgedMove;
use super::picture::{Picture, width_of};
use crate::othello::Color;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 44.0;

/// Of so many moves that gave away most it is said which they were, …
const NAMED: usize = 5;
/// … if it was at least this much, in hundredths of a disc.
const WORTH_NAMING: i32 = 100;

/// A line for the value seen by Black, a bar for what each move gave away, and the names of the
/// worst.
pub fn svg_graph(title: &str, moves: &[JudgedMove]) -> String {
    let largest = moves
        .iter()
        .flat_map(|m| [m.value.abs(), m.best_value.abs()])
        .max()
        .unwrap_or(0);
    // Whole steps of 8 discs, so that graphs of even games look alike.
    let limit = f64::from((largest / 100 + 8) / 8 * 8).clamp(8.0, 64.0);
    let last = moves.iter().map(|m| m.number).max().unwrap_or(1).max(60);
    let scale = Scale { limit, last };
    let mut picture = Picture::new(WIDTH, HEIGHT);
    picture.words(MARGIN, 24.0, "font-size=\"15\"", title);
    scale.draw(&mut picture);
    for judged in moves.iter().filter(|m| m.loss() > 0) {
        let color = match judged.color {
            Color::Black => "#222",
            Color::White => "#c33",
        };
        let (at, end) = scale.end_of_bar(judged);
        let ground = scale.y(0.0);
        picture.put(format_args!(
            "<line x1=\"{at:.1}\" y1=\"{ground:.1}\" x2=\"{at:.1}\" y2=\"{end:.1}\" \
             stroke=\"{color}\" stroke-opacity=\"0.45\" stroke-width=\"7\"/>"
        ));
    }
    let points: Vec<String> = moves
        .iter()
        .map(|m| {
            let discs = f64::from(m.value_for_black()) / 100.0;
            let (x, y) = (scale.x(m.number), scale.y(discs.clamp(-limit, limit)));
            format!("{x:.1},{y:.1}")
        })
        .collect();
    picture.put(format_args!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#17a\" stroke-width=\"2\"/>",
        points.join(" ")
    ));
    for name in names(&scale, moves) {
        let style = "font-size=\"11\" font-weight=\"bold\" fill=\"#222\"";
        picture.words(name.x, name.y, style, &name.text);
    }
    let legend = "Line: value for Black in discs. Bars: discs given away by Black (dark, down) and \
                  White (red, up); the worst moves by name.";
    picture.words(MARGIN, HEIGHT - 8.0, "fill=\"#555\"", legend);
    picture.finish()
}

/// Where moves and discs lie.
struct Scale {
    /// Discs at the upper edge.
    limit: f64,
    /// The number of the last move.
    last: usize,
}

impl Scale {
    fn x(&self, number: usize) -> f64 {
        MARGIN + (WIDTH - 2.0 * MARGIN) * number as f64 / self.last as f64
    }

    fn y(&self, discs: f64) -> f64 {
        HEIGHT / 2.0 - (HEIGHT / 2.0 - MARGIN) * discs / self.limit
    }

    /// A loss of Black's pulls down, one of White's up.
    fn end_of_bar(&self, judged: &JudgedMove) -> (f64, f64) {
        let loss = f64::from(judged.loss()) / 100.0;
        let discs = match judged.color {
            Color::Black => -loss,
            Color::White => loss,
        };
        let discs = discs.clamp(-self.limit, self.limit);
        (self.x(judged.number), self.y(discs))
    }

    fn draw(&self, picture: &mut Picture) {
        for tick in -4..=4 {
            let discs = f64::from(tick) * self.limit / 4.0;
            let (y, right) = (self.y(discs), WIDTH - MARGIN);
            let color = if tick == 0 { "#333" } else { "#ddd" };
            picture.put(format_args!(
                "<line x1=\"{MARGIN}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" \
                 stroke=\"{color}\"/>"
            ));
            let words = format!("{discs:+.0}");
            picture.words(MARGIN - 6.0, y + 4.0, "text-anchor=\"end\"", &words);
        }
        for number in (10..=self.last).step_by(10) {
            let (x, y) = (self.x(number), HEIGHT - MARGIN + 18.0);
            picture.words(x, y, "text-anchor=\"middle\"", &number.to_string());
        }
    }
}

/// Words and where they begin.
struct Name {
    x: f64,
    y: f64,
    text: String,
}

/// The height of a name.
const ROW: f64 = 13.0;

/// Beside the ends of their bars, one above the other where they would overlap.
fn names(scale: &Scale, moves: &[JudgedMove]) -> Vec<Name> {
    let mut worst: Vec<&JudgedMove> = moves
        .iter()
        .filter(|judged| judged.loss() >= WORTH_NAMING)
        .collect();
    worst.sort_by_key(|judged| std::cmp::Reverse(judged.loss()));
    worst.truncate(NAMED);
    let mut names: Vec<Name> = Vec::new();
    for judged in worst {
        let loss = f64::from(judged.loss()) / 100.0;
        let text = format!("{}. {} −{loss:.1}", judged.number, judged.square);
        let (at, end) = scale.end_of_bar(judged);
        let x = at.min(WIDTH - MARGIN - width_of(&text));
        let overlaps = |y: f64| {
            let beside =
                |name: &Name| x < name.x + width_of(&name.text) && name.x < x + width_of(&text);
            names
                .iter()
                .any(|name| beside(name) && (name.y - y).abs() < ROW)
        };
        // Below a bar that goes down, above one that goes up, and back where the picture ends.
        let (beside, step) = match judged.color {
            Color::Black => (end + ROW, ROW),
            Color::White => (end - 4.0, -ROW),
        };
        let inside = |y: &f64| (MARGIN + ROW - 4.0..=HEIGHT - MARGIN).contains(y);
        let outward = (0..NAMED).map(|row| beside + step * row as f64);
        let inward = (1..=2 * NAMED).map(|row| beside - step * row as f64);
        let y = outward
            .chain(inward)
            .filter(inside)
            .find(|y| !overlaps(*y))
            .unwrap_or(beside);
        names.push(Name { x, y, text });
    }
    names
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

    #[test]
    fn the_worst_moves_are_named_and_no_name_covers_another() {
        let judged = |number: usize, loss: i32| JudgedMove {
            number,
            color: if number % 2 == 1 {
                Color::Black
            } else {
                Color::White
            },
            square: "g7".parse().unwrap(),
            empties: 61 - number as u32,
            value: -loss,
            best: "d6".parse().unwrap(),
            best_value: 0,
            exact: false,
            in_book: false,
            choices: 3,
        };
        let losses = [
            (20, 900),
            (21, 850),
            (22, 800),
            (23, 6400),
            (60, 700),
            (40, 600),
            (41, 50),
        ];
        let moves = losses.map(|(number, loss)| judged(number, loss));
        let svg = svg_graph("", &moves);
        for name in [
            "20. g7 −9.0",
            "21. g7 −8.5",
            "22. g7",
            "23. g7 −64.0",
            "60. g7",
        ] {
            assert!(svg.contains(name), "{name} in {svg}");
        }
        assert!(!svg.contains("40. g7"), "only the worst");
        let scale = Scale {
            limit: 64.0,
            last: 60,
        };
        let names = names(&scale, &moves);
        for (number, one) in names.iter().enumerate() {
            assert!(one.x + width_of(&one.text) <= WIDTH, "{}", one.text);
            assert!((0.0..HEIGHT).contains(&one.y));
            for other in &names[..number] {
                let beside = one.x < other.x + width_of(&other.text)
                    && other.x < one.x + width_of(&one.text);
                assert!(
                    !beside || (one.y - other.y).abs() >= ROW,
                    "{}, {}",
                    one.text,
                    other.text
                );
            }
        }
    }
}
