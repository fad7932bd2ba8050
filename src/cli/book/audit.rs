//! `emilia book audit`: how good the book's moves are.

use super::super::exit::interrupted;
use super::super::games::inputs::BadGames;
use super::super::output::{print_json, table};
use super::effort::Effort;
use super::place::Place;
use super::shelf::Shelf;
use super::watch::Watch;
use crate::engine::{AuditSource, Judged, Reached, Sample, audit};
use crate::view::{AuditView, AuditedMovesView, AuditedPlyView};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::io::{Write, stderr, stdout};
use std::path::PathBuf;

/// Judge the moves a book would play by a deeper search
///
/// Draws positions that people reached in the games of the book, the more often the likelier, and
/// searches the book's move and the best one there at --level. What the book's moves give away on
/// average is how good the book is. The same games give the same positions, so that books made of
/// them can be compared. With --collections the positions are drawn from those games instead, also such as
/// the book does not know: there the move counts that the engine would play, and the table says how
/// many the book knew.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book audit --level 16\n  \
                        emilia book audit --positions 500 --plies 8-20 --level 20 --json\n  \
                        emilia book audit --collections WTH_2015.wtb --level 20")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Draw from these games, not from the book's own
    #[arg(long, value_name = "FILE", num_args = 1..)]
    collections: Vec<PathBuf>,

    /// With which level the engine plays where the book has no move [default: 6 below --level]
    #[arg(long, value_name = "LEVEL", requires = "collections",
          value_parser = clap::value_parser!(u8).range(1..=60))]
    playing: Option<u8>,

    /// How many positions to judge
    #[arg(long, value_name = "N", default_value_t = 500,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,

    /// Only positions after at most this many moves; A-B: after A to B of them
    #[arg(long, value_name = "N|A-B", default_value = "8-20", value_parser = read_range)]
    plies: (u8, u8),

    /// Another number draws other positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    effort: Effort,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn read_range(text: &str) -> Result<(u8, u8), String> {
    let (from, to) = text.split_once('-').unwrap_or(("0", text));
    from.parse()
        .ok()
        .zip(to.parse().ok())
        .filter(|(from, to)| from <= to && *to <= 60)
        .ok_or_else(|| "write a number of moves up to 60, or two as in 8-20".into())
}

/// The moves of positions after one number of moves, or of all.
#[derive(Default)]
struct Sum {
    moves: u64,
    /// The book knew the position.
    in_book: u64,
    best: u64,
    loss: i64,
    worst: i32,
}

impl Sum {
    fn add(&mut self, judged: &Judged) {
        self.moves += 1;
        self.in_book += u64::from(judged.from_book);
        self.best += u64::from(judged.best == judged.chosen);
        self.loss += i64::from(judged.loss);
        self.worst = self.worst.max(judged.loss);
    }

    /// In discs.
    fn mean(&self) -> f64 {
        self.loss as f64 / 100.0 / self.moves.max(1) as f64
    }

    fn view(&self) -> AuditedMovesView {
        AuditedMovesView {
            positions: self.moves,
            in_book: self.in_book,
            best: self.best,
            mean_loss: self.mean(),
        }
    }

    fn row(&self, name: String) -> [String; 6] {
        let share = |part: u64| format!("{:.0}%", 100.0 * part as f64 / self.moves.max(1) as f64);
        [
            name,
            self.moves.to_string(),
            share(self.in_book),
            share(self.best),
            format!("{:.3}", self.mean()),
            format!("{:.2}", f64::from(self.worst) / 100.0),
        ]
    }
}

pub fn run(args: Args) -> Result<()> {
    let crew = args.effort.start_searching()?;
    let store = args.place.open_to_read()?;
    let mut analyst = crew.analyst(&store)?;
    let sample = Sample {
        positions: args.positions as usize,
        plies: args.plies,
        seed: args.seed,
    };
    let mut reached = Reached::default();
    let mut bad = BadGames::new(false, false);
    if !args.collections.is_empty() {
        let mut shelf = Shelf::new(&args.collections, "reading");
        while let Some(games) = shelf.next_games(&mut bad)?
            && !crew.is_stopped()
        {
            games.iter().for_each(|game| reached.add(game, args.plies));
        }
    }
    if !args.json {
        bad.print(&mut stderr())?;
    }
    let playing = match args.collections.is_empty() {
        true => None,
        false => Some(args.playing.unwrap_or(crew.level.saturating_sub(6).max(1))),
    };
    let source = match playing {
        None => AuditSource::Book,
        Some(level) => AuditSource::Games {
            reached: &reached,
            level,
        },
    };
    let watch = Watch::over(
        Some(args.positions.into()),
        "judging",
        crew.interrupt.clone(),
    );
    let judged = audit(&store, &mut *analyst, crew.level, source, sample, &watch)?;
    drop(watch);
    if crew.interrupt.is_set() {
        return Err(interrupted(
            "interrupted; a part of the positions would tell nothing",
        ));
    }
    if crew.is_stopped() {
        bail!("the time is up, and a part of the positions would tell nothing: leave out --time");
    }
    if judged.is_empty() {
        bail!(
            "there is no move to judge in positions that people reached at these plies; build the \
             book from games and search it first, or name games with --collections"
        );
    }
    let mut all = Sum::default();
    let mut by_ply: BTreeMap<u8, Sum> = BTreeMap::new();
    for one in &judged {
        all.add(one);
        by_ply
            .entry(one.key.layer().discs() - 4)
            .or_default()
            .add(one);
    }
    let mut out = stdout().lock();
    if args.json {
        let plies = by_ply.iter().map(|(&ply, sum)| AuditedPlyView {
            ply,
            judged: sum.view(),
        });
        let told = AuditView {
            level: crew.level,
            playing,
            judged: all.view(),
            worst: f64::from(all.worst) / 100.0,
            plies: plies.collect(),
            bad: bad.view(),
        };
        return print_json(&mut out, &told);
    }
    let mut rows = table(
        &["ply", "moves", "in the book", "best", "mean loss", "worst"],
        &[0, 1, 2, 3, 4, 5],
    );
    for (ply, sum) in &by_ply {
        rows.add_row(sum.row(ply.to_string()));
    }
    rows.add_row(all.row("all".into()));
    writeln!(out, "{rows}")?;
    Ok(())
}
