//! The page in a real browser with a real server. Screenshots stay in the target directory, under
//! `tmp/screenshots`.

use super::browser::{Browser, Look};
use super::server::{Server, TOKEN, games};
use emilia::games::Format;
use std::fs;

const ENTER: &str = "\u{e007}";
const TAB: &str = "\u{e004}";
const BACKSPACE: &str = "\u{e003}";
const HOME: &str = "\u{e011}";
const LEFT: &str = "\u{e012}";
const UP: &str = "\u{e013}";
const RIGHT: &str = "\u{e014}";
const DOWN: &str = "\u{e015}";

/// All moves are listed and have something to say.
const LISTED: &str = "return document.querySelectorAll('#moves .move').length > 0";

/// Searches take cores from other tests: where the page may search, they are short.
fn server() -> Server {
    Server::with(&["--search-time", "1"], None)
}

#[test]
fn a_line_is_explored_by_clicks_and_the_address_shows_it_again() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = server();
    browser.open(&server.url("/"));
    browser.wait_for(LISTED);
    assert_eq!(browser.count("#moves .move"), 4);
    assert_eq!(browser.count(".disc"), 4);
    assert!(browser.count(".moves .bar i") > 0, "bars of human results");
    browser.screenshot("explore-start");

    browser.click("[data-square=f5]");
    browser.wait_for("return location.search === '?moves=f5'");
    browser.wait_for("return document.querySelectorAll('#moves .move').length === 3");
    browser.click("#moves [data-move=d6]");
    browser.wait_for("return location.search === '?moves=f5d6'");
    browser.wait_for("return document.querySelectorAll('.disc').length === 6");
    assert_eq!(browser.text("#path"), "f5\nd6");
    browser.wait_for("return document.querySelectorAll('#samples .game').length === 6");
    browser.wait_for_text("#samples h2", "6 of");

    browser.reload();
    browser.wait_for("return document.querySelectorAll('.disc').length === 6");
    browser.wait_for(LISTED);
    browser.back();
    browser.wait_for("return document.querySelectorAll('.disc').length === 5");
    browser.wait_for("return location.search === '?moves=f5'");

    browser.type_into("#transcript", "tiger");
    browser.press(ENTER);
    browser.wait_for("return location.search === '?moves=f5d6c3d3c4'");
    browser.wait_for_text("#opening", "Tiger");
    browser.type_into("#transcript", "f5d6c3d3c4 F4f6");
    browser.press(ENTER);
    browser.wait_for("return location.search === '?moves=f5d6c3d3c4f4f6'");
    browser.wait_for("return document.querySelectorAll('.graph .dot').length > 0");
    browser.wait_for_text("#opening", "Stephenson");
    browser.wait_for("return /Searched: depth/.test(document.querySelector('#search').innerText)");
    browser.screenshot("explore-line");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_page_is_light_and_small_and_shows_something_at_once() {
    let Some(browser) = Browser::start(&Look::NIGHT) else {
        return;
    };
    let server = server();
    browser.open(&server.url("/?moves=f5d6c3d3c4"));
    browser.wait_for(LISTED);
    let bytes = browser.run(
        "return performance.getEntriesByType('resource')
            .concat(performance.getEntriesByType('navigation'))
            .reduce((sum, entry) => sum + entry.transferSize, 0)",
    );
    assert!(bytes.as_u64().unwrap() < 300_000, "{bytes}");
    // A time is told, never demanded: the machine may be busy with other tests.
    let paint = browser
        .run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null");
    eprintln!("{bytes} bytes, first contentful paint after {paint} ms");
    let foreign = browser.run(
        "return performance.getEntriesByType('resource')
            .filter((entry) => !entry.name.startsWith(location.origin)).length",
    );
    assert_eq!(foreign, 0);
    browser.screenshot("explore-dark");
    for view in ["/docs", "/grow", "/play", "/programs"] {
        browser.open(&server.url(view));
        browser.wait_for("return document.querySelector('h1') !== null");
        browser.screenshot(&format!("dark{}", view.replace('/', "-")));
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_phone_shows_the_whole_board_and_nothing_sticks_out() {
    let Some(browser) = Browser::start(&Look::PHONE) else {
        return;
    };
    let server = server();
    for view in ["/?moves=f5d6c3", "/play", "/programs", "/grow", "/docs"] {
        browser.open(&server.url(view));
        browser.wait_for("return document.querySelector('h1') !== null");
        let over = browser.run("return document.documentElement.scrollWidth - innerWidth");
        assert_eq!(over, 0, "{view}");
    }
    browser.open(&server.url("/?moves=f5d6c3"));
    browser.wait_for(LISTED);
    browser.screenshot("phone");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn everything_can_be_done_by_keyboard_alone() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = server();
    browser.open(&server.url("/"));
    browser.wait_for(LISTED);
    let on_the_board = "return document.activeElement.matches('.cell')";
    for _ in 0..20 {
        if browser.run(on_the_board) == true {
            break;
        }
        browser.press(TAB);
    }
    browser.wait_for(on_the_board);
    let square = || browser.run("return document.activeElement.dataset.square");
    assert_eq!(square(), "d4");
    for key in [DOWN, RIGHT, RIGHT] {
        browser.press(key);
    }
    assert_eq!(square(), "f5");
    let label = browser.run("return document.activeElement.getAttribute('aria-label')");
    assert!(
        label
            .as_str()
            .unwrap()
            .starts_with("f5, empty, can be played"),
        "{label}"
    );
    browser.press(ENTER);
    browser.wait_for("return location.search === '?moves=f5'");
    browser
        .wait_for("return document.querySelector('#live').textContent.includes('White to move')");
    for key in [UP, LEFT, LEFT, DOWN, DOWN, ENTER] {
        browser.press(key);
    }
    browser.wait_for("return location.search === '?moves=f5d6'");
    browser.press(BACKSPACE);
    browser.wait_for("return location.search === '?moves=f5'");
    browser.press(HOME);
    browser.wait_for("return location.search === ''");
    let unnamed = browser.run(
        "return [...document.querySelectorAll('button, a, input')]
            .filter((one) => !(one.innerText || one.ariaLabel || one.labels?.length || one.title))
            .map((one) => one.outerHTML)",
    );
    assert_eq!(unnamed, serde_json::json!([]));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_game_is_played_to_its_end_and_looked_at_afterwards() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = server();
    browser.open(&server.url("/play"));
    browser.run("document.querySelector('#strength').value = 0");
    browser.click("#begin");
    browser.wait_for("return /Your move/.test(document.querySelector('#status').innerText)");
    browser.screenshot("play-begun");
    let over = "return /wins|draw/.test(document.querySelector('#status').innerText)";
    let ready = "return /wins|draw/.test(document.querySelector('#status').innerText)
        || (/Your move/.test(document.querySelector('#status').innerText)
            && document.querySelectorAll('.cell.legal').length > 0)";
    for _ in 0..64 {
        browser.wait_for(ready);
        if browser.run(over) == true {
            break;
        }
        browser.run("document.querySelector('.cell.legal').click()");
    }
    browser.wait_for(over);
    browser.click("#review");
    browser.wait_for("return document.querySelector('#reviewed') !== null");
    assert!(browser.count(".graph .dot") > 20);
    browser.screenshot("play-reviewed");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_programs_of_the_papers_are_shown_and_one_is_played_against() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = server();
    browser.open(&server.url("/"));
    browser.click("nav [data-view=programs]");
    browser.wait_for("return document.querySelectorAll('#programs .program').length === 5");
    assert_eq!(browser.text("#programs .year"), "1981");
    assert_eq!(browser.text("#programs h2"), "IAGO");
    browser.screenshot("programs");
    browser.click("[data-player=keyano]");
    browser.wait_for("return document.querySelector('#opponent')?.value === 'keyano'");
    browser.wait_for_text("#idea", "1997. ");
    browser.click("#begin");
    browser.wait_for_text("#players", "KEYANO");
    // Another invitation does not end a game that is being played.
    browser.click("nav [data-view=programs]");
    browser.click("[data-player=iago]");
    browser.wait_for_text("#toast", "You are playing KEYANO");
    browser.wait_for_text("#players", "KEYANO");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_file_of_games_is_browsed_and_with_the_token_learned() {
    let Some(browser) = Browser::start(&Look::DESK) else {
        return;
    };
    let server = Server::with(&["--search-time", "1"], Some(TOKEN));
    let file = server.folder.path().join("club.ggf");
    fs::write(&file, games(42, 25, Format::Ggf)).unwrap();
    browser.open(&server.url("/"));
    browser.wait_for(LISTED);
    browser.type_into("#file", file.to_str().unwrap());
    browser.wait_for_text(".files .summary", "club.ggf: 25 games (GGF)");
    assert_eq!(browser.count("#games .game"), 25);
    browser.click("#games .game");
    browser.wait_for("return document.querySelectorAll('#path .ply').length > 40");
    browser.screenshot("explore-file");

    browser.open(&server.url("/grow"));
    browser.type_into("#token", TOKEN);
    browser.press(ENTER);
    browser.type_into("#learn-file", file.to_str().unwrap());
    browser.wait_for_text("#jobs", "25 games learned");
    browser.wait_for("return document.querySelectorAll('.columns rect').length > 0");
    browser.wait_for_text(".tiles", "425");
    assert!(browser.count("#gaps li") > 0);
    browser.screenshot("grow");
    assert_eq!(browser.complaints(), [""; 0]);
}
