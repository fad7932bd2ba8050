//! Layers overlap: what nobody has to wait for is asked while other answers are still out, and the
//! book that comes of it is the one that waiting makes.

use super::scripted::{Ends, Manner, Scripted, Timekeeper, surviving};
use super::*;
use std::time::Duration;

/// One question at a time: who asks so waits for every answer, and layers do not overlap.
const ONE_AT_A_TIME: Manner = Manner {
    room: 1,
    ..Manner::PLAIN
};

/// Two ways through the book, and a sweep that searches everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Queue,
    Sweep,
    Everything,
}

const WAYS: [Way; 3] = [Way::Queue, Way::Sweep, Way::Everything];

/// Games that come in, and how they are searched.
#[derive(Clone, Debug)]
struct Lesson {
    games: Vec<Game>,
    plies: u8,
    level: u8,
    way: Way,
}

impl Lesson {
    fn any(random: &mut Random) -> Lesson {
        let count = 1 + random.below(12) as usize;
        Lesson {
            games: SampleGames::new(random.next()).take(count).collect(),
            plies: [6, 12, 30, 60][random.below(4) as usize],
            level: 1 + random.below(3) as u8,
            way: WAYS[random.below(3) as usize],
        }
    }

    fn assignment(&self) -> Assignment {
        let cause = match self.way {
            Way::Queue | Way::Sweep => Cause::Build,
            Way::Everything => Cause::Deepen,
        };
        Assignment {
            everything: self.way == Way::Everything,
            ..Assignment::of(Errand::new(cause, self.level).unwrap())
        }
    }

    /// Takes the games in, with what they want.
    fn take_in(&self, store: &Store) {
        let plan = Plan {
            plies: self.plies,
            min_games: 1,
            games_at_once: 40,
        };
        let errand = Errand::new(Cause::Build, self.level);
        let searching = Searching {
            analyst: &mut Scripted::new(Manner::PLAIN),
            errand,
            correct: 0,
        };
        let mut learner = Learner::new(store, plan).searching(searching, &());
        learner.add(&self.games).unwrap();
        learner.finish().unwrap();
        if self.way == Way::Sweep {
            let mut batch = store.batch().unwrap();
            batch.raise_sweep(errand);
            batch.commit().unwrap();
        }
    }

    fn answer(&self, store: &Store, who: &mut dyn Analyst) -> Settled {
        answer_wants(store, who, self.assignment(), &Timekeeper::default()).unwrap()
    }
}

/// Some who answer many questions at once, in any order.
fn any_crowd(random: &mut Random) -> Scripted {
    let manner = Manner {
        room: [2, 5, 20, 100, 1000][random.below(5) as usize],
        late: random.below(4) > 0,
        twice: random.below(2) == 0,
        unasked: random.below(2) == 0,
        ..Manner::PLAIN
    };
    Scripted::new(manner).seeded(random.next())
}

/// What was asked, whenever that was.
fn sorted(asked: &[MovesQuestion]) -> Vec<QuestionId> {
    let id = |one: &MovesQuestion| QuestionId::of(&Question::Moves(*one), "scripted");
    let mut all: Vec<QuestionId> = asked.iter().map(id).collect();
    all.sort_unstable();
    all
}

fn assert_same(store: &Store, expected: &Store, when: &str) {
    for table in [Table::Nodes, Table::Wanted, Table::Dirty] {
        let is_same = raw_rows(store, table) == raw_rows(expected, table);
        assert!(is_same, "{when}: {table:?}");
    }
}

/// All positions from which this one can be reached, and itself.
fn above(store: &Store, key: NodeKey) -> BTreeSet<NodeKey> {
    let reader = store.reader();
    let mut finder = ParentFinder::new(&reader).unwrap();
    let mut all = BTreeSet::new();
    let mut left = vec![key];
    while let Some(key) = left.pop() {
        if all.insert(key) {
            left.extend(finder.find(key).unwrap());
        }
    }
    all
}

/// No position was asked before one below it.
pub(super) fn assert_from_below(asked: &[MovesQuestion], store: &Store, when: &str) {
    let mut before = BTreeSet::new();
    for one in asked {
        let is_first = above(store, one.position).is_disjoint(&before);
        assert!(is_first, "{when}: {one:?}");
        before.insert(one.position);
    }
}

#[test]
fn whoever_answers_in_whatever_order_the_questions_and_the_book_are_the_same() {
    let mut questions = 0;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let (_folder, expected) = new_store();
        let stores = [new_store(), new_store()];
        for step in 0..4 {
            let lesson = Lesson::any(&mut random);
            let mut alone = Scripted::new(ONE_AT_A_TIME);
            lesson.take_in(&expected);
            assert!(lesson.answer(&expected, &mut alone).finished);
            questions += alone.asked.len();
            for (_, store) in &stores {
                let when = format!("seed {seed}, step {step}, {:?}", lesson.way);
                let mut crowd = any_crowd(&mut random);
                lesson.take_in(store);
                let settled = lesson.answer(store, &mut crowd);
                assert!(settled.finished && settled.failures.is_empty(), "{when}");
                assert_eq!(settled.searched, crowd.answered, "{when}");
                assert_eq!(sorted(&crowd.asked), sorted(&alone.asked), "{when}");
                assert_same(store, &expected, &when);
                assert_from_below(&crowd.asked, &expected, &when);
            }
        }
    }
    assert!(questions > 2000, "{questions}");
}

/// Keeps one question until nobody asks anything else.
struct OneLast {
    others: Scripted,
    slow: NodeKey,
    kept: Option<(QuestionId, Question)>,
    /// What else had been asked when it was answered.
    meanwhile: BTreeSet<NodeKey>,
}

impl Analyst for OneLast {
    fn engine(&self) -> &str {
        self.others.engine()
    }

    fn promises(&self, board: Board, level: u8) -> Level {
        self.others.promises(board, level)
    }

    fn workers(&self) -> usize {
        self.others.workers()
    }

    fn room(&self) -> usize {
        self.others.room()
    }

    fn ask(&mut self, mut questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
        let is_slow = |(_, question): &(_, Question)| match question {
            Question::Moves(asked) => asked.position == self.slow,
            Question::Ending(_) => false,
        };
        if let Some(place) = questions.iter().position(is_slow) {
            self.kept = Some(questions.remove(place));
        }
        self.others.ask(questions)
    }

    fn next(&mut self, timeout: Duration) -> Result<Option<Reply>, AnalystError> {
        let reply = self.others.next(timeout)?;
        // Without a timeout, who asks has heard something and may ask more because of it.
        if reply.is_none() && !timeout.is_zero() {
            let asked = self.others.asked.iter().map(|one| one.position);
            if let Some(kept) = self.kept.take() {
                self.meanwhile = asked.collect();
                self.others.ask(vec![kept])?;
            }
        }
        Ok(reply)
    }
}

#[test]
fn only_what_is_above_it_waits_for_the_slowest_answer() {
    for way in WAYS {
        let lesson = Lesson {
            games: SampleGames::new(5).take(12).collect(),
            plies: 14,
            level: 2,
            way,
        };
        let (_expected, expected) = new_store();
        lesson.take_in(&expected);
        let mut alone = Scripted::new(ONE_AT_A_TIME);
        lesson.answer(&expected, &mut alone);
        // A leaf: the longest way up.
        let slow = alone.asked[0].position;
        let mut others: BTreeSet<NodeKey> = alone.asked.iter().map(|one| one.position).collect();
        let all = others.len();
        let waiting = above(&expected, slow);
        others.retain(|key| !waiting.contains(key));
        assert!(others.len() > all / 2 && others.len() + 10 < all);

        let (_folder, store) = new_store();
        lesson.take_in(&store);
        let manner = Manner {
            room: 40,
            ..Manner::PLAIN
        };
        let mut who = OneLast {
            others: Scripted::new(manner),
            slow,
            kept: None,
            meanwhile: BTreeSet::new(),
        };
        assert!(lesson.answer(&store, &mut who).finished);
        assert_eq!(who.meanwhile, others, "{way:?}");
        assert_same(&store, &expected, &format!("{way:?}"));
    }
}

#[test]
fn what_fails_stops_what_is_above_it_and_nothing_else_however_late_it_fails() {
    let mut failures = 0;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let lesson = Lesson::any(&mut random);
        let rarity = 3 + random.below(20);
        let refuses = move |one: &MovesQuestion| one.position.board().hash().is_multiple_of(rarity);
        let (_expected, expected) = new_store();
        let (_folder, store) = new_store();
        let mut alone = Scripted::new(ONE_AT_A_TIME).refusing(refuses);
        let mut crowd = any_crowd(&mut random).refusing(refuses);
        lesson.take_in(&expected);
        lesson.take_in(&store);
        let positions = |settled: &Settled| {
            let failed = settled.failures.iter().map(|one| one.position);
            failed.collect::<BTreeSet<NodeKey>>()
        };
        let failed = positions(&lesson.answer(&expected, &mut alone));
        let settled = lesson.answer(&store, &mut crowd);
        let when = format!("seed {seed}, {:?}", lesson.way);
        assert_eq!(positions(&settled), failed, "{when}");
        assert_eq!(settled.finished, failed.is_empty(), "{when}");
        assert_eq!(sorted(&crowd.asked), sorted(&alone.asked), "{when}");
        assert_same(&store, &expected, &when);
        failures += failed.len();

        let mut alone = Scripted::new(ONE_AT_A_TIME);
        let mut crowd = any_crowd(&mut random);
        assert!(lesson.answer(&expected, &mut alone).finished, "{when}");
        assert!(lesson.answer(&store, &mut crowd).finished, "{when}");
        assert_eq!(sorted(&crowd.asked), sorted(&alone.asked), "{when}");
        assert_same(&store, &expected, &format!("{when}, afterwards"));
    }
    assert!(failures > 50, "{failures}");
}

#[test]
fn a_pass_that_is_killed_or_stopped_with_many_answers_out_loses_nothing() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let lesson = Lesson::any(&mut random);
        let (_expected, expected) = new_store();
        lesson.take_in(&expected);
        lesson.answer(&expected, &mut Scripted::new(ONE_AT_A_TIME));
        let (folder, store) = new_store();
        lesson.take_in(&store);
        drop(store);
        for round in 0.. {
            let store = Store::open(folder.path()).unwrap();
            let after = 1 + random.below(40);
            let ends = match random.below(2) {
                0 => Ends::Dies(after),
                _ => Ends::Stops(after),
            };
            let manner = Manner {
                room: 50,
                ends: if round < 8 { ends } else { Ends::Never },
                ..Manner::DIFFICULT
            };
            let mut crowd = Scripted::new(manner).seeded(random.next());
            let settled = surviving(|| lesson.answer(&store, &mut crowd));
            if settled.is_some_and(|settled| settled.finished) {
                let when = format!("seed {seed}, round {round}, {:?}", lesson.way);
                assert_same(&store, &expected, &when);
                break;
            }
        }
    }
}
