//! Tests of the command line.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn xtask(root: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("--root")
        .arg(root)
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn every_subcommand_explains_itself() {
    for arguments in [
        &["schema"][..],
        &["schema", "adopt"],
        &["schema", "import"],
        &["schema", "fetch"],
        &["schema", "diff"],
        &["codegen"],
        &["bindings"],
        &["tidy"],
    ] {
        let output = xtask(workspace(), &[arguments, &["--help"]].concat());
        assert!(output.status.success(), "{arguments:?}");
        assert!(
            stdout(&output).contains("Usage: cargo xtask"),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_schema_goes_in_and_comes_out_compared() {
    let root = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let older =
        r#"{"definitions":{"Tool":{"type":"object","properties":{"a":{"type":"string"}}}}}"#;
    let newer = older.replace(r#""a":"#, r#""b":{"type":"integer"},"a":"#);
    for (name, text) in [("2031-01-01.json", older), ("2031-02-02.json", &newer)] {
        let output = xtask(root.path(), &["schema", "import", &file(name, text)]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let output = xtask(root.path(), &["schema", "diff", "2031-01-01", "2031-02-02"]);
    assert_eq!(
        stdout(&output),
        "2031-01-01 → 2031-02-02\n\nTypes\n  changed  Tool\n    added optional b: integer\n"
    );
}

#[test]
fn a_bad_schema_is_refused_with_file_and_path() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("2031-01-01.json");
    fs::write(
        &file,
        r#"{"$defs":{"Tool":{"properties":{"a":7},"type":"object"}}}"#,
    )
    .unwrap();
    let import = ["schema", "import", &file.display().to_string()];
    let output = xtask(root.path(), &import);
    assert!(!output.status.success());
    assert_eq!(
        stderr(&output).replace(&format!("{}: ", file.display()), ""),
        "error: schema/2031-01-01.json: at /$defs/Tool/properties/a: \
         expected a schema: an object or `true`\n"
    );

    fs::write(&file, "{}").unwrap();
    let output = xtask(root.path(), &import);
    assert!(!output.status.success());
    let expected = "at $: neither `$defs` nor `definitions`: not a protocol schema";
    let file = file.display();
    assert_eq!(stderr(&output), format!("error: {file}: {expected}\n"));
}

#[test]
fn an_option_of_the_import_needs_a_file() {
    let output = xtask(workspace(), &["schema", "adopt", "--commit", "0"]);
    assert!(!output.status.success());
    let message = stderr(&output);
    assert!(message.contains("<SOURCE>"), "{message}");
}

#[test]
fn an_unknown_revision_is_refused_with_the_known_ones() {
    let output = xtask(workspace(), &["schema", "diff", "1999-01-01", "2025-06-18"]);
    assert!(!output.status.success());
    let message = stderr(&output);
    assert!(
        message.contains("1999-01-01.json: no such revision; stored are: 2024-11-05, "),
        "{message}"
    );
}

#[test]
fn stored_schemas_have_no_prose_and_a_source() {
    let sources = fs::read_to_string(workspace().join("schema/sources.toml")).unwrap();
    let sources: toml::Table = sources.parse().unwrap();
    let mut revisions = 0;
    for entry in fs::read_dir(workspace().join("schema")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        revisions += 1;
        let text = fs::read_to_string(&path).unwrap();
        for word in ["description", "title", "$comment"] {
            assert!(
                !text.contains(&format!("\"{word}\": \"")),
                "{}: {word}",
                path.display()
            );
        }
        let revision = path.file_stem().unwrap().to_str().unwrap();
        assert_eq!(sources[revision]["sha256"].as_str().unwrap().len(), 64);
    }
    assert_eq!(revisions, sources.len());
}
