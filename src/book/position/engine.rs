//! The engines that a book's values come from: a short list of names in the book, and a number in
//! each record.

use crate::book::node::{EngineNumber, Node};

/// Names by number. 0 is nobody in particular.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Engines {
    names: Vec<String>,
}

/// Longer names are cut.
const LONGEST_NAME: usize = 120;

impl Engines {
    /// The names from number 1 on.
    pub fn of_names(names: Vec<String>) -> Engines {
        Engines { names }
    }

    pub fn name(&self, number: EngineNumber) -> Option<&str> {
        let place = usize::from(number.0).checked_sub(1)?;
        self.names.get(place).map(String::as_str)
    }

    pub fn number(&self, name: &str) -> Option<EngineNumber> {
        let place = self.names.iter().position(|known| known == name)?;
        u8::try_from(place + 1).ok().map(EngineNumber)
    }

    /// All of them with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (EngineNumber, &str)> {
        (1..=u8::MAX)
            .map(EngineNumber)
            .zip(self.names.iter().map(String::as_str))
    }

    /// The number that a new name would get; none if the list is full.
    pub fn next_number(&self) -> Option<EngineNumber> {
        u8::try_from(self.names.len() + 1).ok().map(EngineNumber)
    }
}

/// A name as it is kept: one line, no longer than it may be, and none that is empty.
pub fn tidy_name(name: &str) -> Option<String> {
    let plain = name.chars().filter(|sign| !sign.is_control());
    let name: String = plain.take(LONGEST_NAME).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The numbers of another book's engines in this one.
#[derive(Clone, Default, Debug)]
pub struct Renumbering {
    numbers: Vec<EngineNumber>,
}

impl Renumbering {
    /// `here` gives the number of a name in this book.
    pub fn new<E>(
        there: &Engines,
        mut here: impl FnMut(&str) -> Result<EngineNumber, E>,
    ) -> Result<Renumbering, E> {
        let mut numbers = vec![EngineNumber::UNKNOWN];
        for (_, name) in there.iter() {
            numbers.push(here(name)?);
        }
        Ok(Renumbering { numbers })
    }

    pub fn of(&self, there: EngineNumber) -> EngineNumber {
        let here = self.numbers.get(usize::from(there.0)).copied();
        here.unwrap_or(EngineNumber::UNKNOWN)
    }
}

impl Node {
    /// The same with the numbers that its engines have in this book.
    pub fn renumbered(mut self, engines: &Renumbering) -> Node {
        if let Some(evaluation) = &mut self.evaluation {
            evaluation.engine = engines.of(evaluation.engine);
        }
        if let Some(alternative) = &mut self.alternative {
            alternative.engine = engines.of(alternative.engine);
        }
        self
    }
}
