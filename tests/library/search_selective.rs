//! ProbCut against searches that never cut: what it expects of them on average, how often it is as
//! near as it says, and what comes out of a search that believes it.

use emilia::eval::Evaluator;
use emilia::othello::{Board, Random};
use emilia::search::{Goal, Limits, Searcher, Selectivity};

fn to_depth(plies: u32, selectivity: Selectivity) -> Limits {
    Limits::new(Goal::Depth { plies, selectivity })
}

/// Positions of games that begin by lot and go on with some sense, as those of a search do.
fn boards(games: u32) -> Vec<Board> {
    let searcher = Searcher::new(1 << 20);
    let mut random = Random::new(0x0e11_1a25);
    let mut boards = Vec::new();
    for _ in 0..games {
        let mut board = Board::START;
        let by_lot = 6 + random.below(20);
        for ply in 0..44 {
            if board.must_pass() {
                board = board.pass();
            }
            let moves = board.legal_moves();
            let square = if ply < by_lot {
                random.square(moves)
            } else {
                searcher.search(board, &Limits::depth(2)).best
            };
            let Some(square) = square else { break };
            board = board.play(square).unwrap();
            if ply >= by_lot && ply % 3 == 0 && !board.legal_moves().is_empty() {
                boards.push(board);
            }
        }
    }
    boards
}

/// The value of a position to a depth, whatever was searched before, in centi-discs.
fn value(searcher: &Searcher, board: Board, plies: u32, selectivity: Selectivity) -> f64 {
    searcher.clear();
    let found = searcher.search(board, &to_depth(plies, selectivity));
    f64::from(found.value)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn percent_within(values: &[f64], limit: f64) -> f64 {
    let within = values.iter().filter(|value| value.abs() <= limit).count();
    100.0 * within as f64 / values.len() as f64
}

#[test]
fn deep_values_lie_where_shallow_ones_say_on_average_and_as_near_as_they_say() {
    let searcher = Searcher::new(1 << 20);
    // How far off, in centi-discs and in standard deviations.
    let (mut off, mut sigmas) = (Vec::new(), Vec::new());
    for board in boards(40) {
        for depth in 4..=7 {
            let cut = Evaluator::builtin()
                .probcut()
                .cut(board.empty_count(), depth);
            let [deep, shallow] = [depth, u32::from(cut.shallow)]
                .map(|plies| value(&searcher, board, plies, Selectivity::Exact));
            let error = deep - shallow - f64::from(cut.mean);
            off.push(error);
            sigmas.push(error / f64::from(cut.deviation));
        }
    }
    assert!(off.len() > 1000, "{}", off.len());
    let bias = mean(&off);
    assert!(bias.abs() < 30.0, "{bias} hundredths of a disc");
    // A normal distribution has 68 %, 91 % and 99 % of its values within these.
    let near = [1.0, 1.7, 2.6].map(|limit| percent_within(&sigmas, limit));
    assert!((64.0..82.0).contains(&near[0]), "{near:?}");
    assert!((87.0..97.0).contains(&near[1]), "{near:?}");
    assert!(near[2] > 97.0, "{near:?}");
}

#[test]
fn a_search_that_cuts_finds_about_what_one_that_never_does_finds() {
    let searcher = Searcher::new(1 << 20);
    let off: Vec<f64> = boards(40)
        .into_iter()
        .map(|board| {
            let value = |selectivity| value(&searcher, board, 7, selectivity);
            value(Selectivity::P91) - value(Selectivity::Exact)
        })
        .collect();
    let bias = mean(&off);
    assert!(bias.abs() < 20.0, "{bias} hundredths of a disc");
    let near = percent_within(&off, 100.0);
    assert!(near > 92.0, "{near} % within a disc");
    assert!(off.iter().any(|&off| off != 0.0), "nothing was ever cut");
}
