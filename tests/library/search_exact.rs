//! The search against brute force: plain negamax on the rules alone is the judge.

use emilia::eval::Evaluator;
use emilia::othello::kernel::Portable;
use emilia::othello::{Bitboard, Board, ObfProblem, Square, Tier, read_obf};
use emilia::search::{
    Algorithm, Bound, Goal, Limits, SearchResult, Searcher, Selectivity, StopButton,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const ALGORITHMS: [Algorithm; 3] = [Algorithm::NegaScout, Algorithm::AlphaBeta, Algorithm::Mtdf];

/// A random sequence that is the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    fn of(&mut self, squares: Bitboard) -> Square {
        let place = self.below(u64::from(squares.count())) as usize;
        squares.into_iter().nth(place).unwrap()
    }

    /// A position of a random game with this many empties; None when the game ends before.
    fn played(&mut self, empties: u32) -> Option<Board> {
        let mut board = Board::START;
        while board.empty_count() > empties {
            if board.must_pass() {
                board = board.pass();
            }
            let moves = board.legal_moves();
            if moves.is_empty() {
                return None;
            }
            board = board.play(self.of(moves)).unwrap();
        }
        Some(board)
    }

    /// Discs thrown on the board, in clumps and with one colour often scarce: passes abound, and
    /// positions no game reaches.
    fn thrown(&mut self, empties: u32) -> Board {
        let mut free = Bitboard::ALL;
        for _ in 0..empties {
            let square = self.of(free);
            free = Bitboard(free.0 & !square.bit());
        }
        let few = self.next() & self.next() & self.next();
        let colours = match self.below(3) {
            0 => self.next(),
            1 => few,
            _ => !few,
        };
        Board::new(Bitboard(free.0 & colours), Bitboard(free.0 & !colours)).unwrap()
    }

    fn position(&mut self, empties: u32) -> Board {
        if self.below(2) == 0 {
            self.thrown(empties)
        } else {
            loop {
                if let Some(board) = self.played(empties) {
                    return board;
                }
            }
        }
    }
}

/// The exact score by the rules alone.
fn negamax(board: Board) -> i32 {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if board.pass().legal_moves().is_empty() {
            board.final_score().discs()
        } else {
            -negamax(board.pass())
        };
    }
    let after = |square| -negamax(board.play(square).unwrap());
    moves.into_iter().map(after).max().unwrap()
}

/// The same with the plainest of cut-offs, for a few empties more.
fn alpha_beta(board: Board, mut alpha: i32, beta: i32) -> i32 {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if board.pass().legal_moves().is_empty() {
            board.final_score().discs()
        } else {
            -alpha_beta(board.pass(), -beta, -alpha)
        };
    }
    let mut next: Vec<Board> = moves.into_iter().map(|s| board.play(s).unwrap()).collect();
    next.sort_by_cached_key(|next| next.legal_moves().count());
    let mut best = -64;
    for next in next {
        best = best.max(-alpha_beta(next, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// Plays the line, passes added; the board at its end and +1 or −1 for whose view that is.
fn follow(board: Board, line: &[Square]) -> (Board, i32) {
    let (mut board, mut sign) = (board, 1);
    let pass = |board: &mut Board, sign: &mut i32| {
        if board.must_pass() {
            *board = board.pass();
            *sign = -*sign;
        }
    };
    for &square in line {
        pass(&mut board, &mut sign);
        board = board.play(square).expect("the line is legal");
        sign = -sign;
    }
    pass(&mut board, &mut sign);
    (board, sign)
}

#[track_caller]
fn check_exact(board: Board, result: &SearchResult, truth: i32, context: &str) {
    let context = format!("{board:?} {context}");
    assert_eq!(result.value, 100 * truth, "{context}");
    assert_eq!(result.bound, Bound::Exact, "{context}");
    assert!(result.solved, "{context}");
    let has_move = !board.legal_moves().is_empty();
    assert_eq!(result.best.is_some(), has_move, "{context}");
    if let Some(best) = result.best {
        let after = -alpha_beta(board.play(best).unwrap(), -64, 64);
        assert_eq!(after, truth, "{best} is not a best move: {context}");
        assert_eq!(result.pv.first(), Some(&best), "{context}");
    }
    let (end, sign) = follow(board, &result.pv);
    if end.is_over() {
        let reached = sign * end.final_score().discs();
        assert_eq!(reached, truth, "line {:?}: {context}", result.pv);
    }
}

#[track_caller]
fn check_window(board: Board, result: &SearchResult, truth: i32, window: (i32, i32)) {
    let (alpha, beta) = window;
    let truth = 100 * truth;
    let context = format!("{board:?} in {window:?}: {result:?}, truth {truth}");
    match result.bound {
        Bound::Exact => assert_eq!(result.value, truth, "{context}"),
        Bound::AtMost => {
            assert!(
                truth <= result.value && result.value <= 100 * alpha,
                "{context}"
            )
        }
        Bound::AtLeast => {
            assert!(
                truth >= result.value && result.value >= 100 * beta,
                "{context}"
            )
        }
    }
    if 100 * alpha < truth && truth < 100 * beta {
        assert_eq!(result.bound, Bound::Exact, "{context}");
    }
}

#[track_caller]
fn check_outcome(board: Board, result: &SearchResult, truth: i32) {
    let context = format!("{board:?}: {result:?}, truth {truth}");
    assert_eq!(result.value.signum(), truth.signum(), "{context}");
    if let Some(best) = result.best {
        let after = -alpha_beta(board.play(best).unwrap(), -64, 64);
        assert_eq!(after.signum(), truth.signum(), "{best}: {context}");
    }
}

/// Mostly small, so that plain negamax judges thousands in seconds.
fn small_positions(seed: u64, count: usize) -> impl Iterator<Item = Board> {
    let mut random = Random(seed);
    (0..count).map(move |i| {
        let empties = match i % 50 {
            0 => 10,
            1 => 9,
            _ => random.below(9) as u32,
        };
        random.position(empties)
    })
}

fn searcher() -> Searcher {
    Searcher::new(1 << 20)
}

/// The CPU's tiers again and again: every position meets one, all tiers meet enough.
fn tiers_in_turn() -> impl Iterator<Item = Tier> {
    Tier::available().iter().copied().cycle()
}

#[test]
fn the_exact_solver_equals_plain_negamax_on_every_tier() {
    let searchers = Tier::available()
        .iter()
        .map(|&tier| (tier, searcher().with_tier(tier)))
        .collect::<Vec<_>>();
    for board in small_positions(0x0e11_1a01, 1500) {
        let truth = negamax(board);
        let mut nodes = Vec::new();
        for (tier, searcher) in &searchers {
            searcher.clear();
            let result = searcher.search(board, &Limits::solve());
            check_exact(board, &result, truth, &tier.to_string());
            nodes.push(result.nodes);
        }
        nodes.dedup();
        assert_eq!(nodes.len(), 1, "tiers count nodes differently: {board:?}");
    }
}

#[test]
fn win_draw_and_loss_are_told_apart() {
    for (board, tier) in small_positions(0x0e11_1a02, 1500).zip(tiers_in_turn()) {
        let searcher = searcher().with_tier(tier);
        let result = searcher.search(board, &Limits::new(Goal::Outcome));
        check_outcome(board, &result, negamax(board));
    }
}

#[test]
fn any_window_gives_the_score_or_a_true_bound() {
    let mut random = Random(0x0e11_1a03);
    for (board, tier) in small_positions(0x0e11_1a04, 1200).zip(tiers_in_turn()) {
        let truth = negamax(board);
        for algorithm in ALGORITHMS {
            let searcher = searcher().with_tier(tier).with_algorithm(algorithm);
            let alpha = random.below(128) as i32 - 64;
            // Half of them narrow, and near the truth: that is where mistakes are made.
            let (alpha, beta) = if random.below(2) == 0 {
                (alpha, alpha + 1 + random.below((64 - alpha) as u64) as i32)
            } else {
                let alpha = truth - 3 + random.below(5) as i32;
                (alpha, alpha + 1 + random.below(3) as i32)
            };
            let result = searcher.search(board, &Limits::new(Goal::Window { alpha, beta }));
            check_window(board, &result, truth, (alpha, beta));
        }
    }
}

#[test]
fn an_empty_or_absurd_window_is_no_reason_to_panic() {
    let board = Random(0x0e11_1a05).position(8);
    for (alpha, beta) in [
        (4, 4),
        (10, -10),
        (i32::MIN, i32::MAX),
        (64, 64),
        (-64, -64),
    ] {
        searcher().search(board, &Limits::new(Goal::Window { alpha, beta }));
    }
}

#[test]
fn all_three_algorithms_solve_alike() {
    for algorithm in ALGORITHMS {
        let searcher = searcher().with_algorithm(algorithm);
        for board in small_positions(0x0e11_1a06, 300) {
            let result = searcher.search(board, &Limits::solve());
            check_exact(board, &result, negamax(board), &format!("{algorithm:?}"));
        }
    }
}

#[test]
fn a_table_full_of_earlier_searches_changes_no_score() {
    // So small that every bucket is fought over.
    let searcher = Searcher::new(1 << 10);
    for board in small_positions(0x0e11_1a07, 400) {
        let truth = negamax(board);
        for goal in [Goal::Outcome, Goal::Score] {
            let result = searcher.search(board, &Limits::new(goal));
            assert_eq!(result.value.signum(), truth.signum(), "{board:?}");
        }
        // Once more with the answer in the table.
        check_exact(
            board,
            &searcher.search(board, &Limits::solve()),
            truth,
            "again",
        );
    }
}

#[test]
fn several_moves_asked_for_get_their_exact_values_in_order() {
    let searcher = searcher();
    for board in small_positions(0x0e11_1a08, 200) {
        let mut limits = Limits::solve();
        limits.multi_pv = 64;
        let result = searcher.search(board, &limits);
        let moves = board.legal_moves();
        if moves.count() == 0 {
            continue;
        }
        assert_eq!(result.moves.len(), moves.count() as usize, "{board:?}");
        assert!(
            result.moves.is_sorted_by(|a, b| a.value >= b.value),
            "{board:?}"
        );
        for m in &result.moves {
            let truth = -negamax(board.play(m.square).unwrap());
            assert_eq!(m.value, 100 * truth, "{} of {board:?}", m.square);
            follow(board, &m.pv);
        }
    }
}

#[test]
fn a_thread_that_finds_nothing_to_help_with_changes_no_score() {
    // Threads share work only above the reach of the fast endgame, which a unit test looks at.
    let mut random = Random(0x0e11_1a09);
    for threads in [1, 2] {
        let searcher = searcher().with_threads(threads);
        for i in 0..8 {
            let board = random.position(12);
            let truth = alpha_beta(board, -64, 64);
            let context = format!("{threads} threads, position {i}");
            searcher.clear();
            check_exact(
                board,
                &searcher.search(board, &Limits::solve()),
                truth,
                &context,
            );
            let result = searcher.search(board, &Limits::new(Goal::Outcome));
            check_outcome(board, &result, truth);
            let alpha = truth - 4 + random.below(7) as i32;
            let (alpha, beta) = (alpha, alpha + 2);
            let result = searcher.search(board, &Limits::new(Goal::Window { alpha, beta }));
            check_window(board, &result, truth, (alpha, beta));
        }
    }
}

/// The evaluation's value this many moves ahead; passes use up no depth, and a leaf is evaluated
/// as it is.
fn look_ahead(board: Board, depth: u32) -> i32 {
    if depth == 0 {
        let evaluator = Evaluator::builtin();
        return evaluator.evaluate(Portable, &evaluator.features(board), board);
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if board.pass().legal_moves().is_empty() {
            100 * board.final_score().discs()
        } else {
            -look_ahead(board.pass(), depth)
        };
    }
    let after = |square| -look_ahead(board.play(square).unwrap(), depth - 1);
    moves.into_iter().map(after).max().unwrap()
}

#[test]
fn a_look_ahead_that_never_cuts_equals_plain_negamax_with_the_evaluation() {
    let mut random = Random(0x0e11_1a0a);
    let searchers = ALGORITHMS.map(|algorithm| (algorithm, searcher().with_algorithm(algorithm)));
    let mut compared = 0;
    for i in 0..160 {
        let Some(board) = random.played(14 + i % 40) else {
            continue;
        };
        for plies in 1..=4 {
            let truth = look_ahead(board, plies);
            // Beyond this stable discs bound the final score more tightly than the evaluation.
            if truth.abs() > 2000 {
                continue;
            }
            for (algorithm, searcher) in &searchers {
                searcher.clear();
                let limits = Limits::new(Goal::Depth {
                    plies,
                    selectivity: Selectivity::Exact,
                });
                let result = searcher.search(board, &limits);
                let context = format!("{algorithm:?}, {plies} plies, {board:?}");
                assert_eq!(result.value, truth, "{context}");
                assert_eq!(result.depth, plies, "{context}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "only {compared} values were compared");
}

#[test]
fn the_stop_button_ends_a_long_search_with_a_legal_move() {
    for threads in [1, 2] {
        let searcher = searcher().with_threads(threads);
        let button = StopButton::new();
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                button.press();
            });
            let started = Instant::now();
            let result = searcher.search_with(Board::START, &Limits::solve(), &button, &mut |_| {});
            // Generous, for a busy machine; without the button it would take years.
            assert!(started.elapsed() < Duration::from_secs(10));
            result
        });
        assert!(!result.solved);
        assert!(Board::START.legal_moves().contains(result.best.unwrap()));
        follow(Board::START, &result.pv);
    }
}

#[test]
fn a_search_stopped_before_it_began_still_has_a_legal_move() {
    let button = StopButton::new();
    button.press();
    let mut reports = 0;
    let limits = Limits::depth(20);
    let result = searcher().search_with(Board::START, &limits, &button, &mut |_| reports += 1);
    assert!(Board::START.legal_moves().contains(result.best.unwrap()));
    assert!(!result.solved);
}

#[test]
fn a_node_limit_stops_at_the_same_node_every_time() {
    let board = Random(0x0e11_1a0b).played(40).unwrap();
    let mut limits = Limits::depth(30);
    limits.nodes = Some(200_000);
    let run = || {
        let mut result = searcher().search(board, &limits);
        result.time = Duration::ZERO;
        result
    };
    let first = run();
    assert!(
        (150_000..300_000).contains(&first.nodes),
        "{} nodes of 200000",
        first.nodes
    );
    assert_eq!(first, run());
}

#[test]
fn each_iteration_is_reported_and_the_last_report_is_the_answer() {
    let board = Random(0x0e11_1a0c).played(30).unwrap();
    let mut depths = Vec::new();
    let mut last = None;
    let button = StopButton::new();
    let result = searcher().search_with(board, &Limits::depth(6), &button, &mut |report| {
        depths.push(report.depth);
        last = Some((report.value, report.best, report.pv.clone()));
    });
    assert_eq!(depths, [1, 2, 3, 4, 5, 6]);
    assert_eq!(last, Some((result.value, result.best, result.pv)));
}

#[test]
fn positions_without_a_move_have_a_clear_answer() {
    let full = Board::new(Bitboard(u64::MAX << 24), Bitboard(u64::MAX >> 40)).unwrap();
    let empty = Board::new(Bitboard::EMPTY, Bitboard::EMPTY).unwrap();
    for (board, score) in [(full, 16), (empty, 0)] {
        for goal in [Goal::Score, Goal::Outcome] {
            let result = searcher().search(board, &Limits::new(goal));
            assert_eq!((result.value, result.best), (100 * score, None));
            assert!(result.solved && result.pv.is_empty());
        }
    }
}

/// A problem file of the shared data, where this machine has it.
fn problems(name: &str) -> Option<Vec<ObfProblem>> {
    let shared = std::env::var_os("EMILIA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = shared.join("data/positions").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(read_obf(&text).unwrap()),
        Err(error) => {
            eprintln!("skipped: {}: {error}", path.display());
            None
        }
    }
}

#[test]
fn the_ffo_endgames_1_to_19_are_solved() {
    for threads in [1, 2] {
        let searcher = Searcher::new(16 << 20).with_threads(threads);
        for (i, problem) in problems("fforum-1-19.obf")
            .into_iter()
            .flatten()
            .enumerate()
        {
            searcher.clear();
            let result = searcher.search(problem.position.board, &Limits::solve());
            let score = problem.score().unwrap();
            assert_eq!(result.value, 100 * score.discs(), "FFO {}", i + 1);
            assert_eq!(problem.score_of(result.best), Some(score), "FFO {}", i + 1);
        }
    }
}

#[test]
fn moves_that_are_images_of_each_other_have_the_same_mean_value() {
    let searcher = Searcher::new(4 << 20);
    for plies in [1, 2, 5, 6] {
        searcher.clear();
        let limits = Limits {
            multi_pv: 4,
            average: true,
            ..Limits::new(Goal::Depth {
                plies,
                selectivity: Selectivity::Exact,
            })
        };
        let result = searcher.search(Board::START, &limits);
        assert_eq!(result.moves.len(), 4);
        for ranked in &result.moves {
            assert_eq!(ranked.value, result.value, "depth {plies}");
        }
    }
}

#[test]
fn the_mean_of_an_unfinished_iteration_is_of_its_own_value_and_the_one_before() {
    let mut random = Random(0x5eed);
    let searcher = Searcher::new(4 << 20);
    let mut unfinished = 0;
    for _ in 0..6 {
        let Some(board) = random.played(40) else {
            continue;
        };
        for nodes in (2_000..20_000).step_by(400) {
            let found = |average: bool| {
                let limits = Limits {
                    nodes: Some(nodes),
                    average,
                    ..Limits::depth(20)
                };
                let mut finished = Vec::new();
                searcher.clear();
                let mut report = |step: &SearchResult| finished.push((step.depth, step.value));
                let last = searcher.search_with(board, &limits, &StopButton::new(), &mut report);
                (last, finished)
            };
            let (plain, finished) = found(false);
            let (mean, _) = found(true);
            let Some(&(depth, before)) = finished.last() else {
                continue;
            };
            if plain.depth == depth + 1 {
                unfinished += 1;
                assert_eq!(mean.best, plain.best);
                assert_eq!(mean.value, (before + plain.value) / 2);
            }
        }
    }
    assert!(unfinished > 5, "{unfinished} were seen");
}

#[test]
fn moves_that_are_left_out_are_not_searched() {
    let mut random = Random(0x5eed);
    let searcher = Searcher::new(1 << 20);
    for _ in 0..50 {
        let Some(board) = random.played(8) else {
            continue;
        };
        let all: Vec<Square> = board.legal_moves().into_iter().collect();
        if all.len() < 2 {
            continue;
        }
        let first = searcher.search(board, &Limits::solve());
        let best = first.best.unwrap();
        let limits = Limits {
            without: best.into(),
            ..Limits::solve()
        };
        let second = searcher.search(board, &limits);
        let expected = all
            .iter()
            .filter(|&&square| square != best)
            .map(|&square| {
                -searcher
                    .search(board.play(square).unwrap(), &Limits::solve())
                    .value
            })
            .max();
        assert_eq!(Some(second.value), expected);
        assert_ne!(second.best, Some(best));
    }
}
