//! Tests what a person sees on a terminal of some width.

use crate::pty::Terminal;
use crate::support::{User, demo, example, scripted};

/// The lines of the output without escape sequences, including lines that were rewritten.
fn lines(output: &str) -> Vec<String> {
    let mut text = String::new();
    let mut letters = output.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => drop(letters.find(char::is_ascii_alphabetic)),
            letter => text.push(letter),
        }
    }
    text.split(['\r', '\n']).map(str::to_owned).collect()
}

#[test]
fn progress_is_one_line_that_is_gone_at_the_end() {
    let user = User::new();
    let call = ["call", "work", "milliseconds=400", "--", &demo()];
    let (code, shown) = Terminal::of_width(24, &user, &call).end();
    assert_eq!(code, 0, "{shown}");
    let lines = lines(&shown);
    assert!(lines.iter().any(|it| it.starts_with("█")), "{shown:?}");
    assert!(lines.iter().all(|it| it.chars().count() <= 24), "{lines:?}");
    let (_, end) = shown.rsplit_once("\u{1b}[2K").expect("the line is erased");
    assert_eq!(end.trim(), "done", "{shown:?}");
}

#[test]
fn an_error_of_a_tool_is_red_and_comes_first() {
    let user = User::new();
    let (code, shown) = Terminal::start(&user, &["call", "fail", "--", &demo()]).end();
    assert_eq!(code, 5);
    let red = "\u{1b}[31mit is broken\u{1b}[0m\r\nerror: the tool reports this error\r\n";
    assert!(shown.ends_with(red), "{shown:?}");
}

#[test]
fn a_list_of_flat_objects_is_a_table_on_a_terminal_only() {
    let tools = r#""result": {"tools": [{"name": "t", "inputSchema": {}}]}"#;
    let books = r#"[{"title": "Emma", "year": 1815}, {"title": "Dracula", "year": 1897}]"#;
    let result =
        format!(r#""result": {{"content": [], "structuredContent": {{"books": {books}}}}}"#);
    let program = scripted(&[("tools/list", tools), ("tools/call", &result)]);
    let program = program.each_ref().map(String::as_str);
    let call = [&["call", "t", "--era", "handshake", "--"], &program[..]].concat();
    let user = User::new();
    let (code, shown) = Terminal::of_width(60, &user, &call).end();
    assert_eq!(code, 0, "{shown}");
    let expected = ["title    year", "Emma     1815", "Dracula  1897"];
    assert_eq!(
        lines(&shown)
            .iter()
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>(),
        expected
    );
    let piped = user.run(&call).json();
    assert_eq!(piped["books"][1]["year"], 1897);
}

#[test]
fn the_list_of_tools_is_wrapped_and_escaped() {
    let user = User::new();
    let call = ["call", "--", &example("hostile")];
    let (code, shown) = Terminal::of_width(100, &user, &call).end();
    assert_eq!(code, 2);
    assert!(shown.contains("  echo\\u{1b}]0;title"), "{shown:?}");
    assert!(
        !shown.contains("\u{1b}]") && !shown.contains('\u{202e}'),
        "{shown:?}"
    );
}
