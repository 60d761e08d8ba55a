//! Entries that break a rule: they are invalid, the others of the list stay usable, and no file of
//! an invalid skill is read.

use mcp_extensions::skills::{SkillEntry, SkillError};
use mcp_runtime::serde_json::{self, Value, json};

use crate::scripted::{REVISIONS, ROOT, SKILL_MD, Script, entry, file};

/// The fault of an entry, and a part of the reason that is reported.
type Row = (&'static str, fn(&mut Value), &'static str);

const DIGEST: &str = "a digest must be";
const OUTSIDE: &str = "is not the URI of a file in the skill's directory";
const NAME: &str = "`name` must have";
const END: &str = "must be a URI with the end";
const FILES: &str = "must be a list of files or the string \"dynamic\"";

fn push(entry: &mut Value, uri: &str, size: u64) {
    let mut other = file(uri, b"");
    other["size"] = json!(size);
    entry["resources"].as_array_mut().unwrap().push(other);
}

fn renamed(entry: &mut Value, name: &str) {
    entry["frontmatter"]["name"] = json!(name);
    let uri = format!("skill://acme/{name}/SKILL.md");
    entry["uri"] = json!(uri);
    entry["resources"] = json!([file(&uri, SKILL_MD.as_bytes())]);
}

fn moved(entry: &mut Value, uri: &str) {
    entry["uri"] = json!(uri);
    entry["resources"] = json!([file(uri, SKILL_MD.as_bytes())]);
}

const MEMBERS: &[Row] = &[
    (
        "a string",
        |it| *it = json!("skill://acme/refunds/SKILL.md"),
        "invalid type",
    ),
    ("null", |it| *it = Value::Null, "invalid type"),
    (
        "no uri",
        |it| drop(it.as_object_mut().unwrap().remove("uri")),
        "missing field `uri`",
    ),
    ("a number as uri", |it| it["uri"] = json!(1), "invalid type"),
    (
        "no front matter",
        |it| drop(it.as_object_mut().unwrap().remove("frontmatter")),
        "frontmatter",
    ),
    (
        "a list as front matter",
        |it| it["frontmatter"] = json!([]),
        "invalid type",
    ),
    (
        "no name",
        |it| it["frontmatter"] = json!({"description": "x"}),
        NAME,
    ),
    (
        "a number as name",
        |it| it["frontmatter"]["name"] = json!(1),
        NAME,
    ),
    (
        "no description",
        |it| it["frontmatter"] = json!({"name": "refunds"}),
        "`description`",
    ),
    (
        "an empty description",
        |it| it["frontmatter"]["description"] = json!(""),
        "`description`",
    ),
    (
        "a list as description",
        |it| it["frontmatter"]["description"] = json!(["x"]),
        "`description`",
    ),
    (
        "no resources",
        |it| drop(it.as_object_mut().unwrap().remove("resources")),
        "missing field `resources`",
    ),
    (
        "null as resources",
        |it| it["resources"] = Value::Null,
        FILES,
    ),
    (
        "another word",
        |it| it["resources"] = json!("static"),
        FILES,
    ),
    (
        "the word in capitals",
        |it| it["resources"] = json!("Dynamic"),
        FILES,
    ),
    (
        "an object as resources",
        |it| it["resources"] = json!({}),
        FILES,
    ),
];

const URIS: &[Row] = &[
    ("a name in capitals", |it| renamed(it, "Refunds"), NAME),
    (
        "a name with an underscore",
        |it| renamed(it, "re_funds"),
        NAME,
    ),
    (
        "a name with two hyphens",
        |it| renamed(it, "re--funds"),
        NAME,
    ),
    (
        "a name that begins with a hyphen",
        |it| renamed(it, "-refunds"),
        NAME,
    ),
    (
        "a name of 65 letters",
        |it| renamed(it, &"a".repeat(65)),
        NAME,
    ),
    (
        "an empty name",
        |it| it["frontmatter"]["name"] = json!(""),
        NAME,
    ),
    (
        "a name with a slash",
        |it| it["frontmatter"]["name"] = json!("acme/refunds"),
        NAME,
    ),
    (
        "the name of another folder",
        |it| it["frontmatter"]["name"] = json!("billing"),
        END,
    ),
    (
        "a folder in capitals, alone in the URI",
        |it| moved(it, "skill://Refunds/SKILL.md"),
        END,
    ),
    ("no folder", |it| moved(it, "skill://SKILL.md"), END),
    ("a relative URI", |it| moved(it, "refunds/SKILL.md"), END),
    (
        "another file",
        |it| moved(it, "skill://acme/refunds/README.md"),
        END,
    ),
    (
        "a file in lower case",
        |it| moved(it, "skill://acme/refunds/skill.md"),
        END,
    ),
    (
        "the end in a query",
        |it| moved(it, "skill://acme/x?/refunds/SKILL.md"),
        END,
    ),
    (
        "the end in a fragment",
        |it| moved(it, "skill://acme/x#/refunds/SKILL.md"),
        END,
    ),
    (
        "dots in the URI",
        |it| moved(it, "skill://acme/x/../refunds/SKILL.md"),
        END,
    ),
    (
        "a slash at the end",
        |it| moved(it, "skill://acme/refunds/SKILL.md/"),
        END,
    ),
    (
        "a space in the URI",
        |it| moved(it, "skill://ac me/refunds/SKILL.md"),
        END,
    ),
];

const FILES_OF: &[Row] = &[
    (
        "no files",
        |it| it["resources"] = json!([]),
        "own `SKILL.md`",
    ),
    (
        "without SKILL.md",
        |it| drop(it["resources"].as_array_mut().unwrap().remove(0)),
        "own `SKILL.md`",
    ),
    (
        "SKILL.md twice",
        |it| push(it, "skill://acme/refunds/SKILL.md", 1),
        "twice",
    ),
    (
        "a file twice",
        |it| push(it, "skill://acme/refunds/references/FORMS.md", 1),
        "twice",
    ),
    (
        "a file twice, by an escape",
        |it| push(it, "skill://acme/refunds/references/%46ORMS.md", 1),
        "twice",
    ),
    (
        "a file twice, by the scheme",
        |it| push(it, "SKILL://acme/refunds/references/FORMS.md", 1),
        "twice",
    ),
    (
        "a file of another skill",
        |it| push(it, "skill://acme/billing/a.md", 1),
        OUTSIDE,
    ),
    (
        "a file beside the skill",
        |it| push(it, "skill://acme/refunds.md", 1),
        OUTSIDE,
    ),
    (
        "a file of a longer name",
        |it| push(it, "skill://acme/refunds-old/a.md", 1),
        OUTSIDE,
    ),
    ("the folder", |it| push(it, ROOT, 1), OUTSIDE),
    (
        "a file above, by dots",
        |it| push(it, "skill://acme/refunds/../billing/a.md", 1),
        OUTSIDE,
    ),
    (
        "a file above, by escaped dots",
        |it| push(it, "skill://acme/refunds/%2e%2E/a.md", 1),
        OUTSIDE,
    ),
    (
        "a file above, by an escaped slash",
        |it| push(it, "skill://acme/refunds/..%2fa.md", 1),
        OUTSIDE,
    ),
    (
        "a file above, by a backslash",
        |it| push(it, "skill://acme/refunds/..%5Ca.md", 1),
        OUTSIDE,
    ),
    (
        "NUL",
        |it| push(it, "skill://acme/refunds/a%00.md", 1),
        OUTSIDE,
    ),
    (
        "an empty segment",
        |it| push(it, "skill://acme/refunds//a.md", 1),
        OUTSIDE,
    ),
    (
        "another scheme",
        |it| push(it, "file://acme/refunds/a.md", 1),
        OUTSIDE,
    ),
    (
        "a relative file",
        |it| push(it, "references/a.md", 1),
        OUTSIDE,
    ),
    (
        "a query",
        |it| push(it, "skill://acme/refunds/a.md?b", 1),
        OUTSIDE,
    ),
    (
        "a file that is a number",
        |it| it["resources"][1] = json!(1),
        "invalid type",
    ),
    (
        "no digest",
        |it| drop(it["resources"][1].as_object_mut().unwrap().remove("digest")),
        "missing field `digest`",
    ),
    (
        "another kind of digest",
        |it| it["resources"][1]["digest"] = json!("md5:00"),
        DIGEST,
    ),
    (
        "a short digest",
        |it| it["resources"][1]["digest"] = json!("sha256:00"),
        DIGEST,
    ),
    (
        "a digest in capitals",
        |it| {
            let digest = it["resources"][1]["digest"]
                .as_str()
                .unwrap()
                .to_uppercase();
            it["resources"][1]["digest"] = json!(digest.replace("SHA", "sha"));
        },
        DIGEST,
    ),
    (
        "no size",
        |it| drop(it["resources"][1].as_object_mut().unwrap().remove("size")),
        "missing field `size`",
    ),
    (
        "a negative size",
        |it| it["resources"][1]["size"] = json!(-1),
        "invalid value",
    ),
    (
        "half a byte",
        |it| it["resources"][1]["size"] = json!(0.5),
        "invalid type",
    ),
    (
        "a string as size",
        |it| it["resources"][1]["size"] = json!("1"),
        "invalid type",
    ),
    (
        "513 files",
        |it| {
            for number in 0..511 {
                push(it, &format!("{ROOT}/{number}"), 0);
            }
        },
        "it has 513 files",
    ),
    (
        "16 MiB and a byte",
        |it| {
            let rest = 16 * 1024 * 1024 + 1 - it["resources"][0]["size"].as_u64().unwrap();
            it["resources"][1]["size"] = json!(rest);
        },
        "16777217 bytes",
    ),
    (
        "sizes whose sum does not fit",
        |it| {
            it["resources"][1]["size"] = json!(u64::MAX);
            push(it, "skill://acme/refunds/a.md", u64::MAX);
        },
        "18446744073709551615 bytes",
    ),
];

#[tokio::test]
async fn an_invalid_entry_is_reported_and_the_others_stay_usable() {
    let good = [("SKILL.md", "")];
    for revision in REVISIONS {
        for (name, edit, expected) in [MEMBERS, URIS, FILES_OF].concat() {
            let mut script = Script::default();
            edit(script.entry_mut());
            let bad = script.entry_mut().clone();
            script.pages[0].0.push(entry("skill://good", &good));
            script.entry = Some(bad.clone());
            let (skills, seen) = script.skills(revision).await;

            let listing = skills.list().await.unwrap();
            let names: Vec<_> = listing.skills.iter().map(SkillEntry::name).collect();
            assert_eq!(names, ["good"], "{name}");
            let [invalid] = &*listing.invalid else {
                panic!("{name}: {listing:?}");
            };
            assert!(
                invalid.reason.contains(expected),
                "{name}: {}",
                invalid.reason
            );
            assert_eq!(invalid.uri.as_deref(), bad["uri"].as_str(), "{name}");
            assert_eq!(seen.take(), ["skills/list"], "{name}");

            // An entry that the host has from elsewhere is checked before anything is requested.
            if let Ok(entry) = serde_json::from_value::<SkillEntry>(bad) {
                let error = skills.open(&entry).await.unwrap_err();
                assert!(
                    matches!(error, SkillError::Invalid { .. }),
                    "{name}: {error}"
                );
                assert!(error.to_string().contains(expected), "{name}: {error}");
                assert_eq!(seen.take(), [""; 0], "{name}");
            }

            let uri = format!("{ROOT}/SKILL.md");
            let error = skills.open_uri(&uri).await.unwrap_err();
            assert!(
                matches!(error, SkillError::Invalid { .. }),
                "{name}: {error}"
            );
            assert!(error.to_string().contains(expected), "{name}: {error}");
            assert_eq!(seen.take(), [format!("skills/get {uri}")], "{name}");
        }
    }
}

#[tokio::test]
async fn the_largest_skill_is_valid() {
    let mut script = Script::default();
    let entry = script.entry_mut();
    for number in 0..510 {
        push(entry, &format!("{ROOT}/{number}"), 0);
    }
    let rest = 16 * 1024 * 1024 - entry["resources"][0]["size"].as_u64().unwrap();
    entry["resources"][1]["size"] = json!(rest);
    let (skills, _) = script.skills(REVISIONS[0]).await;
    let listing = skills.list().await.unwrap();
    assert_eq!(listing.invalid, []);
    skills.open(&listing.skills[0]).await.unwrap();
}

#[tokio::test]
async fn members_that_the_specification_does_not_have_are_ignored() {
    let mut script = Script::default();
    let entry = script.entry_mut();
    entry["version"] = json!(2);
    entry["_meta"] = json!({"com.example/reviewed": true});
    entry["resources"][0]["mimeType"] = json!("text/markdown");
    let (skills, _) = script.skills(REVISIONS[1]).await;
    let listing = skills.list().await.unwrap();
    assert_eq!(listing.invalid, []);
    skills.open(&listing.skills[0]).await.unwrap();
}

#[tokio::test]
async fn of_two_entries_with_one_uri_the_second_is_invalid() {
    let mut script = Script::default();
    let mut second = script.entry_mut().clone();
    second["uri"] = json!("skill://acme/%72efunds/SKILL.md");
    second["frontmatter"]["description"] = json!("Something else");
    script.pages[0].0.push(second);
    let (skills, _) = script.skills(REVISIONS[0]).await;
    let listing = skills.list().await.unwrap();
    assert_eq!(listing.skills.len(), 1);
    assert_eq!(listing.skills[0].description(), "Processes refunds");
    assert!(
        listing.invalid[0].reason.contains("already has"),
        "{listing:?}"
    );
}

#[tokio::test]
async fn the_entry_of_another_skill_is_not_taken() {
    let script = Script {
        entry: Some(entry("skill://other", &[("SKILL.md", "")])),
        ..Script::default()
    };
    let (skills, seen) = script.skills(REVISIONS[0]).await;
    let error = skills
        .open_uri("skill://acme/refunds/SKILL.md")
        .await
        .unwrap_err();
    assert!(matches!(error, SkillError::Invalid { .. }), "{error}");
    assert!(
        error.to_string().contains("skill://other/SKILL.md"),
        "{error}"
    );
    assert_eq!(seen.take(), ["skills/get skill://acme/refunds/SKILL.md"]);
}
