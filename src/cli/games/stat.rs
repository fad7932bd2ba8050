//! `emilia games stat`: what is in collections, and what is broken in them.

use super::super::output::{grouped, print_json, table};
use super::inputs::{BadGames, Bar, is_name_table, open_input};
use crate::games::{DistinctCount, DistinctPositions, Format, Game, GameReader, Name};
use crate::view::{CountedCollectionsView, CountedFileView, CountedTotalView, CountsView};
use anyhow::{Result, bail};
use rayon::prelude::*;
use std::collections::HashSet;
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Count games, results, players and positions of collections
///
/// Games that stop before the end are counted as unfinished. Positions are counted up to symmetry:
/// exactly up to 16 million of them, beyond that within about 0.4 %.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia games stat book/games/*\n  \
                        emilia games stat WTH_*.wtb --all\n  \
                        emilia games stat games.ggf.gz --json | jq .total.games")]
pub struct Args {
    /// Collections; - is standard input
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,

    /// List all bad games, not only the first ones
    #[arg(long)]
    all: bool,

    /// A bad game is an error
    #[arg(long)]
    strict: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What was counted in one file, or in all.
#[derive(Default)]
struct Tally {
    games: u64,
    plies: u64,
    black_wins: u64,
    draws: u64,
    white_wins: u64,
    unfinished: u64,
    bad: u64,
    years: Option<(u16, u16)>,
    players: HashSet<Name>,
}

impl Tally {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        self.plies += game.moves().len() as u64;
        self.unfinished += u64::from(!game.is_finished());
        match game.result().map(|score| score.discs()) {
            Some(1..) => self.black_wins += 1,
            Some(0) => self.draws += 1,
            Some(_) => self.white_wins += 1,
            None => {}
        }
        let details = game.details();
        if let Some(date) = details.date {
            self.see_years(date.year(), date.year());
        }
        for name in [&details.black, &details.white].into_iter().flatten() {
            if !self.players.contains(name) {
                self.players.insert(name.clone());
            }
        }
    }

    fn see_years(&mut self, first: u16, last: u16) {
        let (from, to) = self.years.unwrap_or((first, last));
        self.years = Some((from.min(first), to.max(last)));
    }

    fn merge(&mut self, other: &Tally) {
        self.games += other.games;
        self.plies += other.plies;
        self.black_wins += other.black_wins;
        self.draws += other.draws;
        self.white_wins += other.white_wins;
        self.unfinished += other.unfinished;
        self.bad += other.bad;
        if let Some((first, last)) = other.years {
            self.see_years(first, last);
        }
        self.players.extend(other.players.iter().cloned());
    }

    fn row(&self, name: &str, format: &str) -> Vec<String> {
        let years = match self.years {
            None => "-".into(),
            Some((first, last)) if first == last => first.to_string(),
            Some((first, last)) => format!("{first}–{last}"),
        };
        let mut row = vec![name.to_owned(), format.to_owned()];
        let counts = [
            self.games,
            self.plies,
            self.black_wins,
            self.draws,
            self.white_wins,
        ];
        row.extend(counts.map(grouped));
        row.push(years);
        let counts = [self.players.len() as u64, self.unfinished, self.bad];
        row.extend(counts.map(grouped));
        row
    }

    fn view(&self) -> CountsView {
        CountsView {
            games: self.games,
            plies: self.plies,
            black_wins: self.black_wins,
            draws: self.draws,
            white_wins: self.white_wins,
            no_result: self.games - self.black_wins - self.draws - self.white_wins,
            first_year: self.years.map(|years| years.0),
            last_year: self.years.map(|years| years.1),
            players: self.players.len(),
            unfinished: self.unfinished,
            bad: self.bad,
        }
    }
}

struct FileTally {
    name: String,
    format: Format,
    tally: Tally,
}

pub fn run(args: Args) -> Result<()> {
    let positions = DistinctPositions::default();
    let mut bad = BadGames::new(args.strict, args.all);
    let mut files = Vec::new();
    let mut unreadable = Vec::new();
    let bar = Bar::new(&args.files, "reading");
    for path in &args.files {
        match open_input(path) {
            Ok(reader) => files.push(count(reader, &positions, &mut bad, &bar)?),
            Err(error) if is_name_table(&error) => {}
            Err(error) if args.strict => return Err(error.into()),
            Err(error) => unreadable.push(anyhow::Error::from(error)),
        }
    }
    drop(bar);
    if files.is_empty() && unreadable.is_empty() {
        bail!("there are only tables of names here; name the .wtb files as well");
    }
    let mut total = Tally::default();
    for file in &files {
        total.merge(&file.tally);
    }
    let distinct = positions.count();
    if args.json {
        let counted = view(&files, &total, distinct, &bad);
        print_json(&mut stdout(), &counted)?;
    } else if !files.is_empty() {
        print_table(&files, &total, distinct, &bad)?;
    }
    let Some(last) = unreadable.pop() else {
        return Ok(());
    };
    for error in unreadable {
        eprintln!("emilia: {error:#}");
    }
    Err(last)
}

fn count(
    mut reader: GameReader,
    positions: &DistinctPositions,
    bad: &mut BadGames,
    bar: &Bar,
) -> Result<FileTally> {
    let mut tally = Tally::default();
    while let Some(batch) = reader.next_batch() {
        bar.show(&reader);
        batch.par_iter().flatten().for_each(|game| {
            game.for_each_board(|board| positions.add(board));
        });
        for game in batch {
            match game {
                Ok(game) => tally.add(&game),
                Err(flaw) => {
                    tally.bad += 1;
                    bad.add(flaw)?;
                }
            }
        }
    }
    bar.end_of_file(&reader);
    Ok(FileTally {
        name: reader.file().to_owned(),
        format: reader.format(),
        tally,
    })
}

fn print_table(
    files: &[FileTally],
    total: &Tally,
    distinct: DistinctCount,
    bad: &BadGames,
) -> Result<()> {
    let header = [
        "file",
        "format",
        "games",
        "plies",
        "Black",
        "draws",
        "White",
        "years",
        "players",
        "unfinished",
        "bad",
    ];
    let mut table = table(&header, &[2, 3, 4, 5, 6, 8, 9, 10]);
    for file in files {
        table.add_row(file.tally.row(&file.name, &file.format.to_string()));
    }
    if files.len() > 1 {
        table.add_row(total.row("total", ""));
    }
    let mut out = stdout().lock();
    writeln!(out, "{table}")?;
    let number = grouped(distinct.number());
    match distinct {
        DistinctCount::Exact(_) => {
            writeln!(out, "\n{number} distinct positions up to symmetry")?;
        }
        DistinctCount::About(_) => {
            writeln!(
                out,
                "\nabout {number} distinct positions up to symmetry (± 0.4 %)"
            )?;
        }
    }
    bad.print(&mut out)?;
    Ok(())
}

fn view(
    files: &[FileTally],
    total: &Tally,
    distinct: DistinctCount,
    bad: &BadGames,
) -> CountedCollectionsView {
    let files = files.iter().map(|file| CountedFileView {
        file: file.name.clone(),
        format: file.format.to_string(),
        counts: file.tally.view(),
    });
    CountedCollectionsView {
        files: files.collect(),
        total: CountedTotalView {
            counts: total.view(),
            distinct_positions: distinct.number(),
            distinct_positions_exact: distinct.is_exact(),
        },
        bad: bad.view(),
    }
}
