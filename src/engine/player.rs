//! The player: the book first, then a search within the clock's budget, which near the end is a
//! solution.

use super::allowance::Allowance;
use super::decision::{Decision, Reason, Valued, Verified};
use super::librarian::Librarian;
use super::plays::{Plays, Ranking};
use super::policy::Policy;
use crate::book::Store;
use crate::machine::Timepiece;
use crate::othello::{Bitboard, Board};
use crate::search::{Limits, SearchResult, Searcher, Skill, StopButton};
use std::sync::Arc;
use std::time::Duration;

/// Chooses moves. May be asked by several threads at the same time, which then share its table.
pub struct Player {
    searcher: Searcher,
    librarian: Librarian,
}

impl Player {
    /// A player without a book.
    pub fn new(searcher: Searcher, policy: Policy) -> Player {
        Player {
            searcher,
            librarian: Librarian::new(policy),
        }
    }

    /// The same with a book, which may be open for reading only.
    pub fn with_book(mut self, book: Arc<Store>) -> Player {
        self.set_book(book);
        self
    }

    /// The searcher with its table, for whoever lent it.
    pub fn into_searcher(self) -> Searcher {
        self.searcher
    }

    fn decide(
        &self,
        board: Board,
        allowance: Allowance,
        button: &StopButton,
        began: Timepiece,
    ) -> Decision {
        if board.legal_moves().is_empty() {
            return Decision::because(Reason::Pass, None);
        }
        if let Some(prescribed) = self.librarian.prescribed(board) {
            return prescribed;
        }
        let allowed = self.librarian.allowed(board);
        let Some(consulted) = self.librarian.consult(board, allowed) else {
            let limits = self.limits(board, !allowed, allowance.after(began.elapsed()));
            let search = self.search(board, &limits, button, &mut |_| {});
            return self.searched(board, search);
        };
        if consulted.unknown.is_empty() || !self.policy().verify {
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
        let search = self.search(board, &limits, button, &mut |_| {});
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

    fn limits(&self, board: Board, without: Bitboard, allowance: Allowance) -> Limits {
        let limited = allowance.time.is_some() || allowance.nodes.is_some();
        let limits = self.policy().strength.limits(board.empty_count(), limited);
        Limits {
            time: allowance.time,
            nodes: allowance.nodes,
            average: true,
            multi_pv: Skill::ranked_moves(self.librarian.slack()),
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
            Some(ranked.remove(self.librarian.pick(board, &values)))
        };
        Decision {
            value: chosen.map(|m| m.value),
            search: Some(search),
            others: ranked,
            ..Decision::because(Reason::Search, chosen.map(|m| m.square))
        }
    }
}

impl Plays for Player {
    fn title(&self) -> &'static str {
        "Emilia"
    }

    fn librarian(&self) -> &Librarian {
        &self.librarian
    }

    fn librarian_mut(&mut self) -> &mut Librarian {
        &mut self.librarian
    }

    /// Forgets earlier searches: the next game does not depend on the games before it.
    fn begin_game(&mut self, number: u64) {
        self.librarian.begin_game(number);
        self.searcher.clear();
    }

    fn choose(&self, board: Board, allowance: Allowance, button: &StopButton) -> Decision {
        let began = Timepiece::start();
        let mut decision = self.decide(board, allowance, button, began);
        decision.time = began.elapsed();
        tracing::debug!(%decision, "move chosen");
        decision
    }

    fn rank(
        &self,
        board: Board,
        count: usize,
        allowance: Allowance,
        button: &StopButton,
        report: &mut dyn FnMut(&Ranking),
    ) -> Ranking {
        let limits = Limits {
            multi_pv: count.max(1),
            ..self.limits(board, Bitboard::EMPTY, allowance)
        };
        let mut tell = |result: &SearchResult| report(&Ranking::of_search(result));
        Ranking::of_search(&self.search(board, &limits, button, &mut tell))
    }

    fn longest(&self, allowance: Allowance) -> Option<Duration> {
        allowance.longest()
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::{Confidence, Draws};
    use super::*;
    use crate::book::{
        Alternative, EngineNumber, Evaluation, Found, Level, Node, NodeKey, Origin, Value, sweep,
    };
    use crate::othello::{MoveList, Position, Score, Square};
    use crate::search::Skill;
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
    fn chance_among_book_moves_ends_with_the_book() {
        let book = book(
            &[("f5d6", -300), ("f5f4", -250), ("f5f6", -100)],
            Some(("f5", nothing_else())),
        );
        let chosen = |line: &str, policy: &Policy| -> HashSet<Square> {
            let by_seed = |seed| {
                let policy = Policy {
                    seed,
                    ..policy.clone()
                };
                choose(&player(&book, policy), line).square.unwrap()
            };
            (0..40).map(by_seed).collect()
        };
        let in_the_book = Policy {
            book_randomness: 100,
            ..shallow()
        };
        let everywhere = Policy {
            randomness: 100,
            ..shallow()
        };
        let two = HashSet::from([square("d6"), square("f4")]);
        assert_eq!(chosen("f5", &in_the_book), two);
        assert_eq!(chosen("f5", &everywhere), two);
        let outside = "f5d6c3d3c4f4";
        assert_eq!(chosen(outside, &in_the_book).len(), 1);
        assert!(chosen(outside, &everywhere).len() > 1);
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
