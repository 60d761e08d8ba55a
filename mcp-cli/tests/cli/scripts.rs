//! Tests the command in scripts: only data on standard output, errors as JSON, and closed pipes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

#[cfg(unix)]
use crate::support::kill;
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
    kill(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(log.any(|line| line.unwrap().contains("cancelled")));
}

#[cfg(unix)]
#[test]
fn each_signal_ends_the_command_and_a_busy_server() {
    // These servers ignore the end of their input. Unless they are killed, they log "left behind".
    let busy = "trap '' TERM HUP INT QUIT; echo busy >&2; sleep 10; echo left behind >&2";
    let connects = ["inspect", "-vv", "--", "sh", "-c", busy];
    let script = format!("{}; sleep 10; echo left behind >&2", demo());
    let work = ["call", "work", "milliseconds=600000", "-vv", "--"];
    let calls = [&work[..], &["sh", "-c", &script]].concat();
    let signals = [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)];
    // If the tests were started by `nohup`, they ignore SIGHUP, and so does everything they start.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let is_ignored = ignored.is_some_and(|it| {
        it.trim()
            .ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f'])
    });
    for (signal, code) in signals
        .into_iter()
        .filter(|it| it.0 != "HUP" || !is_ignored)
    {
        for (words, state) in [(&connects[..], "busy"), (&calls, "calling")] {
            let user = User::new();
            let mut child = user.start(words);
            let mut log = log_after(&mut child, state);
            kill(&child, signal);
            assert_eq!(child.wait().unwrap().code(), Some(code), "{signal} {state}");
            // The log ends when the last process that inherited it ends.
            let is_left = log.any(|line| line.unwrap() == "left behind");
            assert!(!is_left, "{signal} {state}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_was_started_by_nohup_outlives_a_hangup() {
    let user = User::new();
    let mcp = env!("CARGO_BIN_EXE_mcp");
    let program = demo();
    let script = "trap '' HUP; exec \"$0\" \"$@\"";
    let mut command = user.command_of("sh", &["-c", script, mcp]);
    command.args(["call", "work", "milliseconds=400", "-vv", "--", &program]);
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let log = log_after(&mut child, "calling");
    kill(&child, "HUP");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(log);
}
