//! GTP, the Go Text Protocol (version 2, Farnebäck), as GoGui and Quarry use it for Reversi.
//!
//! Squares are named as Othello players name them: a1 is the top left corner, and the letter i
//! does not come up. Every command gets one answer, `=` or `?`; nothing a controller writes ends
//! the session but `quit` and the end of its input.

use super::inbox::Inbox;
use crate::engine::TimeControl;
use crate::engine::{Allowance, ByoYomi, Decision, GameClock, GameInProgress, Lag, Pace, Plays};
use crate::games::open;
use crate::othello::{Color, Drawing, Square};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Answers commands until `quit` or the end of the input.
pub fn run(
    player: Box<dyn Plays>,
    pace: Pace,
    input: impl BufRead + Send + 'static,
    output: &mut impl Write,
) -> io::Result<()> {
    let inbox = Inbox::open(input, is_interrupt);
    let mut session = Gtp {
        player,
        pace,
        inbox,
        game: GameInProgress::default(),
        told: Vec::new(),
        clocks: pace.clocks(),
        lag: Lag::new(pace.overhead),
        thought: [None; 2],
        last: None,
    };
    while let Some(line) = session.inbox.next() {
        let Some(command) = Command::parse(&line) else {
            continue;
        };
        let answer = session.execute(&command);
        let (sign, text) = match &answer {
            Ok(text) => ('=', text.as_str()),
            Err(text) => ('?', text.as_str()),
        };
        // An empty line ends an answer, so there must be none within it.
        let text = text.trim_end().replace("\n\n", "\n");
        writeln!(output, "{sign}{} {text}\n", command.id)?;
        output.flush()?;
        if command.name == "quit" {
            break;
        }
    }
    Ok(())
}

/// GoGui writes this comment to stop a command that takes too long.
fn is_interrupt(line: &str) -> bool {
    line.trim() == "# interrupt"
}

/// One line: an optional number that the answer repeats, a name and arguments.
struct Command {
    id: String,
    name: String,
    arguments: Vec<String>,
}

impl Command {
    /// None for lines without a command: empty ones and comments.
    fn parse(line: &str) -> Option<Command> {
        let line = line.split('#').next().unwrap_or_default();
        // As the protocol asks: control characters are dropped, tabs are spaces.
        let clean: String = line
            .chars()
            .map(|c| if c == '\t' { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        let mut words = clean.split_whitespace().map(str::to_owned).peekable();
        let is_id = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        let id = words.next_if(is_id).unwrap_or_default();
        let name = match words.next() {
            Some(name) => name,
            None if id.is_empty() => return None,
            None => String::new(),
        };
        Some(Command {
            id,
            name,
            arguments: words.collect(),
        })
    }

    fn argument(&self, place: usize) -> &str {
        self.arguments.get(place).map_or("", String::as_str)
    }
}

const COMMANDS: [&str; 25] = [
    "boardsize",
    "clear_board",
    "emilia-explain",
    "final_score",
    "genmove",
    "gg-undo",
    "gogui-analyze_commands",
    "gogui-interrupt",
    "gogui-play_sequence",
    "known_command",
    "komi",
    "list_commands",
    "list_games",
    "loadsgf",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "set_game",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

type Answer = Result<String, String>;

/// What the controller told or asked, for `undo`: a pass is no move of the game, but it is one of
/// the protocol.
enum Told {
    Move,
    Pass,
}

struct Gtp {
    player: Box<dyn Plays>,
    pace: Pace,
    inbox: Inbox,
    game: GameInProgress,
    told: Vec<Told>,
    clocks: [Option<GameClock>; 2],
    lag: Lag,
    /// What the last move of each colour might have cost, and what the clock showed before it.
    thought: [Option<(Duration, Duration)>; 2],
    last: Option<Decision>,
}

impl Gtp {
    fn execute(&mut self, command: &Command) -> Answer {
        match command.name.as_str() {
            "protocol_version" => Ok("2".into()),
            "name" => Ok(self.player.title().into()),
            "version" => Ok(env!("CARGO_PKG_VERSION").into()),
            "known_command" => Ok(COMMANDS.contains(&command.argument(0)).to_string()),
            "list_commands" => Ok(COMMANDS.join("\n")),
            "quit" | "gogui-interrupt" => Ok(String::new()),
            "list_games" => Ok("Othello".into()),
            "set_game" => set_game(command.argument(0)),
            "boardsize" => match command.argument(0).parse::<u32>() {
                Ok(8) => Ok(String::new()),
                Ok(_) => Err("unacceptable size".into()),
                Err(_) => Err("boardsize not an integer".into()),
            },
            "clear_board" => {
                self.player.begin_game(0);
                self.begin(GameInProgress::default());
                Ok(String::new())
            }
            "komi" => match command.argument(0).parse::<f64>() {
                Ok(_) => Ok(String::new()),
                Err(_) => Err("komi not a float".into()),
            },
            "play" => self.play(&command.arguments),
            "gogui-play_sequence" => self.play_sequence(&command.arguments),
            "genmove" => self.generate(command.argument(0), true),
            "reg_genmove" => self.generate(command.argument(0), false),
            "undo" => self.undo(1),
            "gg-undo" => match command.argument(0) {
                "" => self.undo(1),
                count => match count.parse() {
                    Ok(count) => self.undo(count),
                    Err(_) => Err("invalid argument".into()),
                },
            },
            "time_settings" => self.set_time(&command.arguments),
            "time_left" => self.set_clock(&command.arguments),
            "showboard" => Ok(self.drawn()),
            "final_score" => Ok(self.final_score()),
            "loadsgf" => self.load(&command.arguments),
            "emilia-explain" => Ok(match &self.last {
                Some(decision) => decision.to_string(),
                None => "no move was generated yet".into(),
            }),
            "gogui-analyze_commands" => Ok("string/Explain the last move/emilia-explain".into()),
            _ => Err("unknown command".into()),
        }
    }

    fn begin(&mut self, game: GameInProgress) {
        self.told = game.moves().iter().map(|_| Told::Move).collect();
        self.game = game;
        self.clocks = self.pace.clocks();
        self.thought = [None; 2];
        self.last = None;
    }

    fn play(&mut self, arguments: &[String]) -> Answer {
        let [color, vertex] = arguments else {
            return Err("invalid color or coordinate".into());
        };
        let color = read_color(color)?;
        let told = match read_vertex(vertex)? {
            None => {
                self.check_pass(color)?;
                Told::Pass
            }
            Some(square) => {
                if color != self.game.position().turn {
                    return Err("illegal move".into());
                }
                self.game.play(square).map_err(|_| "illegal move")?;
                Told::Move
            }
        };
        self.told.push(told);
        Ok(String::new())
    }

    /// All moves or none.
    fn play_sequence(&mut self, arguments: &[String]) -> Answer {
        let (game, told) = (self.game.clone(), self.told.len());
        for pair in arguments.chunks(2) {
            if let Err(error) = self.play(pair) {
                self.game = game;
                self.told.truncate(told);
                return Err(error);
            }
        }
        Ok(String::new())
    }

    /// A pass must be due, or have been made by itself just now.
    fn check_pass(&self, color: Color) -> Result<(), String> {
        let has_passed = self.game.passed_before_now() && color != self.game.position().turn;
        if self.game.is_over() || has_passed {
            Ok(())
        } else {
            Err("illegal move".into())
        }
    }

    fn generate(&mut self, color: &str, for_good: bool) -> Answer {
        let began = Instant::now();
        let color = read_color(color)?;
        let position = self.game.position();
        if self.game.is_over() || color != position.turn {
            self.check_pass(color)
                .map_err(|_| format!("it is {}'s turn", position.turn))?;
            if for_good {
                self.told.push(Told::Pass);
            }
            return Ok("PASS".into());
        }
        let clock = self.clocks[color as usize];
        let empties = position.board.empty_count();
        let lag = self.lag.expected();
        let allowance = self.pace.allowance_with(clock.as_ref(), empties, lag);
        let decision = self.think(allowance);
        let Some(square) = decision.square else {
            return Err("there is no legal move".into());
        };
        self.last = Some(decision);
        if for_good {
            self.game.play(square).map_err(|error| error.to_string())?;
            self.told.push(Told::Move);
            if let Some(clock) = &mut self.clocks[color as usize] {
                if let Some(planned) = self.player.longest(allowance) {
                    self.lag.observe(planned, began.elapsed());
                    self.thought[color as usize] = Some((planned, clock.remaining()));
                }
                // A referee who keeps the time says so with time_left; others rely on us.
                let _ = clock.spend(began.elapsed() + self.pace.overhead);
            }
        }
        Ok(square.to_string().to_uppercase())
    }

    fn think(&self, allowance: Allowance) -> Decision {
        let board = self.game.position().board;
        self.inbox
            .while_listening(|button| self.player.choose(board, allowance, button))
    }

    fn undo(&mut self, count: usize) -> Answer {
        if count > self.told.len() {
            return Err("cannot undo".into());
        }
        for _ in 0..count {
            if let Some(Told::Move) = self.told.pop() {
                self.game.undo();
            }
        }
        Ok(String::new())
    }

    /// `time_settings MAIN BYO_YOMI STONES`; a byo-yomi time without stones means no limit.
    fn set_time(&mut self, arguments: &[String]) -> Answer {
        let numbers: Option<Vec<u32>> = arguments.iter().map(|text| text.parse().ok()).collect();
        let Some([main, period, stones]) = numbers.as_deref() else {
            return Err("syntax error: time_settings MAIN BYO_YOMI STONES".into());
        };
        let seconds = |count: u32| Duration::from_secs(u64::from(count));
        self.pace.control = if *period > 0 && *stones == 0 {
            None
        } else {
            Some(TimeControl {
                main: seconds(*main),
                increment: Duration::ZERO,
                byo_yomi: (*period > 0).then_some(ByoYomi {
                    period: seconds(*period),
                    moves: *stones,
                }),
            })
        };
        self.clocks = self.pace.clocks();
        Ok(String::new())
    }

    fn set_clock(&mut self, arguments: &[String]) -> Answer {
        let [color, time, stones] = arguments else {
            return Err("syntax error: time_left COLOR TIME STONES".into());
        };
        let color = read_color(color)?;
        // The protocol has whole seconds; referees of fast games write fractions.
        let seconds: f64 = time.parse().map_err(|_| "time not a number")?;
        let stones: u32 = stones.parse().map_err(|_| "stones not an integer")?;
        let remaining =
            Duration::try_from_secs_f64(seconds.max(0.0)).map_err(|_| "time not a number")?;
        if let Some((planned, before)) = self.thought[color as usize].take()
            && stones == 0
        {
            // What the referee took off is the truth about the last move.
            self.lag.observe(planned, before.saturating_sub(remaining));
        }
        let told = TimeControl::sudden_death(remaining);
        let clock = self.clocks[color as usize].get_or_insert_with(|| GameClock::new(told));
        clock.set(remaining, (stones > 0).then_some(stones));
        Ok(String::new())
    }

    fn drawn(&self) -> String {
        let drawing = Drawing {
            last_move: self.game.last_move(),
            ..Drawing::plain(self.game.position())
        };
        format!("\n{drawing}")
    }

    /// `B+12`, `W+4`, `0`; the empty squares go to the winner.
    fn final_score(&self) -> String {
        match self.game.position().final_score(Color::Black).discs() {
            0 => "0".into(),
            discs if discs > 0 => format!("B+{discs}"),
            discs => format!("W+{}", -discs),
        }
    }

    /// `loadsgf FILE [MOVE]`: the position before that move, or at the end. Any format will do.
    fn load(&mut self, arguments: &[String]) -> Answer {
        let [path, rest @ ..] = arguments else {
            return Err("syntax error: loadsgf FILE [MOVE]".into());
        };
        let upto: usize = match rest {
            [] => usize::MAX,
            [number, ..] => number.parse().map_err(|_| "move not an integer")?,
        };
        let game = open(Path::new(path))
            .ok()
            .and_then(|mut games| games.next())
            .and_then(Result::ok)
            .ok_or("cannot load file")?;
        let mut game = GameInProgress::of_game(&game);
        while game.moves().len() >= upto.max(1) {
            game.undo();
        }
        self.begin(game);
        Ok(String::new())
    }
}

fn set_game(name: &str) -> Answer {
    if ["othello", "reversi"]
        .iter()
        .any(|game| name.eq_ignore_ascii_case(game))
    {
        Ok(String::new())
    } else {
        Err("unsupported game".into())
    }
}

fn read_color(text: &str) -> Result<Color, String> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err("invalid color or coordinate".into()),
    }
}

/// A square, or none for a pass.
fn read_vertex(text: &str) -> Result<Option<Square>, String> {
    if text.eq_ignore_ascii_case("pass") {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|_| "invalid color or coordinate".into())
}
