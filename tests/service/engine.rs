//! The engine inside the page, in a real browser: what it counts, solves, tells and leaves.

use super::browser::{Browser, Look};
use super::server::{Server, emilia};
use serde_json::Value;

/// Number 40 of the well-known endgames: 20 empty squares, Black wins by 38.
const FFO_40: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
/// Of the bench: less, as `bench --quick` does, would miss changes of deeper searches.
const DEPTH: &str = "12";
const START: &str = "---------------------------OX------XO--------------------------- X";

/// What an asynchronous function of the page answers, given the engine's file.
fn ask(browser: &Browser, body: &str) -> Value {
    let script = format!(
        "const {{ openEngine, browserAnalyse }} = await import('/page/engine.js');
         const engine = await openEngine();
         {body}"
    );
    browser.promised(&script)
}

#[test]
fn it_counts_the_nodes_of_the_portable_program_so_the_module_is_not_stale() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let bench = emilia()
        .args(["bench", "--depth", DEPTH, "--tier", "portable", "--json"])
        .output()
        .unwrap();
    let text = String::from_utf8(bench.stdout).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (_, positions) = lines.split_last().unwrap();
    assert_eq!(positions.len(), 20);

    let server = Server::start();
    browser.open(&server.url("/grow"));
    let counted = ask(
        &browser,
        &format!("return await engine.bench({DEPTH}).done"),
    );
    let told = |found: &Value| (found["nodes"].as_u64(), found["value"].as_f64());
    let counted: Vec<_> = counted.as_array().unwrap().iter().map(told).collect();
    let expected: Vec<_> = positions.iter().map(told).collect();
    assert_eq!(
        counted, expected,
        "page/engine.wasm is of another search: make it anew with tools/wasm"
    );
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn it_solves_an_endgame_in_slices_and_tells_of_each_depth() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = Server::start();
    browser.open(&server.url("/grow"));
    let body = format!(
        "const reports = [];
         const found = await engine.solve('{FFO_40}', {{}}, (report, done) => reports.push([report.depth, done])).done;
         return {{ found, reports }};"
    );
    let solved = ask(&browser, &body);
    let found = &solved["found"];
    assert_eq!(found["value"], 38.0);
    assert_eq!(found["best"], "a2");
    assert_eq!(found["solved"], true);
    assert_eq!(found["depth"], 20);
    let nodes = found["nodes"].as_u64().unwrap();
    // A time is told, never demanded: the machine may be busy with other tests.
    eprintln!("{nodes} nodes in {} s", found["seconds"]);
    let reports = solved["reports"].as_array().unwrap();
    assert_eq!(reports.last().unwrap()[1], true);
    let depths: Vec<u64> = reports.iter().map(|r| r[0].as_u64().unwrap()).collect();
    assert!(depths.is_sorted() && depths.len() > 1, "{depths:?}");
}

#[test]
fn it_shows_several_lines_and_can_be_left_at_any_time() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = Server::start();
    browser.open(&server.url("/grow"));
    let body = format!(
        "const found = await engine.analyse('{START}', {{ level: 8, lines: 3 }}).done;
         // Endless, until something is known.
         let deepest = 0;
         const endless = engine.analyse('{START}', {{ infinite: true, lines: 2 }}, (report) => {{
           deepest = report.depth;
           if (deepest >= 6) endless.stop();
         }});
         const left = await endless.done.catch((error) => error.name);
         // A newer order ends the one before.
         const first = engine.analyse('{START}', {{ infinite: true }});
         const second = engine.move('{START}', 'expert');
         const ended = await first.done.catch((error) => error.name);
         const {{ move }} = await second.done;
         const wrong = await engine.solve('-- X').done.catch((error) => error.message);
         const abort = new AbortController();
         const asked = browserAnalyse({{ position: '{START}', lines: 1, level: 60, seconds: 60 }}, abort.signal, () => abort.abort());
         const aborted = await asked.catch((error) => error.name);
         return {{ found, deepest, left, ended, move, wrong, aborted }};"
    );
    let told = ask(&browser, &body);
    assert_eq!(told["found"]["depth"], 8);
    assert_eq!(told["found"]["moves"].as_array().unwrap().len(), 3);
    assert!(told["deepest"].as_u64().unwrap() >= 6);
    for name in ["left", "ended", "aborted"] {
        assert_eq!(told[name], "AbortError", "{name}");
    }
    assert_eq!(told["move"].as_str().unwrap().len(), 2);
    assert!(told["wrong"].as_str().unwrap().contains("64 squares"));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn nothing_of_it_is_fetched_before_it_is_wanted() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = Server::start();
    browser.open(&server.url("/?moves=f5d6c3"));
    browser.wait_for("return document.querySelectorAll('#moves .move').length > 0");
    let fetched = browser.run(
        "return performance.getEntriesByType('resource')
            .filter((entry) => /engine\\.wasm|weights\\.emw/.test(entry.name)).length",
    );
    assert_eq!(fetched, 0);
}
