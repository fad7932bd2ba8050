//! Every player by name, with the year and the idea of its paper.

use super::Historic;
use super::bill::Bill;
use super::chen::Chen;
use super::iago::Iago;
use super::keyano::{Keyano, Options};
use super::othellus::{Heuristic, Othellus};

/// A player as lists and pages show it.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// As users call it.
    pub name: &'static str,
    /// As its paper writes it.
    pub title: &'static str,
    pub year: u16,
    /// What it brought, in a sentence.
    pub idea: &'static str,
    /// Elo beside our own engine without a book, each with a second of CPU time for a game
    /// (`tools/papers ladder`; docs/players.md has the whole table with its errors).
    pub elo: i16,
    /// Its paper gives it an opening book.
    pub uses_book: bool,
    make: fn() -> Box<dyn Historic>,
}

impl Listed {
    /// A new one, as if nothing had been played.
    pub fn make(&self) -> Box<dyn Historic> {
        (self.make)()
    }

    /// The same program made in another way, under a name of its own: to see what a part is worth.
    pub const fn variant(self, name: &'static str, make: fn() -> Box<dyn Historic>) -> Listed {
        Listed { name, make, ..self }
    }
}

/// A text that names no player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no player: known are {known}")]
pub struct NotAPlayer {
    text: String,
    known: String,
}

/// All players of the papers.
pub struct Roster;

impl Roster {
    /// The oldest first.
    pub const ALL: &'static [Listed] = &[
        Listed {
            name: "iago",
            title: "IAGO",
            year: 1981,
            idea: "Edge tables, stability and mobility in one evaluation whose weights change with \
                   the move number, and a search that learns which responses refute which moves.",
            elo: -696,
            uses_book: false,
            make: || Box::new(Iago::default()),
        },
        Listed {
            name: "bill2",
            title: "BILL 2",
            year: 1990,
            idea: "Edges, mobility, potential mobility and sequences from tables that are added up in \
                   one pass, weighed by hand.",
            elo: -642,
            uses_book: false,
            make: || Box::new(Bill::second()),
        },
        Listed {
            name: "bill3",
            title: "BILL 3",
            year: 1990,
            idea: "The same features, combined by what they say about winning: a Bayesian \
                   discriminant learnt from its own games.",
            elo: -542,
            uses_book: false,
            make: || Box::new(Bill::third()),
        },
        Listed {
            name: "keyano",
            title: "KEYANO",
            year: 1997,
            idea: "Patterns smoothed where they are rare, multi-ProbCut, and Delteil's opening book, \
                   which ours grew from.",
            elo: -436,
            uses_book: true,
            make: || Box::new(Keyano::new(Options::default())),
        },
        othellus(
            "othellus",
            "O-Thell-Us",
            "A matrix of square weights, and a mobility that counts most in the middle of the game.",
            -1291,
            || Box::new(Othellus::new(Heuristic::Stages)),
        ),
        othellus(
            "othellus-random",
            "O-Thell-Us, random",
            "Any legal move, each as likely as the others.",
            -2125,
            || Box::new(Othellus::new(Heuristic::Random)),
        ),
        othellus(
            "othellus-most-flipped",
            "O-Thell-Us, mostFlipped",
            "As many discs as possible, in every move that it sees ahead.",
            -1799,
            || Box::new(Othellus::new(Heuristic::MostFlipped)),
        ),
        othellus(
            "othellus-low-surroundings",
            "O-Thell-Us, lowSurroundings",
            "Squares whose neighbours are worth little, so that the opponent's answers are too.",
            -1571,
            || Box::new(Othellus::new(Heuristic::LowSurroundings)),
        ),
        othellus(
            "othellus-corners",
            "O-Thell-Us, corners",
            "Grows the area around its corners along the edges.",
            -1202,
            || Box::new(Othellus::new(Heuristic::Corners)),
        ),
        othellus(
            "othellus-edges",
            "O-Thell-Us, edges",
            "Builds rows of discs on the edges.",
            -1299,
            || Box::new(Othellus::new(Heuristic::Edges)),
        ),
        othellus(
            "othellus-opening",
            "O-Thell-Us, opening",
            "Answers the first move perpendicular or diagonal, never parallel.",
            -1239,
            || Box::new(Othellus::new(Heuristic::Opening)),
        ),
        Listed {
            name: "chen",
            title: "Chen's program",
            year: 2010,
            idea: "A linear evaluation trained for each stage of the game from the end backwards, \
                   searched by MTD(f) with a table on bitboards.",
            elo: -691,
            uses_book: false,
            make: || Box::new(Chen::default()),
        },
    ];

    pub fn find(name: &str) -> Result<&'static Listed, NotAPlayer> {
        Roster::ALL
            .iter()
            .find(|listed| listed.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| NotAPlayer {
                text: name.chars().take(30).collect(),
                known: Roster::names(),
            })
    }

    /// All names, with commas between them.
    pub fn names() -> String {
        let names: Vec<&str> = Roster::ALL.iter().map(|listed| listed.name).collect();
        names.join(", ")
    }
}

const fn othellus(
    name: &'static str,
    title: &'static str,
    idea: &'static str,
    elo: i16,
    make: fn() -> Box<dyn Historic>,
) -> Listed {
    Listed {
        name,
        title,
        year: 2004,
        idea,
        elo,
        uses_book: false,
        make,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_player_is_found_by_its_name_and_knows_it() {
        for listed in Roster::ALL {
            assert_eq!(Roster::find(listed.name).unwrap().name, listed.name);
            assert_eq!(listed.make().name(), listed.name);
            assert!(listed.idea.ends_with('.'), "{}", listed.name);
        }
        let names: HashSet<&str> = Roster::ALL.iter().map(|listed| listed.name).collect();
        assert_eq!(names.len(), Roster::ALL.len());
    }

    #[test]
    fn a_variant_has_its_own_name_and_is_made_in_its_own_way() {
        let keyano = Roster::find("keyano").unwrap();
        let variant = keyano.variant("other", || Box::new(Iago::default()));
        assert_eq!((variant.name, variant.title), ("other", keyano.title));
        assert_eq!(variant.make().name(), "iago");
    }

    #[test]
    fn who_is_not_on_the_roster_is_told_who_is() {
        let error = Roster::find("deep thought").unwrap_err().to_string();
        assert!(error.starts_with("'deep thought' is no player: known are "));
        assert!(error.ends_with(&Roster::names()));
    }
}
