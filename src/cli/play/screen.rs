//! The game on a terminal: a picture of a [`View`], nothing else.

use super::sitting::BookMove;
use crate::engine::GameClock;
use crate::othello::{Color, Position, Square};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color as Ink, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Paragraph};

/// All that is shown.
pub struct View<'a> {
    pub position: Position,
    pub last_move: Option<Square>,
    pub cursor: Square,
    pub show_moves: bool,
    /// Values of moves, drawn on their squares, in hundredths of a disc.
    pub hints: &'a [(Square, Option<i32>)],
    pub names: [String; 2],
    pub clocks: [Option<GameClock>; 2],
    /// What the engine thought after each move, in hundredths of a disc for Black.
    pub values: &'a [Option<i32>],
    pub book: &'a [BookMove],
    pub opening: Option<&'a str>,
    pub level: String,
    /// How the game stands.
    pub state: String,
    /// The last thing that happened, or the question that is being answered.
    pub message: &'a [String],
}

const CELL_WIDTH: u16 = 4;
const CELL_HEIGHT: u16 = 2;
const BOARD_WIDTH: u16 = 8 * CELL_WIDTH + 2;
const BOARD_HEIGHT: u16 = 8 * CELL_HEIGHT + 1;

const KEYS: &str = "arrows Enter, a square or a click: move   ? hint   u back   space let it move   \
                    l/L level   p sides   s save   o open   r resign   x analysis   n new   q quit";

/// Where the squares are, for the mouse.
pub fn square_at(column: u16, row: u16) -> Option<Square> {
    let column = column.checked_sub(2)? / CELL_WIDTH;
    let row = row.checked_sub(1)? / CELL_HEIGHT;
    (column < 8 && row < 8).then(|| Square::at(column as u8, row as u8))
}

pub fn draw(frame: &mut Frame<'_>, view: &View<'_>) {
    let [top, graph, message, keys] = Layout::vertical([
        Constraint::Length(BOARD_HEIGHT),
        Constraint::Min(4),
        Constraint::Length(message_height(view)),
        Constraint::Length(2),
    ])
    .areas(frame.area());
    let [board, side] =
        Layout::horizontal([Constraint::Length(BOARD_WIDTH + 2), Constraint::Min(20)]).areas(top);
    draw_board(frame, board, view);
    draw_side(frame, side, view);
    draw_graph(frame, graph, view.values);
    let lines: Vec<Line<'_>> = view
        .message
        .iter()
        .map(|line| Line::raw(line.as_str()))
        .collect();
    frame.render_widget(Paragraph::new(lines), message);
    let wrapped = ratatui::widgets::Wrap { trim: true };
    let style = Style::new().fg(Ink::DarkGray);
    frame.render_widget(Paragraph::new(KEYS).wrap(wrapped).style(style), keys);
}

fn message_height(view: &View<'_>) -> u16 {
    view.message.len().clamp(1, 8) as u16
}

fn draw_board(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let names: String = ('a'..='h').map(|name| format!("{name:^4}")).collect();
    let mut lines = vec![Line::raw(format!("  {names}"))];
    for row in 0..8 {
        for half in 0..CELL_HEIGHT {
            let number = if half == 0 {
                format!("{} ", row + 1)
            } else {
                "  ".into()
            };
            let mut spans = vec![Span::raw(number)];
            spans.extend((0..8).map(|column| cell(view, Square::at(column, row), half)));
            lines.push(Line::from(spans));
        }
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// The upper or the lower half of a square.
fn cell(view: &View<'_>, square: Square, half: u16) -> Span<'static> {
    let dark = (square.column() + square.row()).is_multiple_of(2);
    let ground = if view.last_move == Some(square) {
        Ink::Rgb(70, 140, 160)
    } else if dark {
        Ink::Rgb(0, 105, 60)
    } else {
        Ink::Rgb(0, 120, 70)
    };
    let mut style = Style::new().bg(ground);
    let disc = ["▗██▖", "▝██▘"][usize::from(half)];
    let hint = view.hints.iter().find(|(hinted, _)| *hinted == square);
    let is_move = view.show_moves && view.position.board.legal_moves().contains(square);
    let text = if view.position.discs(Color::Black).contains(square) {
        style = style.fg(Ink::Black);
        disc.to_owned()
    } else if view.position.discs(Color::White).contains(square) {
        style = style.fg(Ink::White);
        disc.to_owned()
    } else if let (Some((_, value)), 0) = (hint, half) {
        style = style.fg(Ink::Yellow);
        format!("{:^4}", value.map_or("?".into(), short_value))
    } else if is_move && half == 1 && hint.is_none() {
        style = style.fg(Ink::Rgb(150, 220, 170));
        " ·· ".to_owned()
    } else {
        "    ".to_owned()
    };
    if view.cursor == square {
        style = style.bg(Ink::Rgb(200, 160, 60));
    }
    Span::styled(text, style)
}

/// A value that fits on a square: `+1.5`, `-12`.
fn short_value(value: i32) -> String {
    let discs = f64::from(value) / 100.0;
    if discs.abs() < 9.95 {
        format!("{discs:+.1}")
    } else {
        format!("{discs:+.0}")
    }
}

fn draw_side(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let mut lines = vec![Line::styled(
        view.state.clone(),
        Style::new().add_modifier(Modifier::BOLD),
    )];
    for color in [Color::Black, Color::White] {
        let place = color as usize;
        let discs = view.position.discs(color).count();
        let clock = view.clocks[place].map_or(String::new(), |clock| shown_clock(&clock));
        let sign = if color == Color::Black { "○" } else { "●" };
        let to_move = if view.show_moves && view.position.turn == color {
            "▸"
        } else {
            " "
        };
        let name: String = view.names[place].chars().take(18).collect();
        lines.push(Line::raw(format!(
            "{to_move}{sign} {discs:>2}  {name:<18} {clock}"
        )));
    }
    lines.push(Line::raw(format!("  level {}", view.level)));
    lines.push(Line::raw(format!("  {}", view.opening.unwrap_or_default())));
    lines.push(Line::raw(""));
    if view.book.is_empty() {
        lines.push(Line::raw("The book has nothing here."));
    } else {
        lines.push(Line::styled(
            "book     value  games",
            Style::new().fg(Ink::DarkGray),
        ));
    }
    for m in view.book.iter().take(8) {
        let value = m.value.map_or("?".into(), |value| {
            format!("{:+.2}", f64::from(value) / 100.0)
        });
        lines.push(Line::raw(format!(
            "{:<6} {value:>7} {:>6}",
            m.square.to_string(),
            m.games
        )));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// `4:05`, and tenths of a second when they matter; in byo-yomi with the moves still to make.
fn shown_clock(clock: &GameClock) -> String {
    let left = clock.remaining();
    let seconds = left.as_secs();
    let time = if seconds < 10 {
        format!("{:.1}", left.as_secs_f64())
    } else {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    };
    match clock.moves_of_period() {
        Some(moves) => format!("{time} ({moves})"),
        None => time,
    }
}

/// The value of the game for Black, move by move.
fn draw_graph(frame: &mut Frame<'_>, area: Rect, values: &[Option<i32>]) {
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(place, value)| Some((place as f64 + 1.0, f64::from((*value)?) / 100.0)))
        .collect();
    let largest = points
        .iter()
        .map(|(_, discs)| discs.abs())
        .fold(4.0, f64::max);
    let limit = (largest / 4.0).ceil() * 4.0;
    let zero = [(0.0, 0.0), (60.0, 0.0)];
    let datasets = vec![
        Dataset::default()
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(Style::new().fg(Ink::DarkGray))
            .data(&zero),
        Dataset::default()
            .marker(Marker::Braille)
            .graph_type(GraphType::Line)
            .style(Style::new().fg(Ink::Cyan))
            .data(&points),
    ];
    let labels = [format!("{:+.0}", -limit), format!("{limit:+.0}")];
    let chart = Chart::new(datasets)
        .block(Block::bordered().title("value for Black, in discs"))
        .x_axis(Axis::default().bounds([0.0, 60.0]))
        .y_axis(Axis::default().bounds([-limit, limit]).labels(labels));
    frame.render_widget(chart, area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn view<'a>(book: &'a [BookMove], message: &'a [String]) -> View<'a> {
        View {
            position: Position::START,
            last_move: None,
            cursor: Square::at(0, 0),
            show_moves: true,
            hints: &[],
            names: ["you".into(), "Emilia club".into()],
            clocks: [Some(GameClock::new("5:00".parse().unwrap())); 2],
            values: &[],
            book,
            opening: Some("Diagonal"),
            level: "club".into(),
            state: "Black to move".into(),
            message,
        }
    }

    fn drawn(view: &View<'_>, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, view)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn the_start_of_a_game_as_it_is_drawn() {
        let book = [BookMove {
            square: "f5".parse().unwrap(),
            value: Some(25),
            games: 120,
        }];
        let message = ["Welcome.".to_owned()];
        insta::assert_snapshot!(drawn(&view(&book, &message), 80, 26));
    }

    #[test]
    fn hints_stand_on_their_squares_and_the_graph_follows_the_game() {
        let hints = [
            ("f5".parse().unwrap(), Some(150)),
            ("d3".parse().unwrap(), Some(-1200)),
        ];
        let values = [Some(0), None, Some(400), Some(-800)];
        let message = ["Hints.".to_owned()];
        let view = View {
            hints: &hints,
            values: &values,
            ..view(&[], &message)
        };
        let picture = drawn(&view, 80, 30);
        assert!(
            picture.contains("+1.5") && picture.contains("-12 "),
            "{picture}"
        );
        assert!(
            picture.contains("+8") && picture.contains("-8"),
            "{picture}"
        );
        assert!(picture.contains("The book has nothing here."), "{picture}");
    }

    #[test]
    fn a_small_terminal_is_no_reason_to_fail() {
        for (width, height) in [(1, 1), (10, 5), (40, 12), (200, 60)] {
            drawn(&view(&[], &[]), width, height);
        }
    }

    #[test]
    fn the_mouse_finds_the_squares() {
        assert_eq!(square_at(2, 1), "a1".parse().ok());
        assert_eq!(square_at(33, 16), "h8".parse().ok());
        assert_eq!(square_at(1, 1), None);
        assert_eq!(square_at(34, 1), None);
        assert_eq!(square_at(2, 17), None);
    }
}
