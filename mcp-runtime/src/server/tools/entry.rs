//! Entries of tools: how tools are listed and called (`tools/list` and `tools/call`).

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use mcp_types::{CallToolResult, ListToolsResult, RawJson, RawJsonRef, Revision, Tool, methods};
use serde::Serialize;

use super::arguments::{self, Slot};
use super::{Argument, ToolOutcome, Unknown, result, structured};
use crate::error::RequestError;
use crate::layer::{McpResponse, McpResponseBody};
use crate::protocol::{ParamHeader, StrictJson, structured_content_is_object};
use crate::server::catalog::{Catalog, CatalogEntry, ListResult, Visibility};
use crate::server::dispatch::ServerRequest;
use crate::server::handler::{CallRejection, Convert, InvalidArguments};
use crate::server::layers::{
    InnermostHandler, Layered, Stack, check_same, typed_result, unfit_result,
};
use crate::server::resources::ResourceEntry;
use crate::server::{Context, ContextValue, FromContext, OptionalFromContext, Reply, Scopes};

/// A tool that a server offers, with its handler.
pub struct ToolEntry {
    pub(in crate::server) name: String,
    /// The item of `tools/list`. It is created lazily, because the schemas of three small tools
    /// cost as much time as everything else that a server does before its first answer.
    pub(in crate::server) tool: LazyLock<Tool, MakeTool>,
    pub(in crate::server) handler: Arc<ToolHandler>,
    pub(in crate::server) layers: Option<Stack>,
    /// The extensions that are required to serve the tool.
    pub(in crate::server) needs: Vec<&'static str>,
    /// The resources that extensions of the tool add to the server. Empty once the server has them.
    pub(in crate::server) resources: Vec<ResourceEntry>,
    /// The output schema for revisions that require an object, if the content is not an object.
    pub(in crate::server) wrapped_schema: Option<RawJson>,
    /// The arguments that headers must repeat. They are read from the input schema on the first
    /// call.
    pub(in crate::server) param_headers: OnceLock<Box<[ParamHeader]>>,
    pub(in crate::server) visibility: Visibility<Self>,
    pub(in crate::server) scopes: Scopes,
    /// True if a parameter of the function is a question to the user.
    pub(in crate::server) asks: bool,
}

type MakeTool = Box<dyn FnOnce() -> Tool + Send>;
pub(in crate::server) type ToolHandler = dyn Fn(ToolCall<'_>) -> Reply<ToolOutcome> + Send + Sync;

/// One call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The arguments as received: an object, or absent.
    pub arguments: Option<RawJsonRef<'a>>,
    /// The context of the call.
    pub context: &'a Context,
    pub(in crate::server) unknown: Unknown<'a>,
}

impl<'a> ToolCall<'a> {
    fn text(&self) -> &'a str {
        self.arguments.map_or("{}", RawJsonRef::get)
    }

    /// Reads the arguments into `slots`.
    ///
    /// # Errors
    ///
    /// With every argument that is not valid.
    #[doc(hidden)]
    pub fn read(&self, slots: &mut [&mut dyn Slot]) -> Result<(), CallRejection> {
        arguments::read(self.text(), slots, self.unknown).map_err(CallRejection::from)
    }

    /// Reads all arguments as one struct.
    ///
    /// # Errors
    ///
    /// With every argument that is not valid.
    #[doc(hidden)]
    pub fn flatten<T>(&self, argument: &Argument<T>) -> Result<T, CallRejection> {
        let mut slot = argument.slot();
        let mut errors = Vec::new();
        arguments::read_value(&mut slot, self.text(), &mut errors);
        InvalidArguments(errors).into_result()?;
        if let Unknown::Logged(skipped) = self.unknown
            && let Some(known) = slot.parameter().validation().all_properties()
            && let Some(Ok(given)) = self.arguments.map(RawJsonRef::members)
        {
            for (name, _) in given.iter().filter(|(name, _)| !known.contains_key(name)) {
                skipped.add(name, known.keys().map(String::as_str));
            }
        }
        slot.take()
    }

    /// Takes a value from the context.
    ///
    /// # Errors
    ///
    /// When this call does not have the value.
    #[doc(hidden)]
    pub fn context<T: FromContext>(&self) -> Result<ContextValue<T>, CallRejection> {
        T::lend(self.context).map_err(CallRejection::Protocol)
    }

    /// Takes a value from the context, if this call has it.
    ///
    /// # Errors
    ///
    /// When the call has the value, but it can't be used.
    #[doc(hidden)]
    pub fn optional<T: OptionalFromContext>(
        &self,
    ) -> Result<Option<ContextValue<T>>, CallRejection> {
        T::optional(self.context).map_err(CallRejection::Protocol)
    }

    /// Limits the time for which a function may work, excluding the time in which it asks the
    /// client.
    #[doc(hidden)]
    #[must_use]
    pub fn limit(&self, milliseconds: u64) -> TimeLimit {
        TimeLimit {
            limit: Duration::from_millis(milliseconds),
            context: self.context.clone(),
        }
    }
}

/// The time limit of a call; made by [`ToolCall::limit`].
#[derive(Debug)]
pub struct TimeLimit {
    limit: Duration,
    context: Context,
}

impl TimeLimit {
    /// Returns the reply of a function that has not run yet.
    ///
    /// # Errors
    ///
    /// Never. Macro output returns this value where reading the arguments may fail.
    #[doc(hidden)]
    pub fn pending<T: 'static>(
        self,
        convert: Convert<T, CallToolResult>,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<Reply<ToolOutcome>, CallRejection> {
        let Self { limit, context } = self;
        Ok(Reply::Pending(Box::pin(async move {
            let result = match context.input_or_default().within(limit, future).await {
                Some(value) => convert(value)?,
                None => result::failure(format!("not finished within {limit:?}")),
            };
            Ok(ToolOutcome::Complete(result))
        })))
    }
}

impl ToolEntry {
    /// Creates a tool that is listed as `tool` and served by `handler`.
    ///
    /// If `tool` has an output schema, results must have structured content that matches it
    /// (2026-07-28, "Tools", section Output Schema). A result without structured content is logged,
    /// and debug builds answer the call with an internal error. Debug builds with the feature
    /// `validation` do the same for content that does not match the schema.
    pub fn new(
        tool: Tool,
        handler: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
    ) -> Self {
        let name = tool.name.clone();
        let schema = tool.output_schema.clone();
        let handler = move |call: ToolCall<'_>| {
            let reply = handler(call).then(|result| Ok(result.into()));
            structured::fitting(&name, schema.as_ref(), reply)
        };
        Self::lazy(tool.name.clone(), move || tool, Arc::new(handler))
    }

    /// Creates a tool called `name`. `tool` makes the item of the list on first use.
    pub(in crate::server) fn lazy(
        name: String,
        tool: impl FnOnce() -> Tool + Send + 'static,
        handler: Arc<ToolHandler>,
    ) -> Self {
        Self {
            name,
            tool: LazyLock::new(Box::new(tool)),
            handler,
            layers: None,
            needs: Vec::new(),
            resources: Vec::new(),
            wrapped_schema: None,
            param_headers: OnceLock::new(),
            visibility: Visibility::default(),
            scopes: Scopes::default(),
            asks: false,
        }
    }

    /// Changes the item of the list. `change` runs on first use.
    pub(in crate::server) fn described(
        self,
        change: impl FnOnce(&mut Tool) + Send + 'static,
    ) -> Self {
        let tool = self.tool;
        let changed = move || {
            let mut tool = Tool::clone(&tool);
            change(&mut tool);
            tool
        };
        Self {
            tool: LazyLock::new(Box::new(changed)),
            ..self
        }
    }

    /// Serves a call. If the revision requires an object, other structured content is wrapped.
    pub(super) fn call(
        &self,
        arguments: Option<RawJsonRef<'_>>,
        context: &Context,
    ) -> Reply<ToolOutcome> {
        let reply = (self.handler)(ToolCall {
            arguments,
            context,
            unknown: Unknown::Skipped,
        });
        match self.wrapped_schema {
            Some(_) => structured::wrap_reply(reply, context.revision()),
            None => reply,
        }
    }

    /// Checks that the headers of a call repeat the arguments as the input schema requires.
    ///
    /// If the schema requires headers, this reads all arguments, on every transport.
    ///
    /// # Errors
    ///
    /// When an argument can't be read, with its path, or when a header differs.
    pub(super) fn check_headers(
        &self,
        arguments: Option<RawJsonRef<'_>>,
        context: &Context,
    ) -> Result<(), RequestError> {
        let headers = || {
            ParamHeader::of_schema(&self.tool.input_schema).unwrap_or_else(|error| {
                let tool = &*self.name;
                crate::log::warn!(tool, %error, "the input schema of a tool can't be read, so its `x-mcp-header` is ignored");
                Box::default()
            })
        };
        let headers = self.param_headers.get_or_init(headers);
        if headers.is_empty() {
            return Ok(());
        }
        let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments = StrictJson::read(arguments.get(), "params.arguments")?;
        context.peer().link.check_headers(headers, &arguments)
    }

    pub(super) fn listed(&self, revision: Revision) -> Tool {
        let mut tool = Tool::clone(&self.tool);
        if let Some(schema) = &self.wrapped_schema
            && structured_content_is_object(revision)
        {
            tool.output_schema = Some(schema.clone());
        }
        tool
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolEntry").field(&self.name).finish()
    }
}

impl CatalogEntry for ToolEntry {
    fn name(&self) -> &str {
        &self.name
    }

    fn visibility(&self) -> &Visibility<Self> {
        &self.visibility
    }

    fn needed_scopes(&self) -> &Scopes {
        &self.scopes
    }

    fn layered(mut self) -> Self {
        let layers = self.layers.take();
        self.handler = around_tool(layers.as_ref(), &self.name, self.handler);
        self
    }
}

impl ListResult for ListToolsResult {
    type Entry = ToolEntry;
    type Item = Tool;

    const NUMBER: usize = 0;

    fn item(entry: &ToolEntry, revision: Revision) -> Option<Tool> {
        Some(entry.listed(revision))
    }

    fn page(tools: Vec<Tool>, next_cursor: Option<String>) -> Self {
        let mut page = Self::new(tools);
        page.next_cursor = next_cursor;
        page
    }
}

impl Catalog<ToolEntry> {
    /// Answers `tools/call`.
    ///
    /// # Errors
    ///
    /// When the parameters are malformed, the tool does not exist, the caller lacks its scopes, or
    /// the headers of the request do not repeat the arguments as required.
    pub(in crate::server) fn call(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Reply<ToolOutcome>, RequestError> {
        let name = request.params.name()?;
        let arguments = request.params.arguments()?;
        let context = request.context;
        let Some(entry) = self.get_for(&name, context) else {
            return Err(RequestError::UnknownTool(name.into_owned()));
        };
        self.check_scopes(entry, context)?;
        if !entry.needs.is_empty() {
            context.set_tool(&name);
        }
        entry.check_headers(request.received.shared.arguments, context)?;
        Ok(entry.call(arguments, context))
    }
}

pub(in crate::server) fn around_tool(
    layers: Option<&Stack>,
    name: &str,
    handler: Arc<ToolHandler>,
) -> Arc<ToolHandler> {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<RawJsonRef<'a>>,
    }

    let Some(layers) = layers else { return handler };
    let own = name.to_owned();
    let innermost = InnermostHandler::new(move |params, context| {
        check_same("name", &params.name()?, &own)?;
        let reply = handler(ToolCall {
            arguments: params.arguments()?,
            context,
            unknown: Unknown::Skipped,
        });
        Ok(reply.then(|outcome| {
            Ok(match outcome {
                ToolOutcome::Complete(result) => McpResponse::typed(result),
                ToolOutcome::Other(json) => McpResponse::with(McpResponseBody::Json(json)),
            })
        }))
    });
    let layered = Layered::new(methods::TOOLS_CALL, layers.outermost());
    let name = name.to_owned();
    Arc::new(move |call: ToolCall<'_>| {
        let arguments = call.arguments;
        let params = RawJson::encode(&Params {
            name: &name,
            arguments,
        });
        let inner = Arc::clone(&innermost);
        let outcome = layered.call(Some(params), call.context, inner);
        Reply::Pending(Box::pin(async move {
            match outcome.await? {
                McpResponseBody::Json(json) => {
                    ToolOutcome::read(json).map_err(|error| unfit_result(&error))
                }
                body => Ok(ToolOutcome::Complete(typed_result(body)?)),
            }
        }))
    })
}
