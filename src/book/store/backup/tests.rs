use super::*;
use crate::book::key::NodeKey;
use crate::book::node::{Node, Origin};
use crate::othello::Board;
use std::collections::BTreeSet;
use tempfile::TempDir;

fn put(store: &Store, board: Board) {
    let mut batch = store.batch().unwrap();
    batch.put_node(NodeKey::of(board), &Node::new(Origin::Game));
    batch.commit().unwrap();
}

fn has(store: &Store, board: Board) -> bool {
    let key = NodeKey::of(board);
    store.reader().node(key).unwrap().is_some()
}

fn second() -> Board {
    let start = Board::START;
    start
        .play(start.legal_moves().into_iter().next().unwrap())
        .unwrap()
}

fn make(store: &Store, folder: &Path, keep: Option<usize>) -> (Backup, Vec<String>) {
    let mut unfinished = Unfinished::begin(store, folder, &()).unwrap().unwrap();
    assert!(unfinished.verify(&()).unwrap());
    unfinished.finish(keep).unwrap()
}

fn book_and_folder() -> (TempDir, Store, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(&folder.path().join("book")).unwrap();
    put(&store, Board::START);
    let backups = folder.path().join("backups");
    (folder, store, backups)
}

fn restored(backup: &Backup, target: &Path, force: bool) -> Result<Store, StoreError> {
    let restoring = Restoring::begin(backup, target, force, &())?.unwrap();
    assert!(restoring.verify(&())?);
    restoring.finish()?;
    Store::open(target)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn each_backup_is_the_book_as_it_was() {
    let (folder, store, path) = book_and_folder();
    let (first, _) = make(&store, &path, None);
    put(&store, second());
    let (later, _) = make(&store, &path, None);
    assert!(!has(&Store::open(&first.path).unwrap(), second()));
    assert!(has(&Store::open(&later.path).unwrap(), second()));
    let listed: Vec<String> = backups(&path)
        .unwrap()
        .into_iter()
        .map(|b| b.name)
        .collect();
    assert_eq!(listed, [first.name, later.name]);
    assert_eq!(names(folder.path()).len(), 2, "no trace is left");
    assert!(!names(&store.path).contains(".to-back-up"));
}

#[test]
fn only_the_newest_backups_of_this_book_are_kept() {
    let (folder, store, path) = book_and_folder();
    let other = Store::open_or_create(&folder.path().join("other")).unwrap();
    let (of_other, _) = make(&other, &path, None);
    let all: Vec<(Backup, Vec<String>)> = (0..3).map(|_| make(&store, &path, Some(2))).collect();
    assert_eq!(all[2].1, [all[0].0.name.clone()]);
    let left: Vec<String> = backups(&path)
        .unwrap()
        .into_iter()
        .map(|b| b.name)
        .collect();
    assert!(left.contains(&of_other.name) && left.contains(&all[2].0.name));
    assert_eq!(left.len(), 3);
}

#[test]
fn a_backup_is_not_put_into_a_book_nor_touches_what_is_not_its_own() {
    let (_folder, store, path) = book_and_folder();
    let refused = Unfinished::begin(&store, &store.path, &()).err().unwrap();
    assert!(matches!(refused, StoreError::BackupIntoBook { .. }));
    fs::create_dir_all(path.join("letters")).unwrap();
    for _ in 0..3 {
        make(&store, &path, Some(1));
    }
    assert!(path.join("letters").exists());
    assert_eq!(names(&path).len(), 2);
}

#[test]
fn backups_do_not_lie_in_the_book_that_a_restore_replaces() {
    let (_folder, store, path) = book_and_folder();
    for inside in ["backups", "db", "db/backups"] {
        let inside = store.path.join(inside);
        let refused = Unfinished::begin(&store, &inside, &()).err().unwrap();
        assert!(matches!(refused, StoreError::BackupIntoBook { .. }));
        assert!(inside.ends_with("db") || !inside.exists());
    }
    let (backup, _) = make(&store, &path, None);
    drop(store);
    let itself = Restoring::begin(&backup, &backup.path, true, &());
    let refused = itself.err().unwrap();
    assert!(matches!(refused, StoreError::BackupInTheWay { .. }));
    assert_eq!(backups(&path).unwrap().len(), 1);
}

#[test]
fn a_copy_elsewhere_keeps_its_own_backups() {
    let (folder, store, path) = book_and_folder();
    let (first, _) = make(&store, &path, None);
    let copy = restored(&first, &folder.path().join("copy"), false).unwrap();
    let (of_copy, removed) = make(&copy, &path, Some(1));
    assert!(removed.is_empty());
    let (_, removed) = make(&store, &path, Some(1));
    assert_eq!(removed, [first.name]);
    assert!(of_copy.path.exists());
}

#[test]
fn what_is_stopped_leaves_no_backup_and_no_rest() {
    struct Stop;
    impl Watcher for Stop {
        fn should_stop(&self) -> bool {
            true
        }
    }
    let (_folder, store, path) = book_and_folder();
    assert!(Unfinished::begin(&store, &path, &Stop).unwrap().is_none());
    drop(Unfinished::begin(&store, &path, &()).unwrap().unwrap());
    assert!(names(&path).is_empty());
    let (backup, _) = make(&store, &path, None);
    let target = path.join("target");
    let stopped = Restoring::begin(&backup, &target, false, &Stop).unwrap();
    assert!(stopped.is_none() && !target.exists());
    assert_eq!(names(&path).len(), 1);
}

#[test]
fn a_restored_book_is_the_backup_and_leaves_it_alone() {
    let (folder, store, path) = book_and_folder();
    let (backup, _) = make(&store, &path, None);
    let book = restored(&backup, &folder.path().join("again"), false).unwrap();
    assert!(has(&book, Board::START));
    assert_eq!(book.identity().unwrap(), store.identity().unwrap());
    put(&book, second());
    book.compact().unwrap();
    assert!(!has(&Store::open(&backup.path).unwrap(), second()));
}

#[test]
fn a_book_is_replaced_by_force_only_and_never_under_a_writer() {
    let (folder, store, path) = book_and_folder();
    let (backup, _) = make(&store, &path, None);
    put(&store, second());
    let target = folder.path().join("book");
    let refused = restored(&backup, &target, false).err().unwrap();
    assert!(matches!(refused, StoreError::BookExists { .. }));
    let locked = restored(&backup, &target, true).err().unwrap();
    assert!(matches!(locked, StoreError::Locked { .. }), "{locked}");
    drop(store);
    let book = restored(&backup, &target, true).unwrap();
    assert!(has(&book, Board::START) && !has(&book, second()));
    assert_eq!(names(folder.path()).len(), 2, "nothing is left beside it");
    let foreign = restored(&backup, folder.path(), true).err().unwrap();
    assert!(matches!(foreign, StoreError::NotABook { .. }));
}

#[test]
fn a_replacement_that_was_killed_half_way_is_undone_first() {
    let (folder, store, path) = book_and_folder();
    let (backup, _) = make(&store, &path, None);
    put(&store, second());
    drop(store);
    let target = folder.path().join("book");
    fs::rename(&target, folder.path().join(".replaced-book")).unwrap();
    let refused = restored(&backup, &target, false).err().unwrap();
    assert!(matches!(refused, StoreError::BookExists { .. }));
    assert!(has(&Store::open(&target).unwrap(), second()));
}

#[test]
fn a_damaged_backup_does_not_replace_a_book() {
    let (folder, store, path) = book_and_folder();
    let (backup, _) = make(&store, &path, None);
    drop(store);
    let tables = backup.path.join("db");
    for name in names(&tables).iter().filter(|name| name.ends_with(".sst")) {
        let file = tables.join(name);
        let mut bytes = fs::read(&file).unwrap();
        bytes.iter_mut().take(20).for_each(|byte| *byte ^= 0x55);
        // The book shares the file: it is not to change with it.
        fs::remove_file(&file).unwrap();
        fs::write(&file, bytes).unwrap();
    }
    let target = folder.path().join("book");
    let refused = restored(&backup, &target, true).err().unwrap();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    assert!(has(&Store::open(&target).unwrap(), Board::START));
}

#[test]
fn on_another_disk_tables_come_from_the_backup_before() {
    let (folder, store, path) = book_and_folder();
    let (first, _) = make(&store, &path, None);
    let known = (first.path.join("db"), &first.record.files[..]);
    assert!(!first.record.files.is_empty());
    let file = &first.record.files[0];
    let transfer = |known| Transfer {
        from: &store.path,
        to: folder.path(),
        known,
    };
    let target = folder.path().join("linked.sst");
    assert!(!transfer(None).has(file, &target));
    assert!(transfer(Some(known.clone())).has(file, &target));
    // Another file of the same name is not taken for it.
    let another = KnownFile::of(&store.path.join(super::super::MARKER), "0.sst").unwrap();
    assert!(!transfer(Some(known)).has(&another, &folder.path().join("other.sst")));
}

#[test]
fn names_are_in_the_order_of_time() {
    assert_eq!(name_of(1_795_000_000), "2026-11-18T11-06-40Z");
    assert!(name_of(999_999_999) < name_of(1_000_000_000));
}
