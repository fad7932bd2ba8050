//! An analyst that answers from a table, as a pure function of the question, and in whatever
//! manner it is told to: late, twice, unasked, not at all. It keeps what it was asked.

use super::judge::result_of;
use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// How an analyst behaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Answers come in any order, and not at once.
    pub late: bool,
    /// Answers come again, some time later.
    pub twice: bool,
    /// Answers come to questions that nobody asked.
    pub unasked: bool,
    /// How many questions it takes at the same time.
    pub room: usize,
    pub ends: Ends,
}

/// How it ends with the analyst.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    Never,
    /// It is stopped after so many answers.
    Stops(u64),
    /// The process is killed after so many answers.
    Dies(u64),
}

impl Manner {
    pub const PLAIN: Manner = Manner {
        late: false,
        twice: false,
        unasked: false,
        room: 8,
        ends: Ends::Never,
    };

    pub const DIFFICULT: Manner = Manner {
        late: true,
        twice: true,
        unasked: true,
        ..Manner::PLAIN
    };
}

/// With so few empty squares it knows the result.
pub(super) const SOLVES: u32 = 8;

/// Decides about a question.
type Predicate = Box<dyn Fn(&MovesQuestion) -> bool + Send + Sync>;

pub(super) struct Scripted {
    name: &'static str,
    manner: Manner,
    /// For its manner alone: what it answers does not depend on chance.
    random: Random,
    /// What moves are worth that are not in the table; none makes a value up for each.
    usual: Option<i32>,
    /// By the position before the move and the one after it.
    table: HashMap<(NodeKey, NodeKey), i32>,
    refuses: Option<Predicate>,
    waiting: Vec<(QuestionId, Question)>,
    given: Vec<Reply>,
    /// Answers so far, each counted once.
    pub answered: u64,
    /// In the order of asking.
    pub asked: Vec<MovesQuestion>,
}

/// What unwinds when a process is said to be killed.
struct Killed;

/// Like `kill -9`, as far as a database can tell: nothing after this is done. No message.
fn die() -> ! {
    resume_unwind(Box::new(Killed));
}

/// Does something that may be killed; none if it was.
pub(super) fn surviving<T>(work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Some(done),
        Err(reason) if reason.is::<Killed>() => None,
        Err(reason) => resume_unwind(reason),
    }
}

impl Scripted {
    /// Makes up a value for every move.
    pub fn new(manner: Manner) -> Scripted {
        Scripted {
            name: "scripted",
            manner,
            random: Random::new(1),
            usual: None,
            table: HashMap::new(),
            refuses: None,
            waiting: Vec::new(),
            given: Vec::new(),
            answered: 0,
            asked: Vec::new(),
        }
    }

    /// All moves are worth −10.00, but for those that it is told about.
    pub fn plain() -> Scripted {
        Scripted {
            usual: Some(-1000),
            ..Scripted::new(Manner::PLAIN)
        }
    }

    pub fn behaving(self, manner: Manner) -> Scripted {
        Scripted { manner, ..self }
    }

    /// Another engine finds other values.
    pub fn named(self, name: &'static str) -> Scripted {
        Scripted { name, ..self }
    }

    /// The order of late answers, and what else depends on chance.
    pub fn seeded(self, seed: u64) -> Scripted {
        Scripted {
            random: Random::new(seed),
            ..self
        }
    }

    pub fn refusing(
        self,
        refuses: impl Fn(&MovesQuestion) -> bool + Send + Sync + 'static,
    ) -> Scripted {
        Scripted {
            refuses: Some(Box::new(refuses)),
            ..self
        }
    }

    /// What the last move of a line is worth, to the player who makes it.
    pub fn says(mut self, line: &str, centidiscs: i32) -> Scripted {
        self.tell(line, centidiscs);
        self
    }

    pub fn tell(&mut self, line: &str, centidiscs: i32) {
        let moves = MoveList::parse(Position::START, line).unwrap().moves;
        let [before @ .., _] = moves.as_slice() else {
            panic!("a line has a move");
        };
        let mut position = Position::START;
        for square in before {
            position = position.play(*square).unwrap();
        }
        let move_of = (NodeKey::of(position.board), key_after(line));
        self.table.insert(move_of, centidiscs);
    }

    /// What the best move after a line is worth.
    pub fn values(mut self, line: &str, centidiscs: i32) -> Scripted {
        self.tell_best(line, centidiscs);
        self
    }

    pub fn tell_best(&mut self, line: &str, centidiscs: i32) {
        let key = key_after(line);
        self.table.insert((key, children(key)[0]), centidiscs);
    }

    /// What it was asked since the last time.
    pub fn take_asked(&mut self) -> Vec<MovesQuestion> {
        std::mem::take(&mut self.asked)
    }

    /// What a move is worth that leads to this position, before anything is known beyond it.
    fn worth(&self, from: NodeKey, to: NodeKey, level: u8) -> i32 {
        if let Some(known) = self.table.get(&(from, to)) {
            return *known;
        }
        if let Some(usual) = self.usual {
            return usual;
        }
        let bytes = to.to_bytes();
        let seed = xxh3_64(self.name.as_bytes());
        let about = xxh3_64_with_seed(&bytes, seed) % 1201;
        let exactly = xxh3_64_with_seed(&bytes, seed ^ (u64::from(level) + 1)) % 301;
        // The best of several moves is about as good for one player as for the other.
        about as i32 + exactly as i32 - 1200
    }

    fn answer(&self, question: &Question) -> Result<Finding, String> {
        match question {
            Question::Moves(asked) => {
                if self.refuses.as_ref().is_some_and(|refuses| refuses(asked)) {
                    return Err("I would rather not say".to_owned());
                }
                Ok(Finding::Moves(self.best_move(asked)))
            }
            Question::Ending(asked) => Ok(Finding::Ending(ending(asked))),
        }
    }

    pub fn best_move(&self, asked: &MovesQuestion) -> BestMove {
        let board = asked.position.board();
        let level = self.promises(board, asked.level);
        let mut best: Option<(i32, Square)> = None;
        for edge in edges(board) {
            if !asked.among().contains(edge.square) {
                continue;
            }
            let worth = match edge.to {
                Destination::End(score) => 100 * score.discs(),
                Destination::Position { key, sign } if level.solved => {
                    let result = 100 * result_of(key.board());
                    if sign == Sign::Minus { -result } else { result }
                }
                Destination::Position { key, .. } => self.worth(asked.position, key, asked.level),
            };
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, edge.square));
            }
        }
        let (worth, square) = best.expect("a question is about some move");
        let [alpha, beta] = [asked.window.alpha, asked.window.beta].map(Value::centidiscs);
        assert!(alpha < beta, "{asked:?}");
        // Beyond the window a bound will do: the window's end, or whatever was found.
        let hash = xxh3_64(&asked.position.to_bytes());
        let is_soft = self.usual.is_none() && hash.is_multiple_of(2);
        let (claim, worth) = match worth {
            _ if asked.window == Window::FULL => (Claim::Exactly, worth),
            _ if worth <= alpha => (Claim::AtMost, if is_soft { worth } else { alpha }),
            _ if worth >= beta => (Claim::AtLeast, if is_soft { worth } else { beta }),
            _ => (Claim::Exactly, worth),
        };
        BestMove {
            square,
            value: value(worth),
            claim,
            level,
        }
    }

    /// An answer to a question that nobody asked, or not so.
    fn something_else(&mut self) -> Reply {
        let level = Level {
            depth: 60,
            selectivity: 100,
            solved: true,
        };
        let best = BestMove {
            square: Square::at(2, 3),
            value: Value::MAX,
            claim: Claim::Exactly,
            level,
        };
        Reply {
            id: QuestionId(u128::from(self.random.next()) << 64 | 1),
            outcome: Ok(Finding::Moves(best)),
            by: None,
        }
    }
}

/// Some of the game is kept; then come the lowest squares.
fn ending(asked: &EndingQuestion) -> Ending {
    let length = asked.path.len();
    let near = |key: &NodeKey| key.board().empty_count() <= asked.empties.into();
    let mut kept = length;
    let mut instead = Vec::new();
    if let Some(first) = asked.path.iter().position(near) {
        let hash = xxh3_64(&asked.path[first].to_bytes()) as usize;
        kept = first + 1 + hash % (length - first);
        let mut last = asked.path[kept - 1];
        while kept + instead.len() < asked.limit.into()
            && let Some(next) = children(last).first()
        {
            instead.push(*next);
            last = *next;
        }
    }
    Ending { kept, instead }
}

impl Analyst for Scripted {
    fn engine(&self) -> &str {
        self.name
    }

    fn promises(&self, board: Board, level: u8) -> Level {
        let empties = board.empty_count();
        // As far as the lowest levels of the engine do.
        let sees = 3 + 2 * u32::from(level);
        if empties <= sees.min(SOLVES) {
            Level {
                depth: empties as u8,
                selectivity: 100,
                solved: true,
            }
        } else {
            Level {
                depth: level,
                selectivity: 82,
                solved: false,
            }
        }
    }

    fn workers(&self) -> usize {
        self.manner.room
    }

    fn room(&self) -> usize {
        self.manner.room.saturating_sub(self.waiting.len())
    }

    fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
        if self.manner.ends == Ends::Stops(self.answered) {
            return Err(AnalystError::Stopped);
        }
        assert!(
            questions.len() <= self.room(),
            "there is no room for so many"
        );
        assert!(self.answered < FOR_EVER, "this goes round in circles");
        for (id, question) in &questions {
            assert_eq!(*id, QuestionId::of(question, self.name));
            if let Question::Moves(asked) = question {
                assert!(!asked.among().is_empty(), "{asked:?}");
                self.asked.push(*asked);
            }
        }
        self.waiting.extend(questions);
        Ok(())
    }

    fn next(&mut self, _: Duration) -> Result<Option<Reply>, AnalystError> {
        match self.manner.ends {
            Ends::Stops(answers) if answers == self.answered => return Err(AnalystError::Stopped),
            Ends::Dies(answers) if answers == self.answered => die(),
            _ => {}
        }
        let mood = self.random.below(8);
        if self.manner.unasked && mood == 0 {
            return Ok(Some(self.something_else()));
        }
        if self.manner.twice && mood == 1 && !self.given.is_empty() {
            let place = self.random.below(self.given.len() as u64) as usize;
            return Ok(Some(self.given[place].clone()));
        }
        if self.waiting.is_empty() || self.manner.late && mood == 2 {
            return Ok(None);
        }
        let place = match self.manner.late {
            true => self.random.below(self.waiting.len() as u64) as usize,
            false => 0,
        };
        let (id, question) = self.waiting.remove(place);
        let outcome = self.answer(&question);
        self.answered += 1;
        let reply = Reply {
            id,
            outcome,
            by: None,
        };
        self.given.push(reply.clone());
        Ok(Some(reply))
    }
}

/// Watches until it has had enough: after so many calls.
pub(super) struct Impatient {
    calls: AtomicU64,
    enough: u64,
    then: Then,
}

/// What an impatient watcher does then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Then {
    Stops,
    /// Does not even wait until what was found is carried up.
    StopsAtOnce,
    /// Kills the process.
    Dies,
}

impl Impatient {
    pub fn after(enough: u64, then: Then) -> Impatient {
        Impatient {
            calls: AtomicU64::new(0),
            enough,
            then,
        }
    }

    fn has_enough(&self) -> bool {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if calls >= self.enough && self.then == Then::Dies {
            die();
        }
        calls >= self.enough
    }
}

impl Watcher for Impatient {
    fn done(&self, _: u64) {
        self.has_enough();
    }

    fn should_stop(&self) -> bool {
        self.has_enough()
    }

    fn must_stop(&self) -> bool {
        self.then == Then::StopsAtOnce && self.has_enough()
    }
}

/// Watches that work comes to an end.
#[derive(Default)]
pub(super) struct Timekeeper(AtomicU64);

/// No test has so much to do.
const FOR_EVER: u64 = 20_000;

impl Watcher for Timekeeper {
    fn should_stop(&self) -> bool {
        let calls = self.0.fetch_add(1, Ordering::Relaxed);
        assert!(calls < FOR_EVER, "this goes round in circles");
        false
    }
}
