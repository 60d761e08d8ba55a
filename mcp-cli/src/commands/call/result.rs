//! Shows the result of a call: the contents, and the structured content unless they repeat it.

use mcp_runtime::types::{CallToolResult, RawJsonRef};
use serde_json::Value;

use crate::failure::Failure;
use crate::output::Output;
use crate::schema::distinct;
use crate::screen::{Look, Part, part};

/// Shows a result. `shown` has the text of each content block.
pub(super) fn show(
    result: &CallToolResult,
    shown: &[String],
    output: &Output,
) -> Result<(), Failure> {
    let is_copy = |text: &str, json: RawJsonRef<'_>| {
        let value: Option<Value> = json.parse().ok();
        let is_same = |it: &Value| {
            *it == *text || serde_json::from_str(text).is_ok_and(|copy: Value| copy == *it)
        };
        text.trim() == json.get() || value.as_ref().is_some_and(is_same)
    };
    let mut structured = result.structured_content.as_ref();
    // Many servers wrap a string into an object with one member.
    let members = structured.and_then(|it| it.as_raw().members().ok());
    if let ([block], Some([(name, value)])) = (&result.content[..], members.as_deref())
        && (value.get().starts_with('"') || name == "result")
        && block.as_text().is_some_and(|text| is_copy(text, *value))
    {
        structured = None;
    }
    for (block, line) in result.content.iter().zip(shown) {
        let is_shown_below = |text| structured.is_some_and(|it| is_copy(text, it.as_raw()));
        if !block.as_text().is_some_and(is_shown_below) {
            output.line(line)?;
        }
    }
    let Some(json) = structured else {
        return Ok(());
    };
    let rows = table(json.as_raw()).filter(|_| output.is_terminal);
    let mut screen = output.screen();
    if rows.is_some_and(|it| screen.table(0, &it)) {
        return output.write(&screen);
    }
    output.document(json)
}

/// The rows of a list of flat objects, or of an object whose only member is such a list.
fn table(json: RawJsonRef<'_>) -> Option<Vec<Vec<Part<'static>>>> {
    let list = match json.members().as_deref() {
        Ok([(_, only)]) => *only,
        _ => json,
    };
    let objects = list.elements().ok().filter(|it| !it.is_empty())?;
    let objects: Vec<_> = objects
        .iter()
        .map(|it| it.members())
        .collect::<Result<_, _>>()
        .ok()?;
    let names = distinct(objects.iter().flatten().map(|it| it.0.as_str()));
    let heading = names.iter().map(|it| part(Look::Strong, (*it).to_owned()));
    let mut rows = vec![heading.collect()];
    for object in &objects {
        let cell = |name: &&str| {
            let value = object.iter().find(|it| it.0 == **name);
            Some(part(
                Look::Plain,
                value.map_or(Some(String::new()), |it| scalar(it.1))?,
            ))
        };
        rows.push(names.iter().map(cell).collect::<Option<_>>()?);
    }
    (!names.is_empty()).then_some(rows)
}

/// The text of a value on one line. Numbers keep their digits.
fn scalar(json: RawJsonRef<'_>) -> Option<String> {
    let text = match json.get() {
        "null" => String::new(),
        text if text.starts_with(['{', '[']) => return None,
        text => json.parse::<String>().unwrap_or_else(|_| text.to_owned()),
    };
    (!text.contains('\n')).then_some(text)
}

#[cfg(test)]
mod tests {
    use mcp_runtime::types::RawJson;

    use super::*;
    use crate::screen::Screen;

    fn shown(json: &str, width: usize) -> Option<String> {
        let json = RawJson::from_text(json).unwrap();
        let mut screen = Screen::new(Some(width), false);
        let is_shown = screen.table(0, &table(json.as_raw())?);
        is_shown.then(|| screen.as_str().to_owned())
    }

    #[test]
    fn flat_objects_are_rows() {
        let list =
            r#"[{"title": "Emma", "year": 1815}, {"title": "天気", "price": 12.50, "year": null}]"#;
        let expected = "title  year  price\nEmma   1815\n天気         12.50\n";
        assert_eq!(shown(list, 60).unwrap(), expected);
        let only = format!(r#"{{"books": {list}}}"#);
        assert_eq!(shown(&only, 60).unwrap(), expected);
        let hostile = "[{\"a\\u001b]0;x\": \"\\u202e\"}]";
        assert_eq!(shown(hostile, 60).unwrap(), "a\\u{1b}]0;x\n\\u{202e}\n");
    }

    #[test]
    fn other_values_stay_json() {
        for json in [
            "[]",
            "[{}]",
            "[1]",
            "{}",
            r#"{"a": 1}"#,
            r#"[{"a": [1]}]"#,
            r#"[{"a": {}}]"#,
            r#"[{"a": "two\nlines"}]"#,
            r#"{"books": [{"a": 1}], "count": 1}"#,
        ] {
            assert_eq!(shown(json, 60), None, "{json}");
        }
        let wide = format!(
            r#"[{{"a": "{}", "b": "one or two more words"}}]"#,
            "x".repeat(60)
        );
        assert_eq!(shown(&wide, 60), None);
        assert!(shown(&wide, 100).is_some());
    }
}
