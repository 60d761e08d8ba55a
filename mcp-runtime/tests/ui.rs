//! Each mistake gets one message: ours, on the token at fault, with how to mend it.
//!
//! `TRYBUILD=overwrite cargo test -p mcp-runtime --test ui` writes the messages anew.

#![allow(clippy::unwrap_used)]

use std::process::Command;
use std::{env, fs};

/// The flags that `trybuild` gives to the compiler for the programs. It leaves out the last one for their
/// dependencies, which then would be compiled twice.
const FLAGS: [&str; 6] = [
    "--cfg",
    "trybuild",
    "--verbose",
    "-A",
    "dead_code",
    "--diagnostic-width=140",
];

/// Where cargo looks for flags before it reads those of `trybuild`.
const VARIABLE: &str = "CARGO_ENCODED_RUSTFLAGS";

#[test]
fn every_mistake_is_explained() {
    if env::var_os(VARIABLE).is_some() {
        trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
        return;
    }
    let mut with_flags = Command::new(env::current_exe().unwrap());
    with_flags.args(["--exact", "every_mistake_is_explained", "--nocapture"]);
    with_flags.args(env::args().filter(|argument| argument.starts_with("trybuild=")));
    with_flags.env(VARIABLE, FLAGS.join("\x1f"));
    assert!(with_flags.status().unwrap().success());
}

/// Nothing follows from a mistake but its own message.
#[test]
fn one_mistake_is_one_error() {
    let files = fs::read_dir("tests/ui").unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let messages = paths.filter(|path| path.extension().is_some_and(|kind| kind == "stderr"));
    let mut mistakes = 0;
    for path in messages {
        let text = fs::read_to_string(&path).unwrap();
        let starts = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
        let expected = match path.file_stem().and_then(|name| name.to_str()) {
            Some("several_mistakes_at_once") => 4,
            Some("block_with_a_syntax_error" | "question_that_names_no_argument") => 2,
            Some("question_without_text") => 3,
            _ => 1,
        };
        assert_eq!(starts("error"), expected, "{}", path.display());
        assert_eq!(starts("warning"), 0, "{}", path.display());
        mistakes += 1;
    }
    assert!(mistakes >= 40, "{mistakes}");
}
