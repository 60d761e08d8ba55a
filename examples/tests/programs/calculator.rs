//! Runs the calculator as a process, and talks to it over its standard streams.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

struct Calculator {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Calculator {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_calculator"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn operating(revision: &str) -> Self {
        let mut calculator = Self::start();
        let answer = calculator.ask(
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }}),
        );
        assert_eq!(answer["result"]["protocolVersion"], revision);
        assert_eq!(answer["result"]["serverInfo"]["name"], "calculator");
        calculator
            .send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n".as_bytes());
        calculator
    }

    fn send(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(format!("{message}\n").as_bytes());
        self.answer()
    }

    fn call(&mut self, tool: &str, arguments: Value, stateless: bool) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments});
        if stateless {
            params["_meta"] = stateless_meta();
        }
        self.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
    }

    /// Closes standard input, waits for a clean exit, and returns the remaining output.
    fn finish(mut self) -> String {
        drop(self.stdin.take());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
        rest
    }
}

impl Drop for Calculator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stateless_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

fn calculates(calculator: &mut Calculator, stateless: bool) {
    let sum = calculator.call("add", json!({"a": 2, "b": 3}), stateless);
    assert_eq!(text(&sum), "5", "{sum}");
    let echo = calculator.call("echo", json!({"text": "grüß\n\"dich\""}), stateless);
    assert_eq!(text(&echo), "grüß\n\"dich\"", "{echo}");
    let failed = calculator.call("divide", json!({"a": 1, "b": 0}), stateless);
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    assert!(text(&failed).contains("division by zero"), "{failed}");
    let misfit = calculator.call("add", json!({"a": "two"}), stateless);
    assert_eq!(misfit["result"]["isError"], true, "{misfit}");
    assert!(
        text(&misfit).contains('a') && text(&misfit).contains('b'),
        "{misfit}"
    );
}

#[test]
fn every_handshake_revision_is_served() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut calculator = Calculator::operating(revision);
        let list = calculator.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["add", "divide", "echo"]);
        assert_eq!(tools[0]["description"], "Adds two whole numbers.");
        assert_eq!(tools[0]["inputSchema"]["required"], json!(["a", "b"]));
        calculates(&mut calculator, false);
        assert_eq!(calculator.finish(), "");
    }
}

#[test]
fn a_stateless_client_is_served_without_a_handshake() {
    let mut calculator = Calculator::start();
    let discover = json!({"jsonrpc": "2.0", "id": "d", "method": "server/discover",
        "params": {"_meta": stateless_meta()}});
    let discovered = calculator.ask(&discover);
    assert_eq!(
        discovered["result"]["capabilities"],
        json!({"tools": {}}),
        "{discovered}"
    );
    calculates(&mut calculator, true);
    assert_eq!(calculator.finish(), "");
}

#[test]
fn bad_lines_are_answered_and_the_process_lives_on() {
    let mut calculator = Calculator::operating("2025-06-18");
    for (bytes, code) in [
        (&b"rubbish\n"[..], -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n",
            -32700,
        ),
        (
            b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}\n",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}\n",
            -32600,
        ),
        (b"[]\n", -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/burn\"}\n",
            -32601,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}\n",
            -32602,
        ),
    ] {
        calculator.send(bytes);
        let answer = calculator.answer();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        calculates(&mut calculator, false);
    }
    calculator.send(b"\n\r\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}\r\n");
    assert_eq!(calculator.answer()["id"], 4);
}

#[test]
fn a_line_over_the_limit_is_skipped() {
    let mut calculator = Calculator::operating("2025-06-18");
    let head = b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":{\"x\":\"";
    calculator.send(head);
    for _ in 0..25 {
        calculator.send(&vec![b'x'; 1024 * 1024]);
    }
    calculator.send(b"\"}}\n");
    let answer = calculator.answer();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(9), &json!(-32600)),
        "{answer}"
    );
    calculates(&mut calculator, false);
}

#[test]
fn the_last_line_needs_no_line_break() {
    let mut calculator = Calculator::operating("2025-06-18");
    calculator.send(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}");
    assert_eq!(
        calculator.finish(),
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n"
    );
}

#[cfg(unix)]
#[test]
fn sigterm_ends_the_process_in_good_order() {
    let mut calculator = Calculator::operating("2025-06-18");
    let pid = calculator.child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .unwrap()
            .success()
    );
    let status = calculator.child.wait().unwrap();
    assert_eq!(status.code(), Some(0), "{status}");
}

#[test]
fn a_message_larger_than_a_pipe_goes_through_whole() {
    let mut calculator = Calculator::operating("2025-06-18");
    let long = "x".repeat(300_000);
    let echo = calculator.call("echo", json!({"text": long}), false);
    assert_eq!(text(&echo), long);
}
