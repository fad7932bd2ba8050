//! The program as its users meet it: real commands with real files, one module for each group of them.
//! One program of tests, because linking takes longer than most of them.

use assert_cmd::Command;

#[path = "../shared/books.rs"]
mod books;
#[path = "../service/server.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod server;
#[cfg(unix)]
#[path = "../cluster/servers.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod servers;
#[path = "../shared/skips.rs"]
mod skips;

mod book;
mod book_games;
mod book_grow;
mod book_search;
mod book_store;
mod book_trouble;
mod exchange;
mod games;
mod kill;
mod live;
mod main_book;
mod matches;
mod play;
mod players;
mod protocols;
mod search;
#[cfg(unix)]
mod tree;

/// What a command says when it succeeds.
fn said(command: &mut Command) -> String {
    let output = command.assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}
