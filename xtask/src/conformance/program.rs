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
/// The client, for [`built`].
pub(super) const CLIENT: &str = "conformance-client";
const STARTUP_TIMEOUT: Duration = Duration::from_secs(20);

/// Builds both programs.
///
/// # Errors
///
/// When a program can't be built.
pub(super) fn build(root: &Path) -> Result<()> {
    let programs = ["--bin", SERVER, "--bin", CLIENT];
    run(cargo(root, "build -p mcp-examples").args(programs))
}

pub(super) fn built(root: &Path, name: &str) -> PathBuf {
    root.join("target/debug").join(name)
}

/// A running server, which is killed on drop.
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
        let port = Port::free().context(SERVER)?;
        let process = Command::new(built(root, SERVER))
            .arg(port.address().to_string())
            .args(layer.then_some("--layer"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context(SERVER)?;
        let mut server = Self { process, port };
        let start = Instant::now();
        while TcpStream::connect(server.port.address()).is_err() {
            let is_gone = server.process.try_wait()?.is_some();
            let is_late = start.elapsed() > STARTUP_TIMEOUT;
            ensure!(!is_gone && !is_late, "{SERVER}: it does not listen");
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
