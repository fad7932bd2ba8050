//! What a book goes through in its life, at random: games, other books and files come in, positions
//! go, searches are made by whoever, and all of it is interrupted anywhere. After every step the
//! book is what the judge says, and where everything was finished in the end it has the bytes of a
//! book that was never interrupted.
//!
//! `EMILIA_HISTORIES=500` runs more of them, `EMILIA_HISTORIES=200-300` others, `17-18` that
//! one alone.

use super::judge::{result_of, still_asked};
use super::scripted::{Ends, Impatient, Manner, SOLVES, Scripted, Then, Timekeeper, surviving};
use super::*;
use crate::engine::{
    Course, Expansion, GrowError, Reach, Side, Taste, deviate, expand, learn_game, play_out, prove,
};
use std::ops::Range;

/// Steps of one history.
const STEPS: usize = 12;

/// Which histories are run; as many unless somebody says otherwise.
fn seeds(usual: u64) -> Range<u64> {
    let Ok(wish) = std::env::var("EMILIA_HISTORIES") else {
        return 0..usual;
    };
    let (first, end) = wish.split_once('-').unwrap_or(("0", &wish));
    first.parse().expect("a number")..end.parse().expect("a number")
}

/// A command with all that it is given, so that it can be given again.
#[derive(Clone, Debug)]
enum Command {
    Build {
        games: Vec<usize>,
        plan: Plan,
        level: u8,
        correct: u8,
    },
    Learn {
        game: usize,
        plan: Plan,
        level: u8,
    },
    Merge {
        other: usize,
        widen: bool,
    },
    Import {
        other: usize,
    },
    Prune {
        loss: i32,
    },
    Forget {
        line: Vec<Square>,
    },
    Deepen {
        level: u8,
        renew: bool,
    },
    Expand {
        level: u8,
        positions: u64,
    },
    Deviate {
        level: u8,
        from: Vec<Square>,
        slack: i32,
    },
    PlayOut {
        level: u8,
        from: Vec<Square>,
    },
    Prove {
        level: u8,
        from: Vec<Square>,
    },
}

/// What histories are made of.
struct World {
    games: Vec<Game>,
    /// Other books, and the files that they make.
    others: Vec<(TempDir, Store, Vec<u8>)>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut random = Random::new(seed ^ 0x77);
        let mut games: Vec<Game> = SampleGames::new(seed).take(8).collect();
        games.extend((0..12).map(|_| short_game(&mut random)));
        let mut world = World {
            games,
            others: Vec::new(),
        };
        for number in 0..3 {
            let (folder, store) = new_store();
            let name = if number == 1 { "another" } else { "scripted" };
            let mut who = Scripted::new(Manner::PLAIN).named(name);
            for _ in 0..2 {
                let command = world.build(&mut random);
                run(&command, &world, &store, &mut who, &());
            }
            let mut bytes = Vec::new();
            export(&store.reader(), Format::Compact, true, &mut bytes, &()).unwrap();
            world.others.push((folder, store, bytes));
        }
        world
    }

    fn plan(&self, random: &mut Random) -> Plan {
        Plan {
            plies: [4, 8, 12, 20, 60][random.below(5) as usize],
            min_games: [1, 1, 1, 2][random.below(4) as usize],
            games_at_once: 40,
        }
    }

    fn game(&self, random: &mut Random) -> usize {
        random.below(self.games.len() as u64) as usize
    }

    /// The beginning of a game, as long as this at most.
    fn line(&self, random: &mut Random, longest: u64) -> Vec<Square> {
        let game = &self.games[self.game(random)];
        let moves = game.moves().len().min(longest as usize) as u64;
        game.moves()[..random.below(moves + 1) as usize].to_vec()
    }

    fn build(&self, random: &mut Random) -> Command {
        let games = (0..1 + random.below(5))
            .map(|_| self.game(random))
            .collect();
        Command::Build {
            games,
            plan: self.plan(random),
            level: random.below(5) as u8,
            correct: [0, 0, 7][random.below(3) as usize],
        }
    }

    /// The end of a long game, where its result can be proven.
    fn ending(&self, random: &mut Random) -> Vec<Square> {
        let empties = 7 + random.below(4) as u32;
        let game = &self.games[random.below(8) as usize];
        let moves = game.moves();
        let near = |&count: &usize| end_of(&moves[..count]).board.empty_count() <= empties;
        // Some games end before it.
        let count = (0..moves.len()).find(near).unwrap_or(moves.len() - 1);
        moves[..count].to_vec()
    }

    fn command(&self, random: &mut Random) -> Command {
        let level = 1 + random.below(4) as u8;
        match random.below(16) {
            0..=3 => self.build(random),
            4 | 5 => Command::Learn {
                game: self.game(random),
                plan: self.plan(random),
                level,
            },
            6 => Command::Merge {
                other: random.below(3) as usize,
                widen: random.below(2) == 0,
            },
            7 => Command::Import {
                other: random.below(3) as usize,
            },
            8 => Command::Prune {
                loss: random.below(2500) as i32,
            },
            9 => Command::Forget {
                line: self.line(random, 10),
            },
            10 => Command::Deepen {
                level,
                renew: false,
            },
            11 => Command::Deepen { level, renew: true },
            12 => Command::Expand {
                level,
                positions: 1 + random.below(12),
            },
            13 => Command::Deviate {
                level,
                from: self.line(random, 3),
                slack: random.below(200) as i32,
            },
            14 => Command::PlayOut {
                level,
                from: self.line(random, 20),
            },
            _ => Command::Prove {
                level,
                from: self.ending(random),
            },
        }
    }
}

/// A short game of few different moves: such games meet again.
fn short_game(random: &mut Random) -> Game {
    let mut position = Position::START;
    let mut moves = Moves::new();
    for _ in 0..3 + random.below(10) {
        let two: Vec<Square> = position.board.legal_moves().into_iter().take(2).collect();
        let square = two[random.below(two.len() as u64) as usize];
        position = position.play(square).unwrap();
        moves.push(square).unwrap();
    }
    Game::new(Position::START, moves, Details::default()).unwrap()
}

fn end_of(line: &[Square]) -> Position {
    let play = |position: Position, square: &Square| position.play(*square).unwrap();
    line.iter().fold(Position::START, play)
}

/// Gives a command. True if it was finished.
fn run(
    command: &Command,
    world: &World,
    store: &Store,
    who: &mut Scripted,
    watcher: &dyn Watcher,
) -> bool {
    let grown = |grown: Result<Grown, GrowError>| match grown {
        Ok(grown) => grown.exhausted,
        Err(GrowError::NotInBook(_)) => true,
        Err(problem) => panic!("{problem}"),
    };
    match command {
        Command::Build {
            games,
            plan,
            level,
            correct,
        } => {
            let errand = Errand::new(Cause::Build, *level);
            let searching = Searching {
                analyst: who,
                errand,
                correct: *correct,
            };
            let games: Vec<Game> = games
                .iter()
                .map(|&game| world.games[game].clone())
                .collect();
            let mut learner = Learner::new(store, *plan).searching(searching, watcher);
            learner.add(&games).unwrap();
            let learned = learner.finish().unwrap();
            let settled = match errand {
                Some(errand) => answer_wants(store, who, Assignment::of(errand), watcher).unwrap(),
                None => settle(store, watcher).unwrap(),
            };
            settled.finished && learned.games + learned.known == games.len() as u64
        }
        Command::Learn { game, plan, level } => {
            let game = &world.games[*game];
            let course = Course::new(*plan, Cause::Learn, *level, 0);
            let lesson = learn_game(store, game, &course, who, watcher).unwrap();
            lesson.settled.finished
        }
        Command::Merge { other, widen } => {
            let merged = merge(store, &world.others[*other].1, *widen, watcher).unwrap();
            merged.positions.finished && settle(store, watcher).unwrap().finished
        }
        Command::Import { other } => {
            let mut source = Source::of_bytes(world.others[*other].2.clone()).unwrap();
            let absorbed = import(store, &mut source, watcher).unwrap();
            absorbed.finished && settle(store, watcher).unwrap().finished
        }
        Command::Prune { loss } => match prune(store, *loss, watcher) {
            Ok(_) => settle(store, watcher).unwrap().finished,
            Err(TrimError::Interrupted | TrimError::Unfinished) => false,
            Err(problem) => panic!("{problem}"),
        },
        Command::Forget { line } => match forget(store, line, watcher) {
            Ok(_) => settle(store, watcher).unwrap().finished,
            Err(TrimError::NotInBook(_) | TrimError::Everything) => true,
            Err(TrimError::Interrupted | TrimError::Unfinished) => false,
            Err(problem) => panic!("{problem}"),
        },
        Command::Deepen { level, renew } => {
            let errand = Errand::new(Cause::Deepen, *level).unwrap();
            let assignment = Assignment {
                everything: true,
                renew: *renew,
                ..Assignment::of(errand)
            };
            answer_wants(store, who, assignment, watcher)
                .unwrap()
                .finished
        }
        Command::Expand { level, positions } => {
            let expansion = Expansion {
                from: Position::START,
                taste: Taste {
                    side: Side::Both,
                    slack: 400,
                    human_weight: 1.0,
                },
                positions: Some(*positions),
                until_error: None,
            };
            let done = expand(store, who, *level, &expansion, watcher);
            // With a limit it is not exhausted, as a rule.
            match done {
                Ok(grown) => grown.exhausted || grown.added >= *positions,
                other => grown(other),
            }
        }
        Command::Deviate { level, from, slack } => {
            let reach = Reach {
                from: end_of(from),
                relative: *slack,
                absolute: *slack,
                plies: from.len() as u8 + 3,
                positions: None,
            };
            grown(deviate(store, who, *level, &reach, watcher))
        }
        Command::PlayOut { level, from } => {
            grown(play_out(store, who, *level, end_of(from), 0, watcher))
        }
        Command::Prove { level, from } => {
            let proven = prove(store, who, *level, end_of(from), SOLVES, watcher);
            grown(proven.map(|(grown, _)| grown))
        }
    }
}

/// The name of who searches.
fn engine_for(command: &Command) -> &'static str {
    match command {
        Command::Deepen { renew: true, .. } => "another",
        _ => "scripted",
    }
}

/// The work that a command searches for.
fn errand_of(command: &Command) -> Option<Errand> {
    let (cause, level) = match command {
        Command::Build { level, .. } => (Cause::Build, level),
        Command::Learn { level, .. } => (Cause::Learn, level),
        Command::Deepen { level, .. } => (Cause::Deepen, level),
        Command::Expand { level, .. } => (Cause::Expand, level),
        Command::Deviate { level, .. } => (Cause::Deviate, level),
        Command::PlayOut { level, .. } => (Cause::PlayOut, level),
        Command::Prove { level, .. } => (Cause::Solve, level),
        Command::Merge { .. }
        | Command::Import { .. }
        | Command::Prune { .. }
        | Command::Forget { .. } => return None,
    };
    Errand::new(cause, *level)
}

/// The book is sound, and is what the judge says; and what is proven near the end is true.
fn is_right(store: &Store, when: &str) {
    assert!(settle(store, &()).unwrap().finished, "{when}");
    let findings = check(store, &()).unwrap();
    assert!(findings.is_sound(), "{when}: {:?}", findings.violations);
    assert_eq!((findings.waiting, findings.sweep_due), (0, false), "{when}");
    agrees_with_the_judge(store, when);
    for (key, node) in all_nodes(store) {
        if key.board().empty_count() <= SOLVES {
            let (result, found) = (result_of(key.board()), node.derived.bounds);
            let is_true = found.lower.discs() <= result && result <= found.upper.discs();
            assert!(is_true, "{when}: {key} is worth {result}: {node:?}");
        }
    }
}

/// All that a finished command wanted is answered, and the rule asks nothing more of it. Drops that
/// nobody searched for, because a merge or a file brought them, are left to whoever answers all.
fn is_answered(
    command: &Command,
    world: &World,
    before: &Model,
    store: &Store,
    who: &Scripted,
    when: &str,
) {
    let Some(errand) = errand_of(command) else {
        return;
    };
    let reader = store.reader();
    let deepens = matches!(command, Command::Deepen { .. });
    let mut rows = reader.rows(Table::Wanted, None).unwrap();
    while let Some((key, want)) = rows.next_want().unwrap() {
        assert_ne!(want.errand, errand, "{when}: {key} is still wanted");
        let deepens = matches!(command, Command::Deepen { .. });
        assert!(
            !deepens,
            "{when}: {key} is still wanted for {}",
            want.errand
        );
    }
    let model = all_nodes(store);
    let engine = reader.engines().unwrap().number(who.engine());
    let counts = |by: EngineNumber| match command {
        Command::Deepen { renew: true, .. } => Some(by) == engine,
        _ => true,
    };
    let asks_nothing = |key: NodeKey| {
        let promised = who.promises(key.board(), errand.level);
        let left = still_asked(&model, key, promised, counts);
        let is_drop = |(_, window): &(_, Window)| window.beta < Value::MAX;
        if !deepens
            && left.as_ref().is_some_and(is_drop)
            && before.contains_key(&key)
            && still_asked(before, key, promised, counts)
                .as_ref()
                .is_some_and(is_drop)
        {
            return;
        }
        assert_eq!(left, None, "{when}: {key} with {:?}", model[&key]);
    };
    let games: &[usize] = match command {
        Command::Build { games, .. } => games,
        Command::Learn { game, .. } => std::slice::from_ref(game),
        Command::Deepen { .. } => return model.keys().copied().for_each(asks_nothing),
        _ => &[],
    };
    for game in games {
        let plies = match command {
            Command::Build { plan, .. } | Command::Learn { plan, .. } => plan.plies,
            _ => 0,
        };
        let mut path = Vec::new();
        world.games[*game].for_each_board(|board| path.push(NodeKey::of(board)));
        path.truncate(usize::from(plies) + 1);
        path.retain(|key| model.contains_key(key));
        path.into_iter().for_each(asks_nothing);
    }
}

/// How a command is interrupted.
#[derive(Clone, Copy, Debug)]
enum Interruption {
    Analyst(Ends),
    /// One in so many positions cannot be searched.
    Failures(u64),
    Watcher(u64, Then),
}

impl Interruption {
    fn any(random: &mut Random) -> Interruption {
        let after = match random.below(3) {
            0 => random.below(4),
            1 => random.below(20),
            _ => random.below(150),
        };
        match random.below(6) {
            5 => Interruption::Failures(1 + after / 3),
            0 => Interruption::Analyst(Ends::Stops(after)),
            1 => Interruption::Analyst(Ends::Dies(after)),
            2 => Interruption::Watcher(after, Then::Stops),
            3 => Interruption::Watcher(after, Then::StopsAtOnce),
            _ => Interruption::Watcher(after, Then::Dies),
        }
    }
}

/// A book that can be closed and opened again.
struct Shelf {
    folder: TempDir,
    store: Option<Store>,
}

impl Shelf {
    fn new() -> Shelf {
        let (folder, store) = new_store();
        Shelf {
            folder,
            store: Some(store),
        }
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    fn reopen(&mut self) {
        self.store = None;
        self.store = Some(Store::open(self.folder.path()).unwrap());
    }
}

/// Gives a command and interrupts it. True if it was finished all the same.
fn run_interrupted(
    command: &Command,
    world: &World,
    shelf: &mut Shelf,
    interruption: Interruption,
    random: &mut Random,
) -> bool {
    let mut manner = Manner {
        room: 1 + random.below(12) as usize,
        ..Manner::DIFFICULT
    };
    let impatient = match interruption {
        Interruption::Analyst(ends) => {
            manner.ends = ends;
            None
        }
        Interruption::Failures(_) => None,
        Interruption::Watcher(after, then) => Some(Impatient::after(after, then)),
    };
    let who = Scripted::new(manner).named(engine_for(command));
    let mut who = who.seeded(random.next());
    if let Interruption::Failures(rarity) = interruption {
        who = who.refusing(move |one| one.position.board().hash() % rarity == 0);
    }
    let patient = Timekeeper::default();
    let watcher: &dyn Watcher = match &impatient {
        Some(impatient) => impatient,
        None => &patient,
    };
    let finished = surviving(|| run(command, world, shelf.store(), &mut who, watcher));
    shelf.reopen();
    finished == Some(true)
}

/// Gives a command, interrupts it a few times, and gives it again until it is finished.
fn run_to_the_end(
    command: &Command,
    world: &World,
    shelf: &mut Shelf,
    random: &mut Random,
    when: &str,
) {
    for _ in 0..random.below(4) {
        let interruption = Interruption::any(random);
        if run_interrupted(command, world, shelf, interruption, random) {
            return;
        }
        // Others may settle a book meanwhile.
        if random.below(2) == 0 {
            is_right(shelf.store(), &format!("{when}, after {interruption:?}"));
        }
    }
    let who = Scripted::new(Manner::DIFFICULT).named(engine_for(command));
    let mut who = who.seeded(random.next());
    let finished = run(
        command,
        world,
        shelf.store(),
        &mut who,
        &Timekeeper::default(),
    );
    let may_end_early = matches!(command, Command::Prove { .. } | Command::Expand { .. });
    assert!(finished || may_end_early, "{when}");
}

#[test]
fn after_every_step_of_any_history_the_book_follows_the_rule() {
    for seed in seeds(12) {
        let world = World::new(seed);
        let mut random = Random::new(seed);
        let mut shelf = Shelf::new();
        for step in 0..STEPS {
            let command = world.command(&mut random);
            let when = format!("history {seed}, step {step}, {command:?}");
            println!("{when}");
            if random.below(3) == 0 {
                let interruption = Interruption::any(&mut random);
                run_interrupted(&command, &world, &mut shelf, interruption, &mut random);
                is_right(shelf.store(), &format!("{when}, {interruption:?}"));
            } else {
                run_to_the_end(&command, &world, &mut shelf, &mut random, &when);
                is_right(shelf.store(), &when);
            }
        }
    }
}

/// All that "the same book" means.
fn bytes(store: &Store) -> Vec<(Table, Vec<u8>, Vec<u8>)> {
    let tables = [Table::Nodes, Table::Statistics, Table::Games, Table::Counts];
    let rows = |table| {
        raw_rows(store, table)
            .into_iter()
            .map(move |(key, row)| (table, key, without_numbers(table, row)))
    };
    tables.into_iter().flat_map(rows).collect()
}

/// Where two books differ, for people.
fn assert_same(one: &Store, other: &Store, when: &str) {
    if bytes(one) == bytes(other) {
        return;
    }
    let (one_nodes, other_nodes) = (all_nodes(one), all_nodes(other));
    for (key, node) in &one_nodes {
        assert_eq!(Some(node), other_nodes.get(key), "{when}: {key}");
    }
    for (key, node) in &other_nodes {
        assert_eq!(one_nodes.get(key), Some(node), "{when}: {key}");
    }
    panic!("{when}: games or statistics differ");
}

#[test]
fn a_history_with_interruptions_ends_with_the_bytes_of_one_without() {
    for seed in seeds(16) {
        let world = World::new(seed);
        let mut random = Random::new(seed);
        let (_folder, straight) = new_store();
        let mut shelf = Shelf::new();
        for step in 0..STEPS {
            let command = world.command(&mut random);
            if let Command::Expand { .. } = command {
                continue;
            }
            let when = format!("history {seed}, step {step}, {command:?}");
            println!("{when}");
            let mut who = Scripted::new(Manner::PLAIN).named(engine_for(&command));
            let before = all_nodes(&straight);
            run(
                &command,
                &world,
                &straight,
                &mut who,
                &Timekeeper::default(),
            );
            is_right(&straight, &when);
            is_answered(&command, &world, &before, &straight, &who, &when);
            run_to_the_end(&command, &world, &mut shelf, &mut random, &when);
            is_right(shelf.store(), &when);
            assert_same(&straight, shelf.store(), &when);
        }
    }
}

#[test]
fn nothing_that_was_answered_is_ever_asked_again() {
    for seed in seeds(12) {
        let world = World::new(seed);
        let mut random = Random::new(seed);
        let (_folder, store) = new_store();
        let mut answered: HashMap<QuestionId, String> = HashMap::new();
        for step in 0..2 * STEPS {
            let command = world.command(&mut random);
            // What goes, or comes from elsewhere, takes what was answered with it.
            if let Command::Merge { .. }
            | Command::Import { .. }
            | Command::Prune { .. }
            | Command::Forget { .. }
            | Command::Deepen { renew: true, .. } = command
            {
                continue;
            }
            let when = format!("history {seed}, step {step}, {command:?}");
            println!("{when}");
            let mut who = Scripted::new(Manner::PLAIN);
            run(&command, &world, &store, &mut who, &Timekeeper::default());
            for asked in who.take_asked() {
                let id = QuestionId::of(&Question::Moves(asked), who.engine());
                let before = answered.insert(id, when.clone());
                assert_eq!(before, None, "{when}: {asked:?}");
            }
        }
    }
}

/// Learns and answers, with a sweep or through the queue.
fn build_by(sweeps: bool, games: &[Game], plan: Plan, level: u8, store: &Store) {
    let mut who = Scripted::new(Manner::PLAIN);
    let errand = Errand::new(Cause::Build, level);
    let searching = Searching {
        analyst: &mut who,
        errand,
        correct: 0,
    };
    let mut learner = Learner::new(store, plan).searching(searching, &());
    learner.add(games).unwrap();
    learner.finish().unwrap();
    assert!(
        !store.reader().flag(Flag::SweepDue).unwrap(),
        "so few go through the queue"
    );
    if sweeps {
        let mut batch = store.batch().unwrap();
        batch.raise_sweep(errand);
        batch.commit().unwrap();
    }
    let settled = match errand {
        Some(errand) => answer_wants(store, &mut who, Assignment::of(errand), &()).unwrap(),
        None => settle(store, &()).unwrap(),
    };
    assert!(settled.finished);
}

/// Searches everything, with a sweep or through the queue.
fn deepen_by(sweeps: bool, level: u8, store: &Store) {
    let mut who = Scripted::new(Manner::PLAIN);
    let errand = Errand::new(Cause::Deepen, level).unwrap();
    if !sweeps {
        let mut batch = store.batch().unwrap();
        for key in all_nodes(store).into_keys() {
            batch.want(key, Want::of(errand));
        }
        batch.commit().unwrap();
    }
    let assignment = Assignment {
        everything: sweeps,
        ..Assignment::of(errand)
    };
    assert!(
        answer_wants(store, &mut who, assignment, &())
            .unwrap()
            .finished
    );
}

#[test]
fn the_queue_and_the_sweep_make_the_same_book() {
    for seed in seeds(12) {
        let world = World::new(seed);
        let mut random = Random::new(seed);
        let stores = [new_store(), new_store()];
        for step in 0..STEPS {
            let plan = world.plan(&mut random);
            let level = random.below(5) as u8;
            let game = &world.games[world.game(&mut random)];
            let games: Vec<Game> = match random.below(2) {
                0 => vec![game.clone()],
                _ => world
                    .games
                    .iter()
                    .filter(|_| random.below(6) == 0)
                    .cloned()
                    .collect(),
            };
            let kind = random.below(6);
            let line = world.line(&mut random, 8);
            for ((_, store), sweeps) in stores.iter().zip([false, true]) {
                match kind {
                    0 => {
                        let command = Command::Forget { line: line.clone() };
                        run(
                            &command,
                            &world,
                            store,
                            &mut Scripted::new(Manner::PLAIN),
                            &(),
                        );
                    }
                    1 if level > 0 => deepen_by(sweeps, level, store),
                    _ => build_by(sweeps, &games, plan, level, store),
                }
                is_right(store, &format!("history {seed}, step {step}"));
            }
            let when = format!("history {seed}, step {step}, kind {kind}, level {level}, {plan:?}");
            assert_same(&stores[0].1, &stores[1].1, &when);
        }
    }
}
