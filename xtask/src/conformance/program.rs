//! The programs that the suite is run against.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::{Result, at, run};
use crate::port::Port;

const SERVER: &str = "conformance-server";
const CLIENT: &str = "conformance-client";
/// How long the server may take to listen.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(20);

/// Builds both programs.
///
/// # Errors
///
/// When they can't be built.
pub(super) fn build(root: &Path) -> Result<()> {
    let package = ["build", "-p", "mcp-examples"];
    let programs = ["--bin", SERVER, "--bin", CLIENT];
    let mut cargo = Command::new(env!("CARGO"));
    run(cargo.args(package).args(programs).current_dir(root))
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
    pub(super) fn start(root: &Path) -> Result<Self> {
        let port = Port::free().map_err(at(SERVER))?;
        let process = Command::new(built(root, SERVER))
            .arg(port.address().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(at(SERVER))?;
        let mut server = Self { process, port };
        let start = Instant::now();
        while TcpStream::connect(server.port.address()).is_err() {
            if server.process.try_wait()?.is_some() || start.elapsed() > STARTUP_TIMEOUT {
                return Err(format!("{SERVER}: it does not listen").into());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.port.address())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that is gone already needs no end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
