//! A program at the other end of two pipes, which may be slow, silent or dead.

use super::contestant::Failure;
use crate::search::StopButton;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long is listened before somebody may have stopped it.
const LISTENS: Duration = Duration::from_millis(50);

/// Of what it says no line is longer, and no more of them wait to be read: a program that never
/// stops talking would take all memory.
const LONGEST_LINE: u64 = 1 << 18;
const LINES_THAT_WAIT: usize = 256;

/// A running program that answers lines with lines. It is killed with its handle.
pub struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    stop: StopButton,
}

impl Process {
    /// Starts a command line as a shell reads it.
    pub fn start(command: &str, stop: StopButton) -> Result<Process, Failure> {
        let failed = |error: std::io::Error| Failure::NotStarted(error.to_string());
        let mut shell = Command::new("sh");
        // Ctrl-C is for the referee, who ends the games under way: a program that shared its process
        // group would die of it, and forfeit.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell
            // The shell is replaced by the program, so killing the child kills the program.
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::NotStarted("it has no pipes".into()));
        };
        let (sender, lines) = sync_channel(LINES_THAT_WAIT);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            while (&mut output)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut bytes)
                .is_ok_and(|read| read > 0)
            {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                bytes.clear();
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process {
            child,
            input,
            lines,
            stop,
        })
    }

    pub fn write(&mut self, line: &str) -> Result<(), Failure> {
        let written = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        written.map_err(|_| self.crashed())
    }

    /// The next line, if it comes before `deadline`.
    pub fn read(&mut self, deadline: Instant, patience: Duration) -> Result<String, Failure> {
        loop {
            // Before it is listened: a program that talks all the time and says nothing is silent, too.
            if self.stop.is_pressed() {
                return Err(Failure::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Failure::Silent(patience));
            }
            match self.lines.recv_timeout(left.min(LISTENS)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn crashed(&mut self) -> Failure {
        // The output may end a moment before the process does.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Failure::Crashed(format!(" ({status})"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Failure::Crashed(String::new())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
