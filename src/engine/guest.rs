//! A program of the papers as one who plays: it divides its time and searches in its own way, and
//! where its paper gives it a book it is asked after ours.

use super::allowance::Allowance;
use super::decision::{Decision, Reason, Thought, Verified};
use super::librarian::Librarian;
use super::player::Player;
use super::plays::{Plays, Ranked, Ranking};
use super::policy::Policy;
use crate::book::Store;
use crate::machine::Timepiece;
use crate::othello::Board;
use crate::players::{Choice, Historic, Listed, NotAPlayer, Roster, Thinking};
use crate::search::{Searcher, StopButton};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Who is to play, as users name them.
#[derive(Clone, Copy, Debug, Default)]
pub enum Who {
    /// The engine of this program.
    #[default]
    Emilia,
    Guest(&'static Listed),
}

impl Who {
    /// The name of our own engine among the players.
    pub const OWN: &'static str = "emilia";

    /// One of them, with a book where it uses one; `searcher` is made for our own engine only.
    pub fn make<E>(
        self,
        policy: Policy,
        book: Option<Arc<Store>>,
        searcher: impl FnOnce() -> Result<Searcher, E>,
    ) -> Result<Box<dyn Plays>, E> {
        let mut player: Box<dyn Plays> = match self {
            Who::Emilia => Box::new(Player::new(searcher()?, policy)),
            Who::Guest(listed) => Box::new(Guest::new(listed, policy)),
        };
        if let Some(book) = book
            && self.uses_book()
        {
            player.set_book(book);
        }
        Ok(player)
    }

    /// The names of the programs of the papers, with commas between them.
    pub fn guests() -> String {
        Roster::names()
    }

    pub const fn uses_book(self) -> bool {
        match self {
            Who::Emilia => true,
            Who::Guest(listed) => listed.uses_book,
        }
    }
}

/// A text that names nobody who plays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}, and emilia, our own")]
pub struct Nobody(NotAPlayer);

impl FromStr for Who {
    type Err = Nobody;

    fn from_str(name: &str) -> Result<Who, Nobody> {
        if name.eq_ignore_ascii_case(Who::OWN) {
            return Ok(Who::Emilia);
        }
        Roster::find(name).map(Who::Guest).map_err(Nobody)
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Who::Emilia => Who::OWN,
            Who::Guest(listed) => listed.name,
        })
    }
}

/// A program of the papers at our table.
pub struct Guest {
    listed: &'static Listed,
    program: Mutex<Box<dyn Historic>>,
    librarian: Librarian,
}

impl Guest {
    /// A level of the policy is the depth at which it searches at most.
    pub fn new(listed: &'static Listed, policy: Policy) -> Guest {
        let mut guest = Guest {
            listed,
            program: Mutex::new(listed.make()),
            librarian: Librarian::new(policy),
        };
        guest.begin_game(0);
        guest
    }

    fn think(&self, board: Board, allowance: Allowance, button: &StopButton) -> Choice {
        let thinking = Thinking {
            remaining: allowance.remaining,
            per_move: match allowance.remaining {
                Some(_) => None,
                None => allowance.longest(),
            },
            nodes: allowance.nodes,
            depth: self.policy().strength.level,
        };
        // A program that panicked has lost what it remembered, not its wits.
        let mut program = self.program.lock().unwrap_or_else(PoisonError::into_inner);
        program.choose(board, &thinking, button)
    }

    fn decide(&self, board: Board, allowance: Allowance, button: &StopButton) -> Decision {
        if board.legal_moves().is_empty() {
            return Decision::because(Reason::Pass, None);
        }
        if let Some(prescribed) = self.librarian.prescribed(board) {
            return prescribed;
        }
        let began = Timepiece::start();
        let allowed = self.librarian.allowed(board);
        if let Some(consulted) = self.librarian.consult(board, allowed) {
            let verified = if consulted.unknown.is_empty() {
                Verified::ByTheBook
            } else {
                Verified::No
            };
            return consulted.decision(verified, None);
        }
        let choice = self.think(board, allowance.after(began.elapsed()), button);
        Decision {
            value: choice.value,
            ..Decision::because(Reason::Thought(thought(&choice)), Some(choice.square))
        }
    }
}

fn thought(choice: &Choice) -> Thought {
    Thought {
        depth: choice.depth,
        nodes: choice.nodes,
        win_probability: choice.win_probability,
    }
}

impl Plays for Guest {
    fn title(&self) -> &'static str {
        self.listed.title
    }

    fn librarian(&self) -> &Librarian {
        &self.librarian
    }

    fn librarian_mut(&mut self) -> &mut Librarian {
        &mut self.librarian
    }

    fn begin_game(&mut self, number: u64) {
        self.librarian.begin_game(number);
        let program = self.program.get_mut();
        let program = program.unwrap_or_else(PoisonError::into_inner);
        program.begin_game(self.librarian.seed());
    }

    fn choose(&self, board: Board, allowance: Allowance, button: &StopButton) -> Decision {
        let began = Timepiece::start();
        let mut decision = self.decide(board, allowance, button);
        decision.time = began.elapsed();
        tracing::debug!(player = self.listed.name, %decision, "move chosen");
        decision
    }

    /// It tells one move, the one it would play.
    fn rank(
        &self,
        board: Board,
        _count: usize,
        allowance: Allowance,
        button: &StopButton,
        report: &mut dyn FnMut(&Ranking),
    ) -> Ranking {
        let began = Timepiece::start();
        let passes = board.must_pass();
        let asked = if passes { board.pass() } else { board };
        let mut ranking = Ranking {
            moves: Vec::new(),
            depth: 0,
            selectivity: None,
            solved: false,
            nodes: 0,
            time: Duration::ZERO,
        };
        if !asked.legal_moves().is_empty() {
            let choice = self.think(asked, allowance, button);
            let sign = if passes { -1 } else { 1 };
            ranking.moves.push(Ranked {
                square: choice.square,
                value: choice.value.map(|value| sign * value),
                line: vec![choice.square],
            });
            ranking.depth = choice.depth;
            ranking.nodes = choice.nodes;
        }
        ranking.time = began.elapsed();
        report(&ranking);
        ranking
    }

    fn longest(&self, _allowance: Allowance) -> Option<Duration> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{GameClock, Pace, Skill, TimeControl};
    use crate::othello::Position;

    fn guest(name: &str, policy: Policy) -> Box<dyn Plays> {
        let who: Who = name.parse().unwrap();
        let own = || -> Result<Searcher, std::convert::Infallible> { Ok(Searcher::new(1 << 20)) };
        who.make(policy, None, own).unwrap()
    }

    #[test]
    fn everybody_on_the_roster_and_our_own_engine_are_found_by_name() {
        for listed in Roster::ALL {
            let player = guest(listed.name, Policy::default());
            assert_eq!(player.title(), listed.title);
        }
        assert_eq!(guest("Emilia", Policy::default()).title(), "Emilia");
        let error = "nobody".parse::<Who>().unwrap_err().to_string();
        assert!(
            error.contains("iago") && error.contains("emilia"),
            "{error}"
        );
    }

    #[test]
    fn a_level_is_the_depth_and_the_thought_is_told() {
        let policy = Policy {
            strength: Skill::level(3),
            ..Policy::default()
        };
        let player = guest("iago", policy);
        let board = Board::START;
        let decision = player.choose(board, Allowance::default(), &StopButton::new());
        assert!(matches!(decision.reason, Reason::Thought(thought) if thought.depth == 3));
        let text = decision.to_string();
        assert!(text.contains("; depth 3, "), "{text}");
        assert!(decision.nodes().is_some_and(|nodes| nodes > 0));
        let ranking = player.rank(
            board,
            5,
            Allowance::default(),
            &StopButton::new(),
            &mut |_| {},
        );
        assert_eq!(ranking.best().map(|best| best.square), decision.square);
        assert_eq!(ranking.reach().to_string(), "3");
    }

    #[test]
    fn prescribed_lines_hold_for_guests_too_and_nobody_moves_where_nobody_can() {
        let mut policy = Policy::default();
        policy.lines.force("e6").unwrap();
        let player = guest("othellus-random", policy);
        let decision = player.choose(Board::START, Allowance::default(), &StopButton::new());
        assert_eq!(decision.reason, Reason::Prescribed);
        let full = Board::new(
            crate::othello::Bitboard::ALL,
            crate::othello::Bitboard::EMPTY,
        );
        let decision = player.choose(full.unwrap(), Allowance::default(), &StopButton::new());
        assert_eq!(decision.reason, Reason::Pass);
    }

    /// A game of a player against itself on a clock, whose flag must not fall.
    fn survives(name: &str, seconds: f64) {
        let control = TimeControl::sudden_death(Duration::from_secs_f64(seconds));
        let pace = Pace {
            control: Some(control),
            overhead: Duration::from_millis(5),
            ..Pace::default()
        };
        let player = guest(name, Policy::default());
        let mut clocks = [GameClock::new(control); 2];
        let mut position = Position::START;
        while !position.board.is_over() {
            let clock = &mut clocks[position.turn as usize];
            let allowance = pace.allowance(Some(clock), position.board.empty_count());
            let decision = player.choose(position.board, allowance, &StopButton::new());
            clock.spend(decision.time).expect(name);
            position = position.play(decision.square.unwrap()).expect(name);
        }
    }

    #[test]
    fn every_guest_plays_legal_moves_within_a_short_clock() {
        for listed in Roster::ALL {
            survives(listed.name, 1.0);
        }
    }
}
