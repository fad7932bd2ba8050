//! What becomes of wants and answers: whose they are, and that none is lost, late or twice.

use super::asking::{build, deepen, positions, take_in};
use super::scripted::{Ends, Impatient, Manner, Scripted, Then, Timekeeper, surviving};
use super::*;

fn wants(store: &Store) -> Vec<(NodeKey, Want)> {
    let reader = store.reader();
    let mut rows = reader.rows(Table::Wanted, None).unwrap();
    let mut all = Vec::new();
    while let Some(want) = rows.next_want().unwrap() {
        all.push(want);
    }
    all
}

fn errand(cause: Cause, level: u8) -> Errand {
    Errand::new(cause, level).unwrap()
}

fn answer(store: &Store, errand: Errand, who: &mut Scripted) -> Settled {
    answer_wants(store, who, Assignment::of(errand), &Timekeeper::default()).unwrap()
}

fn keys(lines: &[&str]) -> BTreeSet<NodeKey> {
    lines.iter().map(|line| key_after(line)).collect()
}

#[test]
fn what_another_errand_wants_is_left_to_it() {
    let (_folder, store) = new_store();
    let mut who = Scripted::new(Manner::PLAIN);
    build(&store, &["f5d6c3"], 2, &mut who);
    let upload = errand(Cause::Upload, 2);
    take_in(&store, &["f5d6c3d3c4"], Some(upload), &mut who);
    let theirs = wants(&store);
    let wanted: BTreeSet<NodeKey> = theirs.iter().map(|(key, _)| *key).collect();
    assert!(wanted.is_superset(&keys(&["f5d6c3d3c4", "f5d6c3d3"])));
    assert!(theirs.iter().all(|(_, want)| want.errand == upload));
    who.take_asked();

    let learn = errand(Cause::Learn, 2);
    take_in(&store, &["f5f6e6"], Some(learn), &mut who);
    assert!(answer(&store, learn, &mut who).finished);
    let asked = positions(&who.take_asked());
    assert!(asked.is_superset(&keys(&["f5f6e6", "f5f6"])));
    assert!(asked.is_disjoint(&keys(&["f5d6c3d3c4", "f5d6c3d3"])));
    assert_eq!(wants(&store), theirs);
    sound(&store);
    agrees_with_the_judge(&store, "beside wants of others");

    // Whoever answers everything answers them, and their own errand has nothing left to ask.
    deepen(&store, 2, &mut who);
    let asked = positions(&who.take_asked());
    assert!(asked.is_superset(&keys(&["f5d6c3d3c4", "f5d6c3d3"])));
    assert_eq!(wants(&store), []);
    assert_eq!(answer(&store, upload, &mut who).searched, 0);
}

#[test]
fn what_stands_in_the_way_is_answered_first_whoever_wants_it() {
    let (_folder, store) = new_store();
    let mut who = Scripted::new(Manner::PLAIN);
    let (upload, learn) = (errand(Cause::Upload, 2), errand(Cause::Learn, 2));
    take_in(&store, &["f5d6c3"], Some(upload), &mut who);
    take_in(&store, &["f5f6e6"], Some(learn), &mut who);
    assert!(answer(&store, learn, &mut who).finished);
    let asked = who.take_asked();
    assert_eq!(
        positions(&asked),
        keys(&["f5d6c3", "f5d6", "f5f6e6", "f5f6", "f5"])
    );
    let last = asked.last().unwrap();
    assert_eq!(last.position, key_after("f5"));
    let both: BTreeSet<Square> = ["d6", "f6"].map(|square| canonical("f5", square)).into();
    assert!(last.without.into_iter().eq(both));
    assert_eq!(answer(&store, upload, &mut who).searched, 0);
    assert_eq!(wants(&store), []);
}

#[test]
fn a_game_at_a_higher_level_is_searched_at_that_level_and_nothing_else_is() {
    let (_folder, store) = new_store();
    let mut who = Scripted::new(Manner::PLAIN);
    build(&store, &["f5d6c3d3c4", "f5f6e6f4"], 0, &mut who);
    build(&store, &["f5f6e6f4"], 1, &mut who);
    // After f5f6e6 there are two moves, and both lead to one position.
    let of_game = keys(&["f5", "f5f6", "f5f6e6f4"]);
    assert_eq!(positions(&who.take_asked()), of_game);
    build(&store, &["f5f6e6f4"], 3, &mut who);
    let asked = who.take_asked();
    assert_eq!(positions(&asked), of_game);
    assert!(asked.iter().all(|one| one.level == 3));
    agrees_with_the_judge(&store, "with half a book unsearched");
}

/// Some games, as text.
fn lines(seed: u64, count: usize, plies: usize) -> Vec<String> {
    let games = SampleGames::new(seed).take(count);
    games
        .map(|game| {
            game.moves()
                .iter()
                .take(plies)
                .map(Square::to_string)
                .collect()
        })
        .collect()
}

fn as_str(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

#[test]
fn late_repeated_and_unknown_answers_change_nothing() {
    let lines = lines(3, 15, 60);
    let (_plain, plain) = new_store();
    build(
        &plain,
        &as_str(&lines),
        2,
        &mut Scripted::new(Manner::PLAIN),
    );
    for seed in 0..4 {
        let manner = Manner {
            room: [1, 3, 40, 1000][seed as usize],
            ..Manner::DIFFICULT
        };
        let (_folder, store) = new_store();
        let mut who = Scripted::new(manner).seeded(seed);
        let settled = build(&store, &as_str(&lines), 2, &mut who);
        assert!(settled.finished && settled.failures.is_empty());
        assert_eq!(settled.searched, who.answered);
        assert!(raw_nodes(&store) == raw_nodes(&plain), "seed {seed}");
    }
}

#[test]
fn an_answer_to_what_was_asked_before_a_stop_is_not_taken_for_another() {
    let lines = lines(4, 10, 20);
    let (_plain, plain) = new_store();
    build(
        &plain,
        &as_str(&lines),
        2,
        &mut Scripted::new(Manner::PLAIN),
    );
    let (_folder, store) = new_store();
    let mut who = Scripted::new(Manner {
        room: 30,
        ..Manner::DIFFICULT
    });
    let building = errand(Cause::Build, 2);
    take_in(&store, &as_str(&lines), Some(building), &mut who);
    for calls in 1.. {
        // The analyst keeps what it was asked, and answers it in the middle of something else.
        let watcher = Impatient::after(calls, Then::Stops);
        let settled = answer_wants(&store, &mut who, Assignment::of(building), &watcher).unwrap();
        sound(&store);
        agrees_with_the_judge(&store, "after a stop");
        if settled.finished {
            assert!(calls > 5);
            break;
        }
    }
    assert!(raw_nodes(&store) == raw_nodes(&plain));
}

#[test]
fn a_question_that_fails_ends_with_a_failure_and_is_asked_again_by_the_same_call() {
    let (_folder, store) = new_store();
    let leaf = key_after("f5d6c3");
    let mut who = Scripted::new(Manner::PLAIN).refusing(move |one| one.position == leaf);
    let settled = build(&store, &["f5d6c3", "f5f6e6"], 2, &mut who);
    assert!(!settled.finished);
    let failed: Vec<_> = settled
        .failures
        .iter()
        .map(|one| (one.position, one.reason.as_str()))
        .collect();
    assert_eq!(failed, [(leaf, "I would rather not say")]);
    let asked = who.take_asked();
    assert_eq!(asked.iter().filter(|one| one.position == leaf).count(), 1);
    assert!(
        positions(&asked).is_superset(&keys(&["f5f6e6", "f5f6"])),
        "the others are answered"
    );
    assert_eq!(store.reader().wants(leaf).unwrap().len(), 1);
    sound(&store);
    agrees_with_the_judge(&store, "with a failure");
    // As long as it fails, the rest stays as it is.
    let before = raw_nodes(&store);
    let again = build(&store, &["f5d6c3", "f5f6e6"], 2, &mut who);
    assert!(!again.finished && again.failures == settled.failures);
    assert!(raw_nodes(&store) == before);

    let mut willing = Scripted::new(Manner::PLAIN);
    let settled = build(&store, &["f5d6c3", "f5f6e6"], 2, &mut willing);
    assert!(settled.finished && settled.failures.is_empty());
    assert_eq!(willing.asked[0], MovesQuestion::whole(leaf, 2));
    assert!(positions(&willing.asked).is_disjoint(&keys(&["f5f6e6", "f5f6"])));
    assert_eq!(wants(&store), []);
    sound(&store);
    agrees_with_the_judge(&store, "when it is answered");
}

#[test]
fn an_answer_that_does_not_fit_is_a_failure() {
    /// Says that a move is best that it was not asked about.
    struct Liar(Scripted);

    impl Analyst for Liar {
        fn engine(&self) -> &str {
            self.0.engine()
        }

        fn promises(&self, board: Board, level: u8) -> Level {
            self.0.promises(board, level)
        }

        fn workers(&self) -> usize {
            self.0.workers()
        }

        fn room(&self) -> usize {
            self.0.room()
        }

        fn ask(&mut self, questions: Vec<(QuestionId, Question)>) -> Result<(), AnalystError> {
            self.0.ask(questions)
        }

        fn next(&mut self, timeout: std::time::Duration) -> Result<Option<Reply>, AnalystError> {
            let reply = self.0.next(timeout)?;
            Ok(reply.map(|mut reply| {
                if let Ok(Finding::Moves(best)) = &mut reply.outcome {
                    best.square = Square::at(0, 0);
                }
                reply
            }))
        }
    }

    let (_folder, store) = new_store();
    let building = errand(Cause::Build, 2);
    take_in(
        &store,
        &["f5d6c3"],
        Some(building),
        &mut Scripted::new(Manner::PLAIN),
    );
    let before = raw_nodes(&store);
    let mut liar = Liar(Scripted::new(Manner::PLAIN));
    let watcher = Timekeeper::default();
    let settled = answer_wants(&store, &mut liar, Assignment::of(building), &watcher).unwrap();
    assert!(!settled.failures.is_empty() && !settled.finished);
    assert!(raw_nodes(&store) == before);
}

/// Builds with an analyst that fails on some questions, and then with one that does not.
#[test]
fn what_failed_and_was_answered_later_makes_the_same_book() {
    for seed in 0..6 {
        let lines = lines(seed, 8, 14);
        let (_plain, plain) = new_store();
        build(
            &plain,
            &as_str(&lines),
            2,
            &mut Scripted::new(Manner::PLAIN),
        );
        let (_folder, store) = new_store();
        let shy = Scripted::new(Manner::PLAIN);
        let mut shy = shy.refusing(move |one| one.position.board().hash() % 5 == seed % 5);
        assert!(
            !build(&store, &as_str(&lines), 2, &mut shy)
                .failures
                .is_empty()
        );
        sound(&store);
        agrees_with_the_judge(&store, "with failures");
        build(
            &store,
            &as_str(&lines),
            2,
            &mut Scripted::new(Manner::PLAIN),
        );
        assert_eq!(wants(&store), []);
        let expected = all_nodes(&plain);
        for (key, node) in all_nodes(&store) {
            assert_eq!(node, expected[&key], "seed {seed}: {key}");
        }
    }
}

#[test]
fn a_build_that_is_killed_after_any_answer_goes_on_with_it() {
    let lines = lines(6, 5, 10);
    let (_plain, plain) = new_store();
    let mut who = Scripted::new(Manner::PLAIN);
    build(&plain, &as_str(&lines), 2, &mut who);
    let total = who.answered;
    let (folder, store) = new_store();
    let mut store = Some(store);
    let mut answered = 0;
    for settles in [false, true].into_iter().cycle() {
        let mut who = Scripted::new(Manner {
            room: 2,
            ends: Ends::Dies(3),
            ..Manner::PLAIN
        });
        let done = surviving(|| build(store.as_ref().unwrap(), &as_str(&lines), 2, &mut who));
        answered += who.answered;
        drop(store.take());
        let reopened = store.insert(Store::open(folder.path()).unwrap());
        if done.is_some_and(|settled| settled.finished) {
            break;
        }
        assert!(answered < 3 * total, "no end is in sight");
        if settles {
            // Others settle books, and forget nothing by that.
            settle(reopened, &()).unwrap();
            sound(reopened);
            agrees_with_the_judge(reopened, "after a kill");
        }
    }
    assert!(raw_nodes(store.as_ref().unwrap()) == raw_nodes(&plain));
}

#[test]
fn a_higher_level_of_the_same_command_does_not_wait_for_the_lower_one() {
    let (_folder, store) = new_store();
    let mut who = Scripted::new(Manner::PLAIN);
    take_in(&store, &["f5d6c3"], Some(errand(Cause::Build, 1)), &mut who);
    build(&store, &["f5d6c3"], 3, &mut who);
    assert!(who.take_asked().iter().all(|one| one.level == 3));
    let settled = answer(&store, errand(Cause::Build, 1), &mut who);
    assert_eq!((settled.searched, settled.finished), (0, true));
    assert_eq!(wants(&store), []);
}

#[test]
fn what_another_engine_found_is_good_enough_unless_it_is_to_be_renewed() {
    let lines = lines(8, 8, 12);
    let (_folder, store) = new_store();
    build(
        &store,
        &as_str(&lines),
        2,
        &mut Scripted::new(Manner::PLAIN),
    );
    let mut other = Scripted::new(Manner::PLAIN).named("another");
    assert_eq!(deepen(&store, 2, &mut other).searched, 0);
    let assignment = Assignment {
        everything: true,
        renew: true,
        ..Assignment::of(errand(Cause::Deepen, 2))
    };
    let settled = answer_wants(&store, &mut other, assignment, &()).unwrap();
    assert!(settled.finished && settled.searched > 20);
    sound(&store);
    agrees_with_the_judge(&store, "when all is renewed");
    let again = answer_wants(&store, &mut other, assignment, &()).unwrap();
    assert_eq!(again.searched, 0);
    let number = store.reader().engines().unwrap().number("another").unwrap();
    let model = all_nodes(&store);
    for key in model.keys() {
        let promised = other.promises(key.board(), 2);
        let left = judge::still_asked(&model, *key, promised, |engine| engine == number);
        assert_eq!(left, None, "{key}");
    }
}

#[test]
fn a_position_that_was_a_leaf_is_searched_to_the_level_beside_its_move_of_the_book() {
    let (_folder, store) = new_store();
    // As a leaf it was searched deep; c3 was thought to be its best move.
    let mut who = Scripted::plain().says("f5d6c3", 500);
    build(&store, &["f5d6"], 3, &mut who);
    // Then c3 came in, was worth less, and what is beside it was searched at a lower level.
    who.tell_best("f5d6c3", -200);
    build(&store, &["f5d6c3"], 1, &mut who);
    let node = store.reader().node(key_after("f5d6")).unwrap().unwrap();
    let levels = (
        node.evaluation.unwrap().level.depth,
        node.alternative.unwrap().level.depth,
    );
    assert_eq!(levels, (3, 1));
    who.take_asked();
    build(&store, &["f5d6c3"], 2, &mut who);
    let asked = positions(&who.take_asked());
    assert!(asked.is_superset(&keys(&["f5d6c3", "f5d6"])), "{asked:?}");
}

#[test]
fn what_failed_is_waited_for_beyond_a_position_that_asks_nothing_itself() {
    // After f5f6e6 both moves lead to one position of the book.
    let (_folder, store) = new_store();
    build(&store, &["f5f6e6f4"], 1, &mut Scripted::new(Manner::PLAIN));
    let leaf = key_after("f5f6e6f4");
    let mut shy = Scripted::new(Manner::PLAIN).refusing(move |one| one.position == leaf);
    assert!(!deepen(&store, 3, &mut shy).finished);
    assert_eq!(positions(&shy.asked), [leaf].into());
    let mut willing = Scripted::new(Manner::PLAIN);
    assert!(deepen(&store, 3, &mut willing).finished);
    assert_eq!(positions(&willing.asked), keys(&["f5f6e6f4", "f5f6", "f5"]));
}
