//! Compares what `--json` prints with the documented schema.

use serde_json::{Value, json};

use crate::support::{Run, Server, User, demo};

/// Checks a document with a definition of the schema.
#[track_caller]
fn fits(definition: &str, document: &Value) {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../json-schema/mcp.json")).unwrap();
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    assert!(schema["$defs"][definition].is_object(), "{definition}");
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults = validator.iter_errors(document);
    let faults: Vec<_> = faults
        .map(|it| format!("{}: {it}", it.instance_path()))
        .collect();
    assert!(
        faults.is_empty(),
        "{definition}: {faults:?} in {document:#}"
    );
}

/// Checks the only line on standard error.
#[track_caller]
fn fails(run: &Run) {
    assert_ne!(run.code, 0, "{run:?}");
    fits("error", &serde_json::from_str(&run.stderr).unwrap());
}

#[test]
fn the_documents_about_a_server_have_their_shape() {
    let user = User::new();
    let at_demo = |words: &[&str]| user.at_demo(&[words, &["--json"]].concat());
    fits("inspect", &at_demo(&["inspect"]).json());
    fits("tool", &at_demo(&["inspect", "--tool", "forecast"]).json());
    fits(
        "call",
        &at_demo(&["call", "forecast", "place.city=Oslo"]).json(),
    );
    fits("call", &at_demo(&["call", "picture"]).json());
    fits("read", &at_demo(&["read", "note://1"]).json());
    fits("prompt", &at_demo(&["prompt", "greet", "name=Ada"]).json());
    let completion = at_demo(&["prompt", "greet", "--complete", "name", "A"]);
    fits("completion", &completion.json());
    let failed = at_demo(&["call", "fail"]);
    fits("call", &serde_json::from_str(&failed.stdout).unwrap());
    fails(&failed);
    fits("resources", &at_demo(&["inspect", "--resources"]).json());
    fails(&at_demo(&["call"]));
    fails(&at_demo(&["call", "echo", "txet=x"]));
    fails(&at_demo(&["read", "nothing://x"]));
    fits("doctor", &at_demo(&["doctor"]).json());
    let file = user.path("demo.rs").display().to_string();
    assert_eq!(user.at_demo(&["bindgen", "-o", &file]).code, 0);
    fits(
        "differences",
        &at_demo(&["bindgen", "-o", &file, "--check"]).json(),
    );
}

#[test]
fn the_documents_about_a_url_have_their_shape() {
    let user = User::new();
    let server = Server::of("studio");
    let run = user.run(&[
        "call",
        &server.url,
        "render",
        "scenes=1",
        "--detach",
        "--json",
    ]);
    fits("detached", &run.json());
    fits("login", &user.run(&["login", &server.url, "--json"]).json());
    fails(&user.run(&["logout", &server.url, "--json"]));
    fails(&user.run(&["inspect", "http://127.0.0.1:9/mcp", "--json"]));
    let failed = user.run(&["doctor", "http://127.0.0.1:9/mcp", "--json"]);
    fits("doctor", &serde_json::from_str(&failed.stdout).unwrap());
    fails(&failed);
    let url = Server::start();
    let listen = [
        "listen", &url.url, "note://1", "--count", "2", "--json", "-vv",
    ];
    let mut child = user.start(&listen);
    let _log = crate::support::log_after(&mut child, "waiting for changes");
    user.run(&["call", &url.url, "announce"]).text();
    let output = child.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for line in lines.lines() {
        fits("listen", &serde_json::from_str(line).unwrap());
    }
}

#[test]
fn the_configured_servers_have_their_shape() {
    let user = User::new();
    let servers = json!({"mcpServers": {
        "demo": {"command": demo()},
        "gone": {"url": "http://127.0.0.1:9/mcp"},
        "nothing": {"command": "/nothing"},
    }});
    user.write(".cursor/mcp.json", &servers.to_string());
    user.write("project/.git/HEAD", "");
    user.write("project/.mcp.json", &servers.to_string());
    user.write("project/.vscode/mcp.json", "{");
    let run = |words: &[&str]| {
        let mut command = user.command(words);
        let output = command.current_dir(user.path("project")).output();
        let run = Run::from(output.unwrap());
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    let document = run(&["servers", "--json"]);
    assert!(document["faults"].is_array());
    fits("servers", &document);
    let checked = run(&["servers", "--check", "--json"]);
    fits("servers", &checked);
    let checks = checked["servers"].as_array().unwrap().iter();
    for member in ["revision", "error", "skipped"] {
        let mut checks = checks.clone();
        assert!(
            checks.any(|it| it["check"][member] != Value::Null),
            "{member}"
        );
    }
}

#[test]
fn the_documents_about_files_of_clients_have_their_shape() {
    let user = User::new();
    let install = [
        "install",
        "cursor",
        "docs",
        "https://example.com/mcp",
        "--json",
    ];
    let with = |option: &str| user.run(&[&install[..], &[option]].concat());
    fits("entry", &with("--print").json());
    fails(&user.run(&install));
    // The file is new, then it has the entry, and then it has a backup.
    fits("change", &with("--yes").json());
    fits("change", &with("--yes").json());
    let uninstall = ["uninstall", "cursor", "docs", "--json", "--yes"];
    fits("change", &user.run(&uninstall).json());
    fails(&user.run(&uninstall));
    let goose = [
        "install",
        "goose",
        "docs",
        "https://example.com/mcp",
        "--json",
    ];
    fits("entry", &user.run(&goose).json());
}
