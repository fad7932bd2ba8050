//! `emilia book tree`: the book below a position, drawn.

use super::super::color::colors;
use super::super::exit::no;
use super::super::new_file::{check_target, write_file};
use super::super::output::{grouped, print_json};
use super::NOT_IN_BOOK;
use super::place::Place;
use super::svg;
use crate::book::{Branch, Extent, tree};
use crate::othello::PositionText;
use crate::view::BranchView;
use anyhow::Result;
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Draw the tree of moves below a position
///
/// The best moves come first, each with its value for the player who makes it, the games of people
/// and the opening's name where it gets one. A proven value is marked with an equals sign; a
/// position that another way has led to before is not drawn twice.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia book tree f5d6 --depth 4\n  \
                        emilia book tree --depth 6 --width 3 --svg tree.svg\n  \
                        emilia book tree f5 --json | jq '.branches[].move'")]
pub struct Args {
    /// Moves from the start, or a board string with the side to move
    #[arg(
        value_name = "MOVES|POSITION",
        default_value = "start",
        allow_hyphen_values = true
    )]
    position: PositionText,

    #[command(flatten)]
    place: Place,

    /// Draw this many moves deep
    #[arg(long, value_name = "PLIES", default_value_t = 3,
          value_parser = clap::value_parser!(u8).range(1..=20))]
    depth: u8,

    /// Draw at most this many moves of each position
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u8).range(1..=40))]
    width: u8,

    /// Write a picture instead
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    svg: Option<PathBuf>,

    /// Replace the picture if it exists
    #[arg(long, requires = "svg")]
    force: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<()> {
    if let Some(path) = &args.svg {
        check_target(path, args.force)?;
    }
    let store = args.place.open_to_read()?;
    let extent = Extent {
        depth: args.depth.into(),
        width: args.width.into(),
    };
    let position = args.position.position;
    let position = if position.board.must_pass() {
        position.pass()
    } else {
        position
    };
    let Some(root) = tree(&store.reader(), position, extent)? else {
        return Err(no(NOT_IN_BOOK));
    };
    if let Some(path) = &args.svg {
        let picture = svg::tree(&root, |branch| label(branch, false));
        return write_file(path, picture.as_bytes(), args.force);
    }
    let mut out = stdout().lock();
    if args.json {
        return print_json(&mut out, &BranchView::from(&root));
    }
    let colors = colors(&out);
    writeln!(out, "{}", label(&root, colors))?;
    print(&mut out, &root, "", colors)?;
    writeln!(out, "\n{VIEW}")?;
    Ok(())
}

fn print(out: &mut impl Write, branch: &Branch, indent: &str, colors: bool) -> Result<()> {
    let count = branch.branches.len();
    for (number, next) in (1..).zip(&branch.branches) {
        let (sign, below) = if number == count && branch.more == 0 {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        writeln!(out, "{indent}{sign}{}", label(next, colors))?;
        print(out, next, &format!("{indent}{below}"), colors)?;
    }
    if count > 0 && branch.more > 0 {
        writeln!(out, "{indent}└─ … {} more", branch.more)?;
    }
    Ok(())
}

/// Whose values a tree shows.
pub const VIEW: &str = "Values are in discs for the player who makes the move, at the root for the \
                        player to move; = is proven, ? unknown.";

/// `f5 +0.50  12 games  Tiger`.
fn label(branch: &Branch, colors: bool) -> String {
    let mut text = match branch.square {
        Some(square) => square.to_string(),
        None => format!("{} to move", branch.position.turn),
    };
    let value = branch
        .value
        .map_or_else(|| "?".into(), |value| value.to_string());
    let equals = if branch.proven { "=" } else { "" };
    let value = match branch.value.map(|value| value.centidiscs().signum()) {
        Some(1) if colors => format!("\x1b[32m{equals}{value}\x1b[0m"),
        Some(-1) if colors => format!("\x1b[31m{equals}{value}\x1b[0m"),
        _ => format!("{equals}{value}"),
    };
    text.push_str(&format!(" {value}"));
    if branch.games > 0 {
        let plural = if branch.games == 1 { "" } else { "s" };
        text.push_str(&format!("  {} game{plural}", grouped(branch.games.into())));
    }
    if let Some(opening) = branch.opening {
        text.push_str(&format!("  {}", opening.name));
    }
    if branch.again {
        text.push_str("  (as above)");
    }
    text
}
