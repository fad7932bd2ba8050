//! The real server, `emilia serve`, on a free port with a book of its own.

use emilia::games::{Format, GameWriter, SampleGames};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Cursor};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const TOKEN: &str = "a-token-for-tests";

/// Serves the book that is named behind it.
pub const SERVE: [&str; 6] = ["serve", "--listen", "127.0.0.1:0", "--hash", "4", "--book"];

/// A running server; it is killed when this is dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    pub folder: TempDir,
}

/// How a request was answered.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(header, _)| header == name)
            .map(|(_, value)| value.as_str())
    }

    /// The code of an error, which must be one.
    pub fn code(&self) -> String {
        assert!(self.status >= 400, "{}: {}", self.status, self.text);
        let body = self.json();
        let error = &body["error"];
        assert!(error["message"].as_str().is_some_and(|m| m.len() > 5));
        error["code"].as_str().unwrap().to_owned()
    }
}

pub fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("book/games")
}

/// A collection of its own for each seed.
pub fn games(seed: u64, count: usize, format: Format) -> Vec<u8> {
    let mut writer = GameWriter::new(format, Cursor::new(Vec::new())).unwrap();
    for game in SampleGames::new(seed).take(count) {
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap().0.into_inner()
}

impl Server {
    /// With the sample games in its book, read only.
    pub fn start() -> Server {
        Server::with(&[], None)
    }

    /// The same with a token.
    pub fn with_token() -> Server {
        Server::with(&[], Some(TOKEN))
    }

    pub fn with(arguments: &[&str], token: Option<&str>) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("book");
        let built = emilia()
            .args(["book", "build", "--plies", "30", "--level", "0", "--book"])
            .arg(&book)
            .arg(samples().join("sample.wtb"))
            .arg(samples().join("sample.txt"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{built:?}");
        Server::in_folder(folder, arguments, token)
    }

    /// With the book of a folder, which is `book` in it.
    pub fn in_folder(folder: TempDir, arguments: &[&str], token: Option<&str>) -> Server {
        let mut command = emilia();
        command
            .args(SERVE)
            .arg(folder.path().join("book"))
            .args(arguments)
            // What it keeps for a while is its own.
            .env("TMPDIR", folder.path());
        Server::of_command(command, folder, token)
    }

    /// A command that becomes a server.
    pub fn of_command(mut command: Command, folder: TempDir, token: Option<&str>) -> Server {
        command
            .env_remove("EMILIA_TOKEN")
            .stdout(Stdio::piped())
            .stderr(fs::File::create(folder.path().join("log")).unwrap());
        if let Some(token) = token {
            command.env("EMILIA_TOKEN", token);
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let address = address
            .parse()
            .unwrap_or_else(|_| panic!("no address in {line:?}"));
        Server {
            child,
            address,
            folder,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn get(&self, path: &str) -> Answer {
        read(client().get(self.url(path)).call().unwrap())
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        read(client().post(self.url(path)).send_json(body).unwrap())
    }

    pub fn upload(&self, path: &str, body: &[u8], token: Option<&str>) -> Answer {
        let mut request = client().post(self.url(path));
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        read(request.send(body).unwrap())
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// What Ctrl-C does.
    pub fn interrupt(&self) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
    }

    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let began = Instant::now();
        while began.elapsed() < limit {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn emilia() -> Command {
    Command::new(env!("CARGO_BIN_EXE_emilia"))
}

/// Errors of the server are answers, too.
pub fn client() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(60)))
        .build()
        .into()
}

pub fn read(mut response: ureq::http::Response<ureq::Body>) -> Answer {
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    Answer {
        status: response.status().as_u16(),
        headers,
        text: response.body_mut().read_to_string().unwrap(),
    }
}
