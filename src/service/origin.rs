//! Who may ask at all. A browser runs what any site gives it, and that may send requests to servers
//! that only this machine can reach, or reach them under a name of its own that it points here. So
//! a request must name us by our address or by a name we were given, and must not come from a page
//! of another site. Only following a link to us is free.

use super::places::Caller;
use super::problem::Problem;
use super::shared::Shared;
use axum::extract::{Extension, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// A name, or an address, that the server is known by; with a port, only there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    name: String,
    port: Option<u16>,
}

#[derive(Debug, thiserror::Error)]
#[error("'{0}' is no host: give a name such as book.example.org, with a port if it needs one")]
pub struct NoHost(String);

impl FromStr for Host {
    type Err = NoHost;

    fn from_str(text: &str) -> Result<Host, NoHost> {
        let wrong = || NoHost(text.to_owned());
        let authority: Authority = text.parse().map_err(|_| wrong())?;
        let name = authority.host().trim_end_matches('.').to_ascii_lowercase();
        // A user has no business here.
        let port_length = authority.port().map_or(0, |port| 1 + port.as_str().len());
        let whole = authority.host().len() + port_length;
        if name.is_empty() || whole != text.len() {
            return Err(wrong());
        }
        let port = authority.port_u16();
        Ok(Host { name, port })
    }
}

impl Host {
    fn address(&self) -> Option<IpAddr> {
        let plain = self.name.trim_start_matches('[').trim_end_matches(']');
        plain.parse().ok()
    }

    /// It is the address that a connection came in at. Addresses cannot be pointed elsewhere as
    /// names can, and of names only this machine's own cannot either.
    fn is_local(&self, local: SocketAddr) -> bool {
        let here = local.ip().to_canonical();
        let same = match self.address() {
            Some(address) => address == here || (here.is_loopback() && address.is_loopback()),
            None => here.is_loopback() && self.name == "localhost",
        };
        same && self.port.unwrap_or(80) == local.port()
    }

    fn is_known_as(&self, public: &Host) -> bool {
        self.name == public.name && (public.port.is_none() || public.port == self.port)
    }
}

/// The names that a server answers to besides its address, and the sites it lets ask.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    pub public_hosts: Vec<Host>,
    pub cors: Vec<HeaderValue>,
}

impl Neighbours {
    fn is_us(&self, host: &Host, local: SocketAddr) -> bool {
        host.is_local(local) || self.public_hosts.iter().any(|one| host.is_known_as(one))
    }

    fn check(
        &self,
        (method, version): (&Method, Version),
        uri: &Uri,
        headers: &HeaderMap,
        local: SocketAddr,
    ) -> Result<(), Problem> {
        let is_ours = |text: &str| {
            let host = text.parse::<Host>();
            host.is_ok_and(|host| self.is_us(&host, local))
        };
        // All that name a host must name us: whoever is in between may have looked at any.
        let lines = headers.get_all(header::HOST).iter();
        let names = lines.map(|value| value.to_str().unwrap_or_default());
        let mut names = names
            .chain(uri.authority().map(Authority::as_str))
            .peekable();
        // Before 1.1 nobody had to name one, and no browser leaves it out.
        if names.peek().is_none() && version > Version::HTTP_10 {
            let host = String::new();
            return Err(Problem::WrongHost { host });
        }
        if let Some(foreign) = names.find(|name| !is_ours(name)) {
            let host = foreign.to_owned();
            return Err(Problem::WrongHost { host });
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            if self.cors.contains(origin) {
                return Ok(());
            }
            let origin = origin.to_str().unwrap_or_default();
            let page = origin.split_once("://").map(|(_, host)| host);
            if !page.is_some_and(is_ours) {
                return Err(Problem::ForeignOrigin);
            }
        }
        let says = |name, value: &[u8]| headers.get(name).is_some_and(|v| v.as_bytes() == value);
        let foreign = says(SITE, b"cross-site") || says(SITE, b"same-site");
        let follows_a_link = method == Method::GET && says(MODE, b"navigate");
        if foreign && !follows_a_link {
            return Err(Problem::ForeignOrigin);
        }
        Ok(())
    }
}

/// Turns away whoever means another server, or comes from another site.
pub async fn only_neighbours(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let neighbours = &shared.settings.neighbours;
    neighbours.check(
        (request.method(), request.version()),
        request.uri(),
        request.headers(),
        caller.local,
    )?;
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(
        local: &str,
        public: &[&str],
        method: Method,
        headers: &[(&'static str, &'static str)],
    ) -> &'static str {
        let neighbours = Neighbours {
            public_hosts: public.iter().map(|host| host.parse().unwrap()).collect(),
            cors: vec![HeaderValue::from_static("https://friend.example")],
        };
        let headers = headers
            .iter()
            .map(|(name, value)| {
                let name = HeaderName::from_static(name);
                (name, HeaderValue::from_static(value))
            })
            .collect();
        let checked = neighbours.check(
            (&method, Version::HTTP_11),
            &Uri::from_static("/api/move"),
            &headers,
            local.parse().unwrap(),
        );
        checked.map_or_else(|problem| problem.code(), |()| "ok")
    }

    #[test]
    fn a_server_answers_to_its_address_and_to_names_it_was_given() {
        let named = |local, host| {
            code(
                local,
                &["book.example", "x.example:81"],
                Method::GET,
                &[("host", host)],
            )
        };
        for (local, host, expected) in [
            ("127.0.0.1:8064", "127.0.0.1:8064", "ok"),
            ("127.0.0.1:8064", "localhost:8064", "ok"),
            ("127.0.0.1:8064", "LOCALHOST.:8064", "ok"),
            ("127.0.0.1:8064", "[::1]:8064", "ok"),
            ("127.0.0.1:80", "localhost", "ok"),
            ("127.0.0.1:8064", "localhost", "wrong_host"),
            ("127.0.0.1:8064", "localhost:8065", "wrong_host"),
            ("127.0.0.1:8064", "evil.example:8064", "wrong_host"),
            (
                "127.0.0.1:8064",
                "localhost.evil.example:8064",
                "wrong_host",
            ),
            ("127.0.0.1:8064", "evil@localhost:8064", "wrong_host"),
            ("127.0.0.1:8064", "localhost:8064x", "wrong_host"),
            ("127.0.0.1:8064", "", "wrong_host"),
            ("10.0.0.5:8064", "10.0.0.5:8064", "ok"),
            ("[::ffff:10.0.0.5]:8064", "10.0.0.5:8064", "ok"),
            ("10.0.0.5:8064", "localhost:8064", "wrong_host"),
            ("10.0.0.5:8064", "10.0.0.6:8064", "wrong_host"),
            ("10.0.0.5:8064", "book.example", "ok"),
            ("10.0.0.5:8064", "Book.Example:443", "ok"),
            ("10.0.0.5:8064", "x.example:81", "ok"),
            ("10.0.0.5:8064", "x.example", "wrong_host"),
        ] {
            assert_eq!(named(local, host), expected, "{host} at {local}");
        }
        assert_eq!(code("127.0.0.1:80", &[], Method::GET, &[]), "wrong_host");
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(code("127.0.0.1:80", &[], Method::GET, &twice), "wrong_host");
    }

    #[test]
    fn pages_of_other_sites_may_link_and_nothing_else() {
        let sent = |method, more: &[(&'static str, &'static str)]| {
            let headers = [&[("host", "localhost:8064")], more].concat();
            code("127.0.0.1:8064", &["book.example"], method, &headers)
        };
        for (method, more, expected) in [
            (
                Method::POST,
                &[("origin", "http://localhost:8064")][..],
                "ok",
            ),
            (Method::POST, &[("origin", "https://book.example")], "ok"),
            (Method::POST, &[("origin", "https://friend.example")], "ok"),
            (
                Method::POST,
                &[("origin", "https://friend.example.evil")],
                "foreign_origin",
            ),
            (
                Method::POST,
                &[("origin", "http://localhost:3000")],
                "foreign_origin",
            ),
            (
                Method::GET,
                &[("origin", "https://evil.example")],
                "foreign_origin",
            ),
            (Method::POST, &[("origin", "null")], "foreign_origin"),
            (Method::POST, &[("sec-fetch-site", "same-origin")], "ok"),
            (Method::GET, &[("sec-fetch-site", "none")], "ok"),
            (
                Method::POST,
                &[("sec-fetch-site", "cross-site")],
                "foreign_origin",
            ),
            (
                Method::GET,
                &[("sec-fetch-site", "same-site")],
                "foreign_origin",
            ),
            (
                Method::GET,
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("sec-fetch-mode", "navigate"),
                ],
                "ok",
            ),
            (
                Method::POST,
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("sec-fetch-mode", "navigate"),
                ],
                "foreign_origin",
            ),
        ] {
            assert_eq!(sent(method.clone(), more), expected, "{method} {more:?}");
        }
    }
}
