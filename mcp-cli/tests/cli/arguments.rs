//! Arguments of calls, from the command line, files and standard input.

use serde_json::json;

use crate::support::{User, demo};

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
