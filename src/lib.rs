//! Emilia builds Othello opening books, keeps them in RocksDB, and plays from them.
//!
//! ```
//! use emilia::book::{Learner, Plan, Store, query, settle};
//! use emilia::othello::Position;
//! use emilia::search::{Limits, Searcher};
//!
//! # let folder = tempfile::tempdir()?;
//! // Games become a book,
//! let book = Store::open_or_create(&folder.path().join("book"))?;
//! let collection = emilia::games::open("book/games/sample.wtb".as_ref())?;
//! let games: Vec<_> = collection.filter_map(Result::ok).collect();
//! let plan = Plan { plies: 12, min_games: 2, games_at_once: 1000 };
//! let mut learner = Learner::new(&book, plan);
//! learner.add(&games)?;
//! learner.finish()?;
//! settle(&book, &())?;
//!
//! // the book answers,
//! let answer = query(&book.reader(), Position::START)?;
//! assert_eq!(answer.moves.len(), 4);
//!
//! // and where it has no value the engine does.
//! let found = Searcher::new(1 << 20).search(answer.position.board, &Limits::depth(8));
//! println!("{:?} is worth {} hundredths of a disc", found.best, found.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The map of rooms: data flows down this table and never back, and a room imports only from the
//! rooms its row names (`tests/repository/architecture.rs` reads this very table and checks it).
//!
//! | room | holds | may import |
//! |---|---|---|
//! | `machine` | large pages, clocks | |
//! | `othello` | squares, boards, flips per CPU tier, symmetry, score, notation, perft | |
//! | `games` | a validated game; readers and writers: WTHOR, GGF, transcripts, SGF | `othello` |
//! | `eval` | pattern shapes, incremental indices, weights of patterns and of their pairs, the weights file, the evaluator | `machine`, `othello` |
//! | `search` | limits, time, transposition table, ordering, ProbCut, midgame, endgame, threads | `machine`, `othello`, `eval` |
//! | `browser` | the engine inside a web page: orders and reports as text, searches in slices, what WebAssembly exports | `machine`, `othello`, `eval`, `search` |
//! | `players` | the programs of the papers, one folder each: evaluation, search, time, fits | `machine`, `othello`, `games`, `eval`, `search` |
//! | `train` | exact endings, games for labels, the fits, calibration, accuracy reports, the recipe of the weights | `othello`, `games`, `eval`, `search` |
//! | `book` | positions, what follows from what, what comes in, what is asked, care, exchange, the RocksDB store | `othello`, `games` |
//! | `engine` | the local analyst, the ways a book grows, whoever plays, game analysis | `machine`, `othello`, `games`, `eval`, `search`, `players`, `book` |
//! | `cluster` | questions to workers on other machines and their answers, over NATS | `othello`, `search`, `book`, `engine` |
//! | `view` | what we say, as serialisable types: for `--json`, HTTP and the page alike | `othello`, `games`, `search`, `book`, `engine`, `cluster` |
//! | `protocol` | NBoard, GTP, console commands: lines in, lines out | `othello`, `games`, `search`, `book`, `engine` |
//! | `arena` | the referee: contestants of any kind, paired games, clocks, Elo, a sequential test | `machine`, `othello`, `games`, `search`, `book`, `engine` |
//! | `service` | HTTP routes, request, response and error types, metrics, the page | `othello`, `games`, `eval`, `search`, `players`, `book`, `engine`, `cluster`, `view` |
//! | `cli` | a file for each subcommand or family of them; progress bars and tables; the only user of anyhow | all |
//!
//! The book has rooms of its own, each a folder:
//!
//! - `position`: what a position is (key, moves, node, codec, engines, statistics);
//! - `derive`: what follows from what (the rule, parents, the queue and the sweep that apply it);
//! - `index`: which games went through a position, who played them, when and where;
//! - `intake`: what comes in (games, other books, what is joined and counted);
//! - `asking`: what is asked (wants in the database, questions and answers, the door to whoever
//!   answers, the one driver behind every command that searches, sources of growth);
//! - `care`: check, repair, prune, sums; `look`: queries, lines, trees, differences; `exchange`:
//!   files of other programs, one file and one row of a table each; `store`: RocksDB, which only it
//!   knows, with what a command may take of memory and disk, and backups.
//!
//! Without the feature `program` only `machine`, `othello`, `eval`, `search` and `browser` are
//! built: that is the engine of the page, which `tools/wasm` compiles for the browser.
//!
//! Where the house left its first plan: book keys are disc count, occupied squares, mover (not
//! mover, opponent), because parents are then found by prefix and no link needs storing; whether a
//! move ends the game is derived, so terminals are not stored; search takes its ProbCut numbers
//! from the weights file, because they are only right for those weights.

#[cfg(feature = "program")]
pub mod arena;
#[cfg(feature = "program")]
pub mod book;
pub mod browser;
#[cfg(feature = "program")]
pub mod cli;
#[cfg(feature = "program")]
pub mod cluster;
#[cfg(feature = "program")]
pub mod engine;
pub mod eval;
#[cfg(feature = "program")]
pub mod games;
pub mod machine;
pub mod othello;
#[cfg(feature = "program")]
pub mod players;
#[cfg(feature = "program")]
pub mod protocol;
pub mod search;
#[cfg(feature = "program")]
pub mod service;
#[cfg(feature = "program")]
pub mod train;
#[cfg(feature = "program")]
pub mod view;
