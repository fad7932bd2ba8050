//! What a book is worth: matches of the engine with it against the engine without, where their games
//! leave it, what its moves give away, and what it says of known openings beside a deeper search.
//! Run it with `tools/book-figures`; `docs/benchmarks.md` has the tables.

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, ValueEnum};
use emilia::arena::balanced;
use emilia::book::{NodeKey, Openings, Reader, Store, query};
use emilia::games::{Game, Name, open};
use emilia::othello::{Bitboard, Board, Color, MoveList, Position, Square, moves_to_string};
use emilia::search::{Limits, Searcher};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Parser)]
struct Args {
    /// Where matches, their games and finished tables are kept: the same folder goes on where it was
    /// stopped, and tells again what is there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// What to measure; everything, in this order, if nothing is named
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
    /// The book
    #[arg(long, value_name = "DIR")]
    book: PathBuf,
    /// Other books that are audited beside it; the starter book of early versions is
    /// book/starter.emb in commit 4b426a3
    #[arg(long, value_name = "DIR")]
    beside: Vec<PathBuf>,
    /// Games of people for the audit, such as the book was not made for
    #[arg(long, value_name = "FILE", num_args = 1..)]
    collections: Vec<PathBuf>,
    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: usize,
    /// The program to measure
    #[arg(long, default_value = "target/release/emilia")]
    emilia: PathBuf,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// 400 games at 10 s from the beginning, the book within half a disc of its best
    Start10,
    /// 200 such games at 60 s
    Start60,
    /// 400 games at 10 s from 200 even openings of six moves
    Openings10,
    /// Where the games of these matches leave the book, who does it, and what that move gives away
    Leaving,
    /// What the moves give away that the book would play where people come
    Audit,
    /// What the book says of named openings, beside a search
    Theory,
}

/// A match that is measured.
struct Match {
    part: Part,
    name: &'static str,
    seconds: u32,
    games: u32,
    from_openings: bool,
}

/// None of the games that `tools/main-book` lets the book learn from has such a number.
const SEED: &str = "1000000";

const MATCHES: [Match; 3] = [
    Match {
        part: Part::Start10,
        name: "start-10s",
        seconds: 10,
        games: 400,
        from_openings: false,
    },
    Match {
        part: Part::Start60,
        name: "start-60s",
        seconds: 60,
        games: 200,
        from_openings: false,
    },
    Match {
        part: Part::Openings10,
        name: "openings-10s",
        seconds: 10,
        games: 400,
        from_openings: true,
    },
];

/// Openings of six moves: of all that are even within so many hundredths of a disc at this level,
/// as many as are wanted, by lot.
const OPENINGS: usize = 200;
const OPENING_PLIES: u32 = 6;
const OPENING_MARGIN: i32 = 200;
const OPENING_LEVEL: u32 = 16;

/// What the book was made with, and how much harder its judges look.
const LEVEL: u32 = 18;
const JUDGE_LEVEL: u32 = LEVEL + 6;
/// Moves with which games leave the book are many, and their mistakes are large.
const LEAVING_LEVEL: u32 = 20;

/// What everybody who plays openings knows, by the names in `book/openings.tsv`.
const THEORY: [&str; 14] = [
    "Tiger",
    "Brightwell",
    "Leader's Tiger",
    "Stephenson",
    "Comp'Oth",
    "F.A.T. Draw",
    "No-Kung",
    "Rose-Bill",
    "Tamenori",
    "Central Rose-Bill",
    "Mainline Tiger",
    "Rose",
    "Sharp Rose",
    "Flat",
];

fn main() -> Result<()> {
    let args = Args::parse();
    fs::create_dir_all(&args.folder)?;
    let is_asked = |part: Part| args.only.is_empty() || args.only.contains(&part);
    if is_asked(Part::Audit) && args.collections.is_empty() {
        bail!("name games for the audit with --collections, or what else to measure with --only");
    }
    let asked: Vec<&Match> = MATCHES.iter().filter(|one| is_asked(one.part)).collect();
    if !asked.is_empty() {
        println!(
            "| match | won | drawn | lost | points | Elo (95 %) | discs | openings | s a game, with \
             and without | book moves a game |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
        );
    }
    for one in asked {
        println!("{}", one.play(&args)?);
    }
    for (part, measure) in [
        (Part::Leaving, leaving as fn(&Args) -> Result<String>),
        (Part::Audit, audit),
        (Part::Theory, theory),
    ] {
        if is_asked(part) {
            println!("\n{}", kept(&args, part, measure)?);
        }
    }
    Ok(())
}

/// The table of a part, which is measured where no run before has written it down.
fn kept(args: &Args, part: Part, measure: fn(&Args) -> Result<String>) -> Result<String> {
    let name = part.to_possible_value();
    let name = name.as_ref().map_or("part", |value| value.get_name());
    let file = args.folder.join(format!("{name}.md"));
    if !file.exists() {
        fs::write(&file, measure(args)?)?;
    }
    Ok(fs::read_to_string(file)?)
}

/// One JSON object that the program prints.
fn told(emilia: &Path, words: &[&str]) -> Result<Value> {
    let mut command = Command::new(emilia);
    let out = command.args(words).stderr(Stdio::inherit()).output();
    let out = out.with_context(|| format!("cannot run {}", emilia.display()))?;
    ensure!(out.status.success(), "emilia {} failed", words.join(" "));
    Ok(serde_json::from_slice(&out.stdout)?)
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is no text")
}

impl Match {
    fn file(&self, folder: &Path, extension: &str) -> PathBuf {
        folder.join(format!("{}.{extension}", self.name))
    }

    /// The row of the table.
    fn play(&self, args: &Args) -> Result<String> {
        let with_book = with_book(args)?;
        let (games, clock) = (self.games.to_string(), self.seconds.to_string());
        let (log, saved) = (
            self.file(&args.folder, "log"),
            self.file(&args.folder, "ggf"),
        );
        let at_once = args.concurrency.to_string();
        let mut words = vec!["match", &with_book, "emilia", "--games", &games];
        words.extend(["--clock", &clock, "--cpu-time", "--seed", SEED]);
        words.extend(["--concurrency", &at_once]);
        words.extend(["--log", text(&log)?, "--save", text(&saved)?]);
        words.extend(["--force", "--json"]);
        let openings;
        if self.from_openings {
            openings = openings_of_six_moves(&args.folder)?;
            words.extend(["--openings", text(&openings)?]);
        } else {
            words.push("--no-openings");
        }
        let told = told(&args.emilia, &words)?;
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let (elo, first, second) = (&told["elo"], &told["first"], &told["second"]);
        Ok(format!(
            "| {} s, {} | {} | {} | {} | **{:.1} %** | {:+.0} ({:+.0} to {:+.0}) | {:+.2} | {} | {:.2}, {:.2} | {:.1} |",
            self.seconds,
            if self.from_openings {
                "200 even openings of six moves"
            } else {
                "from the beginning"
            },
            told["wins"],
            told["draws"],
            told["losses"],
            100.0 * number(&told["points"]),
            number(&elo["difference"]),
            number(&elo["low"]),
            number(&elo["high"]),
            number(&told["discs"]),
            told["openings"],
            number(&first["seconds_per_game"]),
            number(&second["seconds_per_game"]),
            number(&first["book_moves_per_game"]),
        ))
    }
}

/// The contestant, whose name also tells it in the games that are kept.
fn with_book(args: &Args) -> Result<String> {
    let book = text(&args.book)?;
    ensure!(
        !book.contains([' ', '\'']),
        "{book}: name a folder without spaces"
    );
    Ok(format!("emilia book={book} book-randomness=0.5"))
}

fn openings_of_six_moves(folder: &Path) -> Result<PathBuf> {
    let file = folder.join("openings-of-six.txt");
    if !file.exists() {
        let made = balanced(OPENING_PLIES, OPENING_MARGIN, OPENING_LEVEL, 1);
        let lines: Vec<String> = made.take(OPENINGS).map(|(moves, _)| moves).collect();
        ensure!(
            lines.len() == OPENINGS,
            "there are only {} even openings of {OPENING_PLIES} moves",
            lines.len()
        );
        fs::write(&file, lines.join("\n") + "\n")?;
    }
    Ok(file)
}

/// The move with which a game left the book.
struct Leaving {
    after: usize,
    by_the_book: bool,
    before: Board,
    square: Square,
}

/// None if it never did, or began outside. The moves of a given opening are nobody's.
fn leaving_of(
    reader: &Reader<'_>,
    game: &Game,
    given: usize,
    book_plays: Color,
) -> Result<Option<Leaving>> {
    let mut position = game.start();
    for (after, &square) in game.moves().iter().enumerate() {
        let next = position.play(square)?;
        let there = reader.contains(&[NodeKey::of(position.board), NodeKey::of(next.board)])?;
        if after >= given && there == [true, false] {
            return Ok(Some(Leaving {
                after,
                by_the_book: position.turn == book_plays,
                before: position.board,
                square,
            }));
        }
        position = next;
    }
    Ok(None)
}

/// What a move gives away, and what the position is worth after it to who made it.
fn judge(searcher: &Searcher, board: Board, square: Square) -> (i32, i32) {
    let limits = Limits {
        average: true,
        ..Limits::level(LEAVING_LEVEL, board.empty_count())
    };
    let found = searcher.search(board, &limits);
    if found.best == Some(square) {
        return (0, found.value);
    }
    let alone = Limits {
        without: board.legal_moves() & !Bitboard::from(square),
        ..limits
    };
    let own = searcher.search(board, &alone).value;
    ((found.value - own).max(0), own)
}

/// Which colour the book had.
fn color_of_book(game: &Game, contestant: &str) -> Result<Color> {
    let details = game.details();
    let is_book = |name: &Option<Name>| name.as_ref().is_some_and(|n| n.as_str() == contestant);
    match (is_book(&details.black), is_book(&details.white)) {
        (true, false) => Ok(Color::Black),
        (false, true) => Ok(Color::White),
        _ => bail!("a game that is not of this book: name the folder of its matches"),
    }
}

fn leaving(args: &Args) -> Result<String> {
    let store = Store::open_read_only(&args.book)?;
    let name = with_book(args)?;
    let mut table =
        "| match | games that leave the book | after moves, median (10 to 90 %) | by the \
         other side | which gives away, mean | by the side with the book | which gives away, mean \
         | worth then to the side with the book |\n|---|--:|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for one in &MATCHES {
        let file = one.file(&args.folder, "ggf");
        if !file.exists() {
            continue;
        }
        let given = if one.from_openings {
            OPENING_PLIES as usize
        } else {
            0
        };
        let reader = store.reader();
        let (mut games, mut left) = (0, Vec::new());
        for game in open(&file)? {
            let game = game?;
            let color = color_of_book(&game, &name)?;
            games += 1;
            left.extend(leaving_of(&reader, &game, given, color)?);
        }
        if left.is_empty() {
            table += &format!("| {} | 0 of {games} | | | | | | |\n", one.name);
            continue;
        }
        let moves: HashSet<(Board, Square)> = left
            .iter()
            .map(|leaving| (leaving.before, leaving.square))
            .collect();
        let judged: HashMap<(Board, Square), (i32, i32)> = moves
            .into_par_iter()
            .map_init(
                || Searcher::new(64 << 20),
                |searcher, (board, square)| ((board, square), judge(searcher, board, square)),
            )
            .collect();
        let of = |leaving: &Leaving| judged[&(leaving.before, leaving.square)];
        let discs = |centidiscs: i32| f64::from(centidiscs) / 100.0;
        let lost = |by_the_book: bool| -> Vec<f64> {
            let by = left.iter().filter(|one| one.by_the_book == by_the_book);
            by.map(|leaving| discs(of(leaving).0)).collect()
        };
        let worth = left.iter().map(|leaving| {
            let own = discs(of(leaving).1);
            if leaving.by_the_book { own } else { -own }
        });
        let worth: Vec<f64> = worth.collect();
        let (other, own) = (lost(false), lost(true));
        let mut after: Vec<usize> = left.iter().map(|leaving| leaving.after).collect();
        after.sort_unstable();
        let at = |share: f64| after[((after.len() - 1) as f64 * share).round() as usize];
        table += &format!(
            "| {} | {} of {games} | {} ({} to {}) | {} | {:.2} | {} | {:.2} | {:+.2} |\n",
            one.name,
            left.len(),
            at(0.5),
            at(0.1),
            at(0.9),
            other.len(),
            mean(&other),
            own.len(),
            mean(&own),
            mean(&worth),
        );
    }
    Ok(table)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn audit(args: &Args) -> Result<String> {
    let mut table =
        "| book | known, plies 6–14 | known, plies 15–20 | best move found | mean loss, \
         known and unknown |\n|---|--:|--:|--:|--:|\n"
            .to_owned();
    for book in std::iter::once(&args.book).chain(&args.beside) {
        let (level, playing) = (JUDGE_LEVEL.to_string(), LEVEL.to_string());
        let mut words = vec!["book", "audit", "--book", text(book)?, "--json"];
        words.extend(["--positions", "1000", "--plies", "6-20"]);
        words.extend(["--level", &level, "--playing", &playing, "--collections"]);
        for file in &args.collections {
            words.push(text(file)?);
        }
        let told = told(&args.emilia, &words)?;
        let mut known: BTreeMap<bool, [u64; 2]> = BTreeMap::new();
        for ply in told["plies"].as_array().into_iter().flatten() {
            let number = |name: &str| ply[name].as_u64().unwrap_or(0);
            let sum = known.entry(number("ply") <= 14).or_default();
            sum[0] += number("in_book");
            sum[1] += number("positions");
        }
        let share = |early: bool| {
            let [known, all] = known.get(&early).copied().unwrap_or_default();
            100.0 * known as f64 / all.max(1) as f64
        };
        let number = |name: &str| told[name].as_f64().unwrap_or(f64::NAN);
        table += &format!(
            "| {} | {:.1} % | {:.1} % | {:.1} % | {:.3} |\n",
            book.display(),
            share(true),
            share(false),
            100.0 * number("best") / number("positions"),
            number("mean_loss"),
        );
    }
    Ok(table)
}

fn theory(args: &Args) -> Result<String> {
    let store = Store::open_read_only(&args.book)?;
    let reader = store.reader();
    let start = [("The start", String::new())].into_iter();
    let named = THEORY.iter().map(|name| {
        let opening = Openings::shipped()
            .all()
            .iter()
            .find(|opening| opening.name == *name);
        let moves = opening.map(|opening| moves_to_string(&opening.moves));
        Ok((
            *name,
            moves.with_context(|| format!("no opening is called {name}"))?,
        ))
    });
    let lines: Vec<(&str, String)> = start.map(Ok).chain(named).collect::<Result<_>>()?;
    let rows = lines
        .par_iter()
        .map_init(
            || Searcher::new(256 << 20),
            |searcher, (name, line)| {
                let position = MoveList::parse(Position::START, line)?.end;
                let said = query(&reader, position)?;
                let limits = Limits {
                    average: true,
                    ..Limits::level(JUDGE_LEVEL, position.board.empty_count())
                };
                let found = searcher.search(position.board, &limits);
                let discs = |centidiscs: i32| format!("{:+.2}", f64::from(centidiscs) / 100.0);
                let square = |square: Option<Square>| {
                    square.map_or("–".to_owned(), |square| square.to_string())
                };
                let value = said.node.and_then(|node| node.derived.value);
                let value = value.map(|value| discs(value.centidiscs()));
                Ok(format!(
                    "| {name} | {line} | {} | {} | {} | {} |",
                    value.unwrap_or("–".to_owned()),
                    square(said.best),
                    discs(found.value),
                    square(found.best),
                ))
            },
        )
        .collect::<Result<Vec<String>>>()?;
    Ok(format!(
        "| opening | moves | the book | and its move | level {JUDGE_LEVEL} | and its move |\n\
         |---|---|--:|---|--:|---|\n{}\n",
        rows.join("\n")
    ))
}
