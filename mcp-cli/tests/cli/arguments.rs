//! Tests arguments of calls from the command line, files and standard input.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;

use serde_json::json;

use crate::support::{Run, User, demo};

#[test]
fn a_whole_object_comes_from_a_file_or_standard_input() {
    let user = User::new();
    user.write("input.json", r#"{"place": {"city": "Oslo"}, "days": 1}"#);
    let program = demo();
    let call = ["call", "forecast", "days=2", "--json", "--input"];
    let from_file = user
        .run(&[&call[..], &["input.json", "--", &program]].concat())
        .json();
    assert_eq!(from_file["structuredContent"]["place"], "Oslo");
    assert_eq!(from_file["structuredContent"]["days"], 2);
    let input = r#"{"place": {"city": "Rome"}}"#;
    let from_input = user.run_with_input(&[&call[..], &["-", "--", &program]].concat(), input);
    assert_eq!(from_input.json()["structuredContent"]["place"], "Rome");
}

#[test]
fn values_come_from_files_and_json() {
    let user = User::new();
    user.write("place.json", r#"{"city": "Oslo", "country": "Norway"}"#);
    user.write("text", "of a file");
    let run = user.run(&[
        "call",
        "forecast",
        "place:=@place.json",
        "tags:=[\"x\",\"y\"]",
        "tags=@text",
        "--json",
        "--",
        &demo(),
    ]);
    let forecast = &run.json()["structuredContent"];
    assert_eq!(forecast["place"], "Oslo, Norway");
    assert_eq!(forecast["tags"], json!(["x", "y", "of a file"]));
}

#[cfg(unix)]
#[test]
fn variables_and_folders_are_those_of_the_command_line() {
    let user = User::new();
    user.write("sub/x", "");
    let script = "echo \"$A $B $C $(pwd)\" >&2; exit 9";
    let mut command = user.command(&[
        "inspect", "--env", "A=1", "--env", "B", "--cwd", "sub", "--", "sh", "-c", script,
    ]);
    let output = command.env("B", "2").env("C", "3").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("1 2  /"), "{stderr}");
    assert!(stderr.contains("/sub"), "{stderr}");
}

#[test]
fn a_header_takes_values_from_variables() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, heads) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines().map(Result::unwrap);
            let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
            let _ = sender.send(head);
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n");
        }
    });
    let user = User::new();
    let inspect = |header: &str, key: &str| {
        let mut command = user.command(&["inspect", &url, "--header", header]);
        Run::from(command.env("MCP_TEST_KEY", key).output().unwrap())
    };
    inspect("X-Key: a ${MCP_TEST_KEY} $b ${MCP_TEST_UNSET:-c}", "secret").fails(4, &["404"]);
    let head = heads.recv().unwrap();
    let expected = "x-key: a secret $b c".to_owned();
    assert!(head.contains(&expected), "{head:?}");

    let unset = inspect("X-Key: ${MCP_TEST_KEY} ${MCP_TEST_UNSET}", "secret");
    unset.fails(2, &["`MCP_TEST_UNSET` is not set", "--header"]);
    let malformed = inspect("X-Key: ${MCP_TEST_KEY}", "sec\nret");
    malformed.fails(4, &["X-Key"]);
    for run in [unset, malformed] {
        assert!(!run.stderr.contains("ret"), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn digits_of_numbers_go_through_both_ways() {
    use crate::support::{mcp, scripted};
    let tools = r#""result": {"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {"n": {"type": "number"}}}}]}"#;
    for (arguments, result, expected) in [
        (
            "123456789012345678901234567890",
            r#""structuredContent": {"n": 123456789012345678901234567890, "d": 0.10000000000000000555111}"#,
            "{\n  \"n\": 123456789012345678901234567890,\n  \"d\": 0.10000000000000000555111\n}\n",
        ),
        (
            "1.50",
            r#""structuredContent": {"n": [1e400]}"#,
            "{\n  \"n\": [\n    1e400\n  ]\n}\n",
        ),
        (
            "18446744073709551616",
            r#""structuredContent": {"result": 1e400}"#,
            "{\n  \"result\": 1e400\n}\n",
        ),
    ] {
        // The server returns the result only if the arguments are as expected.
        let call = format!("tools/call\"'*'\"arguments\":{{\"n\":{arguments}}}'*'");
        let result = format!(r#""result": {{"content": [], {result}}}"#);
        let program = scripted(&[("tools/list", tools), (&call, &result)]);
        let program: Vec<_> = program.iter().map(String::as_str).collect();
        let argument = format!("n={arguments}");
        let run = |json: &[&str]| {
            let words = [
                &["call", "t", &argument, "--era", "handshake"],
                json,
                &["--"],
                &program,
            ]
            .concat();
            mcp(&words).text()
        };
        assert_eq!(run(&[]), expected);
        let document = run(&["--json"]);
        let inside = expected.trim_end().replace('\n', "\n  ");
        assert!(document.contains(&inside), "{inside} in {document}");
    }
}
