//! Whom limits are counted for, and how a proxy tells who that is.

use axum::http::{HeaderMap, HeaderName};
use std::net::{IpAddr, Ipv6Addr};

/// Whoever is behind an address. Of IPv6 the first half counts: the other half is a household's own
/// to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Client(IpAddr);

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() >> 64 << 64;
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            address => address,
        })
    }
}

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies whose word is taken for where a request comes from.
#[derive(Clone, Debug, Default)]
pub struct Proxies(pub Vec<IpAddr>);

impl Proxies {
    pub fn include(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Who sent a request that came from this address. Each proxy adds whom it heard it from at the
    /// end, so what is left of the last one that is no proxy may be made up.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Client {
        if !self.include(peer) {
            return peer.into();
        }
        let lines = headers.get_all(FORWARDED_FOR).into_iter().rev();
        let hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        let mut last = peer;
        for hop in hops {
            let Ok(address) = hop.trim().parse::<IpAddr>() else {
                break;
            };
            last = address;
            if !self.include(address) {
                break;
            }
        }
        last.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn client(text: &str) -> Client {
        address(text).into()
    }

    #[test]
    fn a_household_is_one_client() {
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:10.0.0.1"), client("10.0.0.1"));
        assert_ne!(client("10.0.0.1"), client("10.0.0.2"));
    }

    #[test]
    fn only_a_named_proxy_is_believed_and_only_what_it_added() {
        let proxies = Proxies(vec![address("10.0.0.1"), address("10.0.0.2")]);
        let says = |peer: &str, lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
            }
            proxies.client(address(peer), &headers)
        };
        assert_eq!(says("9.9.9.9", &["1.2.3.4"]), client("9.9.9.9"));
        assert_eq!(says("10.0.0.1", &["1.2.3.4"]), client("1.2.3.4"));
        assert_eq!(says("10.0.0.1", &["6.6.6.6, 1.2.3.4"]), client("1.2.3.4"));
        assert_eq!(
            says("10.0.0.1", &["6.6.6.6", "1.2.3.4, 10.0.0.2"]),
            client("1.2.3.4")
        );
        assert_eq!(says("10.0.0.1", &[]), client("10.0.0.1"));
        assert_eq!(says("10.0.0.1", &["nonsense"]), client("10.0.0.1"));
    }
}
