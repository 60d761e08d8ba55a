//! What a person reads on the first day, from programs as they are run then.

use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use mcp_runtime::Client;
use mcp_runtime::transport::{ChildProcess, http_client};

/// A call of the stateless era, as a line.
fn call(tool: &str, arguments: &str) -> String {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}"#;
    format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "{tool}", "arguments": {arguments}, "_meta": {meta}}}}}"#
    )
}

/// Standard output and standard error of the calculator, which reads `line`.
fn calculated(line: &str, variable: Option<&str>) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calculator"));
    command.env_remove("MCP_LOG").stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(value) = variable {
        command.env("MCP_LOG", value);
    }
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{line}").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn a_warning_is_seen_without_a_subscriber() {
    let misspelt = call("echo", r#"{"text": "a", "upper_csae": true}"#);
    let (answer, warning) = calculated(&misspelt, None);
    assert!(answer.contains(r#""text":"a""#), "{answer}");
    if cfg!(debug_assertions) {
        assert!(warning.starts_with("WARN mcp_runtime: "), "{warning}");
        assert!(warning.contains("argument=\"upper_csae\""), "{warning}");
        assert_eq!(warning.lines().count(), 1, "{warning}");
    } else {
        assert_eq!(warning, "");
    }
    let (_, silenced) = calculated(&misspelt, Some("off"));
    assert_eq!(silenced, "");
    let (_, quiet) = calculated(&call("echo", r#"{"text": "a"}"#), None);
    assert_eq!(quiet, "");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_ends_at_once_is_quoted() {
    let child = ChildProcess::new("sh").args(["-c", "echo no such package >&2; exit 3"]);
    let client = Client::builder("first", "1").connect(child);
    let error = client.await.unwrap_err().to_string();
    for part in ["`sh`", "exit status: 3", "no such package"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = unused.local_addr().unwrap();
    drop(unused);
    let url = format!("http://{address}/mcp");
    let error = Client::connect(&*url).await.unwrap_err();
    assert!(format!("{error}").contains(&address.to_string()), "{error}");
    let client = Client::builder("first", "1").connect(http_client(address.to_string()));
    let error = client.await.unwrap_err().to_string();
    assert!(error.contains("`http://`"), "{error}");
}

#[test]
fn a_port_that_is_taken_ends_the_program_with_its_address() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_clock"));
    let output = command.arg(&address).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains(&address), "{error}");
    assert!(
        !error.contains("AddrInUse"),
        "the text of the error: {error}"
    );
}
