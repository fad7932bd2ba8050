//! `emilia export-site`: the page from plain files, in a folder of a host that knows nothing of us,
//! and then without any network.

use super::browser::{Browser, Look};
use super::server::{Server, emilia, samples};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// Where on its host the site lives.
const FOLDER: &str = "/of/somebody/";

/// A web host with nothing but files; it is gone when this is dropped.
struct Host {
    address: SocketAddr,
    closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    fn start(root: PathBuf) -> Host {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let closed = Arc::new(AtomicBool::new(false));
        let is_closed = closed.clone();
        let thread = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if is_closed.load(Relaxed) {
                    break;
                }
                let root = root.clone();
                std::thread::spawn(move || connection.map(|connection| answer(connection, &root)));
            }
        });
        Host {
            address,
            closed,
            thread: Some(thread),
        }
    }

    fn url(&self) -> String {
        format!("http://{}{FOLDER}", self.address)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.closed.store(true, Relaxed);
        // Wakes the thread that waits for connections, which takes the door with it.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One request for each connection.
fn answer(mut connection: TcpStream, root: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = line.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let inside = path.strip_prefix(FOLDER).map(|inside| match inside {
        "" => "index.html",
        inside => inside,
    });
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript",
        "css" => "text/css",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        "emw" | "bin" => "application/octet-stream",
        _ => "text/html",
    };
    let found = inside.and_then(|inside| fs::read(root.join(inside)).ok());
    let status = if found.is_some() {
        "200 OK"
    } else {
        "404 Not Found"
    };
    let content = found.unwrap_or_default();
    let length = content.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    connection.write_all(head.as_bytes())?;
    connection.write_all(&content)
}

/// Waits until the page's files are kept; how many versions are.
const KEPT: &str = "await navigator.serviceWorker.ready;
     while (!navigator.serviceWorker.controller) await new Promise((wait) => setTimeout(wait, 20));
     return (await caches.keys()).length;";

/// A book with values and with games.
fn folder_with_book() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    import_main_book(&book);
    let games = ["book", "build", "--level", "0", "--plies", "20", "--book"];
    let learned = emilia()
        .args(games)
        .arg(&book)
        .arg(samples().join("sample.txt"))
        .output()
        .unwrap();
    assert!(learned.status.success(), "{learned:?}");
    folder
}

fn import_main_book(book: &Path) {
    let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/main.emb");
    let imported = emilia()
        .args(["book", "import", "--book"])
        .arg(book)
        .arg(main)
        .output()
        .unwrap();
    assert!(imported.status.success(), "{imported:?}");
}

fn export(site: &Path, book: &Path, more: &[&str]) -> Output {
    emilia()
        .arg("export-site")
        .arg(site)
        .arg("--book")
        .arg(book)
        .args(more)
        .output()
        .unwrap()
}

/// What the site's page is told when it asks.
fn ask(browser: &Browser, address: &str, body: Option<&Value>) -> Value {
    let options = body.map_or_else(
        || "undefined".to_owned(),
        |body| format!("{{ method: 'POST', body: {:?} }}", body.to_string()),
    );
    browser.promised(&format!(
        "const {{ ask }} = await import('{FOLDER}page/transport.js');
         const answer = await ask({address:?}, {options});
         return {{ status: answer.status, body: await answer.text() }};"
    ))
}

fn asked(browser: &Browser, address: &str) -> Value {
    let told = ask(browser, address, None);
    assert_eq!(told["status"], 200, "{address}: {told}");
    serde_json::from_str(told["body"].as_str().unwrap()).unwrap()
}

/// Numbers as numbers: 2 and 2.0 are the same. What the site does not know is left out: games that
/// came to positions outside the book, and the ways into those.
fn comparable(mut view: Value) -> Value {
    if view["in_book"] == false {
        view["ways_in"] = Value::Null;
        view["statistics"] = Value::Null;
    }
    if let Some(moves) = view["moves"].as_array_mut() {
        for m in moves.iter_mut() {
            if m["known"] != "book"
                && let Some(m) = m.as_object_mut()
            {
                m.remove("statistics");
            }
        }
        // Those without a value come last, by the number of games.
        let valued = moves.partition_point(|m| !m["value"].is_null());
        moves[valued..].sort_by_key(|m| m["move"].to_string());
    }
    numbers(&mut view);
    view
}

fn numbers(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(numbers),
        Value::Object(all) => all.values_mut().for_each(numbers),
        Value::Number(number) => *value = json!((number.as_f64().unwrap() * 1e6).round() / 1e6),
        _ => {}
    }
}

#[test]
fn a_site_answers_as_the_server_does_and_works_without_a_network() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = Server::in_folder(folder_with_book(), &[], None);
    let site = tempfile::tempdir().unwrap();
    let told = export(site.path(), &server.folder.path().join("book"), &["--json"]);
    assert!(told.status.success(), "{told:?}");
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert!(told["positions"].as_u64().unwrap() > 1000, "{told}");
    let host = Host::start(site.path().to_owned());
    browser.open(&host.url());
    browser.wait_for("return document.querySelectorAll('#moves .move').length === 4");

    let games = fs::read_to_string(samples().join("sample.txt")).unwrap();
    let played = games
        .lines()
        .take(3)
        .filter_map(|line| line.split('\t').next());
    for game in played.chain([
        "f5d6c3d3c4f4c5b3c2",
        "c4e3f4c5d6f3e6c3d3e2",
        "f5f6e6f4e3c5c4e7",
    ]) {
        for plies in [0, 1, 2, 5, 9, 14, 22, 31, 60] {
            let moves: String = game.chars().take(2 * plies).collect();
            for asks in [
                format!("/api/v1/position?ways=true&moves={moves}"),
                format!("/api/v1/line?moves={moves}"),
            ] {
                let here = comparable(asked(&browser, &asks));
                let there = comparable(server.get(&asks).json());
                assert_eq!(here, there, "{asks}");
            }
        }
    }
    let board = "---------------------------OX------XXX-------------------------- O";
    let address = format!(
        "/api/v1/position?ways=true&board={}",
        board.replace(' ', "%20")
    );
    assert_eq!(
        comparable(asked(&browser, &address)),
        comparable(server.get(&address).json())
    );
    let tiger = "/api/v1/openings?name=tiger";
    assert_eq!(asked(&browser, tiger), server.get(tiger).json());
    let refused = ask(&browser, "/api/v1/expand", Some(&json!({})));
    assert_eq!(refused["status"], 501);
    let wrong = ask(&browser, "/api/v1/position?moves=a1", None);
    assert_eq!(wrong["status"], 400);

    // All files are kept, and the host goes away.
    assert_eq!(browser.promised(KEPT), 1);
    let (url, address) = (host.url(), host.address);
    drop(host);
    assert!(TcpStream::connect(address).is_err());

    browser.reload();
    browser.wait_for("return document.querySelectorAll('#moves .move').length === 4");
    browser.click("[data-square=f5]");
    browser.wait_for("return location.search === '?moves=f5'");
    browser.wait_for("return document.querySelectorAll('.disc').length === 5");
    assert!(browser.address().starts_with(&url), "{}", browser.address());
    browser.screenshot("site-offline");
    // What only a server could answer is not offered.
    for nothing in [
        "#file",
        "#among",
        "[name=engine]",
        "nav [data-view=games]",
        "nav [data-view=programs]",
        "[href$=docs]",
    ] {
        assert_eq!(browser.count(nothing), 0, "{nothing}");
    }
    for view in 0..browser.count("nav a[data-view]") {
        browser.run(&format!(
            "document.querySelectorAll('nav a[data-view]')[{view}].click()"
        ));
        browser.wait_for("return document.querySelector('h1') !== null");
    }
    // A view's own address is the same page.
    browser.click("[data-view=play]");
    browser.wait_for("return location.pathname.endsWith('/of/somebody/play')");
    browser.reload();
    browser.wait_for("return document.querySelector('h1') !== null");

    let outside = "f5f6e6f4g7";
    let answer = ask(
        &browser,
        "/api/v1/analyse",
        Some(&json!({ "moves": outside, "level": 6, "best_of": 2 })),
    );
    let events = answer["body"].as_str().unwrap();
    let (_, last) = events.rsplit_once("event: done\ndata: ").unwrap();
    let found: Value = serde_json::from_str(last).unwrap();
    assert_eq!(found["depth"], 6);
    assert_eq!(found["moves"].as_array().unwrap().len(), 2);
    let made = |body: &Value| -> Value {
        let told = ask(&browser, "/api/v1/move", Some(body));
        serde_json::from_str(told["body"].as_str().unwrap()).unwrap()
    };
    let weak = made(&json!({ "moves": outside, "level": "club", "seed": 1 }));
    assert_eq!(
        (&weak["source"], weak["move"].is_string()),
        (&json!("search"), true)
    );
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_newer_site_waits_for_the_next_visit_and_then_takes_over_whole() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (book, site) = (folder.path().join("book"), folder.path().join("site"));
    import_main_book(&book);
    assert!(export(&site, &book, &[]).status.success());
    let host = Host::start(site.clone());
    browser.open(&host.url());
    browser.wait_for("return document.querySelectorAll('#moves .move').length === 4");
    assert_eq!(browser.promised(KEPT), 1);
    browser.click("[data-square=f5]");
    browser.wait_for("return location.search === '?moves=f5'");

    let learned = emilia()
        .args(["book", "build", "--level", "0", "--plies", "9", "--book"])
        .args([&book, &samples().join("sample.txt")])
        .output()
        .unwrap();
    assert!(learned.status.success(), "{learned:?}");
    assert!(export(&site, &book, &["--force"]).status.success());
    // An open page goes on with what it began with, while the newer version is fetched.
    let waiting = "const found = await navigator.serviceWorker.getRegistration();
         await found.update();
         while (!found.waiting) await new Promise((wait) => setTimeout(wait, 20));
         return (await caches.keys()).length;";
    assert_eq!(browser.promised(waiting), 2);
    browser.click("[data-view=play]");
    browser.wait_for("return document.querySelector('#begin') !== null");
    browser.click("nav [data-view=explore]");
    browser.wait_for("return document.querySelectorAll('#moves .move').length === 3");
    assert_eq!(browser.count(".total .games"), 0);

    // The next visit has the newer one, where the last one ended.
    browser.reload();
    browser.wait_for("return document.querySelectorAll('.total .games').length === 1");
    browser.wait_for("return document.querySelectorAll('.disc').length === 5");
    assert_eq!(browser.promised(KEPT), 1);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_folder_with_something_in_it_is_left_alone_unless_it_is_forced() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    import_main_book(&book);
    let site = folder.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("index.html"), "mine").unwrap();
    let refused = export(&site, &book, &[]);
    assert!(!refused.status.success());
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        why.contains("is not empty") && why.contains("--force"),
        "{why}"
    );
    assert_eq!(fs::read_to_string(site.join("index.html")).unwrap(), "mine");

    let forced = export(&site, &book, &["--force"]);
    assert!(forced.status.success(), "{forced:?}");
    assert!(
        fs::read_to_string(site.join("index.html"))
            .unwrap()
            .contains("page/app.js")
    );
    // The same book gives the same site.
    let again = folder.path().join("again");
    assert!(export(&again, &book, &[]).status.success());
    for file in ["page/book.bin", "service-worker.js"] {
        assert_eq!(
            fs::read(site.join(file)).unwrap(),
            fs::read(again.join(file)).unwrap()
        );
    }
}
