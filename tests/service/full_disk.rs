//! A server whose disk is full says so, and learns again when there is room.

use super::server::{Answer, SERVE, Server, TOKEN, client, games, read};
use super::skips::skipped;
use emilia::games::Format;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// A server with its book on a disk of six megabytes, which grows by thirty when there is a file
/// `more`; none where nothing can be mounted.
fn on_a_small_disk() -> Option<Server> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("few.txt"),
        games(1, 3, Format::Transcript),
    )
    .unwrap();
    let script = "mkdir -p disk && mount -t tmpfs -o size=6m tmpfs disk || exit 9
        $EMILIA book build few.txt --level 0 --book disk/b >/dev/null || exit 8
        (until [ -e more ]; do sleep 0.05; done; mount -o remount,size=36m disk; touch grown) \\
            >/dev/null 2>&1 &
        exec $EMILIA \"$@\"";
    let in_name_space = |script: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["--map-root-user", "--mount", "sh", "-c", script, "sh"])
            .current_dir(folder.path())
            .env("EMILIA", env!("CARGO_BIN_EXE_emilia"));
        command
    };
    let mut may_mount = in_name_space("mkdir -p disk && mount -t tmpfs tmpfs disk");
    if !may_mount
        .output()
        .is_ok_and(|output| output.status.success())
    {
        skipped("no mounting here (unshare --map-root-user --mount)");
        return None;
    }
    let mut command = in_name_space(script);
    command.args(SERVE).arg("disk/b");
    Some(Server::of_command(command, folder, Some(TOKEN)))
}

fn ask(server: &Server, path: &str) -> Answer {
    let request = client().get(server.url(path));
    let request = request.header("authorization", format!("Bearer {TOKEN}"));
    read(request.call().unwrap())
}

fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < Duration::from_secs(60), "no {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How the newest job ended, and what it says.
fn outcome(server: &Server) -> (String, String) {
    let newest = || ask(server, "/api/v1/jobs").json()["jobs"][0].clone();
    wait_for("end of the job", || {
        !["waiting", "running"].contains(&newest()["state"].as_str().unwrap())
    });
    let job = newest();
    let text = |field: &str| job[field].as_str().unwrap().to_owned();
    (text("state"), text("message"))
}

#[test]
fn after_a_full_disk_a_server_learns_again_and_says_meanwhile_what_is_wrong() {
    let Some(server) = on_a_small_disk() else {
        return;
    };
    assert_eq!(server.get("/ready").status, 200);
    let file = games(7, 3000, Format::Transcript);
    let learn = || {
        server.upload(
            "/api/v1/games?level=0&correct=0&name=x.txt",
            &file,
            Some(TOKEN),
        )
    };
    assert_eq!(learn().status, 202);
    let (state, message) = outcome(&server);
    assert_eq!(state, "failed", "{message}");
    assert!(message.contains("is full; make room"), "{message}");
    let told = server.get("/ready");
    assert_eq!((told.status, told.code()), (503, "not_ready".into()));
    assert!(told.text.contains("is full: make room"), "{}", told.text);
    let refused = learn();
    assert_eq!((refused.status, refused.code()), (503, "not_ready".into()));
    // What is there can still be asked for.
    assert_eq!(server.get("/api/v1/position").status, 200);

    fs::write(server.folder.path().join("more"), "").unwrap();
    let grown = server.folder.path().join("grown");
    wait_for("room", || grown.exists());
    wait_for("readiness", || server.get("/ready").status == 200);
    assert_eq!(learn().status, 202);
    let (state, message) = outcome(&server);
    assert_eq!(state, "done", "{message}");
}
