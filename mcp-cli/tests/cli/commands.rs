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
        "  forecast  read-only\n    Forecast for a place.\n      place  object    required    A place on a map.\n",
        "      days   integer   default 3   0 to 255\n",
        "prompts (1)\n  greet\n    Greets a person.\n      name  required\n      tone  optional\n",
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
    // The tools are in the order of the server.
    let order = [
        "  echo  ",
        "  forecast  ",
        "  picture  ",
        "  fail\n",
        "  announce\n",
    ];
    let order = order.map(|it| text.find(it).unwrap_or_else(|| panic!("{it}")));
    assert!(order.is_sorted(), "{text}");
}

#[test]
fn inspect_shows_one_part_with_an_example_that_works() {
    let user = User::new();
    for (option, name, expected) in [
        (
            "--tool",
            "forecast",
            "  place.city     string    required\n",
        ),
        (
            "--tool",
            "forecast",
            "\nresult\n  place  string    required\n",
        ),
        (
            "--prompt",
            "greet",
            "arguments\n  name  required\n  tone  optional\n",
        ),
        ("--resource", "pixel://picture", "  mimeType  image/png\n"),
        ("--template", "note://{id}", "variables\n  id\n"),
    ] {
        let text = user.at_demo(&["inspect", option, name]).text();
        assert!(text.contains(expected), "{expected}\nin {text}");
        let (_, example) = text.split_once("\nexample\n  mcp ").unwrap();
        let mut words = shlex::split(example).unwrap();
        if name == "note://{id}" {
            words[2] = "id=7".to_owned();
        }
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let output = user.command(&words).output().unwrap();
        assert!(output.status.success(), "{example}: {output:?}");
        let document = user.at_demo(&["inspect", option, name, "--json"]).json();
        let key = if option == "--template" {
            "uriTemplate"
        } else {
            "uri"
        };
        let named = document.get("name").filter(|it| *it == name);
        assert!(
            named.or(document.get(key)).is_some_and(|it| it == name),
            "{document}"
        );
    }
    let resources = user.at_demo(&["inspect", "--resources"]).text();
    assert_eq!(
        resources,
        "pixel://picture (pixel, image/png)\n  A picture of one pixel.\n"
    );
    user.at_demo(&["inspect", "--tool", "echo", "--prompt", "greet"])
        .fails(2, &["--prompt"]);
    user.at_demo(&["inspect", "--prompt", "gret"])
        .fails(5, &["is `greet` meant?"]);
    user.at_demo(&["inspect", "--resource", "pixel://picure"])
        .fails(5, &["`pixel://picture`"]);
}

#[test]
fn a_call_without_a_tool_lists_the_tools() {
    let user = User::new();
    let run = user.at_demo(&["call"]);
    let program = demo();
    let usage = format!("error: name a tool: mcp call TOOL -- {program}\n");
    run.fails(
        2,
        &[
            &usage,
            "\n  echo      Repeats a string.\n  forecast  Forecast for a place.\n",
        ],
    );
    assert_eq!(run.stdout, "");
    let run = user.at_demo(&["call", "--json"]);
    let error: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(error["error"]["code"], "usage");
    assert_eq!(error["error"]["tools"][1], "forecast");
}

#[test]
fn one_json_object_has_all_arguments() {
    let object = r#"{"place": {"city": "Oslo"}, "days": 2}"#;
    let forecast = document(&["call", "forecast", object, "--json"]);
    assert_eq!(forecast["structuredContent"]["place"], "Oslo");
    assert_eq!(forecast["structuredContent"]["days"], 2);
}

#[test]
fn each_report_of_progress_is_a_line_if_that_is_wanted() {
    let run = User::new().at_demo(&["call", "work", "milliseconds=4", "-v"]);
    // The connection may drop a report if a later one follows soon.
    let mut reports = run.stderr.lines().filter(|it| it.starts_with("progress: "));
    assert_eq!(
        reports.next(),
        Some("progress: 1/4 working"),
        "{}",
        run.stderr
    );
    let quiet = User::new().at_demo(&["call", "work", "milliseconds=4"]);
    assert_eq!((&*quiet.stdout, &*quiet.stderr), ("done\n", ""));
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
    assert_eq!(
        both(&["call", "picture"]),
        "image/png, 20 B (`--save DIR` keeps it)\n"
    );
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
    let run = user.at_demo(&["read", "pixel://picture", "--save", "saved"]);
    let saved = std::path::Path::new("saved").join("picture.png");
    let line = format!("pixel://picture: image/png, 20 B: {}\n", saved.display());
    assert_eq!(run.text(), line);
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
    let waiting = "waiting for changes of tools, note://1; Ctrl-C ends\n\
        the server does not announce changes of prompts, resources\n";
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
