//! Where the NATS server is, and how to be let in.

use super::error::ClusterError;
use super::link::ANSWER_TIME;
use async_nats::{ConnectOptions, Event, ServerAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Where the server is and how to be let in.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// `nats://host:port`, several with commas between them; `tls://` for an encrypted way.
    pub servers: String,
    /// A file of NATS credentials.
    pub credentials: Option<PathBuf>,
    pub token: Option<String>,
    /// Certificates to trust besides the system's.
    pub authorities: Option<PathBuf>,
    /// This program's own certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

impl Address {
    /// Without what nobody else should see.
    pub fn shown(&self) -> String {
        let without_password = |server: &str| {
            let (scheme, rest) = server.split_once("://").unwrap_or(("nats", server));
            let host = rest.rsplit('@').next().unwrap_or(rest);
            format!("{scheme}://{host}")
        };
        let servers = self.servers.split(',').map(str::trim);
        servers.map(without_password).collect::<Vec<_>>().join(",")
    }
}

pub fn parse_servers(text: &str) -> Result<Vec<ServerAddr>, ClusterError> {
    let read = |one: &str| {
        let server: Option<ServerAddr> = one.trim().parse().ok();
        server.filter(|server| !server.host().is_empty())
    };
    let servers: Option<Vec<ServerAddr>> = text.split(',').map(read).collect();
    // Not what was given: it may hold a password.
    servers.ok_or(ClusterError::Address)
}

/// How to connect to these servers of an address under this name.
pub fn options(
    address: &Address,
    servers: &[ServerAddr],
    name: &str,
) -> Result<ConnectOptions, ClusterError> {
    let mut options = ConnectOptions::new()
        .name(name)
        .request_timeout(Some(ANSWER_TIME))
        .connection_timeout(ANSWER_TIME)
        .ping_interval(Duration::from_secs(10))
        .reconnect_delay_callback(|attempts| {
            Duration::from_millis((50 * attempts as u64).min(2000))
        })
        .event_callback(|event| async move {
            match event {
                Event::Connected => tracing::info!("connected to the NATS server"),
                Event::Disconnected => tracing::warn!("lost the NATS server; connecting again"),
                other => tracing::debug!(%other, "news of the NATS server"),
            }
        });
    if let Some(path) = &address.credentials {
        let unreadable = |reason: std::io::Error| ClusterError::Credentials {
            path: path.clone(),
            reason: reason.to_string(),
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        options = options.credentials(&text).map_err(unreadable)?;
    }
    // The first server with a name and a password, or a token in place of both, speaks for all.
    if let Some(server) = servers.iter().find(|server| server.username().is_some()) {
        let user = server.username().unwrap_or_default().to_owned();
        options = match server.password() {
            Some(password) => options.user_and_password(user, password.to_owned()),
            None => options.token(user),
        };
    }
    if let Some(token) = &address.token {
        options = options.token(token.clone());
    }
    if let Some(path) = &address.authorities {
        options = options.add_root_certificates(path.clone());
    }
    if let Some((certificate, key)) = &address.certificate {
        options = options.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_others_refused() {
        for good in ["nats://127.0.0.1:4222", "localhost", "nats://a:1,tls://b:2"] {
            assert!(parse_servers(good).is_ok(), "{good}");
        }
        for bad in ["", "http://x", "nats://a:1,,"] {
            let refused = parse_servers(bad).unwrap_err().to_string();
            assert!(refused.contains("nats://HOST:PORT"), "{bad}: {refused}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let address = Address {
            servers: "nats://anna:secret@a:1, tls://b".into(),
            ..Address::default()
        };
        assert_eq!(address.shown(), "nats://a:1,tls://b");
    }
}
