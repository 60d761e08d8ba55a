//! References to files: most are refused before anything is requested.

use mcp_extensions::skills::SkillError;
use mcp_runtime::serde_json::json;

use crate::scripted::{FORMS, REVISIONS, ROOT, SKILL_MD, Script};

/// References that leave a skill, whatever files it has.
const OUTSIDE: &[&str] = &[
    "",
    "/",
    ".",
    "..",
    "../billing/SKILL.md",
    "references/../../billing/SKILL.md",
    "references/../SKILL.md",
    "%2e%2e/billing/SKILL.md",
    ".%2E/billing/SKILL.md",
    "..%2fbilling%2fSKILL.md",
    "..%5Cbilling",
    "..\\billing",
    "a%00.md",
    "a\0.md",
    "/etc/passwd",
    "//billing/SKILL.md",
    "references//FORMS.md",
    "references/",
    "skill://acme/refunds/references/FORMS.md",
    "skill://billing/SKILL.md",
    "file:///etc/passwd",
    "https://example.com/a.md",
    "HTTP:a",
];

/// References to files that the entry does not have.
const UNLISTED: &[&str] = &[
    "references",
    "references/OTHER.md",
    "references/forms.md",
    "references/FORMS.md#fields",
    "references/FORMS.md?x",
    "FORMS.md",
    "references/FORMS.md/x",
    "references/FORMS%2Emd%20",
];

#[tokio::test]
async fn a_reference_that_the_entry_does_not_have_is_refused_without_a_request() {
    for revision in REVISIONS {
        let script = Script::default();
        let entry = script.first();
        let (skills, seen) = script.skills(revision).await;
        let skill = skills.open(&entry).await.unwrap();
        seen.take();
        for reference in OUTSIDE.iter().chain(UNLISTED) {
            let error = skill.read(reference).await.unwrap_err();
            assert!(
                matches!(error, SkillError::Refused { .. }),
                "{reference}: {error}"
            );
            assert_eq!(seen.take(), [""; 0], "{reference}");
        }
    }
}

#[tokio::test]
async fn a_reference_out_of_a_dynamic_skill_is_refused_without_a_request() {
    let script = Script::dynamic();
    let entry = script.first();
    let (skills, seen) = script.skills(REVISIONS[1]).await;
    let skill = skills.open(&entry).await.unwrap();
    seen.take();
    for reference in OUTSIDE {
        let error = skill.read(reference).await.unwrap_err();
        assert!(
            matches!(error, SkillError::Refused { .. }),
            "{reference}: {error}"
        );
        assert_eq!(seen.take(), [""; 0], "{reference}");
    }
}

#[tokio::test]
async fn uris_that_are_not_of_a_skill_are_refused_without_a_request() {
    let (skills, seen) = Script::default().skills(REVISIONS[0]).await;
    for uri in [
        "",
        "refunds",
        "skill://acme/refunds",
        "skill://a/../SKILL.md",
        "skill://a/SKILL.md?x",
    ] {
        let error = skills.open_uri(uri).await.unwrap_err();
        assert!(
            matches!(error, SkillError::Refused { .. }),
            "{uri}: {error}"
        );
    }
    assert_eq!(seen.take(), [""; 0]);
}

#[tokio::test]
async fn a_file_is_found_by_each_spelling_and_requested_in_the_entrys() {
    let files = [
        ("SKILL.md", SKILL_MD),
        ("docs/%7ea%2Emd", "a"),
        ("docs/two%20words.md", "b"),
        ("docs/caf%c3%a9.md", "c"),
        ("docs/Q%26A.md", "d"),
        ("docs/100%25.md", "e"),
        ("docs/C%23.md", "f"),
    ];
    let spellings = [
        ("docs/~a.md", 1),
        ("./docs/%7Ea.md", 1),
        ("docs/./~a.md", 1),
        ("docs/two words.md", 2),
        ("docs/two%20words.md", 2),
        ("docs/café.md", 3),
        ("docs/caf%C3%A9.md", 3),
        ("docs/Q&A.md", 4),
        ("docs/Q%26A.md", 4),
        ("docs/100%.md", 5),
        ("docs/100%25.md", 5),
        ("docs/C#.md", 6),
    ];
    for (reference, place) in spellings {
        let script = Script::of(&[(ROOT, &files)]);
        let entry = script.first();
        let (skills, seen) = script.skills(REVISIONS[0]).await;
        let skill = skills.open(&entry).await.unwrap();
        seen.take();
        let (path, text) = files[place];
        let contents = skill.read(reference).await.unwrap();
        assert_eq!(contents.text(), Some(text), "{reference}");
        assert_eq!(contents.uri, format!("{ROOT}/{path}"), "{reference}");
        assert_eq!(
            seen.take(),
            [format!("resources/read {ROOT}/{path}")],
            "{reference}"
        );
    }
}

#[tokio::test]
async fn a_dynamic_skill_has_each_file_of_its_directory() {
    let script = Script::dynamic();
    let entry = script.first();
    let (skills, seen) = script.skills(REVISIONS[1]).await;
    let skill = skills.open(&entry).await.unwrap();
    assert_eq!(skill.fingerprint(), None);
    seen.take();
    for _ in 0..2 {
        // Nothing says that the contents are still the same, so they are requested each time.
        let contents = skill.read("references/FORMS.md").await.unwrap();
        assert_eq!(contents.text(), Some(FORMS));
        let uri = format!("{ROOT}/references/FORMS.md");
        assert_eq!(seen.take(), [format!("resources/read {uri}")]);
    }
    let error = skill.read("two words.md").await.unwrap_err();
    assert!(matches!(error, SkillError::Call(_)), "{error}");
    assert_eq!(
        seen.take(),
        [format!("resources/read {ROOT}/two%20words.md")]
    );
}

#[tokio::test]
async fn a_dynamic_skill_returns_no_contents_of_other_uris() {
    let mut script = Script::dynamic();
    let uri = format!("{ROOT}/references/FORMS.md");
    let other = format!("{ROOT}/references/OTHER.md");
    script
        .files
        .insert(uri, json!([{"uri": other, "text": "x"}]));
    let entry = script.first();
    let (skills, _) = script.skills(REVISIONS[1]).await;
    let skill = skills.open(&entry).await.unwrap();
    let error = skill.read("references/FORMS.md").await.unwrap_err();
    assert!(matches!(error, SkillError::Changed { .. }), "{error}");
}

#[tokio::test]
async fn at_most_16_mib_of_a_dynamic_skill_are_read() {
    const MIB: usize = 1024 * 1024;
    let mut script = Script::dynamic();
    let mut add = |path: &str, size: usize| {
        let uri = format!("{ROOT}/{path}");
        let contents = json!([{"uri": uri, "text": "x".repeat(size)}]);
        script.files.insert(uri, contents);
    };
    add("half", 8 * MIB);
    add("rest", 8 * MIB - SKILL_MD.len());
    add("byte", 1);
    let entry = script.first();
    let (skills, seen) = script.skills(REVISIONS[1]).await;

    let skill = skills.open(&entry).await.unwrap();
    skill.read("half").await.unwrap();
    skill.read("rest").await.unwrap();
    seen.take();
    let error = skill.read("byte").await.unwrap_err();
    assert!(matches!(error, SkillError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("16 MiB"), "{error}");
    assert_eq!(seen.take(), [""; 0]);

    let skill = skills.open(&entry).await.unwrap();
    skill.read("half").await.unwrap();
    let error = skill.read("half").await.unwrap_err();
    assert!(matches!(error, SkillError::Refused { .. }), "{error}");
    skills
        .open(&entry)
        .await
        .unwrap()
        .read("byte")
        .await
        .unwrap();
}
