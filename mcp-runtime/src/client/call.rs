//! One request: its options, and its result as the type that the caller wants. A call of a tool has
//! options of its own, and its output is read as a type.

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
use super::result::{
    Completed, Outcome, UnknownResults, may_be_wrapped, perhaps_wrapped, succeeded, whole,
};
use super::source::Source;
use crate::connection::{BoxFuture, OnProgress};
use crate::error::CallError;
use crate::protocol::Timeouts;

/// A request that is about to be sent; await it to send it.
///
/// Dropping the future before it is done cancels the request at the server.
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
    /// The tool that is called.
    tool: Option<String>,
    /// True if the tool's output schema decides how its result is converted.
    by_schema: bool,
    pub(super) options: CallOptions,
}

/// Converts results into the output of a [`Call`]: those that an extension has obtained in another
/// way than as the answer to the call. Made by [`Call::converter`].
#[derive(Debug)]
pub struct ResultConverter<R: Request, T = <R as Request>::Result> {
    client: Client,
    convert: ConvertResult<R, T>,
    tool: Option<String>,
    by_schema: bool,
    /// Time to list the tools, if that is needed.
    limit: Duration,
}

/// Turns the result into the output. A tool whose structured content may be wrapped has its output
/// schema, if that is known.
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
                // The observer of all calls is one of notifications.
                progress: config
                    .wants_progress
                    .then(|| Arc::new(|_| ()) as OnProgress),
                waits: true,
                // Tools (and perhaps extension methods) are not idempotent, so they are not repeated.
                repeats: R::METHOD != methods::TOOLS_CALL && R::EXTENSION.is_none(),
                fresh: false,
                is_inner: false,
                unknown_results: UnknownResults::Claimed,
                meta: String::new(),
            },
        }
    }

    /// Converts the result another way, which does not depend on the output schema of a tool.
    fn converted_by(mut self, convert: ConvertResult<R, T>) -> Self {
        self.convert = convert;
        self.by_schema = false;
        self
    }

    /// Notes the tool that is called, whose output schema decides how the result is converted if it
    /// does so `by_schema`.
    pub(super) fn of_tool(mut self, tool: String, by_schema: bool) -> Self {
        self.tool = Some(tool);
        self.by_schema = by_schema;
        self
    }

    /// The converter of the call's results, without sending it. It has the client, and the tool that
    /// is called.
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

    /// Sets whether the call may be sent again when the connection is lost before its answer came.
    ///
    /// By default, requests of the protocol other than `tools/call` may, and tools that are read-only
    /// or idempotent by their annotations, as last listed.
    pub fn repeatable(mut self, repeatable: bool) -> Self {
        self.options.repeats = repeatable;
        self
    }

    /// Fails at once while the connection is being restored, instead of waiting for it.
    pub fn fail_fast(mut self) -> Self {
        self.options.waits = false;
        self.options.repeats = false;
        self
    }

    /// Asks the server even if its last answer is [cached](super::ClientBuilder::cache).
    pub fn fresh(mut self) -> Self {
        self.options.fresh = true;
        self
    }

    /// Makes the call a part of another one, which layers stand around.
    pub(super) fn inner(mut self) -> Self {
        self.options.is_inner = true;
        self
    }

    /// The time limit of the answer: of all rounds together, progress or not.
    ///
    /// Time in which the server's questions are answered does not count, in either era. A call that
    /// is sent again after its connection was lost has its time again.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.timeouts(Timeouts::within(timeout))
    }

    /// The time limits of the answer, which progress may extend. All rounds share these limits, and
    /// time in which the server's questions are answered does not count.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// Asks for progress notifications, and calls `observer` with each. It must return quickly: the
    /// connection waits.
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

    /// Sends the call, and returns its result as it came, also one whose `resultType` is that of an
    /// extension: no [claim](super::ClientExtension::claim) takes it. Questions are answered, and time
    /// limits apply, as ever.
    ///
    /// An extension adds to calls by it, and converts the [complete](ResultConverter::complete) result that
    /// it obtains later:
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
    /// Why there is no result; see [`CallError`].
    pub fn raw(self) -> BoxFuture<Result<RawJson, CallError>> {
        self.unconverted(UnknownResults::Taken)
    }

    /// Sends the call, and returns its result as it came.
    pub(super) fn unconverted(
        mut self,
        unknown_results: UnknownResults,
    ) -> BoxFuture<Result<RawJson, CallError>> {
        self.options.unknown_results = unknown_results;
        let call = self.into_raw();
        Box::pin(async move { Ok(call?.complete().await?.raw) })
    }

    /// The call without its types.
    ///
    /// # Errors
    ///
    /// When the parameters have no JSON form.
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

    /// Converts a complete result, as the call would.
    ///
    /// # Errors
    ///
    /// [`CallError::Result`] if it is not complete or does not fit, [`CallError::Tool`] where a tool
    /// reports an error and the call fails with it.
    pub async fn complete(self, result: RawJson) -> Result<T, CallError> {
        match self.outcome(&result)? {
            Outcome::Complete => self.convert(result).await,
            Outcome::Unknown(_) if !self.client.revision().has_type("ResultType") => {
                self.convert(result).await
            }
            _ => Err(CallError::unfit(R::METHOD, "it is not complete")),
        }
    }

    /// Finds out what a result is.
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

    /// Reads a complete result.
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

    /// Adds the name of the tool to an error about its result.
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

/// A call of a tool whose output is decoded; await it to send it.
///
/// It fails with [`CallError::Tool`] when the tool reports an error.
pub type TypedCall<Out> = Call<CallToolRequest, Out>;

/// A type that the output of a tool is read as: anything with `Deserialize`.
#[diagnostic::on_unimplemented(
    message = "the output of a tool cannot be read as `{Self}`",
    label = "what it is read as is not known, or has no `Deserialize`",
    note = "write `let sum: i64 = …`, or `client.call::<i64>(…)`; a type of your own needs `#[derive(Deserialize)]`",
    note = "`client.call_tool(…)` returns the result as it is"
)]
pub trait CallOutput: DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> CallOutput for T {}

impl<Out: CallOutput> TypedCall<Out> {
    /// Sets whether the value may be the member `result` of an object around it, as revisions before
    /// 2026-07-28 have it for values that are no objects. With `true`, structured content whose only
    /// member is `result` is such an object; with `false`, none is. Tools are not listed for it.
    ///
    /// For callers that know the output schema, such as generated bindings.
    pub fn wrapped(self, wrapped: bool) -> Self {
        self.converted_by(if wrapped { perhaps_wrapped } else { whole })
    }
}

impl Call<CallToolRequest> {
    /// Fails with [`CallError::Tool`] when the tool reports an error, instead of returning the result
    /// that has it.
    pub fn error_for_failure(self) -> Self {
        self.converted_by(succeeded)
    }

    /// Validates the output of the tool against its schema (2025-06-18 and later, "Tools",
    /// section Output Schema). The schema is the one that was last listed; where the tool was not
    /// listed yet, tools are listed first. Schemas are never fetched.
    ///
    /// A tool without an output schema, and an error of the tool, need no structured output. A result
    /// that does not fit is [`CallError::Result`], which names the place.
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
                // The call itself reports what is wrong.
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

/// The output schema that a tool was listed with; tools are listed if the tool was not yet.
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

/// The parameters of a call of a tool.
///
/// # Errors
///
/// When the arguments are neither an object nor nothing.
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
            "the arguments of a tool are a JSON object, not {kind}"
        ))),
    }
}

/// The kind of a JSON value that is not an object, with its article.
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
