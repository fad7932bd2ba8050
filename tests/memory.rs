//! How much memory of our own commands take on a book, and that it does not follow the book: what
//! is measured in one that is four times as large is not four times as much. (The database's
//! caches are bounded by themselves and not counted here.)

use emilia::book::{Learner, Plan, Store, StoreOptions, prune, settle, subtree};
use emilia::engine::{Expansion, LocalAnalyst, expand};
use emilia::games::{Game, SampleGames};
use emilia::othello::{MoveList, Position};
use emilia::search::StopButton;
use peak_alloc::PeakAlloc;
use std::sync::Mutex;
use tempfile::TempDir;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The peak is one number for all threads.
static ALONE: Mutex<()> = Mutex::new(());

struct Book {
    _folder: TempDir,
    store: Store,
    positions: usize,
}

fn book(games: usize) -> Book {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(&folder.path().join("b")).unwrap();
    let plan = Plan {
        plies: 60,
        min_games: 1,
        games_at_once: 200,
    };
    let games: Vec<Game> = SampleGames::new(3).take(games).collect();
    let mut learner = Learner::new(&store, plan);
    learner.add(&games).unwrap();
    let learned = learner.finish().unwrap();
    settle(&store, &()).unwrap();
    store.flush().unwrap();
    Book {
        _folder: folder,
        store,
        positions: learned.positions as usize,
    }
}

/// What something takes at its peak beyond what was there before.
fn peak(work: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    work();
    MEMORY.peak_usage().saturating_sub(before)
}

/// By how many bytes the peak grows for each position that a book has more.
fn bytes_per_position(work: impl Fn(&Store)) -> f64 {
    let _alone = ALONE.lock().unwrap_or_else(|poison| poison.into_inner());
    let [small, large] = [500, 2000].map(|games| {
        let book = book(games);
        (book.positions, peak(|| work(&book.store)))
    });
    let positions = large.0 - small.0;
    assert!(positions > 50_000);
    let bytes = large.1.saturating_sub(small.1);
    bytes as f64 / positions as f64
}

#[test]
fn growth_takes_no_memory_for_what_it_does_not_reach() {
    let mut analyst = LocalAnalyst::new(1, StopButton::default()).unwrap();
    let analyst = Mutex::new(&mut analyst);
    let grown = bytes_per_position(|store| {
        let expansion = Expansion::from_start(10);
        let mut analyst = analyst.lock().unwrap();
        let grown = expand(store, &mut **analyst, 1, &expansion, &()).unwrap();
        assert_eq!(grown.added, 10);
    });
    assert!(grown < 20.0, "{grown} bytes");
}

#[test]
fn games_that_wait_take_what_the_book_may_take() {
    let _alone = ALONE.lock().unwrap_or_else(|poison| poison.into_inner());
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        memory: StoreOptions::LEAST_MEMORY,
        ..StoreOptions::default()
    };
    let store = options.open_or_create(&folder.path().join("b")).unwrap();
    let plan = Plan {
        plies: 60,
        min_games: 1,
        games_at_once: usize::MAX,
    };
    let mut all = SampleGames::new(3).take(15_000);
    let mut written = 0;
    let learned = peak(|| {
        let mut learner = Learner::new(&store, plan);
        loop {
            let games: Vec<Game> = all.by_ref().take(500).collect();
            if games.is_empty() {
                break;
            }
            written += usize::from(learner.add(&games).unwrap());
        }
        assert!(learner.finish().unwrap().games > 14_000);
    });
    assert!(written >= 2, "{written}");
    // A list that grows has twice its room for a moment.
    let share = options.shares().work.as_usize();
    assert!(learned < 2 * share, "{learned} of {share} bytes");
}

#[test]
fn a_part_of_a_book_is_copied_with_one_layer_of_keys_in_memory() {
    let copied = bytes_per_position(|store| {
        let folder = tempfile::tempdir().unwrap();
        let into = Store::open_or_create(&folder.path().join("b")).unwrap();
        let line = MoveList::parse(Position::START, "f5d6").unwrap().moves;
        let copied = subtree(&store.reader(), &line, &into, &()).unwrap();
        assert!(copied.new > 1000);
    });
    assert!(copied < 15.0, "{copied} bytes");
}

#[test]
fn a_prune_holds_two_layers_and_a_word_on_each_position() {
    let pruned = bytes_per_position(|store| {
        let trimmed = prune(store, 100, &()).unwrap();
        assert!(trimmed.removed > 1000);
        settle(store, &()).unwrap();
    });
    assert!(pruned < 20.0, "{pruned} bytes");
}
