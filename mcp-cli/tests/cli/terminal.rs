//! Tests that strings from strangers can't control the terminal that shows them.

use std::fs;

use serde_json::{Value, json};

use crate::pty::Terminal;
use crate::support::{User, answering, example};

/// Every string of the example `hostile` ends with this.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{1b}[7777m\u{9b}7777m\u{202e}";
/// The sequences that a terminal would obey. `mcp` itself writes only other sequences.
const OBEYED: [&str; 5] = ["\u{1b}]", "\u{7}", "\u{1b}[7777m", "\u{9b}", "\u{202e}"];

fn named(name: &str) -> String {
    format!("{name}{HOSTILE}")
}

/// Runs the command, and checks that strings from a stranger are shown escaped.
#[track_caller]
fn escapes(user: &User, arguments: &[&str], answers: &[(&str, &str)]) -> String {
    let mut terminal = Terminal::start(user, arguments);
    for (question, keys) in answers {
        terminal.answer(question, keys);
    }
    let (_, shown) = terminal.end();
    for sequence in OBEYED {
        assert!(
            !shown.contains(sequence),
            "{arguments:?} shows {sequence:?}: {shown:?}"
        );
    }
    let is_escaped = ["\\u{1b}]0;title", "\\u001b]0;title"]
        .iter()
        .any(|it| shown.contains(it));
    assert!(
        is_escaped,
        "{arguments:?} does not show the escaped title: {shown:?}"
    );
    shown
}

#[test]
fn no_command_lets_a_server_control_the_terminal() {
    let user = User::new();
    let hostile = example("hostile");
    let at = |words: &[&str]| escapes(&user, &[words, &["--", &hostile]].concat(), &[]);
    let echo = named("echo");
    let greet = named("greet");
    let who = named("who");
    let name = format!("{who}=x");
    let inspected = at(&["inspect"]);
    for part in [
        "instructions",
        "experiment",
        "echo",
        "greet",
        "note://text",
        "note://{x}",
    ] {
        assert!(inspected.contains(part), "{part}: {inspected:?}");
    }
    at(&["inspect", "--json"]);
    at(&["inspect", "--tool", &echo]);
    at(&["inspect", "--tool", &echo, "--json"]);
    at(&["inspect", "--tool", &named("ech")]);
    at(&["call", &echo]);
    at(&["call", &echo, "--json"]);
    at(&["call", &echo, &format!("{}=x", named("argument"))]);
    at(&["call", &echo, "argumen=x"]);
    let log = at(&["-v", "call", &echo]);
    assert!(
        log.contains("started\\u{1b}") && log.contains("error text\\u{1b}"),
        "{log:?}"
    );
    at(&["call", &named("fail")]);
    at(&["call", &named("fail"), "--json"]);
    at(&["call", &named("refuse")]);
    at(&["call", &named("wrong page")]);
    at(&["read", &named("note://text")]);
    at(&["read", &named("note://text"), "--json"]);
    at(&["read", "note://blob"]);
    at(&["prompt", &greet, &name]);
    at(&["prompt", &greet, &name, "--json"]);
    at(&["prompt", &greet]);
    at(&["prompt", &greet, "--complete", &who, "x"]);
    at(&["listen", &named("note://text"), "--count", "1"]);
    at(&["listen", &named("note://text"), "--count", "1", "--json"]);
    at(&["bindgen", "-o", "bindings.rs"]);
    let snapshot = user.path("bindings.mcp.json");
    let mut edited: Value = serde_json::from_slice(&fs::read(&snapshot).unwrap()).unwrap();
    edited["tools"] = json!([]);
    fs::write(&snapshot, edited.to_string()).unwrap();
    at(&["bindgen", "-o", "bindings.rs", "--check"]);
}

#[test]
fn no_question_of_a_server_controls_the_terminal() {
    let user = User::new();
    let hostile = example("hostile");
    let at = |tool: &str, answers| {
        let words = ["call", &named(tool), "--", &hostile].map(str::to_owned);
        escapes(&user, &words.each_ref().map(String::as_str), answers)
    };
    let fields = [
        ("Answer", "\r"),
        // `(` precedes the default value. The label alone also occurs in the first question.
        ("(text", "\r"),
        ("short\\u{1b}", "long\r"),
        ("#", "\u{7f}\u{7f}\u{7f}\r"),
        ("one\\u{1b}", "\r"),
        ("many\\u{1b}", " \r"),
    ];
    let shown = at("form", &fields);
    // The default is shown escaped, but sent unchanged.
    assert!(shown.contains(r#""line":"text\u001b]0;title"#), "{shown:?}");
    at("page", &[("Open this page", "\u{1b}[B\r")]);
}

#[test]
fn no_file_of_a_project_controls_the_terminal() {
    let user = User::new();
    let input = |id: &str, kind: &str, member: &str, value: Value| json!({"id": id, "type": kind, "description": named(id), "default": named("default"), member: value});
    let options = json!([named("a"), named("b")]);
    let inputs = [
        input("text", "promptString", "password", json!(false)),
        input("choice", "pickString", "options", options),
        input("password", "promptString", "password", json!(true)),
    ];
    let arguments = ["text", "choice", "password"].map(|it| format!("${{input:{it}}}"));
    let servers = json!({
        "inputs": inputs,
        "servers": {
            "asks": {"command": example("hostile"), "args": arguments},
            named("missing"): {"command": named("./missing"), "args": [HOSTILE]},
            named("remote"): {"type": "http", "url": named("http://127.0.0.1:9/")},
            named("unset"): {"command": "x", "env": {"A": named("${env:UNSET}")}},
            named("wrong"): {"command": [HOSTILE]},
        },
    });
    user.write(".vscode/mcp.json", &servers.to_string());
    let config = ["--config", ".vscode/mcp.json"];
    let run = |words: &[&str], answers| escapes(&user, &[words, &config].concat(), answers);
    run(&["servers"], &[]);
    run(&["servers", "--json"], &[]);
    run(&["servers", "--check"], &[]);
    run(&["inspect", &named("missing")], &[]);
    run(&["doctor", &named("missing")], &[]);
    run(&["doctor", &named("remote")], &[]);
    run(&["inspect", &named("remote")], &[]);
    run(&["inspect", &named("missin")], &[]);
    let answers = [
        ("text\\u{1b}", "\r"),
        ("choice\\u{1b}", "\r"),
        ("password\\u{1b}", "x\r"),
    ];
    run(&["inspect", "asks"], &answers);
}

#[test]
fn no_web_server_controls_the_terminal() {
    let user = User::new();
    let body: &'static str = named("<html>").leak();
    for head in [
        "200 OK\r\ncontent-type: text/html",
        "401 Unauthorized",
        "500 Internal Server Error",
    ] {
        let url = answering(head, body);
        for command in ["inspect", "doctor"] {
            let (_, shown) = Terminal::start(&user, &[command, &url, "--auth", "none"]).end();
            for sequence in OBEYED {
                assert!(
                    !shown.contains(sequence),
                    "{head} shows {sequence:?}: {shown:?}"
                );
            }
            assert!(shown.contains(&url), "{shown:?}");
        }
    }
}
