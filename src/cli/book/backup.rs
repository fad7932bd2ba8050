//! `emilia book backup` and `emilia book compact`.

use super::place::Place;
use anyhow::Result;
use std::path::PathBuf;

/// Copy a book as it is now
///
/// On the same disk the copy shares the book's files: it takes hardly any time or room.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book backup book-of-monday --book wthor")]
pub struct Args {
    /// A folder that does not exist yet
    #[arg(value_name = "DIR")]
    target: PathBuf,

    #[command(flatten)]
    place: Place,
}

pub fn run(args: Args) -> Result<()> {
    args.place.open()?.backup(&args.target)?;
    Ok(())
}

/// Rewrite a book in its densest form
///
/// The database does this by itself little by little; after a large build it pays to do it at once.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book compact --book wthor")]
pub struct CompactArgs {
    #[command(flatten)]
    place: Place,
}

pub fn compact(args: CompactArgs) -> Result<()> {
    args.place.open()?.compact()?;
    Ok(())
}
