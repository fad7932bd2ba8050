//! `emilia serve`: the book over HTTP, and the page.

use super::book::Place;
use super::cluster_options::ClusterOptions;
use super::output::UsageError;
use crate::book::{Store, StoreError, StoreOptions};
use crate::service::{Settings, run as serve};
use anyhow::{Context, Result, anyhow};
use std::io::{IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Serve a book: a page for browsers and an HTTP interface for programs
///
/// Without a token the book is only read, and what another process writes to it meanwhile is
/// served a second later. With a token this process opens the book for writing and owns it: whoever
/// sends the token may upload games and have the book grow. Ctrl-C finishes what is under way.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  emilia serve --book wthor\n  \
                        emilia serve --listen 0.0.0.0:80 --searches 8\n  \
                        EMILIA_TOKEN=secret emilia serve\n  \
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

    /// Search for this many clients at the same time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    searches: Option<u16>,

    /// Of these, at most this many for one address
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    searches_per_client: u16,

    /// Size of each search's table of known positions, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    hash: u32,

    /// Search at most this long for one request
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u32).range(1..=3600))]
    search_seconds: u32,

    /// Keep this many connections open; the longest idle one makes room for a new one
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    connections: u32,

    /// Take collections of games up to this size
    #[arg(long, value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    upload: u32,

    #[command(flatten)]
    cluster: ClusterOptions,
}

pub fn run(args: Args) -> Result<()> {
    let token = token(args.token_file.as_deref())?;
    if args.create && token.is_none() {
        return Err(UsageError::because(
            "--create makes an empty book, and without a token nothing could come into it; set \
             EMILIA_TOKEN, or name a file with --token-file",
        ));
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
        search_time: Duration::from_secs(args.search_seconds.into()),
        connections: args.connections as usize,
        upload_bytes: (args.upload as usize) << 20,
        cluster: args.cluster.address()?,
        token,
        ..defaults
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the server's threads")?;
    runtime.block_on(async {
        let listener = TcpListener::bind(args.listen).await.with_context(|| {
            format!(
                "cannot listen on {}; choose another address with --listen",
                args.listen
            )
        })?;
        let address = listener.local_addr()?;
        let store = Arc::new(store);
        announce(address, &path, settings.token.is_some())?;
        serve(listener, store.clone(), settings, stop_signal()?).await?;
        if store.is_ours() {
            store.sync()?;
        }
        Ok(())
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

/// The token of the file, or of the environment. Not of the command line, which others can see.
fn token(file: Option<&Path>) -> Result<Option<String>> {
    let token = match file {
        Some(path) => std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?,
        None => match std::env::var("EMILIA_TOKEN") {
            Ok(token) => token,
            Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(error) => return Err(UsageError::because(format!("EMILIA_TOKEN: {error}"))),
        },
    };
    let token = token.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(UsageError::because(
            "the token must be one word of ASCII letters, digits and signs",
        ));
    }
    Ok(Some(token.to_owned()))
}

/// Comes to an end with Ctrl-C or a signal to end; the second one ends the program at once.
fn stop_signal() -> Result<impl Future<Output = ()>> {
    let stop = Arc::new(Notify::new());
    let pressed = stop.clone();
    let mut count = 0;
    ctrlc::set_handler(move || {
        count += 1;
        if count > 1 {
            std::process::exit(130);
        }
        pressed.notify_one();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(async move { stop.notified().await })
}
