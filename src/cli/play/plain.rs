//! The game as lines of text, for pipes and for terminals that can do no more.

use super::sitting::{Seats, Sitting, judge, summary};
use crate::engine::GameInProgress;
use crate::othello::{Color, Drawing, MoveList};
use crate::search::StopButton;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;

const HELP: &str = "\
f5             play a move; several at once, as in f5d6c3, are played one after the other
hint [N]       the N best moves [3]
book           what the book knows here
back           take your last move back
go             let the engine move for you
level LEVEL    newcomer … club … full (emilia play --help has all names), or 0–60
play COLOUR    play black, white, both or none yourself
board          show the board
save FILE      write the game (.ggf, .sgf, .txt); save --force FILE replaces one that is there
load FILE      go on with a game
resign         give up
analyse        judge the moves of the game
new            another game
quit           leave";

/// Plays until `quit` or the end of the input.
pub fn run(
    mut sitting: Sitting,
    input: impl BufRead,
    output: &mut impl Write,
    prompt: bool,
) -> io::Result<()> {
    show_board(&sitting, output)?;
    answer(&mut sitting, output)?;
    let mut began = Instant::now();
    let mut lines = input.lines();
    loop {
        if prompt {
            write!(output, "{}> ", sitting.state())?;
            output.flush()?;
        }
        let Some(line) = lines.next() else {
            return Ok(());
        };
        let line = match line {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                writeln!(output, "? these bytes are no text")?;
                continue;
            }
            line => line?,
        };
        let (command, rest) = line
            .trim()
            .split_once(char::is_whitespace)
            .map_or((line.trim(), ""), |(command, rest)| (command, rest.trim()));
        if matches!(command, "quit" | "q" | "exit") {
            return Ok(());
        }
        let turn = (sitting.turn(), sitting.game.moves().len());
        if let Err(problem) = execute(&mut sitting, command, rest, began, output)? {
            writeln!(output, "? {problem}")?;
        }
        answer(&mut sitting, output)?;
        if turn != (sitting.turn(), sitting.game.moves().len()) {
            began = Instant::now();
        }
        output.flush()?;
    }
}

type Outcome = Result<(), String>;

fn execute(
    sitting: &mut Sitting,
    command: &str,
    rest: &str,
    began: Instant,
    output: &mut impl Write,
) -> io::Result<Outcome> {
    Ok(match command {
        "" => Ok(()),
        "help" | "?" => {
            writeln!(output, "{HELP}")?;
            Ok(())
        }
        "board" => {
            show_board(sitting, output)?;
            Ok(())
        }
        "hint" => hint(sitting, rest, output)?,
        "book" => {
            let moves = sitting.book_moves();
            if moves.is_empty() {
                return Ok(Err("the book has nothing here".into()));
            }
            for m in moves {
                let value = m.value.map_or("?".into(), discs);
                writeln!(output, "{} {value}  {} games", m.square, m.games)?;
            }
            Ok(())
        }
        "back" | "undo" => match sitting.take_back() {
            0 => Err("there is no move to take back".into()),
            _ => {
                show_board(sitting, output)?;
                Ok(())
            }
        },
        "go" => engine_moves(sitting, output)?,
        "level" => match rest.parse() {
            Ok(strength) => {
                sitting.set_strength(strength);
                Ok(())
            }
            Err(error) => Err(format!("{error}")),
        },
        "play" => match rest {
            "black" => set_seats(sitting, Seats::Person(Color::Black)),
            "white" => set_seats(sitting, Seats::Person(Color::White)),
            "both" => set_seats(sitting, Seats::People),
            "none" => set_seats(sitting, Seats::Engine),
            _ => Err("play black, white, both or none".into()),
        },
        "save" => sitting.save(rest),
        "load" => {
            let loaded = sitting.load(Path::new(rest));
            if loaded.is_ok() {
                show_board(sitting, output)?;
            }
            loaded
        }
        "resign" => {
            sitting.resign();
            writeln!(output, "{}", sitting.state())?;
            Ok(())
        }
        "analyse" | "analyze" => match sitting.to_game() {
            None => Err("there is no game".into()),
            Some(game) => {
                let judgement = judge(&game, &StopButton::new(), &mut |_| {});
                for line in summary(&judgement) {
                    writeln!(output, "{line}")?;
                }
                Ok(())
            }
        },
        "new" => {
            sitting.begin(GameInProgress::default());
            show_board(sitting, output)?;
            Ok(())
        }
        _ => moves(sitting, &format!("{command}{rest}"), began, output)?,
    })
}

fn set_seats(sitting: &mut Sitting, seats: Seats) -> Outcome {
    sitting.seats = seats;
    Ok(())
}

/// Moves of people; where the engine is to answer, it answers between them.
fn moves(
    sitting: &mut Sitting,
    text: &str,
    began: Instant,
    output: &mut impl Write,
) -> io::Result<Outcome> {
    if sitting.is_over() {
        return Ok(Err("the game is over; try new, back or analyse".into()));
    }
    let list = match MoveList::parse(sitting.game.position(), text) {
        Ok(list) => list,
        Err(error) => return Ok(Err(format!("{error}; try help"))),
    };
    for square in list.moves {
        if let Err(error) = sitting.play(square, began.elapsed(), None) {
            return Ok(Err(error));
        }
    }
    if sitting.is_over() {
        show_board(sitting, output)?;
    }
    Ok(Ok(()))
}

/// The engine moves as long as it is its turn.
fn answer(sitting: &mut Sitting, output: &mut impl Write) -> io::Result<()> {
    while sitting.engine_is_on() {
        if let Err(problem) = engine_moves(sitting, output)? {
            return writeln!(output, "? {problem}");
        }
    }
    Ok(())
}

fn engine_moves(sitting: &mut Sitting, output: &mut impl Write) -> io::Result<Outcome> {
    if sitting.is_over() {
        return Ok(Err("the game is over".into()));
    }
    let began = Instant::now();
    let board = sitting.game.position().board;
    let clock = sitting.clocks[sitting.turn() as usize];
    let allowance = sitting.pace.allowance(clock.as_ref(), board.empty_count());
    let decision = sitting
        .player()
        .choose(board, allowance, &StopButton::new());
    let Some(square) = decision.square else {
        return Ok(Err("there is no legal move".into()));
    };
    writeln!(output, "{} plays {decision}", sitting.name())?;
    let played = sitting.play(square, began.elapsed(), Some(&decision));
    show_board(sitting, output)?;
    Ok(played)
}

fn hint(sitting: &Sitting, rest: &str, output: &mut impl Write) -> io::Result<Outcome> {
    if sitting.is_over() {
        return Ok(Err("the game is over".into()));
    }
    let count = match rest {
        "" => 3,
        number => match number.parse() {
            Ok(count) => count,
            Err(_) => return Ok(Err("hint [N]".into())),
        },
    };
    let board = sitting.game.position().board;
    let allowance = sitting.pace.allowance(None, board.empty_count());
    let ranking = sitting
        .player()
        .rank(board, count, allowance, &StopButton::new(), &mut |_| {});
    for ranked in ranking.moves.iter().take(count) {
        let value = ranked.value.map_or("?".into(), discs);
        writeln!(output, "{} {value}", ranked.square)?;
    }
    Ok(Ok(()))
}

fn show_board(sitting: &Sitting, output: &mut impl Write) -> io::Result<()> {
    let drawing = Drawing {
        last_move: sitting.game.last_move(),
        show_moves: !sitting.is_over(),
        ..Drawing::plain(sitting.game.position())
    };
    write!(output, "{drawing}")?;
    if let [Some(black), Some(white)] = sitting.clocks {
        let seconds = |clock: crate::engine::GameClock| clock.remaining().as_secs();
        writeln!(
            output,
            "Black {} s, White {} s",
            seconds(black),
            seconds(white)
        )?;
    }
    if let Some(opening) = sitting.opening() {
        writeln!(output, "{opening}")?;
    }
    if sitting.is_over() {
        writeln!(output, "{}", sitting.state())?;
    }
    Ok(())
}

fn discs(value: i32) -> String {
    super::super::found::discs(value)
}
