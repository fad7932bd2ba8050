//! The exactness of propagation: random graphs of real positions, judged by the naive minimax.

use super::*;
use crate::othello::Bitboard;

/// Puts something random on a position, which may be new.
fn change(model: &mut Model, random: &mut Random, batch: &mut Batch<'_>, key: NodeKey) {
    let mark = if model.contains_key(&key) {
        Mark::Changed
    } else {
        Mark::New
    };
    let node = model.entry(key).or_insert(Node::new(Origin::Game));
    match random.below(4) {
        0 => {
            node.evaluation = Some(Evaluation {
                value: any_value(random),
                level: any_level(random),
                engine: EngineNumber(random.below(3) as u8),
            });
        }
        1 => node.alternative = Some(some_alternative(random, key)),
        2 => {
            node.evaluation = None;
            node.alternative = None;
        }
        _ => {}
    }
    batch.put_node(key, node);
    batch.mark(key, mark, None);
}

/// Any that a search could have found; a solved one may have looked at some of the moves only.
fn some_alternative(random: &mut Random, key: NodeKey) -> Alternative {
    let legal = key.board().legal_moves();
    let square = random.square(legal).unwrap();
    let found = match random.below(4) {
        0 => Found::NoneAbove(any_value(random)),
        1 => Found::AtLeast(square, any_value(random)),
        _ => Found::Move(square, any_value(random)),
    };
    let mut alternative = any_alternative(key, found, any_level(random));
    if alternative.level.solved {
        let some = legal.into_iter().filter(|_| random.below(3) > 0);
        alternative.among = some.collect::<Bitboard>().with(square);
    }
    alternative
}

/// Empties the queue: each position that is marked, and each with a move to one that has become
/// another for those above it, is looked at once. Then the book is what the judge says, and to the
/// byte what a full sweep says.
fn settle_and_judge(store: &Store, model: &mut Model, marked: &BTreeSet<NodeKey>, when: &str) {
    let stored = all_nodes(store);
    let new: BTreeSet<NodeKey> = marks(store, Mark::New);
    let settled = settle_by_queue(store, &()).unwrap();
    assert!(settled.finished);

    let expected = judged(model);
    for (key, node) in model.iter_mut() {
        node.derived = expected[key];
    }
    let is_news = |key: &NodeKey| {
        new.contains(key) || stored[key].derived.told() != model[key].derived.told()
    };
    let told: BTreeSet<NodeKey> = model.keys().copied().filter(is_news).collect();
    let hears = |key: &NodeKey| children(*key).iter().any(|child| told.contains(child));
    let hearers: BTreeSet<NodeKey> = model.keys().copied().filter(hears).collect();
    let looked_at = marked.union(&hearers).count() as u64;
    assert_eq!(settled.recomputed, looked_at, "{when}");

    let found = all_nodes(store);
    assert!(found.keys().eq(model.keys()), "{when}");
    for (key, node) in &found {
        assert_eq!(node, &model[key], "{when}: {key}");
    }
    let incremental = raw_nodes(store);
    let swept = sweep(store, &()).unwrap();
    assert_eq!((swept.changed, swept.recomputed), (0, found.len() as u64));
    assert_eq!(raw_nodes(store), incremental);
}

/// The positions that wait for this reason.
fn marks(store: &Store, why: Mark) -> BTreeSet<NodeKey> {
    let reader = store.reader();
    let rows = raw_rows(store, Table::Dirty);
    let marks = rows.iter().map(|(key, _)| reader.read_mark(key).unwrap());
    marks
        .filter(|(_, mark, _)| *mark == why)
        .map(|(key, ..)| key)
        .collect()
}

/// From nothing but what searches put in, a sweep gives the same bytes.
fn sweep_from_nothing(store: &Store, model: &Model) {
    let before = raw_nodes(store);
    let mut batch = store.batch().unwrap();
    for (key, node) in model {
        let derived = Derived::LEAF;
        batch.put_node(*key, &Node { derived, ..*node });
    }
    batch.commit().unwrap();
    sweep(store, &()).unwrap();
    assert_eq!(raw_nodes(store), before);
}

/// Random inserts and value changes on one universe; after every batch the three agree.
fn drive(seed: u64, universe: &[NodeKey], batches: usize, per_batch: u64) -> u64 {
    let mut random = Random::new(seed);
    let (_folder, store) = new_store();
    let mut model = Model::new();
    let mut operations = 0;
    for number in 0..batches {
        let mut marked = BTreeSet::new();
        let mut batch = store.batch().unwrap();
        for _ in 0..1 + random.below(per_batch) {
            operations += 1;
            let key = universe[random.below(universe.len() as u64) as usize];
            change(&mut model, &mut random, &mut batch, key);
            marked.insert(key);
        }
        batch.commit().unwrap();
        let when = format!("seed {seed}, batch {number}");
        settle_and_judge(&store, &mut model, &marked, &when);
    }
    let findings = check(&store, &()).unwrap();
    let only_orphans = |v: &Violation| matches!(v, Violation::Orphan(_));
    assert!(findings.violations.iter().all(only_orphans), "{findings:?}");
    sweep_from_nothing(&store, &model);
    operations
}

#[test]
fn queue_sweep_and_naive_minimax_agree_on_openings() {
    let openings = universe(NodeKey::of(Board::START), 6, 600);
    let done: u64 = (0..6).map(|seed| drive(seed, &openings, 20, 200)).sum();
    assert!(done > 10_000, "{done}");
}

#[test]
fn queue_sweep_and_naive_minimax_agree_on_endings_with_passes() {
    let mut random = Random::new(99);
    let mut done = 0;
    for seed in 100..118 {
        let empties = 4 + random.below(5) as u32;
        let root = late_position(&mut random, empties);
        let endings = universe(root, 8, 800);
        done += drive(seed, &endings, 15, 120);
    }
    assert!(done > 12_000, "{done}");
}

/// The positions of a game that are learned to this ply, each once.
fn line(game: &Game, plies: u8) -> Vec<NodeKey> {
    let mut position = game.start();
    let mut keys = vec![NodeKey::of(position.board)];
    for square in game.moves().iter().take(plies.into()) {
        position = position.play(*square).unwrap();
        if !position.board.legal_moves().is_empty() {
            keys.push(NodeKey::of(position.board));
        }
    }
    keys
}

#[test]
fn queue_sweep_and_naive_minimax_agree_while_games_are_learned_again_and_deeper() {
    let games: Vec<Game> = SampleGames::new(21).take(320).collect();
    let mut random = Random::new(21);
    let (_folder, store) = new_store();
    // A beginning large enough that what follows goes through the queue.
    learn_all(&store, &games[..290], 20, 1);
    let mut plies_of = vec![Some(20); 290];
    plies_of.resize(games.len(), None);
    let mut model = all_nodes(&store);
    let known: BTreeSet<NodeKey> = games[..290].iter().flat_map(|g| line(g, 20)).collect();
    assert!(model.keys().eq(&known));

    for number in 0..40 {
        let mut marked = BTreeSet::new();
        for _ in 0..1 + random.below(2) {
            let place = random.below(games.len() as u64) as usize;
            let plan = Plan {
                plies: 12 + random.below(14) as u8,
                min_games: 1,
                games_at_once: 1,
            };
            let mut learner = Learner::new(&store, plan);
            learner.add(&games[place..=place]).unwrap();
            learner.finish().unwrap();
            plies_of[place] = plies_of[place].max(Some(plan.plies));
            for key in line(&games[place], plan.plies) {
                model.entry(key).or_insert_with(|| {
                    marked.insert(key);
                    Node::new(Origin::Game)
                });
            }
        }
        assert!(!store.reader().flag(Flag::SweepDue).unwrap());
        let keys: Vec<NodeKey> = model.keys().copied().collect();
        let mut batch = store.batch().unwrap();
        for _ in 0..random.below(120) {
            let key = keys[random.below(keys.len() as u64) as usize];
            change(&mut model, &mut random, &mut batch, key);
            marked.insert(key);
        }
        batch.commit().unwrap();
        settle_and_judge(&store, &mut model, &marked, &format!("batch {number}"));
    }
    sound(&store);
    sweep_from_nothing(&store, &model);

    // However often a game was given, it counts once.
    let mut counts: BTreeMap<NodeKey, u32> = BTreeMap::new();
    for (game, plies) in games.iter().zip(plies_of) {
        for key in plies.into_iter().flat_map(|plies| line(game, plies)) {
            *counts.entry(key).or_default() += 1;
        }
    }
    for (key, count) in counts {
        let statistics = store.reader().statistics(key).unwrap();
        assert_eq!(statistics.map(|found| found.games), Some(count), "{key}");
    }
}

#[test]
fn parents_are_exactly_the_positions_with_a_move_there() {
    let mut random = Random::new(5);
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
