//! Books that grow on many machines, with real NATS servers, real workers and real kills.
//!
//! Short by default; `EMILIA_CHAOS_SECONDS=60` and `EMILIA_LIARS=20` for the long ones.

#[path = "../shared/books.rs"]
mod books;
mod minds;
mod servers;

use books::{contents, json, sound, write_games};
use emilia::othello::Random;
use minds::{Behaviour, InProcess};
use servers::{
    Nats, Running, book_command, emilia, free_port, nats_server, status, wait_for, worker,
};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const LONG: Duration = Duration::from_secs(120);

fn number(variable: &str, otherwise: u64) -> u64 {
    let told = std::env::var(variable).ok();
    told.map_or(otherwise, |told| told.parse().expect("a number"))
}

fn games() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_games(&folder, "games.txt", 3, 40);
    write_games(&folder, "others.txt", 4, 12);
    folder
}

const BUILD: [&str; 6] = ["build", "games.txt", "--plies", "22", "--level", "4"];

/// All rows of a book.
type Contents = Vec<(Vec<u8>, Vec<u8>)>;

/// The book that this machine builds by itself.
fn undisturbed(arguments: &[&str]) -> (TempDir, Contents) {
    let folder = games();
    books::book(&folder, arguments).assert().success();
    let expected = contents(&folder);
    (folder, expected)
}

/// Until a worker that then rests has answered as much as it does before.
fn wait_for_answers(worker: &InProcess) {
    let until = Instant::now() + LONG;
    while !worker.rests() {
        assert!(Instant::now() < until, "nobody is asked");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a book command through a cluster.
fn through(folder: &TempDir, url: &str, arguments: &[&str]) {
    let arguments = [arguments, &["--cluster", url]].concat();
    let mut running = Running::start(&mut book_command(folder, &arguments));
    let (status, said) = running.ended(LONG);
    assert!(status.success(), "{arguments:?}: {said}");
}

#[test]
fn whatever_asks_gets_from_workers_what_this_machine_would_find() {
    let nats = Nats::start();
    let _workers = [worker(nats.url(), "north"), worker(nats.url(), "south")];
    let (alone, shared) = (games(), games());
    let commands: [&[&str]; 6] = [
        &BUILD,
        // Endings are corrected where games are learned so far.
        &[
            "build",
            "others.txt",
            "--plies",
            "50",
            "--level",
            "2",
            "--correct",
            "12",
            "--widen",
        ],
        &["learn", "f5d6c3d3c4f4f6f3e6", "--level", "3"],
        &["deepen", "--level", "5"],
        &["deviate", "1", "2", "--level", "3", "--positions", "60"],
        &["play-out", "--level", "2"],
    ];
    for arguments in commands {
        books::book(&alone, arguments).assert().success();
        through(&shared, nats.url(), arguments);
        assert!(contents(&alone) == contents(&shared), "{arguments:?}");
    }
    sound(&shared);
    let audit = ["audit", "--positions", "20", "--level", "4", "--json"];
    let own = json(&mut books::book(&alone, &audit));
    let theirs = [&audit[..], &["--cluster", nats.url()]].concat();
    assert_eq!(own, json(&mut books::book(&shared, &theirs)));

    let seen = status(nats.url());
    assert_eq!(seen["workers"].as_array().unwrap().len(), 2);
    let figures = &seen["books"][0]["figures"];
    assert_eq!((&figures["open"], &figures["dead"]), (&0.into(), &0.into()));
    assert_eq!(seen["queue"]["waiting"], 0);
    assert_eq!(seen["quarantined"].as_array().unwrap().len(), 0);
}

#[test]
fn one_thread_elsewhere_grows_a_book_as_one_thread_here_does() {
    let nats = Nats::start();
    let _worker = worker(nats.url(), "only");
    let (alone, shared) = (games(), games());
    for folder in [&alone, &shared] {
        books::book(folder, &BUILD).assert().success();
    }
    let expand = ["expand", "--positions", "40", "--level", "3"];
    let here = [&expand[..], &["--threads", "1"]].concat();
    books::book(&alone, &here).assert().success();
    through(&shared, nats.url(), &expand);
    assert!(contents(&alone) == contents(&shared));
    sound(&shared);
}

/// Kills workers, the coordinator and the server at random for a while, then lets it end.
#[test]
fn whoever_is_killed_the_book_is_the_one_of_an_undisturbed_run() {
    let seconds = number("EMILIA_CHAOS_SECONDS", 12);
    let level = if seconds > 30 { "7" } else { "5" };
    let build = ["build", "games.txt", "--plies", "26", "--level", level];
    let (_alone, expected) = undisturbed(&build);
    let mut nats = Nats::start();
    let url = nats.url().to_owned();
    let folder = games();
    let arguments = [&build[..], &["--cluster", &url]].concat();
    let start = || Running::start(&mut book_command(&folder, &arguments));
    let mut coordinator = start();
    // However fast the machine is, one coordinator dies in the middle of its work.
    let first = InProcess::start(&url, "first", Behaviour::RestsAfter { answers: 20 });
    wait_for_answers(&first);
    assert!(coordinator.has_ended().is_none());
    coordinator.kill();
    drop(first);
    coordinator = start();
    let name = |place: usize| format!("worker-{place}");
    let mut workers: Vec<Running> = (0..4).map(|place| worker(&url, &name(place))).collect();
    let mut random = Random::new(number("EMILIA_CHAOS_SEED", 5));
    let until = Instant::now() + Duration::from_secs(seconds);
    // Of workers, of coordinators, of the server.
    let (mut kills, mut finished) = ([0; 3], 0);
    while Instant::now() < until {
        std::thread::sleep(Duration::from_millis(100 + random.below(900)));
        match random.below(6) {
            0..=2 => {
                let place = random.below(4) as usize;
                workers[place].kill();
                // A name is free again when its last sign of life is old enough.
                kills[0] += 1;
                workers[place] = worker(&url, &format!("{}-{}", name(place), kills[0]));
            }
            3 | 4 => {
                kills[1] += 1;
                coordinator.kill();
                coordinator = start();
            }
            _ => {
                nats.kill();
                kills[2] += 1;
                std::thread::sleep(Duration::from_millis(random.below(800)));
                nats.restart();
            }
        }
        if let Some(status) = coordinator.has_ended() {
            // It gave up while the server was away, or has done it all: the same again.
            finished += u32::from(status.success());
            coordinator = start();
        }
    }
    let (status, said) = coordinator.ended(LONG);
    assert!(status.success(), "{said}");
    assert!(kills.iter().sum::<u64>() >= 5, "{kills:?}");
    let left = sound(&folder);
    assert_eq!((&left["waiting"], &left["wanted"]), (&0.into(), &0.into()));
    assert!(
        contents(&folder) == expected,
        "{kills:?}, {finished} times through"
    );
}

#[test]
fn a_worker_that_answers_nonsense_is_found_out_and_leaves_no_trace() {
    let build = ["build", "games.txt", "--plies", "30", "--level", "2"];
    let (_alone, expected) = undisturbed(&build);
    for run in 0..number("EMILIA_LIARS", 2) {
        let nats = Nats::start();
        let liar = InProcess::start(
            nats.url(),
            "liar",
            Behaviour::Lies {
                one_in: 10,
                seed: run,
            },
        );
        let _honest = [worker(nats.url(), "anna"), worker(nats.url(), "berta")];
        let folder = games();
        through(&folder, nats.url(), &build);
        let seen = status(nats.url());
        assert_eq!(seen["quarantined"][0]["worker"], "liar", "{seen}");
        let answers = seen["quarantined"][0]["answers"].as_u64().unwrap();
        assert!((1..=1000).contains(&answers), "found out after {answers}");
        eprintln!(
            "found out after {answers} answers; {} were searched",
            liar.answers()
        );
        let reason = liar.ended().unwrap_err().to_string();
        assert!(reason.contains("quarantined"), "{reason}");
        assert!(contents(&folder) == expected, "run {run}");
        sound(&folder);
        // It is not let in again, until it is pardoned.
        let mut again = worker(nats.url(), "liar");
        assert!(!again.ended(LONG).0.success());
        let pardon = ["cluster", "pardon", "liar", "--cluster", nats.url()];
        assert!(emilia().args(pardon).status().unwrap().success());
        let mut again = worker(nats.url(), "liar");
        std::thread::sleep(Duration::from_millis(500));
        assert!(again.has_ended().is_none());
    }
}

#[test]
fn a_worker_alone_is_found_out_too() {
    let build = ["build", "games.txt", "--plies", "14", "--level", "2"];
    let (_alone, expected) = undisturbed(&build);
    let nats = Nats::start();
    let _liar = InProcess::start(nats.url(), "liar", Behaviour::Lies { one_in: 3, seed: 1 });
    let folder = games();
    let arguments = [&build[..], &["--cluster", nats.url()]].concat();
    let mut coordinator = Running::start(&mut book_command(&folder, &arguments));
    let until = Instant::now() + LONG;
    while status(nats.url())["quarantined"][0].is_null() {
        assert!(Instant::now() < until, "it is not found out");
        std::thread::sleep(Duration::from_millis(100));
    }
    let _honest = worker(nats.url(), "anna");
    assert!(coordinator.ended(LONG).0.success());
    assert!(contents(&folder) == expected);
}

#[test]
fn a_question_that_breaks_whoever_tries_it_is_given_up_and_named() {
    let nats = Nats::start();
    let _worker = InProcess::start(
        nats.url(),
        "brittle",
        Behaviour::BreaksOnLeavesOf { one_in: 20 },
    );
    let folder = games();
    let build = [
        "build",
        "games.txt",
        "--plies",
        "22",
        "--level",
        "2",
        "--cluster",
        nats.url(),
    ];
    let (ended, said) = Running::start(&mut book_command(&folder, &build)).ended(LONG);
    assert!(!ended.success());
    assert!(
        said.contains("given up after 8 tries: the search broke"),
        "{said}"
    );
    assert!(said.contains("still wanted"), "{said}");
    let seen = status(nats.url());
    let dead = seen["dead"].as_array().unwrap();
    assert!(
        !dead.is_empty() && dead[0]["reason"].as_str().unwrap().contains("brittle"),
        "{seen}"
    );
    assert_eq!(seen["books"][0]["figures"]["dead"], dead.len());
    // A healthy worker and the same command: nothing is left of it.
    drop(_worker);
    let _healthy = worker(nats.url(), "healthy");
    through(&folder, nats.url(), &build[..6]);
    let (_alone, expected) = undisturbed(&build[..6]);
    assert!(contents(&folder) == expected);
}

#[test]
fn a_worker_with_another_engine_gets_no_work_and_is_told_why() {
    let nats = Nats::start();
    let other = InProcess::start(nats.url(), "older", Behaviour::OtherEngine);
    let folder = games();
    let arguments = [&BUILD[..], &["--time", "6", "--cluster", nats.url()]].concat();
    let (ended, said) = Running::start(&mut book_command(&folder, &arguments)).ended(LONG);
    assert!(ended.success(), "{said}");
    assert_eq!(other.answers(), 0);
    assert!(
        books::book(&folder, &["stats"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let seen = status(nats.url());
    assert_ne!(seen["workers"][0]["engine"], seen["books"][0]["engine"]);
}

#[test]
fn what_is_no_message_of_ours_is_refused_and_counted() {
    let nats = Nats::start();
    let folder = games();
    let arguments = [&BUILD[..], &["--cluster", nats.url()]].concat();
    let mut coordinator = Running::start(&mut book_command(&folder, &arguments));
    let until = Instant::now() + LONG;
    let book = loop {
        let seen = status(nats.url());
        if let Some(book) = seen["books"][0]["id"].as_str() {
            break (
                book.to_owned(),
                seen["books"][0]["engine"].as_str().unwrap().to_owned(),
            );
        }
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    };
    minds::publish(
        nats.url(),
        &[
            (format!("emilia.1.answer.{}", book.0), b"nonsense".to_vec()),
            (format!("emilia.1.answer.{}", book.0), vec![1; 900_000]),
            (format!("emilia.1.answer.{}", book.0), Vec::new()),
            (
                format!("emilia.1.ask.{}.{}", book.1, book.0),
                b"nonsense".to_vec(),
            ),
        ],
    );
    let _worker = worker(nats.url(), "north");
    assert!(coordinator.ended(LONG).0.success());
    let seen = status(nats.url());
    assert_eq!(seen["books"][0]["figures"]["refused"], 3, "{seen}");
    // The worker tells it with its next sign of life.
    while status(nats.url())["workers"][0]["refused"] != 1 {
        assert!(Instant::now() < until, "{seen}");
        std::thread::sleep(Duration::from_millis(200));
    }
    let (_alone, expected) = undisturbed(&BUILD);
    assert!(contents(&folder) == expected);
}

#[test]
fn answers_that_come_while_nobody_is_there_are_used() {
    let nats = Nats::start();
    let folder = games();
    let build = ["build", "games.txt", "--plies", "24", "--level", "3"];
    let arguments = [&build[..], &["--cluster", nats.url()]].concat();
    let mut coordinator = Running::start(&mut book_command(&folder, &arguments));
    let until = Instant::now() + LONG;
    while status(nats.url())["queue"]["waiting"].as_u64().unwrap() == 0 {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
    coordinator.kill();
    let north = worker(nats.url(), "north");
    while status(nats.url())["queue"]["answers"].as_u64().unwrap() == 0 {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
    // All that waited is answered; then nobody is left who could answer it again.
    while status(nats.url())["queue"]["in_flight"] != 0
        || status(nats.url())["queue"]["waiting"] != 0
    {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(north);
    let mut south = worker(nats.url(), "south");
    through(&folder, nats.url(), &build);
    // Its last words count all that it answered.
    south.interrupt();
    assert_eq!(south.ended(LONG).0.code(), Some(130));
    let seen = status(nats.url());
    let figures = &seen["books"][0]["figures"];
    let south = seen["workers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "south");
    let south = south.unwrap()["answered"].as_u64().unwrap();
    let answered = figures["answered"].as_u64().unwrap();
    assert!(south < answered, "{south} of {answered}: {seen}");
    let (_alone, expected) = undisturbed(&build);
    assert!(contents(&folder) == expected);
}

#[test]
fn a_server_that_can_keep_little_slows_it_down_and_loses_nothing() {
    let nats = Nats::start();
    let setup = ["cluster", "setup", "--size", "1", "--cluster", nats.url()];
    assert!(emilia().args(setup).status().unwrap().success());
    let folder = games();
    let arguments = [&BUILD[..], &["--cluster", nats.url()]].concat();
    let mut coordinator = Running::start(&mut book_command(&folder, &arguments));
    // As if another book had filled it.
    minds::fill(nats.url(), "emilia.1.ask.nobody.nothing");
    std::thread::sleep(Duration::from_secs(1));
    assert!(coordinator.has_ended().is_none());
    minds::purge(nats.url(), "emilia.1.ask.nobody.nothing");
    let _worker = worker(nats.url(), "north");
    assert!(coordinator.ended(LONG).0.success());
    let (_alone, expected) = undisturbed(&BUILD);
    assert!(contents(&folder) == expected);
}

#[test]
fn a_server_that_lost_its_disk_is_filled_again() {
    let mut nats = Nats::start();
    let folder = games();
    let arguments = [&BUILD[..], &["--cluster", nats.url()]].concat();
    let mut coordinator = Running::start(&mut book_command(&folder, &arguments));
    let until = Instant::now() + LONG;
    while status(nats.url())["queue"]["waiting"].as_u64().unwrap() == 0 {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
    nats.kill();
    std::fs::remove_dir_all(nats.folder.path().join("js")).unwrap();
    nats.restart();
    let _worker = worker(nats.url(), "north");
    assert!(coordinator.ended(LONG).0.success());
    let (_alone, expected) = undisturbed(&BUILD);
    assert!(contents(&folder) == expected);
}

#[test]
fn ctrl_c_lets_a_worker_finish_and_give_back() {
    let nats = Nats::start();
    let folder = games();
    let build = ["build", "games.txt", "--plies", "24", "--level", "6"];
    let arguments = [&build[..], &["--cluster", nats.url()]].concat();
    let mut north = worker(nats.url(), "north");
    let mut coordinator = Running::start(&mut book_command(&folder, &arguments));
    let until = Instant::now() + LONG;
    while status(nats.url())["workers"][0]["in_hand"].as_u64() == Some(0) {
        assert!(Instant::now() < until);
    }
    let began = Instant::now();
    north.interrupt();
    assert_eq!(north.ended(LONG).0.code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(20));
    let seen = status(nats.url());
    assert_eq!(seen["queue"]["in_flight"], 0, "{seen}");
    let _south = worker(nats.url(), "south");
    assert!(coordinator.ended(LONG).0.success());
    let (_alone, expected) = undisturbed(&build);
    assert!(contents(&folder) == expected);
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let said = |arguments: &[&str]| {
        let output = emilia()
            .args(arguments)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert!(!output.status.success());
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, text) = said(&["worker"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("--cluster nats://HOST:4222"), "{text}");
    let (_, text) = said(&["cluster", "status", "--cluster", "http://x"]);
    assert!(text.contains("nats://HOST:PORT"), "{text}");
    let closed = format!("nats://127.0.0.1:{}", free_port());
    let (_, text) = said(&["cluster", "status", "--cluster", &closed]);
    assert!(text.contains("nats-server -js"), "{text}");

    let nats = Nats::start_with(&["--auth", "a-secret"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let status_with = |token: &str| {
        std::fs::write(&file, token).unwrap();
        let file = file.to_str().unwrap();
        let mut command = emilia();
        command.args([
            "cluster",
            "status",
            "--cluster",
            nats.url(),
            "--cluster-token-file",
            file,
        ]);
        command.status().unwrap()
    };
    assert!(status_with("a-secret\n").success());
    assert!(!status_with("a-guess").success());

    let nats = Nats::start();
    let setup = ["cluster", "setup", "--replicas", "3", "--cluster"];
    let (_, text) = said(&[&setup[..], &[nats.url()]].concat());
    assert!(
        text.contains("servers") || text.contains("replicas"),
        "{text}"
    );

    let nats = Nats::start();
    let _north = worker(nats.url(), "north");
    std::thread::sleep(Duration::from_millis(800));
    let arguments = ["worker", "--cluster", nats.url(), "--name"];
    let (_, text) = said(&[&arguments[..], &["north"]].concat());
    assert!(text.contains("another name with --name"), "{text}");
    let (_, text) = said(&[&arguments[..], &["a.b"]].concat());
    assert!(text.contains("letters, digits"), "{text}");
}

/// Three servers that keep everything three times.
#[test]
fn when_the_leader_of_three_servers_dies_the_work_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let ports: Vec<[u16; 2]> = (0..3).map(|_| [free_port(), free_port()]).collect();
    let routes: Vec<String> = ports
        .iter()
        .map(|[_, route]| format!("nats://127.0.0.1:{route}"))
        .collect();
    let start = |place: usize| {
        let [port, route] = ports[place];
        let mut command = nats_server();
        command
            .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js"])
            .args([
                "--server_name",
                &format!("n{place}"),
                "--cluster_name",
                "three",
            ])
            .args([
                "--cluster",
                &format!("nats://127.0.0.1:{route}"),
                "--routes",
                &routes.join(","),
            ])
            .arg("-sd")
            .arg(folder.path().join(format!("n{place}")))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Running::start(&mut command)
    };
    let mut servers: Vec<Running> = (0..3).map(start).collect();
    ports.iter().for_each(|[port, _]| wait_for(*port));
    let urls: Vec<String> = ports
        .iter()
        .map(|[port, _]| format!("nats://127.0.0.1:{port}"))
        .collect();
    let url = urls.join(",");
    let setup = ["cluster", "setup", "--replicas", "3", "--cluster", &url];
    let until = Instant::now() + LONG;
    // Until the three have found each other.
    while !emilia().args(setup).status().unwrap().success() {
        assert!(Instant::now() < until, "three servers do not come together");
        std::thread::sleep(Duration::from_millis(300));
    }
    let leader = minds::leader(&url).expect("a stream has a leader");
    let place: usize = leader.trim_start_matches('n').parse().unwrap();
    let (_alone, expected) = undisturbed(&BUILD);
    let games = games();
    let arguments = [&BUILD[..], &["--cluster", &url]].concat();
    let mut coordinator = Running::start(&mut book_command(&games, &arguments));
    // Nobody else works before the leader dies, so that it dies in the middle.
    let north = InProcess::start(&url, "north", Behaviour::RestsAfter { answers: 20 });
    wait_for_answers(&north);
    servers[place].kill();
    north.go_on();
    let _south = worker(&url, "south");
    let (ended, said) = coordinator.ended(LONG);
    assert!(ended.success(), "{said}");
    assert!(contents(&games) == expected);
}

const TOKEN: &str = "a-token-for-tests";

/// A server whose jobs are searched through a cluster, and its address.
fn serve(folder: &TempDir, url: &str) -> (Running, String) {
    let mut command = emilia();
    command
        .current_dir(folder.path())
        .env("EMILIA_TOKEN", TOKEN)
        .args([
            "serve",
            "--book",
            "b",
            "--listen",
            "127.0.0.1:0",
            "--cluster",
            url,
        ])
        .stdout(Stdio::piped());
    let mut server = Running::start(&mut command);
    let address = server.lines().next().unwrap().unwrap();
    (server, address.trim().trim_end_matches('/').to_owned())
}

#[test]
fn the_service_grows_its_book_through_workers_and_tells_of_them() {
    let nats = Nats::start();
    let _north = worker(nats.url(), "north");
    let folder = games();
    books::book(&folder, &BUILD).assert().success();
    let (_server, address) = serve(&folder, nats.url());
    let token = &format!("Bearer {TOKEN}");
    let get = |path: &str| -> String {
        let request = ureq::get(format!("{address}{path}")).header("authorization", token);
        request.call().unwrap().body_mut().read_to_string().unwrap()
    };
    let object = |path: &str| -> serde_json::Value { serde_json::from_str(&get(path)).unwrap() };
    let growth = serde_json::json!({ "positions": 30, "level": 3 });
    ureq::post(format!("{address}/api/expand"))
        .header("authorization", token)
        .send_json(&growth)
        .unwrap();
    let until = Instant::now() + LONG;
    loop {
        let job = &object("/api/jobs")["jobs"][0];
        match job["state"].as_str().unwrap() {
            "done" => break,
            "failed" | "stopped" => panic!("{job}"),
            _ => assert!(Instant::now() < until, "{job}"),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    // It is looked at every other second.
    let seen = loop {
        let seen = object("/api/cluster");
        if seen["books"][0]["figures"]["answered"].as_u64() >= Some(30) {
            break seen;
        }
        assert!(Instant::now() < until, "{seen}");
        std::thread::sleep(Duration::from_millis(300));
    };
    assert_eq!(seen["workers"][0]["name"], "north");
    assert_eq!(object("/api/stats")["cluster"], true);
    let counters = get("/metrics");
    for counter in [
        "workers\"} 1",
        "threads\"} 1",
        "quarantined\"} 0",
        "answered\"} ",
    ] {
        let line = format!("emilia_cluster{{count=\"{counter}");
        assert!(counters.contains(&line), "{line} is not in {counters}");
    }
    assert!(
        ureq::get(format!("{address}/api/cluster")).call().is_err(),
        "it needs the token"
    );
}

#[test]
fn the_page_shows_machines_that_come_and_work_and_go() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page");
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !there("node") || !there("chromium") || !scripts.join("node_modules").exists() {
        eprintln!("skipped: no node, no chromium or no puppeteer (tools/test installs them)");
        return;
    }
    let nats = Nats::start();
    let _north = worker(nats.url(), "north");
    let south = worker(nats.url(), "south");
    let folder = games();
    books::book(&folder, &BUILD).assert().success();
    let (_server, address) = serve(&folder, nats.url());
    let mut page = Running::start(
        Command::new("node")
            .arg("cluster.mjs")
            .args([address.as_str(), TOKEN])
            .current_dir(scripts)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    let mut lines = page.lines();
    let mut said = || lines.next().map(Result::unwrap);
    let seen = [said(), said()];
    south.interrupt();
    let last = said();
    let (status, trouble) = page.ended(LONG);
    assert!(status.success(), "{seen:?} {last:?} {trouble}");
    assert_eq!(seen.map(Option::unwrap), ["both", "worked"]);
    assert_eq!(last.as_deref(), Some("one"));
}

/// Debian's server moves past the questions of one book when those of another are purged.
#[test]
fn two_books_share_a_server_and_neither_waits_for_the_other() {
    let nats = Nats::start();
    let _workers = [worker(nats.url(), "north"), worker(nats.url(), "south")];
    let long = ["build", "games.txt", "--plies", "24", "--level", "7"];
    let short = ["build", "others.txt", "--plies", "12", "--level", "2"];
    let (first, second) = (games(), games());
    let arguments = [&long[..], &["--cluster", nats.url()]].concat();
    let mut coordinator = Running::start(&mut book_command(&first, &arguments));
    std::thread::sleep(Duration::from_millis(700));
    through(&second, nats.url(), &short);
    assert!(coordinator.ended(LONG).0.success());
    for (folder, arguments) in [(&first, &long), (&second, &short)] {
        assert!(
            contents(folder) == undisturbed(arguments).1,
            "{arguments:?}"
        );
    }
}

/// And after a kill it may hand out nothing any more, although its disk is whole.
#[test]
fn a_server_that_was_killed_between_two_commands_works_for_the_next() {
    let mut nats = Nats::start();
    let _worker = worker(nats.url(), "north");
    let folder = games();
    through(&folder, nats.url(), &BUILD);
    nats.kill();
    nats.restart();
    let deepen = ["deepen", "--level", "5"];
    through(&folder, nats.url(), &deepen);
    let (alone, _) = undisturbed(&BUILD);
    books::book(&alone, &deepen).assert().success();
    assert!(contents(&alone) == contents(&folder));
}

#[test]
fn user_and_password_in_the_address_open_the_door() {
    let nats = Nats::start_with(&["--user", "anna", "--pass", "a-secret"]);
    let with = |user: &str| {
        let url = nats.url().replace("nats://", &format!("nats://{user}@"));
        let status = ["cluster", "status", "--cluster", &url];
        let output = emilia()
            .args(status)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("secret"), "{said}");
        (output.status.success(), said)
    };
    assert!(with("anna:a-secret").0);
    let (is_in, said) = with("anna:a-guess-at-the-secret");
    assert!(
        !is_in && said.contains("does not let this program in"),
        "{said}"
    );
}
