//! A request with its options, and the conversion of its result into the type that the caller wants.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    CallToolRequest, CallToolRequestParams, Conform, ProgressNotificationParams, RawJson, Request,
    methods,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::ser::Error as _;

use super::Client;
use super::channel::RequestKind;
use super::raw_call::{CallOptions, RawCall, output_schema};
use super::result::{Completed, Outcome, may_be_wrapped, perhaps_wrapped, succeeded, whole};
use super::source::Source;
use crate::connection::{BoxFuture, OnProgress};
use crate::error::CallError;
use crate::protocol::Timeouts;

/// A request that is sent when it is awaited.
///
/// Dropping the future before it completes cancels the request at the server.
///
/// ```no_run
/// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
/// use std::time::Duration;
///
/// let result = client
///     .call_tool("index", &serde_json::json!({"path": "."}))
///     .timeout(Duration::from_secs(600))
///     .on_progress(|news| println!("{} of {:?}", news.progress, news.total))
///     .await?;
/// # drop(result);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent until this is awaited"]
pub struct Call<R: Request, T = <R as Request>::Result> {
    client: Client,
    params: Result<R::Params, serde_json::Error>,
    convert: ConvertResult<R, T>,
    tool: Option<String>,
    /// If true, the tool's output schema decides how its result is converted.
    by_schema: bool,
    pub(super) options: CallOptions,
}

/// Converts a result that an extension has obtained separately, as the [`Call`] itself would have
/// converted it. Created by [`Call::converter`].
#[derive(Debug)]
pub struct ResultConverter<R: Request, T = <R as Request>::Result> {
    client: Client,
    convert: ConvertResult<R, T>,
    tool: Option<String>,
    by_schema: bool,
    /// The time limit for listing the tools, if this is necessary.
    limit: Duration,
}

/// Converts a result into the output of a call. The second argument is the output schema of the tool
/// if it is known. It is only passed if the structured content may be wrapped.
pub(super) type ConvertResult<R, T> =
    fn(<R as Request>::Result, Option<&RawJson>) -> Result<T, CallError>;

impl<R: Request, T> Call<R, T> {
    pub(super) fn new(
        client: &Client,
        params: Result<R::Params, serde_json::Error>,
        convert: ConvertResult<R, T>,
    ) -> Self {
        let config = &client.state().config;
        Self {
            client: client.clone(),
            params,
            convert,
            tool: None,
            by_schema: false,
            options: CallOptions {
                timeouts: config.timeouts,
                // A no-op observer, which only makes the call request progress. The observer of all
                // calls receives the notifications.
                progress: config
                    .wants_progress
                    .then(|| Arc::new(|_| ()) as OnProgress),
                waits: true,
                // Tools (and perhaps extension methods) are not idempotent, so they are not repeated.
                repeats: R::METHOD != methods::TOOLS_CALL && R::EXTENSION.is_none(),
                fresh: false,
                is_inner: false,
                is_raw: false,
            },
        }
    }

    /// Replaces the conversion of the result with one that ignores the output schema of the tool.
    fn converted_by(mut self, convert: ConvertResult<R, T>) -> Self {
        self.convert = convert;
        self.by_schema = false;
        self
    }

    /// Sets the tool that is called, and whether its output schema decides how the result is
    /// converted.
    pub(super) fn of_tool(mut self, tool: String, by_schema: bool) -> Self {
        self.tool = Some(tool);
        self.by_schema = by_schema;
        self
    }

    /// Returns a converter for results of this call, without sending the call.
    pub fn converter(&self) -> ResultConverter<R, T> {
        self.converter_of(self.tool.clone())
    }

    fn converter_of(&self, tool: Option<String>) -> ResultConverter<R, T> {
        ResultConverter {
            client: self.client.clone(),
            convert: self.convert,
            tool,
            by_schema: self.by_schema,
            limit: self.options.timeouts.shortest(),
        }
    }

    /// Sets whether the call may be sent again if the connection is lost before the answer arrives.
    ///
    /// By default, all requests of the core protocol except `tools/call` are sent again. Tool calls
    /// are sent again only if the tool was last listed with an annotation that makes it read-only or
    /// idempotent.
    pub fn repeatable(mut self, repeatable: bool) -> Self {
        self.options.repeats = repeatable;
        self
    }

    /// Fails immediately while the connection is being restored, instead of waiting for it.
    pub fn fail_fast(mut self) -> Self {
        self.options.waits = false;
        self.options.repeats = false;
        self
    }

    /// Sends the request to the server even if an answer is [cached](super::ClientBuilder::cache).
    pub fn fresh(mut self) -> Self {
        self.options.fresh = true;
        self
    }

    pub(super) fn inner(mut self) -> Self {
        self.options.is_inner = true;
        self
    }

    /// Sets the time limit for the answer. The limit covers all rounds of questions together, and
    /// progress does not extend it.
    ///
    /// The time that it takes to answer the server's questions is not included, in either era. If
    /// the call is sent again after the connection was lost, the time starts over.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.timeouts(Timeouts::within(timeout))
    }

    /// Sets the time limits for the answer, which progress may extend. All rounds of questions share
    /// the limits, which do not include the time that it takes to answer the questions.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// Requests progress notifications, and calls `observer` with each of them. The observer must
    /// return quickly, because it blocks the connection.
    pub fn on_progress(
        mut self,
        observer: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.options.progress = Some(Arc::new(observer));
        self
    }
}

impl<R, T> Call<R, T>
where
    R: Request + 'static,
    R::Params: Conform,
{
    async fn send(mut self) -> Result<T, CallError> {
        let tool = self.tool.take();
        let mut converter = self.converter_of(tool);
        let Completed { raw, left } = self.into_raw()?.complete().await?;
        converter.limit = left;
        converter.convert(raw).await
    }

    /// Sends the call and returns the raw result, even if its `resultType` belongs to an extension:
    /// [`ClientExtension::claim`](super::ClientExtension::claim) is not called. Questions are
    /// answered and time limits apply as usual.
    ///
    /// With this method an extension can offer its own way of calling. It obtains the complete
    /// result later and [converts](ResultConverter::complete) it:
    ///
    /// ```
    /// use mcp_runtime::client::{Call, ResultConverter};
    /// use mcp_runtime::types::{CallToolRequest, RawJson};
    /// use mcp_runtime::CallError;
    ///
    /// /// A call that the server may have answered with a ticket.
    /// pub struct Ticket<T> {
    ///     pub answer: RawJson,
    ///     converter: ResultConverter<CallToolRequest, T>,
    /// }
    ///
    /// impl<T: 'static> Ticket<T> {
    ///     pub async fn issue(call: Call<CallToolRequest, T>) -> Result<Self, CallError> {
    ///         let converter = call.converter();
    ///         let answer = call.raw().await?;
    ///         Ok(Self { answer, converter })
    ///     }
    ///
    ///     pub async fn redeem(self, result: RawJson) -> Result<T, CallError> {
    ///         self.converter.complete(result).await
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the call yields no result; see [`CallError`].
    pub fn raw(mut self) -> BoxFuture<Result<RawJson, CallError>> {
        self.options.is_raw = true;
        self.unconverted()
    }

    pub(super) fn unconverted(self) -> BoxFuture<Result<RawJson, CallError>> {
        let call = self.into_raw();
        Box::pin(async move { Ok(call?.complete().await?.raw) })
    }

    /// Erases the types of the call.
    ///
    /// # Errors
    ///
    /// Fails if the parameters can't be serialized.
    fn into_raw(self) -> Result<RawCall, CallError> {
        let params = self.params.map_err(CallError::Params)?;
        Ok(RawCall::new::<R>(self.client, params, self.options))
    }
}

impl<R: Request, T> ResultConverter<R, T> {
    /// The client of the call.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The name of the tool that is called; `None` for other requests.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Converts a complete result as the call would.
    ///
    /// # Errors
    ///
    /// [`CallError::Result`] if the result is not complete or does not match the type, and
    /// [`CallError::Tool`] if the tool reports an error that the call would fail with.
    pub async fn complete(self, result: RawJson) -> Result<T, CallError> {
        match self.outcome(&result)? {
            Outcome::Complete => self.convert(result).await,
            Outcome::Unknown(_) if !self.client.revision().has_type("ResultType") => {
                self.convert(result).await
            }
            _ => Err(CallError::unfit(R::METHOD, "it is not complete")),
        }
    }

    pub(super) fn outcome(&self, result: &RawJson) -> Result<Outcome, CallError> {
        Outcome::of(RequestKind::of::<R>(), result, &self.client.negotiated())
    }

    async fn convert(self, raw: RawJson) -> Result<T, CallError> {
        let result = self.read(&raw)?;
        let schema = match &self.tool {
            Some(name) if self.by_schema && may_be_wrapped(&raw) => {
                output_schema(&self.client, name, self.limit).await
            }
            _ => None,
        };
        (self.convert)(result, schema.as_ref()).map_err(|error| self.of_tool(error))
    }

    pub(super) fn read(&self, raw: &RawJson) -> Result<R::Result, CallError> {
        let negotiated = self.client.negotiated();
        let source = Source {
            method: R::METHOD,
            tool: self.tool(),
            revision: negotiated.revision,
            server: &|| negotiated.peer_name(),
        };
        source.read::<R>(raw).map_err(|error| self.of_tool(error))
    }

    /// Adds the name of the tool to an error about the result.
    fn of_tool(&self, error: CallError) -> CallError {
        match (error, &self.tool) {
            (CallError::Result { method, reason }, Some(tool)) => {
                let reason = format!("tool `{tool}`: {reason}");
                CallError::Result { method, reason }
            }
            (error, _) => error,
        }
    }
}

impl<R, T> IntoFuture for Call<R, T>
where
    R: Request + 'static,
    R::Params: Conform,
    T: 'static,
{
    type Output = Result<T, CallError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<R: Request, T> fmt::Debug for Call<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&R::METHOD).finish()
    }
}

/// A tool call whose output is decoded. Await it to send the request.
///
/// The call fails with [`CallError::Tool`] if the tool reports an error.
pub type TypedCall<Out> = Call<CallToolRequest, Out>;

/// A type that the output of a tool can be decoded as. Implemented for every type that implements
/// [`DeserializeOwned`].
#[diagnostic::on_unimplemented(
    message = "the output of a tool cannot be read as `{Self}`",
    label = "this type is not known, or it does not implement `Deserialize`",
    note = "write `let sum: i64 = …`, or `client.call::<i64>(…)`; a type of your own needs `#[derive(Deserialize)]`",
    note = "`client.call_tool(…)` returns the result as it is"
)]
pub trait CallOutput: DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> CallOutput for T {}

impl<Out: CallOutput> TypedCall<Out> {
    /// Sets whether the value may be wrapped in an object, for callers that know the output schema,
    /// such as generated bindings. The client then does not list the tools to find the schema.
    ///
    /// Before 2026-07-28, servers wrap values that are not objects in an object whose only member is
    /// `result`. If `wrapped` is true, such an object is unwrapped. If it is false, the structured
    /// content is never unwrapped.
    pub fn wrapped(self, wrapped: bool) -> Self {
        self.converted_by(if wrapped { perhaps_wrapped } else { whole })
    }
}

impl Call<CallToolRequest> {
    /// Makes the call fail with [`CallError::Tool`] if the tool reports an error, instead of
    /// returning a result with `is_error` set.
    pub fn error_for_failure(self) -> Self {
        self.converted_by(succeeded)
    }

    /// Sends the call and validates the output against the tool's output schema (2025-06-18 and
    /// later, "Tools", section Output Schema).
    ///
    /// Uses the schema that the tool was last listed with. If the tool has not been listed yet, lists
    /// the tools first. Schemas that the output schema refers to by URL are never fetched.
    ///
    /// Nothing is validated if the tool has no output schema or reports an error. If the result does
    /// not match the schema, the call fails with [`CallError::Result`], which names the path.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let found = client.call_tool("find", serde_json::json!({"name": "x"})).validated().await?;
    /// # drop(found);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "validation")]
    #[must_use = "nothing is sent until this is awaited"]
    pub fn validated(
        self,
    ) -> crate::connection::BoxFuture<Result<mcp_types::CallToolResult, CallError>> {
        Box::pin(async move {
            let schema = match &self.params {
                Ok(params) => schema_for_validation(&self.client, &params.name).await?,
                // The call itself fails with this error.
                Err(_) => None,
            };
            let result = self.await?;
            if let Some(schema) = schema {
                let checked = crate::output_schema::check(&schema, &result);
                checked
                    .map_err(|reason| CallError::unfit(mcp_types::methods::TOOLS_CALL, reason))?;
            }
            Ok(result)
        })
    }
}

/// Returns the output schema that a tool was listed with. If the tool is not known, lists the tools.
#[cfg(feature = "validation")]
async fn schema_for_validation(client: &Client, name: &str) -> Result<Option<RawJson>, CallError> {
    let tool = match client.known_tool(name) {
        Some(tool) => Some(tool),
        None => {
            let tools = client.list_tools().await?;
            tools.into_iter().find(|tool| tool.name == name)
        }
    };
    Ok(tool.and_then(|tool| tool.output_schema))
}

/// Builds the parameters of a tool call.
///
/// # Errors
///
/// Fails if the arguments serialize to anything but an object or `null`.
pub(super) fn tool_params(
    name: &str,
    arguments: &impl Serialize,
) -> Result<CallToolRequestParams, serde_json::Error> {
    let arguments = RawJson::new(arguments)?;
    let params = CallToolRequestParams::new(name);
    match not_an_object(&arguments) {
        None => Ok(params.with_arguments(arguments)),
        Some("null") => Ok(params),
        Some(kind) => Err(serde_json::Error::custom(format_args!(
            "the arguments of a tool must be a JSON object, not {kind}"
        ))),
    }
}

/// Names the kind of a JSON value, with an article. Returns `None` for an object.
fn not_an_object(json: &RawJson) -> Option<&'static str> {
    Some(match json.get().as_bytes().first()? {
        b'{' => return None,
        b'"' => "a string",
        b'[' => "an array",
        b't' | b'f' => "a boolean",
        b'n' => "null",
        _ => "a number",
    })
}
