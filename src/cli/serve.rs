//! `emilia serve`: the book over HTTP, and the page.

use super::book::Place;
use super::cluster_options::ClusterOptions;
use super::duration::read_duration;
use super::interrupt::Interrupt;
use crate::book::{Store, StoreError, StoreOptions, raise_file_limit};
use crate::engine::defaults;
use crate::service::{Host, Neighbours, Proxies, Settings, Token, run as serve};
use anyhow::{Context, Result, anyhow, bail};
use axum::http::HeaderValue;
use std::io::{IsTerminal, Write, stdout};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};

/// Serve a book: a page for browsers and an HTTP interface for programs
///
/// Without a token the book is only read, and what another process writes to it meanwhile is
/// served a second later. With a token this process opens the book for writing and owns it: whoever
/// sends the token may upload games and have the book grow. Ctrl-C finishes what is under way.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia serve --book wthor\n  \
                        emilia serve --listen 0.0.0.0:80 --searches 8\n  \
                        emilia serve --new-token token.txt\n  \
                        emilia serve --token-file token.txt\n  \
                        emilia serve --public-host book.example.org --proxy 127.0.0.1\n  \
                        curl 'localhost:8064/api/v1/position?moves=f5d6c3'\n\n\
                        The interface is described at /docs and /openapi.json.")]
pub struct Args {
    #[command(flatten)]
    place: Place,

    /// Begin an empty book if there is none; it takes a token, or nobody could fill it
    #[arg(long)]
    create: bool,

    /// Listen here; the default is for this machine only, and port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8064")]
    listen: SocketAddr,

    /// Let whoever sends the token in this file change the book; also the variable EMILIA_TOKEN
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Write a new token to this file, for --token-file, and end
    #[arg(long, value_name = "FILE", conflicts_with = "token_file")]
    new_token: Option<PathBuf>,

    /// Answer to this name as well as to the address listened on, such as book.example.org; may be
    /// given several times
    #[arg(long, value_name = "HOST")]
    public_host: Vec<Host>,

    /// Let pages of this origin ask, such as https://club.example.org; may be given several times
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    cors: Vec<HeaderValue>,

    /// Believe the X-Forwarded-For of the proxy with this address: limits count for whom it names;
    /// may be given several times
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,

    /// Search for this many clients at the same time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    searches: Option<u16>,

    /// Of these, at most this many for one address
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    searches_per_client: u16,

    /// Size of the table of known positions, in megabytes; each search has one
    #[arg(long, value_name = "MB", default_value_t = defaults::HASH_OF_A_SERVICE,
          value_parser = clap::value_parser!(u32).range(defaults::HASH_ALLOWED))]
    hash: u32,

    /// Search at most this long for one request (90, 10m), up to an hour
    #[arg(long, value_name = "T", default_value = "60", value_parser = read_search_time)]
    search_time: Duration,

    /// Keep this many connections open, a quarter of them for one address; an idle one makes room
    /// for a new one
    #[arg(long, value_name = "N", default_value_t = 4096,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    connections: u32,

    /// Take collections of games up to this size
    #[arg(long, value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    upload: u32,

    #[command(flatten)]
    cluster: ClusterOptions,
}

fn read_search_time(text: &str) -> Result<Duration, String> {
    let time = read_duration(text)?;
    let most = Duration::from_secs(3600);
    (time <= most)
        .then_some(time)
        .ok_or_else(|| "at most an hour: 1h".into())
}

pub fn run(args: Args) -> Result<()> {
    if let Some(path) = &args.new_token {
        return new_token(path);
    }
    let token = token(args.token_file.as_deref())?;
    if args.create && token.is_none() {
        bail!(
            "--create makes an empty book, and without a token nothing could come into it; set \
             EMILIA_TOKEN, or name a file with --token-file"
        );
    }
    let options = args.place.options();
    let path = if args.create {
        args.place.path()?
    } else {
        args.place.path_to_read()?
    };
    let store = open(options, &path, token.is_some(), args.create)?;
    let defaults = Settings::default();
    let settings = Settings {
        searches: args.searches.map_or(defaults.searches, usize::from),
        searches_per_client: usize::from(args.searches_per_client),
        table_bytes: (args.hash as usize) << 20,
        search_time: args.search_time,
        connections: connections(args.connections as usize),
        upload_bytes: (args.upload as usize) << 20,
        neighbours: Neighbours {
            public_hosts: args.public_host,
            cors: args.cors,
        },
        proxies: Proxies(args.proxy),
        cluster: args.cluster.address()?,
        token,
        ..defaults
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the server's threads")?;
    runtime.block_on(async {
        let listener = listen(args.listen).with_context(|| {
            format!(
                "cannot listen on {}; choose another address with --listen",
                args.listen
            )
        })?;
        let address = listener.local_addr()?;
        let store = Arc::new(store);
        // Whoever reads the address may end the service at once.
        let interrupt = Interrupt::watch()?;
        announce(address, &path, settings.token.is_some())?;
        let told = interrupt.clone();
        let stop = async move { told.pressed().await };
        serve(listener, store.clone(), settings, stop).await?;
        if store.is_ours() {
            store.sync()?;
        }
        interrupt.end_of_service()
    })
}

/// The book to serve. A name with a typo must not become an empty book.
fn open(options: StoreOptions, path: &Path, writing: bool, create: bool) -> Result<Store> {
    if create {
        return Ok(options.open_or_create(path)?);
    }
    let opened = if writing {
        options.open(path)
    } else {
        options.open_read_only(path)
    };
    opened.map_err(|error| match error {
        StoreError::Missing { .. } if writing => {
            anyhow!("{error}, or begin an empty one with: emilia serve --create")
        }
        other => other.into(),
    })
}

fn announce(address: SocketAddr, book: &Path, writing: bool) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    if out.is_terminal() {
        let may = if writing {
            "the token allows changes"
        } else {
            "read only"
        };
        eprintln!(
            "Serving the book in {} ({may}). Ctrl-C ends it.",
            book.display()
        );
    }
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "the server is open to other machines");
    }
    Ok(())
}

/// What the kernel keeps of an answer that is not fetched. It would take megabytes for each.
const SEND_BYTES: u32 = 256 << 10;
/// Connections that wait to be accepted: a flood of them must not turn others away.
const BACKLOG: u32 = 4096;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A server that is started again need not wait for the connections of the last one to die.
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// As many connections as wanted, or as there may be open files: half of these are for the book.
fn connections(wanted: usize) -> usize {
    let files = raise_file_limit(u64::MAX);
    let most = files.map_or(wanted, |files| (files / 2).max(1) as usize);
    if most < wanted {
        tracing::warn!(
            wanted,
            possible = most,
            "fewer connections than wanted: raise the limit of open files (ulimit -n)"
        );
    }
    wanted.min(most)
}

/// The token of the file, or of the environment. Not of the command line, which others can see.
fn token(file: Option<&Path>) -> Result<Option<Token>> {
    let token = match file {
        Some(path) => {
            only_for_the_owner(path)?;
            std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?
        }
        None => match std::env::var("EMILIA_TOKEN") {
            Ok(token) => token,
            Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(error) => return Err(anyhow!("EMILIA_TOKEN: {error}")),
        },
    };
    let token = token.parse::<Token>();
    token.map(Some).map_err(|reason| anyhow!("{reason}"))
}

/// An error if others on this machine may read the file.
fn only_for_the_owner(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let data = std::fs::metadata(path);
        let data = data.with_context(|| format!("cannot read {}", path.display()))?;
        if data.permissions().mode() & 0o077 != 0 {
            let path = path.display();
            bail!("others on this machine can read the token in {path}: chmod 600 {path}");
        }
    }
    Ok(())
}

/// Writes a new token where only its owner can read it.
fn new_token(path: &Path) -> Result<()> {
    let token = Token::random().context("the system gives no random numbers")?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(path)
        .and_then(|mut file| writeln!(file, "{}", token.secret()));
    written.with_context(|| {
        let path = path.display();
        format!("cannot write a new file {path}; a token that is there is never replaced")
    })?;
    let mut out = stdout().lock();
    writeln!(
        out,
        "A new token is in {path}. Serve with it: emilia serve --token-file {path}",
        path = path.display()
    )?;
    Ok(())
}

/// An origin as browsers send it: a scheme and a host, and no path.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let wrong = || format!("'{text}' is no origin: give one such as https://club.example.org");
    let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
    if !matches!(scheme, "http" | "https") || host.parse::<Host>().is_err() {
        return Err(wrong());
    }
    HeaderValue::from_str(&text.to_ascii_lowercase()).map_err(|_| wrong())
}
