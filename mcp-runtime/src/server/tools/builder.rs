//! Describes a tool step by step, and makes an entry of it and a function.

use mcp_types::{CallToolResult, RawJson, Tool, ToolAnnotations};
use serde_json::Value;

use super::arguments::Argument;
use super::entry::{ToolCall, ToolEntry};
use super::parameter::{Parameter, input_schema};
use super::result::{IntoToolResult, ToolOutput};
use super::structured;
use crate::server::handler::run::{Convert, Rejection, for_tuples, pending, ready};
use crate::server::metadata::{self, IntoIcon, IntoMeta};
use crate::server::{Context, Reply};

/// Describes a tool, and makes an entry of it and a function.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::tools::{ToolBuilder, argument};
///
/// let mut server = Server::builder();
/// server.tool(
///     ToolBuilder::new("add")
///         .description("Adds two whole numbers.")
///         .arguments((argument::<i64>("a"), argument::<i64>("b")))
///         .call(|(a, b), _| a + b),
/// );
/// # drop(server.build());
/// ```
#[derive(Debug)]
pub struct ToolBuilder<A = ()> {
    tool: Tool,
    parameters: Vec<Parameter>,
    strict: bool,
    /// The whole input schema, where one struct takes all arguments.
    input_schema: Option<RawJson>,
    text_only: bool,
    /// The output schema for revisions that require an object, if the content is no object.
    wrapped_schema: Option<RawJson>,
    arguments: A,
}

impl ToolBuilder {
    /// A tool called `name` without arguments and description.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            tool: Tool::new(name, RawJson::empty_object()),
            parameters: Vec::new(),
            strict: false,
            input_schema: None,
            text_only: false,
            wrapped_schema: None,
            arguments: (),
        }
    }

    /// Adds arguments; the order is the one that `tools/list` shows.
    pub fn arguments<A: Arguments>(mut self, arguments: A) -> ToolBuilder<A> {
        let arguments = arguments.declare(&mut self);
        self.replace(arguments).0
    }

    /// Adds an argument; the order is the one that `tools/list` shows.
    pub fn argument<T>(&mut self, argument: Argument<T>) -> Argument<T> {
        self.parameters.push(argument.parameter.clone());
        argument
    }

    /// Takes all arguments as one struct, whose schema is that of the tool.
    #[doc(hidden)]
    pub fn flatten<T>(&mut self, argument: Argument<T>) -> Argument<T> {
        self.input_schema = Some(argument.parameter.whole_input_schema());
        argument
    }

    /// Declares the type that the tool returns.
    #[doc(hidden)]
    pub fn returns<T>(&mut self, output: ToolOutput<T>) -> Convert<T, CallToolResult> {
        self.output_schema((output.schema)());
        output.convert
    }

    /// The entry; `call` serves each call.
    #[doc(hidden)]
    #[must_use]
    pub fn entry<C>(mut self, call: C) -> ToolEntry
    where
        C: Fn(ToolCall<'_>) -> Result<Reply<CallToolResult>, Rejection> + Send + Sync + 'static,
    {
        let (strict, text_only) = (self.strict, self.text_only);
        let handler = move |incoming: ToolCall<'_>| {
            let reply = call(ToolCall { strict, ..incoming }).unwrap_or_else(Reply::from);
            match text_only {
                true => structured::drop_reply(reply),
                false => reply,
            }
        };
        let (name, wrapped_schema) = (self.tool.name.clone(), self.wrapped_schema.take());
        let listed = move || {
            let mut tool = self.tool;
            let input = || input_schema(&self.parameters, self.strict);
            tool.input_schema = self.input_schema.unwrap_or_else(input);
            tool
        };
        let mut entry = ToolEntry::lazy(name, listed, Box::new(handler));
        entry.wrapped_schema = wrapped_schema;
        entry
    }
}

impl<A> ToolBuilder<A> {
    /// The same with other arguments, and its own.
    fn replace<B>(self, arguments: B) -> (ToolBuilder<B>, A) {
        let builder = ToolBuilder {
            tool: self.tool,
            parameters: self.parameters,
            strict: self.strict,
            input_schema: self.input_schema,
            text_only: self.text_only,
            wrapped_schema: self.wrapped_schema,
            arguments,
        };
        (builder, self.arguments)
    }

    /// Sets the description, for the model that chooses a tool.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.tool.description = Some(text.into());
        self
    }

    /// Sets a name for people.
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.tool.title = Some(text.into());
        self
    }

    /// Sets the hint that the tool leaves its surroundings as they are.
    #[must_use]
    pub fn read_only(mut self, value: bool) -> Self {
        self.hints().read_only_hint = Some(value);
        self
    }

    /// Sets the hint that the tool may destroy something.
    #[must_use]
    pub fn destructive(mut self, value: bool) -> Self {
        self.hints().destructive_hint = Some(value);
        self
    }

    /// Sets the hint that a second call with the same arguments changes nothing more.
    #[must_use]
    pub fn idempotent(mut self, value: bool) -> Self {
        self.hints().idempotent_hint = Some(value);
        self
    }

    /// Sets the hint that the tool deals with the world outside, such as the web.
    #[must_use]
    pub fn open_world(mut self, value: bool) -> Self {
        self.hints().open_world_hint = Some(value);
        self
    }

    fn hints(&mut self) -> &mut ToolAnnotations {
        self.tool.annotations.get_or_insert_default()
    }

    /// Adds pictures of the tool, given as icons or as their URLs.
    #[must_use]
    pub fn icons<I: IntoIcon>(mut self, icons: impl IntoIterator<Item = I>) -> Self {
        self.tool.icons = Some(icons.into_iter().map(I::into_icon).collect());
        self
    }

    /// Adds metadata, for clients that support its keys.
    ///
    /// # Panics
    ///
    /// When servers may not use a key (2026-07-28, "Overview", section `_meta`).
    #[must_use]
    pub fn meta(mut self, meta: impl IntoMeta) -> Self {
        self.tool.meta = Some(metadata::checked(meta.into_meta()));
        self
    }

    /// Returns structured values as text only, without an output schema.
    #[must_use]
    pub fn text_only(mut self) -> Self {
        self.text_only = true;
        self
    }

    /// Refuses unknown arguments instead of skipping them.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Declares the schema of structured content, if there is any.
    fn output_schema(&mut self, schema: Option<Value>) {
        if let Some(schema) = schema.filter(|_| !self.text_only) {
            let (listed, wrapped) = structured::listed_schemas(schema);
            self.tool.output_schema = Some(listed);
            self.wrapped_schema = wrapped;
        }
    }
}

impl<A: Arguments> ToolBuilder<A> {
    /// Serves each call by a function that answers at once.
    pub fn call<R: IntoToolResult>(
        mut self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> ToolEntry {
        self.output_schema(R::output_schema());
        let (builder, arguments) = self.replace(());
        builder.entry(move |call| {
            let values = arguments.read(&call)?;
            ready(R::into_tool_result, function(values, call.context))
        })
    }

    /// Serves each call by a function that answers later.
    pub fn call_async<F>(
        mut self,
        function: impl Fn(A::Values, Context) -> F + Send + Sync + 'static,
    ) -> ToolEntry
    where
        F: Future<Output: IntoToolResult> + Send + 'static,
    {
        self.output_schema(F::Output::output_schema());
        let (builder, arguments) = self.replace(());
        builder.entry(move |call| {
            let values = arguments.read(&call)?;
            let future = function(values, call.context.clone());
            pending(F::Output::into_tool_result, future)
        })
    }
}

/// The arguments of a tool: a tuple of up to eight [`Argument`]s.
pub trait Arguments: Send + Sync + 'static {
    /// The values that a call has for them, as a tuple.
    type Values: Send + 'static;

    #[doc(hidden)]
    fn declare(self, builder: &mut ToolBuilder) -> Self;

    #[doc(hidden)]
    fn read(&self, call: &ToolCall<'_>) -> Result<Self::Values, Rejection>;
}

for_tuples!(Arguments, Argument, ToolBuilder, ToolCall);

#[cfg(test)]
mod tests {
    use super::ToolBuilder;
    use crate::server::Reply;
    use crate::server::tools::arguments::argument;

    #[test]
    fn properties_stand_in_the_order_of_the_arguments() {
        let mut builder = ToolBuilder::new("tool");
        let _ = builder.argument(argument::<bool>("zulu"));
        let _ = builder.argument(argument::<bool>("alpha"));
        let entry = builder.entry(|_| Ok(Reply::Ready(Ok(super::CallToolResult::new([])))));
        assert_eq!(
            entry.tool.input_schema.get(),
            r#"{"type":"object","properties":{"zulu":{"type":"boolean"},"alpha":{"type":"boolean"}},"required":["zulu","alpha"]}"#
        );
    }
}
