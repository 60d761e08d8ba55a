//! Tools as signatures, in the notation that people know from programming languages.

use mcp_runtime::types::{Prompt, RawJsonRef, Tool};

/// Types inside one another that are shown.
const MAX_DEPTH: usize = 4;
/// Values of an enumeration that are shown.
const MAX_VALUES: usize = 6;
/// Members of an object without a name that are shown.
const MAX_MEMBERS: usize = 4;

/// The signature of a tool, such as `forecast(city: string, days?: integer) -> Forecast`.
pub(crate) fn of_tool(tool: &Tool) -> String {
    let root = Document(tool.input_schema.as_raw());
    let arguments = root.members(root.0, 0).join(", ");
    let output = tool.output_schema.as_ref().map(|schema| {
        let root = Document(schema.as_raw());
        format!(" -> {}", root.kind(root.0, 0))
    });
    format!("{}({arguments}){}", tool.name, output.unwrap_or_default())
}

/// The signature of a prompt, whose arguments are texts.
pub(crate) fn of_prompt(prompt: &Prompt) -> String {
    let arguments = prompt.arguments.iter().flatten().map(|argument| {
        let mark = if argument.required == Some(true) {
            ""
        } else {
            "?"
        };
        format!("{}{mark}", argument.name)
    });
    format!(
        "{}({})",
        prompt.name,
        arguments.collect::<Vec<_>>().join(", ")
    )
}

/// A document, to which the references in its schemas refer.
#[derive(Clone, Copy)]
struct Document<'a>(RawJsonRef<'a>);

impl<'a> Document<'a> {
    /// The members of an object, each with its type.
    fn members(self, schema: RawJsonRef<'a>, depth: usize) -> Vec<String> {
        let properties = schema.member("properties");
        let properties = properties
            .and_then(|it| it.members().ok())
            .unwrap_or_default();
        let required: Vec<String> = schema
            .member("required")
            .and_then(|it| it.parse().ok())
            .unwrap_or_default();
        let mut members: Vec<_> = properties
            .into_iter()
            .map(|(name, schema)| {
                let kind = self.kind(schema, depth + 1);
                match required.contains(&name) {
                    true => format!("{name}: {kind}"),
                    // It may be left out, which is what null means there.
                    false => format!("{name}?: {}", kind.trim_end_matches(" | null")),
                }
            })
            .collect();
        // Those that must be given go first, as in a call.
        members.sort_by_key(|it| it.split(':').next().is_some_and(|name| name.ends_with('?')));
        members
    }

    /// The name of the type that a schema describes.
    fn kind(self, schema: RawJsonRef<'a>, depth: usize) -> String {
        if depth > MAX_DEPTH {
            return "…".to_owned();
        }
        if let Some(name) = text(schema, "$ref") {
            let end = name.rsplit('/').next().unwrap_or_default();
            return end.to_owned();
        }
        if let Some(values) = schema.member("enum").and_then(|it| it.elements().ok()) {
            let shown: Vec<_> = values.iter().take(MAX_VALUES).map(|it| it.get()).collect();
            let more = if values.len() > MAX_VALUES {
                " | …"
            } else {
                ""
            };
            return format!("{}{more}", shown.join(" | "));
        }
        if let Some(value) = schema.member("const") {
            return value.get().to_owned();
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(union) = schema.member(keyword).and_then(|it| it.elements().ok()) {
                return self.union(union.into_iter().map(|it| self.kind(it, depth + 1)));
            }
        }
        match schema.member("type") {
            Some(kind) => match kind.parse::<Vec<String>>() {
                Ok(kinds) => self.union(kinds.iter().map(|kind| self.named(schema, kind, depth))),
                Err(_) => self.named(schema, &kind.parse::<String>().unwrap_or_default(), depth),
            },
            None if schema.member("properties").is_some() => self.named(schema, "object", depth),
            None => "any".to_owned(),
        }
    }

    /// The name of one kind of JSON.
    fn named(self, schema: RawJsonRef<'a>, kind: &str, depth: usize) -> String {
        match kind {
            "array" => {
                let items = schema.member("items").filter(|it| it.is_object());
                let items = items.map_or("any".to_owned(), |it| self.kind(it, depth + 1));
                match items.contains(" | ") {
                    true => format!("({items})[]"),
                    false => format!("{items}[]"),
                }
            }
            "object" => {
                let is_name = |title: &String| !title.contains(char::is_whitespace);
                if let Some(title) = text(schema, "title").filter(is_name) {
                    return title;
                }
                let members = self.members(schema, depth);
                if members.is_empty() {
                    return "object".to_owned();
                }
                let more = if members.len() > MAX_MEMBERS {
                    ", …"
                } else {
                    ""
                };
                let shown = &members[..members.len().min(MAX_MEMBERS)];
                format!("{{{}{more}}}", shown.join(", "))
            }
            kind => kind.to_owned(),
        }
    }

    fn union(self, kinds: impl Iterator<Item = String>) -> String {
        let mut distinct: Vec<String> = Vec::new();
        for kind in kinds {
            if !distinct.contains(&kind) {
                distinct.push(kind);
            }
        }
        distinct.join(" | ")
    }
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
