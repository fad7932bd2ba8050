//! `emilia book compact`.

use super::super::output::waiting;
use super::place::Place;
use anyhow::Result;

/// Rewrite a book in its densest form
///
/// The database does this by itself little by little; after a large build it pays to do it at once.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book compact --book wthor")]
pub struct Args {
    #[command(flatten)]
    place: Place,
}

pub fn run(args: Args) -> Result<()> {
    let store = args.place.open()?;
    let bar = waiting("compacting; the book is whole if this is killed");
    store.compact()?;
    bar.finish_and_clear();
    Ok(())
}
