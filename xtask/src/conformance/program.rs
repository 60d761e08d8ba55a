//! The programs that the suite is run against.

use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::Error;
use crate::port::Port;

const SERVER: &str = "conformance-server";
const CLIENT: &str = "conformance-client";
/// How long the server may take to listen.
const PATIENCE: Duration = Duration::from_secs(20);

/// Builds both programs.
///
/// # Errors
///
/// When they can't be built.
pub(super) fn build(root: &Path) -> Result<(), Error> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "-p",
        "mcp-examples",
        "--bin",
        SERVER,
        "--bin",
        CLIENT,
    ]);
    let status = cargo.current_dir(root).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::program("cargo build", status)),
        Err(error) => Err(Error::program("cargo build", error)),
    }
}

/// Path of the client.
pub(super) fn client(root: &Path) -> PathBuf {
    built(root, CLIENT)
}

fn built(root: &Path, name: &str) -> PathBuf {
    root.join("target/debug").join(name)
}

/// A server that runs until this is dropped.
pub(super) struct Server {
    process: Child,
    port: Port,
}

impl Server {
    /// Starts the server on a free port.
    ///
    /// # Errors
    ///
    /// When it does not start.
    pub(super) fn start(root: &Path) -> Result<Self, Error> {
        let failed = |error| Error::program(SERVER, error);
        let port = Port::free().map_err(failed)?;
        let process = Command::new(built(root, SERVER))
            .arg(port.address().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut server = Self { process, port };
        server.wait()?;
        Ok(server)
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.port.address())
    }

    /// Waits until the server listens.
    fn wait(&mut self) -> Result<(), Error> {
        let start = Instant::now();
        while TcpStream::connect(self.port.address()).is_err() {
            let ended = self.process.try_wait().ok().flatten();
            if ended.is_some() || start.elapsed() > PATIENCE {
                let mut said = String::new();
                if let (Some(_), Some(mut stderr)) = (ended, self.process.stderr.take()) {
                    // What it said is only of use where it can be read.
                    let _ = stderr.read_to_string(&mut said);
                }
                return Err(Error::program(
                    SERVER,
                    format!("it does not listen. {said}"),
                ));
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that is gone already needs no end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
