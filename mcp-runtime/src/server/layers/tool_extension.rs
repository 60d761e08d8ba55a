//! What a tool has of an extension: a layer around it, and what is listed of it.

use std::sync::Arc;

use mcp_types::Tool;

use crate::connection::BoxFuture;
use crate::layer::{BoxError, McpRequest, McpResponse, Next, from_fn};
use crate::server::Detachable;
use crate::server::tools::ToolEntry;

/// What a tool has of an extension of the protocol: a layer that may answer a call with a
/// `resultType` of its own, and members of the tool's `_meta`.
///
/// Added by `#[tool(with(…))]` or [`ToolEntry::with`]. It stays with the tool where its server is
/// [mounted](crate::ServerBuilder::mount).
///
/// ```
/// use mcp_runtime::server::ToolExtension;
/// use mcp_runtime::types::Tool;
///
/// /// Marks a tool with what a call costs.
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
    message = "`{Self}` is nothing that a tool can have `with(…)`",
    label = "does not implement `ToolExtension`",
    note = "`with(…)` takes values of types that implement `mcp_runtime::server::ToolExtension`"
)]
pub trait ToolExtension: Send + Sync + 'static {
    /// The identifier of the [`Extension`](crate::server::Extension) without which the tool can't be
    /// served; the server that lacks it does not start. None by default.
    fn needs(&self) -> Option<&'static str> {
        None
    }

    /// Changes the tool as it is listed, such as its `_meta`, which has what the program has set.
    fn describe(&self, tool: &mut Tool) {
        let _ = tool;
    }

    /// Serves a call: by `next`, or by a result with a `resultType` of the extension
    /// ([`McpResponse::of`]), to a client that [declares](crate::Context::declares_extension) it.
    ///
    /// Visibility, scopes and headers were checked before. Arguments that do not fit are answered by
    /// `next`, and questions that are parameters asked; see [`McpRequest::detachable`] for a function
    /// that goes on after the call was answered. A panic inside of `next` is an error that it returns.
    fn call(
        self: Arc<Self>,
        request: McpRequest,
        next: Next,
    ) -> BoxFuture<Result<McpResponse, BoxError>> {
        Box::pin(next.run(request))
    }
}

impl ToolEntry {
    /// Adds what the tool has of an extension, inside of the layers that were added before.
    #[must_use]
    pub fn with(mut self, extension: impl ToolExtension) -> Self {
        let extension = Arc::new(extension);
        self.needs.extend(extension.needs());
        let describing = Arc::clone(&extension);
        let entry = self.described(move |tool| describing.describe(tool));
        entry.layer(from_fn(move |request: McpRequest, next: Next| {
            Arc::clone(&extension).call(request, next)
        }))
    }
}

/// [`ToolEntry::with`] as a function, so that a wrong type is reported where it is written.
pub fn tool_with(entry: ToolEntry, extension: impl ToolExtension) -> ToolEntry {
    entry.with(extension)
}

impl McpRequest {
    /// Replaces the context by one that can be detached from the request, for a tool whose function
    /// goes on after the call was answered. Returns its other end; `None` for a request of a client, and for a
    /// call that is [detached](crate::Context::is_detached) already.
    /// Of use in a layer of a tool: around whole servers, nothing tells when a function is entered.
    ///
    /// Without `keeps_request`, the function does not see the HTTP request, which is then released with
    /// its response: for a call that is detached before its function is entered. Otherwise everything
    /// is as with any call until it is [detached](Detachable::detach).
    pub fn detachable(&mut self, keeps_request: bool) -> Option<Detachable> {
        let context = self.context().filter(|context| !context.is_detached())?;
        let (context, detachable) = Detachable::of(context, keeps_request);
        self.set_context(context);
        Some(detachable)
    }
}
