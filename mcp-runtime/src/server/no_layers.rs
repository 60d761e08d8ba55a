//! No layers: there never are any.

use std::sync::Arc;

use mcp_types::{GetPromptResult, RawJson};

use super::dispatch::ServerRequest;
use super::extensions::Method;
use super::prompts::PromptCall;
use super::resources::{Contents, ResourceCall, ResourceEntry};
use super::tools::{ToolCall, ToolEntry, ToolReply};
use super::{Answer, MethodCall, Reply, ServerBuilder};
use crate::connection::Served;

/// The layers around requests; there are none.
#[derive(Clone, Debug)]
pub(super) enum Stack {}

impl Stack {
    pub(super) fn serve(&self, _: ServerRequest<'_>) -> Served<Answer> {
        match *self {}
    }

    pub(super) fn tool<H>(&self, _: &str, _: ToolCall<'_>, _: H) -> ToolReply {
        match *self {}
    }

    pub(super) fn prompt<H>(&self, _: &str, _: PromptCall<'_>, _: H) -> Reply<GetPromptResult> {
        match *self {}
    }

    pub(super) fn method(&self, _: &str, _: MethodCall<'_>, _: &Arc<Method>) -> Reply<RawJson> {
        match *self {}
    }

    pub(super) fn resource<H>(
        &self,
        _: &ResourceEntry,
        _: ResourceCall<'_>,
        _: H,
    ) -> Reply<Contents> {
        match *self {}
    }
}

impl ServerBuilder {
    /// Without the feature, a server can't have layers.
    #[doc(hidden)]
    pub fn layer(&mut self, _: impl WithoutFeature) -> &mut Self {
        self
    }
}

/// No type implements it: it replaces layers and `ToolExtension` in builds without the feature.
#[diagnostic::on_unimplemented(
    message = "`layer` and `with(…)` need the feature `layer` of `mcp-runtime`",
    label = "write `features = [\"layer\"]` in `Cargo.toml`"
)]
pub trait WithoutFeature {}

/// Without the feature, a tool can't have anything of an extension.
pub fn tool_with(entry: ToolEntry, _: impl WithoutFeature) -> ToolEntry {
    entry
}
