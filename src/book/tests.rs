//! The exactness of propagation: random graphs of real positions, judged by a naive minimax that
//! shares nothing with the rule but its words.

use super::*;
use crate::games::SampleGames;
use crate::othello::{Board, Position, Score, Square};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tempfile::TempDir;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn value(&mut self) -> Value {
        Value::new(self.below(4001) as i32 - 2000).unwrap()
    }

    fn level(&mut self) -> Level {
        Level {
            depth: self.below(30) as u8,
            selectivity: 68,
            solved: self.below(4) == 0,
        }
    }
}

fn children(key: NodeKey) -> Vec<NodeKey> {
    edges(key.board())
        .into_iter()
        .filter_map(|edge| match edge.to {
            Destination::Position { key, .. } => Some(key),
            Destination::End(_) => None,
        })
        .collect()
}

/// All positions within some moves of one, by layer.
fn universe(root: NodeKey, plies: usize, limit: usize) -> Vec<NodeKey> {
    let mut all = BTreeSet::from([root]);
    let mut layer = all.clone();
    for _ in 0..plies {
        layer = layer.iter().flat_map(|key| children(*key)).collect();
        all.extend(layer.iter().take(limit.saturating_sub(all.len())));
    }
    all.into_iter().collect()
}

/// A position some moves before the end of a random game: passes and ends are near.
fn late_position(random: &mut Random, empties: u32) -> NodeKey {
    loop {
        let mut position = Position::START;
        loop {
            let moves: Vec<Square> = position.board.legal_moves().into_iter().collect();
            if moves.is_empty() {
                break;
            }
            if position.board.empty_count() == empties {
                return NodeKey::of(position.board);
            }
            let square = moves[random.below(moves.len())];
            position = position.play(square).unwrap();
        }
    }
}

type Model = BTreeMap<NodeKey, Node>;

/// Minimax as one would write it on a board: every legal move is tried, recursively.
fn naive(model: &Model, key: NodeKey, memo: &mut HashMap<NodeKey, Derived>) -> Derived {
    if let Some(known) = memo.get(&key) {
        return *known;
    }
    let node = &model[&key];
    let board = key.board();
    let mut candidates: Vec<(i32, Square)> = Vec::new();
    let mut lowers = vec![-64];
    let mut uppers = Vec::new();
    let mut lines: HashMap<NodeKey, u32> = HashMap::new();
    let mut unknown_moves = Vec::new();
    for square in board.legal_moves() {
        let played = board.play(square).unwrap();
        let (next, sign) = if played.legal_moves().is_empty() {
            (played.pass(), 1)
        } else {
            (played, -1)
        };
        if next.legal_moves().is_empty() {
            // `next` is seen by the player who moved.
            let score = next.final_score().discs();
            candidates.push((100 * score, square));
            lowers.push(score);
            uppers.push(score);
        } else if model.contains_key(&NodeKey::of(next)) {
            let child = naive(model, NodeKey::of(next), memo);
            if let Some(value) = child.value {
                candidates.push((sign * value.centidiscs(), square));
            }
            let ends = [child.bounds.lower, child.bounds.upper].map(|b| sign * b.discs());
            lowers.push(ends[0].min(ends[1]));
            uppers.push(ends[0].max(ends[1]));
            lines.insert(NodeKey::of(next), child.lines);
        } else {
            unknown_moves.push(square);
        }
    }
    let round_down = |v: Value| (f64::from(v.centidiscs()) / 100.0).floor() as i32;
    let round_up = |v: Value| (f64::from(v.centidiscs()) / 100.0).ceil() as i32;
    let mut rest = 64;
    match node.alternative.map(|a| (a.found, a.level.solved)) {
        Some((Found::Move(square, value), solved)) => {
            let in_book = board.legal_moves().contains(square) && !unknown_moves.contains(&square);
            if !in_book {
                candidates.push((value.centidiscs(), square));
                if solved {
                    lowers.push(round_down(value));
                }
            }
            if solved {
                rest = round_up(value);
            }
        }
        Some((Found::NoneAbove(value), true)) => rest = round_up(value),
        _ => {}
    }
    if !unknown_moves.is_empty() {
        uppers.push(rest);
    }
    let mut lower = lowers.into_iter().max().unwrap();
    let mut upper = uppers.into_iter().max().unwrap();
    if let Some(own) = node.evaluation.filter(|own| own.level.solved) {
        lower = lower.max(round_down(own.value));
        upper = upper.min(round_up(own.value));
    }
    upper = upper.max(lower);
    let top = candidates.iter().map(|c| c.0).max();
    let raw = top.or(node.evaluation.map(|own| own.value.centidiscs()));
    let value = raw.map(|raw| raw.clamp(100 * lower, 100 * upper));
    // The first of the best: legal moves come by square, the alternative after them.
    let best = candidates
        .iter()
        .find(|c| Some(c.0) == top)
        .filter(|c| value.is_some_and(|value| value <= c.0))
        .map(|c| c.1);
    let derived = Derived {
        value: value.and_then(Value::new),
        best,
        bounds: Bounds {
            lower: Score::new(lower).unwrap(),
            upper: Score::new(upper).unwrap(),
        },
        lines: lines
            .values()
            .fold(0u32, |a, b| a.saturating_add(*b))
            .max(1),
    };
    memo.insert(key, derived);
    derived
}

fn all_nodes(store: &Store) -> Model {
    let reader = store.reader();
    let mut rows = reader.rows(Table::Nodes, None).unwrap();
    let mut all = Model::new();
    while let Some((key, node)) = rows.next_node().unwrap() {
        all.insert(key, node);
    }
    all
}

/// The raw bytes of the nodes: what "identical" means.
fn raw_nodes(store: &Store) -> Vec<(Vec<u8>, Vec<u8>)> {
    let reader = store.reader();
    let mut rows = reader.rows(Table::Nodes, None).unwrap();
    let mut all = Vec::new();
    while let Some((key, value)) = rows.next_row().unwrap() {
        all.push((key.to_vec(), value.to_vec()));
    }
    all
}

fn new_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(folder.path()).unwrap();
    (folder, store)
}

/// Random inserts and value changes on one universe; after every batch the three agree.
fn drive(seed: u64, universe: &[NodeKey], batches: usize, per_batch: usize) -> usize {
    let mut random = Random(seed);
    let (_folder, store) = new_store();
    let mut model = Model::new();
    let mut operations = 0;
    for number in 0..batches {
        let mut marked = BTreeSet::new();
        let mut batch = store.batch().unwrap();
        for _ in 0..1 + random.below(per_batch) {
            operations += 1;
            let key = universe[random.below(universe.len())];
            let mark = if model.contains_key(&key) {
                Mark::Changed
            } else {
                Mark::New
            };
            let node = model.entry(key).or_insert(Node::new(Origin::Game));
            match random.below(4) {
                0 => {
                    node.evaluation = Some(Evaluation {
                        value: random.value(),
                        level: random.level(),
                    });
                }
                1 => {
                    let moves: Vec<Square> = key.board().legal_moves().into_iter().collect();
                    let found = if random.below(3) == 0 {
                        Found::NoneAbove(random.value())
                    } else {
                        Found::Move(moves[random.below(moves.len())], random.value())
                    };
                    node.alternative = Some(Alternative {
                        found,
                        level: random.level(),
                    });
                }
                2 => {
                    node.evaluation = None;
                    node.alternative = None;
                }
                _ => {}
            }
            batch.put_node(key, node);
            batch.mark(key, mark);
            marked.insert(key);
        }
        batch.commit().unwrap();
        let settled = settle_by_queue(&store, &()).unwrap();
        assert!(settled.finished);

        // Every marked position and every ancestor, once each at the most.
        let mut ancestors = marked.clone();
        for (key, _) in model.iter().rev() {
            if children(*key).iter().any(|child| ancestors.contains(child)) {
                ancestors.insert(*key);
            }
        }
        assert!(settled.recomputed <= ancestors.len() as u64, "seed {seed}");
        assert!(settled.recomputed >= marked.len() as u64);

        let mut memo = HashMap::new();
        let keys: Vec<NodeKey> = model.keys().copied().collect();
        for key in &keys {
            let derived = naive(&model, *key, &mut memo);
            assert_eq!(
                store.reader().node(*key).unwrap().unwrap().derived,
                derived,
                "seed {seed}, batch {number}, {key}"
            );
        }
        for key in keys {
            model.get_mut(&key).unwrap().derived = memo[&key];
        }
        if number % 5 == 4 {
            let incremental = raw_nodes(&store);
            let swept = sweep(&store, &()).unwrap();
            assert_eq!(swept.changed, 0, "seed {seed}, batch {number}");
            assert_eq!(swept.recomputed, model.len() as u64);
            assert_eq!(raw_nodes(&store), incremental);
            let findings = check(&store, &()).unwrap();
            let only_orphans = |v: &Violation| matches!(v, Violation::Orphan(_));
            assert!(findings.violations.iter().all(only_orphans), "{findings:?}");
        }
    }
    assert_eq!(all_nodes(&store), model);

    // From nothing but what searches put in, the sweep gives the same bytes.
    let incremental = raw_nodes(&store);
    let mut batch = store.batch().unwrap();
    for (key, node) in &model {
        let derived = Derived::LEAF;
        batch.put_node(*key, &Node { derived, ..*node });
    }
    batch.commit().unwrap();
    sweep(&store, &()).unwrap();
    assert_eq!(raw_nodes(&store), incremental, "seed {seed}");
    operations
}

#[test]
fn queue_sweep_and_naive_minimax_agree_on_openings() {
    let openings = universe(NodeKey::of(Board::START), 6, 600);
    let done: usize = (0..6).map(|seed| drive(seed, &openings, 20, 60)).sum();
    assert!(done > 2500, "{done}");
}

#[test]
fn queue_sweep_and_naive_minimax_agree_on_endings_with_passes() {
    let mut random = Random(99);
    let mut done = 0;
    for seed in 100..118 {
        let empties = 4 + random.below(5) as u32;
        let root = late_position(&mut random, empties);
        let endings = universe(root, 8, 800);
        done += drive(seed, &endings, 15, 80);
    }
    assert!(done > 8000, "{done}");
}

#[test]
fn parents_are_exactly_the_positions_with_a_move_there() {
    let mut random = Random(5);
    for round in 0..12 {
        let positions = if round == 0 {
            universe(NodeKey::of(Board::START), 5, 500)
        } else {
            let empties = 5 + random.below(30) as u32;
            universe(late_position(&mut random, empties), 3, 500)
        };
        let (_folder, store) = new_store();
        let mut batch = store.batch().unwrap();
        for key in &positions {
            batch.put_node(*key, &Node::new(Origin::Import));
        }
        batch.commit().unwrap();
        let mut expected: HashMap<NodeKey, BTreeSet<NodeKey>> = HashMap::new();
        for key in &positions {
            for child in children(*key) {
                expected.entry(child).or_default().insert(*key);
            }
        }
        let reader = store.reader();
        let mut finder = ParentFinder::new(&reader).unwrap();
        for (key, parents) in expected {
            let found = finder.find(key).unwrap();
            assert!(found.into_iter().eq(parents), "{key}");
        }
    }
}

fn learn_all(store: &Store, games: &[crate::games::Game], plies: u8, min_games: u32) -> Learned {
    let plan = Plan {
        plies,
        min_games,
        games_at_once: 40,
    };
    let mut learner = Learner::new(store, plan);
    learner.add(games).unwrap();
    let learned = learner.finish().unwrap();
    assert!(settle(store, &()).unwrap().finished);
    learned
}

fn sound(store: &Store) -> Findings {
    let findings = check(store, &()).unwrap();
    assert!(findings.is_sound(), "{:?}", findings.violations);
    assert_eq!((findings.waiting, findings.sweep_due), (0, false));
    findings
}

#[test]
fn learning_twice_changes_nothing_and_deeper_adds_only_what_is_deeper() {
    let games: Vec<_> = SampleGames::new(3).take(150).collect();
    let (_a, once) = new_store();
    let learned = learn_all(&once, &games, 30, 1);
    assert_eq!((learned.games, learned.known), (150, 0));
    let findings = sound(&once);
    assert_eq!(findings.games, 150);
    assert_eq!(findings.positions, learned.positions);
    let start = NodeKey::of(Board::START);
    let statistics = once.reader().statistics(start).unwrap().unwrap();
    assert_eq!(statistics.games, 150);

    let before = raw_nodes(&once);
    let again = learn_all(&once, &games, 30, 1);
    assert_eq!((again.games, again.known, again.positions), (0, 150, 0));
    assert_eq!(raw_nodes(&once), before);
    assert_eq!(once.reader().statistics(start).unwrap(), Some(statistics));

    let (_b, stepwise) = new_store();
    learn_all(&stepwise, &games[..70], 10, 1);
    learn_all(&stepwise, &games[50..], 20, 1);
    learn_all(&stepwise, &games, 30, 1);
    assert_eq!(raw_nodes(&stepwise), before);
    assert_eq!(sound(&stepwise).statistics, findings.statistics);
    let reader = stepwise.reader();
    assert_eq!(reader.statistics(start).unwrap(), Some(statistics));
}

#[test]
fn a_number_of_games_is_needed_whatever_their_order() {
    let games: Vec<_> = SampleGames::new(4).take(120).collect();
    let mut reversed = games.clone();
    reversed.reverse();
    let (_a, forwards) = new_store();
    learn_all(&forwards, &games, 20, 3);
    let (_b, backwards) = new_store();
    learn_all(&backwards, &reversed, 20, 3);
    assert_eq!(raw_nodes(&forwards), raw_nodes(&backwards));
    sound(&forwards);
    for key in all_nodes(&forwards).keys() {
        let games = forwards.reader().statistics(*key).unwrap().unwrap().games;
        assert!(games >= 3, "{key}: {games}");
    }
    // A lower number later brings in what was held back.
    learn_all(&forwards, &games, 20, 1);
    let (_c, all) = new_store();
    learn_all(&all, &games, 20, 1);
    assert_eq!(raw_nodes(&forwards), raw_nodes(&all));
}

#[test]
fn a_few_more_games_go_through_the_queue_and_give_the_same_book() {
    let games: Vec<_> = SampleGames::new(6).take(400).collect();
    let (_a, grown) = new_store();
    learn_all(&grown, &games[..399], 40, 1);
    grown.compact().unwrap();
    let plan = Plan {
        plies: 40,
        min_games: 1,
        games_at_once: 100,
    };
    let mut learner = Learner::new(&grown, plan);
    learner.add(&games[399..]).unwrap();
    learner.finish().unwrap();
    assert!(!grown.reader().flag(Flag::SweepDue).unwrap());
    let waiting = check(&grown, &()).unwrap();
    assert!(waiting.waiting > 0);
    assert!(waiting.is_sound(), "{:?}", waiting.violations);
    settle(&grown, &()).unwrap();
    sound(&grown);
    let (_b, at_once) = new_store();
    learn_all(&at_once, &games, 40, 1);
    assert_eq!(raw_nodes(&grown), raw_nodes(&at_once));
}

#[test]
fn a_check_names_what_is_wrong_and_a_repair_mends_it() {
    let games: Vec<_> = SampleGames::new(8).take(40).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 20, 1);
    let good = raw_nodes(&store);
    let (key, node) = all_nodes(&store).into_iter().nth(30).unwrap();
    let mut wrong = node;
    wrong.derived.value = Value::new(123);
    wrong.derived.lines += 7;
    let over = Board::new(
        crate::othello::Bitboard(0xff),
        crate::othello::Bitboard::EMPTY,
    );
    let mut batch = store.batch().unwrap();
    batch.put_node(key, &wrong);
    batch.put_node(NodeKey::of(over.unwrap()), &Node::new(Origin::Import));
    batch.add_statistics(
        NodeKey::of(Board::START),
        &Statistics {
            wins: 5,
            ..Statistics::default()
        },
    );
    batch.commit().unwrap();
    let findings = check(&store, &()).unwrap();
    let told: Vec<String> = findings.violations.iter().map(|v| v.to_string()).collect();
    for words in [
        "the value is +1.23",
        "the number of lines is",
        "nobody who is to move",
        "40 games, but 45 results",
    ] {
        assert!(
            told.iter().any(|text| text.contains(words)),
            "{words}: {told:?}"
        );
    }
    assert_eq!(
        repair(&store, &()).unwrap(),
        1,
        "the position where nobody moves"
    );
    assert_eq!(raw_nodes(&store), good);
}

#[test]
fn an_answer_comes_in_the_orientation_of_the_question() {
    let games: Vec<_> = SampleGames::new(9).take(60).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 20, 1);
    // An alternative on the position after f5, best of all.
    let after = |square: &str| Position::START.play(square.parse().unwrap()).unwrap();
    let key = NodeKey::of(after("f5").board);
    let mut node = store.reader().node(key).unwrap().unwrap();
    let d6 = NodeKey::with_symmetry(after("f5").board)
        .1
        .apply_to_square("d6".parse().unwrap());
    node.evaluation = None;
    node.alternative = Some(Alternative {
        found: Found::Move(d6, Value::new(300).unwrap()),
        level: Level {
            depth: 12,
            selectivity: 82,
            solved: false,
        },
    });
    let mut batch = store.batch().unwrap();
    batch.put_node(key, &node);
    batch.mark(key, Mark::Changed);
    batch.commit().unwrap();
    settle_by_queue(&store, &()).unwrap();
    let in_book = |answer: &Answer, square: &str| {
        let square: Square = square.parse().unwrap();
        let found = answer.moves.iter().find(|m| m.square == square).unwrap();
        (found.known, found.statistics, found.lines)
    };
    let reader = store.reader();
    let twins = [("f5", "d6"), ("c4", "e3"), ("e6", "f4"), ("d3", "c5")];
    let answers = twins.map(|(first, reply)| {
        let answer = query(&reader, after(first)).unwrap();
        assert_eq!(answer.moves.len(), 3);
        (
            in_book(&answer, reply),
            answer.best.map(|s| s.to_string()),
            reply,
        )
    });
    for (facts, best, reply) in &answers {
        assert_eq!(*facts, answers[0].0);
        if let Some(best) = best {
            assert_eq!(best, reply);
        }
    }
    let start = query(&reader, Position::START).unwrap();
    let games: u32 = start.statistics.unwrap().games;
    assert_eq!(games, 60);
    assert!(
        start
            .moves
            .iter()
            .all(|m| m.statistics.unwrap().games == 60)
    );
    assert!(start.moves.iter().all(|m| m.ways_in == Some(1)));
    let wins = start.statistics.unwrap().wins;
    assert_eq!(start.moves[0].statistics.unwrap().wins, wins);
}
