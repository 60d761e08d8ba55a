use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn yaml(yaml: &str) -> Result<FrontMatter, Vec<Remark>> {
    parse(format!("---\n{yaml}---\n# Text\n").as_bytes())
}

#[track_caller]
fn fields(text: &str) -> Value {
    Value::Object(yaml(text).unwrap().fields)
}

/// Returns the line and the text of each remark.
fn remarks(remarks: &[Remark]) -> Vec<String> {
    let remarks = remarks.iter();
    remarks
        .map(|it| format!("{}: {}", it.line, it.text))
        .collect()
}

#[track_caller]
fn has_fault(text: &str, line: usize, part: &str) {
    let faults = yaml(text).expect_err(text);
    let found = faults
        .iter()
        .any(|it| it.line == line && it.text.contains(part));
    assert!(
        found,
        "{text}: no fault in line {line} with `{part}`: {faults:?}"
    );
}

#[test]
fn plain_values_follow_the_core_schema_of_yaml_1_2() {
    let values = [
        ("", json!(null)),
        ("~", json!(null)),
        ("NULL", json!(null)),
        ("true", json!(true)),
        ("FALSE", json!(false)),
        ("0", json!(0)),
        ("+7", json!(7)),
        ("-12", json!(-12)),
        ("0644", json!(644)),
        ("0o17", json!(15)),
        ("0x1F", json!(31)),
        ("9007199254740991", json!(9_007_199_254_740_991_u64)),
        ("1.5", json!(1.5)),
        ("1.", json!(1.0)),
        ("-.5", json!(-0.5)),
        ("1e3", json!(1000.0)),
        ("0.30000000000000004", json!(0.300_000_000_000_000_04)),
        ("00.10", json!(0.1)),
        ("0e9", json!(0.0)),
    ];
    for (text, value) in values {
        assert_eq!(
            fields(&format!("a: {text}\n")),
            json!({"a": value}),
            "{text}"
        );
    }
}

#[test]
fn everything_else_is_a_string() {
    let strings = [
        "yes",
        "No",
        "on",
        "tRUE",
        "nULL",
        "<<",
        "=",
        "1_000",
        "0b1",
        "0o8",
        "0xG",
        "-0x1F",
        "1:30",
        "2026-01-02",
        "1.2.3",
        "1e",
        "e5",
        ".",
        "-",
        "+",
        "1-2",
        "infinity",
        "nan",
        ".Nan",
        "+.nan",
        "1.5f",
        "٣",
    ];
    for text in strings.iter().filter(|it| **it != "-") {
        assert_eq!(
            fields(&format!("a: {text}\n")),
            json!({"a": text}),
            "{text}"
        );
    }
    assert_eq!(fields("yes: 1\n<<: 2\n"), json!({"yes": 1, "<<": 2}));
    assert_eq!(
        fields("a: '1'\nb: \"null\"\nc: |-\n  true\n"),
        json!({"a": "1", "b": "null", "c": "true"})
    );
}

#[test]
fn fields_keep_their_order_and_structure() {
    let text = "# comment\nz: [a, {b: c}]\nmetadata:\n  y: '1'\n  x:\n  - 1\n  - - 2\n    - {}\na: >\n  one\n  two\n\nb: |+\n  x\n\n";
    let read = yaml(text).unwrap();
    let expected = json!({
        "z": ["a", {"b": "c"}], "metadata": {"y": "1", "x": [1, [2, {}]]}, "a": "one two\n", "b": "x\n\n"
    });
    assert_eq!(Value::Object(read.fields.clone()), expected);
    assert_eq!(
        read.fields.keys().collect::<Vec<_>>(),
        ["z", "metadata", "a", "b"]
    );
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_allowed() {
    for text in [
        "\u{feff}---\nname: a\nb: |-\n  x\n  y\n---\ntext",
        "---\r\nname: a\r\nb: |-\r\n  x\r\n  y\r\n---\r\ntext",
        "---\nname: a\nb: |-\n  x\n  y\n---",
    ] {
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!(
            Value::Object(read.fields),
            json!({"name": "a", "b": "x\ny"}),
            "{text}"
        );
        assert_eq!(remarks(&read.warnings), [""; 0], "{text}");
    }
}

#[test]
fn a_file_without_complete_front_matter_is_refused() {
    let long = format!("---\na: {}\n---\n", "x".repeat(64 * 1024));
    let files: [(&[u8], usize, &str); 11] = [
        (b"", 1, "must begin"),
        (b"# Title\n", 1, "must begin"),
        (b"--- \na: b\n---\n", 1, "must begin"),
        (b"---", 1, "must begin"),
        (b"\n---\na: b\n---\n", 1, "must begin"),
        (b"---\na: b\n# Title\n", 3, "has no end"),
        (b"---\na: b\n----\n ---\n", 4, "has no end"),
        (long.as_bytes(), 2, "longer than 64 KiB"),
        (b"---\na: b\n---\n\nt\xFF", 5, "not UTF-8"),
        (b"---\na: b\nc: d\re: f\n---\n", 3, "ends with CR"),
        (b"---\na: b\r\r\n---\n", 2, "ends with CR"),
    ];
    for (file, line, part) in files {
        let faults = parse(file).unwrap_err();
        let [Remark { line: found, text }] = &faults[..] else {
            panic!("{faults:?}");
        };
        assert!(*found == line && text.contains(part), "{faults:?}: {part}");
    }
}

#[test]
fn front_matter_is_one_mapping() {
    has_fault("", 2, "has no fields");
    has_fault("# nothing\n", 2, "has no fields");
    has_fault("text\n", 2, "has no fields");
    has_fault("- name: a\n", 2, "has no fields");
    has_fault("a: b\n--- c\n", 3, "neither directives nor documents");
    has_fault("a: b\n...\n", 3, "neither directives nor documents");
    has_fault("a: b\n...\nc: d\n", 4, "neither directives nor documents");
    has_fault("%YAML 1.2\na: b\n", 2, "neither directives nor documents");
}

#[test]
fn what_hosts_could_read_differently_is_refused() {
    has_fault("a: b\nc: &x d\n", 3, "anchors");
    has_fault("a: &x\n  b: c\n", 3, "anchors");
    has_fault("a: *x\n", 2, "anchors");
    has_fault("a: !!str 1\n", 2, "tags");
    has_fault("a: ! 1\n", 2, "tags");
    has_fault("a: !own [1]\n", 2, "tags");
    has_fault("a: 1\nb: 2\na: 1\n", 4, "this key is repeated");
    has_fault("m:\n  a: 1\n  \"a\": 2\n", 4, "this key is repeated");
    for key in [
        "1",
        "1.5",
        "null",
        "true",
        "~",
        "[a]",
        "{a: b}",
        "? {a: b}\n",
        "",
    ] {
        has_fault(&format!("a: b\n{key}: c\n"), 3, "a key must be a string");
    }
    for number in [".inf", "-.INF", ".nan", ".NaN"] {
        has_fault(&format!("a: {number}\n"), 2, "JSON readers would change");
    }
    for number in [
        "9007199254740992",
        "-9007199254740992",
        "99999999999999999999",
        "0x20000000000000",
        "0o7777777777777777777777",
        "0.1234567890123456789",
        "9007199254740993.0",
        "1e400",
        "1e-400",
        "1e99999999999999999999",
    ] {
        has_fault(&format!("a: {number}\n"), 2, "JSON readers would change");
    }
}

#[test]
fn text_that_is_not_yaml_is_refused() {
    for text in [
        "a: b: c\n",
        "a: [b\n",
        "a: \"b\n",
        "a: b\n c: d\n",
        "a: 'b\nc'\n",
        "a: \"\\q\"\n",
        "a: @b\n",
        "a: b\u{1}\n",
        "\u{feff}a: b\n",
        "a:\n\t- b\n",
    ] {
        let faults = yaml(text).expect_err(text);
        assert!(
            faults
                .iter()
                .any(|it| it.text.starts_with("this is not YAML")),
            "{text}: {faults:?}"
        );
    }
}

#[test]
fn all_faults_are_reported() {
    let faults = yaml("a: &x 1\nb: !!str c\n1: .inf\na: 2\nd: [\n").unwrap_err();
    let lines: Vec<_> = faults.iter().map(|it| it.line).collect();
    assert_eq!(lines, [2, 3, 4, 4, 5, 6], "{faults:?}");
}

#[test]
fn bombs_and_deep_nesting_end_in_an_error_soon() {
    let mut bomb = "a0: &a0 [x, x, x]\n".to_owned();
    for level in 1..100 {
        let before = level - 1;
        bomb += &format!("a{level}: &a{level} [*a{before}, *a{before}, *a{before}]\n");
    }
    let block = (0..300)
        .map(|depth| format!("{}- \n", " ".repeat(depth)))
        .collect();
    let files: [String; 5] = [
        bomb,
        format!("a: {}\n", "[".repeat(20_000)),
        format!("a: {}{}\n", "{a: ".repeat(10_000), "}".repeat(10_000)),
        format!("a:\n  {}\n", "- ".repeat(20_000)),
        block,
    ];
    for file in files {
        let start = Instant::now();
        assert!(yaml(&file).is_err());
        assert!(start.elapsed() < Duration::from_secs(1));
    }
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    let nested = |depth: usize| format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(yaml(&nested(31)).is_ok());
    has_fault(&nested(32), 2, "nested in more than 32 levels");
    has_fault(&nested(40), 2, "nested in more than 32 levels");
}

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
            &["3: `name` must have only"],
        ),
        (
            "description: x\nname: re--funds\n",
            &["3: `name` must have only"],
        ),
        (
            "description: x\nname: -refunds\n",
            &["3: `name` must have only"],
        ),
        (
            "description: x\nname: refunds-\n",
            &["3: `name` must have only"],
        ),
        (
            "description: x\nname: größe\n",
            &["3: `name` must have only"],
        ),
        ("description: x\nname: a b\n", &["3: `name` must have only"]),
        ("description: x\nname: 1\n", &["3: `name` must be a string"]),
        (
            "description: x\nname: ''\n",
            &["3: `name` is empty", "3: `name` must have only"],
        ),
        (
            "name: refunds\ndescription: ''\n",
            &["3: `description` is empty"],
        ),
        (
            "name: refunds\ndescription: \" \\n\"\n",
            &["3: `description` is empty"],
        ),
        (
            "name: refunds\ndescription: [a]\n",
            &["3: `description` must be a string"],
        ),
        (
            &description,
            &["3: `description` has more than 1024 characters"],
        ),
        (
            &compatibility,
            &["4: `compatibility` has more than 500 characters"],
        ),
        (
            "name: refunds\ndescription: x\nlicense: 1\ncompatibility: ''\nallowed-tools: [a]\n",
            &[
                "4: `license` must be a string",
                "5: `compatibility` is empty",
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
        &["2: `name` has more than 64 characters"],
    );
}

#[track_caller]
fn starts_with(text: &str, found: &[String], expected: &[&str]) {
    let mut pairs = found.iter().zip(expected);
    let equal = found.len() == expected.len() && pairs.all(|(it, start)| it.starts_with(start));
    assert!(equal, "{text}: {found:#?}");
}

#[track_caller]
fn has_warnings(text: &str, expected: &[&str]) {
    starts_with(text, &remarks(&yaml(text).expect(text).warnings), expected);
}

#[test]
fn values_that_fast_mcp_reads_differently_are_named() {
    for text in [
        "yes",
        "NO",
        "On",
        "off",
        "<<",
        "=",
        "2026-01-02",
        "2026-1-2 3:04:05",
        "2026-01-02T03:04:05.6Z",
        "0644",
        "08",
        "1e3",
        "1e+3",
        "1.5e3",
        "-.5",
        "0o17",
        "1_000",
        "0b11",
        "-0x1F",
        "10:30",
        "1_0.5",
        "10:30.5",
    ] {
        has_warnings(
            &format!("a: b\nc: {text}\n"),
            &["3: FastMCP reads this by YAML 1.1"],
        );
    }
    has_warnings("on: x\n", &["2: FastMCP reads this by YAML 1.1"]);
    has_warnings("a: |\n  x\n", &["3: FastMCP drops the line break"]);
    has_warnings(
        "m:\n  a: >+\n    x\n\n",
        &["4: FastMCP drops the line break"],
    );
    has_warnings("a: \"\\ud83d\\ude00\"\n", &["2: FastMCP does not join"]);
    has_warnings(
        "a:\tb\nc: d\te\nf: g\t# h\n",
        &[
            "2: FastMCP refuses tabs",
            "3: FastMCP refuses tabs",
            "4: FastMCP refuses tabs",
        ],
    );
    has_warnings(
        "a: x\u{2028}y\nb: 'x\u{85}y'\n",
        &[
            "2: FastMCP refuses a character",
            "3: FastMCP refuses a character",
        ],
    );
    let spaced = parse(b"---\na: b\n--- \n").unwrap();
    starts_with(
        "spaces",
        &remarks(&spaced.warnings),
        &["3: FastMCP refuses blanks"],
    );
}

#[test]
fn values_that_typescript_refuses_are_named() {
    has_warnings(
        "a: \"b\n  c\"\nd: 'e\n\n  f'\n",
        &[
            "2: TypeScript's SDK wants a string",
            "4: TypeScript's SDK wants a string",
        ],
    );
    has_warnings(
        "a:\n- [b,\n  [c]]\nd: {e: f,\n  g: h}\n",
        &[
            "3: TypeScript's SDK wants brackets",
            "5: TypeScript's SDK wants brackets",
        ],
    );
    has_warnings("a: [b: c]\n", &["2: TypeScript's SDK refuses this mapping"]);
    has_warnings(
        "a: {b, c: }\n",
        &[
            "2: TypeScript's SDK refuses an empty",
            "2: TypeScript's SDK refuses an empty",
        ],
    );
    has_warnings("{a: b}\n", &["2: TypeScript's SDK refuses this mapping"]);
    has_warnings(
        "a: |2-\n   b\nc: >1 # d\n  e\nf: g\n",
        &[
            "3: TypeScript's SDK refuses a number",
            "5: TypeScript's SDK refuses a number",
        ],
    );
    has_warnings(
        "? a\n: b\n\"c\" : d\n",
        &[
            "2: TypeScript's SDK refuses this key",
            "4: TypeScript's SDK refuses this key",
        ],
    );
}

#[test]
fn reserved_keys_of_metadata_are_named() {
    has_warnings(
        "metadata:\n  io.modelcontextprotocol/a: b\n",
        &["3: `io.modelcontextprotocol/` is reserved"],
    );
    has_warnings(
        "io.modelcontextprotocol/a: b\nother:\n  io.modelcontextprotocol/a: b\n",
        &[],
    );
}

#[test]
fn values_that_all_hosts_read_have_no_warnings() {
    has_warnings(
        "name: a-b\ndescription: It's, a: \"text\"#1 [x]\n"
            .replace("a: ", "a ")
            .as_str(),
        &[],
    );
    has_warnings(
        "a: 'b: c'\nd: \"e\\n\\u00e4\\t\tf # g\"\nh: [1, -2, 1.5, 1.0e+3, 0x1F, null, true, \"x\", {i: j}]\nk:\n  - l\n  - m: n\n    o: p\nq: >\n  r\n  \ts\n\n  t\nu: |+\n  v\n\nw: 1.2.3\nx: multiple\n  lines\ny: https://example.org/a?b#c\nz: |\n  x\n\n",
        &[],
    );
    has_warnings("a: |-\n  x\n# a comment\twith a tab\n", &[]);
    has_warnings("a: |\n  x\n# a comment\n", &[]);
}

#[test]
fn fields_are_compared_in_any_order_and_numbers_by_value() {
    let is_same = |one: Value, other: Value| {
        super::is_same(one.as_object().unwrap(), other.as_object().unwrap())
    };
    assert!(is_same(
        json!({"a": 1, "b": {"c": [1.0, "x"], "d": null}}),
        json!({"b": {"d": null, "c": [1, "x"]}, "a": 1.0})
    ));
    for (one, other) in [
        (json!({"a": 1}), json!({"a": "1"})),
        (json!({"a": 1}), json!({"a": true})),
        (json!({"a": 1}), json!({"a": 1.5})),
        (json!({"a": null}), json!({})),
        (json!({}), json!({"a": null})),
        (json!({"a": [1, 2]}), json!({"a": [2, 1]})),
        (json!({"a": [1]}), json!({"a": [1, 1]})),
        (json!({"a": {"b": 1}}), json!({"a": {"b": 2}})),
        (
            json!({"a": 9_007_199_254_740_993_u64}),
            json!({"a": 9_007_199_254_740_992_u64}),
        ),
    ] {
        assert!(!is_same(one.clone(), other.clone()), "{one} {other}");
    }
}

#[test]
fn front_matter_is_written_on_one_line_for_each_field() {
    let fields = json!({
        "name": "a", "description": "x: \"y\"\n# é😀\u{2028}\u{7f}", "yes": [1, 1.5, null, {"a b": true}]
    });
    let text = write(fields.as_object().unwrap());
    assert_eq!(
        text,
        "---\nname: \"a\"\ndescription: \"x: \\\"y\\\"\\n# é😀\\u2028\\u007f\"\n\"yes\": [1,1.5,null,{\"a b\":true}]\n---\n"
    );
}

/// A JSON value that front matter can have.
fn value() -> impl Strategy<Value = Value> {
    let integer = -9_007_199_254_740_991_i64..=9_007_199_254_740_991;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        integer.prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        ".*".prop_map(Value::from),
        "[ -~\\n\\t]*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,20}", inner), 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = JsonObject> {
    prop::collection::vec((".{0,20}", value()), 1..5).prop_map(|it| it.into_iter().collect())
}

proptest! {
    #[test]
    fn fields_are_read_as_they_were_written(fields in object()) {
        let read = parse(write(&fields).as_bytes());
        let read = read.map_err(|faults| TestCaseError::fail(format!("{faults:?}")))?;
        prop_assert_eq!(&read.fields, &fields);
        prop_assert!(is_same(&read.fields, &fields));
    }

    #[test]
    fn any_bytes_end_in_fields_or_faults(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn any_text_ends_in_fields_or_faults(text in "([-:?,\\[\\]{}#&*!|>'\"%@`~<=._+0-9a-f \\t\\r\\n]|\\PC){0,60}") {
        match yaml(&text) {
            Ok(read) => {
                prop_assert!(is_same(&read.fields, &read.fields));
                let again = parse(write(&read.fields).as_bytes());
                let again = again.map_err(|faults| TestCaseError::fail(format!("{faults:?}")))?;
                prop_assert_eq!(again.fields, read.fields);
            }
            Err(faults) => prop_assert!(!faults.is_empty()),
        }
    }

    #[test]
    fn fields_are_the_same_as_themselves_and_not_as_changed_ones(fields in object(), other in object()) {
        prop_assert!(is_same(&fields, &fields));
        prop_assert_eq!(is_same(&fields, &other), is_same(&other, &fields));
    }
}
