//! Limits of child processes.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::Client;
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::transport::child_process::{Captured, ExitStep, Grace, Stderr};
use mcp_runtime::{CallError, Era};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::unix::pipe;
use tracing::Level;

use crate::support::clock::{Clock, in_time, until};
use crate::support::log::Log;
use crate::wire::{SECOND, comes_after};

driven! {
    FIRST_ANSWER_NOTICE by first_answer_notice,
    CHILD_GRACE by child_grace,
    EXIT_STATUS_TIMEOUT by exit_status_timeout,
    #[cfg(target_os = "linux")]
    STDERR_TIMEOUT by stderr_timeout,
    LAST_READ_TIMEOUT by last_read_timeout,
    EXIT_STDERR_BYTES by exit_stderr_bytes,
    CAPTURED_STDERR_BYTES by captured_stderr_bytes,
    STDERR_LINE_BYTES by stderr_line_bytes,
}

/// Returns a shell script that completes the handshake and then continues with `rest`.
fn script(rest: &str) -> ChildProcess {
    let greeting = r#"
        read -r line
        printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}}'
        read -r line
    "#;
    let script = format!("{greeting}\n{rest}");
    ChildProcess::new("sh").arg("-c").arg(script)
}

async fn connect(server: ChildProcess) -> Client {
    let client = Client::builder("test", "1").era(Era::Handshake);
    let client = client.without_keep_alive().without_reconnect();
    in_time(client.connect(server)).await.unwrap()
}

/// Creates a named pipe in `directory`, which a child may hold open.
fn pipe_in(directory: &Path) -> (String, pipe::Receiver) {
    let path = directory.join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let receiver = pipe::OpenOptions::new().read_write(true).open_receiver(&path);
    (path.display().to_string(), receiver.unwrap())
}

/// Closes the client of a child that ignores the end of its input and SIGTERM. SIGTERM and SIGKILL
/// must each come after `grace`.
async fn closing(configure: impl FnOnce(ChildProcess) -> ChildProcess, grace: Duration) {
    let directory = tempfile::tempdir().unwrap();
    let (path, receiver) = pipe_in(directory.path());
    let stubborn = format!(
        "trap 'echo asked >\"{path}\"' TERM; while read -r line; do :; done
        echo closed >\"{path}\"; while :; do sleep 600 & wait; done"
    );
    let step = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&step);
    let server = script(&stubborn).on_exit(move |exit| *seen.lock().unwrap() = Some(exit.step));
    let client = connect(configure(server)).await;
    let mut said = BufReader::new(receiver).lines();
    let clock = Clock::stopped();
    let closing = tokio::spawn(async move { client.close().await });
    assert_eq!(said.next_line().await.unwrap().unwrap(), "closed");
    let asked = comes_after(&clock, grace, said.next_line()).await;
    assert_eq!(asked.unwrap().unwrap(), "asked");
    comes_after(&clock, grace, closing).await.unwrap();
    assert_eq!(*step.lock().unwrap(), Some(ExitStep::Killed));
    clock.go_on();
}

async fn first_answer_notice() {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = ChildProcess::new("sh").args(["-c", "echo up; while read -r line; do :; done"]);
    let clock = Clock::stopped();
    let connecting = tokio::spawn(Client::builder("test", "1").connect(server));
    until("it is up", || log.text().contains("up")).await;
    let logged = async {
        while !log.text().contains("does not answer yet") {
            tokio::task::yield_now().await;
        }
    };
    comes_after(&clock, 5 * SECOND, logged).await;
    connecting.abort();
}

async fn child_grace() {
    closing(|server| server, 2 * SECOND).await;
    let long = Grace {
        close: 20 * SECOND,
        terminate: 20 * SECOND,
    };
    closing(|server| server.grace(long), 20 * SECOND).await;
}

async fn exit_status_timeout() {
    let grace = Grace {
        close: Duration::ZERO,
        terminate: Duration::ZERO,
    };
    let directory = tempfile::tempdir().unwrap();
    let (path, receiver) = pipe_in(directory.path());
    // The child closes its output but keeps running.
    let rest = format!("read -r line; exec 1>&-; echo ended >\"{path}\"; sleep 600");
    let client = connect(script(&rest).grace(grace)).await;
    let clock = Clock::stopped();
    let call = tokio::spawn(client.call_tool("x", ()).into_future());
    let mut said = BufReader::new(receiver).lines();
    said.next_line().await.unwrap();
    let error = comes_after(&clock, Duration::from_millis(200), call).await;
    let error = error.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed), "{error}");
}

#[cfg(target_os = "linux")]
async fn stderr_timeout() {
    let directory = tempfile::tempdir().unwrap();
    let (path, receiver) = pipe_in(directory.path());
    // A descendant in its own session holds standard error open.
    let rest = format!("setsid sh -c 'echo held >\"{path}\"; sleep 100' & echo $$ >\"{path}\"; read -r line");
    let client = connect(script(&rest)).await;
    let mut said = BufReader::new(receiver).lines();
    let said = [said.next_line().await.unwrap(), said.next_line().await.unwrap()];
    let child = said.iter().flatten().find(|line| *line != "held").unwrap();
    let clock = Clock::stopped();
    let closing = tokio::spawn(async move { client.close().await });
    let process = format!("/proc/{child}");
    until("the child has ended", || !Path::new(&process).exists()).await;
    comes_after(&clock, SECOND, closing).await.unwrap();
}

async fn last_read_timeout() {
    let directory = tempfile::tempdir().unwrap();
    let (path, receiver) = pipe_in(directory.path());
    // The child closes its input, but could still answer.
    let rest = format!("exec 0<&-; echo deaf >\"{path}\"; sleep 600");
    let client = connect(script(&rest)).await;
    let mut said = BufReader::new(receiver).lines();
    said.next_line().await.unwrap();
    let clock = Clock::stopped();
    let call = client.call_tool("x", ()).into_future();
    let error = comes_after(&clock, Duration::from_millis(200), call).await.unwrap_err();
    assert!(matches!(error, CallError::Lost(_) | CallError::NotSent(_)), "{error}");
}

async fn exit_stderr_bytes() {
    let rest = "read -r line; i=0; while [ $i -lt 2000 ]; do echo line >&2; i=$((i+1)); done; exit 1";
    let error = connect(script(rest)).await.call_tool("x", ()).await.unwrap_err();
    assert_eq!(error.child_exit().unwrap().stderr.len(), 4 * 1024);
}

async fn captured_stderr_bytes() {
    let captured = Captured::new();
    let rest = "head -c 100000 /dev/zero | tr '\\0' x >&2; read -r line; exit 1";
    let server = script(rest).stderr(Stderr::Capture(captured.clone()));
    connect(server).await.call_tool("x", ()).await.unwrap_err();
    assert_eq!(captured.text().len(), 64 * 1024);
}

async fn stderr_line_bytes() {
    let (log, _guard) = Log::listening(Level::INFO);
    let rest = "head -c 20000 /dev/zero | tr '\\0' x >&2; read -r line; exit 1";
    connect(script(rest)).await.call_tool("x", ()).await.unwrap_err();
    let log = log.text();
    let lines = log.lines().map(|line| line.matches('x').count());
    let lines: Vec<_> = lines.filter(|count| *count > 1000).collect();
    assert_eq!(lines.iter().filter(|count| **count >= 8 * 1024).count(), 2, "{lines:?}");
    assert!(lines.iter().all(|count| *count < 9 * 1024), "{lines:?}");
}
