//! Checks how SIGTERM and Ctrl-C end a server on standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    question: Value,
}

impl Server {
    /// Starts a server that is handling call 7, which waits for the answer to a question.
    fn at_work() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_elicit"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut server = Self {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
            question: Value::Null,
        };
        server.send(
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"elicitation": {"url": {}}},
                "clientInfo": {"name": "test", "version": "1"},
            }}),
        );
        assert_eq!(server.next().unwrap()["id"], 0);
        server.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server.send(
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
                "name": "pay", "arguments": {"number": 2},
            }}),
        );
        let question = server.next().unwrap();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        server.question = question["id"].clone();
        server
    }

    fn send(&mut self, message: Value) {
        writeln!(self.stdin, "{message}").unwrap();
    }

    /// Reads the next message, or returns `None` at the end of output.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    fn signal(&self, name: &str) {
        let command = format!("kill -s {name} {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &command]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until the server refuses requests because it is shutting down.
    fn is_ending(&mut self) {
        for id in 100.. {
            self.send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            let answer = self.next().unwrap();
            assert_eq!(answer["id"], id);
            if answer.get("error").is_some() {
                return;
            }
        }
    }

    fn ended(mut self) -> ExitStatus {
        assert_eq!(self.next(), None);
        self.child.wait().unwrap()
    }
}

#[test]
fn a_signal_lets_calls_finish_and_takes_no_new_ones() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::at_work();
        server.signal(signal);
        server.is_ending();
        let question = server.question.clone();
        server.send(json!({"jsonrpc": "2.0", "id": question, "result": {"action": "accept"}}));
        let answer = server.next().unwrap();
        assert_eq!(answer["id"], 7, "{answer}");
        assert!(answer.get("result").is_some(), "{answer}");
        assert_eq!(server.ended().code(), Some(0));
    }
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let mut server = Server::at_work();
    server.signal("TERM");
    server.is_ending();
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
}
