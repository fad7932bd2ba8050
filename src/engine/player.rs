//! The player: the book first, then a search within the clock's budget, which near the end is a
//! solution.

use super::decision::{Decision, Reason, Valued, Verified};
use super::policy::{Policy, is_proven};
use crate::book::{Answer, Known, Level, MoveAnswer, Store, query};
use crate::othello::{Bitboard, Board, Color, Position, Square};
use crate::search::time::Budget;
use crate::search::{Limits, SearchResult, Searcher, StopButton};
use std::sync::Arc;
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Of how many moves the value is found out when one that is not the best may be played.
const RANKED_MOVES: usize = 8;

/// Chooses moves. May be asked by several threads at the same time, which then share its table.
pub struct Player {
    searcher: Searcher,
    book: Option<Arc<Store>>,
    policy: Policy,
}

/// What one move may cost.
#[derive(Clone, Copy, Default, Debug)]
pub struct Allowance {
    pub time: Option<Budget>,
    pub nodes: Option<u64>,
}

impl Allowance {
    pub fn time(budget: Budget) -> Allowance {
        Allowance {
            time: Some(budget),
            nodes: None,
        }
    }

    pub fn nodes(nodes: u64) -> Allowance {
        Allowance {
            time: None,
            nodes: Some(nodes),
        }
    }

    /// The longest a move may take; none without a limit of time.
    pub fn longest(&self) -> Option<Duration> {
        self.time.map(|budget| budget.hard)
    }

    /// What is left after a part of the time has gone by.
    fn after(self, elapsed: Duration) -> Allowance {
        let time = self.time.map(|budget| Budget {
            soft: budget.soft.saturating_sub(elapsed),
            hard: budget.hard.saturating_sub(elapsed),
        });
        Allowance { time, ..self }
    }
}

impl Player {
    /// A player without a book.
    pub fn new(searcher: Searcher, policy: Policy) -> Player {
        Player {
            searcher,
            book: None,
            policy,
        }
    }

    /// The same with a book, which may be open for reading only.
    pub fn with_book(mut self, book: Arc<Store>) -> Player {
        self.set_book(book);
        self
    }

    pub fn set_book(&mut self, book: Arc<Store>) {
        self.book = Some(book);
    }

    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    pub const fn policy_mut(&mut self) -> &mut Policy {
        &mut self.policy
    }

    pub fn book(&self) -> Option<&Store> {
        self.book.as_deref()
    }

    /// The searcher with its table, for whoever lent it.
    pub fn into_searcher(self) -> Searcher {
        self.searcher
    }

    /// Forgets earlier searches: the next game does not depend on the games before it.
    pub fn begin_game(&self) {
        self.searcher.clear();
    }

    /// Chooses a move for the player to move.
    pub fn choose(&self, board: Board, allowance: Allowance, button: &StopButton) -> Decision {
        self.choose_with(board, allowance, button, &mut |_| {})
    }

    /// [`Player::choose`] with a report after each iteration of a search.
    pub fn choose_with(
        &self,
        board: Board,
        allowance: Allowance,
        button: &StopButton,
        report: &mut dyn FnMut(&SearchResult),
    ) -> Decision {
        let began = Instant::now();
        let mut decision = self.decide(board, allowance, button, report, began);
        decision.time = began.elapsed();
        tracing::debug!(%decision, "move chosen");
        decision
    }

    fn decide(
        &self,
        board: Board,
        allowance: Allowance,
        button: &StopButton,
        report: &mut dyn FnMut(&SearchResult),
        began: Instant,
    ) -> Decision {
        if board.legal_moves().is_empty() {
            return Decision::because(Reason::Pass, None);
        }
        if let Some(square) = self.policy.lines.forced(board) {
            return Decision::because(Reason::Prescribed, Some(square));
        }
        let allowed = self.allowed(board);
        let Some(consulted) = self.consult(board, allowed) else {
            let limits = self.limits(board, !allowed, allowance.after(began.elapsed()));
            let search = self.search(board, &limits, button, report);
            return self.searched(board, search);
        };
        if consulted.unknown.is_empty() || !self.policy.verify {
            let verified = if consulted.unknown.is_empty() {
                Verified::ByTheBook
            } else {
                Verified::No
            };
            return consulted.decision(verified, None);
        }
        let limits = Limits {
            multi_pv: 1,
            ..self.limits(board, !consulted.unknown, allowance.after(began.elapsed()))
        };
        let search = self.search(board, &limits, button, report);
        match search.best {
            Some(square) if search.depth > 0 => {
                let rest = Valued {
                    square,
                    value: search.value,
                };
                let best = consulted.best();
                if rest.value > best.value {
                    Decision {
                        value: Some(rest.value),
                        search: Some(search),
                        others: consulted.moves.iter().map(|m| m.valued).collect(),
                        ..Decision::because(Reason::BetterThanBook(best), Some(square))
                    }
                } else {
                    consulted.decision(Verified::Now(rest), Some(search))
                }
            }
            _ => consulted.decision(Verified::No, Some(search)),
        }
    }

    /// The moves that no line forbids; all of them where every one is forbidden.
    fn allowed(&self, board: Board) -> Bitboard {
        let legal = board.legal_moves();
        let allowed: Bitboard = legal
            .into_iter()
            .filter(|&square| !self.policy.lines.forbids(board, square))
            .collect();
        if allowed.is_empty() { legal } else { allowed }
    }

    /// What the book says about a position; none without a book. A book that cannot be read costs
    /// strength, not the game.
    pub fn book_answer(&self, board: Board) -> Option<Answer> {
        let position = Position {
            board,
            turn: Color::Black,
        };
        match query(&self.book()?.reader(), position) {
            Ok(answer) => Some(answer),
            Err(error) => {
                tracing::warn!(%error, "playing on without the book");
                None
            }
        }
    }

    /// The book moves worth playing; none when the book has no answer.
    fn consult(&self, board: Board, allowed: Bitboard) -> Option<Consulted> {
        let answer = self.book_answer(board)?;
        let trusted = |m: &&MoveAnswer| {
            allowed.contains(m.square)
                && (m.known == Known::Ends || self.policy.confidence.trusts(m))
        };
        let mut moves: Vec<BookMove> = answer
            .moves
            .iter()
            .filter(trusted)
            .filter_map(BookMove::of)
            .collect();
        let unknown: Bitboard = answer
            .moves
            .iter()
            .filter(|m| m.known == Known::Nothing && allowed.contains(m.square))
            .map(|m| m.square)
            .collect();
        let searched = answer.node.is_some_and(|node| node.alternative.is_some());
        // A book with nothing but the end of the game has no answer.
        let has_answer = moves.iter().any(|m| m.known != Known::Ends);
        if !has_answer {
            return None;
        }
        moves.sort_by_key(|m| {
            let weighed = self.policy.draws.weighed(m.valued.value, m.proven);
            (std::cmp::Reverse(weighed), m.valued.square)
        });
        let values: Vec<i32> = moves
            .iter()
            .map(|m| self.policy.draws.weighed(m.valued.value, m.proven))
            .collect();
        let chosen = self.pick(board, &values);
        Some(Consulted {
            moves,
            chosen,
            unknown: if searched { Bitboard::EMPTY } else { unknown },
        })
    }

    /// Which of these values, the best first, is played: the first, or by the seed one that is
    /// not much worse, the likelier the better it is.
    fn pick(&self, board: Board, values: &[i32]) -> usize {
        let slack = self.slack();
        let Some(&best) = values.first() else {
            return 0;
        };
        let weight = |value: i32| u64::from((slack - (best - value) + 1).max(0) as u32);
        let total: u64 = values.iter().map(|&value| weight(value)).sum();
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&board.mover().0.to_le_bytes());
        bytes[8..].copy_from_slice(&board.opponent().0.to_le_bytes());
        let draw = u128::from(xxh3_64_with_seed(&bytes, self.policy.seed));
        let mut mark = ((draw * u128::from(total)) >> 64) as u64;
        for (place, &value) in values.iter().enumerate() {
            match mark.checked_sub(weight(value)) {
                Some(left) => mark = left,
                None => return place,
            }
        }
        0
    }

    fn slack(&self) -> i32 {
        self.policy
            .randomness
            .max(self.policy.strength.slack)
            .max(0)
    }

    fn limits(&self, board: Board, without: Bitboard, allowance: Allowance) -> Limits {
        let limited = allowance.time.is_some() || allowance.nodes.is_some();
        let limits = self.policy.strength.limits(board.empty_count(), limited);
        Limits {
            time: allowance.time,
            nodes: allowance.nodes,
            average: true,
            multi_pv: if self.slack() > 0 { RANKED_MOVES } else { 1 },
            without,
            ..limits
        }
    }

    /// A search whose list of moves is that of the last iteration that was finished.
    fn search(
        &self,
        board: Board,
        limits: &Limits,
        button: &StopButton,
        report: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        let mut ranked = Vec::new();
        let mut watch = |result: &SearchResult| {
            ranked.clone_from(&result.moves);
            report(result);
        };
        let result = self.searcher.search_with(board, limits, button, &mut watch);
        SearchResult {
            moves: ranked,
            ..result
        }
    }

    /// The best moves of a position with their values, by search alone.
    pub fn rank(
        &self,
        board: Board,
        count: usize,
        allowance: Allowance,
        button: &StopButton,
        report: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        let limits = Limits {
            multi_pv: count.max(1),
            ..self.limits(board, Bitboard::EMPTY, allowance)
        };
        self.search(board, &limits, button, report)
    }

    fn searched(&self, board: Board, search: SearchResult) -> Decision {
        let mut ranked: Vec<Valued> = search
            .moves
            .iter()
            .map(|m| Valued {
                square: m.square,
                value: m.value,
            })
            .collect();
        ranked.sort_by_key(|m| std::cmp::Reverse(m.value));
        let values: Vec<i32> = ranked.iter().map(|m| m.value).collect();
        let chosen = if ranked.is_empty() {
            search.best.map(|square| Valued {
                square,
                value: search.value,
            })
        } else {
            Some(ranked.remove(self.pick(board, &values)))
        };
        Decision {
            value: chosen.map(|m| m.value),
            search: Some(search),
            others: ranked,
            ..Decision::because(Reason::Search, chosen.map(|m| m.square))
        }
    }
}

impl Decision {
    const fn because(reason: Reason, square: Option<Square>) -> Decision {
        Decision {
            square,
            value: None,
            reason,
            others: Vec::new(),
            search: None,
            time: Duration::ZERO,
        }
    }
}

/// What came of asking the book.
struct Consulted {
    /// The best first, as the policy sees it; at least one.
    moves: Vec<BookMove>,
    chosen: usize,
    /// Moves that neither the book nor a search it remembers knows.
    unknown: Bitboard,
}

#[derive(Clone, Copy)]
struct BookMove {
    valued: Valued,
    known: Known,
    proven: bool,
    level: Option<Level>,
    games: u32,
}

impl BookMove {
    /// None where the book has the move but no value.
    fn of(answer: &MoveAnswer) -> Option<BookMove> {
        Some(BookMove {
            valued: Valued {
                square: answer.square,
                value: answer.value?.centidiscs(),
            },
            known: answer.known,
            proven: is_proven(answer.bounds),
            level: answer.level,
            games: answer.statistics.map_or(0, |statistics| statistics.games),
        })
    }
}

impl Consulted {
    fn best(&self) -> Valued {
        self.moves[0].valued
    }

    fn decision(mut self, verified: Verified, search: Option<SearchResult>) -> Decision {
        let chosen = self.moves.remove(self.chosen);
        Decision {
            value: Some(chosen.valued.value),
            others: self.moves.iter().map(|m| m.valued).collect(),
            search,
            ..Decision::because(
                Reason::Book {
                    level: chosen.level,
                    games: chosen.games,
                    verified,
                },
                Some(chosen.valued.square),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::{Confidence, Draws};
    use super::super::skill::Skill;
    use super::*;
    use crate::book::{
        Alternative, EngineNumber, Evaluation, Found, Node, NodeKey, Origin, Value, sweep,
    };
    use crate::othello::{MoveList, Score};
    use std::collections::HashSet;
    use tempfile::TempDir;

    /// A book in a folder that is removed with it.
    struct TestBook {
        store: Arc<Store>,
        _folder: TempDir,
    }

    const LEVEL: Level = Level {
        depth: 12,
        selectivity: 82,
        solved: false,
    };

    fn board(line: &str) -> Board {
        MoveList::parse(Position::START, line).unwrap().end.board
    }

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    /// Positions after these lines with a value for the player to move in them.
    fn book(values: &[(&str, i32)], alternative: Option<(&str, Alternative)>) -> TestBook {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let mut batch = store.batch().unwrap();
        let root = NodeKey::of(board("f5"));
        batch.put_node(root, &Node::new(Origin::Game));
        for (line, value) in values {
            let mut node = Node::new(Origin::Game);
            node.evaluation = Some(Evaluation {
                value: Value::new(*value).unwrap(),
                level: LEVEL,
                engine: EngineNumber::UNKNOWN,
            });
            batch.put_node(NodeKey::of(board(line)), &node);
        }
        if let Some((line, alternative)) = alternative {
            let mut node = Node::new(Origin::Game);
            node.alternative = Some(alternative);
            batch.put_node(NodeKey::of(board(line)), &node);
        }
        batch.commit().unwrap();
        sweep(&store, &()).unwrap();
        TestBook {
            store: Arc::new(store),
            _folder: folder,
        }
    }

    fn player(book: &TestBook, policy: Policy) -> Player {
        Player::new(Searcher::new(1 << 20), policy).with_book(book.store.clone())
    }

    fn shallow() -> Policy {
        Policy {
            strength: Skill::level(2),
            ..Policy::default()
        }
    }

    fn choose(player: &Player, line: &str) -> Decision {
        player.choose(board(line), Allowance::default(), &StopButton::new())
    }

    /// Nothing outside the book is better than a loss by 50.
    fn nothing_else() -> Alternative {
        Alternative {
            found: Found::NoneAbove(Value::new(-5000).unwrap()),
            level: LEVEL,
            engine: EngineNumber::UNKNOWN,
            among: NodeKey::of(board("f5")).board().legal_moves(),
        }
    }

    #[test]
    fn the_books_best_move_is_played_without_a_search() {
        let book = book(
            &[("f5d6", -300), ("f5f4", 100), ("f5f6", 50)],
            Some(("f5", nothing_else())),
        );
        let decision = choose(&player(&book, shallow()), "f5");
        assert_eq!(decision.square, Some(square("d6")));
        assert_eq!(decision.value, Some(300));
        assert!(decision.is_from_book() && decision.search.is_none());
        let text = decision.to_string();
        assert!(
            text.starts_with("d6 +3.00 from the book, 12@82%; others f6 -0.50, f4 -1.00; "),
            "{text}"
        );
    }

    #[test]
    fn moves_the_book_knows_nothing_of_are_searched_before_its_own_is_played() {
        // The book claims that f4, a bad move, is worth -30 and knows nothing else.
        let poor = book(&[("f5f4", 3000)], None);
        let decision = choose(&player(&poor, shallow()), "f5");
        assert!(matches!(decision.reason, Reason::BetterThanBook(book) if book.value == -3000));
        assert_ne!(decision.square, Some(square("f4")));

        let rich = book(&[("f5f4", -3000)], None);
        let decision = choose(&player(&rich, shallow()), "f5");
        assert_eq!(decision.square, Some(square("f4")));
        let verified = matches!(
            decision.reason,
            Reason::Book {
                verified: Verified::Now(_),
                ..
            }
        );
        assert!(verified, "{decision}");

        let trusting = Policy {
            verify: false,
            ..shallow()
        };
        let decision = choose(&player(&poor, trusting), "f5");
        assert_eq!(decision.square, Some(square("f4")));
        assert!(
            decision.to_string().contains("the rest is unknown"),
            "{decision}"
        );
    }

    #[test]
    fn out_of_the_book_and_with_a_book_that_is_not_trusted_the_search_decides() {
        let book = book(&[("f5d6", -300)], Some(("f5", nothing_else())));
        let decision = choose(&player(&book, shallow()), "f5d6c3");
        assert_eq!(decision.reason, Reason::Search);
        for confidence in [
            Confidence {
                depth: 13,
                ..Confidence::default()
            },
            Confidence {
                games: 1,
                ..Confidence::default()
            },
            Confidence {
                proven: true,
                ..Confidence::default()
            },
        ] {
            let policy = Policy {
                confidence,
                ..shallow()
            };
            let decision = choose(&player(&book, policy), "f5");
            assert_eq!(decision.reason, Reason::Search, "{confidence:?}");
        }
    }

    #[test]
    fn a_seed_chooses_within_the_loss_and_the_same_one_chooses_the_same() {
        let book = book(
            &[("f5d6", -300), ("f5f4", -250), ("f5f6", -100)],
            Some(("f5", nothing_else())),
        );
        let chosen = |seed| {
            let policy = Policy {
                randomness: 100,
                seed,
                ..shallow()
            };
            let player = player(&book, policy);
            let first = choose(&player, "f5").square;
            assert_eq!(first, choose(&player, "f5").square);
            first.unwrap()
        };
        let seen: HashSet<Square> = (0..40).map(chosen).collect();
        assert_eq!(seen, HashSet::from([square("d6"), square("f4")]));
        let often = (0..200)
            .filter(|&seed| chosen(seed) == square("d6"))
            .count();
        assert!(
            (100..180).contains(&often),
            "the better one more often: {often}"
        );
    }

    #[test]
    fn prescribed_lines_are_followed_and_forbidden_ones_avoided() {
        let book = book(
            &[("f5d6", -300), ("f5f4", 100), ("f5f6", 50)],
            Some(("f5", nothing_else())),
        );
        let mut policy = shallow();
        policy.lines.force("f5f4").unwrap();
        let decision = choose(&player(&book, policy), "f5");
        assert_eq!(decision.reason, Reason::Prescribed);
        assert_eq!(decision.square, Some(square("f4")));

        let mut policy = shallow();
        policy.lines.forbid("f5d6").unwrap();
        let decision = choose(&player(&book, policy.clone()), "f5");
        assert_eq!(decision.square, Some(square("f6")));

        // Also where the search decides, and where everything is forbidden something is played.
        let without_book = Player::new(Searcher::new(1 << 20), policy.clone());
        assert_ne!(choose(&without_book, "f5").square, Some(square("d6")));
        policy.lines.forbid("f5f4").unwrap();
        policy.lines.forbid("f5f6").unwrap();
        let without_book = Player::new(Searcher::new(1 << 20), policy);
        assert!(choose(&without_book, "f5").square.is_some());
    }

    #[test]
    fn draws_are_sought_or_avoided_where_they_are_proven() {
        let folder = book(&[("f5f4", -100)], Some(("f5", nothing_else())));
        let mut drawn = Node::new(Origin::Game);
        drawn.evaluation = Some(Evaluation {
            value: Value::of_score(Score::DRAW),
            level: Level {
                solved: true,
                ..LEVEL
            },
            engine: EngineNumber::UNKNOWN,
        });
        let mut batch = folder.store.batch().unwrap();
        batch.put_node(NodeKey::of(board("f5d6")), &drawn);
        batch.commit().unwrap();
        sweep(&folder.store, &()).unwrap();
        let chosen = |draws| {
            let policy = Policy { draws, ..shallow() };
            choose(&player(&folder, policy), "f5").square.unwrap()
        };
        assert_eq!(chosen(Draws::Neutral), square("f4"));
        assert_eq!(chosen(Draws::Seek), square("d6"));
        assert_eq!(chosen(Draws::Avoid), square("f4"));
    }

    #[test]
    fn two_games_with_the_same_seed_and_node_limit_are_identical() {
        let game = |seed| {
            let policy = Policy {
                randomness: 50,
                seed,
                ..Policy::default()
            };
            let player = Player::new(Searcher::new(1 << 20), policy);
            let mut position = Position::START;
            let mut moves = Vec::new();
            while !position.board.is_over() {
                let allowance = Allowance::nodes(2_000);
                let decision = player.choose(position.board, allowance, &StopButton::new());
                let square = decision.square.unwrap();
                moves.push(square);
                position = position.play(square).unwrap();
            }
            moves
        };
        assert_eq!(game(1), game(1));
        assert_ne!(game(1), game(2));
    }

    #[test]
    fn a_position_without_a_move_is_passed() {
        let finished = Board::new(Bitboard::ALL, Bitboard::EMPTY).unwrap();
        let player = Player::new(Searcher::new(1 << 20), shallow());
        let decision = player.choose(finished, Allowance::default(), &StopButton::new());
        assert_eq!((decision.square, decision.reason), (None, Reason::Pass));
    }

    #[test]
    fn a_beginner_errs_and_an_expert_does_not() {
        let differing = |strength| {
            (0..20)
                .map(|seed| {
                    let policy = Policy {
                        strength,
                        seed,
                        ..Policy::default()
                    };
                    let player = Player::new(Searcher::new(1 << 20), policy);
                    choose(&player, "f5d6c3d3c4f4f6").square
                })
                .collect::<HashSet<_>>()
                .len()
        };
        assert!(differing("beginner".parse().unwrap()) > 3);
        assert_eq!(differing(Skill::level(4)), 1);
    }
}
