//! The requests that a client sends: tools, prompts, resources, completion, logging, lists and
//! subscriptions.

use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateStr;
use iri_string::template::simple_context::SimpleContext;
use mcp_types::{
    CallToolRequest, CompleteRequest, CompleteRequestParams, CompletionArgument,
    CompletionReference, EmptyResult, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, LoggingLevel,
    PingRequest, Prompt, RawJson, ReadResourceRequest, ReadResourceRequestParams, Request,
    RequestParams, Resource, ResourceTemplate, SetLevelRequest, SetLevelRequestParams,
    SubscribeRequest, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequest,
    UnsubscribeRequestParams,
};
use serde::Serialize;
use serde::ser::Error as _;

use super::call::{CallOutput, ConvertResult, TypedCall, tool_params};
use super::result::typed;
use super::{Call, Client, ListRequest, Pages, Subscription};
use crate::error::CallError;

impl Client {
    /// Prepares a request of any type. Await the returned [`Call`] to send it.
    ///
    /// If the request type belongs to an [extension](Request::EXTENSION), both the client and the
    /// server must have [declared](super::ClientBuilder::extension) the extension. Otherwise the call
    /// fails with [`CallError::Unavailable`]. A request of an extension is not sent again after its
    /// answer was lost, unless it is marked as [repeatable](Call::repeatable).
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::{ListToolsRequest, PaginatedRequestParams};
    ///
    /// // Fetches a single page, whereas `list_tools` fetches all pages.
    /// let page = client.request::<ListToolsRequest>(PaginatedRequestParams::new()).await?;
    /// println!("{} tools, then {:?}", page.tools.len(), page.next_cursor);
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<R: Request>(&self, params: R::Params) -> Call<R> {
        Call::new(self, Ok(params), |result, _| Ok(result))
    }

    /// Sends a `ping` and waits for the answer.
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] in the stateless era, which has no `ping`. Otherwise fails if the
    /// server does not answer.
    pub async fn ping(&self) -> Result<(), CallError> {
        self.request::<PingRequest>(RequestParams::new()).await?;
        Ok(())
    }

    /// Lists the tools of the server. Fetches all pages of the list.
    ///
    /// # Errors
    ///
    /// Fails if a page can't be fetched. [`CallError::Result`] if the list has more pages than
    /// [`max_pages`](super::ClientBuilder::max_pages).
    pub async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        self.list(self.pages::<ListToolsRequest>()).await
    }

    /// Like [`list_tools`](Self::list_tools), but bypasses the cache.
    pub(super) async fn list_tools_again(&self) -> Result<Vec<Tool>, CallError> {
        self.list(self.pages::<ListToolsRequest>().fresh()).await
    }

    async fn list(&self, pages: Pages<ListToolsRequest>) -> Result<Vec<Tool>, CallError> {
        let tools = pages.all().await?;
        let known = tools.iter().map(|tool| (tool.name.clone(), tool.clone()));
        self.state().session().tools = known.collect();
        Ok(tools)
    }

    /// Returns a tool as it was last listed on this connection.
    #[must_use]
    pub fn known_tool(&self, name: &str) -> Option<Tool> {
        self.state().session().tools.get(name).cloned()
    }

    /// Calls a tool. Await the returned [`Call`] to send the request.
    ///
    /// `arguments` must serialize to an object. For a tool without arguments, pass `()` or `None`.
    /// Other values, such as strings and arrays, fail with [`CallError::Params`] and nothing is sent.
    ///
    /// A server may require some arguments as headers (`x-mcp-header`), which the client learns only
    /// by listing the tools. If the server refuses a call because of such headers, the client lists
    /// the tools and sends the call once more (2026-07-28, "Streamable HTTP", section Client
    /// Behavior).
    ///
    /// If the tool fails, the call still returns a result, with `is_error` set, for the model to
    /// read. To get an error instead, use [`call`](Self::call).
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<CallToolRequest> {
        let result = |result, _: Option<&RawJson>| Ok(result);
        self.tool_call(name.into(), &arguments, result, false)
    }

    /// Calls a tool and decodes its output. Await the returned call to send the request.
    ///
    /// The value is decoded from the structured content, or from the text if there is no structured
    /// content. A result without any content decodes as `()`, `None` or an empty string.
    ///
    /// Before 2026-07-28, structured content must be an object, so servers wrap other values in an
    /// object whose only member is `result`. The value is unwrapped if the output schema of the tool
    /// describes such a wrapper, except if `Out` matches only the whole object. If the tool has not
    /// been listed yet, the client lists the tools to find the schema. If there is no schema, the
    /// value is unwrapped only if the whole object does not match `Out`.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let sum: i64 = client.call("add", serde_json::json!({"a": 2, "b": 3})).await?;
    /// assert_eq!(sum, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<Out: CallOutput>(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> TypedCall<Out> {
        self.tool_call(name.into(), &arguments, typed, true)
    }

    fn tool_call<Out>(
        &self,
        name: String,
        arguments: &impl Serialize,
        convert: ConvertResult<CallToolRequest, Out>,
        by_schema: bool,
    ) -> TypedCall<Out> {
        let session = self.state().session();
        let tool = session.tools.get(&name);
        let annotations = tool.and_then(|tool| tool.annotations.as_ref());
        let repeatable = annotations
            .is_some_and(|it| it.read_only_hint == Some(true) || it.idempotent_hint == Some(true));
        drop(session);
        let params = tool_params(&name, arguments);
        let call = Call::new(self, params, convert).of_tool(name, by_schema);
        call.repeatable(repeatable)
    }

    /// Lists the prompts of the server. Fetches all pages of the list.
    ///
    /// # Errors
    ///
    /// Fails if a page can't be fetched.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, CallError> {
        self.pages::<ListPromptsRequest>().all().await
    }

    /// Lists the resources of the server. Fetches all pages of the list.
    ///
    /// # Errors
    ///
    /// Fails if a page can't be fetched.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, CallError> {
        self.pages::<ListResourcesRequest>().all().await
    }

    /// Lists the resource templates of the server. Fetches all pages of the list.
    ///
    /// # Errors
    ///
    /// Fails if a page can't be fetched.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, CallError> {
        self.pages::<ListResourceTemplatesRequest>().all().await
    }

    /// Gets a prompt, filled in with `arguments`. Await the returned [`Call`] to send the request.
    ///
    /// Arguments are pairs of a name and a string. Anything else does not compile:
    ///
    /// ```compile_fail
    /// # async fn example(client: mcp_runtime::Client) {
    /// let prompt = client.get_prompt("summary", "draft.md").await;
    /// # }
    /// ```
    pub fn get_prompt(
        &self,
        name: impl Into<String>,
        arguments: impl PromptArguments,
    ) -> Call<GetPromptRequest> {
        let arguments = arguments.pairs();
        self.request(GetPromptRequestParams::new(name).with_arguments(arguments))
    }

    /// Reads the contents of a resource. Await the returned [`Call`] to send the request.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let read = client.read_resource("book://9780141439587").await?;
    /// let text = read.contents.first().and_then(|contents| contents.as_text());
    /// let book: serde_json::Value = serde_json::from_str(text.unwrap_or("null"))?;
    /// # drop(book);
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_resource(&self, uri: impl Into<String>) -> Call<ReadResourceRequest> {
        self.request(ReadResourceRequestParams::new(uri))
    }

    /// Expands a URI template (RFC 6570) and reads the resource. Await the returned [`Call`] to send
    /// the request.
    ///
    /// Variables are pairs of a name and a string. Missing variables expand to nothing. Non-ASCII
    /// characters are percent-encoded, both in the template and in the values. If `template` is not
    /// a valid template, the call fails with [`CallError::Params`] and nothing is sent.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let page = client.read_template("book://{isbn}{?page}", [("isbn", "978 0"), ("page", "7")]);
    /// println!("{:?}", page.await?.contents); // reads `book://978%200?page=7`
    /// # Ok(())
    /// # }
    /// ```
    pub fn read_template<K: AsRef<str>, V: Into<String>>(
        &self,
        template: impl Into<String>,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Call<ReadResourceRequest> {
        let mut context = SimpleContext::new();
        for (name, value) in variables {
            context.insert(name.as_ref(), value.into());
        }
        let template = escape_template(&template.into());
        let template = UriTemplateStr::new(&template);
        let uri = template.and_then(|it| Ok(it.expand::<UriSpec, _>(&context)?.to_string()));
        let params = uri.map(ReadResourceRequestParams::new).map_err(|fault| {
            serde_json::Error::custom(format_args!("the string is not a URI template: {fault}"))
        });
        Call::new(self, params, |result, _| Ok(result))
    }

    /// Requests completions of `value` for the argument `name` of a prompt or resource template.
    /// Await the returned [`Call`] to send the request.
    ///
    /// ```no_run
    /// use mcp_runtime::types::{PromptReference, ResourceTemplateReference};
    ///
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let titles = client.complete(PromptReference::new("summary"), "title", "Em").await?;
    /// println!("{:?}", titles.completion.values);
    /// let books = ResourceTemplateReference::new("book://{isbn}");
    /// let numbers = client.complete(books, "isbn", "978").await?;
    /// # drop(numbers);
    /// # Ok(())
    /// # }
    /// ```
    pub fn complete(
        &self,
        reference: impl Into<CompletionReference>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Call<CompleteRequest> {
        let argument = CompletionArgument::new(name, value);
        self.request(CompleteRequestParams::new(reference, argument))
    }

    /// Fetches a list of the server page by page.
    ///
    /// If the server repeats a cursor, the list [ends](Pages::is_cut) with the pages that were fetched
    /// so far.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::ListResourcesRequest;
    ///
    /// let mut pages = client.pages::<ListResourcesRequest>();
    /// while let Some(resources) = pages.next().await? {
    ///     for resource in resources {
    ///         println!("{}", resource.uri);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn pages<R: ListRequest<Params: Default>>(&self) -> Pages<R> {
        self.pages_with(R::Params::default())
    }

    /// Like [`pages`](Self::pages), with the parameters of the first page. For lists of extensions
    /// that have more parameters than a cursor.
    #[must_use]
    pub fn pages_with<R: ListRequest>(&self, first: R::Params) -> Pages<R> {
        Pages::new(self, first)
    }

    /// Returns a list of the server as a stream of items. Each page is fetched when it is needed.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use futures_util::TryStreamExt;
    /// use mcp_runtime::types::ListToolsRequest;
    ///
    /// let mut tools = client.items::<ListToolsRequest>();
    /// while let Some(tool) = tools.try_next().await? {
    ///     println!("{}", tool.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "stream")]
    pub fn items<R: ListRequest<Params: Default>>(
        &self,
    ) -> impl futures_core::Stream<Item = Result<R::Item, CallError>> + Send + Unpin + use<R> {
        super::stream::items(self.pages::<R>())
    }

    /// Subscribes to the changes that `filter` names, and waits until the server has accepted the
    /// subscription. Works in every revision.
    ///
    /// A server may offer only some of the changes: see [`Subscription::accepted`].
    ///
    /// In the stateless era, this is the same as [`listen`](Self::listen). In the handshake era, the
    /// client subscribes to each resource separately, and servers announce changes of lists anyway.
    /// Additions of extensions to the filter (`extra`) are not accepted there.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::SubscriptionFilter;
    ///
    /// let filter = SubscriptionFilter::new()
    ///     .with_tools_list_changed(true)
    ///     .with_resource_subscriptions(["file:///etc/motd"]);
    /// let mut changes = client.subscribe_to(filter).await?;
    /// while let Some(change) = changes.next().await? {
    ///     println!("{change:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`CallError::Timeout`] if the server does not accept the subscription in time. Otherwise
    /// returns the reason why the server refuses it.
    pub async fn subscribe_to(
        &self,
        filter: SubscriptionFilter,
    ) -> Result<Subscription, CallError> {
        Subscription::open(self, filter, true).await
    }

    /// Subscribes to the changes that `filter` names, and waits until the server has accepted the
    /// subscription (2026-07-28, "Subscriptions"). Stateless revisions only; for any revision, use
    /// [`subscribe_to`](Self::subscribe_to).
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] if the revision has no such subscriptions, and
    /// [`CallError::Timeout`] if the server does not accept the subscription in time. Otherwise
    /// returns the reason why the server refuses it.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription, CallError> {
        Subscription::open(self, filter, false).await
    }

    /// Subscribes to changes of a resource. The subscription is restored after a reconnection.
    /// Handshake revisions only; for any revision, use [`subscribe_to`](Self::subscribe_to).
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] if the revision or the server does not support such subscriptions.
    /// Otherwise fails if the server refuses or does not answer.
    pub async fn subscribe(&self, uri: impl Into<String>) -> Result<(), CallError> {
        let uri = uri.into();
        let params = SubscribeRequestParams::new(uri.clone());
        let _: EmptyResult = self.request::<SubscribeRequest>(params).await?;
        self.state().session().resources.insert(uri);
        Ok(())
    }

    /// Unsubscribes from changes of a resource.
    ///
    /// # Errors
    ///
    /// The same errors as for [`subscribe`](Self::subscribe).
    pub async fn unsubscribe(&self, uri: impl Into<String>) -> Result<(), CallError> {
        let uri = uri.into();
        self.state().session().resources.remove(&uri);
        let params = UnsubscribeRequestParams::new(uri);
        let _: EmptyResult = self.request::<UnsubscribeRequest>(params).await?;
        Ok(())
    }

    /// Sets the minimum level of the log messages that the server sends. The level is restored after
    /// a reconnection. The messages arrive as [notifications](Self::notifications).
    ///
    /// # Errors
    ///
    /// Fails if the server refuses or does not answer. In the stateless era, each request carries
    /// the level, so nothing is sent now.
    #[deprecated(
        note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                log to standard error, or use OpenTelemetry"
    )]
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), CallError> {
        if self.connection(true).await?.has_session() {
            let params = SetLevelRequestParams::new(level.clone());
            let _: EmptyResult = self.request::<SetLevelRequest>(params).await?;
        }
        self.state().session().log_level = Some(level);
        if self.server_capabilities().logging.is_none() {
            crate::log::warn!("the server may not send logs: it does not declare `logging`");
        }
        Ok(())
    }
}

/// Arguments of a prompt: pairs of a name and a string, as a list or a map.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be used as prompt arguments",
    label = "not pairs of strings",
    note = "prompt arguments are pairs of strings: write `[(\"title\", \"Emma\")]`"
)]
pub trait PromptArguments {
    /// Converts the arguments to pairs of a name and a value.
    fn pairs(self) -> impl Iterator<Item = (String, String)>;
}

#[diagnostic::do_not_recommend]
impl<K: Into<String>, V: Into<String>, I: IntoIterator<Item = (K, V)>> PromptArguments for I {
    fn pairs(self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.into_iter();
        pairs.map(|(name, value)| (name.into(), value.into()))
    }
}

/// Percent-encodes the non-ASCII characters in the literal parts of a URI template, as the expansion
/// requires (RFC 6570, sections 2.1 and 3.1). [`Client::read_template`] does this automatically.
///
/// ```
/// use mcp_runtime::client::escape_template;
///
/// assert_eq!(escape_template("file:///café/{name}"), "file:///caf%C3%A9/{name}");
/// ```
#[must_use]
pub fn escape_template(template: &str) -> String {
    let parts = template.split_inclusive('}').flat_map(|part| {
        let (literal, expression) = part.split_at(part.find('{').unwrap_or(part.len()));
        let octets = literal.bytes().map(|octet| match octet {
            0..=0x7f => char::from(octet).to_string(),
            _ => format!("%{octet:02X}"),
        });
        octets.chain([expression.to_owned()])
    });
    parts.collect()
}
