//! A gateway: what comes in as lines goes on to the standard input of another process, and what that
//! prints comes back.

use std::process::Stdio;

use mcp_runtime::ServeError;
use mcp_runtime::transport::ByteStream;
use mcp_runtime::transport::memory::Memory;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::task::JoinHandle;

use super::pump;

/// What the other process is told to serve.
pub const VARIABLE: &str = "MCP_TEST_SERVER";
/// The last line of what the test harness prints by itself.
const READY: &str = "the server is ready";

/// Serves the server called `name` in a process of its own: this very program, which is told to run
/// only [`serve_if_told`].
pub fn spawn(name: &str, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_server", "--nocapture", "--quiet"])
        .env(VARIABLE, name)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    tokio::spawn(async move {
        let mut output = BufReader::new(output);
        let mut printed = String::new();
        while !printed.ends_with(&format!("{READY}\n")) {
            output.read_line(&mut printed).await.unwrap();
        }
        pump::connect(line, ByteStream::new(output, input)).await;
        let status = child.wait().await.unwrap();
        assert!(status.success(), "{status}");
        Ok(())
    })
}

/// Serves on the standard streams, in the process that is told to.
#[allow(clippy::print_stdout)]
pub fn serve_if_told() {
    let Ok(name) = std::env::var(VARIABLE) else {
        return;
    };
    println!("\n{READY}");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let served = runtime.block_on(async {
        super::named(&name)
            .serve(mcp_runtime::transport::stdio())
            .await
    });
    // Nothing else is to be printed.
    std::process::exit(i32::from(served.is_err()));
}
