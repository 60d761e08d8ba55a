//! One tool: what is listed, and what is called.

use std::fmt;
use std::sync::{LazyLock, OnceLock};

use mcp_types::{CallToolResult, RawJson, RawJsonRef, Revision, Tool};

use super::checked::checked;
use crate::error::RequestError;
use crate::protocol::{ParamHeader, StrictJson, structured_content_is_object};
use crate::server::catalog::Visibility;
use crate::server::{Context, Reply, Server};

/// A tool that a server offers.
pub struct ToolRoute {
    pub(super) name: String,
    /// What is listed, made when somebody looks: the schemas of three small tools cost as much as
    /// all else that a server does before its first answer.
    pub(super) tool: LazyLock<Tool, MakeTool>,
    pub(super) handler: Box<Handler>,
    /// The output schema where structured content has to be an object and by itself is none.
    pub(super) wrapped_schema: Option<RawJson>,
    /// The arguments that headers repeat: read from the input schema when the tool is first called,
    /// unless it is known before that there are none.
    pub(super) param_headers: OnceLock<Box<[ParamHeader]>>,
    pub(super) visibility: Visibility<Self>,
    /// The mounted server that the tool belongs to.
    pub(super) home: Option<Server>,
}

type MakeTool = Box<dyn FnOnce() -> Tool + Send>;
pub(super) type Handler = dyn Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync;

/// One call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The arguments, as they came: an object, or absent.
    pub arguments: Option<RawJsonRef<'a>>,
    /// Who calls, and under what was negotiated.
    pub context: &'a Context,
}

impl ToolRoute {
    /// A tool that is listed as `tool` and served by `handler`.
    ///
    /// If it has an output schema, its results must have structured content that fits
    /// (2026-07-28, "Tools", section Output Schema). Debug builds with the feature `validation` check
    /// that: they log what does not fit, and answer with an internal error.
    pub fn new(
        tool: Tool,
        handler: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
    ) -> Self {
        let handler = checked(&tool, handler);
        Self::serving(tool, handler)
    }

    /// A tool whose results fit, or are somebody else's to check.
    pub(super) fn serving(tool: Tool, handler: Box<Handler>) -> Self {
        Self::lazy(tool.name.clone(), move || tool, handler)
    }

    /// A tool called `name`, which `tool` describes when it is first looked at.
    pub(super) fn lazy(
        name: String,
        tool: impl FnOnce() -> Tool + Send + 'static,
        handler: Box<Handler>,
    ) -> Self {
        Self {
            name,
            tool: LazyLock::new(Box::new(tool)),
            handler,
            wrapped_schema: None,
            param_headers: OnceLock::new(),
            visibility: Visibility::default(),
            home: None,
        }
    }

    /// Shows the tool only to callers for whom `visible` returns `true`; for others it does not
    /// exist.
    #[must_use]
    pub fn visible_to(
        mut self,
        visible: impl Fn(&Context) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.visibility = Visibility::limited(move |_: &Self, _: &str, cx: &Context| visible(cx));
        self
    }

    /// Checks that the headers of a call repeat the arguments that they have to. The arguments of a
    /// tool that has such headers are read in full, whatever the call came by.
    ///
    /// # Errors
    ///
    /// With the path of what can't be read in the arguments, or the header at fault.
    pub(super) fn check_headers(
        &self,
        arguments: Option<RawJsonRef<'_>>,
        context: &Context,
    ) -> Result<(), RequestError> {
        let headers = || {
            ParamHeader::of_schema(&self.tool.input_schema).unwrap_or_else(|error| {
                let tool = &*self.name;
                tracing::warn!(tool, %error, "an input schema can't be read, nor its `x-mcp-header`");
                Box::default()
            })
        };
        let headers = self.param_headers.get_or_init(headers);
        if headers.is_empty() {
            return Ok(());
        }
        let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments = StrictJson::read(arguments.get(), "params.arguments")?;
        context.peer().check_headers(headers, &arguments)
    }

    /// The tool as `revision` lists it.
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

impl fmt::Debug for ToolRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolRoute").field(&self.name).finish()
    }
}
