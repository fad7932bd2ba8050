//! Whom to believe. Some answers are asked of another worker as well; where the two disagree, this
//! program finds out itself who is right, and whoever is not is quarantined: none of its answers
//! count, not those before either.
//!
//! An answer depends on the question alone, so honest workers with one engine never disagree. How
//! searches are found that were wrong only now and then: of a worker's first five hundred answers
//! one in five is checked, later one in fifty. Endings of games are all checked: a game that was
//! learned is not unlearned.

use crate::book::{Finding, Question, QuestionId, Witness};
use crate::othello::Random;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// Answers after which a worker is known well.
const NEW: u64 = 500;
/// One in so many answers of a new worker is checked.
const NEW_RATE: u64 = 5;
/// One in so many of the others'.
const RATE: u64 = 50;
/// Questions that may be open for each worker while there is a new one.
const OPEN_WITH_NEW: usize = 100;
/// Nothing more is asked while so many answers of each new worker are in doubt.
const MOST_DOUBTS: usize = 20;

/// What is known of those who answer.
pub struct Trust {
    answers: HashMap<Witness, u64>,
    quarantined: HashSet<Witness>,
    checks: HashMap<QuestionId, Check>,
    random: Random,
}

/// An answer that is in doubt.
struct Check {
    question: Question,
    first: (Witness, Finding),
    second: Option<(Witness, Finding)>,
    /// This program finds out by itself.
    is_disputed: bool,
    since: Instant,
}

/// What a second answer came to.
#[derive(Clone, PartialEq, Debug)]
pub enum Second {
    /// Nobody asked for one.
    Unasked,
    /// From the one who gave the first: somebody else has to be asked.
    Same(Question),
    Agrees,
    /// This program is to find out.
    Disagrees(Question),
    /// The same, and it does so already.
    Disputed,
}

impl Trust {
    /// The seed tells which answers are checked; whoever answers does not know it.
    pub fn new(seed: u64) -> Trust {
        Trust {
            answers: HashMap::new(),
            quarantined: HashSet::new(),
            checks: HashMap::new(),
            random: Random::new(seed),
        }
    }

    pub fn is_quarantined(&self, worker: &str) -> bool {
        self.quarantined.contains(worker)
    }

    pub fn quarantined(&self) -> usize {
        self.quarantined.len()
    }

    /// How many answers of a worker have come in this run.
    pub fn answers_of(&self, worker: &str) -> u64 {
        self.answers.get(worker).copied().unwrap_or(0)
    }

    /// How many questions may be open while somebody answers who is not known well: what they say is
    /// checked before they have said much.
    /// Given are the workers with the number of their threads.
    pub fn caution<'a>(&self, workers: impl Iterator<Item = (&'a str, usize)>) -> usize {
        let is_new = |name: &str| self.answers_of(name) < NEW;
        let (mut all, mut new) = (0, 0);
        for (name, threads) in workers {
            all += OPEN_WITH_NEW.max(2 * threads);
            new += usize::from(is_new(name));
        }
        let in_doubt = self.checks.values();
        let in_doubt = in_doubt.filter(|check| is_new(&check.first.0)).count();
        match new {
            0 => usize::MAX,
            _ if in_doubt >= MOST_DOUBTS * new => 0,
            _ => all,
        }
    }

    /// Answers are in doubt.
    pub fn has_doubts(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Notes an answer. True if it is to be asked of somebody else, too.
    pub fn first(
        &mut self,
        id: QuestionId,
        question: &Question,
        by: &Witness,
        finding: &Finding,
    ) -> bool {
        let count = self.answers.entry(by.clone()).or_default();
        *count += 1;
        let one_in = match question {
            Question::Ending(_) => 1,
            Question::Moves(_) if *count <= NEW => NEW_RATE,
            Question::Moves(_) => RATE,
        };
        let is_checked = self.random.below(one_in) == 0 && !self.checks.contains_key(&id);
        if is_checked {
            let check = Check {
                question: question.clone(),
                first: (by.clone(), finding.clone()),
                second: None,
                is_disputed: false,
                since: Instant::now(),
            };
            self.checks.insert(id, check);
        }
        is_checked
    }

    /// Compares an answer with the first one, if it is one that is to be checked.
    pub fn second(&mut self, id: QuestionId, by: &Witness, finding: &Finding) -> Second {
        let Some(check) = self.checks.get_mut(&id) else {
            return Second::Unasked;
        };
        if check.first.0 == *by {
            return match check.is_disputed {
                true => Second::Disputed,
                false => Second::Same(check.question.clone()),
            };
        }
        *self.answers.entry(by.clone()).or_default() += 1;
        if check.first.1 == *finding {
            self.checks.remove(&id);
            return Second::Agrees;
        }
        check.second = Some((by.clone(), finding.clone()));
        if std::mem::replace(&mut check.is_disputed, true) {
            return Second::Disputed;
        }
        Second::Disagrees(check.question.clone())
    }

    /// A question that waits for a second answer, with who gave the first.
    pub fn in_check(&self, id: QuestionId) -> Option<(Question, Witness)> {
        let check = self.checks.get(&id).filter(|check| !check.is_disputed)?;
        Some((check.question.clone(), check.first.0.clone()))
    }

    /// Questions that nobody else answers in time, for this program to find out; `patience` tells
    /// how long that is, by who answered first.
    pub fn waiting_too_long(
        &mut self,
        now: Instant,
        patience: impl Fn(&Witness) -> Duration,
    ) -> Vec<(QuestionId, Question)> {
        let mut late = Vec::new();
        for (id, check) in &mut self.checks {
            let patience = patience(&check.first.0);
            if !check.is_disputed && now.saturating_duration_since(check.since) >= patience {
                check.is_disputed = true;
                late.push((*id, check.question.clone()));
            }
        }
        late
    }

    /// This program finds out about an answer at once.
    pub fn find_out(&mut self, id: QuestionId) {
        if let Some(check) = self.checks.get_mut(&id) {
            check.is_disputed = true;
        }
    }

    /// Nobody can find out.
    pub fn drop_doubt(&mut self, id: QuestionId) {
        self.checks.remove(&id);
    }

    /// This program found out what is true. Gives whoever said something else, quarantined now.
    pub fn settle(&mut self, id: QuestionId, truth: &Finding) -> Vec<Witness> {
        let Some(check) = self.checks.remove(&id) else {
            return Vec::new();
        };
        let said = [Some(check.first), check.second].into_iter().flatten();
        let wrong = said.filter(|(_, finding)| finding != truth);
        let liars: Vec<Witness> = wrong.map(|(by, _)| by).collect();
        liars
            .into_iter()
            .filter(|liar| self.quarantine(liar.clone()))
            .collect()
    }

    /// Nothing they said is in doubt any more: it does not count. True if they were free before.
    pub fn quarantine(&mut self, liar: Witness) -> bool {
        self.checks.retain(|_, check| check.first.0 != liar);
        self.quarantined.insert(liar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{BestMove, Claim, EndingQuestion, Level, MovesQuestion, NodeKey, Value};
    use crate::othello::Board;

    fn finding(centidiscs: i32) -> Finding {
        Finding::Moves(BestMove {
            square: "f5".parse().unwrap(),
            value: Value::new(centidiscs).unwrap(),
            claim: Claim::Exactly,
            level: Level {
                depth: 8,
                selectivity: 91,
                solved: false,
            },
        })
    }

    fn question() -> Question {
        Question::Moves(MovesQuestion::whole(NodeKey::of(Board::START), 8))
    }

    /// A check of an answer by `anna`.
    fn in_doubt(id: u128) -> Trust {
        let mut trust = Trust::new(1);
        let anna = Witness::from("anna");
        while !trust.first(QuestionId(id), &question(), &anna, &finding(100)) {}
        trust
    }

    #[test]
    fn one_answer_in_five_is_checked_at_first_and_one_in_fifty_later() {
        let mut trust = Trust::new(3);
        let mut checked = |answers: std::ops::Range<u128>| {
            let anna = Witness::from("anna");
            let first = |id: &u128| trust.first(QuestionId(*id), &question(), &anna, &finding(0));
            answers.filter(first).count()
        };
        let early = checked(0..500);
        assert!((70..=130).contains(&early), "{early}");
        let late = checked(500..10_500);
        assert!((150..=250).contains(&late), "{late}");
    }

    #[test]
    fn while_new_workers_are_in_doubt_nothing_more_is_asked() {
        let anna = Witness::from("anna");
        let mut trust = Trust::new(3);
        let who = || [("anna", 1), ("berta", 1)].into_iter();
        assert_eq!(trust.caution(who()), 2 * OPEN_WITH_NEW);
        let mut id = 0;
        while trust.checks.len() < 2 * MOST_DOUBTS {
            id += 1;
            trust.first(QuestionId(id), &question(), &anna, &finding(0));
        }
        assert_eq!(trust.caution(who()), 0);
        trust.checks.clear();
        for (name, _) in who() {
            trust.answers.insert(name.into(), NEW);
        }
        assert_eq!(trust.caution(who()), usize::MAX);
    }

    #[test]
    fn every_ending_is_checked() {
        let mut trust = Trust::new(3);
        let ending = Question::Ending(EndingQuestion {
            path: vec![NodeKey::of(Board::START)],
            limit: 40,
            empties: 18,
        });
        let anna = Witness::from("anna");
        assert!((0..100).all(|id| trust.first(QuestionId(id), &ending, &anna, &finding(0))));
    }

    #[test]
    fn whoever_differs_from_what_is_true_is_quarantined() {
        let id = QuestionId(4);
        let berta = Witness::from("berta");
        for (truth, liars) in [
            (100, vec!["berta"]),
            (200, vec!["anna"]),
            (300, vec!["anna", "berta"]),
        ] {
            let mut trust = in_doubt(4);
            let told = trust.second(id, &berta, &finding(200));
            assert_eq!(told, Second::Disagrees(question()));
            let found: Vec<Witness> = trust.settle(id, &finding(truth));
            assert_eq!(
                found,
                liars
                    .iter()
                    .map(|&name| name.into())
                    .collect::<Vec<Witness>>()
            );
            assert!(liars.iter().all(|liar| trust.is_quarantined(liar)));
            assert!(!trust.has_doubts());
        }
    }

    #[test]
    fn nobody_checks_their_own_answers() {
        let mut trust = in_doubt(4);
        let (anna, berta) = (Witness::from("anna"), Witness::from("berta"));
        let own = trust.second(QuestionId(4), &anna, &finding(100));
        assert_eq!(own, Second::Same(question()));
        assert!(trust.has_doubts());
        let other = trust.second(QuestionId(4), &berta, &finding(100));
        assert_eq!(other, Second::Agrees);
        assert!(!trust.has_doubts());
        let late = trust.second(QuestionId(4), &berta, &finding(300));
        assert_eq!(late, Second::Unasked);
    }

    #[test]
    fn where_nobody_else_answers_this_program_finds_out() {
        let mut trust = in_doubt(4);
        let soon = Instant::now() + Duration::from_secs(5);
        let within = |seconds| move |_: &Witness| Duration::from_secs(seconds);
        assert!(trust.waiting_too_long(soon, within(20)).is_empty());
        let late = trust.waiting_too_long(soon, within(1));
        assert_eq!(late, [(QuestionId(4), question())]);
        assert!(trust.waiting_too_long(soon, within(0)).is_empty());
        assert_eq!(trust.settle(QuestionId(4), &finding(7)), ["anna".into()]);
    }
}
