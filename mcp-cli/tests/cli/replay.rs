//! Tests `--record` and `mcp replay`.

use crate::support::{User, demo};

#[test]
fn a_replay_gives_the_same_output() {
    let commands: [&[&str]; 6] = [
        &["inspect"],
        &["call", "forecast", "place.city=Oslo"],
        &["call", "work", "milliseconds=4"],
        &["call", "order", "--answer", "size=small"],
        &["read", "note://1"],
        &["prompt", "greet", "name=Ada"],
    ];
    let user = User::new();
    let mcp = env!("CARGO_BIN_EXE_mcp");
    let demo = demo();
    for era in ["handshake", "stateless"] {
        for words in commands {
            for format in [&["-v"][..], &["--json"]] {
                let words = [words, format, &["--era", era]].concat();
                let record = [&words[..], &["--record", "run.jsonl", "--", &demo]].concat();
                let recorded = user.run(&record);
                let replayed =
                    user.run(&[&words[..], &["--", mcp, "replay", "run.jsonl"]].concat());
                assert_eq!(recorded.code, 0, "{recorded:?}");
                assert_eq!(replayed.stdout, recorded.stdout, "{words:?}: {replayed:?}");
                assert_eq!(replayed.code, 0, "{replayed:?}");
            }
        }
    }
}

#[test]
fn a_server_is_detected_as_it_was_recorded() {
    let user = User::new();
    let mcp = env!("CARGO_BIN_EXE_mcp");
    user.at_demo(&["inspect", "--era", "handshake", "--record", "old.jsonl"])
        .text();
    user.at_demo(&["inspect", "--record", "new.jsonl"]).text();
    for (file, revision) in [("old.jsonl", "2025-11-25"), ("new.jsonl", "2026-07-28")] {
        let snapshot = user
            .run(&["inspect", "--json", "--", mcp, "replay", file])
            .json();
        assert_eq!(snapshot["revision"], revision);
    }
}

#[test]
fn a_request_that_is_not_recorded_names_the_file_and_the_nearest_one() {
    let user = User::new();
    user.at_demo(&["call", "echo", "text=a", "--record", "run.jsonl"])
        .text();
    let replay = ["--", env!("CARGO_BIN_EXE_mcp"), "replay", "run.jsonl"];
    let run = user.run(&[&["call", "echo", "text=b"], &replay[..]].concat());
    run.fails(
        5,
        &[
            "run.jsonl has no request tools/call",
            r#"nearest is on line 5: tools/call {"arguments":{"text":"a"}"#,
        ],
    );
}

#[test]
fn a_file_that_is_not_a_recording_is_a_usage_error() {
    let user = User::new();
    let line =
        r#"{"connection":1,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#;
    user.write("notes.md", &format!("{line}\n# Notes\n{line}\n"));
    user.run(&["replay", "notes.md"])
        .fails(2, &["notes.md: line 2 is not", "--record FILE"]);
    user.run(&["replay", "nothing"]).fails(2, &["nothing: "]);
    let line = line.replace("ping", "tools/list");
    user.write("cut.jsonl", &format!("{line}\n{{\"time\":\"20"));
    let input = r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#;
    let run = user.run_with_input(&["replay", "cut.jsonl"], input);
    assert!(
        run.stderr.contains("the last line is incomplete"),
        "{run:?}"
    );
    assert_eq!(
        run.text(),
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n"
    );
}
