//! The transposition table: shared by all threads without locks, keyed by the whole position.
//!
//! An entry is three words. The two discs words are stored mixed with the data word, so that a
//! reader who catches an entry half written by another thread sees a position that does not
//! match, and two different boards never pass for one another.

use super::selectivity::Selectivity;
use crate::machine::ask_for_huge_pages;
use crate::othello::{Board, Square};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What the table knows of a position: bounds in centi-discs, found at a depth and selectivity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    pub lower: i16,
    pub upper: i16,
    pub depth: u8,
    pub selectivity: Selectivity,
    pub best: Option<Square>,
    /// The best move before the present one: often the refutation next time.
    pub second: Option<Square>,
}

/// A result to be remembered.
#[derive(Clone, Copy)]
pub struct Finding {
    pub value: i32,
    pub alpha: i32,
    pub beta: i32,
    pub depth: u32,
    pub selectivity: Selectivity,
    pub best: Option<Square>,
}

const NO_SQUARE: u8 = 64;

#[derive(Default)]
struct Entry {
    mover: AtomicU64,
    opponent: AtomicU64,
    data: AtomicU64,
}

/// Two entries in one cache line: a probe touches memory once.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Entry; 2]);

/// The table itself.
pub struct Table {
    buckets: Box<[Bucket]>,
    generation: AtomicU64,
}

/// How the data word is laid out: lower 16, upper 16, depth 8, selectivity 4, generation 4,
/// best 8, second 8.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn pack(known: Known, generation: u64) -> Data {
        let square = |s: Option<Square>| s.map_or(NO_SQUARE, |s| s.index() as u8) as u64;
        Data(
            known.lower as u16 as u64
                | (known.upper as u16 as u64) << 16
                | (known.depth as u64) << 32
                | (known.selectivity as u64) << 40
                | (generation & 15) << 44
                | square(known.best) << 48
                | square(known.second) << 56,
        )
    }

    #[inline(always)]
    fn depth(self) -> u8 {
        (self.0 >> 32) as u8
    }

    #[inline(always)]
    fn generation(self) -> u64 {
        self.0 >> 44 & 15
    }

    #[inline(always)]
    fn unpack(self) -> Known {
        Known {
            lower: self.0 as i16,
            upper: (self.0 >> 16) as i16,
            depth: self.depth(),
            selectivity: Selectivity::from_bits((self.0 >> 40) as u8 & 15),
            best: Square::new((self.0 >> 48) as u8),
            second: Square::new((self.0 >> 56) as u8),
        }
    }
}

impl Entry {
    #[inline(always)]
    fn load(&self, board: Board) -> Option<Data> {
        let data = self.data.load(Relaxed);
        let mover = self.mover.load(Relaxed) ^ data;
        let opponent = self.opponent.load(Relaxed) ^ data.rotate_left(32);
        let same = mover == board.mover().0 && opponent == board.opponent().0;
        same.then_some(Data(data))
    }

    #[inline(always)]
    fn store(&self, board: Board, data: Data) {
        self.mover.store(board.mover().0 ^ data.0, Relaxed);
        self.opponent
            .store(board.opponent().0 ^ data.0.rotate_left(32), Relaxed);
        self.data.store(data.0, Relaxed);
    }
}

impl Table {
    /// A table of about this many bytes, at least one bucket.
    pub fn new(bytes: usize) -> Table {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets: Vec<Bucket> = Vec::with_capacity(count);
        ask_for_huge_pages(buckets.spare_capacity_mut());
        buckets.resize_with(count, Bucket::default);
        Table {
            buckets: buckets.into(),
            generation: AtomicU64::new(1),
        }
    }

    /// A new search begins: what earlier ones left may be replaced first.
    pub fn age(&self) {
        self.generation.fetch_add(1, Relaxed);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for entry in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            entry.mover.store(0, Relaxed);
            entry.opponent.store(0, Relaxed);
            entry.data.store(0, Relaxed);
        }
        self.generation.store(1, Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        let index = ((hash as u128 * self.buckets.len() as u128) >> 64) as usize;
        &self.buckets[index]
    }

    /// Asks the CPU to fetch the position's cache line, to be probed a little later.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket: *const Bucket = self.bucket(hash);
            // SAFETY: a prefetch reads nothing, and SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    /// What is known of the board; `hash` is its [`Board::hash`].
    #[inline(always)]
    pub fn probe(&self, board: Board, hash: u64) -> Option<Known> {
        let [first, second] = &self.bucket(hash).0;
        first
            .load(board)
            .or_else(|| second.load(board))
            .map(Data::unpack)
    }

    /// The value of a move that refutes without being searched: the position it leads to is known,
    /// as well as `serves` asks for, to be bad enough for the opponent.
    #[inline(always)]
    pub fn refutation(
        &self,
        positions: impl Iterator<Item = Board>,
        alpha: i32,
        serves: impl Fn(&Known) -> bool,
    ) -> Option<i32> {
        for next in positions {
            if let Some(known) = self.probe(next, next.hash())
                && serves(&known)
                && -(known.upper as i32) > alpha
            {
                return Some(-(known.upper as i32));
            }
        }
        None
    }

    /// Remembers a finding. Of the same position, a deeper and at least as sure one is kept, and
    /// equal ones are joined; of others, the shallower or older goes.
    #[inline]
    pub fn store(&self, board: Board, hash: u64, finding: Finding) {
        let generation = self.generation.load(Relaxed) & 15;
        let entries = &self.bucket(hash).0;
        let mut known = finding.as_known();
        for entry in entries {
            let Some(old) = entry.load(board).map(Data::unpack) else {
                continue;
            };
            let same_level = old.depth == known.depth && old.selectivity == known.selectivity;
            if same_level {
                known.lower = known.lower.max(old.lower);
                known.upper = known.upper.min(old.upper);
                if known.lower > known.upper {
                    // Selective searches may contradict themselves: the new one counts.
                    let fresh = finding.as_known();
                    (known.lower, known.upper) = (fresh.lower, fresh.upper);
                }
            } else if old.depth >= known.depth && old.selectivity >= known.selectivity {
                return;
            }
            known.second = old.second;
            if known.best.is_none() {
                known.best = old.best;
            } else if known.best != old.best {
                known.second = old.best;
            }
            entry.store(board, Data::pack(known, generation));
            return;
        }
        let worth = |entry: &Entry| {
            let data = Data(entry.data.load(Relaxed));
            // An entry of another search is worth less than any of this one.
            data.depth() as u32
                + if data.generation() == generation {
                    64
                } else {
                    0
                }
        };
        let victim = if worth(&entries[0]) <= worth(&entries[1]) {
            &entries[0]
        } else {
            &entries[1]
        };
        victim.store(board, Data::pack(known, generation));
    }
}

impl Finding {
    fn as_known(&self) -> Known {
        let limit = |value: i32| value.clamp(i16::MIN as i32, i16::MAX as i32) as i16;
        Known {
            lower: if self.value > self.alpha {
                limit(self.value)
            } else {
                i16::MIN
            },
            upper: if self.value < self.beta {
                limit(self.value)
            } else {
                i16::MAX
            },
            depth: self.depth as u8,
            selectivity: self.selectivity,
            best: self.best,
            second: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(value: i32, window: (i32, i32), depth: u32) -> Finding {
        let (alpha, beta) = window;
        let best = Square::new(19);
        Finding {
            value,
            alpha,
            beta,
            depth,
            selectivity: Selectivity::Exact,
            best,
        }
    }

    #[test]
    fn what_is_stored_is_found_and_bounds_of_one_level_are_joined() {
        let table = Table::new(1 << 16);
        let board = Board::START;
        table.store(board, board.hash(), finding(300, (200, 201), 6));
        table.store(board, board.hash(), finding(500, (599, 600), 6));
        let known = table.probe(board, board.hash()).unwrap();
        assert_eq!((known.lower, known.upper, known.depth), (300, 500, 6));
        assert_eq!(known.best, Square::new(19));
    }

    #[test]
    fn a_shallower_finding_does_not_push_out_a_deeper_one() {
        let table = Table::new(64);
        let board = Board::START;
        table.store(board, board.hash(), finding(300, (200, 400), 9));
        table.store(board, board.hash(), finding(100, (0, 400), 3));
        assert_eq!(table.probe(board, board.hash()).unwrap().lower, 300);
    }

    #[test]
    fn boards_that_share_a_bucket_are_never_taken_for_one_another() {
        let table = Table::new(64);
        let boards: Vec<Board> = Board::START
            .legal_moves()
            .into_iter()
            .map(|s| Board::START.play(s).unwrap())
            .collect();
        for (i, &board) in boards.iter().enumerate() {
            table.store(board, board.hash(), finding(i as i32, (-1, 100), 5));
        }
        let found: Vec<_> = boards
            .iter()
            .filter_map(|&b| table.probe(b, b.hash()).map(|k| (b, k.lower)))
            .collect();
        assert_eq!(found.len(), 2, "one bucket holds two");
        for (board, lower) in found {
            assert_eq!(boards[lower as usize], board);
        }
    }

    #[test]
    fn clearing_forgets() {
        let table = Table::new(1 << 12);
        let board = Board::START;
        table.store(board, board.hash(), finding(1, (0, 2), 1));
        table.clear();
        assert_eq!(table.probe(board, board.hash()), None);
    }
}
