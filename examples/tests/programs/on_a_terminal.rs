//! Checks what a server prints when a person starts it on a terminal.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use mcp_runtime::Client;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{self, OpenptFlags};

use crate::first_day::unused;

/// A server over HTTP, with the terminal that it writes to.
struct Server {
    child: Child,
    url: String,
    terminal: BufReader<File>,
}

/// Opens a pseudoterminal, and returns the side to read from and the side for the server.
fn terminal() -> (File, OwnedFd) {
    let own = pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    pty::grantpt(&own).unwrap();
    pty::unlockpt(&own).unwrap();
    let path = pty::ptsname(&own, Vec::new()).unwrap();
    let other = rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty());
    (File::from(own), other.unwrap())
}

impl Server {
    /// Starts `program`, which must announce itself as `name`.
    fn started(program: &str, arguments: &[&str], name: &str) -> Self {
        let (own, other) = terminal();
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_remove("MCP_LOG")
            .stdin(Stdio::null());
        let child = command.stderr(other).spawn().unwrap();
        let mut terminal = BufReader::new(own);
        let mut line = String::new();
        terminal.read_line(&mut line).unwrap();
        let url = line.split_whitespace().last().unwrap().to_owned();
        assert!(line.starts_with(name), "{line}");
        assert!(url.starts_with("http://127.0.0.1:"), "{line}");
        Self {
            child,
            url,
            terminal,
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.terminal.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn clock() -> Server {
    Server::started(env!("CARGO_BIN_EXE_clock"), &["127.0.0.1:0"], "clock 1")
}

#[tokio::test]
async fn a_server_shows_where_it_can_be_reached() {
    let server = clock();
    let client = Client::connect(&*server.url).await.unwrap();
    assert_eq!(client.server_info().unwrap().name, "clock");
    client.close().await;
}

#[test]
fn a_server_on_standard_input_says_who_starts_it() {
    let (own, other) = terminal();
    let mut command = Command::new(env!("CARGO_BIN_EXE_calculator"));
    command
        .stdin(other.try_clone().unwrap())
        .stdout(Stdio::null())
        .stderr(other);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut line = String::new();
    BufReader::new(own).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("a client starts this program"), "{line}");
}

#[tokio::test]
async fn another_path_is_answered_with_that_of_mcp() {
    let server = clock();
    let other = server.url.replace("/mcp", "/api");
    let error = Client::connect(&*other).await.unwrap_err().to_string();
    for part in ["404", &other, "`/mcp`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn another_host_is_named_to_both_sides() {
    let mut server = clock();
    let address = server.url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address.strip_suffix("/mcp").unwrap()).unwrap();
    let head = "Host: example.com\r\nConnection: close\r\nContent-Length: 0";
    write!(stream, "POST /mcp HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    for part in ["403", "allowed_hosts"] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    if cfg!(debug_assertions) {
        let line = server.line();
        for part in ["WARN", "example.com", "allowed_hosts"] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
}

#[tokio::test]
async fn a_server_that_asks_for_a_token_is_named_with_the_status() {
    let issuer = "http://127.0.0.1:9";
    let unused = unused().to_string();
    let arguments = [&*unused, issuer];
    let server = Server::started(env!("CARGO_BIN_EXE_protected"), &arguments, "");
    let error = Client::connect(&*server.url).await.unwrap_err().to_string();
    for part in ["401", &server.url] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
