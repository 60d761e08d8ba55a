//! A gateway that sends lines to the standard input of another process, and returns its output.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::process::Stdio;

use mcp_runtime::transport::ByteStream;
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::{ServeError, Server};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::pump;
use crate::support::faults::{Faulty, next_seed};
use crate::support::over::{Line, Over};

/// The test that runs the server if [`VARIABLE`] is set.
const SERVER: &str = "over_stdio::the_server";
/// The environment variable that tells the other process which server to run.
const VARIABLE: &str = "MCP_TEST_SERVER";
/// The line that follows the test harness's own output.
pub(crate) const READY: &str = "the server is ready";
/// The name of the server whose process has several threads.
pub(crate) const THREADED: &str = "threaded";
/// The name of the server after which [`SERVED`] is printed.
pub(crate) const PRINTING: &str = "printing";
pub(crate) const SERVED: &str = "the server was served";

/// Standard streams that are pipes.
pub(crate) struct Pipes;

/// Standard streams that are sockets, as Node.js makes them.
pub(crate) struct Sockets;

impl Over for Pipes {
    async fn line(_: &Server) -> Line {
        panic!("{UNNAMED}");
    }

    async fn shared(name: &str, _: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        let (child, output, input) = over_pipes(name);
        (ours, tokio::spawn(converse(child, theirs, output, input)))
    }
}

/// Standard streams whose bytes arrive in pieces.
pub(crate) struct DribblingPipes;

impl Over for DribblingPipes {
    async fn line(_: &Server) -> Line {
        panic!("{UNNAMED}");
    }

    async fn shared(name: &str, _: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        let (child, output, input) = over_pipes(name);
        let output = Faulty::dribbling(output, next_seed());
        let input = Faulty::dribbling(input, next_seed());
        (ours, tokio::spawn(converse(child, theirs, output, input)))
    }
}

impl Over for Sockets {
    async fn line(_: &Server) -> Line {
        panic!("{UNNAMED}");
    }

    async fn shared(name: &str, _: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        (ours, over_sockets(name, theirs))
    }
}

const UNNAMED: &str = "another process can't be given a server: name it";

/// Runs the server `name` in a separate process. The process executes this test program, but only
/// the test that calls [`serve_if_told`].
fn over_pipes(name: &str) -> (Child, pipe::Receiver, pipe::Sender) {
    let (stdin, input) = std::io::pipe().unwrap();
    let (output, stdout) = std::io::pipe().unwrap();
    let child = spawn(name, stdin.into(), stdout.into(), Stdio::null());
    let input = pipe::Sender::from_owned_fd(input.into()).unwrap();
    let output = pipe::Receiver::from_owned_fd(output.into()).unwrap();
    (child, output, input)
}

fn over_sockets(name: &str, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    let [(stdin, input), (stdout, output)] = std::array::from_fn(|_| StdStream::pair().unwrap());
    let child = spawn(
        name,
        OwnedFd::from(stdin).into(),
        OwnedFd::from(stdout).into(),
        Stdio::null(),
    );
    let [input, output] = [input, output].map(|stream| {
        stream.set_nonblocking(true).unwrap();
        UnixStream::from_std(stream).unwrap()
    });
    tokio::spawn(converse(child, line, output, input))
}

/// Runs a server that reads `input` from a file and writes to a file, and returns its output.
pub(crate) async fn over_files(name: &str, input: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let [stdin, stdout] = ["in", "out"].map(|name| directory.path().join(name));
    std::fs::write(&stdin, input).unwrap();
    let [from, into] = [File::open(&stdin), File::create(&stdout)].map(Result::unwrap);
    let mut child = spawn(name, from.into(), into.into(), Stdio::null());
    let status = child.wait().await.unwrap();
    assert!(status.success(), "{status}");
    let printed = std::fs::read_to_string(&stdout).unwrap();
    let (_, served) = printed.split_once(&format!("{READY}\n")).unwrap();
    served.to_owned()
}

pub(crate) fn spawn(name: &str, stdin: Stdio, stdout: Stdio, stderr: Stdio) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", SERVER, "--nocapture", "--quiet"])
        .env(VARIABLE, name)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

async fn converse(
    mut child: Child,
    line: Memory,
    output: impl AsyncRead + Send + Unpin + 'static,
    input: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), ServeError> {
    let mut output = BufReader::new(output);
    let mut printed = String::new();
    while !printed.ends_with(&format!("{READY}\n")) {
        output.read_line(&mut printed).await.unwrap();
    }
    pump::connect(line, ByteStream::new(output, input)).await;
    let status = child.wait().await.unwrap();
    assert!(status.success(), "{status}");
    Ok(())
}

/// Runs the requested server on the standard streams if this process was started for that.
#[allow(clippy::print_stdout)]
pub(crate) fn serve_if_told(named: impl Fn(&str) -> Server) {
    let Ok(name) = std::env::var(VARIABLE) else {
        return;
    };
    println!("\n{READY}");
    let mut runtime = if name == THREADED {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    let runtime = runtime.enable_all().build().unwrap();
    let served =
        runtime.block_on(async { named(&name).serve(mcp_runtime::transport::stdio()).await });
    if name == PRINTING {
        println!("{SERVED}");
    }
    // Exit here, so that the test harness prints nothing else.
    std::process::exit(i32::from(served.is_err()));
}
