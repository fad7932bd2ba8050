//! Real NATS servers, workers and coordinators, each killed when it is dropped.

use assert_cmd::cargo::CommandCargoExt;
use std::io::{BufRead, BufReader, Lines, Read};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// `tools/test` installs it.
pub fn nats_server() -> Command {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&paths).collect();
    places.push("/usr/sbin".into());
    let found = places.iter().map(|place| place.join("nats-server"));
    let program = found.into_iter().find(|path| path.exists());
    Command::new(program.expect("nats-server is there: tools/test installs it"))
}

/// A port that nobody listens on and that the system gives to nobody by itself (it takes those from
/// 32768 on): the server must still find it free when it starts, and when it starts again after a kill.
pub fn free_port() -> u16 {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let mut ports = std::iter::repeat_with(|| {
        // Each process begins somewhere else.
        let number = std::process::id() * 16 + TRIED.fetch_add(1, Relaxed);
        10_000 + (number % 20_000) as u16
    });
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.find(is_free).unwrap()
}

/// A program that is killed in the end.
pub struct Running(Child);

impl Running {
    pub fn start(command: &mut Command) -> Running {
        Running(command.spawn().unwrap())
    }

    /// SIGKILL: nothing can be cleaned up.
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// SIGINT, as Ctrl-C sends it.
    pub fn interrupt(&self) {
        let pid = self.0.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// What it prints, where standard output is a pipe.
    pub fn lines(&mut self) -> Lines<BufReader<ChildStdout>> {
        let stdout = self.0.stdout.take().expect("standard output is a pipe");
        BufReader::new(stdout).lines()
    }

    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().unwrap()
    }

    /// Waits for the end, and what was said on standard error if that is a pipe.
    pub fn ended(&mut self, within: Duration) -> (ExitStatus, String) {
        let until = Instant::now() + within;
        loop {
            if let Some(status) = self.has_ended() {
                let mut said = String::new();
                if let Some(mut stderr) = self.0.stderr.take() {
                    stderr.read_to_string(&mut said).unwrap();
                }
                return (status, said);
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A NATS server with JetStream in a folder of its own, which outlives it.
pub struct Nats {
    pub folder: TempDir,
    port: u16,
    url: String,
    arguments: Vec<String>,
    running: Option<Running>,
}

impl Nats {
    pub fn start() -> Nats {
        Nats::start_with(&[])
    }

    pub fn start_with(arguments: &[&str]) -> Nats {
        let port = free_port();
        let mut nats = Nats {
            folder: tempfile::tempdir().unwrap(),
            port,
            url: format!("nats://127.0.0.1:{port}"),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            running: None,
        };
        nats.restart();
        nats
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn kill(&mut self) {
        self.running = None;
    }

    pub fn restart(&mut self) {
        let mut command = nats_server();
        command
            .args([
                "-a",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-js",
                "-sd",
            ])
            .arg(self.folder.path().join("js"))
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.running = Some(Running::start(&mut command));
        wait_for(self.port);
    }
}

pub fn wait_for(port: u16) {
    let until = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "the NATS server does not come up");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn emilia() -> Command {
    let mut command = Command::cargo_bin("emilia").unwrap();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// `emilia worker` with one thread.
pub fn worker(url: &str, name: &str) -> Running {
    let mut command = emilia();
    command.args(["worker", "--cluster", url, "--threads", "1", "--name", name]);
    Running::start(&mut command)
}

/// `emilia book ARGUMENTS` in a folder, with the book in `b`.
pub fn book_command(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = emilia();
    command
        .current_dir(folder.path())
        .env("EMILIA_BOOK", "b")
        .arg("book")
        .args(arguments)
        .stderr(Stdio::piped());
    command
}

/// What `emilia cluster status --json` says.
pub fn status(url: &str) -> serde_json::Value {
    let output = Command::cargo_bin("emilia")
        .unwrap()
        .args(["cluster", "status", "--json", "--cluster", url])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap()
}
