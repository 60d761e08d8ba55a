//! Tests that each mistake causes exactly one compiler error, which is the macro's own: it points
//! at the faulty token and says how to fix it.
//!
//! To update the messages, run `TRYBUILD=overwrite cargo test -p mcp-runtime --test ui`.

#![allow(clippy::unwrap_used)]

use std::process::Command;
use std::{env, fs};

/// The flags that `trybuild` passes to the compiler for the programs. It omits the last flag for
/// their dependencies, which would therefore be compiled twice, so this test sets all of them
/// itself.
const FLAGS: [&str; 6] = [
    "--cfg",
    "trybuild",
    "--verbose",
    "-A",
    "dead_code",
    "--diagnostic-width=140",
];

/// The environment variable that takes precedence over the flags of `trybuild`.
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

/// Counts the errors of each program, because a mistake must not cause follow-up errors.
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
