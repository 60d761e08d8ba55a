//! Describes a tool step by step, and makes a route of it.

use mcp_types::{CallToolResult, RawJson, Tool, ToolAnnotations};
use schemars::generate::SchemaGenerator;
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::argument::Argument;
use super::call::Call;
use super::forms::Returning;
use super::route::{ToolCall, ToolRoute};
use super::rules::Rules;
use super::structured;
use crate::schema;
use crate::server::Reply;
use crate::server::handler::run::{Rejection, Return};
use crate::server::icon::IntoIcon;
use crate::server::meta_keys;
use crate::server::metadata::IntoMeta;

/// A tool while it is being described.
#[derive(Debug)]
pub struct ToolSpec {
    tool: Tool,
    hints: Option<ToolAnnotations>,
    generator: SchemaGenerator,
    names: Vec<&'static str>,
    schemas: Vec<Value>,
    required: Vec<&'static str>,
    strict: bool,
    /// The whole input schema, where one struct takes all arguments.
    pub(super) input_schema: Option<RawJson>,
    text_only: bool,
    /// The output schema where structured content has to be an object and by itself is none.
    wrapped_schema: Option<RawJson>,
}

impl ToolSpec {
    /// A tool called `name` that takes nothing and does not say what it does.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            tool: Tool::new(name, RawJson::empty_object()),
            hints: None,
            generator: schema::for_input(),
            names: Vec::new(),
            schemas: Vec::new(),
            required: Vec::new(),
            strict: false,
            input_schema: None,
            text_only: false,
            wrapped_schema: None,
        }
    }

    /// Says what the tool does, for the model that chooses it.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.tool.description = Some(text.into());
        self
    }

    /// Gives the tool a name for people.
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.tool.title = Some(text.into());
        self
    }

    /// Whether the tool leaves its surroundings as they are.
    #[must_use]
    pub fn read_only(mut self, value: bool) -> Self {
        self.hints().read_only_hint = Some(value);
        self
    }

    /// Whether the tool may destroy something.
    #[must_use]
    pub fn destructive(mut self, value: bool) -> Self {
        self.hints().destructive_hint = Some(value);
        self
    }

    /// Whether a second call with the same arguments changes nothing more.
    #[must_use]
    pub fn idempotent(mut self, value: bool) -> Self {
        self.hints().idempotent_hint = Some(value);
        self
    }

    /// Whether the tool deals with the world outside, such as the web.
    #[must_use]
    pub fn open_world(mut self, value: bool) -> Self {
        self.hints().open_world_hint = Some(value);
        self
    }

    fn hints(&mut self) -> &mut ToolAnnotations {
        self.hints.get_or_insert_with(ToolAnnotations::default)
    }

    /// Adds pictures of the tool, given as icons or as their URLs.
    #[must_use]
    pub fn icons<I: IntoIcon>(mut self, icons: impl IntoIterator<Item = I>) -> Self {
        self.tool.icons = Some(icons.into_iter().map(I::into_icon).collect());
        self
    }

    /// Adds metadata, for clients that know its keys.
    ///
    /// # Panics
    ///
    /// When a key is none that servers may use (2026-07-28, "Overview", section `_meta`).
    #[must_use]
    pub fn meta(mut self, meta: impl IntoMeta) -> Self {
        self.tool.meta = Some(meta_keys::checked(meta.into_meta()));
        self
    }

    /// Returns structured values as text only, without an output schema.
    #[must_use]
    pub fn text_only(mut self) -> Self {
        self.text_only = true;
        self
    }

    /// Refuses arguments that the tool does not know, instead of skipping them.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Adds an argument; the order is the one that `tools/list` shows.
    pub fn argument<T>(&mut self, mut argument: Argument<T>) -> Argument<T> {
        let mut schema = (argument.describe)(&mut self.generator).to_value();
        if let Value::Bool(_) = schema {
            schema = Value::Object(Map::new());
        }
        if let Value::Object(members) = &mut schema {
            members.append(&mut argument.keywords);
            if let Some(header) = argument.header {
                header.narrow(members);
            }
        }
        argument.rules = Rules::of(argument.describe, &mut self.generator);
        if argument.is_required() {
            self.required.push(argument.name);
        }
        argument.expected = expected(&schema);
        self.names.push(argument.name);
        self.schemas.push(schema);
        argument
    }

    /// Declares what the tool returns.
    pub fn returns<T>(&mut self, returning: Returning<T>) -> Return<T, CallToolResult> {
        self.returns_schema(returning.schema);
        returning.form
    }

    /// Declares the schema of what the tool returns.
    pub(super) fn returns_schema(&mut self, schema: fn() -> Option<Value>) {
        if self.text_only {
            return;
        }
        let Some(schema) = schema() else {
            return;
        };
        if !structured::is_object(&schema) {
            self.wrapped_schema = Some(structured::wrapped_schema(schema.clone()).into());
        }
        self.tool.output_schema = Some(schema.into());
    }

    /// Closes the description; `call` serves each call.
    #[doc(hidden)]
    #[must_use]
    pub fn route<C>(mut self, call: C) -> ToolRoute
    where
        C: Fn(Call<'_>) -> Result<Reply<CallToolResult>, Rejection> + Send + Sync + 'static,
    {
        self.close();
        let strict = self.strict;
        let answer = move |incoming: ToolCall<'_>| {
            let incoming = Call { incoming, strict };
            call(incoming).unwrap_or_else(Reply::from)
        };
        if self.text_only {
            let plain = move |incoming: ToolCall<'_>| structured::drop_reply(answer(incoming));
            ToolRoute::serving(self.tool, Box::new(plain))
        } else if let Some(schema) = self.wrapped_schema {
            let wrapping = move |incoming: ToolCall<'_>| {
                structured::wrap_reply(answer(incoming), incoming.context.revision())
            };
            let mut route = ToolRoute::serving(self.tool, Box::new(wrapping));
            route.wrapped_schema = Some(schema);
            route
        } else {
            ToolRoute::serving(self.tool, Box::new(answer))
        }
    }

    fn close(&mut self) {
        self.tool.annotations = self.hints.take();
        if let Some(schema) = self.input_schema.take() {
            self.tool.input_schema = schema;
            return;
        }
        let definitions = schema::finish(&mut self.generator, &mut self.schemas);
        let schema = InputSchema {
            names: &self.names,
            schemas: &self.schemas,
            required: &self.required,
            closed: self.strict || self.names.is_empty(),
            definitions: &definitions,
        };
        if let Ok(schema) = RawJson::new(&schema) {
            self.tool.input_schema = schema;
        }
    }
}

/// The type that a schema names, for a person.
pub(super) fn expected(schema: &Value) -> String {
    let kind = schema.get("type").and_then(Value::as_str);
    kind.unwrap_or("a value").to_owned()
}

/// The schema of all arguments, with the properties in the order of the parameters.
struct InputSchema<'a> {
    names: &'a [&'static str],
    schemas: &'a [Value],
    required: &'a [&'static str],
    closed: bool,
    definitions: &'a Map<String, Value>,
}

impl Serialize for InputSchema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &Properties(self))?;
        if !self.required.is_empty() {
            map.serialize_entry("required", self.required)?;
        }
        if self.closed {
            map.serialize_entry("additionalProperties", &false)?;
        }
        if !self.definitions.is_empty() {
            map.serialize_entry("$defs", self.definitions)?;
        }
        map.end()
    }
}

struct Properties<'a>(&'a InputSchema<'a>);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.names.iter().zip(self.0.schemas))
    }
}

#[cfg(test)]
mod tests {
    use super::ToolSpec;
    use crate::server::Reply;
    use crate::server::tools::argument::argument;

    #[test]
    fn properties_stand_in_the_order_of_the_arguments() {
        let mut spec = ToolSpec::new("tool");
        let _ = spec.argument(argument::<bool>("zulu"));
        let _ = spec.argument(argument::<bool>("alpha"));
        let route = spec.route(|_| Ok(Reply::Ready(Ok(super::CallToolResult::new([])))));
        assert_eq!(
            route.tool.input_schema.get(),
            r#"{"type":"object","properties":{"zulu":{"type":"boolean"},"alpha":{"type":"boolean"}},"required":["zulu","alpha"]}"#
        );
    }
}
