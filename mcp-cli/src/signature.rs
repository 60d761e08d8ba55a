//! Tools as signatures, in the notation that people know from programming languages.

use mcp_runtime::types::{Prompt, RawJsonRef, Tool, ToolExecutionTaskSupport};

/// Types inside one another that are shown.
const MAX_DEPTH: usize = 4;
/// Values of an enumeration that are shown.
const MAX_VALUES: usize = 6;
/// Members of an object without a name that are shown.
const MAX_MEMBERS: usize = 4;

/// The signature of a tool, such as `forecast(city: string, days?: integer) -> Forecast`.
pub(crate) fn of_tool(tool: &Tool) -> String {
    let arguments = members(tool.input_schema.as_raw(), 0).join(", ");
    let output = tool.output_schema.as_ref();
    let output = output.map(|schema| format!(" -> {}", kind(schema.as_raw(), 0)));
    format!("{}({arguments}){}", tool.name, output.unwrap_or_default())
}

/// Returns true if a tool can be called as a task only.
pub(crate) fn is_task(tool: &Tool) -> bool {
    let execution = tool.execution.as_ref();
    let support = execution.and_then(|it| it.task_support.as_ref());
    support == Some(&ToolExecutionTaskSupport::Required)
}

/// The signature of a prompt, whose arguments are texts.
pub(crate) fn of_prompt(prompt: &Prompt) -> String {
    let arguments = prompt.arguments.iter().flatten();
    let arguments = arguments.map(|it| match it.required {
        Some(true) => it.name.clone(),
        _ => format!("{}?", it.name),
    });
    let arguments: Vec<_> = arguments.collect();
    format!("{}({})", prompt.name, arguments.join(", "))
}

/// The members of an object, each with its type.
fn members(schema: RawJsonRef<'_>, depth: usize) -> Vec<String> {
    let required = schema.member("required").and_then(|it| it.parse().ok());
    let required: Vec<String> = required.unwrap_or_default();
    let properties = schema.member("properties").and_then(|it| it.members().ok());
    let properties = properties.unwrap_or_default().into_iter();
    // Those that must be given go first, as in a call.
    let (required, optional): (Vec<_>, Vec<_>) =
        properties.partition(|(name, _)| required.contains(name));
    let kind = |schema| kind(schema, depth + 1);
    let required = required.into_iter();
    let required = required.map(|(name, schema)| format!("{name}: {}", kind(schema)));
    let optional = optional.into_iter().map(|(name, schema)| {
        // It may be left out, which is what null means there.
        format!("{name}?: {}", kind(schema).trim_end_matches(" | null"))
    });
    required.chain(optional).collect()
}

/// The name of the type that a schema describes.
fn kind(schema: RawJsonRef<'_>, depth: usize) -> String {
    let list = |keyword| schema.member(keyword)?.elements().ok();
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    if let Some(name) = text(schema, "$ref") {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(values) = list("enum") {
        let values = values.iter().map(|it| it.get().to_owned());
        return shortened(values, MAX_VALUES, " | ");
    }
    if let Some(value) = schema.member("const") {
        return value.get().to_owned();
    }
    if let Some(union) = list("anyOf").or_else(|| list("oneOf")) {
        return distinct(union.into_iter().map(|it| kind(it, depth + 1)));
    }
    if let Some(kinds) = list("type") {
        let kinds = kinds.into_iter().filter_map(|it| it.parse().ok());
        return distinct(kinds.map(|it: String| named(schema, it, depth)));
    }
    let is_object = || schema.member("properties").is_some();
    let kind = text(schema, "type").or_else(|| is_object().then(|| "object".to_owned()));
    kind.map_or_else(|| "any".to_owned(), |it| named(schema, it, depth))
}

/// The name of one kind of JSON.
fn named(schema: RawJsonRef<'_>, name: String, depth: usize) -> String {
    match &*name {
        "array" => {
            let items = schema.member("items").filter(|it| it.is_object());
            let items = items.map_or("any".to_owned(), |it| kind(it, depth + 1));
            match items.contains(" | ") {
                true => format!("({items})[]"),
                false => format!("{items}[]"),
            }
        }
        "object" => {
            let title = text(schema, "title").filter(|it| !it.contains(char::is_whitespace));
            let members = members(schema, depth);
            match title {
                Some(title) => title,
                None if members.is_empty() => name,
                None => format!("{{{}}}", shortened(members, MAX_MEMBERS, ", ")),
            }
        }
        _ => name,
    }
}

fn distinct(kinds: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    kinds.for_each(|kind| {
        if !distinct.contains(&kind) {
            distinct.push(kind);
        }
    });
    distinct.join(" | ")
}

/// The first of several parts, and a mark if there are more.
fn shortened(parts: impl IntoIterator<Item = String>, most: usize, separator: &str) -> String {
    let mut parts: Vec<_> = parts.into_iter().take(most + 1).collect();
    if parts.len() > most {
        parts[most] = "…".to_owned();
    }
    parts.join(separator)
}

fn text(schema: RawJsonRef<'_>, keyword: &str) -> Option<String> {
    schema.member(keyword)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn signature(input: Value, output: Option<Value>) -> String {
        let mut tool = Tool::new("forecast", input);
        tool.output_schema = output.map(Into::into);
        of_tool(&tool)
    }

    #[test]
    fn a_signature_has_the_arguments_in_order_with_required_ones_first() {
        let input = mcp_runtime::types::RawJson::from_text(
            r##"{"type":"object","properties":{"unit":{"enum":["c","f"]},"city":{"type":"string"},
            "days":{"type":["integer","null"]},"tags":{"type":"array","items":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/Tag"}]}}},
            "required":["city"]}"##,
        );
        let tool = Tool::new("forecast", input.unwrap());
        assert_eq!(
            of_tool(&tool),
            r#"forecast(city: string, unit?: "c" | "f", days?: integer, tags?: (string | Tag)[])"#
        );
    }

    #[test]
    fn the_output_has_its_name() {
        let none = json!({"type": "object"});
        let named = json!({"type": "object", "title": "Forecast", "properties": {"a": {}}});
        assert_eq!(
            signature(none.clone(), Some(named)),
            "forecast() -> Forecast"
        );
        let unnamed =
            json!({"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]});
        assert_eq!(
            signature(none.clone(), Some(unnamed)),
            "forecast() -> {a: number}"
        );
        assert_eq!(signature(none, None), "forecast()");
    }

    #[test]
    fn odd_schemas_have_a_signature() {
        for schema in [
            json!({"properties": 3}),
            json!({"properties": {"a": true, "b": []}}),
        ] {
            assert!(signature(schema, Some(json!({"type": 7}))).starts_with("forecast("));
        }
        let deep = (0..100).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": "object", "properties": {"a": inner}}),
        );
        assert!(signature(deep, None).contains('…'));
    }
}
