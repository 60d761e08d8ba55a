use super::*;

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
    has_warnings("a: |\n  x\n", &["2: FastMCP drops the line break"]);
    has_warnings(
        "m:\n  a: >+\n    x\n\n",
        &["3: FastMCP drops the line break"],
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
    has_warnings("\"a\": |-\n  x |2\nb: c\n", &[]);
    has_warnings("a: |\n  x\n# a comment\n", &[]);
}
