//! The command in scripts: data alone on standard output, errors as JSON, pipes that are closed.

use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::support::{User, demo, log_after, mcp};

#[test]
fn an_error_is_one_line_of_json() {
    let program = demo();
    let cases: [(&[&str], i32, &str); 6] = [
        (
            &["inspect", "--json", "http://127.0.0.1:9/mcp"],
            4,
            "unreachable",
        ),
        (&["inspect", "--json", "nothing"], 2, "usage"),
        (&["frobnicate", "--json"], 2, "usage"),
        (&["call", "--json", "nothing", "--", &program], 5, "refused"),
        (
            &["read", "--json", "nothing://x", "--", &program],
            5,
            "refused",
        ),
        (
            &["call", "--json", "order", "--", &program],
            5,
            "input_required",
        ),
    ];
    for (arguments, code, name) in cases {
        let run = mcp(arguments);
        assert_eq!(run.code, code, "{run:?}");
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        let error: Value = serde_json::from_str(&run.stderr).unwrap();
        assert_eq!(error["error"]["code"], name, "{run:?}");
        assert!(error["error"]["message"].is_string());
    }
}

#[test]
fn a_url_in_an_error_has_no_secrets() {
    let run = mcp(&["inspect", "--json", "http://127.0.0.1:9/mcp?key=secret"]);
    assert!(!run.stderr.contains("secret"), "{run:?}");
    let error: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(error["error"]["url"], "http://127.0.0.1:9/mcp");
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let user = User::new();
    let program = demo();
    let mut child = user.start(&["call", "echo", "--input", "-", "--", &program]);
    let text = "line\n".repeat(100_000);
    let input = serde_json::json!({ "text": text }).to_string();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
    drop(stdin);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "line\n");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"", "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_call_is_cancelled() {
    let user = User::new();
    let program = demo();
    let mut child = user.start(&["call", "work", "milliseconds=600000", "-vv", "--", &program]);
    let mut log = log_after(&mut child, "calling");
    let id = child.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(log.any(|line| line.unwrap().contains("cancelled")));
}
