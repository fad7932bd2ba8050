//! `emilia analyse GAME`: what each move of a game gave away, for players, phases and collections.

use super::book::Place;
use super::found::{discs, move_name};
use super::games::inputs::open_input;
use super::interrupt::Interrupt;
use super::new_file::{check_target, write_file};
use super::numbers::Numbers;
use super::output::{progress, table};
use super::search_options::SearchOptions;
use crate::book::FoldedName;
use crate::engine::{Judge, JudgedMove, Judgement, Phase, Quality, svg_graph};
use crate::games::{Details, Game, Moves};
use crate::othello::{Color, Position};
use crate::players::othellus::greene::{Measured, measure};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// What the analysis of games needs besides the engine.
pub struct Options {
    pub level: u32,
    /// Only the games with these numbers in the file, counted from 1.
    pub only: Option<Numbers>,
    /// Only games of this event, named as for a book.
    pub event: Option<String>,
    pub svg: Option<PathBuf>,
    /// The picture may replace another file.
    pub force: bool,
    pub json: bool,
    pub place: Place,
}

/// The game of a move list.
pub fn game_of_moves(moves: &[crate::othello::Square]) -> Result<Game> {
    let moves = Moves::try_from(moves)?;
    Ok(Game::new(Position::START, moves, Details::default())?)
}

/// The games of a file that the options ask for, with their numbers.
pub fn read_games(path: &Path, options: &Options) -> Result<Vec<(usize, Game)>> {
    let only = options.only.as_ref();
    let is_chosen = |number: usize| only.is_none_or(|only| only.contains(number as u32));
    let mut games = Vec::new();
    for (place, game) in open_input(path)?.enumerate() {
        let number = place + 1;
        // All games say which names of events there are.
        if options.event.is_none() && !is_chosen(number) {
            continue;
        }
        match game {
            Ok(game) => games.push((number, game)),
            Err(bad) => eprintln!("skipped: {bad}"),
        }
    }
    if let Some(event) = &options.event {
        keep_event(&mut games, event);
        games.retain(|(number, _)| is_chosen(*number));
    }
    if games.is_empty() {
        bail!("{}: there is no such game in it", path.display());
    }
    Ok(games)
}

fn keep_event(games: &mut Vec<(usize, Game)>, event: &str) {
    let event_of = |game: &Game| game.details().event.as_deref().map(FoldedName::of);
    let all = games.iter().filter_map(|(_, game)| event_of(game));
    let meant = FoldedName::of(event).meant_among(&all.collect());
    games.retain(|(_, game)| event_of(game).is_some_and(|event| meant.contains(&event)));
}

/// Judges the games, prints each, and a table of the players where there are several games.
pub fn run(games: &[(usize, Game)], options: Options, search: &SearchOptions) -> Result<()> {
    if options.svg.is_some() && games.len() > 1 {
        bail!("--svg draws one game; choose it with --only N");
    }
    if let Some(path) = &options.svg {
        check_target(path, options.force)?;
    }
    let book = options.place.open_if_there()?;
    let searcher = search.searcher()?;
    let interrupt = Interrupt::watch()?;
    let judge = Judge {
        searcher: &searcher,
        book: book.as_ref(),
        level: options.level,
    };
    let total: usize = games.iter().map(|(_, game)| game.moves().len()).sum();
    let bar = progress(total as u64, "moves", "judging");
    let mut out = stdout().lock();
    let mut players: BTreeMap<String, Card> = BTreeMap::new();
    for (number, game) in games {
        let judgement = judge.judge(game, interrupt.button(), &mut |_| bar.inc(1));
        let written = bar.suspend(|| {
            if options.json {
                writeln!(out, "{}", to_json(*number, game, &judgement))
            } else {
                print(&mut out, *number, game, &judgement, games.len() == 1)
            }
        });
        written?;
        if let Some(path) = &options.svg {
            let svg = svg_graph(&title(game), &judgement.moves);
            write_file(path, svg.as_bytes(), options.force)?;
        }
        for color in [Color::Black, Color::White] {
            players
                .entry(name(game, color))
                .or_default()
                .add(&judgement, color);
        }
        if judgement.stopped {
            break;
        }
    }
    bar.finish_and_clear();
    if games.len() > 1 && !options.json {
        writeln!(out, "\n{}", player_table(&players))?;
    }
    interrupt.end()
}

fn name(game: &Game, color: Color) -> String {
    let details = game.details();
    let name = match color {
        Color::Black => &details.black,
        Color::White => &details.white,
    };
    name.as_ref()
        .map_or_else(|| color.to_string(), |name| name.to_string())
}

fn title(game: &Game) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| name(game, color));
    let result = game
        .result()
        .map_or(String::new(), |score| format!(" {score}"));
    let details = game.details();
    let event = details
        .event
        .as_ref()
        .map_or(String::new(), |event| format!(", {event}"));
    let date = details
        .date
        .map_or(String::new(), |date| format!(", {}", date.year()));
    format!("{black} – {white}{result}{event}{date}")
}

fn print(
    out: &mut impl Write,
    number: usize,
    game: &Game,
    judgement: &Judgement,
    in_full: bool,
) -> std::io::Result<()> {
    writeln!(out, "{number}. {}", title(game))?;
    if in_full {
        let header = ["", "move", "value", "best", "its value", "loss", ""];
        let mut rows = table(&header, &[0, 2, 4, 5]);
        for judged in &judgement.moves {
            rows.add_row(row(judged));
        }
        writeln!(out, "\n{rows}\n")?;
        writeln!(
            out,
            "Values are in discs, for the player who moves; = is as good as the best, ! exact, b \
             in the book.\n"
        )?;
    }
    let mut rows = table(&CARD_HEADER, &[1, 2, 3, 4, 5, 6]);
    for color in [Color::Black, Color::White] {
        let mut card = Card::default();
        card.add(judgement, color);
        rows.add_row(card.row(format!("{color} {}", name(game, color))));
    }
    writeln!(out, "{rows}\n")?;
    if in_full {
        writeln!(out, "{}\n", measure_table(game))?;
    }
    if judgement.stopped {
        writeln!(out, "Stopped: only the last moves were judged.")?;
    }
    Ok(())
}

/// Greene's measures, which O-Thell-Us judges games by.
fn measure_table(game: &Game) -> comfy_table::Table {
    let header = [
        "Greene's measures",
        "corners",
        "edges",
        "mobility",
        "squares",
        "per move",
    ];
    let mut rows = table(&header, &[1, 2, 3, 4, 5]);
    for (color, measured) in [Color::Black, Color::White].into_iter().zip(measure(game)) {
        let Measured { sum, .. } = measured;
        let mut row = vec![format!("{color} {}", name(game, color))];
        let parts = [sum.corners, sum.edges, sum.mobility, sum.squares];
        row.extend(parts.map(|part| format!("{part:+}")));
        let per_move = measured.per_move();
        row.push(per_move.map_or(String::new(), |mean| format!("{mean:+.1}")));
        rows.add_row(row);
    }
    rows
}

fn row(judged: &JudgedMove) -> Vec<String> {
    let mut marks = String::new();
    for (is, mark) in [
        (judged.is_equivalent(), '='),
        (judged.exact, '!'),
        (judged.in_book, 'b'),
    ] {
        if is {
            marks.push(mark);
        }
    }
    let loss = match judged.loss() {
        0 => String::new(),
        loss => discs(-loss),
    };
    vec![
        format!("{}{}", judged.number, judged.color.letter()),
        judged.square.to_string(),
        discs(judged.value),
        move_name(Some(judged.best)),
        discs(judged.best_value),
        loss,
        marks,
    ]
}

const CARD_HEADER: [&str; 7] = [
    "",
    "moves",
    "as good as the best",
    "loss, moves 1–20",
    "21–40",
    "41–60",
    "all",
];

/// How a player did, in all games.
#[derive(Default)]
struct Card {
    games: u32,
    phases: [Quality; 3],
}

impl Card {
    fn add(&mut self, judgement: &Judgement, color: Color) {
        self.games += 1;
        for (sum, phase) in self.phases.iter_mut().zip(Phase::ALL) {
            sum.add(&judgement.quality(Some(color), Some(phase)));
        }
    }

    fn all(&self) -> Quality {
        let mut all = Quality::default();
        self.phases.iter().for_each(|phase| all.add(phase));
        all
    }

    fn row(&self, name: String) -> Vec<String> {
        let all = self.all();
        let loss = |quality: &Quality| {
            let mean = quality.mean_loss();
            mean.map_or(String::new(), |loss| format!("{loss:.2}"))
        };
        let fraction = all.fraction();
        let mut row = vec![
            name,
            all.moves.to_string(),
            fraction.map_or(String::new(), |part| format!("{:.0} %", 100.0 * part)),
        ];
        row.extend(self.phases.iter().map(loss));
        row.push(loss(&all));
        row
    }
}

/// The players, those who gave away least first, and all of them together.
fn player_table(players: &BTreeMap<String, Card>) -> comfy_table::Table {
    let mut order: Vec<(&String, &Card)> = players.iter().collect();
    let loss = |card: &Card| card.all().mean_loss().unwrap_or(f64::INFINITY);
    order.sort_by(|a, b| loss(a.1).total_cmp(&loss(b.1)));
    let mut header = vec!["player", "games"];
    header.extend(&CARD_HEADER[1..]);
    let mut rows = table(&header, &[1, 2, 3, 4, 5, 6, 7]);
    let mut all = Card::default();
    for (name, card) in order {
        let mut row = card.row(name.clone());
        row.insert(1, card.games.to_string());
        rows.add_row(row);
        all.games += card.games;
        for (sum, phase) in all.phases.iter_mut().zip(&card.phases) {
            sum.add(phase);
        }
    }
    let mut row = all.row("all".into());
    row.insert(1, (all.games / 2).to_string());
    rows.add_row(row);
    rows
}

fn to_json(number: usize, game: &Game, judgement: &Judgement) -> Value {
    let in_discs = |value: i32| f64::from(value) / 100.0;
    let moves: Vec<Value> = judgement
        .moves
        .iter()
        .map(|m| {
            json!({ "number": m.number, "color": m.color.to_string(),
                    "move": m.square.to_string(), "value": in_discs(m.value),
                    "best": m.best.to_string(), "best_value": in_discs(m.best_value),
                    "loss": in_discs(m.loss()), "equivalent": m.is_equivalent(),
                    "exact": m.exact, "book": m.in_book, "choices": m.choices })
        })
        .collect();
    let quality = |quality: Quality| {
        json!({ "moves": quality.moves, "equivalent": quality.fraction(),
                "mean_loss": quality.mean_loss() })
    };
    let measures = measure(game).map(|measured| {
        json!({ "corners": measured.sum.corners, "edges": measured.sum.edges,
                "mobility": measured.sum.mobility, "squares": measured.sum.squares,
                "per_move": measured.per_move() })
    });
    let player = |color: Color| {
        let phase = |phase| quality(judgement.quality(Some(color), Some(phase)));
        json!({ "name": name(game, color), "all": quality(judgement.quality(Some(color), None)),
                "opening": phase(Phase::Opening), "middle": phase(Phase::Middle),
                "end": phase(Phase::End), "greene": measures[color as usize] })
    };
    json!({ "game": number, "title": title(game),
            "result": game.result().map(|score| score.discs()),
            "black": player(Color::Black), "white": player(Color::White),
            "moves": moves, "stopped": judgement.stopped })
}
