//! `emilia book note`: what somebody wrote about a book.

use super::super::exit::no;
use super::super::output::print_json;
use super::place::Place;
use crate::book::Note;
use crate::view::NoteView;
use anyhow::Result;
use std::io::{Read, Write, stdin, stdout};

/// Far more than a note can have is enough to refuse it.
const MOST_INPUT: u64 = 1 << 20;

/// Show or write what is to be known about a book: who made it, from what and how
///
/// A note is a few lines of text. It stands in `emilia book stats` and goes with compact files
/// (.emb) into books that are made of them.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book note\n  \
                        emilia book note --set 'My repertoire for Black, level 16'\n  \
                        emilia book note --set - < about.txt\n  \
                        emilia book note --set ''\n\n\
                        Exit code 1: the book has no note.")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Write this in place of what is there; - reads it from standard input, nothing takes it away
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    set: Option<String>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    let Some(text) = args.set else {
        let store = args.place.open_to_read()?;
        let note = store.reader().note()?;
        show(note.as_ref(), args.json)?;
        return match note {
            Some(_) => Ok(()),
            None => Err(no("the book has no note; --set writes one")),
        };
    };
    let text = if text == "-" {
        let mut bytes = Vec::new();
        stdin().lock().take(MOST_INPUT).read_to_end(&mut bytes)?;
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        text
    };
    let note = Note::new(&text)?;
    let store = args.place.open()?;
    let mut batch = store.batch()?;
    batch.set_note(note.as_ref());
    batch.commit()?;
    store.sync()?;
    if args.json {
        show(note.as_ref(), true)?;
    }
    Ok(())
}

fn show(note: Option<&Note>, json: bool) -> Result<()> {
    let mut out = stdout().lock();
    if json {
        return print_json(&mut out, &NoteView::from(note));
    }
    if let Some(note) = note {
        writeln!(out, "{}", note.as_str())?;
    }
    Ok(())
}
