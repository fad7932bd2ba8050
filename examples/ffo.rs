use emilia::othello::*;
use emilia::search::*;
fn cpu() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse::<f64>()
        .unwrap()
        / 1e9
}
fn main() {
    let mut a = std::env::args().skip(1);
    let file = a.next().unwrap();
    let from: usize = a.next().unwrap().parse().unwrap();
    let n: usize = a.next().unwrap().parse().unwrap();
    let threads: usize = a.next().map_or(1, |t| t.parse().unwrap());
    let verbose = a.next().is_some();
    let (mut tn, mut tt) = (0, 0.0);
    let searcher = Searcher::new(512 << 20).with_threads(threads);
    for l in std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .skip(from)
        .take(n)
    {
        let p: Position = l.split(';').next().unwrap().parse().unwrap();
        let best = l.split(';').nth(1).unwrap();
        searcher.clear();
        let s = cpu();
        let w = std::time::Instant::now();
        let r = searcher.search_with(p.board, &Limits::solve(), &StopButton::new(), &mut |r| {
            if verbose {
                println!(
                    "   {}@{} {} {:?} {} {:.3} {}",
                    r.depth,
                    r.selectivity,
                    r.value,
                    r.bound,
                    r.nodes,
                    r.time.as_secs_f64(),
                    moves_to_string(&r.pv)
                )
            }
        });
        let t = if threads == 1 {
            cpu() - s
        } else {
            w.elapsed().as_secs_f64()
        };
        tn += r.nodes;
        tt += t;
        println!(
            "{:2} {:+} {best} {} {t:.3} {:.1} Mn/s {}",
            p.board.empty_count(),
            r.value / 100,
            r.nodes,
            r.nodes as f64 / t / 1e6,
            moves_to_string(&r.pv)
        );
    }
    println!("{tn} {tt:.2} {:.1}", tn as f64 / tt / 1e6);
}
