//! Tests for all transports, over pipes to another process.

#[path = "every/batches.rs"]
mod batches;
#[path = "every/integers.rs"]
mod integers;
#[cfg(feature = "layer")]
#[path = "every/layers.rs"]
mod layers;
#[path = "every/lifecycle.rs"]
mod lifecycle;
#[path = "every/malformed.rs"]
mod malformed;
#[path = "every/tools.rs"]
mod tools;

use std::fs::File;
use std::io::{BufRead as _, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::gateway::stdio::{
    PRINTING, Pipes, READY, SERVED, THREADED, over_files, serve_if_told, spawn,
};
use crate::support;

type Transport = Pipes;

/// Not a test: the server that the other tests start as a separate process.
#[test]
fn the_server() {
    serve_if_told(|name| match name {
        "tools" => tools::server(),
        #[cfg(feature = "layer")]
        "plain" | "layered" => layers::server(name == "layered"),
        PRINTING => Printing.into_server(),
        "scoped" => Scoped.into_server(),
        THREADED => releasing(),
        name => support::named(name),
    });
}

#[tokio::test]
async fn files_are_served_to_their_end() {
    let input = format!(
        "{}\n{}",
        support::stateless(1, "tools/call", serde_json::json!({"name": "soon"})),
        support::stateless(2, "tools/list", serde_json::json!({})),
    );
    let printed = over_files("all", &input).await;
    let mut ids: Vec<_> = printed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].take())
        .collect();
    ids.sort_by_key(serde_json::Value::as_i64);
    assert_eq!(ids, [1, 2]);
}

struct Scoped;

#[mcp_server(undocumented = "allow", scopes("all"), filter_by_scopes)]
impl Scoped {
    #[tool(scopes("write"))]
    fn write(&self) -> &'static str {
        "written"
    }
}

#[tokio::test]
async fn scopes_have_no_effect() {
    let call = support::stateless(1, "tools/call", json!({"name": "write"}));
    let list = support::stateless(1, "tools/list", json!({}));
    for (input, text) in [(call, "written"), (list, r#""name":"write""#)] {
        let printed = over_files("scoped", &input.to_string()).await;
        assert!(printed.contains(text), "{printed}");
    }
}

struct Printing;

#[mcp_server]
impl Printing {
    /// Prints with every macro and stream.
    #[tool]
    #[allow(clippy::print_stdout)]
    fn print(&self, text: String) -> String {
        println!("{text} line");
        let child = Command::new("echo").arg(&text).arg("child").status();
        assert!(child.unwrap().success());
        print!("{text} rest");
        text
    }
}

/// Checks what the printing server wrote to its standard streams during two calls.
fn assert_separate(stdout: &str, stderr: &str) {
    let (_, served) = stdout.split_once(&format!("{READY}\n")).unwrap();
    let (messages, rest) = served.split_once(SERVED).unwrap();
    assert_eq!(rest, "\n");
    let answers = messages.lines().map(|line| {
        let message: Value = serde_json::from_str(line).unwrap();
        message["result"]["content"][0]["text"].clone()
    });
    assert!(answers.eq(["one", "two"]), "{messages}");
    assert_eq!(
        stderr,
        "one line\none child\none resttwo line\ntwo child\ntwo rest"
    );
}

fn calls() -> String {
    let call = |text| {
        let params = json!({"name": "print", "arguments": {"text": text}});
        support::stateless(1, "tools/call", params)
    };
    format!("{}\n{}\n", call("one"), call("two"))
}

#[tokio::test]
async fn printed_text_goes_to_standard_error_of_pipes_and_files() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("out");
    let input = directory.path().join("in");
    std::fs::write(&input, calls()).unwrap();
    let child = spawn(
        PRINTING,
        File::open(&input).unwrap().into(),
        File::create(&file).unwrap().into(),
        Stdio::piped(),
    );
    let files = child.wait_with_output().await.unwrap();
    let stderr = String::from_utf8(files.stderr).unwrap();
    assert_separate(&std::fs::read_to_string(&file).unwrap(), &stderr);

    let child = spawn(
        PRINTING,
        File::open(&input).unwrap().into(),
        Stdio::piped(),
        Stdio::piped(),
    );
    let pipes = child.wait_with_output().await.unwrap();
    let [stdout, stderr] = [pipes.stdout, pipes.stderr].map(|it| String::from_utf8(it).unwrap());
    assert_separate(&stdout, &stderr);
}

#[tokio::test]
async fn printed_text_goes_to_standard_error_of_sockets() {
    let [(stdin, mut input), (stdout, mut output)] =
        std::array::from_fn(|_| UnixStream::pair().unwrap());
    let child = spawn(
        PRINTING,
        OwnedFd::from(stdin).into(),
        OwnedFd::from(stdout).into(),
        Stdio::piped(),
    );
    input.write_all(calls().as_bytes()).unwrap();
    input.shutdown(Shutdown::Write).unwrap();
    let ended = child.wait_with_output().await.unwrap();
    let mut printed = String::new();
    output.read_to_string(&mut printed).unwrap();
    assert_separate(&printed, &String::from_utf8(ended.stderr).unwrap());
}

/// Creates a server whose `on_shutdown` takes several steps and then fails.
fn releasing() -> Server {
    let mut server = support::builder();
    server.on_shutdown(|| async {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        Err::<(), _>("it ran to its end")
    });
    server.build()
}

#[tokio::test]
async fn one_sigterm_lets_on_shutdown_run_to_its_end() {
    for _ in 0..10 {
        let (stdin, mut input) = std::io::pipe().unwrap();
        let (output, stdout) = std::io::pipe().unwrap();
        let mut child = spawn(THREADED, stdin.into(), stdout.into(), Stdio::null());
        let list = support::stateless(1, "tools/list", json!({}));
        writeln!(input, "{list}").unwrap();
        let mut lines = std::io::BufReader::new(output).lines();
        let is_answer = |line: &String| line.starts_with('{');
        lines.by_ref().map(Result::unwrap).find(is_answer).unwrap();
        let id = child.id().unwrap().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
        assert!(sent.unwrap().success());
        // The exit code is 1 because `on_shutdown` fails.
        assert_eq!(child.wait().await.unwrap().code(), Some(1));
    }
}
