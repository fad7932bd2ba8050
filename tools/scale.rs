//! What every command of a book costs in books of any size: makes a book of games that two simple
//! players play, runs each command as a process of its own, and prints a table. Run it with
//! `tools/scale`; `docs/scale.md` says what the figures mean.

#[path = "scale-inside.rs"]
mod inside;
#[path = "scale-steps.rs"]
mod steps;

use clap::Parser;
use emilia::games::SampleGames;
use emilia::othello::moves_to_string;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs::{self, File};
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use steps::{STEPS, Step};
use wait4::Wait4;

#[derive(Parser)]
struct Args {
    /// Sizes of the books, in million positions; a fraction will do
    #[arg(required = true, value_name = "MILLIONS")]
    sizes: Vec<f64>,
    /// Where the books are made and the results kept: the same folder goes on where it was stopped
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// The program to measure
    #[arg(long, default_value = "target/release/emilia")]
    emilia: PathBuf,
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Run these steps again, by their names in the table, with those that make what they need
    #[arg(long, value_name = "STEP")]
    again: Vec<String>,
    /// Leave out the steps whose names begin so, for now: a later run without this measures them
    #[arg(long, value_name = "STEP")]
    skip: Vec<String>,
    /// Print the tables of what was measured, and measure nothing
    #[arg(long)]
    only_table: bool,
    /// Go on although the disk seems too small
    #[arg(long)]
    anyway: bool,
}

/// The first word to this program where it is a step of itself.
const INSIDE: &str = "--inside";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// New positions that one game of the simple players brings, about.
const POSITIONS_PER_GAME: f64 = 45.5;
/// At most on the disk at once, of the book, its copies and its exports; measured.
const DISK_PER_POSITION: f64 = 400.0;

/// What a step cost.
#[derive(Clone, Serialize, Deserialize)]
struct Measured {
    name: String,
    command: String,
    seconds: f64,
    /// Of all threads, in the program and in the system for it.
    cpu: f64,
    /// The most memory that was in use, what the system keeps of files not counted.
    peak: u64,
    /// The size of what was made, on the disk.
    made: Option<u64>,
    /// All that was on the disk in this folder after the step.
    disk: u64,
    /// The last words of a command that failed.
    failed: Option<String>,
    /// What a step says that measures within one process.
    #[serde(default)]
    told: Option<String>,
}

/// Everything that was measured for one size.
#[derive(Default, Serialize, Deserialize)]
struct Results {
    millions: f64,
    version: String,
    positions: Option<u64>,
    steps: Vec<Measured>,
}

impl Results {
    fn of(&self, name: &str) -> Option<&Measured> {
        self.steps.iter().find(|measured| measured.name == name)
    }

    /// The positions that there are, or that were asked for.
    fn size(&self) -> f64 {
        let asked = self.millions * 1e6;
        self.positions.map_or(asked, |positions| positions as f64)
    }
}

/// One size and its folder.
struct Bench<'a> {
    args: &'a Args,
    folder: PathBuf,
    results: Results,
}

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [inside, what, book, seed] = &words[..]
        && inside == INSIDE
    {
        return inside::measure(what, book.as_ref(), seed.parse()?);
    }
    let args = Args::parse();
    let mut all = Vec::new();
    for &millions in &args.sizes {
        let mut bench = Bench::open(&args, millions)?;
        if !args.only_table {
            bench.run()?;
        }
        bench.print();
        all.push(bench.results);
    }
    if all.len() > 1 {
        print_growth(&all);
    }
    Ok(())
}

impl<'a> Bench<'a> {
    fn open(args: &'a Args, millions: f64) -> Outcome<Bench<'a>> {
        if !(0.001..=10_000.0).contains(&millions) {
            return Err(format!("{millions} million positions are no size to measure").into());
        }
        let folder = args.folder.join(format!("{millions}M"));
        fs::create_dir_all(&folder)?;
        let mut results = match fs::read(folder.join("results.json")) {
            Ok(bytes) => serde_json::from_slice(&bytes)?,
            Err(_) => Results {
                millions,
                ..Results::default()
            },
        };
        let is_again = |name: &str| args.again.iter().any(|again| again == name);
        results.steps.retain(|step| !is_again(&step.name));
        Ok(Bench {
            args,
            folder,
            results,
        })
    }

    fn run(&mut self) -> Outcome<()> {
        let needed = DISK_PER_POSITION * self.results.millions * 1e6;
        let folder = self.folder.display();
        match free(&self.folder) {
            Some(free) => eprintln!(
                "{folder}: needs about {} of disk, {} are free",
                size(needed),
                size(free)
            ),
            None => eprintln!("{folder}: needs about {} of disk", size(needed)),
        }
        let has_begun = self.results.of("build").is_some();
        if !self.args.anyway && !has_begun && free(&self.folder).is_some_and(|free| free < needed) {
            return Err(
                "the disk is too small; name another with --folder, or add --anyway".into(),
            );
        }
        let version = Command::new(&self.args.emilia).arg("--version").output()?;
        self.results.version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
        for step in &STEPS {
            let known = self.results.of(step.name);
            let is_skipped = |skip: &String| step.name.starts_with(skip);
            if known.is_some_and(|known| known.failed.is_none())
                || self.args.skip.iter().any(is_skipped)
            {
                continue;
            }
            self.results.steps.retain(|known| known.name != step.name);
            eprint!("{folder}: {} ... ", step.name);
            stderr().flush()?;
            let measured = self.measure(step)?;
            match &measured.failed {
                None => eprintln!("{:.1} s, {}", measured.seconds, size(measured.peak as f64)),
                Some(words) => eprintln!("failed: {words}"),
            }
            self.results.steps.push(measured);
            if step.name == "compact" {
                self.results.positions = self.positions();
            }
            let is_done = self
                .results
                .steps
                .last()
                .is_some_and(|s| s.failed.is_none());
            self.save()?;
            // Only now: after a kill or a failure the step finds what it needs again.
            if is_done {
                for name in step.remove {
                    remove(&self.folder.join(name))?;
                }
            }
        }
        Ok(())
    }

    fn measure(&self, step: &Step) -> Outcome<Measured> {
        // A step that was stopped left half of what it makes.
        if let Some(made) = step
            .made
            .filter(|_| step.name != "compact" && !step.name.starts_with("merge"))
        {
            remove(&self.folder.join(made))?;
        }
        if step.fresh {
            link_book(&self.folder.join("book"), &self.folder.join("work"))?;
        }
        let words = self.words(step);
        let log = self.folder.join("last-step.log");
        let began = Instant::now();
        let is_inside = words.first().is_some_and(|first| first == INSIDE);
        let program = if is_inside {
            std::env::current_exe()?
        } else {
            self.args.emilia.clone()
        };
        let mut child = Command::new(program)
            .args(&words)
            .stdin(Stdio::null())
            .stdout(File::create(self.folder.join("last-step.out"))?)
            .stderr(File::create(&log)?)
            .spawn()?;
        let used = child.wait4()?;
        let seconds = began.elapsed().as_secs_f64();
        let words_of_error = fs::read_to_string(&log)?;
        let last_line = words_of_error.lines().last().unwrap_or_default();
        let made = step.made.map(|made| bytes_below(&self.folder.join(made)));
        let disk = bytes_below(&self.folder);
        let out = self.folder.join("last-step.out");
        let told = is_inside.then(|| fs::read_to_string(out)).transpose()?;
        let rusage = used.rusage;
        Ok(Measured {
            name: step.name.to_owned(),
            command: match is_inside {
                true => format!("scale {}", step.words.replace('@', "")),
                false => format!("emilia {}", step.words.replace('@', "")),
            },
            seconds,
            cpu: (rusage.utime + rusage.stime).as_secs_f64(),
            peak: rusage.maxrss,
            made,
            disk,
            failed: (!used.status.success()).then(|| last_line.to_owned()),
            told: told.map(|line| line.trim().to_owned()),
        })
    }

    fn words(&self, step: &Step) -> Vec<String> {
        let games = (self.results.millions * 1e6 / POSITIONS_PER_GAME)
            .ceil()
            .max(1.0) as u64;
        let word = |word: &str| match word.strip_prefix('@') {
            None => word.to_owned(),
            Some("n") => games.to_string(),
            Some("tenth") => games.div_ceil(10).to_string(),
            Some("seed") => self.args.seed.to_string(),
            Some("line") => self.beginning_of_first_game(20),
            Some("late") => self.beginning_of_first_game(48),
            Some("game") => beginning_of_game(1003, 60),
            Some(name) => self.folder.join(name).display().to_string(),
        };
        step.words.split(' ').map(word).collect()
    }

    fn beginning_of_first_game(&self, moves: usize) -> String {
        beginning_of_game(self.args.seed, moves)
    }

    /// How many positions the book has, which is exact after it was compacted.
    fn positions(&self) -> Option<u64> {
        let told = Command::new(&self.args.emilia)
            .args(["book", "stats", "--store", "--json", "--book"])
            .arg(self.folder.join("book"))
            .output()
            .ok()?;
        let told: serde_json::Value = serde_json::from_slice(&told.stdout).ok()?;
        let tables = told["tables"].as_array()?;
        let nodes = tables.iter().find(|table| table["name"] == "nodes")?;
        nodes["records"].as_u64()
    }

    /// Whole or not at all: a kill loses one step at most.
    fn save(&self) -> Outcome<()> {
        let unfinished = self.folder.join("results.json.new");
        fs::write(&unfinished, serde_json::to_vec_pretty(&self.results)?)?;
        Ok(fs::rename(unfinished, self.folder.join("results.json"))?)
    }

    fn print(&self) {
        let Results {
            millions,
            version,
            positions,
            steps,
        } = &self.results;
        let positions = positions.unwrap_or((millions * 1e6) as u64);
        let disk = steps.iter().map(|step| step.disk).max().unwrap_or(0);
        println!(
            "\n### {positions} positions ({version}), at most {} on the disk\n",
            size(disk as f64)
        );
        println!(
            "| step | time | CPU | peak memory | million positions a second | bytes per position |"
        );
        println!("|---|--:|--:|--:|--:|--:|");
        let measured = |step: &Step| steps.iter().find(|measured| measured.name == step.name);
        for (step, whole) in STEPS
            .iter()
            .filter_map(|step| Some((measured(step)?, step.whole)))
        {
            let per_position = |bytes: u64| format!("{:.1}", bytes as f64 / positions as f64);
            let rate = if whole {
                format!("{:.2}", positions as f64 / step.seconds / 1e6)
            } else {
                String::new()
            };
            match &step.failed {
                Some(words) => println!("| {} | failed: {words} | | | | |", step.name),
                None => println!(
                    "| {} | {} | {} | {} | {rate} | {} |",
                    step.name,
                    time(step.seconds),
                    time(step.cpu),
                    size(step.peak as f64),
                    step.made.map_or_else(String::new, per_position)
                ),
            }
        }
        for measured in steps {
            if let Some(told) = &measured.told {
                println!("\n{}: {told}.", measured.name);
            }
        }
    }
}

/// CPU time and memory side by side; the growth is how many times as much of it a position takes in
/// the largest book as in the smallest: 1 is linear. (Not the time by the wall: others may work on
/// the machine.)
fn print_growth(all: &[Results]) {
    let [first, .., last] = all else { return };
    print!("\n### Side by side\n\n| step |");
    all.iter()
        .for_each(|results| print!(" {} M |", results.millions));
    print!(" growth |\n|---|");
    all.iter().for_each(|_| print!("--:|"));
    println!("--:|");
    for step in &STEPS {
        print!("| {} |", step.name);
        for results in all {
            match results.of(step.name).filter(|step| step.failed.is_none()) {
                Some(step) => print!(" {}, {} |", time(step.cpu), size(step.peak as f64)),
                None => print!(" |"),
            }
        }
        match first.of(step.name).zip(last.of(step.name)) {
            Some((small, large)) => {
                let sizes = last.size() / first.size();
                println!(" {:.2} |", large.cpu / small.cpu.max(0.01) / sizes);
            }
            None => println!(" |"),
        }
    }
}

fn beginning_of_game(seed: u64, moves: usize) -> String {
    let game = SampleGames::new(seed).next();
    let squares: Vec<_> = game
        .iter()
        .flat_map(|game| game.moves())
        .copied()
        .take(moves)
        .collect();
    moves_to_string(&squares)
}

/// A book with the same tables: they never change, so that they need not be copied.
fn link_book(from: &Path, to: &Path) -> Outcome<()> {
    remove(to)?;
    fs::create_dir_all(to.join("db"))?;
    fs::copy(from.join("EMILIA-BOOK"), to.join("EMILIA-BOOK"))?;
    for entry in fs::read_dir(from.join("db"))? {
        let path = entry?.path();
        let target = to.join("db").join(path.file_name().unwrap_or_default());
        if path.extension().is_some_and(|extension| extension == "sst") {
            fs::hard_link(&path, target)?;
        } else {
            fs::copy(&path, target)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Outcome<()> {
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    } else if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn bytes_below(path: &Path) -> u64 {
    match fs::read_dir(path) {
        Ok(entries) => entries
            .flatten()
            .map(|entry| bytes_below(&entry.path()))
            .sum(),
        Err(_) => path.metadata().map_or(0, |data| data.len()),
    }
}

/// What is free on the disk of a folder, where the system says it.
fn free(folder: &Path) -> Option<f64> {
    #[cfg(target_os = "linux")]
    {
        let disk = rustix::fs::statvfs(folder).ok()?;
        Some(disk.f_bavail as f64 * disk.f_frsize as f64)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        None
    }
}

fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes >= 1e9 => format!("{:.2} GB", bytes / 1e9),
        bytes => format!("{:.0} MB", bytes / 1e6),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 10.0 => format!("{seconds:.2} s"),
        seconds if seconds < 600.0 => format!("{seconds:.0} s"),
        seconds => format!("{:.1} min", seconds / 60.0),
    }
}
