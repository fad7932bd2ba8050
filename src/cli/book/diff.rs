//! `emilia book diff`: what differs between two books.

use super::super::exit::{interrupted, no};
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, print_json, progress, table};
use super::store_args::StoreArgs;
use super::watch::Watch;
use crate::book::{Comparison, Difference, DifferenceKind, Opinion, Store, Table, diff};
use crate::view::{BooksComparedView, DifferenceView};
use anyhow::Result;
use clap::ValueEnum;
use std::cmp::Reverse;
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Compare two books: positions that only one has, best moves and values that differ
///
/// Both are read once from end to end, in the memory of a few records, and neither is changed. Exit
/// code 0 if they agree, 1 if they differ, 2 if they cannot be compared. Positions are shown turned
/// so that they are the same for all eight images, with X to move; values are for X, in discs.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book diff monday tuesday\n  \
                        emilia book diff backups/2026-11-18T09-44-01Z wthor --kind moves --order value\n  \
                        emilia book diff a b --json | jq .summary")]
pub struct Args {
    /// The folder of a book
    #[arg(value_name = "A")]
    first: PathBuf,

    /// The folder of another
    #[arg(value_name = "B")]
    second: PathBuf,

    /// Show only differences of one kind; all are counted
    #[arg(long, value_name = "WHAT")]
    kind: Option<Kind>,

    /// Which differences come first
    #[arg(long, value_name = "HOW", default_value = "discs")]
    order: Order,

    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    limit: u32,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object per difference, and one with the counts at the end
    #[arg(long)]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Positions that only one book has
    Positions,
    /// Best moves that differ
    Moves,
    /// Values that differ where the best moves do not
    Values,
}

impl Kind {
    fn holds(self, difference: &Difference) -> bool {
        self == match difference.kind {
            DifferenceKind::OnlyInFirst(_) | DifferenceKind::OnlyInSecond(_) => Kind::Positions,
            DifferenceKind::BestMove(..) => Kind::Moves,
            DifferenceKind::Value(..) => Kind::Values,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Nearest to the start of the game
    Discs,
    /// Largest difference of the values; a value against none is larger than any
    Value,
}

pub fn run(args: Args) -> Result<()> {
    let (comparison, shown) = compare(&args)?;
    print(&args, &comparison, &shown)?;
    if comparison.total().differ() {
        return Err(no("the books differ"));
    }
    Ok(())
}

fn compare(args: &Args) -> Result<(Comparison, Vec<Difference>)> {
    let interrupt = Interrupt::watch()?;
    let options = args.store.options().among(2);
    let first = options.open_read_only(&args.first)?;
    let second = options.open_read_only(&args.second)?;
    let about = |store: &Store| store.estimated_records(Table::Nodes);
    let total = about(&first)?.max(about(&second)?);
    let watch = Watch::of(progress(total, "positions", "comparing"), interrupt);
    let mut chosen = Chosen {
        order: args.order,
        limit: args.limit as usize,
        kept: Vec::new(),
    };
    let (first, second) = (first.snapshot(), second.snapshot());
    let comparison = diff(&first, &second, &watch, |difference| {
        if args.kind.is_none_or(|kind| kind.holds(&difference)) {
            chosen.see(difference);
        }
        anyhow::Ok(())
    })?;
    drop(watch);
    if !comparison.finished {
        return Err(interrupted("interrupted; nothing was changed"));
    }
    Ok((comparison, chosen.in_order()))
}

/// The first differences in an order, of any number.
struct Chosen {
    order: Order,
    limit: usize,
    /// Up to twice as many as are wanted, so that they are seldom sorted.
    kept: Vec<Difference>,
}

impl Chosen {
    fn see(&mut self, difference: Difference) {
        match self.order {
            // That is the order in which they come.
            Order::Discs if self.kept.len() >= self.limit => {}
            Order::Discs => self.kept.push(difference),
            Order::Value => {
                self.kept.push(difference);
                if self.kept.len() > 2 * self.limit {
                    self.cut();
                }
            }
        }
    }

    /// Among equals, the one that came first stays first.
    fn cut(&mut self) {
        if self.order == Order::Value {
            self.kept
                .sort_by_key(|difference| Reverse(difference.size()));
        }
        self.kept.truncate(self.limit);
    }

    fn in_order(mut self) -> Vec<Difference> {
        self.cut();
        self.kept
    }
}

fn print(args: &Args, comparison: &Comparison, shown: &[Difference]) -> Result<()> {
    let mut out = stdout().lock();
    let total = comparison.total();
    if args.json {
        for difference in shown {
            print_json(&mut out, &DifferenceView::from(difference))?;
        }
        let books = [&*args.first, &*args.second];
        let told = BooksComparedView::of(books, comparison, shown.len());
        return print_json(&mut out, &told);
    }
    let (first, second) = (args.first.display(), args.second.display());
    if !shown.is_empty() {
        writeln!(out, "A is {first}, B is {second}\n")?;
        let header = ["discs", "position", "A", "best", "B", "best"];
        let mut rows = table(&header, &[0, 2, 4]);
        for difference in shown {
            let (one, other) = match difference.kind {
                DifferenceKind::OnlyInFirst(one) => (Some(one), None),
                DifferenceKind::OnlyInSecond(other) => (None, Some(other)),
                DifferenceKind::BestMove(one, other) | DifferenceKind::Value(one, other) => {
                    (Some(one), Some(other))
                }
            };
            let mut row = vec![
                difference.key.layer().discs().to_string(),
                difference.key.to_string(),
            ];
            row.extend([one, other].into_iter().flat_map(shown_opinion));
            rows.add_row(row);
        }
        writeln!(out, "{rows}\n")?;
    }
    let counts = [
        ("the same in both", total.same),
        ("only in A", total.only_in_first),
        ("only in B", total.only_in_second),
        ("another best move", total.best_moves),
        ("another value", total.values),
    ];
    let mut rows = table(&["positions", ""], &[1]);
    for (what, count) in counts {
        rows.add_row([what.to_owned(), grouped(count)]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

/// The value and the best move; a dash where the book does not have the position.
fn shown_opinion(opinion: Option<Opinion>) -> [String; 2] {
    match opinion {
        None => ["-".into(), String::new()],
        Some(Opinion { value, best }) => [
            value.map_or_else(|| "?".into(), |value| value.to_string()),
            best.map_or_else(String::new, |square| square.to_string()),
        ],
    }
}
