//! A long run of one client with many calls. Some calls are cancelled, some time out, and the
//! connection is lost now and then. Memory must not grow, and no task may be left at the end.
//!
//! `cargo run --release -p bench-soak -- [calls]` makes one million calls by default.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcp_runtime::client::Reconnect;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::{CallError, Client};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, JoinSet};

/// The number of calls after which the connection is lost.
const RECONNECT_EVERY: u64 = 10_000;
/// The number of calls in flight.
const AT_ONCE: u64 = 50;

struct Soaked;

#[mcp_server]
impl Soaked {
    /// Adds two numbers.
    #[tool(read_only)]
    fn add(&self, a: u64, b: u64) -> u64 {
        a + b
    }

    /// Never returns.
    #[tool(read_only)]
    async fn never(&self) {
        std::future::pending().await
    }
}

/// The task of the server that serves the current connection.
type Current = Arc<Mutex<Option<JoinHandle<()>>>>;

fn serve(current: &Current) -> Memory {
    let (ours, theirs) = memory::pair();
    let serving = Soaked.serve(theirs).signals(false);
    let task = tokio::spawn(async move {
        if let Err(error) = serving.await {
            eprintln!("{error}");
        }
    });
    current
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .replace(task);
    ours
}

fn kill(current: &Current) {
    let task = current
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(task) = task {
        task.abort();
    }
}

#[derive(Default)]
struct Tally {
    answered: u64,
    cancelled: u64,
    timed_out: u64,
}

/// Makes call number `i`. One call in twenty is cancelled, and another one times out.
async fn one(client: Client, i: u64) -> Result<Tally, CallError> {
    let mut tally = Tally::default();
    match i % 20 {
        0 => {
            let call = client.call_tool("never", ()).into_future();
            let dropped = tokio::time::timeout(Duration::from_micros(100), call).await;
            tally.cancelled += u64::from(dropped.is_err());
        }
        1 => {
            let call = client.call_tool("never", ()).repeatable(true);
            match call.timeout(Duration::from_millis(1)).await {
                Err(CallError::Timeout { .. }) => tally.timed_out += 1,
                other => eprintln!("a call that never returns gave {other:?}"),
            }
        }
        _ => {
            let numbers = std::collections::HashMap::from([("a", i), ("b", 1)]);
            let sum: u64 = client.call("add", numbers).repeatable(true).await?;
            assert_eq!(sum, i + 1);
            tally.answered += 1;
        }
    }
    Ok(tally)
}

/// Returns the resident memory in KiB, or 0 if the platform does not report it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calls: u64 = match std::env::args().nth(1) {
        Some(calls) => calls.parse()?,
        None => 1_000_000,
    };
    let tasks = Handle::current().metrics().num_alive_tasks();
    let current = Current::default();
    let make = {
        let current = Arc::clone(&current);
        move || serve(&current)
    };
    let at_once = Reconnect {
        first_pause: Duration::ZERO,
        ..Reconnect::default()
    };
    let client = Client::builder("soak", "1.0.0")
        .reconnect(at_once)
        .connect_with(make)
        .await?;

    let start = Instant::now();
    let mut total = Tally::default();
    let mut first = None;
    for wave in 0..calls / AT_ONCE {
        let mut running = JoinSet::new();
        for i in 0..AT_ONCE {
            running.spawn(one(client.clone(), wave * AT_ONCE + i));
        }
        if wave > 0 && (wave * AT_ONCE).is_multiple_of(RECONNECT_EVERY) {
            kill(&current);
        }
        while let Some(done) = running.join_next().await {
            let done = done??;
            total.answered += done.answered;
            total.cancelled += done.cancelled;
            total.timed_out += done.timed_out;
        }
        // The first tenth of the calls warms up the process.
        if first.is_none() && wave * AT_ONCE * 10 >= calls {
            first = Some(resident());
        }
    }
    let first = first.unwrap_or(0);
    let last = resident();
    let took = start.elapsed();
    println!(
        "{calls} calls in {took:.1?}: {} answered, {} cancelled, {} timed out",
        total.answered, total.cancelled, total.timed_out
    );
    println!("resident memory: {first} KiB after a tenth, {last} KiB at the end");

    client.close().await;
    drop(client);
    let mut left = Handle::current().metrics().num_alive_tasks();
    for _ in 0..1000 {
        if left == tasks {
            break;
        }
        tokio::task::yield_now().await;
        left = Handle::current().metrics().num_alive_tasks();
    }
    println!("tasks: {tasks} before, {left} after");
    let flat = last <= first + first / 10;
    if left != tasks || !flat {
        return Err("memory grew, or a task was left".into());
    }
    Ok(())
}
