//! Those who try again and again what fails: wrong tokens, bodies that are rubbish or never come.
//! After some failures an address has to wait before it is listened to again. By hand, because rate
//! limiters such as governor count every try, and cannot be asked without counting.

use super::clients::Client;
use super::problem::Problem;
use quick_cache::sync::{Cache, EntryAction, EntryResult};
use std::time::{Duration, Instant};

/// Fewer failures than this are forgiven.
const MOST: f64 = 10.0;
/// One is forgotten after each of these.
const FORGIVEN: Duration = Duration::from_secs(6);
/// Whoever reaches the most owes so many more: half a minute.
const FINE: f64 = 5.0;
/// Whoever has had too many is told so after this: those who try at once again would keep us busy
/// with nothing but telling them.
const PAUSE: Duration = Duration::from_secs(2);
/// Clients that are remembered: those who failed lately.
const CLIENTS: usize = 10_000;

pub struct Failures(Cache<Client, Debt>);

#[derive(Clone, Copy)]
struct Debt {
    failures: f64,
    when: Instant,
}

impl Debt {
    fn now(self, now: Instant) -> f64 {
        let forgiven = now.duration_since(self.when).as_secs_f64() / FORGIVEN.as_secs_f64();
        (self.failures - forgiven).max(0.0)
    }

    fn and_one_more(self, now: Instant) -> Debt {
        let failures = match self.now(now) + 1.0 {
            many if many >= MOST => MOST + FINE,
            few => few,
        };
        Debt {
            failures,
            when: now,
        }
    }
}

impl Failures {
    pub fn new() -> Failures {
        Failures(Cache::new(CLIENTS))
    }

    /// Counts what honest clients seldom fail at.
    pub fn note(&self, client: Client, problem: &Problem) {
        if matches!(
            problem,
            Problem::Token
                | Problem::SlowBody
                | Problem::BrokenUpload
                | Problem::TooLarge { .. }
                | Problem::Timeout { .. }
                | Problem::Collection(_)
        ) {
            self.add(client);
        }
    }

    pub fn add(&self, client: Client) {
        self.add_at(client, Instant::now());
    }

    /// Lets those on who have not failed too often; the others wait, and are refused.
    pub async fn check(&self, client: Client) -> Result<(), Problem> {
        if self.is_barred_at(client, Instant::now()) {
            tokio::time::sleep(PAUSE).await;
            return Err(Problem::TooManyFailures);
        }
        Ok(())
    }

    fn add_at(&self, client: Client, now: Instant) {
        // In one step: those who fail many times at once would otherwise be counted once.
        let entry = self.0.entry(&client, None, |_, debt| {
            *debt = debt.and_one_more(now);
            EntryAction::Retain(())
        });
        if let EntryResult::Vacant(place) = entry {
            let none = Debt {
                failures: 0.0,
                when: now,
            };
            // An error would mean that the entry was thrown out meanwhile, as old ones are.
            let _ = place.insert(none.and_one_more(now));
        }
    }

    fn is_barred_at(&self, client: Client, now: Instant) -> bool {
        self.0
            .get(&client)
            .is_some_and(|debt| debt.now(now) >= MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    #[test]
    fn some_failures_are_forgiven_and_more_are_after_a_while() {
        let [one, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)).into());
        let failures = Failures::new();
        let now = Instant::now();
        for _ in 0..9 {
            failures.add_at(one, now);
        }
        assert!(!failures.is_barred_at(one, now));
        for _ in 0..100 {
            failures.add_at(one, now);
        }
        assert!(failures.is_barred_at(one, now + 4 * FORGIVEN));
        assert!(!failures.is_barred_at(other, now));
        // A hundred more make no life sentence.
        assert!(!failures.is_barred_at(one, now + 6 * FORGIVEN));
    }

    #[test]
    fn failures_at_the_same_time_all_count() {
        let now = Instant::now();
        let failures = Failures::new();
        for last in 0..=255 {
            let client = IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)).into();
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| (0..5).for_each(|_| failures.add_at(client, now)));
                }
            });
            assert!(failures.is_barred_at(client, now), "{last}");
        }
    }
}
