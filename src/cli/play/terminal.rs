//! The game on a terminal: keys and clicks in, pictures out, the engine in a thread of its own.

use super::super::exit::interrupted;
use super::super::interrupt::Interrupt;
use super::screen::{View, draw, square_at};
use super::sitting::{BookMove, Seats, Sitting, judge, summary};
use crate::engine::{Decision, GameInProgress, Judgement, Ranked, Ranking, Skill};
use crate::othello::{Color, Position, Square};
use crate::search::StopButton;
use anyhow::Result;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind,
    KeyModifiers, MouseButton, MouseEventKind,
};
use ratatui::crossterm::execute;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the clocks are redrawn.
const TICK: Duration = Duration::from_millis(100);
/// Of how many moves a hint shows the value.
const HINTS: usize = 5;
/// How long a hint may take.
const HINT_TIME: Duration = Duration::from_secs(2);

/// Plays until the user leaves.
pub fn run(sitting: Sitting) -> Result<()> {
    // A signal to end leaves the terminal as it was, too.
    let interrupt = Interrupt::watch()?;
    let mut terminal = ratatui::try_init()?;
    // Without a mouse it can be played as well.
    let _ = execute!(std::io::stdout(), EnableMouseCapture);
    let result = Screen::new(sitting).run(&mut terminal, &interrupt);
    let _ = execute!(std::io::stdout(), DisableMouseCapture);
    ratatui::restore();
    result
}

/// What a thread of the engine is busy with.
enum Task {
    Move(Receiver<Decision>),
    Hint(Receiver<Ranking>),
    Judge(Receiver<Judgement>),
}

/// A question that is answered in the last line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Save,
    Load,
}

struct Screen {
    sitting: Sitting,
    task: Option<(Task, StopButton)>,
    /// Since when the player to move thinks.
    began: Instant,
    cursor: Square,
    /// The letter of a square whose digit is awaited.
    letter: Option<char>,
    question: Option<(Question, String)>,
    hints: Vec<(Square, Option<i32>)>,
    book: Vec<BookMove>,
    /// Of which position the book moves are.
    book_of: Option<Position>,
    message: Vec<String>,
    leaving: bool,
    /// It was Ctrl-C, or a signal to end.
    interrupted: bool,
}

impl Screen {
    fn new(sitting: Sitting) -> Screen {
        Screen {
            sitting,
            task: None,
            began: Instant::now(),
            cursor: Square::at(5, 4),
            letter: None,
            question: None,
            hints: Vec::new(),
            book: Vec::new(),
            book_of: None,
            message: vec!["Your move, or ? for a hint.".into()],
            leaving: false,
            interrupted: false,
        }
    }

    fn run(mut self, terminal: &mut DefaultTerminal, interrupt: &Interrupt) -> Result<()> {
        while !self.leaving {
            if interrupt.is_set() {
                self.interrupted = true;
                break;
            }
            self.collect();
            if self.task.is_none() && self.sitting.engine_is_on() {
                self.think();
            }
            self.look_into_the_book();
            terminal.draw(|frame| draw(frame, &self.view()))?;
            if event::poll(TICK)? {
                match event::read()? {
                    Event::Key(key) if key.kind == KeyEventKind::Press => self.key(key),
                    Event::Mouse(mouse)
                        if mouse.kind == MouseEventKind::Down(MouseButton::Left) =>
                    {
                        if let Some(square) = square_at(mouse.column, mouse.row) {
                            self.cursor = square;
                            self.play(square);
                        }
                    }
                    _ => {}
                }
            }
        }
        self.stop();
        match self.interrupted {
            true => Err(interrupted("")),
            false => Ok(()),
        }
    }

    fn view(&self) -> View<'_> {
        let sitting = &self.sitting;
        let name = |color| {
            if sitting.seats.is_person(color) {
                "you".to_owned()
            } else {
                sitting.name().to_owned()
            }
        };
        let mut clocks = sitting.clocks;
        if !sitting.is_over()
            && let Some(clock) = &mut clocks[sitting.turn() as usize]
        {
            // The clock of the player to move runs on the screen before the move is made; one
            // that has run out stands at zero until then.
            let _ = clock.spend(self.began.elapsed());
        }
        View {
            position: sitting.game.position(),
            last_move: sitting.game.last_move(),
            cursor: self.cursor,
            show_moves: !sitting.is_over(),
            hints: &self.hints,
            names: [name(Color::Black), name(Color::White)],
            clocks,
            values: &sitting.values,
            book: &self.book,
            opening: sitting.opening(),
            level: sitting.strength().to_string(),
            state: sitting.state(),
            message: &self.message,
        }
    }

    fn say(&mut self, text: impl Into<String>) {
        self.message = vec![text.into()];
    }

    fn look_into_the_book(&mut self) {
        let position = self.sitting.game.position();
        if self.book_of != Some(position) {
            self.book = self.sitting.book_moves();
            self.book_of = Some(position);
        }
    }

    /// Starts a move of the engine.
    fn think(&mut self) {
        let board = self.sitting.game.position().board;
        let clock = self.sitting.clocks[self.sitting.turn() as usize];
        let allowance = self
            .sitting
            .pace
            .allowance(clock.as_ref(), board.empty_count());
        let engine = self.sitting.engine();
        self.start(Task::Move, move |button| {
            let player = engine.read().unwrap_or_else(PoisonError::into_inner);
            player.choose(board, allowance, button)
        });
    }

    fn hint(&mut self) {
        if self.sitting.is_over() {
            return self.say("The game is over.");
        }
        let board = self.sitting.game.position().board;
        let mut pace = self.sitting.pace;
        pace.per_move = Some(HINT_TIME);
        let allowance = pace.allowance(None, board.empty_count());
        let engine = self.sitting.engine();
        self.start(Task::Hint, move |button| {
            let player = engine.read().unwrap_or_else(PoisonError::into_inner);
            player.rank(board, HINTS, allowance, button, &mut |_| {})
        });
        self.say("Thinking about a hint…");
    }

    fn analyse(&mut self) {
        let Some(game) = self.sitting.to_game() else {
            return self.say("There is no game to analyse.");
        };
        self.start(Task::Judge, move |button| judge(&game, button, &mut |_| {}));
        self.say("Analysing the game…");
    }

    fn start<T: Send + 'static>(
        &mut self,
        task: fn(Receiver<T>) -> Task,
        work: impl FnOnce(&StopButton) -> T + Send + 'static,
    ) {
        self.stop();
        let button = StopButton::new();
        let (sender, receiver) = channel();
        let pressed = button.clone();
        thread::spawn(move || {
            // Nobody waits for what was stopped.
            let _ = sender.send(work(&pressed));
        });
        self.task = Some((task(receiver), button));
    }

    /// Stops what the engine does; what it finds is not looked at.
    fn stop(&mut self) {
        if let Some((_, button)) = self.task.take() {
            button.press();
        }
    }

    /// Takes in what the engine has found.
    fn collect(&mut self) {
        let Some((task, button)) = self.task.take() else {
            return;
        };
        let waiting = match &task {
            Task::Move(receiver) => match receiver.try_recv() {
                Ok(decision) => {
                    self.answered(&decision);
                    false
                }
                Err(error) => error == TryRecvError::Empty,
            },
            Task::Hint(receiver) => match receiver.try_recv() {
                Ok(result) => {
                    self.hinted(&result);
                    false
                }
                Err(error) => error == TryRecvError::Empty,
            },
            Task::Judge(receiver) => match receiver.try_recv() {
                Ok(judgement) => {
                    self.judged(&judgement);
                    false
                }
                Err(error) => error == TryRecvError::Empty,
            },
        };
        if waiting {
            self.task = Some((task, button));
        }
    }

    fn answered(&mut self, decision: &Decision) {
        if let Some(square) = decision.square {
            match self
                .sitting
                .play(square, self.began.elapsed(), Some(decision))
            {
                Ok(()) => self.say(format!("{} plays {decision}", self.sitting.name())),
                Err(error) => self.say(error),
            }
            self.turned();
        }
    }

    fn hinted(&mut self, ranking: &Ranking) {
        let hint = |ranked: &Ranked| (ranked.square, ranked.value);
        self.hints = ranking.moves.iter().map(hint).collect();
        self.say(match ranking.best() {
            Some(best) => format!(
                "{} is best, looked at {} plies deep.",
                best.square, ranking.depth
            ),
            None => "There is no move.".into(),
        });
    }

    fn judged(&mut self, judgement: &Judgement) {
        self.message = summary(judgement);
        for judged in &judgement.moves {
            if let Some(value) = self.sitting.values.get_mut(judged.number - 1) {
                *value = Some(judged.value_for_black());
            }
        }
    }

    /// Another position is on the board.
    fn turned(&mut self) {
        self.began = Instant::now();
        self.hints.clear();
        if self.sitting.is_over() {
            let state = self.sitting.state();
            self.say(format!(
                "{state}. x analyses the game, s saves it, n begins another."
            ));
        }
    }

    fn play(&mut self, square: Square) {
        if self.sitting.engine_is_on() {
            return self.say("It is the engine's turn.");
        }
        match self.sitting.play(square, self.began.elapsed(), None) {
            Ok(()) => {
                self.stop();
                self.message.clear();
                self.turned();
            }
            Err(error) => self.say(error),
        }
    }

    fn key(&mut self, key: KeyEvent) {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.leaving = true;
            self.interrupted = true;
            return;
        }
        if self.question.is_some() {
            return self.answer_key(key.code);
        }
        if let (Some(letter), KeyCode::Char(digit)) = (self.letter.take(), key.code)
            && let Ok(square) = format!("{letter}{digit}").parse()
        {
            self.cursor = square;
            return self.play(square);
        }
        let (column, row) = (self.cursor.column(), self.cursor.row());
        match key.code {
            KeyCode::Left => self.cursor = Square::at(column.saturating_sub(1), row),
            KeyCode::Right => self.cursor = Square::at((column + 1).min(7), row),
            KeyCode::Up => self.cursor = Square::at(column, row.saturating_sub(1)),
            KeyCode::Down => self.cursor = Square::at(column, (row + 1).min(7)),
            KeyCode::Enter => self.play(self.cursor),
            KeyCode::Char('?') => self.hint(),
            KeyCode::Char('u') | KeyCode::Backspace => {
                self.stop();
                let count = self.sitting.take_back();
                self.turned();
                self.say(format!("{count} moves taken back."));
            }
            KeyCode::Char(' ') => self.engine_for_you(),
            KeyCode::Char('l') => self.change_level(1),
            KeyCode::Char('L') => self.change_level(-1),
            KeyCode::Char('p') => self.change_seats(),
            KeyCode::Char('s') => self.ask(Question::Save),
            KeyCode::Char('o') => self.ask(Question::Load),
            KeyCode::Char('r') => {
                self.stop();
                self.sitting.resign();
                self.turned();
            }
            KeyCode::Char('x') => self.analyse(),
            KeyCode::Char('n') => {
                self.stop();
                self.sitting.begin(GameInProgress::default());
                self.turned();
                self.say("A new game.");
            }
            KeyCode::Char('q') | KeyCode::Esc => self.leaving = true,
            KeyCode::Char(letter @ 'a'..='h') => self.letter = Some(letter),
            _ => {}
        }
    }

    /// The engine makes one move for a person.
    fn engine_for_you(&mut self) {
        if !self.sitting.is_over() && self.task.is_none() {
            self.think();
        }
    }

    fn change_level(&mut self, step: isize) {
        self.stop();
        let names = Skill::NAMED;
        let strength = self.sitting.strength();
        let place = names.iter().position(|(_, named)| *named == strength);
        let place = place.map_or(names.len() as isize - 1, |place| place as isize + step);
        let (name, strength) = names[place.clamp(0, names.len() as isize - 1) as usize];
        self.sitting.set_strength(strength);
        self.say(format!("The engine plays at level {name}."));
    }

    fn change_seats(&mut self) {
        self.stop();
        self.sitting.seats = match self.sitting.seats {
            Seats::Person(Color::Black) => Seats::Person(Color::White),
            Seats::Person(Color::White) => Seats::People,
            Seats::People => Seats::Engine,
            Seats::Engine => Seats::Person(Color::Black),
        };
        self.began = Instant::now();
        self.say(match self.sitting.seats {
            Seats::Person(color) => format!("You play {color}."),
            Seats::People => "Both sides are yours.".into(),
            Seats::Engine => "The engine plays itself.".into(),
        });
    }

    fn ask(&mut self, question: Question) {
        self.question = Some((question, String::new()));
        self.show_question();
    }

    fn show_question(&mut self) {
        if let Some((question, text)) = &self.question {
            let prompt = match question {
                Question::Save => "Save as (.ggf, .sgf, .txt): ",
                Question::Load => "Go on with the game in: ",
            };
            self.message = vec![format!("{prompt}{text}▏")];
        }
    }

    fn answer_key(&mut self, code: KeyCode) {
        let Some((question, mut text)) = self.question.take() else {
            return;
        };
        match code {
            KeyCode::Esc => return self.say(""),
            KeyCode::Enter => {
                let typed = text.trim();
                let done = match question {
                    Question::Save => self.sitting.save(typed),
                    Question::Load => {
                        self.stop();
                        self.sitting.load(Path::new(typed))
                    }
                };
                return match done {
                    Ok(()) => {
                        self.turned();
                        self.say(format!("{typed}: done."));
                    }
                    Err(error) => self.say(error),
                };
            }
            KeyCode::Backspace => {
                text.pop();
            }
            KeyCode::Char(c) => text.push(c),
            _ => {}
        }
        self.question = Some((question, text));
        self.show_question();
    }
}
