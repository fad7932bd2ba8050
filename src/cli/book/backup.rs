//! `emilia book backup`, `backups` and `restore`.

use super::super::exit::{interrupted, no};
use super::super::interrupt::Interrupt;
use super::super::output::{grouped, progress, table};
use super::compact::bytes_on_disk;
use super::place::Place;
use super::watch::Watch;
use crate::book::{Backup, Restoring, UnfinishedBackup, backups};
use crate::view::BackupView;
use anyhow::{Result, bail};
use serde_json::{json, to_value};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Put a backup of a book as it is now into a folder of backups
///
/// Each backup is a folder named after the time, and a book: --book DIR/NAME queries, compares or
/// exports it. Only what is new takes room: on the book's own disk its files are shared, on another
/// disk those of the backup before. Every record is read again before the backup is listed. Ctrl-C
/// leaves no trace, and the book is not changed. On another disk, a backup survives this one.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia book backup /mnt/other/backups --book wthor --keep 7\n  \
                        emilia book backups /mnt/other/backups\n  \
                        emilia book restore /mnt/other/backups --book wthor --force"
)]
pub struct Args {
    /// The folder of backups; made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Keep this many backups of this book, and remove older ones [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,

    #[command(flatten)]
    place: Place,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    let store = args.place.open()?;
    let bytes = bytes_on_disk(&store)?;
    let watch = Watch::of(progress(bytes, "bytes", "copying"), interrupt.clone());
    let begun = UnfinishedBackup::begin(&store, &args.folder, &watch)?;
    drop(watch);
    let Some(mut unfinished) = begun else {
        return Err(interrupted(INTERRUPTED));
    };
    let bar = progress(store.all_records()?, "records", "verifying");
    let watch = Watch::of(bar, interrupt);
    let is_verified = unfinished.verify(&watch)?;
    drop(watch);
    if !is_verified {
        return Err(interrupted(INTERRUPTED));
    }
    let keep = args.keep.map(|keep| keep as usize);
    let (backup, removed) = unfinished.finish(keep)?;
    let mut out = stdout().lock();
    if args.json {
        let mut object = to_value(BackupView::from(&backup))?;
        object["removed"] = json!(removed);
        writeln!(out, "{object}")?;
        return Ok(());
    }
    let record = &backup.record;
    writeln!(
        out,
        "{}: {} positions, {} bytes ({} copied), {} records verified",
        backup.path.display(),
        grouped(record.positions),
        grouped(record.bytes),
        grouped(record.copied),
        grouped(record.verified)
    )?;
    if !removed.is_empty() {
        writeln!(out, "removed: {}", removed.join(", "))?;
    }
    Ok(())
}

const INTERRUPTED: &str = "interrupted; no backup was made, and the book is as it was";

/// List the backups in a folder
///
/// Exit code 1 if there are none.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  emilia book backups /mnt/other/backups --json")]
pub struct ListArgs {
    /// The folder of backups
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Print one JSON object per backup, the oldest first
    #[arg(long)]
    json: bool,
}

pub fn list(args: ListArgs) -> Result<()> {
    let all = backups(&args.folder)?;
    let mut out = stdout().lock();
    if args.json {
        for backup in &all {
            writeln!(out, "{}", to_value(BackupView::from(backup))?)?;
        }
        return match all.is_empty() {
            true => Err(no("")),
            false => Ok(()),
        };
    }
    if all.is_empty() {
        writeln!(out, "there are no backups in {}", args.folder.display())?;
        return Err(no(""));
    }
    let header = ["backup", "positions", "bytes", "copied", "book"];
    let mut rows = table(&header, &[1, 2, 3]);
    for backup in &all {
        let record = &backup.record;
        rows.add_row([
            backup.name.clone(),
            grouped(record.positions),
            grouped(record.bytes),
            grouped(record.copied),
            record.source.display().to_string(),
        ]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

/// Make a book of a backup
///
/// The newest backup of the folder, or the one that is named. It is read to the last record before
/// it is put in its place, so that a book that is replaced is replaced by a whole one; Ctrl-C
/// before that leaves everything as it was. The backup stays.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia book restore /mnt/other/backups --book again\n  \
                        emilia book restore /mnt/other/backups/2026-11-18T09-44-01Z --book wthor --force"
)]
pub struct RestoreArgs {
    /// A folder of backups, or one of them
    #[arg(value_name = "DIR")]
    from: PathBuf,

    #[command(flatten)]
    place: Place,

    /// Replace the book that is there
    #[arg(long)]
    force: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn restore(args: RestoreArgs) -> Result<()> {
    let interrupt = Interrupt::watch()?;
    let backup = chosen(&args.from)?;
    let target = args.place.path()?;
    let unchanged = "interrupted; nothing was changed";
    let bar = progress(backup.record.bytes, "bytes", "copying");
    let watch = Watch::of(bar, interrupt.clone());
    let begun = Restoring::begin(&backup, &target, args.force, &watch)?;
    drop(watch);
    let Some(restoring) = begun else {
        return Err(interrupted(unchanged));
    };
    let bar = progress(backup.record.verified, "records", "verifying");
    let watch = Watch::of(bar, interrupt);
    let is_verified = restoring.verify(&watch)?;
    drop(watch);
    if !is_verified {
        return Err(interrupted(unchanged));
    }
    restoring.finish()?;
    let mut out = stdout().lock();
    if args.json {
        let object =
            json!({ "book": target.display().to_string(), "backup": BackupView::from(&backup) });
        writeln!(out, "{object}")?;
    } else {
        let (positions, name) = (grouped(backup.record.positions), &backup.name);
        let book = target.display();
        writeln!(out, "{book}: {positions} positions, as of {name}")?;
    }
    Ok(())
}

/// The backup that a folder is, or the newest that is in it; a folder with those of several books
/// does not say which is meant.
fn chosen(path: &Path) -> Result<Backup> {
    let inside = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Some(backup) = Backup::read(&inside) {
        return Ok(backup);
    }
    let all = backups(path)?;
    let Some(newest) = all.last() else {
        bail!(
            "there is no backup in {}; emilia book backup makes them",
            path.display()
        );
    };
    if all.iter().any(|other| other.book() != newest.book()) {
        bail!(
            "there are backups of several books in {0}; name one, as in {0}/{1} (emilia book \
             backups {0} lists them)",
            path.display(),
            newest.name
        );
    }
    Ok(newest.clone())
}
