//! `emilia manual`: a page for each command, in the form of `man`.

use super::new_file::{check_free, put, temporary};
use anyhow::{Context, Result};
use clap_mangen::Man;
use serde_json::json;
use std::fs;
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Write the manual: a page for each command, for man
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  emilia manual ~/.local/share/man/man1\n  man emilia-book-build\n\n  \
                        emilia manual /tmp/pages && man /tmp/pages/emilia-book-build.1"
)]
pub struct Args {
    /// The folder to write to; made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Replace pages that are there
    #[arg(long)]
    force: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let mut root = super::command();
    root.build();
    let mut pages = Vec::new();
    collect(root, &mut pages);
    // All places are looked at before the first is written.
    let files: Vec<PathBuf> = pages
        .iter()
        .map(|page| args.folder.join(page.get_filename()))
        .collect();
    for file in &files {
        check_free(file, args.force)?;
    }
    fs::create_dir_all(&args.folder)
        .with_context(|| format!("cannot make the folder {}", args.folder.display()))?;
    for (page, path) in pages.iter().zip(&files) {
        let mut file = temporary(path)?;
        page.render(&mut file)
            .and_then(|()| file.flush())
            .with_context(|| format!("cannot write {}", path.display()))?;
        put(file, path, args.force)?;
    }
    let mut out = stdout().lock();
    if args.json {
        writeln!(
            out,
            "{}",
            json!({ "folder": args.folder, "files": files.len() })
        )?;
    } else {
        writeln!(out, "{} pages in {}", files.len(), args.folder.display())?;
    }
    Ok(())
}

/// The pages of a command and of all below it.
fn collect(command: clap::Command, pages: &mut Vec<Man>) {
    let shown = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set());
    for below in shown.filter(|below| below.get_name() != "help") {
        collect(below.clone(), pages);
    }
    pages.push(Man::new(command));
}
