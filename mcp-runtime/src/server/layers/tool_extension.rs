//! Extensions of single tools: a layer around the tool, and changes to how the tool is listed.

use std::sync::Arc;

use mcp_types::Tool;

use crate::connection::BoxFuture;
use crate::layer::{BoxError, McpRequest, McpResponse, Next, from_fn};
use crate::server::Detachable;
use crate::server::resources::ResourceEntry;
use crate::server::tools::ToolEntry;

/// The part of a protocol extension that applies to a single tool: a layer that may answer calls with
/// the extension's own `resultType`, and members of the tool's `_meta`.
///
/// To add it to a tool, use `#[tool(with(…))]` or [`ToolEntry::with`]. It stays with the tool if the
/// server is [mounted](crate::ServerBuilder::mount).
///
/// ```
/// use mcp_runtime::server::ToolExtension;
/// use mcp_runtime::types::Tool;
///
/// /// Adds the price of a call to the tool.
/// struct Price(u32);
///
/// impl ToolExtension for Price {
///     fn describe(&self, tool: &mut Tool) {
///         let meta = tool.meta.get_or_insert_default();
///         meta.insert("com.example/price".to_owned(), self.0.into());
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in `with(…)`",
    label = "does not implement `ToolExtension`",
    note = "`with(…)` takes values of types that implement `mcp_runtime::server::ToolExtension`"
)]
pub trait ToolExtension: Send + Sync + 'static {
    /// The identifier of the [`Extension`](crate::server::Extension) that the tool needs; none by
    /// default. A server without this extension fails to start.
    fn needs(&self) -> Option<&'static str> {
        None
    }

    /// Changes how the tool is listed, for example its `_meta`. The `_meta` that the program has set
    /// is already there.
    fn describe(&self, tool: &mut Tool) {
        let _ = tool;
    }

    /// Returns the resources that belong to the tool; none by default. The server offers them together
    /// with the tool. If several tools return the same resource, it is added once.
    ///
    /// Called once, when the extension is added to the tool.
    fn resources(&self) -> Vec<ResourceEntry> {
        Vec::new()
    }

    /// Serves a call. Either call `next`, or return a result with the extension's own `resultType`
    /// ([`McpResponse::of`]) if the client [declares](crate::Context::declares_extension) the
    /// extension.
    ///
    /// Visibility, scopes and headers were already checked. `next` checks the arguments and asks the
    /// questions that are parameters. If the function panics, `next` returns an error. To let the
    /// function continue after the call was answered, see [`McpRequest::detachable`].
    fn call(
        self: Arc<Self>,
        request: McpRequest,
        next: Next,
    ) -> BoxFuture<Result<McpResponse, BoxError>> {
        Box::pin(next.run(request))
    }
}

impl ToolEntry {
    /// Adds an extension to the tool. Layers that were added before wrap it.
    #[must_use]
    #[track_caller]
    pub fn with(mut self, extension: impl ToolExtension) -> Self {
        let extension = Arc::new(extension);
        self.needs.extend(extension.needs());
        self.resources.extend(extension.resources());
        let describing = Arc::clone(&extension);
        let entry = self.described(move |tool| describing.describe(tool));
        entry.layer(from_fn(move |request: McpRequest, next: Next| {
            Arc::clone(&extension).call(request, next)
        }))
    }
}

/// Calls [`ToolEntry::with`]. This is a function for macro output, so that the compiler reports a wrong
/// type where the user has written it.
pub fn tool_with(entry: ToolEntry, extension: impl ToolExtension) -> ToolEntry {
    entry.with(extension)
}

impl McpRequest {
    /// Replaces the context with one that can be detached from the request, for a tool whose function
    /// continues after the call was answered. Returns the handle that detaches the call.
    ///
    /// Returns `None` for requests that a client sends, and if the call is already
    /// [detached](crate::Context::is_detached). Use this in a layer of a tool: layers around a whole
    /// server are not notified when the function begins to run.
    ///
    /// If `keeps_request` is false, the function can't see the HTTP request, which is released
    /// together with its response. This suits calls that are detached before the function runs. If
    /// it is true, nothing changes for the function until the call is
    /// [detached](Detachable::detach).
    pub fn detachable(&mut self, keeps_request: bool) -> Option<Detachable> {
        let context = self.context().filter(|context| !context.is_detached())?;
        let (context, detachable) = Detachable::of(context, keeps_request);
        self.set_context(context);
        Some(detachable)
    }
}
