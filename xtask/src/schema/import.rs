//! Imports a published schema: writes `schema/<revision>.json` and records its source.

use super::normalize::normalize;
use super::sources::{self, Source};
use super::unique_keys::UniqueKeys;
use crate::codegen;
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

/// Options of `cargo xtask schema import`.
#[derive(Default, clap::Args)]
pub(crate) struct Options {
    /// Revision (YYYY-MM-DD). Default: the date in the source's name.
    #[arg(long, value_name = "DATE", requires = "source")]
    pub(super) revision: Option<String>,
    /// Upstream commit of the file. Default: the commit in the URL, or else
    /// the recorded commit of an identical file.
    #[arg(long, value_name = "SHA", requires = "source")]
    pub(super) commit: Option<String>,
    /// Overwrite a different schema that is stored for the revision.
    #[arg(long, requires = "source")]
    pub(super) replace: bool,
    /// Store the schema of an extension, in `schema/extensions/<NAME>`.
    #[arg(long, value_name = "NAME", requires = "source")]
    pub(super) extension: Option<String>,
}

/// A published schema, with its name for messages.
pub(super) struct Input {
    /// File name or URL.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// Normalizes and stores `input`, and returns a report for the user.
pub(super) fn import(root: &Path, input: &Input, options: Options) -> Result<String> {
    let revision = revision(input, &options)?;
    let normal = read(&input.bytes).with_context(|| input.name.clone())?;
    let folder = folder(root, options.extension.as_deref())?;
    let file = folder.join(format!("{revision}.json"));
    let text = format!("{normal:#}\n");
    let is_other = fs::read_to_string(&file).is_ok_and(|stored| stored != text);
    ensure!(
        options.replace || !is_other,
        "{}: another schema is stored for this revision; pass --replace to overwrite it, and see \
         what changed with `git diff`",
        file.display()
    );
    codegen::check_before_import(&folder, &revision, &normal)
        .with_context(|| input.name.clone())?;
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let files = ["sources.toml", "overlay.toml", "docs.toml"].map(|name| folder.join(name));
    for file in &files {
        let created = OpenOptions::new().create(true).append(true).open(file);
        created.with_context(|| file.display().to_string())?;
    }
    let [record, ..] = files;
    let mut sources = sources::load(&record)?;
    fs::write(&file, text).with_context(|| file.display().to_string())?;

    let sha256 = digest(&input.bytes);
    let mut source = Source::of(&input.name, sha256, sources.get(&revision));
    source.commit = options.commit.or(source.commit);
    let types = normal["$defs"].as_object().map_or(0, Map::len);
    let mut report = format!("{}: {types} types\n", file.display());
    if source.commit.is_none() {
        let record = record.display();
        let _ = writeln!(report, "{record}: no commit on record; pass --commit");
    }
    sources.insert(revision, source);
    sources::save(&sources, &record)?;
    Ok(report)
}

pub(super) fn revision(input: &Input, options: &Options) -> Result<String> {
    let name = &input.name;
    let revision = options.revision.clone().or_else(|| revision_in(name));
    let revision = revision
        .with_context(|| format!("{name}: no revision in the name; pass --revision YYYY-MM-DD"))?;
    check_revision(&revision)?;
    Ok(revision)
}

/// Returns the folder of the protocol's schemas, or of an extension's schemas.
fn folder(root: &Path, extension: Option<&str>) -> Result<PathBuf> {
    let folder = root.join("schema");
    let Some(name) = extension else {
        return Ok(folder);
    };
    let is_part = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    ensure!(
        name.starts_with(|it: char| it.is_ascii_lowercase()) && name.chars().all(is_part),
        "`{name}` cannot name an extension: expected lowercase letters, digits and `_`"
    );
    Ok(folder.join("extensions").join(name))
}

/// Parses a published schema and reduces it to its structure.
fn read(bytes: &[u8]) -> Result<Value> {
    ensure!(
        !bytes.starts_with(b"\xEF\xBB\xBF"),
        "begins with a byte order mark; save it as UTF-8 without one"
    );
    let document = serde_json::from_slice(bytes);
    let UniqueKeys(document) = document.map_err(|error| match error.to_string() {
        text if error.is_data() => anyhow!("{text}; remove one of them"),
        text if text.starts_with("recursion limit exceeded") => anyhow!(
            "more than 127 levels of nesting ({text}); give inner schemas definitions of their own"
        ),
        text => anyhow!("not JSON: {text}"),
    })?;
    normalize(document)
}

pub(super) fn check_revision(text: &str) -> Result<()> {
    ensure!(
        looks_like_date(text) && text.parse::<toml::value::Datetime>().is_ok(),
        "`{text}` is not a protocol revision: expected a date of the calendar, YYYY-MM-DD"
    );
    Ok(())
}

/// Finds the last date in a file name or URL.
fn revision_in(name: &str) -> Option<String> {
    let parts = name.rsplit(['/', '\\']);
    parts
        .map(|part| part.strip_suffix(".json").unwrap_or(part))
        .find(|part| looks_like_date(part))
        .map(str::to_owned)
}

/// Returns true if a string has the form of a date, even if the date does not exist.
fn looks_like_date(text: &str) -> bool {
    let is_part = |it: char| it.is_ascii_digit() || it == '-';
    text.split('-').map(str::len).eq([4, 2, 2]) && text.chars().all(is_part)
}

/// Returns the SHA-256 of a file in hexadecimal.
fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISHED: &str = r#"{
        "definitions": { "Tool": { "type": "object", "description": "Prose." } }
    }"#;

    fn input(name: &str, text: &str) -> Input {
        Input {
            name: name.to_owned(),
            bytes: text.into(),
        }
    }

    /// Imports a schema under a name, without options.
    fn plain(root: &Path, name: &str, text: &str) -> Result<String, String> {
        let outcome = import(root, &input(name, text), Options::default());
        outcome.map_err(|error| format!("{error:#}"))
    }

    fn committed(commit: &str) -> Options {
        Options {
            commit: Some(commit.to_owned()),
            ..Options::default()
        }
    }

    fn record(root: &Path) -> String {
        fs::read_to_string(root.join("schema/sources.toml")).unwrap()
    }

    #[test]
    fn writes_structure_and_record() {
        let root = tempfile::tempdir().unwrap();
        let named = input("in/2031-02-03.json", PUBLISHED);
        let report = import(root.path(), &named, committed("c0ffee")).unwrap();
        assert!(report.ends_with("2031-02-03.json: 1 types\n"), "{report}");
        let stored = fs::read_to_string(root.path().join("schema/2031-02-03.json")).unwrap();
        assert_eq!(
            stored,
            r#"{
  "$defs": {
    "Tool": {
      "type": "object"
    }
  },
  "$schema": "https://json-schema.org/draft/2020-12/schema"
}
"#
        );
        let record = record(root.path());
        let sha256 = digest(PUBLISHED.as_bytes());
        let expected = format!(
            "[2031-02-03]\nfile = \"2031-02-03.json\"\ncommit = \"c0ffee\"\nsha256 = \"{sha256}\"\n"
        );
        assert!(record.ends_with(&expected), "{record}");
    }

    #[test]
    fn keeps_the_recorded_commit_of_the_same_bytes() {
        let root = tempfile::tempdir().unwrap();
        let named = input("2031-02-03.json", PUBLISHED);
        import(root.path(), &named, committed("c0ffee")).unwrap();
        plain(root.path(), "2031-02-03.json", PUBLISHED).unwrap();
        let record = record(root.path());
        assert!(record.contains("commit = \"c0ffee\"\n"), "{record}");

        let spaced = format!("{PUBLISHED} ");
        let report = plain(root.path(), "2031-02-03.json", &spaced).unwrap();
        assert!(report.contains("pass --commit"), "{report}");
    }

    #[test]
    fn other_content_is_stored_only_on_demand() {
        let root = tempfile::tempdir().unwrap();
        let other = PUBLISHED.replace("Tool", "Task");
        plain(root.path(), "2031-02-03.json", PUBLISHED).unwrap();
        let before = record(root.path());
        let error = plain(root.path(), "2031-02-03.json", &other).unwrap_err();
        assert!(
            error.contains("2031-02-03.json: another schema is stored")
                && error.contains("--replace"),
            "{error}"
        );
        assert_eq!(record(root.path()), before);

        let options = Options {
            replace: true,
            ..Options::default()
        };
        import(root.path(), &input("2031-02-03.json", &other), options).unwrap();
        let stored = fs::read_to_string(root.path().join("schema/2031-02-03.json")).unwrap();
        assert!(stored.contains("Task"), "{stored}");
    }

    #[test]
    fn an_extension_has_a_folder_of_its_own() {
        let root = tempfile::tempdir().unwrap();
        let named = |name: &str| Options {
            extension: Some(name.to_owned()),
            ..Options::default()
        };
        let published = input("2031-02-03.json", PUBLISHED);
        import(root.path(), &published, named("melting")).unwrap();
        let folder = root.path().join("schema/extensions/melting");
        assert!(folder.join("2031-02-03.json").exists() && folder.join("sources.toml").exists());
        for bad in ["", "../x", "a/b", "Melting", "9"] {
            let error = import(root.path(), &published, named(bad)).unwrap_err();
            assert!(
                error.to_string().contains("cannot name an extension"),
                "{error}"
            );
        }
    }

    #[test]
    fn finds_the_revision_in_a_name() {
        let address = "https://host/owner/name/c0ffee/schema/2031-02-03/schema.json";
        assert_eq!(revision_in(address).as_deref(), Some("2031-02-03"));
        assert_eq!(revision_in("schema.json"), None);
    }

    #[test]
    fn a_revision_is_a_date_of_the_calendar() {
        for date in ["2024-02-29", "2031-12-31"] {
            assert!(check_revision(date).is_ok(), "{date}");
        }
        for other in [
            "2025-02-30",
            "2025-02-29",
            "2025-13-01",
            "2025-00-01",
            "1.0",
            "2031-02-03T",
        ] {
            assert!(check_revision(other).is_err(), "{other}");
        }
    }

    #[test]
    fn errors_name_the_file_and_leave_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let fails = |name: &str, text: &str| plain(root.path(), name, text).unwrap_err();
        assert_eq!(
            fails("schema.json", "{}"),
            "schema.json: no revision in the name; pass --revision YYYY-MM-DD"
        );
        assert_eq!(
            fails("2025-02-30.json", PUBLISHED),
            "`2025-02-30` is not a protocol revision: expected a date of the calendar, YYYY-MM-DD"
        );
        assert!(fails("2031-02-03.json", "[1,").starts_with("2031-02-03.json: not JSON: EOF"));
        assert_eq!(
            fails("2031-02-03.json", r#"{"$defs":{},"type":"object"}"#),
            "2031-02-03.json: at $.type: only definitions are read at the root; \
             give this a definition of its own"
        );
        assert!(!root.path().join("schema").exists());
    }
}
