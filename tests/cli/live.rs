//! Readers beside a process that writes: the commands that read, and a server without a token,
//! follow a builder that is at work all the time, is killed and starts again. None of them ever
//! sees an error or half a state, and the server shows what is new within two seconds.
//!
//! It lasts `EMILIA_LIVE_SECONDS` (6); with `--nocapture` the figures are told.

use crate::books::write_games;
use crate::server::Server;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What was written is shown by then.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);

fn emilia(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command
        .current_dir(folder)
        .env("EMILIA_BOOK", "book")
        .env_remove("EMILIA_TOKEN");
    command
}

/// What the readers and the writer know of each other.
#[derive(Default)]
struct Scene {
    is_over: AtomicBool,
    /// How many games the book had, each time that the builder told it.
    told: Mutex<Vec<(Instant, u64)>>,
}

impl Scene {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Relaxed)
    }

    /// The games that must be shown in an answer to what was asked then.
    fn known_at(&self, time: Instant) -> u64 {
        let told = self.told.lock().unwrap();
        let before = told.iter().take_while(|(at, _)| *at + SHOWN_WITHIN <= time);
        before.last().map_or(0, |(_, games)| *games)
    }

    /// When the builder had told of so many games, if it has.
    fn told_at(&self, games: u64) -> Option<Instant> {
        let told = self.told.lock().unwrap();
        let first = told.iter().find(|(_, so_far)| *so_far >= games);
        first.map(|(at, _)| *at)
    }
}

fn start_build(folder: &Path, games: &str) -> Child {
    emilia(folder)
        .args(["book", "build", games, "--json", "--batch", "100"])
        .args(["--level", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Builds of new games one after the other; one is killed, and after one everything is rewritten.
fn build_all_the_time(server: &Server, scene: &Scene) {
    let folder = &server.folder;
    let mut games = games_shown(server);
    for seed in 100.. {
        if !scene.goes_on() {
            return;
        }
        let name = format!("games-{seed}.txt");
        write_games(folder, &name, seed, 2000);
        let mut build = start_build(folder.path(), &name);
        let lines = BufReader::new(build.stdout.take().unwrap()).lines();
        let before = games;
        for (number, line) in lines.map_while(Result::ok).enumerate() {
            // A line that a kill cut in two is none.
            let line: Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(written) = line["written"]["games"].as_u64() {
                games = before + written;
                scene.told.lock().unwrap().push((Instant::now(), games));
            }
            if seed % 3 == 0 && number == 9 || !scene.goes_on() {
                build.kill().unwrap();
            }
        }
        let ended = build.wait().unwrap();
        if seed % 3 == 0 {
            // A batch may have been written just before the report was cut off.
            games = exact_games(folder.path());
        } else {
            assert!(ended.success() || !scene.goes_on(), "{ended}");
        }
        if seed % 3 == 1 {
            let compact = emilia(folder.path()).args(["book", "compact"]).output();
            assert!(compact.unwrap().status.success());
        }
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
}

/// The games of the book, as a command counts them.
fn exact_games(folder: &Path) -> u64 {
    let output = emilia(folder).args(["book", "query", "--json"]).output();
    let said = output.unwrap().stdout;
    let answer: Value = serde_json::from_slice(&said).unwrap();
    answer["statistics"]["games"].as_u64().unwrap()
}

fn games_shown(server: &Server) -> u64 {
    let answer = server.get("/api/position");
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["statistics"]["games"].as_u64().unwrap()
}

/// Runs a command again and again; how often.
fn run_again_and_again(folder: &Path, arguments: &[&str], scene: &Scene) -> u64 {
    let mut runs = 0;
    while scene.goes_on() {
        let output = emilia(folder).arg("book").args(arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{arguments:?}: {told}{said}");
        runs += 1;
    }
    runs
}

/// Asks the server again and again; how often, and how late it showed what was new.
fn ask_again_and_again(server: &Server, scene: &Scene) -> (u64, Duration) {
    let (mut asked, mut latest) = (0, Duration::ZERO);
    let mut shown = games_shown(server);
    while scene.goes_on() {
        let time = Instant::now();
        let games = games_shown(server);
        let known = scene.known_at(time);
        assert!(games >= known, "{games} are shown, {known} were known");
        assert!(games >= shown, "{games} are shown after {shown}");
        if games > shown
            && let Some(told) = scene.told_at(shown + 1)
        {
            latest = latest.max(told.elapsed());
        }
        shown = games;
        for path in [
            "/api/stats",
            "/api/position?moves=f5d6c3&ways=true",
            "/metrics",
        ] {
            let answer = server.get(path);
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        }
        asked += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
    (asked, latest)
}

#[test]
fn readers_follow_a_builder_and_never_see_an_error() {
    let seconds = std::env::var("EMILIA_LIVE_SECONDS").map_or(6, |text| text.parse().unwrap());
    let server = Server::start();
    let folder = server.folder.path();
    let scene = Scene::default();
    let began = games_shown(&server);
    let runs = [const { AtomicU64::new(0) }; 4];
    let commands: [&[&str]; 4] = [
        &["query", "f5d6"],
        &["export", "-o", "copy.emb", "--force"],
        &["check"],
        &["stats"],
    ];
    std::thread::scope(|scope| {
        // Whoever panics ends it for all.
        struct Over<'a>(&'a AtomicBool);
        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.store(true, Relaxed);
            }
        }
        let (scene, server) = (&scene, &server);
        let asking = scope.spawn(move || {
            let _over = Over(&scene.is_over);
            ask_again_and_again(server, scene)
        });
        for (arguments, runs) in commands.iter().zip(&runs) {
            scope.spawn(move || {
                let _over = Over(&scene.is_over);
                runs.store(run_again_and_again(folder, arguments, scene), Relaxed);
            });
        }
        scope.spawn(move || {
            let _over = Over(&scene.is_over);
            build_all_the_time(server, scene);
        });
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end && scene.goes_on() {
            std::thread::sleep(Duration::from_millis(50));
        }
        scene.is_over.store(true, Relaxed);
        let (asked, latest) = asking.join().unwrap();
        eprintln!("the server was asked {asked} times; news were shown after {latest:?} at most");
    });
    for (arguments, runs) in commands.iter().zip(&runs) {
        eprintln!("{} ran {} times", arguments[0], runs.load(Relaxed));
    }
    let log = server.log();
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
    let (exact, until) = (
        exact_games(folder),
        Instant::now() + Duration::from_secs(20),
    );
    let mut shown = games_shown(&server);
    while shown != exact {
        assert!(Instant::now() < until, "{shown} games are shown of {exact}");
        std::thread::sleep(Duration::from_millis(100));
        shown = games_shown(&server);
    }
    eprintln!("{began} games became {shown}");
    assert!(shown > began);
}
