//! The judge: minimax as one would do it on a board, and Delteil's rule of what is asked. Written
//! from the words of the rules alone; it shares neither code nor tables with what it judges.

use super::*;
use crate::othello::Bitboard;
use std::cell::RefCell;

/// What follows for every position of a book.
pub(in crate::book) fn judged(model: &Model) -> BTreeMap<NodeKey, Derived> {
    let mut known = BTreeMap::new();
    for key in model.keys() {
        judge(model, *key, &mut known);
    }
    known
}

/// What follows for one position, if those below it are as they should be.
pub(in crate::book) fn judged_one(model: &Model, key: NodeKey) -> Derived {
    follow(key, &model[&key], |child| {
        model.get(&child).map(|node| node.derived)
    })
}

/// A move as the player who makes it sees it.
struct Candidate {
    square: Square,
    /// In centi-discs.
    worth: Option<i32>,
    /// The move ends the game, or the position that it leads to has a value.
    has_value: bool,
    leads_on: bool,
    /// In discs.
    lower: i32,
    upper: i32,
}

fn judge(model: &Model, key: NodeKey, known: &mut BTreeMap<NodeKey, Derived>) -> Derived {
    if let Some(derived) = known.get(&key) {
        return *derived;
    }
    let derived = follow(key, &model[&key], |child| {
        model
            .contains_key(&child)
            .then(|| judge(model, child, known))
    });
    known.insert(key, derived);
    derived
}

/// What follows for a position from what is known of those below it.
fn follow(key: NodeKey, node: &Node, below: impl FnMut(NodeKey) -> Option<Derived>) -> Derived {
    let moves = candidates(key, node, below);
    let mut lower = moves.iter().map(|one| one.lower).max().unwrap();
    let mut upper = moves.iter().map(|one| one.upper).max().unwrap();
    if let Some(own) = node.evaluation.filter(|own| own.level.solved) {
        lower = lower.max(rounded_down(own.value));
        upper = upper.min(rounded_up(own.value));
    }
    upper = upper.max(lower);

    let top = moves.iter().filter_map(|one| one.worth).max();
    let raw = top.or(node.evaluation.map(|own| own.value.centidiscs()));
    let value = raw.map(|raw| raw.min(100 * upper).max(100 * lower));
    let best = match (top, value) {
        (Some(top), Some(value)) if value <= top => {
            let first = moves.iter().find(|one| one.worth == Some(top));
            first.map(|one| one.square)
        }
        _ => None,
    };
    Derived {
        value: value.map(|value| Value::new(value).unwrap()),
        best,
        bounds: Bounds {
            lower: Score::new(lower).unwrap(),
            upper: Score::new(upper).unwrap(),
        },
        leads_on: moves.iter().any(|one| one.leads_on),
    }
}

/// All legal moves, the lowest square first.
fn candidates(
    key: NodeKey,
    node: &Node,
    mut below: impl FnMut(NodeKey) -> Option<Derived>,
) -> Vec<Candidate> {
    let board = key.board();
    let mut all = Vec::new();
    for square in board.legal_moves() {
        let mut one = Candidate {
            square,
            worth: None,
            has_value: false,
            leads_on: false,
            lower: -64,
            upper: 64,
        };
        let played = board.play(square).unwrap();
        let (next, sign) = if played.legal_moves().is_empty() {
            (played.pass(), 1)
        } else {
            (played, -1)
        };
        if next.legal_moves().is_empty() {
            // `next` is seen by the player who moved.
            let score = next.final_score().discs();
            (one.worth, one.has_value) = (Some(100 * score), true);
            // Exactly, whatever anybody says.
            (one.lower, one.upper) = (score, score);
            all.push(one);
            continue;
        }
        if let Some(child) = below(NodeKey::of(next)) {
            if let Some(value) = child.value {
                one.worth = Some(sign * value.centidiscs());
                (one.has_value, one.leads_on) = (true, true);
            }
            let ends = [child.bounds.lower, child.bounds.upper].map(|end| sign * end.discs());
            (one.lower, one.upper) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        }
        if let Some(said) = node.alternative {
            let is_named = match said.found {
                Found::Move(named, _) | Found::AtLeast(named, _) => named == square,
                Found::NoneAbove(_) => false,
            };
            let (Found::Move(_, value) | Found::AtLeast(_, value) | Found::NoneAbove(value)) =
                said.found;
            if is_named && one.worth.is_none() {
                one.worth = Some(value.centidiscs());
            }
            if said.level.solved && said.among.contains(square) {
                if !matches!(said.found, Found::AtLeast(..)) {
                    one.upper = one.upper.min(rounded_up(value));
                }
                if is_named {
                    one.lower = one.lower.max(rounded_down(value));
                }
            }
        }
        all.push(one);
    }
    all
}

fn rounded_down(value: Value) -> i32 {
    (f64::from(value.centidiscs()) / 100.0).floor() as i32
}

fn rounded_up(value: Value) -> i32 {
    (f64::from(value.centidiscs()) / 100.0).ceil() as i32
}

/// The largest loss, in centi-discs, down to which moves that were never looked at are searched.
const NEARLY: i32 = 300;

/// What Delteil's rule still asks of a position of a settled book, where searches are worth
/// `promised` and only those count that `counts` says do.
pub(in crate::book) fn still_asked(
    model: &Model,
    key: NodeKey,
    promised: Level,
    counts: impl Fn(EngineNumber) -> bool,
) -> Option<(Bitboard, Window)> {
    let node = &model[&key];
    if node.derived.bounds.lower == node.derived.bounds.upper {
        return None;
    }
    let moves = candidates(key, node, |child| {
        model.get(&child).map(|node| node.derived)
    });
    let (valued, open): (Vec<&Candidate>, Vec<&Candidate>) =
        moves.iter().partition(|one| one.has_value);
    if open.is_empty() {
        return None;
    }
    let is_good = |level: Level, engine| level.covers(promised) && counts(engine);
    let is_open = |square: Square| open.iter().any(|one| one.square == square);
    let known = node
        .alternative
        .filter(|said| is_good(said.level, said.engine))
        .filter(|said| open.iter().all(|one| said.among.contains(one.square)));
    let Some(best) = valued.iter().filter_map(|one| one.worth).max() else {
        // A leaf. A search that named the best of all its moves has told its value, too: that is
        // so where moves have left the book.
        let own = node.evaluation.filter(|own| is_good(own.level, own.engine));
        let named = known.and_then(|said| match said.found {
            Found::Move(square, _) | Found::AtLeast(square, _) => Some(square),
            Found::NoneAbove(_) => None,
        });
        return match (own, named) {
            (None, None) => Some((Bitboard::EMPTY, Window::FULL)),
            _ => None,
        };
    };
    let without: Bitboard = valued.iter().map(|one| one.square).collect();
    let window = match known.map(|said| said.found) {
        // What it says stands in the book.
        Some(Found::Move(square, _) | Found::AtLeast(square, _)) if is_open(square) => return None,
        Some(Found::Move(_, limit) | Found::NoneAbove(limit)) => {
            if best >= limit.centidiscs() {
                return None;
            }
            (best, limit.centidiscs())
        }
        Some(Found::AtLeast(..)) | None => ((best - NEARLY).max(-6400), 6400),
    };
    let [alpha, beta] = [window.0, window.1].map(|end| Value::new(end).unwrap());
    Some((without, Window { alpha, beta }))
}

/// The result of best play, in discs, seen by the player to move: for the last few squares.
pub(in crate::book) fn result_of(board: Board) -> i32 {
    thread_local! {
        static KNOWN: RefCell<HashMap<Board, i32>> = RefCell::default();
    }
    if let Some(result) = KNOWN.with_borrow(|known| known.get(&board).copied()) {
        return result;
    }
    let legal = board.legal_moves();
    let result = if !legal.is_empty() {
        let after = |square| -result_of(board.play(square).unwrap());
        legal.into_iter().map(after).max().unwrap()
    } else if !board.pass().legal_moves().is_empty() {
        -result_of(board.pass())
    } else {
        board.final_score().discs()
    };
    KNOWN.with_borrow_mut(|known| known.insert(board, result));
    result
}
