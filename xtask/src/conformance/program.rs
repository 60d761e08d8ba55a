//! The programs that the suite tests.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::port::Port;
use crate::process::{cargo, run};

/// The server, for [`built`].
pub(super) const SERVER: &str = "conformance-server";
/// The command with the proxy, for [`built`].
pub(super) const COMMAND: &str = "mcp";
/// The client, for [`built`].
pub(super) const CLIENT: &str = "conformance-client";
const STARTUP_TIMEOUT: Duration = Duration::from_secs(20);

/// Builds the programs.
///
/// # Errors
///
/// When a program can't be built.
pub(super) fn build(root: &Path) -> Result<()> {
    let programs = ["--bin", SERVER, "--bin", CLIENT, "--bin", COMMAND];
    run(cargo(root, "build -p mcp-examples -p mcp-runtime-cli").args(programs))
}

pub(super) fn built(root: &Path, name: &str) -> PathBuf {
    root.join("target/debug").join(name)
}

/// A running server or proxy, which is killed on drop.
pub(super) struct Server {
    process: Child,
    port: Port,
}

impl Server {
    /// Starts a program, and waits until it listens. Its arguments are `before`, a free address, and
    /// `after`.
    ///
    /// # Errors
    ///
    /// When the program does not start.
    pub(super) fn start(
        root: &Path,
        name: &'static str,
        before: &[&str],
        after: &[&str],
    ) -> Result<Self> {
        let port = Port::free().context(name)?;
        let process = Command::new(built(root, name))
            .args(before)
            .arg(port.address().to_string())
            .args(after)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context(name)?;
        let mut server = Self { process, port };
        let start = Instant::now();
        while TcpStream::connect(server.port.address()).is_err() {
            let is_gone = server.process.try_wait()?.is_some();
            let is_late = start.elapsed() > STARTUP_TIMEOUT;
            ensure!(!is_gone && !is_late, "{name}: it does not listen");
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
        // The server may already have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
