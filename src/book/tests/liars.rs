//! Somebody who answers is found out to be wrong: the book ends as if they had never been asked.

use super::asking::{build, take_in};
use super::scripted::Scripted;
use super::*;
use crate::othello::Board;
use std::time::Duration;

/// Several who answer, all as the scripted one does, but one of them says something else now and
/// then, until that is found out.
struct Village {
    honest: Scripted,
    answers: u32,
    /// Found out after so many answers; at the end at the latest.
    found_out_after: u32,
    is_found_out: bool,
    lies: u32,
}

const NAMES: [&str; 3] = ["anna", "berta", "carla"];
const LIAR: &str = "berta";

impl Village {
    fn new(found_out_after: u32) -> Village {
        Village {
            honest: Scripted::plain(),
            answers: 0,
            found_out_after,
            is_found_out: false,
            lies: 0,
        }
    }
}

impl Analyst for Village {
    fn engine(&self) -> &str {
        self.honest.engine()
    }

    fn promises(&self, board: Board, level: u8) -> Level {
        self.honest.promises(board, level)
    }

    fn workers(&self) -> usize {
        3
    }

    fn room(&self) -> usize {
        self.honest.room()
    }

    fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
        self.honest.ask(questions)
    }

    fn next(&mut self, timeout: Duration) -> Result<Option<Reply>, AnalystError> {
        let Some(mut reply) = self.honest.next(timeout)? else {
            return Ok(None);
        };
        self.answers += 1;
        let mut name = NAMES[self.answers as usize % NAMES.len()];
        if name == LIAR && self.is_found_out {
            name = NAMES[0];
        }
        if name == LIAR
            && self.answers.is_multiple_of(2)
            && let Ok(Finding::Moves(best)) = &mut reply.outcome
        {
            let wrong = (best.value.centidiscs() + 900).min(6000);
            best.value = value(wrong);
            self.lies += 1;
        }
        reply.by = Some(name.into());
        Ok(Some(reply))
    }

    fn found_out(&mut self) -> Vec<Witness> {
        if self.is_found_out || self.answers < self.found_out_after {
            return Vec::new();
        }
        self.is_found_out = true;
        vec![LIAR.into()]
    }

    fn vouch(&mut self, _: Duration) -> Result<bool, AnalystError> {
        let is_sure = self.is_found_out;
        self.found_out_after = 0;
        Ok(is_sure)
    }
}

fn lines() -> Vec<String> {
    let text = |game: Game| game.moves().iter().map(ToString::to_string).collect();
    SampleGames::new(8).take(14).map(text).collect()
}

#[test]
fn a_build_ends_as_if_the_liar_had_never_been_there() {
    let lines = lines();
    let lines: Vec<&str> = lines.iter().map(|line| &line[..40]).collect();
    let (_folder, honest) = new_store();
    build(&honest, &lines, 3, &mut Scripted::plain());
    let expected = raw_rows(&honest, Table::Nodes);
    let mut most_lies = 0;
    for found_out_after in [1, 2, 5, 11, 30, 70, 150, u32::MAX] {
        let (_folder, store) = new_store();
        let errand = Errand::new(Cause::Build, 3).unwrap();
        take_in(&store, &lines, Some(errand), &mut Scripted::plain());
        let mut village = Village::new(found_out_after);
        let settled = answer_wants(&store, &mut village, Assignment::of(errand), &()).unwrap();
        assert!(settled.finished && village.is_found_out);
        most_lies = most_lies.max(village.lies);
        let found = raw_rows(&store, Table::Nodes);
        assert!(found == expected, "found out after {found_out_after}");
        assert!(raw_rows(&store, Table::Wanted).is_empty());
        store
            .reader()
            .for_each_journal_entry(|_, key, _| panic!("{key:?} is still in the journal"))
            .unwrap();
    }
    assert!(most_lies > 20, "{most_lies}");
}

#[test]
fn a_stopped_run_can_still_take_back_what_was_said_before_it() {
    let lines = lines();
    let lines: Vec<&str> = lines.iter().map(|line| &line[..30]).collect();
    let (_folder, honest) = new_store();
    build(&honest, &lines, 3, &mut Scripted::plain());
    let (_other, store) = new_store();
    let errand = Errand::new(Cause::Build, 3).unwrap();
    take_in(&store, &lines, Some(errand), &mut Scripted::plain());
    let stopped = super::scripted::Impatient::after(25, super::scripted::Then::Stops);
    let mut village = Village::new(u32::MAX);
    let settled = answer_wants(&store, &mut village, Assignment::of(errand), &stopped).unwrap();
    assert!(!settled.finished && village.lies > 0);
    // The next run hears of it before its first answer.
    let mut village = Village::new(0);
    answer_wants(&store, &mut village, Assignment::of(errand), &()).unwrap();
    assert!(raw_rows(&store, Table::Nodes) == raw_rows(&honest, Table::Nodes));
}

/// More games come into a book that is searched: what drops is asked again, and only that.
#[test]
fn drops_that_a_lie_hid_or_made_are_asked_as_if_it_had_never_been_said() {
    let lines = lines();
    let (first, second): (Vec<&str>, Vec<&str>) = (
        lines.iter().map(|line| &line[..30]).collect(),
        lines.iter().map(|line| &line[..44]).collect(),
    );
    let begin = || {
        let (folder, store) = new_store();
        build(&store, &first[..9], 3, &mut Scripted::plain());
        (folder, store)
    };
    let errand = Errand::new(Cause::Learn, 2).unwrap();
    let (_folder, honest) = begin();
    take_in(&honest, &second, Some(errand), &mut Scripted::plain());
    answer_wants(&honest, &mut Scripted::plain(), Assignment::of(errand), &()).unwrap();
    let mut lies = 0;
    for found_out_after in [1, 3, 8, 20, 50, 120, u32::MAX] {
        let (_folder, store) = begin();
        take_in(&store, &second, Some(errand), &mut Scripted::plain());
        let mut village = Village::new(found_out_after);
        answer_wants(&store, &mut village, Assignment::of(errand), &()).unwrap();
        lies += village.lies;
        let same = raw_rows(&store, Table::Nodes) == raw_rows(&honest, Table::Nodes);
        assert!(same, "found out after {found_out_after}");
    }
    assert!(lies > 30, "{lies}");
}
