//! The index of games answers what a plain look through all games answers.

use super::*;
use crate::book::facts::Row;
use crate::book::index_key::{FoldedName, IndexKey};
use crate::games::{Date, Name};
use crate::othello::{Color, Symmetry};

const NAMES: [&str; 5] = ["Rose", "rose", "Rosenblum Ann", "Tastet Marc", "Şükrü"];
const EVENTS: [&str; 3] = ["Open", "Open de Paris", "Club"];

/// Games that share lines, meet again after detours, come in any orientation, pass, end early and
/// are known by more or less.
fn any_games(random: &mut Random, count: usize) -> Vec<Game> {
    let mut games: Vec<Game> = Vec::new();
    while games.len() < count {
        let mut moves = Vec::new();
        if !games.is_empty() && random.below(3) > 0 {
            let line = games[random.below(games.len() as u64) as usize].moves();
            let shared = random.below(line.len() as u64 + 1) as usize;
            moves.extend_from_slice(&line[..shared]);
        }
        let mut position = Position::START;
        for &square in &moves {
            position = position.play(square).unwrap();
        }
        let length = moves.len() + random.below(70) as usize;
        while moves.len() < length
            && let Some(square) = random.square(position.board.legal_moves())
        {
            position = position.play(square).unwrap();
            moves.push(square);
        }
        games.push(known_somehow(random, &moves));
    }
    games
}

/// These moves in some orientation, with some details.
fn known_somehow(random: &mut Random, moves: &[Square]) -> Game {
    let turned: Vec<Symmetry> = Symmetry::all()
        .filter(|symmetry| Board::START.under(*symmetry) == Board::START)
        .collect();
    let symmetry = turned[random.below(turned.len() as u64) as usize];
    let moves: Vec<Square> = moves
        .iter()
        .map(|square| symmetry.apply_to_square(*square))
        .collect();
    let mut some = |names: &[&str]| {
        let name = names.get(random.below(names.len() as u64 + 1) as usize)?;
        Name::tidy(name)
    };
    let (black, white, event) = (some(&NAMES), some(&NAMES), some(&EVENTS));
    let year = 1990 + random.below(8) as u16;
    let details = Details {
        black,
        white,
        event,
        date: Date::year_only(year).filter(|_| year != 1997),
        result: Score::new(random.below(5) as i32 * 2 - 4).filter(|_| random.below(5) > 0),
        ..Details::default()
    };
    let moves = Moves::try_from(&moves[..]).unwrap();
    Game::new(Position::START, moves, details).unwrap()
}

/// A game of the archive, as a plain look sees it.
struct Plain {
    number: GameNumber,
    game: ArchivedGame,
    /// The positions that count.
    positions: Vec<Position>,
}

fn plain_games(store: &Store) -> Vec<Plain> {
    let reader = store.reader();
    let mut rows = reader.rows(Table::Games, None).unwrap();
    let mut games = Vec::new();
    while let Some((_, learned)) = rows.next_game().unwrap() {
        let game = learned.game.unwrap();
        let mut position = Position::START;
        let mut positions = vec![position];
        for &square in &game.moves {
            position = position.play(square).unwrap();
            positions.push(position);
        }
        positions.truncate(learned.counted.into());
        positions.retain(|position| !position.board.is_over());
        games.push(Plain {
            number: learned.number.unwrap(),
            game,
            positions,
        });
    }
    games.sort_by_key(|plain| plain.number);
    games
}

impl Plain {
    /// The colour to move when the game was at an image of this board.
    fn turn_at(&self, board: Board) -> Option<Color> {
        let looks_alike = |position: &&Position| {
            Symmetry::all().any(|symmetry| position.board.under(symmetry) == board)
        };
        self.positions.iter().find(looks_alike).map(|at| at.turn)
    }

    fn is_meant(&self, selection: &Selection) -> bool {
        let game = &self.game;
        let lower = |name: &Option<Name>| name.as_ref().map(|name| name.to_lowercase());
        let named = |wanted: &Option<String>, names: &[Option<String>], all: &[&str]| {
            let Some(wanted) = wanted.as_ref().map(|name| name.to_lowercase()) else {
                return true;
            };
            let names = names.iter().flatten();
            // Names that nobody of these games has do not matter.
            if all.iter().any(|name| name.to_lowercase() == wanted) {
                names.clone().any(|name| *name == wanted)
            } else {
                names.clone().any(|name| name.starts_with(&wanted))
            }
        };
        let winner = game.result.map(|score| match score.discs() {
            0 => Winner::Nobody,
            1.. => Winner::Black,
            _ => Winner::White,
        });
        let place = selection.position.map(Position::after_forced_pass);
        place.is_none_or(|place| self.turn_at(place.board).is_some())
            && named(
                &selection.player,
                &[lower(&game.black), lower(&game.white)],
                &NAMES,
            )
            && named(&selection.event, &[lower(&game.event)], &EVENTS)
            && selection.years.is_none_or(|years| {
                let year = game.year;
                year.is_some_and(|year| years.first <= year && year <= years.last)
            })
            && (selection.winner.is_none() || selection.winner == winner)
    }
}

fn any_selection(random: &mut Random, position: Option<Position>) -> Selection {
    let mut some = |names: &[&str]| {
        let name = names.get(random.below(2 * names.len() as u64) as usize)?;
        Some((*name).to_owned())
    };
    let (player, event) = (some(&["rose", "TASTET", "nobody"]), some(&["open", "CL"]));
    let first = 1990 + random.below(8) as u16;
    let years = Years {
        first,
        last: first + random.below(4) as u16,
    };
    let winners = [Winner::Black, Winner::White, Winner::Nobody];
    Selection {
        position,
        player,
        event,
        years: Some(years).filter(|_| random.below(3) == 0),
        winner: winners.get(random.below(6) as usize).copied(),
    }
}

/// All pages of what is found, looked at closely.
fn found(store: &Store, selection: &Selection, limit: usize) -> Vec<GameNumber> {
    let reader = store.reader();
    let mut numbers = Vec::new();
    let mut after = None;
    loop {
        let page = find_games(&reader, selection, Page { after, limit }, &|| false).unwrap();
        for found in &page.games {
            numbers.push(found.number);
            let mut position = found.start;
            let mut boards = vec![position.board];
            for &square in &found.game.moves {
                position = position.play(square).unwrap();
                boards.push(position.board);
            }
            if let Some(asked) = selection.position {
                assert!(boards.contains(&asked.after_forced_pass().board));
            }
        }
        assert!(page.games.len() <= limit);
        let Some(next) = page.next else {
            assert_eq!(page.total, numbers.len() as u64);
            return numbers;
        };
        assert_eq!(page.games.len(), limit);
        after = Some(next);
    }
}

/// The index, the statistics and the check agree with a plain look at every position.
fn answers_like_a_plain_look(store: &Store, random: &mut Random, when: &str) {
    sound(store);
    let games = plain_games(store);
    let reader = store.reader();
    let mut boards: BTreeMap<NodeKey, Position> = BTreeMap::new();
    for plain in &games {
        let mut position = Position::START;
        for &square in &plain.game.moves {
            boards.insert(NodeKey::of(position.board), position);
            position = position.play(square).unwrap();
        }
    }
    for (key, position) in &boards {
        let symmetry = Symmetry::all().nth(random.below(8) as usize).unwrap();
        let asked = Position {
            board: position.board.under(symmetry),
            ..*position
        };
        let through: Vec<(&Plain, Color)> = games
            .iter()
            .filter_map(|plain| Some((plain, plain.turn_at(asked.board)?)))
            .collect();
        let mut expected = Statistics::default();
        for (plain, turn) in &through {
            expected.add(&plain.game.statistics(*turn));
        }
        let learned = reader.learned(*key).unwrap().unwrap_or_default();
        assert_eq!(learned, expected, "{when}: {key}");
        let numbers: Vec<GameNumber> = through.iter().map(|(plain, _)| plain.number).collect();
        assert_eq!(reader.games_at(*key).unwrap(), numbers, "{when}: {key}");
        if random.below(4) > 0 {
            continue;
        }
        let selection = any_selection(random, Some(asked));
        let meant = |(plain, _): &&(&Plain, Color)| plain.is_meant(&selection);
        let some: Vec<&(&Plain, Color)> = through.iter().filter(meant).collect();
        let numbers: Vec<GameNumber> = some.iter().map(|(plain, _)| plain.number).collect();
        let limit = 1 + random.below(4) as usize;
        let found = found(store, &selection, limit);
        assert_eq!(found, numbers, "{when}: {selection:?}");
        let mut expected = Statistics::default();
        for (plain, turn) in some {
            expected.add(&plain.game.statistics(*turn));
        }
        let answer = look_up_among(&reader, asked, Ways::LeftOut, &selection, &|| false).unwrap();
        let counted = answer.statistics.unwrap_or_default();
        assert_eq!(counted, expected, "{when}: {selection:?}");
    }
    for _ in 0..20 {
        let selection = any_selection(random, None);
        let meant = games.iter().filter(|plain| plain.is_meant(&selection));
        let numbers: Vec<GameNumber> = meant.map(|plain| plain.number).collect();
        assert_eq!(
            found(store, &selection, 7),
            numbers,
            "{when}: {selection:?}"
        );
    }
}

fn learn(store: &Store, random: &mut Random, games: &[Game]) {
    let plies = [60, 60, 12, 30][random.below(4) as usize];
    learn_all(store, games, plies, 1);
}

#[test]
fn the_index_answers_like_a_plain_look_through_all_games() {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut games = any_games(&mut random, 40);
        // The same games again, with other details.
        for _ in 0..10 {
            let moves = games[random.below(40) as usize].moves().to_vec();
            games.push(known_somehow(&mut random, &moves));
        }
        let (_folder, store) = new_store();
        for some in games.chunks(17) {
            learn(&store, &mut random, some);
        }
        answers_like_a_plain_look(&store, &mut random, &format!("{seed}, learned"));
        for _ in 0..5 {
            let known = plain_games(&store);
            let number = known[random.below(known.len() as u64) as usize].number;
            forget_game(&store, number).unwrap();
            settle(&store, &()).unwrap();
            assert!(plain_games(&store).iter().all(|game| game.number != number));
            assert!(matches!(
                forget_game(&store, number),
                Err(ForgetGameError::NoSuchGame(_))
            ));
        }
        answers_like_a_plain_look(&store, &mut random, &format!("{seed}, forgotten"));
        let (_other, other) = new_store();
        let more = any_games(&mut random, 15);
        learn(&other, &mut random, &more);
        learn(&other, &mut random, &games[..10]);
        merge(&store, &other, true, &()).unwrap();
        settle(&store, &()).unwrap();
        answers_like_a_plain_look(&store, &mut random, &format!("{seed}, merged"));
        let before: Vec<GameNumber> = plain_games(&store).iter().map(|one| one.number).collect();
        assert!(index_games(&store, &()).unwrap());
        let after: Vec<GameNumber> = plain_games(&store).iter().map(|one| one.number).collect();
        assert_eq!(before, after, "a game keeps its number");
        answers_like_a_plain_look(&store, &mut random, &format!("{seed}, indexed"));
    }
}

#[test]
fn nobody_goes_on_looking_when_it_is_over() {
    let mut random = Random::new(7);
    let (_folder, store) = new_store();
    let games = any_games(&mut random, 40);
    learn(&store, &mut random, &games);
    let reader = store.reader();
    let page = Page {
        after: None,
        limit: 10,
    };
    for _ in 0..30 {
        let position = Some(Position::START).filter(|_| random.below(2) == 0);
        let selection = any_selection(&mut random, position);
        let asked = std::cell::Cell::new(0);
        let counts = || {
            asked.set(asked.get() + 1);
            false
        };
        find_games(&reader, &selection, page, &counts).unwrap();
        // Whenever it is over, it is seen.
        for last in 0..asked.replace(0) {
            let is_over = || asked.replace(asked.get() + 1) >= last;
            let found = find_games(&reader, &selection, page, &is_over);
            assert!(matches!(found, Err(FindError::Over)), "{selection:?}");
            asked.set(0);
        }
        let start = Position::START;
        let looked = look_up_among(&reader, start, Ways::LeftOut, &selection, &|| true);
        assert!(matches!(looked, Err(FindError::Over)), "{selection:?}");
    }
}

/// All that a book knows, but for the numbers of its games.
fn contents(store: &Store) -> Vec<(Table, Vec<u8>, Vec<u8>)> {
    let tables = [Table::Nodes, Table::Statistics, Table::Games, Table::Counts];
    let rows = tables.into_iter().flat_map(|table| {
        let rows = raw_rows(store, table).into_iter();
        rows.map(move |(key, row)| (table, key, without_numbers(table, row)))
    });
    rows.collect()
}

#[test]
fn a_book_without_a_game_is_the_book_that_never_learned_it() {
    let few = [(1, 1), (2, 1), (4, 1)].into_iter();
    // Positions that only a move of the book leads to, and no game from there, are rare.
    let more = (3..23).flat_map(|seed| [(seed, 2), (seed, 3)]);
    for (seed, min_games) in few.chain(more) {
        let mut random = Random::new(seed);
        let mut games = any_games(&mut random, 30);
        let mut lines = BTreeSet::new();
        games.retain(|game| lines.insert(ArchivedGame::of(game).unwrap().moves));
        let (_all, all) = new_store();
        learn_all(&all, &games, 60, min_games);
        let (_some, some) = new_store();
        learn_all(&some, &games[..20], 60, min_games);
        let kept: Vec<Vec<u8>> = raw_rows(&some, Table::Games)
            .into_iter()
            .map(|(fingerprint, _)| fingerprint)
            .collect();
        let reader = all.snapshot();
        let mut rows = reader.rows(Table::Games, None).unwrap();
        let mut going = Vec::new();
        while let Some((fingerprint, learned)) = rows.next_game().unwrap() {
            if !kept.contains(&fingerprint.to_be_bytes().to_vec()) {
                going.extend(learned.number);
            }
        }
        assert!(!going.is_empty());
        for number in going {
            forget_game(&all, number).unwrap();
            settle(&all, &()).unwrap();
            sound(&all);
        }
        assert!(contents(&all) == contents(&some), "seed {seed}");
    }
}

#[test]
fn what_was_grown_below_a_game_stays_when_it_is_forgotten() {
    let (_folder, store) = new_store();
    learn_all(&store, &[game_of("f5d6c3d3c4")], 60, 1);
    learn_all(&store, &[game_of("f5f4")], 60, 1);
    let mut batch = store.batch().unwrap();
    let grown = key_after("f5d6c3d3");
    let mut node = store.reader().node(grown).unwrap().unwrap();
    node.origin = Origin::Expansion;
    batch.put_node(grown, &node);
    batch.commit().unwrap();
    let first = forget_game(&store, GameNumber(0)).unwrap();
    settle(&store, &()).unwrap();
    sound(&store);
    assert_eq!(first.removed, 1, "only the last one");
    let there = |line: &str| store.reader().node(key_after(line)).unwrap().is_some();
    assert!(there("f5d6c3d3") && !there("f5d6c3d3c4") && there("f5f4"));
    assert_eq!(store.reader().learned(key_after("f5d6")).unwrap(), None);
    let second = forget_game(&store, GameNumber(1)).unwrap();
    settle(&store, &()).unwrap();
    sound(&store);
    assert_eq!(second.removed, 1);
    assert!(there("") && there("f5"));
}

#[test]
fn a_wrong_index_is_told_and_mended() {
    let mut random = Random::new(9);
    let games = any_games(&mut random, 25);
    type Harm = fn(&mut Batch<'_>, GameNumber);
    let harms: [(Harm, &str); 7] = [
        (
            |batch, game| batch.put_list(&IndexKey::Position(key_after("f5")), &[game]),
            "positions with 5 discs",
        ),
        (
            |batch, _| batch.put_list(&IndexKey::Player(FoldedName::of("Rose")), &[]),
            "players",
        ),
        (
            |batch, game| batch.put_number(game, 77),
            "the numbers of games",
        ),
        (|batch, _| batch.put_facts(0, &Row::default()), "results"),
        (
            |batch, _| batch.remove(Table::Statistics, &key_after("f5").to_bytes()),
            "",
        ),
        (
            |batch, _| batch.put_raw(Table::Index, &IndexKey::Facts(u32::MAX).to_bytes(), &[1; 5]),
            "no game is numbered so high",
        ),
        (
            |batch, _| batch.put_raw(Table::Meta, b"next-game", &[1]),
            "the numbers of games",
        ),
    ];
    for (harm, words) in harms {
        let (_folder, store) = new_store();
        learn_all(&store, &games, 60, 1);
        let mut batch = store.batch().unwrap();
        harm(&mut batch, GameNumber(3));
        batch.commit().unwrap();
        let findings = check(&store, &()).unwrap();
        let told = |violation: &Violation| violation.to_string().contains(words);
        assert!(findings.violations.iter().any(told), "{findings:?}");
        repair(&store, &()).unwrap();
        answers_like_a_plain_look(&store, &mut random, words);
    }
}

#[test]
fn a_book_that_cannot_read_which_number_is_next_gives_none() {
    let mut random = Random::new(11);
    let games = any_games(&mut random, 20);
    let (_folder, store) = new_store();
    learn_all(&store, &games[..10], 60, 1);
    let mut batch = store.batch().unwrap();
    batch.put_raw(Table::Meta, b"next-game", &[1]);
    batch.commit().unwrap();
    let plan = Plan {
        plies: 60,
        min_games: 1,
        games_at_once: 40,
    };
    let mut learner = Learner::new(&store, plan);
    learner.add(&games[10..]).unwrap();
    let refused = learner.finish().unwrap_err().to_string();
    assert!(refused.contains("check --repair"), "{refused}");
    repair(&store, &()).unwrap();
    learn_all(&store, &games[10..], 60, 1);
    answers_like_a_plain_look(&store, &mut random, "repaired");
}

#[test]
fn a_game_whose_record_is_damaged_is_lost_alone_until_it_is_learned_again() {
    let mut random = Random::new(10);
    let games = any_games(&mut random, 25);
    let (_folder, store) = new_store();
    learn_all(&store, &games, 60, 1);
    let counted = || -> Vec<(Vec<u8>, Vec<u8>)> {
        let rows = raw_rows(&store, Table::Statistics).into_iter();
        rows.map(|(key, row)| (key, without_numbers(Table::Statistics, row)))
            .collect()
    };
    let before = counted();
    let (lost, record) = raw_rows(&store, Table::Games).swap_remove(7);
    let lost_number = LearnedGame::from_bytes(&record).unwrap().number.unwrap();
    let mut left = plain_games(&store);
    left.retain(|plain| plain.number != lost_number);
    let mut batch = store.batch().unwrap();
    batch.put_raw(Table::Games, &lost, b"damaged");
    batch.commit().unwrap();
    assert!(!check(&store, &()).unwrap().is_sound());
    for _ in 0..2 {
        repair(&store, &()).unwrap();
        sound(&store);
        // Nobody knows what the lost game counted.
        assert!(counted() == before);
        for plain in &left {
            for position in &plain.positions {
                let through = left
                    .iter()
                    .filter(|one| one.turn_at(position.board).is_some());
                let through: Vec<GameNumber> = through.map(|one| one.number).collect();
                let key = NodeKey::of(position.board);
                assert_eq!(store.reader().games_at(key).unwrap(), through, "{key}");
            }
        }
        assert!(index_games(&store, &()).unwrap());
        sound(&store);
    }
    learn_all(&store, &games, 60, 1);
    answers_like_a_plain_look(&store, &mut random, "learned again");
}

/// Sample games are played to the end. Two of them come to one last position with the same player
/// or after a pass with the other one.
#[test]
fn a_last_position_finds_the_games_that_end_with_it() {
    let mut random = Random::new(8);
    let games: Vec<Game> = SampleGames::new(8).take(60).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 60, 1);
    let reader = store.reader();
    let last = |game: &ArchivedGame| {
        let moves = game.moves.iter();
        moves.fold(Position::START, |position, &square| {
            position.play(square).unwrap()
        })
    };
    let plain = plain_games(&store);
    let mut asked = 0;
    for one in &plain {
        let end = last(&one.game);
        if !end.board.is_over() {
            continue;
        }
        asked += 1;
        // Two boards are one if they are images of each other, whoever would be to move.
        let images = |board: Board| Symmetry::all().map(move |symmetry| board.under(symmetry));
        let alike: Vec<GameNumber> = plain
            .iter()
            .filter(|other| {
                let mut ends = images(last(&other.game).board);
                ends.any(|board| board == end.board || board == end.board.pass())
            })
            .map(|other| other.number)
            .collect();
        let symmetry = Symmetry::all().nth(random.below(8) as usize).unwrap();
        let board = end.board.under(symmetry);
        for board in [board, board.pass()] {
            let selection = Selection {
                position: Some(Position { board, ..end }),
                ..Selection::default()
            };
            let page = Page {
                after: None,
                limit: 10,
            };
            let found = find_games(&reader, &selection, page, &|| false).unwrap();
            let numbers: Vec<GameNumber> = found.games.iter().map(|game| game.number).collect();
            assert_eq!(numbers, alike);
            assert_eq!(found.total, alike.len() as u64);
        }
    }
    assert!(asked > 40, "{asked}");
}

#[test]
fn what_is_half_counted_is_not_told_and_not_carried_on() {
    let games: Vec<Game> = SampleGames::new(9).take(20).collect();
    let (_folder, store) = new_store();
    learn_all(&store, &games, 20, 1);
    let ask = || query(&store.reader(), Position::START).unwrap().statistics;
    assert_eq!(ask().map(|statistics| statistics.games), Some(20));
    let mut batch = store.batch().unwrap();
    for flag in [Flag::RecountDue, Flag::HalfCounted] {
        batch.raise(flag);
    }
    batch.commit().unwrap();
    assert_eq!(ask(), None);
    let reader = store.reader();
    let (_other, other) = new_store();
    assert!(matches!(
        subtree(&reader, &[], &other, &()),
        Err(TrimError::Store(StoreError::HalfCounted { .. }))
    ));
    let written = |statistics| export(&reader, Format::Compact, statistics, &mut Vec::new(), &());
    let told = written(true).unwrap_err().to_string();
    assert!(told.contains("emilia book index-games"), "{told}");
    assert!(written(false).is_ok());
    assert!(index_games(&store, &()).unwrap());
    assert_eq!(ask().map(|statistics| statistics.games), Some(20));
}
