//! What travels: parcels of questions, and deliveries of answers, as bytes with a version in front.
//!
//! Whatever comes from outside is looked at before it is believed: other versions, messages that are
//! too large, damaged ones, and questions that no book would ask are refused.

use super::names;
use crate::book::{BookId, Finding, Question, QuestionId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// Changes with everything below, and with what questions and answers consist of.
const VERSION: u8 = 1;

/// No message is larger.
pub const LARGEST: usize = 512 << 10;

/// No parcel holds more questions.
pub const MOST_QUESTIONS: usize = 256;

/// Questions that travel together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Parcel {
    pub book: BookId,
    /// For which run of a command it is asked.
    pub run: u64,
    /// Who may answer.
    pub engine: String,
    /// Nobody waits for the answers after this many milliseconds since 1970.
    pub deadline: Option<u64>,
    /// Who may not: they gave the answers that are to be checked.
    pub not_for: Option<String>,
    /// How often it was tried in vain, in parcels before this one.
    pub tries: u32,
    /// Why, as far as anybody could tell.
    pub reason: Option<String>,
    pub questions: Vec<Question>,
}

impl Parcel {
    pub fn new(book: BookId, engine: &str, questions: Vec<Question>) -> Parcel {
        Parcel {
            book,
            run: 0,
            engine: engine.to_owned(),
            deadline: None,
            not_for: None,
            tries: 0,
            reason: None,
            questions,
        }
    }

    /// One of its questions alone.
    pub fn only(&self, question: Question) -> Parcel {
        Parcel {
            questions: vec![question],
            ..self.clone()
        }
    }
}

/// Answers to one parcel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Delivery {
    pub book: BookId,
    pub engine: String,
    /// By whom.
    pub worker: String,
    /// How often the parcel was handed out; more than once after somebody had died.
    pub handed_out: u32,
    /// What the searches took, in seconds of one thread.
    pub seconds: f32,
    pub answers: Vec<(QuestionId, Result<Finding, String>)>,
    /// Nobody will try these any more.
    pub gave_up: bool,
    /// They check what somebody else said.
    pub is_check: bool,
}

impl Delivery {
    pub fn new(parcel: &Parcel, worker: &str) -> Delivery {
        Delivery {
            book: parcel.book,
            engine: parcel.engine.clone(),
            worker: worker.to_owned(),
            handed_out: 1,
            seconds: 0.0,
            answers: Vec::new(),
            gave_up: false,
            is_check: parcel.not_for.is_some(),
        }
    }
}

/// Why a message is not believed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    #[error("it has {0} bytes, and no message of ours has more than {LARGEST}")]
    TooLarge(usize),
    #[error("it is empty")]
    Empty,
    #[error("it has version {0}; this program speaks version {VERSION}")]
    Version(u8),
    #[error("it cannot be read: {0}")]
    Damaged(String),
    #[error("it has {0} questions")]
    Count(usize),
    #[error("nobody may be called '{0}'")]
    Name(String),
    #[error("question {0}: {1}")]
    Question(usize, &'static str),
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<LARGEST>()
}

fn encoded<T: Serialize>(message: &T) -> Result<Vec<u8>, Refused> {
    let mut bytes = vec![VERSION];
    bincode::serde::encode_into_std_write(message, &mut bytes, config())
        .map_err(|error| Refused::Damaged(error.to_string()))?;
    if bytes.len() > LARGEST {
        return Err(Refused::TooLarge(bytes.len()));
    }
    Ok(bytes)
}

fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    if bytes.len() > LARGEST {
        return Err(Refused::TooLarge(bytes.len()));
    }
    let (version, rest) = bytes.split_first().ok_or(Refused::Empty)?;
    if *version != VERSION {
        return Err(Refused::Version(*version));
    }
    let damaged = |reason: String| Refused::Damaged(reason);
    let (message, length) = bincode::serde::decode_from_slice(rest, config())
        .map_err(|error| damaged(error.to_string()))?;
    if length < rest.len() {
        return Err(damaged(format!(
            "{} bytes are left over",
            rest.len() - length
        )));
    }
    Ok(message)
}

impl Parcel {
    pub fn to_bytes(&self) -> Result<Vec<u8>, Refused> {
        encoded(self)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Parcel, Refused> {
        let parcel: Parcel = decoded(bytes)?;
        if !(1..=MOST_QUESTIONS).contains(&parcel.questions.len()) {
            return Err(Refused::Count(parcel.questions.len()));
        }
        for (place, question) in parcel.questions.iter().enumerate() {
            question
                .check()
                .map_err(|flaw| Refused::Question(place, flaw))?;
        }
        Ok(parcel)
    }
}

impl Delivery {
    pub fn to_bytes(&self) -> Result<Vec<u8>, Refused> {
        encoded(self)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Delivery, Refused> {
        let delivery: Delivery = decoded(bytes)?;
        if delivery.answers.len() > MOST_QUESTIONS {
            return Err(Refused::Count(delivery.answers.len()));
        }
        if !names::is_good(&delivery.worker) {
            let name = delivery.worker.chars().take(80).collect();
            return Err(Refused::Name(name));
        }
        Ok(delivery)
    }
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| time.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{
        BestMove, Claim, EndingQuestion, Level, MovesQuestion, NodeKey, Value, Window,
    };
    use crate::othello::{Bitboard, Board, Random};
    use proptest::prelude::*;

    fn parcel() -> Parcel {
        let start = NodeKey::of(Board::START);
        let whole = Question::Moves(MovesQuestion::whole(start, 8));
        let ending = Question::Ending(EndingQuestion {
            path: vec![start],
            limit: 41,
            empties: 18,
        });
        Parcel {
            deadline: Some(now()),
            not_for: Some("north".into()),
            reason: Some("it broke".into()),
            ..Parcel::new(BookId(7), "emilia-0", vec![whole, ending])
        }
    }

    fn delivery() -> Delivery {
        let parcel = parcel();
        let id = QuestionId::of(&parcel.questions[0], &parcel.engine);
        let best = BestMove {
            square: "f5".parse().unwrap(),
            value: Value::ZERO,
            claim: Claim::Exactly,
            level: Level {
                depth: 8,
                selectivity: 91,
                solved: false,
            },
        };
        let mut delivery = Delivery::new(&parcel, "south");
        delivery.answers = vec![
            (id, Ok(Finding::Moves(best))),
            (id, Err("it broke".to_owned())),
        ];
        delivery
    }

    #[test]
    fn what_is_sent_arrives() {
        let (parcel, delivery) = (parcel(), delivery());
        let bytes = parcel.to_bytes().unwrap();
        assert_eq!(Parcel::from_bytes(&bytes), Ok(parcel));
        let bytes = delivery.to_bytes().unwrap();
        assert_eq!(Delivery::from_bytes(&bytes), Ok(delivery));
    }

    #[test]
    fn a_full_parcel_of_whole_games_is_not_too_large() {
        let path = vec![NodeKey::of(Board::START); 61];
        let ending = Question::Ending(EndingQuestion {
            path,
            limit: 60,
            empties: 18,
        });
        let parcel = Parcel::new(BookId(7), "emilia-0", vec![ending; MOST_QUESTIONS]);
        assert!(parcel.to_bytes().is_ok());
    }

    #[test]
    fn other_versions_damage_and_nonsense_are_refused_with_a_reason() {
        let good = parcel().to_bytes().unwrap();
        let mut newer = good.clone();
        newer[0] = 2;
        assert_eq!(Parcel::from_bytes(&newer), Err(Refused::Version(2)));
        assert_eq!(Parcel::from_bytes(&[]), Err(Refused::Empty));
        let huge = vec![VERSION; LARGEST + 1];
        assert_eq!(
            Parcel::from_bytes(&huge),
            Err(Refused::TooLarge(LARGEST + 1))
        );
        let longer = [good.as_slice(), &[0]].concat();
        assert!(matches!(
            Parcel::from_bytes(&longer),
            Err(Refused::Damaged(_))
        ));
        let mut nameless = delivery();
        nameless.worker = "x".repeat(300);
        let bytes = nameless.to_bytes().unwrap();
        assert!(matches!(
            Delivery::from_bytes(&bytes),
            Err(Refused::Name(_))
        ));
        let mut empty = parcel();
        empty.questions.clear();
        let bytes = empty.to_bytes().unwrap();
        assert_eq!(Parcel::from_bytes(&bytes), Err(Refused::Count(0)));
        let start = NodeKey::of(Board::START);
        let nonsense = [
            MovesQuestion {
                without: Bitboard::ALL,
                ..MovesQuestion::whole(start, 8)
            },
            MovesQuestion {
                window: Window {
                    alpha: Value::MAX,
                    beta: Value::MIN,
                },
                ..MovesQuestion::whole(start, 8)
            },
            MovesQuestion::whole(start, 0),
            MovesQuestion::whole(start, 61),
        ];
        for question in nonsense {
            let asked = vec![Question::Moves(question)];
            let bytes = Parcel::new(BookId(7), "e", asked).to_bytes().unwrap();
            let refused = Parcel::from_bytes(&bytes);
            assert!(
                matches!(refused, Err(Refused::Question(0, _))),
                "{question:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn bytes_from_anywhere_never_break_it(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Parcel::from_bytes(&bytes);
            let _ = Delivery::from_bytes(&bytes);
        }

        #[test]
        fn a_damaged_message_is_read_as_something_sound_or_refused(seed in any::<u64>()) {
            let mut random = Random::new(seed);
            let mut bytes = parcel().to_bytes().unwrap();
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len() as u64) as usize;
                bytes[place] = random.next() as u8;
            }
            if let Ok(parcel) = Parcel::from_bytes(&bytes) {
                for question in &parcel.questions {
                    prop_assert!(question.check().is_ok());
                }
            }
            let mut bytes = delivery().to_bytes().unwrap();
            let place = random.below(bytes.len() as u64) as usize;
            bytes[place] = random.next() as u8;
            let _ = Delivery::from_bytes(&bytes);
        }
    }
}
