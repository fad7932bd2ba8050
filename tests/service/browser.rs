//! A real browser: Debian's Chromium without a window, told what to do through its WebDriver.
//!
//! By hand: it is a dozen requests over the client that the tests have anyway, and the crates for
//! it would bring an asynchronous one of their own, but not what DevTools are asked for here.
//!
//! The ways of people are driven by puppeteer in `tests/page`; here are tests that compare what the
//! page answers with what the program and its server do, and so are written where these are.

use super::skips::skipped;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything on the page may take to appear; the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(30);
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub struct Browser {
    driver: Child,
    session: String,
    agent: ureq::Agent,
    _profile: TempDir,
}

/// How the page is looked at.
pub struct Look {
    pub width: u32,
    pub height: u32,
    pub dark: bool,
}

impl Look {
    pub const DESK: Look = Look {
        width: 1280,
        height: 900,
        dark: false,
    };
}

impl Browser {
    /// None, with a word on why, where there is no browser.
    pub fn start(look: &Look) -> Option<Browser> {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            skipped(
                "no chromedriver; install Debian's chromium and chromium-driver \
                 (tools/test does)",
            );
            return None;
        };
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port: u16 = lines
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, rest) = line.split_once("successfully on port ")?;
                rest.trim_end_matches('.').parse().ok()
            })
            .expect("chromedriver tells its port");
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .build()
            .into();
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Browser {
            driver,
            session: format!("http://127.0.0.1:{port}/session"),
            agent,
            _profile: profile,
        };
        let mut arguments = vec![
            "--headless=new".to_owned(),
            // Containers run as root and have little shared memory.
            "--no-sandbox".into(),
            "--disable-dev-shm-usage".into(),
            "--disable-gpu".into(),
            "--hide-scrollbars".into(),
            format!("--user-data-dir={}", browser._profile.path().display()),
            format!("--window-size={},{}", look.width, look.height),
        ];
        if look.dark {
            arguments.push("--force-dark-mode".into());
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }}});
        let session = browser.call("POST", "", &wanted);
        let id = session["sessionId"].as_str().expect("a session");
        browser.session = format!("{}/{id}", browser.session);
        // The window's size is not the page's: a phone is narrower than any window may be.
        browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": look.width, "height": look.height, "deviceScaleFactor": 1,
                     "mobile": look.width < 600 }),
        );
        Some(browser)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let address = format!("{}{path}", self.session);
        let response = match method {
            "GET" => self.agent.get(&address).call(),
            "DELETE" => self.agent.delete(&address).call(),
            _ => self.agent.post(&address).send_json(body),
        };
        let text = response.unwrap().body_mut().read_to_string().unwrap();
        let mut answer: Value = serde_json::from_str(&text).unwrap();
        let value = answer["value"].take();
        assert!(
            value.get("error").is_none(),
            "{method} {path} {body}: {value}"
        );
        value
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.call("POST", "/goog/cdp/execute", &body)
    }

    pub fn open(&self, address: &str) {
        self.call("POST", "/url", &json!({ "url": address }));
    }

    pub fn reload(&self) {
        self.call("POST", "/refresh", &json!({}));
    }

    /// What a script of the page returns.
    pub fn run(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] });
        self.call("POST", "/execute/sync", &body)
    }

    /// What the body of an asynchronous function of the page returns; it may search for a while.
    pub fn promised(&self, body: &str) -> Value {
        self.run(&format!(
            "window.promised = null;
             (async () => {{ {body} }})().then(
                 (value) => {{ window.promised = {{ value }}; }},
                 (error) => {{ window.promised = {{ error: String(error?.stack ?? error) }}; }});"
        ));
        let began = Instant::now();
        loop {
            let answer = self.run("return window.promised");
            assert!(answer["error"].is_null(), "{answer}\n{body}");
            if !answer.is_null() {
                return answer["value"].clone();
            }
            assert!(began.elapsed() < 4 * PATIENCE, "no answer: {body}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn address(&self) -> String {
        self.run("return location.href")
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn element(&self, selector: &str) -> String {
        self.wait_for(&format!("return !!document.querySelector({selector:?})"));
        let found = json!({ "using": "css selector", "value": selector });
        let element = self.call("POST", "/element", &found);
        element[ELEMENT].as_str().unwrap().to_owned()
    }

    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.call("POST", &format!("/element/{element}/click"), &json!({}));
    }

    pub fn count(&self, selector: &str) -> u64 {
        let script = format!("return document.querySelectorAll({selector:?}).length");
        self.run(&script).as_u64().unwrap()
    }

    /// Waits until a script returns something true.
    pub fn wait_for(&self, script: &str) {
        let began = Instant::now();
        while self.run(script) != json!(true) {
            if began.elapsed() > PATIENCE {
                let path = self.screenshot("gave-up");
                panic!(
                    "never: {script}\nat {}; see {}",
                    self.address(),
                    path.display()
                );
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Kept in the target directory, under this name.
    pub fn screenshot(&self, name: &str) -> PathBuf {
        let picture = self.call("GET", "/screenshot", &Value::Null);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{name}.png"));
        fs::write(&path, decode_base64(picture.as_str().unwrap())).unwrap();
        path
    }

    /// What the console complained about since the last time.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.call("POST", "/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().unwrap().iter();
        entries
            .filter(|entry| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING")))
            .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends with its session; the driver alone would leave it behind.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|&byte| byte != b'=').collect();
    digits
        .chunks(4)
        .flat_map(|chunk| {
            let bits = chunk
                .iter()
                .fold(0u32, |bits, &byte| bits << 6 | u32::from(value(byte)));
            let bits = bits << (6 * (4 - chunk.len()));
            bits.to_be_bytes()[1..]
                .iter()
                .copied()
                .take(chunk.len() - 1)
                .collect::<Vec<_>>()
        })
        .collect()
}
