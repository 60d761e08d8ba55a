//! Loads an HTTP server with 64 connections, 1,000 open sessions, 1,000 listen streams, and clients
//! that are deliberately slow.
//!
//! `cargo run --release -p bench-load` prints figures, and fails if one exceeds its bound. The
//! server and the clients share a process whose allocations are counted. Of each session, the
//! clients only keep the session id.

mod client;
mod slow;

use std::alloc::System;
use std::error::Error;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use client::Connection;
use mcp_runtime::Change;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::{Http, http};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tokio::task::JoinSet;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const CONNECTIONS: usize = 64;
const SESSIONS: usize = 1_000;
const STREAMS: usize = 1_000;
const CALLS: usize = 50_000;
/// The limit of memory per idle session, without the events that are kept for its client.
const BYTES_PER_SESSION: usize = 4 * 1024;

struct Adder;

#[mcp_server(list_changed(tools))]
impl Adder {
    /// Adds two numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcome {
    let server = Adder.into_server();
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let addr = listener.local_addr()?;
    let endpoint: Http = http(listener).head_timeout(slow::PATIENCE);
    tokio::spawn(server.serve(endpoint).signals(false).into_future());

    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Connection::open(addr).await?);
    }
    let mut connections = calls(connections).await?;
    let per_session = sessions(&mut connections).await?;
    streams(&server, &mut connections).await?;
    slow::cut(addr).await?;
    if per_session > BYTES_PER_SESSION {
        return Err(format!("{per_session} bytes for each session are too many").into());
    }
    Ok(())
}

fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Sends calls on all connections at the same time.
async fn calls(connections: Vec<Connection>) -> Outcome<Vec<Connection>> {
    let start = Instant::now();
    let mut working = JoinSet::new();
    for mut connection in connections {
        working.spawn(async move {
            for _ in 0..CALLS / CONNECTIONS {
                connection.call().await?;
            }
            Outcome::Ok(connection)
        });
    }
    let mut connections = Vec::new();
    while let Some(connection) = working.join_next().await {
        connections.push(connection??);
    }
    let rate = CALLS as f64 / start.elapsed().as_secs_f64();
    println!("{CONNECTIONS} connections: {rate:.0} stateless calls a second");
    Ok(connections)
}

/// Opens sessions and leaves them idle.
async fn sessions(connections: &mut [Connection]) -> Outcome<usize> {
    let mut names = Vec::with_capacity(SESSIONS);
    // The first sessions make the server allocate its tables.
    for connection in &mut *connections {
        connection.session().await?;
    }
    let before = allocated();
    let start = Instant::now();
    for number in 0..SESSIONS {
        let connection = &mut connections[number % CONNECTIONS];
        names.push(connection.session().await?);
    }
    let took = start.elapsed();
    let per_session = (allocated() - before) / SESSIONS;
    println!("{SESSIONS} sessions: {per_session} bytes each, opened in {took:.0?}");
    Ok(per_session)
}

/// Opens listen streams, and notifies all of them of a change.
async fn streams(server: &mcp_runtime::Server, connections: &mut [Connection]) -> Outcome {
    let before = allocated();
    let mut open = Vec::with_capacity(STREAMS);
    for number in 0..STREAMS {
        let connection = &mut connections[number % CONNECTIONS];
        open.push(connection.listen().await?);
    }
    let per_stream = (allocated() - before) / STREAMS;
    let start = Instant::now();
    server.notify_changed(Change::Tools);
    let mut told = JoinSet::new();
    for mut stream in open {
        told.spawn(async move { stream.until("notifications/tools/list_changed").await });
    }
    while let Some(told) = told.join_next().await {
        tokio::time::timeout(Duration::from_secs(10), async { told }).await???;
    }
    let took = start.elapsed();
    println!("{STREAMS} streams: {per_stream} bytes each, both ends; all notified in {took:.0?}");
    Ok(())
}
