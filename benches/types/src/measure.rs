//! Measures time, allocations and instructions of all cases in one run.

use std::process::Command;
use std::time::{Duration, Instant};

use stats_alloc::Region;

use crate::cases::{Case, Pair, pairs};

/// The number of measurements of each case, in turns. The shortest time is reported, because other
/// programs on the machine can only add to it.
const ROUNDS: usize = 51;
/// The duration of one measurement.
const ROUND: Duration = Duration::from_millis(10);

/// Runs one case repeatedly, for a profiler.
pub fn repeat(name: &str, runs: u64) {
    let pairs = pairs();
    let cases = pairs.iter().flat_map(|pair| [&pair.ours, &pair.other]);
    let case = cases
        .into_iter()
        .find(|case| case.name == name)
        .expect("the name of a case");
    for _ in 0..runs {
        (case.run)();
    }
}

/// Measures everything and prints a table.
pub fn report() {
    println!("| what | ours | other | ratio | bar | allocations | instructions | ratio |");
    println!("|---|---|---|---|---|---|---|---|");
    for pair in pairs() {
        let (ours, other) = times(&pair);
        let ratio = ours / other;
        let instructions = match (instructions(&pair.ours), instructions(&pair.other)) {
            (Some(ours), Some(other)) => {
                format!("{ours} : {other} | {:.2}", ours as f64 / other as f64)
            }
            _ => "needs valgrind | –".to_owned(),
        };
        println!(
            "| {} | {ours:.0} ns | {other:.0} ns | {ratio:.2} | {} | {} : {} | {instructions} |",
            pair.what,
            if pair.bar.is_finite() {
                format!("≤ {:.2}", pair.bar)
            } else {
                "–".to_owned()
            },
            allocations(&pair.ours),
            allocations(&pair.other),
        );
    }
}

/// Returns the times of both cases, in nanoseconds.
fn times(pair: &Pair) -> (f64, f64) {
    (0..ROUNDS).fold((f64::INFINITY, f64::INFINITY), |(ours, other), _| {
        (ours.min(time(&pair.ours)), other.min(time(&pair.other)))
    })
}

fn time(case: &Case) -> f64 {
    let begun = Instant::now();
    let mut runs = 0_u32;
    while begun.elapsed() < ROUND {
        for _ in 0..20 {
            (case.run)();
        }
        runs += 20;
    }
    begun.elapsed().as_nanos() as f64 / f64::from(runs)
}

fn allocations(case: &Case) -> usize {
    (case.run)();
    let region = Region::new(crate::ALLOCATOR);
    (case.run)();
    let change = region.change();
    change.allocations + change.reallocations
}

/// Counts the instructions of one run with callgrind, as the difference between two run lengths.
fn instructions(case: &Case) -> Option<u64> {
    const SHORT: u64 = 100;
    const LONG: u64 = 1100;
    let short = collected(case.name, SHORT)?;
    let long = collected(case.name, LONG)?;
    Some((long - short) / (LONG - SHORT))
}

fn collected(name: &str, runs: u64) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args([name, &runs.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = text
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1))?;
    count.trim().parse().ok()
}
