//! Builds the entry of a tool from a description and a function.

use std::sync::{Arc, LazyLock};

use mcp_types::{CallToolResult, RawJson, Tool, ToolAnnotations};
use serde_json::Value;

use super::diagnostics::{ClosureResult, OutputSchema, WholeResult};
use super::json_arguments::SchemaValidator;
use super::parameter::{Parameter, input_schema};
use super::result::ToolOutput;
use super::{
    Argument, IntoToolResult, InvalidSchema, JsonArguments, ToolCall, ToolEntry, ToolOutcome,
    Unknown, structured,
};
use crate::advice::{self, HeldThread, SkippedArguments};
use crate::error::RequestError;
use crate::log::Once;
use crate::server::handler::{CallRejection, CallResult, Convert, for_tuples, pending, ready, run};
use crate::server::{Context, Reply};

/// Builds the entry of a tool from a description and a function.
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
    pub(in crate::server) tool: Tool,
    parameters: Vec<Parameter>,
    strict: bool,
    /// The whole input schema, if one value holds all arguments.
    pub(super) input_schema: Option<RawJson>,
    text_only: bool,
    /// True if the output schema was set explicitly.
    has_own_output: bool,
    /// The entry. [`entry`](Self::entry) adds its handler and description.
    pub(in crate::server) entry: ToolEntry,
    arguments: A,
}

impl ToolBuilder {
    /// Begins a tool called `name` without arguments or a description.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        advice::check_tool_name(&name);
        let tool = Tool::new(name, RawJson::empty_object());
        let nothing = |_: ToolCall<'_>| Reply::Ready(Err(RequestError::Internal.to_error()));
        Self {
            entry: ToolEntry::new(tool.clone(), nothing),
            tool,
            parameters: Vec::new(),
            strict: false,
            input_schema: None,
            text_only: false,
            has_own_output: false,
            arguments: (),
        }
    }

    /// Adds arguments, in the order in which `tools/list` shows them.
    pub fn arguments<A: Arguments>(mut self, arguments: A) -> ToolBuilder<A> {
        let arguments = arguments.declare(&mut self);
        self.replace(arguments).0
    }

    /// Describes all arguments with a JSON Schema, for example from an OpenAPI document. The
    /// function gets the arguments as one [`Value`], which is an object.
    ///
    /// With the feature `validation`, the arguments are checked against the schema before the
    /// function runs, and the caller gets all faults with their paths. Without the feature, they
    /// are only checked to be an object. Defaults of the schema are not filled in.
    /// [`strict`](Self::strict) has no effect; use `additionalProperties` in the schema. References
    /// to other documents are never fetched.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::tools::ToolBuilder;
    /// use serde_json::{Value, json};
    ///
    /// let schema = json!({
    ///     "type": "object",
    ///     "properties": {"isbn": {"type": "string", "pattern": "^[0-9]{13}$"}},
    ///     "required": ["isbn"],
    /// });
    /// let base = Arc::new("https://books.example.com".to_owned());
    /// let mut server = Server::builder();
    /// server.tool(
    ///     ToolBuilder::new("get_book")
    ///         .description("Gets a book by its ISBN.")
    ///         .input_schema(schema)?
    ///         .call_async(move |arguments: Value, _| {
    ///             let base = Arc::clone(&base);
    ///             async move { format!("GET {base}/books/{}", arguments["isbn"]) }
    ///         }),
    /// );
    /// # drop(server.build());
    /// # Ok::<(), mcp_runtime::server::tools::InvalidSchema>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the schema does not describe an object or, with the feature `validation`, is not a
    /// valid JSON Schema (2020-12 unless its `$schema` names another version).
    pub fn input_schema(
        self,
        schema: impl Into<RawJson>,
    ) -> Result<ToolBuilder<JsonArguments>, InvalidSchema> {
        let arguments = JsonArguments::new(&schema.into());
        let arguments = arguments.map_err(|reason| InvalidSchema::new(&*self.tool.name, reason))?;
        Ok(self.arguments(arguments))
    }

    /// Adds an argument, in the order in which `tools/list` shows them.
    pub fn argument<T>(&mut self, argument: Argument<T>) -> Argument<T> {
        self.parameters.push(argument.parameter.clone());
        argument
    }

    /// Takes all arguments as one struct. The schema of the struct becomes the input schema of the
    /// tool.
    ///
    /// # Panics
    ///
    /// When values of the type are not JSON objects, because every call would be refused.
    #[doc(hidden)]
    pub fn flatten<T>(&mut self, argument: Argument<T>) -> Argument<T> {
        let schema = argument.parameter.whole_input_schema();
        let kind = schema["type"].as_str().unwrap_or("value of several types");
        assert!(
            kind == "object",
            "the tool `{}` takes all its arguments as a `{}`, which is not a struct but a JSON {kind}: \
             remove `#[arg(flatten)]`, or take a struct",
            self.tool.name,
            std::any::type_name::<T>(),
        );
        self.input_schema = Some(schema.into());
        argument
    }

    /// Declares the type that the tool returns.
    #[doc(hidden)]
    pub fn returns<T>(&mut self, output: ToolOutput<T>) -> Convert<T, CallToolResult> {
        self.returned((output.schema)());
        output.convert
    }

    /// Declares that the function returns whole results with an `S` as structured content.
    #[doc(hidden)]
    pub fn returns_whole<S: OutputSchema, R: WholeResult>(&mut self) -> Convert<R, CallToolResult> {
        self.returned(Some(S::output_schema()));
        self.has_own_output = true;
        R::into_tool_result
    }

    /// Returns the entry, with `call` as its handler.
    #[doc(hidden)]
    #[must_use]
    pub fn entry<C>(mut self, call: C) -> ToolEntry
    where
        C: Fn(ToolCall<'_>) -> Result<Reply<ToolOutcome>, CallRejection> + Send + Sync + 'static,
    {
        let strict = self.strict;
        let text_only = self.text_only;
        if text_only {
            self.tool.output_schema = None;
            self.entry.wrapped_schema = None;
        }
        let name = self.tool.name.clone();
        let own_output = self.tool.output_schema.as_ref();
        let own_output = own_output.filter(|_| self.has_own_output).cloned();
        let held_thread = Arc::<HeldThread>::default();
        let logged = Once::default();
        let handler = move |incoming: ToolCall<'_>| {
            let skipped = SkippedArguments::new(&name, &logged);
            let unknown = if strict {
                Unknown::Refused
            } else {
                Unknown::Logged(&skipped)
            };
            let reply = run(&name, &held_thread, || {
                call(ToolCall {
                    unknown,
                    ..incoming
                })
            });
            let reply = reply.unwrap_or_else(|it| Reply::Ready(ToolOutcome::rejected(it)));
            let reply = match skipped.note() {
                Some(note) => reply.then_complete(|mut result| {
                    note(&mut result);
                    Ok(result)
                }),
                None => reply,
            };
            if text_only {
                structured::drop_reply(reply)
            } else {
                structured::fitting(&name, own_output.as_ref(), reply)
            }
        };
        let mut entry = self.entry;
        entry.handler = Arc::new(handler);
        entry.tool = LazyLock::new(Box::new(move || {
            let mut tool = self.tool;
            let input = || input_schema(&self.parameters, strict);
            tool.input_schema = self.input_schema.unwrap_or_else(input);
            tool
        }));
        entry
    }
}

impl<A> ToolBuilder<A> {
    fn replace<B>(self, arguments: B) -> (ToolBuilder<B>, A) {
        let builder = ToolBuilder {
            tool: self.tool,
            parameters: self.parameters,
            strict: self.strict,
            input_schema: self.input_schema,
            text_only: self.text_only,
            has_own_output: self.has_own_output,
            entry: self.entry,
            arguments,
        };
        (builder, self.arguments)
    }

    /// Sets the hint that the tool does not modify its environment.
    #[must_use]
    pub fn read_only(mut self, value: bool) -> Self {
        self.hints().read_only_hint = Some(value);
        self
    }

    /// Sets the hint that the tool may perform destructive updates.
    #[must_use]
    pub fn destructive(mut self, value: bool) -> Self {
        self.hints().destructive_hint = Some(value);
        self
    }

    /// Sets the hint that repeating a call with the same arguments has no further effect.
    #[must_use]
    pub fn idempotent(mut self, value: bool) -> Self {
        self.hints().idempotent_hint = Some(value);
        self
    }

    /// Sets the hint that the tool interacts with the outside world, such as the web.
    #[must_use]
    pub fn open_world(mut self, value: bool) -> Self {
        self.hints().open_world_hint = Some(value);
        self
    }

    fn hints(&mut self) -> &mut ToolAnnotations {
        self.tool.annotations.get_or_insert_default()
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

    /// Sets the schema of the structured content, instead of the schema of the returned type.
    ///
    /// Use this for functions that return a [`CallToolResult`], or a [`Json`](super::Json) with a
    /// [`Value`]. Results must match the schema; debug builds with the feature `validation` check
    /// this, as for [`ToolEntry::new`].
    ///
    /// # Errors
    ///
    /// When the schema is not an object or, with the feature `validation`, not a valid JSON Schema.
    pub fn output_schema(mut self, schema: impl Into<RawJson>) -> Result<Self, InvalidSchema> {
        let invalid = |reason| InvalidSchema::new(&*self.tool.name, reason);
        let schema = schema.into().parse().map(Value::Object);
        let schema = schema.map_err(|_| invalid("it is not an object".to_owned()))?;
        SchemaValidator::new(&schema).map_err(invalid)?;
        self.returned(Some(schema));
        self.has_own_output = true;
        Ok(self)
    }

    /// Declares the schema of the structured content, unless one was set explicitly.
    fn returned(&mut self, schema: Option<Value>) {
        if let Some(schema) = schema.filter(|_| !self.has_own_output) {
            let (listed, wrapped) = structured::listed_schemas(schema);
            self.tool.output_schema = Some(listed);
            self.entry.wrapped_schema = wrapped;
        }
    }
}

impl<A: Arguments> ToolBuilder<A> {
    /// Serves calls with a function that returns the result.
    pub fn call<R: ClosureResult>(
        mut self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> ToolEntry {
        self.returned(R::output_schema());
        let (builder, arguments) = self.replace(());
        builder.entry(move |call| {
            let values = arguments.read(&call)?;
            ready(R::into_tool_result, function(values, call.context))
        })
    }

    /// Serves calls with an async function.
    pub fn call_async<F>(
        mut self,
        function: impl Fn(A::Values, Context) -> F + Send + Sync + 'static,
    ) -> ToolEntry
    where
        F: Future<Output: IntoToolResult> + Send + 'static,
    {
        self.returned(F::Output::output_schema());
        let (builder, arguments) = self.replace(());
        builder.entry(move |call| {
            let values = arguments.read(&call)?;
            let future = function(values, call.context.clone());
            pending(F::Output::into_tool_result, future)
        })
    }
}

/// The arguments of a tool: a tuple of up to eight [`Argument`]s, or [`JsonArguments`].
pub trait Arguments: Send + Sync + 'static {
    /// The values of the arguments in one call, such as a tuple.
    type Values: Send + 'static;

    #[doc(hidden)]
    fn declare(self, builder: &mut ToolBuilder) -> Self;

    #[doc(hidden)]
    fn read(&self, call: &ToolCall<'_>) -> Result<Self::Values, CallRejection>;
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
        let entry = builder.entry(|_| Ok(Reply::Ready(Ok(super::CallToolResult::new([]).into()))));
        assert_eq!(
            entry.tool.input_schema.get(),
            r#"{"type":"object","properties":{"zulu":{"type":"boolean"},"alpha":{"type":"boolean"}},"required":["zulu","alpha"]}"#
        );
    }
}
