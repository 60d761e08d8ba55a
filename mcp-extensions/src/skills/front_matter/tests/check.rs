use super::*;

fn checked(text: &str) -> Vec<String> {
    remarks(&check(&yaml(text).unwrap(), "refunds"))
}

#[test]
fn a_skill_with_all_fields_has_no_faults() {
    let long = "ä".repeat(1024);
    let text = format!(
        "name: refunds\ndescription: {long}\nlicense: MIT\ncompatibility: {}\nmetadata:\n  a: b\nallowed-tools: Bash(git:*) Read\nnew: [1, null]\n",
        "é".repeat(500)
    );
    assert_eq!(checked(&text), [""; 0]);
    assert_eq!(
        checked("name: refunds\ndescription: x\nmetadata: {}\nlicense: ''\n"),
        [""; 0]
    );
}

#[test]
fn fields_that_agent_skills_forbids_are_faults_with_their_lines() {
    let description = format!("name: refunds\ndescription: {}\n", "x".repeat(1025));
    let compatibility = format!(
        "name: refunds\ndescription: x\ncompatibility: {}\n",
        "x".repeat(501)
    );
    let files: [(&str, &[&str]); 19] = [
        (
            "a: b\n",
            &["1: `name` is missing", "1: `description` is missing"],
        ),
        (
            "name: refund\ndescription: x\n",
            &["2: `name` must be the folder's name"],
        ),
        (
            "description: x\nname: Refunds\n",
            &["3: `name` must have 1 to 64 of"],
        ),
        (
            "description: x\nname: re--funds\n",
            &["3: `name` must have 1 to 64 of"],
        ),
        (
            "description: x\nname: -refunds\n",
            &["3: `name` must have 1 to 64 of"],
        ),
        (
            "description: x\nname: refunds-\n",
            &["3: `name` must have 1 to 64 of"],
        ),
        (
            "description: x\nname: größe\n",
            &["3: `name` must have 1 to 64 of"],
        ),
        (
            "description: x\nname: a b\n",
            &["3: `name` must have 1 to 64 of"],
        ),
        ("description: x\nname: 1\n", &["3: `name` must be a string"]),
        (
            "description: x\nname: ''\n",
            &["3: `name` must have 1 to 64 of"],
        ),
        (
            "name: refunds\ndescription: ''\n",
            &["3: `description` must have 1 to 1024"],
        ),
        (
            "name: refunds\ndescription: \" \\n\"\n",
            &["3: `description` must have 1 to 1024"],
        ),
        (
            "name: refunds\ndescription: [a]\n",
            &["3: `description` must be a string"],
        ),
        (
            &description,
            &["3: `description` must have 1 to 1024 characters"],
        ),
        (
            &compatibility,
            &["4: `compatibility` must have 1 to 500 characters"],
        ),
        (
            "name: refunds\ndescription: x\nlicense: 1\ncompatibility: ''\nallowed-tools: [a]\n",
            &[
                "4: `license` must be a string",
                "5: `compatibility` must have 1 to 500",
                "6: `allowed-tools` must be a string",
            ],
        ),
        (
            "metadata: x\nname: refunds\ndescription: x\n",
            &["2: `metadata` must be a mapping"],
        ),
        (
            "metadata:\nname: refunds\ndescription: x\n",
            &["2: `metadata` must be a mapping"],
        ),
        (
            "name: refunds\nmetadata:\n  a: b\n  version: 1.0\n  c: {}\ndescription: x\n",
            &[
                "5: `metadata.version` must be a string",
                "6: `metadata.c` must be a string",
            ],
        ),
    ];
    for (text, expected) in files {
        starts_with(text, &checked(text), expected);
    }
    let name = "a".repeat(65);
    let faults = check(
        &yaml(&format!("name: {name}\ndescription: x\n")).unwrap(),
        &name,
    );
    starts_with(
        &name,
        &remarks(&faults),
        &["2: `name` must have 1 to 64 of a-z, 0-9 and single hyphens: rename the skill"],
    );
}
