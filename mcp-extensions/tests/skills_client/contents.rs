//! Contents that an entry does not describe: no bytes are handed out.

use mcp_extensions::skills::{Digest, SkillEntry, SkillError, SkillFile, SkillFiles};
use mcp_runtime::serde_json::{Value, json};

use crate::scripted::{FORMS, REVISIONS, ROOT, SKILL_MD, Script};

/// The fault of the contents of `SKILL.md`, and the difference that is reported.
type Row = (&'static str, fn(&mut Value), &'static str);

const ROWS: &[Row] = &[
    (
        "a byte more",
        |it| it[0]["text"] = json!(format!("{SKILL_MD}\n")),
        "bytes instead of",
    ),
    (
        "a byte less",
        |it| it[0]["text"] = json!(&SKILL_MD[1..]),
        "bytes instead of",
    ),
    ("nothing", |it| it[0]["text"] = json!(""), "it has 0 bytes"),
    (
        "another text of the same length",
        |it| {
            it[0]["text"] = json!(SKILL_MD.replace("# Refunds", "# Rewards"));
        },
        "its digest is",
    ),
    (
        "line ends of another system",
        |it| it[0]["text"] = json!(SKILL_MD.replace('\n', "\r\n")),
        "bytes",
    ),
    (
        "contents of another URI",
        |it| it[0]["uri"] = json!("skill://acme/billing/SKILL.md"),
        "the contents of",
    ),
    (
        "contents of another server's URI",
        |it| it[0]["uri"] = json!("skill://ACME/Refunds/SKILL.md"),
        "the contents of",
    ),
    (
        "contents of a relative URI",
        |it| it[0]["uri"] = json!("SKILL.md"),
        "the contents of",
    ),
    (
        "contents of no URI",
        |it| it[0]["uri"] = json!(""),
        "the contents of",
    ),
    ("no parts", |it| *it = json!([]), "0 parts"),
    (
        "two parts",
        |it| {
            let part = it[0].clone();
            it.as_array_mut().unwrap().push(part);
        },
        "2 parts",
    ),
    (
        "a part of another kind",
        |it| {
            it[0] = json!({"uri": format!("{ROOT}/SKILL.md"), "link": "https://example.com"});
        },
        "the contents of",
    ),
    (
        "a blob that is not Base64",
        |it| {
            it[0] = json!({"uri": format!("{ROOT}/SKILL.md"), "blob": "not Base64"});
        },
        "not Base64",
    ),
    (
        "a blob without padding",
        |it| {
            it[0] = json!({"uri": format!("{ROOT}/SKILL.md"), "blob": "YQ"});
        },
        "not Base64",
    ),
    (
        "a blob with line ends",
        |it| {
            it[0] = json!({"uri": format!("{ROOT}/SKILL.md"), "blob": "YWFh\nYWFh"});
        },
        "not Base64",
    ),
    (
        "a blob of other bytes",
        |it| {
            it[0] = json!({"uri": format!("{ROOT}/SKILL.md"), "blob": "YWFh"});
        },
        "it has 3 bytes",
    ),
];

fn is_changed(error: &SkillError, difference: &str) -> bool {
    matches!(error, SkillError::Changed { .. }) && error.to_string().contains(difference)
}

#[tokio::test]
async fn contents_that_differ_from_the_entry_are_a_change() {
    for revision in REVISIONS {
        for (name, edit, difference) in ROWS {
            let mut script = Script::default();
            let uri = format!("{ROOT}/SKILL.md");
            edit(script.files.get_mut(&uri).unwrap());
            let entry = script.first();
            let (skills, seen) = script.skills(revision).await;
            let error = skills.open(&entry).await.unwrap_err();
            assert!(is_changed(&error, difference), "{name}: {error}");
            // The entry is not fetched again, and neither is the file.
            assert_eq!(seen.take(), [format!("resources/read {uri}")], "{name}");
        }
    }
}

#[tokio::test]
async fn a_supporting_file_that_differs_is_a_change() {
    let uri = format!("{ROOT}/references/FORMS.md");
    for (text, difference) in [("# Farms\n", "its digest"), ("# Forms", "it has 7 bytes")] {
        let mut script = Script::default();
        script
            .files
            .insert(uri.clone(), json!([{"uri": uri, "text": text}]));
        let entry = script.first();
        let (skills, seen) = script.skills(REVISIONS[1]).await;
        let skill = skills.open(&entry).await.unwrap();
        seen.take();
        for _ in 0..2 {
            let error = skill.read("references/FORMS.md").await.unwrap_err();
            assert!(is_changed(&error, difference), "{error}");
            assert_eq!(seen.take(), [format!("resources/read {uri}")]);
        }
    }
}

#[tokio::test]
async fn each_field_of_the_front_matter_is_compared() {
    let cases: &[Row] = &[
        (
            "description",
            |it| it["description"] = json!("Pays out everything"),
            "{\"description\"}",
        ),
        (
            "a field more in the entry",
            |it| it["license"] = json!("MIT"),
            "{\"license\"}",
        ),
        (
            "a field of the file is missing",
            |it| drop(it.as_object_mut().unwrap().remove("allowed-tools")),
            "{\"allowed-tools\"}",
        ),
        (
            "another type",
            |it| it["allowed-tools"] = json!(["Read"]),
            "{\"allowed-tools\"}",
        ),
        (
            "two fields",
            |it| {
                it["license"] = json!("MIT");
                it["description"] = json!("x");
            },
            "{\"description\", \"license\"}",
        ),
    ];
    let text = SKILL_MD.replace("\n---\n", "\nallowed-tools: Read\n---\n");
    for dynamic in [false, true] {
        for (name, edit, difference) in cases {
            let mut script = Script::of(&[(ROOT, &[("SKILL.md", &text)])]);
            let entry = script.entry_mut();
            entry["frontmatter"]["allowed-tools"] = json!("Read");
            edit(&mut entry["frontmatter"]);
            if dynamic {
                entry["resources"] = json!("dynamic");
            }
            let entry = script.first();
            let (skills, seen) = script.skills(REVISIONS[0]).await;
            let error = skills.open(&entry).await.unwrap_err();
            assert!(is_changed(&error, difference), "{name}: {error}");
            assert_eq!(seen.take().len(), 1, "{name}");
        }
    }
}

#[tokio::test]
async fn a_file_without_readable_front_matter_is_a_change() {
    for text in [
        "# Refunds\n",
        "",
        "---\nname: refunds\n",
        "---\n- refunds\n---\n",
    ] {
        let script = Script::of(&[(ROOT, &[("SKILL.md", text)])]);
        let entry = script.first();
        let (skills, _) = script.skills(REVISIONS[0]).await;
        let error = skills.open(&entry).await.unwrap_err();
        assert!(
            is_changed(&error, "front matter can't be read"),
            "{text}: {error}"
        );
    }
}

#[tokio::test]
async fn a_file_that_the_server_no_longer_has_is_an_error() {
    let mut script = Script::default();
    script.files.remove(&format!("{ROOT}/references/FORMS.md"));
    let entry = script.first();
    let (skills, _) = script.skills(REVISIONS[0]).await;
    let skill = skills.open(&entry).await.unwrap();
    let error = skill.read("references/FORMS.md").await.unwrap_err();
    assert!(matches!(error, SkillError::Call(_)), "{error}");
}

#[tokio::test]
async fn a_digest_of_other_contents_does_not_bring_cached_bytes() {
    let script = Script::default();
    let entry = script.first();
    let (skills, seen) = script.skills(REVISIONS[0]).await;
    skills
        .open(&entry)
        .await
        .unwrap()
        .read("references/FORMS.md")
        .await
        .unwrap();
    seen.take();
    // The client has only the old file, but this is the entry of a later version.
    let mut later = entry.clone();
    files_of(&mut later)[1].digest = Digest::of(b"# Farms\n");
    let skill = skills.open(&later).await.unwrap();
    let error = skill.read("references/FORMS.md").await.unwrap_err();
    assert!(is_changed(&error, "its digest"), "{error}");
    assert_eq!(
        seen.take(),
        [format!("resources/read {ROOT}/references/FORMS.md")]
    );
    // A wrong size is found even if the bytes are known.
    files_of(&mut later)[1].digest = Digest::of(FORMS.as_bytes());
    files_of(&mut later)[1].size += 1;
    let skill = skills.open(&later).await.unwrap();
    let error = skill.read("references/FORMS.md").await.unwrap_err();
    assert!(is_changed(&error, "it has 8 bytes instead of 9"), "{error}");
}

fn files_of(entry: &mut SkillEntry) -> &mut Vec<SkillFile> {
    match &mut entry.resources {
        SkillFiles::Listed(files) => files,
        SkillFiles::Dynamic => unreachable!(),
    }
}
