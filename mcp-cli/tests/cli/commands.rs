//! Tests each command, with and without `--json`, over stdio and HTTP.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::support::{Server, User, at_demo, demo, log_after, mcp};

/// Runs a command on the same server over stdio and over HTTP, and returns the output, which has to
/// be the same.
#[track_caller]
fn both(arguments: &[&str]) -> String {
    let program = demo();
    let server = Server::start();
    let [command, rest @ ..] = arguments else {
        panic!("no command");
    };
    let behind_dashes = [&[*command], rest, &["--", &program]].concat();
    let over_http = [&[*command, &server.url], rest].concat();
    let text = mcp(&behind_dashes).text();
    assert_eq!(mcp(&over_http).text(), text);
    text
}

fn document(arguments: &[&str]) -> Value {
    serde_json::from_str(&both(arguments)).unwrap()
}

#[test]
fn inspect_shows_what_a_server_offers() {
    let text = both(&["inspect"]);
    for part in [
        "demo 1.0.0-rc.1\n  revision 2026-07-28, stateless, found by `server/discover`\n",
        "tools (7)\n",
        "  forecast(place: {city: string, country?: string}, days?: integer, tags?: string[]) -> {place: string, days: integer, tags: string[]}\n      Forecast for a place.\n",
        "prompts (1)\n  greet(name, tone?)\n",
        "resources (1)\n  pixel://picture (pixel, image/png)\n",
        "templates (1)\n  note://{id} (note, text/plain)\n",
    ] {
        assert!(text.contains(part), "{part}\nin {text}");
    }
    let handshake = both(&["inspect", "--era", "handshake"]);
    assert!(
        handshake.contains("revision 2025-11-25, handshake, as set\n"),
        "{handshake}"
    );
    let tool = both(&["inspect", "--tool", "echo"]);
    assert!(
        tool.starts_with("echo(text: string)\n  Repeats a string.\ninput\n{\n"),
        "{tool}"
    );
}

#[test]
fn a_snapshot_is_the_same_each_time() {
    let first = both(&["inspect", "--json"]);
    let second = both(&["inspect", "--json"]);
    assert_eq!(first, second);
    let snapshot: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(snapshot["server"]["name"], "demo");
    assert_eq!(snapshot["revision"], "2026-07-28");
    let names: Vec<_> = snapshot["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(
        names,
        [
            "announce", "echo", "fail", "forecast", "order", "picture", "work"
        ]
    );
    // The members are in the server's order, not in alphabetical order.
    let order = ["\"place\": {", "\"days\": {", "\"tags\": {"].map(|it| first.find(it).unwrap());
    assert!(order.is_sorted(), "{first}");
}

#[test]
fn call_prints_text_as_it_is() {
    assert_eq!(both(&["call", "echo", "text=a\u{1b}[1mb"]), "a\u{1b}[1mb\n");
    let result = document(&["call", "echo", "text=5", "--json"]);
    assert_eq!(result["content"], json!([{"type": "text", "text": "5"}]));
}

#[test]
fn call_prints_structured_content_once() {
    let text = both(&[
        "call",
        "forecast",
        "place.city=Oslo",
        "days=2",
        "tags=a",
        "tags=b",
    ]);
    let expected =
        "{\n  \"place\": \"Oslo\",\n  \"days\": 2,\n  \"tags\": [\n    \"a\",\n    \"b\"\n  ]\n}\n";
    assert_eq!(text, expected);
    let handshake = both(&["call", "forecast", "place.city=Oslo", "--era", "handshake"]);
    assert!(
        handshake.starts_with("{\n  \"place\": \"Oslo\""),
        "{handshake}"
    );
}

#[test]
fn call_writes_pictures_into_a_folder() {
    assert_eq!(both(&["call", "picture"]), "image/png, 20 B\n");
    let user = User::new();
    let run = user.at_demo(&["call", "picture", "--save", "pictures"]);
    let saved = std::path::Path::new("pictures").join("content-1.png");
    assert_eq!(
        run.text(),
        format!("image/png, 20 B: {}\n", saved.display())
    );
    let bytes = std::fs::read(user.path("pictures/content-1.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    let run = user.at_demo(&["call", "picture", "--json", "--save", "more"]);
    assert_eq!(run.json()["content"][0]["type"], "image");
    assert!(user.path("more/content-1.png").exists());
}

#[test]
fn call_answers_questions_in_both_eras() {
    for era in ["stateless", "handshake"] {
        let text = both(&[
            "call",
            "order",
            "--answer",
            "size=large",
            "--answer",
            "count=3",
            "--era",
            era,
        ]);
        assert_eq!(text, "3 large\n");
    }
    assert_eq!(
        both(&["call", "order", "--answer", "size=small"]),
        "1 small\n"
    );
}

#[test]
fn read_prints_contents() {
    assert_eq!(both(&["read", "note://7"]), "note 7");
    assert_eq!(both(&["read", "note://{id}", "id=8"]), "note 8");
    let read = document(&["read", "note://7", "--json"]);
    assert_eq!(read["contents"][0]["text"], "note 7");
    let user = User::new();
    let run = user.at_demo(&["read", "pixel://picture", "-o", "pixel.png"]);
    assert_eq!(run.text(), "");
    assert_eq!(std::fs::read(user.path("pixel.png")).unwrap().len(), 20);
    let run = user.at_demo(&["read", "note://1", "--json", "-o", "note"]);
    assert_eq!(run.json()["contents"][0]["text"], "note 1");
    assert_eq!(std::fs::read(user.path("note")).unwrap(), b"note 1");
    let piped = user
        .command(&["read", "pixel://picture", "--", &demo()])
        .output()
        .unwrap();
    assert!(piped.stdout.starts_with(b"\x89PNG"));
}

#[test]
fn prompt_prints_messages_and_completions() {
    let text = both(&["prompt", "greet", "name=Ada"]);
    assert_eq!(text, "user:\nGreet Ada in a kind tone.\n");
    let prompt = document(&["prompt", "greet", "name=Ada", "--json"]);
    assert_eq!(prompt["messages"][0]["role"], "user");
    assert_eq!(
        both(&["prompt", "greet", "--complete", "name", "A"]),
        "Ada\nAlan\n"
    );
    let values = document(&["prompt", "greet", "--complete", "name", "A", "--json"]);
    assert_eq!(values["values"], json!(["Ada", "Alan"]));
}

#[test]
fn listen_prints_each_change_on_a_line() {
    for era in ["stateless", "handshake"] {
        let server = Server::start();
        let user = User::new();
        let arguments = [
            "listen",
            &server.url,
            "note://1",
            "--era",
            era,
            "--json",
            "-vv",
        ];
        let mut child = user.start(&arguments);
        // The command logs this after the server has accepted the subscription.
        let _log = log_after(&mut child, "waiting for changes of tools");
        mcp(&["call", &server.url, "announce"]).text();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines: Vec<_> = lines.take(2).map(Result::unwrap).collect();
        lines.sort();
        child.kill().unwrap();
        child.wait().unwrap();
        let expected = [
            r#"{"changed":"resource","uri":"note://1"}"#,
            r#"{"changed":"tools"}"#,
        ];
        assert_eq!(lines, expected, "{era}");
    }
}

#[test]
fn listen_ends_after_its_time() {
    assert_eq!(both(&["listen", "--for", "50ms"]), "");
}

#[test]
fn listen_says_which_changes_it_waits_for() {
    let listen = |options: &[&str]| {
        let words = [&["listen", "note://1", "--for", "50ms"], options].concat();
        let run = at_demo(&words);
        assert_eq!(run.code, 0, "{run:?}");
        run.stderr
    };
    let waiting = "waiting for changes of tools and note://1; Ctrl-C ends\n\
        the server does not announce changes of prompts or resources\n";
    assert_eq!(listen(&[]), waiting);
    assert_eq!(listen(&["--json"]), "");
}

#[test]
fn completions_are_those_of_the_shell() {
    let script = mcp(&["completions", "bash"]).text();
    assert!(script.contains("_mcp()"), "{script}");
}

#[test]
fn cargo_has_the_command_as_well() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-mcp"));
    let output = command
        .args(["mcp", "call", "echo", "text=x", "--", &demo()])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "x\n");
}
