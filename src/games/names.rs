//! WTHOR's tables of names: players (`.jou`) and tournaments (`.trn`), found beside the games.

use super::name::Name;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(super) const HEADER: usize = 16;

/// Which of the two tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Table {
    Players,
    Tournaments,
}

impl Table {
    pub const fn extension(self) -> &'static str {
        match self {
            Table::Players => "jou",
            Table::Tournaments => "trn",
        }
    }

    /// The bytes of one entry, the last of them 0.
    pub const fn width(self) -> usize {
        match self {
            Table::Players => 20,
            Table::Tournaments => 26,
        }
    }

    /// As many as a 16-bit number can name.
    const MAX_FILE: u64 = 16 + 26 * 65536;
}

/// The names that the numbers in WTHOR records stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    players: Vec<Option<Name>>,
    tournaments: Vec<Option<Name>>,
}

impl Names {
    /// Looks beside a collection for its tables: of the same name, or else the one of the whole
    /// WTHOR base (`WTHOR.JOU`, `WTH.JOU`), in any mixture of capitals. Missing tables are fine.
    pub fn beside(collection: &Path) -> io::Result<Names> {
        Ok(Names {
            players: load(collection, Table::Players)?,
            tournaments: load(collection, Table::Tournaments)?,
        })
    }

    /// The player with this number. One that is in no table still has a number, which tells
    /// players apart; number 0 is nobody.
    #[inline]
    pub fn player(&self, number: u16) -> Option<Name> {
        lookup(&self.players, number)
    }

    /// The tournament with this number; 0 is one like the others where there is a table.
    #[inline]
    pub fn tournament(&self, number: u16) -> Option<Name> {
        lookup(&self.tournaments, number)
    }
}

#[inline]
fn lookup(table: &[Option<Name>], number: u16) -> Option<Name> {
    match table.get(usize::from(number)) {
        Some(name) => name.clone(),
        None if number == 0 => None,
        None => Some(Name::numbered(number)),
    }
}

fn load(collection: &Path, table: Table) -> io::Result<Vec<Option<Name>>> {
    let Some(path) = find(collection, table)? else {
        return Ok(Vec::new());
    };
    let mut bytes = Vec::new();
    File::open(path)?
        .take(Table::MAX_FILE)
        .read_to_end(&mut bytes)?;
    Ok(parse(&bytes, table))
}

fn find(collection: &Path, table: Table) -> io::Result<Option<PathBuf>> {
    let stem = collection
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(|name| name.split('.').next())
        .unwrap_or_default();
    let wanted = [stem, "wthor", "wth"];
    let folder = match collection.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut best: Option<(usize, PathBuf)> = None;
    // Whoever may open a file but not list its folder reads the games without names.
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        let part = |part: Option<&std::ffi::OsStr>| {
            part.and_then(|part| part.to_str())
                .unwrap_or_default()
                .to_owned()
        };
        if !part(path.extension()).eq_ignore_ascii_case(table.extension()) {
            continue;
        }
        let name = part(path.file_stem());
        let rank = wanted
            .iter()
            .position(|wanted| wanted.eq_ignore_ascii_case(&name));
        // Of two spellings of the same name the first in order is taken, whatever order the
        // folder lists them in.
        if let Some(rank) = rank {
            let candidate = (rank, path);
            if best.as_ref().is_none_or(|best| candidate < *best) {
                best = Some(candidate);
            }
        }
    }
    Ok(best.map(|(_, path)| path))
}

/// The names of a table file. Whatever the header says, there are as many as there are bytes for.
fn parse(bytes: &[u8], table: Table) -> Vec<Option<Name>> {
    bytes
        .get(HEADER..)
        .unwrap_or_default()
        .chunks_exact(table.width())
        .take(1 << 16)
        .map(|entry| {
            let text: String = entry
                .iter()
                .take_while(|&&byte| byte != 0)
                .map(|&byte| char::from(byte))
                .collect();
            Name::tidy(&text)
        })
        .collect()
}

/// A name as WTHOR holds it, and what was lost: Latin-1, padded with zeros.
pub(super) struct Encoded {
    pub bytes: Vec<u8>,
    pub cut: bool,
    pub foreign: bool,
}

pub(super) fn encode(name: &str, table: Table) -> Encoded {
    let room = table.width() - 1;
    let mut foreign = false;
    let mut bytes: Vec<u8> = name
        .chars()
        .map(|c| {
            u8::try_from(u32::from(c)).unwrap_or_else(|_| {
                foreign = true;
                b'?'
            })
        })
        .collect();
    let cut = bytes.len() > room;
    bytes.resize(room, 0);
    bytes.push(0);
    Encoded {
        bytes,
        cut,
        foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str], table: Table) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        for name in names {
            bytes.extend(encode(name, table).bytes);
        }
        bytes
    }

    #[test]
    fn names_are_latin1_and_padded() {
        let bytes = table(&["???", "Préqualif de Paris"], Table::Tournaments);
        assert_eq!(bytes.len(), 16 + 2 * 26);
        assert!(bytes.windows(4).any(|w| w == b"Pr\xe9q"));
        let names = parse(&bytes, Table::Tournaments);
        assert_eq!(names, [None, Name::tidy("Préqualif de Paris")]);
    }

    #[test]
    fn what_does_not_fit_is_cut_and_said() {
        let encoded = encode("Bartholomew Featherstone-Smythe", Table::Players);
        assert_eq!(encoded.bytes, b"Bartholomew Feather\0");
        assert!(encoded.cut && !encoded.foreign);
        let encoded = encode("村上 健", Table::Players);
        assert_eq!(encoded.bytes.get(..4), Some(&b"?? ?"[..]));
        assert!(encoded.foreign && !encoded.cut);
    }

    #[test]
    fn a_table_of_the_same_name_comes_before_that_of_the_base() {
        let folder = tempfile::tempdir().unwrap();
        let put = |file: &str, name: &str| {
            fs::write(folder.path().join(file), table(&[name], Table::Players)).unwrap();
        };
        let first = |collection: &str| {
            let names = Names::beside(&folder.path().join(collection)).unwrap();
            names.player(0)
        };
        assert_eq!(first("games.wtb"), None, "no table at all");
        put("wth.jou", "small");
        assert_eq!(first("WTH_1980.wtb"), Name::tidy("small"));
        put("WTHOR.Jou", "base");
        put("other.jou", "other");
        assert_eq!(first("WTH_1980.wtb"), Name::tidy("base"));
        put("GAMES.JOU", "own");
        assert_eq!(first("games.wtb.gz"), Name::tidy("own"));
    }

    #[test]
    fn a_number_without_a_name_still_tells_players_apart() {
        let names = Names::default();
        assert_eq!(names.player(0), None);
        assert_eq!(names.player(12), Name::tidy("#12"));
    }
}
