//! The programs that the suite tests.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::port::Port;
use crate::process::{cargo, run};

const SERVER: &str = "conformance-server";
const COMMAND: &str = "mcp";
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
    /// Starts the server on a free port, inside of a layer that does nothing if `layer` is true.
    ///
    /// # Errors
    ///
    /// When the server does not start.
    pub(super) fn start(root: &Path, layer: bool) -> Result<Self> {
        Self::listening(root, SERVER, |command, address| {
            command.arg(address).args(layer.then_some("--layer"));
        })
    }

    /// Starts `mcp proxy` on a free port. The proxy connects to `self` in the era `era`.
    ///
    /// # Errors
    ///
    /// When the proxy does not start.
    pub(super) fn proxy(&self, root: &Path, era: &str) -> Result<Self> {
        let url = self.url();
        Self::listening(root, COMMAND, |command, address| {
            command.args(["proxy", "--http", address, "--era", era, &url]);
        })
    }

    /// Starts a program, and waits until it listens at the address that its arguments name.
    fn listening(
        root: &Path,
        name: &str,
        arguments: impl FnOnce(&mut Command, &str),
    ) -> Result<Self> {
        let port = Port::free().context(name.to_owned())?;
        let mut command = Command::new(built(root, name));
        arguments(&mut command, &port.address().to_string());
        let output = command.stdin(Stdio::null()).stdout(Stdio::null());
        let process = output.spawn().context(name.to_owned())?;
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
