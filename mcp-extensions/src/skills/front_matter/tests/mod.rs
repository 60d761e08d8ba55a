mod check;
mod fields;
mod hosts;

use std::time::{Duration, Instant};

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
fn starts_with(text: &str, found: &[String], expected: &[&str]) {
    let mut pairs = found.iter().zip(expected);
    let equal = found.len() == expected.len() && pairs.all(|(it, start)| it.starts_with(start));
    assert!(equal, "{text}: {found:#?}");
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
        // Two decimal numbers are equally close to this double.
        ("1458965329754952.2", json!(1_458_965_329_754_952.2)),
        ("1.0e+23", json!(1e23)),
        ("0e9", json!(0.0)),
        // The shortest digits of doubles, as other programs write them.
        (
            "-2.8347476522006307e-08",
            json!(-2.834_747_652_200_630_7e-8),
        ),
        ("2.1060533511106927e+28", json!(2.106_053_351_110_692_7e28)),
        ("1.00000000000000000000", json!(1.0)),
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
        (b"---", 1, "has no end"),
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
fn the_largest_front_matter_is_read_soon() {
    let long = format!("{}: 1\n", "x".repeat(1000));
    let nested = (0..31).map(|depth| " ".repeat(depth) + &long.replace(" 1", ""));
    let files = [
        (0..6000)
            .map(|key| format!("{key:04x}_: 1\n"))
            .collect::<String>(),
        (0..4000)
            .map(|key| format!("\"{key:04x}\" : \"\"\n"))
            .collect(),
        (0..4000).map(|key| format!("{key:04x}_: |1\n")).collect(),
        format!("a: |\n{}", " \n".repeat(30_000)),
        format!("a: \"{}\"\n", "\\n".repeat(30_000)),
        format!("a: {}\n", "1_".repeat(30_000)),
        format!("a: {}\n", "1".repeat(60_000)),
        format!("a: 0.{}\n", "1".repeat(60_000)),
        format!("a: [{}]\n", "1e3,".repeat(15_000)),
        nested
            .chain((0..500).map(|key| format!("{}k{key}: 1\n", " ".repeat(31))))
            .collect(),
    ];
    for file in files {
        // Milliseconds with optimization. Quadratic time would be a minute.
        let start = Instant::now();
        let _ = yaml(&file);
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{}: {:?}",
            &file[..20],
            start.elapsed()
        );
    }
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    let nested = |depth: usize| format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(yaml(&nested(31)).is_ok());
    has_fault(&nested(32), 2, "nested in more than 32 levels");
    has_fault(&nested(40), 2, "nested in more than 32 levels");
}
