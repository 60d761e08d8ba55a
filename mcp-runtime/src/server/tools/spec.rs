//! Describes a tool step by step, and makes a route of it.

use std::sync::OnceLock;

use mcp_types::{CallToolResult, RawJson, Tool, ToolAnnotations};
use serde_json::Value;

use super::argument::Argument;
use super::call::{Call, ContextCall};
use super::forms::Returning;
use super::parameters::{Parameter, input_schema};
use super::route::{ToolCall, ToolRoute};
use super::structured;
use crate::server::Reply;
use crate::server::handler::run::{Rejection, Return};
use crate::server::meta_keys;
use crate::server::metadata::{IntoIcon, IntoMeta};

/// A tool while it is being described.
#[derive(Debug)]
pub struct ToolSpec {
    tool: Tool,
    hints: Option<ToolAnnotations>,
    parameters: Vec<Parameter>,
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
            parameters: Vec::new(),
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
        self.parameters.push(argument.parameter());
        argument
    }

    /// Declares what the tool returns.
    pub fn returns<T>(&mut self, returning: Returning<T>) -> Return<T, CallToolResult> {
        (returning.declare)(self);
        returning.form
    }

    /// Declares the schema of what the tool returns, if there is one.
    pub(super) fn returns_schema(&mut self, schema: Option<Value>) {
        let Some(schema) = schema.filter(|_| !self.text_only) else {
            return;
        };
        let object = structured::object_schema(&schema);
        if object.is_none() {
            self.wrapped_schema = Some(structured::wrapped_schema(schema.clone()).into());
        }
        self.tool.output_schema = Some(object.unwrap_or(schema).into());
    }

    /// Closes the description of a tool whose function takes nothing from its context; `call`
    /// serves each call.
    #[doc(hidden)]
    #[must_use]
    pub fn route<C>(mut self, call: C) -> ToolRoute
    where
        C: Fn(Call<'_>) -> Result<Reply<CallToolResult>, Rejection> + Send + Sync + 'static,
    {
        let strict = self.strict;
        let answer = move |incoming: ToolCall<'_>| {
            let incoming = Call { incoming, strict };
            call(incoming).unwrap_or_else(Reply::from)
        };
        let (text_only, wrapped_schema) = (self.text_only, self.wrapped_schema.take());
        let name = self.tool.name.clone();
        let may_have_headers = self.may_have_headers();
        let tool = || self.close();
        let mut route = if text_only {
            let plain = move |incoming: ToolCall<'_>| structured::drop_reply(answer(incoming));
            ToolRoute::lazy(name, tool, Box::new(plain))
        } else if let Some(schema) = wrapped_schema {
            let wrapping = move |incoming: ToolCall<'_>| {
                structured::wrap_reply(answer(incoming), incoming.context.revision())
            };
            let mut route = ToolRoute::lazy(name, tool, Box::new(wrapping));
            route.wrapped_schema = Some(schema);
            route
        } else {
            ToolRoute::lazy(name, tool, Box::new(answer))
        };
        if !may_have_headers {
            // The first call does not have to make the schema to find that out.
            route.param_headers = OnceLock::from(Box::default());
        }
        route
    }

    /// Whether arguments may have to be repeated in headers, as far as is known without making the
    /// schema.
    fn may_have_headers(&self) -> bool {
        self.input_schema.is_some() || self.parameters.iter().any(Parameter::may_have_headers)
    }

    /// Closes the description of a tool whose function takes something from its context.
    #[doc(hidden)]
    #[must_use]
    pub fn context_route<C>(self, call: C) -> ToolRoute
    where
        C: Fn(ContextCall<'_>) -> Result<Reply<CallToolResult>, Rejection> + Send + Sync + 'static,
    {
        self.route(move |incoming| call(ContextCall(incoming)))
    }

    /// The tool as it is listed.
    fn close(self) -> Tool {
        let mut tool = self.tool;
        tool.annotations = self.hints;
        tool.input_schema = match self.input_schema {
            Some(schema) => schema,
            None => input_schema(&self.parameters, self.strict),
        };
        tool
    }
}

/// The type that a schema names, for a person.
pub(super) fn expected(schema: &Value) -> String {
    let kind = schema.get("type").and_then(Value::as_str);
    kind.unwrap_or("a value").to_owned()
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
