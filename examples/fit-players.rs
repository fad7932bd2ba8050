//! Makes the tables of BILL and KEYANO in `book/players/` from games of our own engine:
//! `cargo run --release --example fit-players -- --seed 20`.
//!
//! Here until `emilia train players` does it. Games begin with 10 to 20 random moves; then our
//! engine plays both sides, six plies deep, and the last fourteen squares exactly.

use emilia::games::{Details, Game, Moves};
use emilia::othello::{Position, Random};
use emilia::players::{bill, keyano};
use emilia::search::{Goal, Limits, Searcher, Selectivity};
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;

const GAMES: u64 = 20_000;
const TABLE_BYTES: usize = 1 << 20;
const SOLVED_FROM: u32 = 14;
const PLIES: u32 = 6;

/// The game of a number; it depends on nothing but seed and number.
fn game(searcher: &Searcher, seed: u64, number: u64) -> Option<Game> {
    searcher.clear();
    let mut random = Random::stream(seed, number);
    let mut position = Position::START;
    let mut moves = Moves::new();
    let free = 10 + random.below(11);
    while !position.board.legal_moves().is_empty() {
        let square = if (moves.len() as u64) < free {
            random.square(position.board.legal_moves())
        } else {
            let limits = if position.board.empty_count() <= SOLVED_FROM {
                Limits::solve()
            } else {
                Limits::new(Goal::Depth {
                    plies: PLIES,
                    selectivity: Selectivity::P82,
                })
            };
            searcher.search(position.board, &limits).best
        };
        position = position.play(square?).ok()?;
        moves.push(square?).ok()?;
    }
    Game::new(Position::START, moves, Details::default()).ok()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = match arguments.as_slice() {
        [] => 20,
        [flag, seed] if flag == "--seed" => seed.parse()?,
        _ => return Err("usage: fit-players [--seed N]".into()),
    };
    let threads = std::thread::available_parallelism()?.get();
    println!("playing {GAMES} games …");
    let games: Vec<Game> = (0..GAMES)
        .into_par_iter()
        .map_init(
            || Searcher::new(TABLE_BYTES),
            |searcher, number| game(searcher, seed, number),
        )
        .flatten()
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/players");
    let lesson = bill::fit::fit(&games)?;
    std::fs::write(folder.join("bill.bin"), lesson.taught.encode()?)?;
    for (name, class) in [("won", lesson.at_40.win), ("lost", lesson.at_40.loss)] {
        let (correlations, spreads) = class.correlations();
        println!(
            "BILL, {name} at 40 discs: means {:.1?}, spreads {spreads:.1?}",
            class.mean()
        );
        println!("  correlations {correlations:.2?}");
    }
    println!("searching positions for KEYANO's ProbCut …");
    let taught = keyano::fit::fit(&games, seed, threads, keyano::fit::Effort::default())?;
    std::fs::write(folder.join("keyano.bin"), taught.encode()?)?;
    println!("KEYANO: {:?}", taught.differences);
    Ok(())
}
