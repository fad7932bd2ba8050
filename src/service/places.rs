//! Places for connections. A server that is full gives the place of a connection that waits for its
//! client to a new one: idle ones, heads and bodies that do not come never keep others out. Those
//! that are at work, or were answered a moment ago, keep theirs.

use super::clients::Client;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// A client that was answered so lately is about to say something.
const IN_TALK: Duration = Duration::from_secs(1);
/// Places that are looked at to find one to give away: the longest wait of so many is long, and all
/// would be too many to look at for each connection of a flood.
const LOOKED_AT: usize = 64;

/// Who sent a request, and over which connection.
#[derive(Clone)]
pub struct Caller {
    pub client: Client,
    /// Where the connection came in.
    pub local: SocketAddr,
    pub slot: Arc<Slot>,
}

impl Caller {
    /// The connection is at work until this is dropped.
    pub fn busy(&self) -> Busy {
        self.slot.at_work.fetch_add(1, Relaxed);
        Busy(self.slot.clone())
    }

    /// A request is under way, but waits for its client until this is dropped.
    pub fn waiting(&self) -> Waiting {
        self.slot.at_work.fetch_sub(1, Relaxed);
        Waiting(self.slot.clone())
    }
}

/// A request that is under way.
pub struct Busy(Arc<Slot>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.touch();
        self.0.at_work.fetch_sub(1, Relaxed);
    }
}

/// A request whose body is on its way.
pub struct Waiting(Arc<Slot>);

impl Waiting {
    /// A good part of it came.
    pub fn got_on(&self) {
        self.0.touch();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.at_work.fetch_add(1, Relaxed);
    }
}

/// An open connection.
pub struct Slot {
    client: Client,
    began: Instant,
    /// When it last got on, in milliseconds after it began; 0 if it never did.
    got_on: AtomicU64,
    at_work: AtomicUsize,
    /// An answer is on its way out.
    sending: AtomicBool,
    /// Somebody else needs the place.
    pub evicted: Notify,
}

impl Slot {
    fn touch(&self) {
        let after = self.began.elapsed().as_millis() as u64;
        self.got_on.store(after.max(1), Relaxed);
    }

    pub fn set_sending(&self, sending: bool) {
        self.sending.store(sending, Relaxed);
    }

    /// Since when it waits for its client, if it does and may be closed.
    fn waiting_since(&self) -> Option<Instant> {
        if self.at_work.load(Relaxed) > 0 || self.sending.load(Relaxed) {
            return None;
        }
        match self.got_on.load(Relaxed) {
            0 => Some(self.began),
            after => {
                let since = self.began + Duration::from_millis(after);
                (since.elapsed() > IN_TALK).then_some(since)
            }
        }
    }
}

/// All places, taken or free.
pub struct Places {
    limit: usize,
    per_client: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    slots: Vec<Option<Arc<Slot>>>,
    free: Vec<usize>,
    clients: HashMap<Client, usize>,
    looks: u64,
    hasher: RandomState,
}

/// A place, free again when this is dropped.
pub struct Place {
    places: Arc<Places>,
    number: usize,
    pub slot: Arc<Slot>,
}

/// What became of somebody who came in.
pub enum Taken {
    Free(Place),
    /// Another had to go.
    OfAnother(Place),
    None,
}

impl Places {
    pub fn new(limit: usize, per_client: usize) -> Arc<Places> {
        Arc::new(Places {
            limit: limit.max(1),
            per_client: per_client.max(1),
            inner: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection. A client who has his share gives up one of his own, but a
    /// proxy brings many.
    pub fn take(self: &Arc<Places>, client: Client, is_proxy: bool) -> Taken {
        let mut inner = self.lock();
        let own = inner.clients.get(&client).copied().unwrap_or(0);
        let has_his_share = !is_proxy && own >= self.per_client;
        let full = inner.slots.len() - inner.free.len() >= self.limit;
        if full || has_his_share {
            let of = has_his_share.then_some(client);
            let Some(longest) = inner.longest_waiting(of) else {
                return Taken::None;
            };
            if let Some(slot) = inner.vacate(longest) {
                slot.evicted.notify_one();
            }
        }
        let slot = Arc::new(Slot {
            client,
            began: Instant::now(),
            got_on: AtomicU64::new(0),
            at_work: AtomicUsize::new(0),
            sending: AtomicBool::new(false),
            evicted: Notify::new(),
        });
        let place = Place {
            places: self.clone(),
            number: inner.occupy(slot.clone()),
            slot,
        };
        if full || has_his_share {
            Taken::OfAnother(place)
        } else {
            Taken::Free(place)
        }
    }
}

impl Inner {
    fn occupy(&mut self, slot: Arc<Slot>) -> usize {
        *self.clients.entry(slot.client).or_default() += 1;
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.slots[number] = Some(slot);
        number
    }

    fn vacate(&mut self, number: usize) -> Option<Arc<Slot>> {
        let slot = self.slots[number].take()?;
        self.free.push(number);
        if let Some(count) = self.clients.get_mut(&slot.client) {
            *count -= 1;
            if *count == 0 {
                self.clients.remove(&slot.client);
            }
        }
        Some(slot)
    }

    /// Of some places from a random one on, that of whoever has waited for longest. A client's own
    /// may be anywhere among all.
    fn longest_waiting(&mut self, of: Option<Client>) -> Option<usize> {
        self.looks += 1;
        let count = self.slots.len();
        let first = self.hasher.hash_one(self.looks) as usize % count.max(1);
        let reach = if of.is_some() { count } else { 16 * LOOKED_AT };
        (0..count.min(reach))
            .map(|step| (first + step) % count)
            .filter_map(|number| Some((self.slots[number].as_ref()?, number)))
            .filter(|(slot, _)| of.is_none_or(|client| client == slot.client))
            .filter_map(|(slot, number)| Some((slot.waiting_since()?, number)))
            .take(LOOKED_AT)
            .min()
            .map(|(_, number)| number)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inner = self.places.lock();
        // Unless another has it already.
        let is_ours = |slot: &Arc<Slot>| Arc::ptr_eq(slot, &self.slot);
        if inner.slots[self.number].as_ref().is_some_and(is_ours) {
            inner.vacate(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    fn client(last: u8) -> Client {
        IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)).into()
    }

    fn place(taken: Taken) -> Option<Place> {
        match taken {
            Taken::Free(place) | Taken::OfAnother(place) => Some(place),
            Taken::None => None,
        }
    }

    fn caller(place: &Place) -> Caller {
        Caller {
            client: place.slot.client,
            local: SocketAddr::from(([127, 0, 0, 1], 80)),
            slot: place.slot.clone(),
        }
    }

    #[test]
    fn who_waits_for_his_client_makes_room_and_who_is_at_work_does_not() {
        let places = Places::new(3, 3);
        let all: Vec<Place> = (0..3)
            .map(|_| place(places.take(client(2), false)).unwrap())
            .collect();
        let (first, second) = (caller(&all[0]), caller(&all[1]));
        let _work = first.busy();
        let _request = second.busy();
        let body = second.waiting();
        all[2].slot.set_sending(true);
        // The second waits for a body that does not come.
        let newcomer = place(places.take(client(3), false)).unwrap();
        assert_eq!(newcomer.number, 1);
        drop(body);
        let talk = caller(&newcomer).busy();
        drop(talk);
        // All are at work, send, or were answered a moment ago.
        assert!(place(places.take(client(4), false)).is_none());
        drop(all);
        drop(newcomer);
        let inner = places.lock();
        assert!(inner.clients.is_empty() && inner.free.len() == 3);
    }

    #[test]
    fn a_client_who_has_his_share_gives_up_one_of_his_own() {
        let places = Places::new(10, 2);
        let first = place(places.take(client(2), false)).unwrap();
        let second = place(places.take(client(2), false)).unwrap();
        let other = place(places.take(client(3), false)).unwrap();
        let third = place(places.take(client(2), false)).unwrap();
        assert_eq!(third.number, first.number);
        let _work = [&second, &third].map(|place| caller(place).busy());
        assert!(place(places.take(client(2), false)).is_none());
        assert!(place(places.take(client(2), true)).is_some(), "a proxy");
        assert_eq!(other.number, 2);
        drop(first);
        assert!(places.lock().slots[third.number].is_some());
    }

    #[test]
    fn a_client_who_has_his_share_finds_his_own_wherever_it_is() {
        let places = Places::new(100 * LOOKED_AT, 1);
        let others = (0..50 * LOOKED_AT).map(|_| place(places.take(client(3), true)).unwrap());
        let before: Vec<Place> = others.collect();
        let mut own = place(places.take(client(2), false)).unwrap();
        let others = (0..40 * LOOKED_AT).map(|_| place(places.take(client(3), true)).unwrap());
        let after: Vec<Place> = others.collect();
        for _ in 0..20 {
            let next = place(places.take(client(2), false)).unwrap();
            assert_eq!(next.number, own.number);
            own = next;
        }
        drop((before, after));
    }
}
