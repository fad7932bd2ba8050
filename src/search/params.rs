//! Every number of the tree search that was tuned rather than derived.
//!
//! Numbers that belong to a rule stand with it: shares of the clock in `time`, levels in `limits`,
//! confidence in `selectivity`, how slices grow in `slices`.

use super::selectivity::Selectivity;

/// Up to this many empties the endgame tries moves by parity alone.
pub const SHALLOW_EMPTIES: u32 = 6;

/// Up to this many empties no position is remembered: to search it again is as quick as to look
/// it up.
pub const FORGET_EMPTIES: u32 = 7;

/// Up to this many empties positions are remembered in the thread's own small table.
pub const LOCAL_EMPTIES: u32 = 12;

/// The size of that table, about that of a core's second-level cache: smaller ones forget too much,
/// larger ones are no faster than the large table.
pub const LOCAL_TABLE_BYTES: usize = 1536 << 10;

/// Up to this many empties an exact search orders moves without the evaluation.
pub const FAST_EMPTIES: u32 = 13;

/// What makes a move promising in the fast endgame: few answers, few places for answers to come,
/// an odd region, a corner.
pub const END_MOBILITY: i32 = 16;
pub const END_FRONTIER: i32 = 6;
pub const END_PARITY: i32 = 8;
pub const END_CORNER: i32 = 12;

/// With fewer empties the places for answers are not worth counting.
pub const FRONTIER_MIN_EMPTIES: u32 = 9;

/// The same for moves rated by the evaluation, in centi-discs per answer and place, and for parity.
pub const SOLVE_MOBILITY: i32 = 200;
pub const SOLVE_FRONTIER: i32 = 50;
pub const SOLVE_PARITY: i32 = 50;
pub const MIDGAME_MOBILITY: i32 = 40;

/// What the table's second move is worth in the order.
pub const SECOND_MOVE: i32 = 200;

/// `STABILITY_FROM[empties]`: a null-window search looks for stable discs only when alpha is at
/// least this, because otherwise the bound hardly ever cuts.
pub const STABILITY_FROM: [i32; 64] = stability_from();

const fn stability_from() -> [i32; 64] {
    let mut table = [64; 64];
    let mut empties = 0;
    while empties < 64 {
        table[empties] = if empties < 4 {
            64
        } else if empties < 8 {
            -6 + 2 * empties as i32
        } else if empties < 33 {
            8 + empties as i32
        } else {
            64
        };
        empties += 1;
    }
    table
}

/// Nodes between two readings of the clock: a fraction of a millisecond, as reading costs as much
/// as some nodes.
pub const NODES_PER_CLOCK_READING: u64 = 5_000;

/// From this depth on a search may be cut by a shallower one.
pub const PROBCUT_MIN_DEPTH: u32 = 2;

/// A cut inside the shallow search of a cut, and no deeper: errors would pile up.
pub const PROBCUT_MAX_NESTING: u32 = 2;

/// How far beyond the bound a shallow value must lie for the move that led there to be refuted, in
/// per cent of what is usual: what is tried late in the order is seldom any good. The bold searches
/// before a solution are bold enough: their order suffers.
pub fn late_margin(selectivity: Selectivity, depth: u32, empties: u32, tried_before: u32) -> i32 {
    let prepares_solution = match selectivity {
        Selectivity::P68 => empties <= LONG_SOLVE_EMPTIES,
        Selectivity::P82 => depth >= empties,
        _ => false,
    };
    match tried_before {
        _ if prepares_solution => 100,
        0..3 => 100,
        3 => 75,
        _ => 50,
    }
}

/// From this depth on a node asks whether the search is to stop.
pub const STOP_CHECK_DEPTH: u32 = 4;

/// From this depth on the children are looked up in the table before any is searched.
pub const ETC_MIN_DEPTH: u32 = 5;

/// From this many empties on the same is done in the fast endgame.
pub const END_ETC_EMPTIES: u32 = 9;

/// From this depth on a node may share its moves with idle threads.
pub const SPLIT_MIN_DEPTH: u32 = 9;

/// How deep moves are searched to put them in order.
pub const fn sort_depth(depth: u32, solving: bool) -> u32 {
    match (solving, depth) {
        (true, ..16) => 0,
        (true, ..20) => 1,
        (true, _) => 2,
        (false, ..9) => 0,
        (false, ..11) => 1,
        (false, _) => 2,
    }
}

/// Half the width of the first window around the last iteration's value, in centi-discs.
pub const ASPIRATION: i32 = 300;

/// From here on an exact solution takes so long that it climbs to it in small steps.
pub const LONG_SOLVE_EMPTIES: u32 = 26;

/// From here on a bold solution comes before the exact one.
pub const BOLD_SOLVE_EMPTIES: u32 = 15;

/// How deep to look ahead before solving. Where solving takes seconds, it starts as soon as a deeper
/// look would cost more than it saves; where it may take hours, there must be something to show on
/// the way.
pub const fn look_ahead(empties: u32) -> u32 {
    match empties {
        ..=12 => 0,
        13..=LONG_SOLVE_EMPTIES => {
            let half = empties / 2 + 4;
            if empties - 9 < half {
                empties - 9
            } else {
                half
            }
        }
        _ => empties - 8,
    }
}

/// How far MTD(f) first steps from a bound, in centi-discs.
pub const MTDF_STRIDE: i32 = 50;

/// How far the value of a depth rarely lies from that of the next, in centi-discs: a search for
/// the mean of two depths within a window opens the window of the first by this much.
pub const ODD_EVEN_MARGIN: i32 = 600;
