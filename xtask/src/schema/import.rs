//! One published schema in, `schema/<revision>.json` and its record out.

use super::error::Error;
use super::normalize::normalize;
use super::sources::{Source, Sources};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

/// Commit on record when nobody said which it was.
const UNKNOWN: &str = "unknown";

/// A published schema as it came, and what to call it in messages.
pub(super) struct Input {
    /// File name or address.
    pub(super) name: String,
    /// The published bytes.
    pub(super) bytes: Vec<u8>,
}

impl Input {
    /// Reads a file.
    pub(super) fn read(file: &Path) -> Result<Self, Error> {
        Ok(Self {
            name: file.display().to_string(),
            bytes: std::fs::read(file).map_err(Error::io(file))?,
        })
    }
}

/// Normalises and stores `input`; returns a line for the user.
pub(super) fn import(
    root: &Path,
    input: &Input,
    revision: Option<String>,
    commit: Option<String>,
) -> Result<String, Error> {
    let revision = match revision {
        Some(revision) => revision,
        None => revision_in(&input.name).ok_or_else(|| Error::NoRevision(input.name.clone()))?,
    };
    check_revision(&revision)?;
    let document = serde_json::from_slice(&input.bytes).map_err(|source| Error::Json {
        file: input.name.clone(),
        source,
    })?;
    let normal = normalize(&document).map_err(|fault| Error::Schema {
        file: input.name.clone(),
        fault,
    })?;

    let folder = root.join("schema");
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let file = folder.join(format!("{revision}.json"));
    std::fs::write(&file, format!("{normal:#}\n")).map_err(Error::io(&file))?;

    let record = folder.join("sources.toml");
    let mut sources = Sources::load(&record)?;
    let sha256 = hex(&Sha256::digest(&input.bytes));
    let commit = commit
        .or_else(|| commit_in(&input.name))
        .or_else(|| recorded_commit(&sources, &revision, &sha256))
        .unwrap_or_else(|| UNKNOWN.to_owned());
    let mut report = format!("{}: {} types\n", file.display(), count(&normal));
    if commit == UNKNOWN {
        let _ = writeln!(
            report,
            "{}: no commit on record; pass --commit",
            record.display()
        );
    }
    sources.insert(&revision, Source::new(&revision, commit, sha256));
    sources.save(&record)?;
    Ok(report)
}

/// Refuses what is not a date.
pub(super) fn check_revision(text: &str) -> Result<(), Error> {
    if is_date(text) {
        Ok(())
    } else {
        Err(Error::BadRevision(text.to_owned()))
    }
}

fn recorded_commit(sources: &Sources, revision: &str, sha256: &str) -> Option<String> {
    let known = sources.get(revision)?;
    (known.sha256 == sha256).then(|| known.commit.clone())
}

/// The last date in a file name or address.
fn revision_in(name: &str) -> Option<String> {
    let parts = name.rsplit(['/', '\\']);
    parts
        .map(|part| part.strip_suffix(".json").unwrap_or(part))
        .find(|part| is_date(part))
        .map(str::to_owned)
}

/// A full commit id that is one segment of an address.
fn commit_in(name: &str) -> Option<String> {
    name.split('/')
        .find(|part| part.len() == 40 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .map(str::to_owned)
}

fn is_date(text: &str) -> bool {
    let pattern = b"0000-00-00";
    text.len() == pattern.len()
        && text.bytes().zip(pattern).all(|(byte, place)| match place {
            b'-' => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn count(normal: &serde_json::Value) -> usize {
    normal["$defs"].as_object().map_or(0, serde_json::Map::len)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const PUBLISHED: &str = r#"{
        "definitions": { "Tool": { "type": "object", "description": "Prose." } }
    }"#;

    fn input(name: &str) -> Input {
        Input {
            name: name.to_owned(),
            bytes: PUBLISHED.into(),
        }
    }

    #[test]
    fn writes_structure_and_record() {
        let root = tempfile::tempdir().unwrap();
        let report = import(
            root.path(),
            &input("in/2031-02-03.json"),
            None,
            Some("c0ffee".into()),
        );
        assert!(report.unwrap().ends_with("2031-02-03.json: 1 types\n"));
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
        let record = fs::read_to_string(root.path().join("schema/sources.toml")).unwrap();
        assert!(record.contains("[2031-02-03]\n"), "{record}");
        assert!(record.contains("path = \"schema/2031-02-03/schema.json\"\n"));
        assert!(record.contains("commit = \"c0ffee\"\n"));
        assert!(record.contains(&format!("sha256 = \"{}\"", hex(&Sha256::digest(PUBLISHED)))));
    }

    #[test]
    fn keeps_the_recorded_commit_of_the_same_bytes() {
        let root = tempfile::tempdir().unwrap();
        let named = input("2031-02-03.json");
        import(root.path(), &named, None, Some("c0ffee".into())).unwrap();
        import(root.path(), &named, None, None).unwrap();
        let record = fs::read_to_string(root.path().join("schema/sources.toml")).unwrap();
        assert!(record.contains("commit = \"c0ffee\"\n"), "{record}");

        let changed = Input {
            name: named.name,
            bytes: format!("{PUBLISHED} ").into(),
        };
        let report = import(root.path(), &changed, None, None).unwrap();
        assert!(report.contains("pass --commit"), "{report}");
    }

    #[test]
    fn finds_revision_and_commit_in_an_address() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let address = format!("https://host/owner/name/{commit}/schema/2031-02-03/schema.json");
        assert_eq!(revision_in(&address).as_deref(), Some("2031-02-03"));
        assert_eq!(commit_in(&address).as_deref(), Some(commit));
        assert_eq!(revision_in("schema.json"), None);
        assert_eq!(commit_in("schema.json"), None);
    }

    #[test]
    fn errors_name_the_file_and_the_path() {
        let root = tempfile::tempdir().unwrap();
        let fails = |name: &str, bytes: &str| {
            let input = Input {
                name: name.into(),
                bytes: bytes.into(),
            };
            import(root.path(), &input, None, None)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            fails("schema.json", "{}"),
            "schema.json: no revision in the name; pass --revision YYYY-MM-DD"
        );
        assert!(fails("2031-02-03.json", "[1,").starts_with("2031-02-03.json: not JSON: EOF"));
        assert_eq!(
            fails("2031-02-03.json", r#"{"$defs":{"A":{"type":1}}}"#),
            "2031-02-03.json: at $.$defs.A.type: expected a list of names"
        );
        let bad = import(root.path(), &input("x"), Some("1.0".into()), None).unwrap_err();
        assert_eq!(
            bad.to_string(),
            "`1.0` is not a protocol revision: expected a date, YYYY-MM-DD"
        );
        assert!(!root.path().join("schema").exists());
    }
}
