//! How much of something each client may have at a time. By hand: rate limiters such as governor
//! count how often something begins, and what is limited here is how much is under way.

use super::clients::Client;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// So many for each client. Clients who have none take no memory.
pub struct Shares {
    each: usize,
    clients: Mutex<HashMap<Client, Arc<Semaphore>>>,
}

/// One of a client's share, given back when it is dropped. It goes along with the work it is for.
pub struct Share {
    shares: Arc<Shares>,
    client: Client,
    permits: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Shares {
    pub fn new(each: usize) -> Arc<Shares> {
        Arc::new(Shares {
            each: each.max(1),
            clients: Mutex::default(),
        })
    }

    pub fn each(&self) -> usize {
        self.each
    }

    /// One for this client; waits for one to come back. Whoever asks for too much waits, which slows
    /// down nobody else.
    pub async fn wait(self: &Arc<Shares>, client: Client, patience: Duration) -> Option<Share> {
        let mut share = self.none_yet(client);
        let permit = share.permits.clone()?.acquire_owned();
        let permit = tokio::time::timeout(patience, permit).await.ok()?;
        share.permit = Some(permit.ok()?);
        Some(share)
    }

    fn none_yet(self: &Arc<Shares>, client: Client) -> Share {
        let mut clients = self.lock();
        let permits = clients
            .entry(client)
            .or_insert_with(|| Arc::new(Semaphore::new(self.each)));
        Share {
            shares: self.clone(),
            client,
            permits: Some(permits.clone()),
            permit: None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Client, Arc<Semaphore>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.permit.take();
        let mut clients = self.shares.lock();
        self.permits.take();
        // Nobody else has one or waits for one: all of them take it from the map, under the lock.
        let unused = |permits: &Arc<Semaphore>| Arc::strong_count(permits) == 1;
        if clients.get(&self.client).is_some_and(unused) {
            clients.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    #[tokio::test]
    async fn each_client_has_a_share_and_leaves_nothing_behind() {
        let [one, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)).into());
        let shares = Shares::new(2);
        let take = |client| shares.wait(client, Duration::from_millis(1));
        let first = take(one).await.unwrap();
        let second = take(one).await;
        assert!(second.is_some() && take(one).await.is_none());
        assert!(take(other).await.is_some());
        let (third, ()) = tokio::join!(shares.wait(one, Duration::from_secs(60)), async {
            drop(first)
        });
        assert!(third.is_some());
        drop((second, third));
        assert!(shares.lock().is_empty());
    }
}
