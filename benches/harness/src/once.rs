//! Measures what a server costs before and between requests.

use std::io::Result;
use std::path::Path;
use std::time::Instant;

use crate::http::Listening;
use crate::message::{Ask, Wire};
use crate::process;
use crate::servers::Server;
use crate::stdio::{Piped, nanoseconds};

/// The number of sessions that share the measured memory.
const SESSIONS: usize = 500;

/// Returns the time from the start of the process until its first answer, in microseconds.
pub(super) fn start(root: &Path, server: &Server, wire: Wire) -> Result<f64> {
    let begun = Instant::now();
    let mut server = Piped::start(server.command(root, 0, &[]))?;
    server.open(wire)?;
    let took = nanoseconds(begun.elapsed());
    server.close()?;
    Ok(took as f64 / 1e3)
}

/// Returns the memory of a server that waits for requests over stdio, in KiB.
pub(super) fn idle(root: &Path, server: &Server, wire: Wire) -> Result<f64> {
    let mut server = Piped::start(server.command(root, 0, &[]))?;
    server.open(wire)?;
    let memory = process::memory(server.process.id())?;
    server.close()?;
    Ok(memory as f64)
}

/// Returns the memory of a server that has served one client over HTTP, in KiB.
pub(super) fn idle_http(root: &Path, server: &Server, wire: Wire) -> Result<f64> {
    let server = Listening::start(server.command(root, 0, &[]), server.path)?;
    server.connect(wire)?.check(Ask::Add)?;
    Ok(process::memory(server.process.id())? as f64)
}

/// Returns the memory of an HTTP session whose connection is closed, in KiB.
///
/// The first round of sessions allocates everything that sessions share. Only the second round is
/// measured.
pub(super) fn session(root: &Path, server: &Server) -> Result<f64> {
    let server = Listening::start(server.command(root, 0, &[]), server.path)?;
    let open = || (0..SESSIONS).try_for_each(|_| server.connect(Wire::Handshake).map(drop));
    open()?;
    let before = process::memory(server.process.id())?;
    open()?;
    let after = process::memory(server.process.id())?;
    Ok((after as f64 - before as f64) / SESSIONS as f64)
}
