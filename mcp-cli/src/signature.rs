//! Shows tools and prompts as signatures, in a notation that people know from programming
//! languages.

use mcp_runtime::types::{Prompt, Tool, ToolExecutionTaskSupport};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::limits::{SIGNATURE_LEVELS, SIGNATURE_MEMBERS, SIGNATURE_SHAPES, SIGNATURE_VALUES};
use crate::schema::{Schema, distinct, document, elements};

/// The signature of a tool, such as `forecast(city: string, days?: integer) -> Forecast`.
///
/// If the arguments can have several shapes, each shape is in its own parentheses.
pub(crate) fn of_tool(tool: &Tool) -> String {
    let input = document(tool.input_schema.as_raw(), 0);
    let shapes = Schema::new(&input);
    let shapes = shapes
        .alternatives()
        .filter(Schema::has_objects)
        .take(SIGNATURE_SHAPES);
    let shapes = distinct(shapes.map(|it| members(&it, 0).join(", ")));
    let arguments = shortened(shapes, SIGNATURE_VALUES, ") | (");
    let output = tool.output_schema.as_ref();
    let output = output.map(|it| document(it.as_raw(), 0));
    let output = output.map(|it| format!(" -> {}", kind(&it, &it, 0)));
    format!("{}({arguments}){}", tool.name, output.unwrap_or_default())
}

/// Whether a tool can only be called as a task of revision 2025-11-25.
pub(crate) fn is_task(tool: &Tool) -> bool {
    let execution = tool.execution.as_ref();
    let support = execution.and_then(|it| it.task_support.as_ref());
    support == Some(&ToolExecutionTaskSupport::Required)
}

/// The signature of a prompt, which shows no types because all arguments are strings.
pub(crate) fn of_prompt(prompt: &Prompt) -> String {
    let arguments = prompt.arguments.iter().flatten();
    let arguments = arguments.map(|it| match it.required {
        Some(true) => it.name.clone(),
        _ => format!("{}?", it.name),
    });
    let arguments: Vec<_> = arguments.collect();
    format!("{}({})", prompt.name, arguments.join(", "))
}

/// The members of an object, each with its type. Required members come first, as in a call.
fn members(schema: &Schema<'_>, depth: usize) -> Vec<String> {
    let required = schema.required();
    let mut names = schema.names();
    names.sort_by_key(|it| !required.contains(it));
    let shown = names.into_iter().map(|name| {
        let sources = schema.sources(name);
        let constant = sources.iter().find(|it| it.get("const").is_some());
        let source = constant.or(sources.first()).copied();
        let kind = source.map_or_else(String::new, |it| kind(schema.root, it, depth + 1));
        if required.contains(&name) {
            format!("{name}: {kind}")
        } else {
            // Leaving out an optional member means the same as null.
            format!("{name}?: {}", kind.trim_end_matches(" | null"))
        }
    });
    shown.collect()
}

/// The name of the type that `schema` describes.
fn kind<'a>(root: &'a Value, schema: &'a Value, depth: usize) -> String {
    let of = |it| kind(root, it, depth + 1);
    let text = |keyword| schema.get(keyword).and_then(Value::as_str);
    let list = |keyword| schema.get(keyword).and_then(Value::as_array);
    if depth > SIGNATURE_LEVELS {
        return "…".to_owned();
    }
    if let Some(name) = text("$ref").and_then(|it| it.rsplit('/').next()) {
        let name = percent_decode_str(name).decode_utf8_lossy();
        return name.replace("~1", "/").replace("~0", "~");
    }
    if let Some(values) = list("enum") {
        return shortened(values.iter().map(Value::to_string), SIGNATURE_VALUES, " | ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    let has_members = schema.get("properties").is_some();
    if let Some(union) = list("anyOf")
        .or_else(|| list("oneOf"))
        .filter(|_| !has_members)
    {
        return distinct(union.iter().map(of)).join(" | ");
    }
    if let Some([only]) = list("allOf").map(Vec::as_slice).filter(|_| !has_members) {
        return of(only);
    }
    let expanded = Schema::of(root, vec![schema]);
    let kinds = expanded.kinds().into_iter().map(|it| match it {
        "array" => list_of(schema, of),
        "object" => {
            let title = text("title").filter(|it| !it.contains(char::is_whitespace));
            let shapes = expanded
                .alternatives()
                .take(SIGNATURE_SHAPES)
                .map(|it| members(&it, depth));
            let shapes = shapes.map(|it| {
                if it.is_empty() {
                    map_of(schema)
                        .map_or("object".to_owned(), |it| format!("{{[name]: {}}}", of(it)))
                } else {
                    format!("{{{}}}", shortened(it, SIGNATURE_MEMBERS, ", "))
                }
            });
            title.map_or_else(|| distinct(shapes).join(" | "), str::to_owned)
        }
        kind => kind.to_owned(),
    });
    let kinds = distinct(kinds);
    if kinds.is_empty() {
        "any".to_owned()
    } else {
        kinds.join(" | ")
    }
}

fn map_of(schema: &Value) -> Option<&Value> {
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let first = patterns.and_then(|it| it.values().next());
    first
        .or(schema.get("additionalProperties"))
        .filter(|it| it.is_object())
}

/// The name of a list: `string[]`, or `[string, integer]` if each element has its own type.
fn list_of<'a>(schema: &'a Value, kind: impl Fn(&'a Value) -> String) -> String {
    let items = schema.get("items").filter(|it| it.is_object());
    let tuple: Vec<_> = elements(schema, "prefixItems")
        .chain(elements(schema, "items"))
        .collect();
    if !tuple.is_empty() {
        return format!(
            "[{}]",
            shortened(tuple.into_iter().map(kind), SIGNATURE_VALUES, ", ")
        );
    }
    let items = items.map_or_else(|| "any".to_owned(), kind);
    if items.contains(" | ") {
        format!("({items})[]")
    } else {
        format!("{items}[]")
    }
}

/// Joins the first parts, and marks that there are more.
fn shortened(parts: impl IntoIterator<Item = String>, most: usize, separator: &str) -> String {
    let mut parts: Vec<_> = parts.into_iter().take(most + 1).collect();
    if parts.len() > most {
        parts[most] = "…".to_owned();
    }
    parts.join(separator)
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

    #[test]
    fn arguments_behind_unions_and_references_are_shown() {
        let by = |name: &str, kind: &str| json!({"properties": {name: {"type": kind}}, "required": [name]});
        let union = json!({"type": "object", "anyOf": [by("id", "integer"), by("name", "string")]});
        assert_eq!(
            signature(union, None),
            "forecast(id: integer) | (name: string)"
        );
        let shared = json!({"$ref": "#/$defs/all", "$defs": {"all": {"allOf": [by("id", "integer"), {"properties": {
            "pair": {"prefixItems": [{"type": "string"}, {"$ref": "#/$defs/a~1b%20c"}]},
            "point": {"allOf": [by("x", "number"), by("y", "number")]},
            "name": {"type": "string", "nullable": true},
            "map": {"patternProperties": {"^[0-9]+$": {"type": "string"}}},
        }}]}}});
        assert_eq!(
            signature(shared, None),
            "forecast(id: integer, pair?: [string, a/b c], point?: {x: number, y: number}, name?: string, map?: {[name]: string})"
        );
    }
}
