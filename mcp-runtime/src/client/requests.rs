//! The requests of a client: tools, prompts, resources, completion, logging, lists, subscriptions.

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
    /// A request of any kind; await it to send it.
    ///
    /// One whose type names an [extension](Request::EXTENSION) is sent where the client has
    /// [declared](super::ClientBuilder::extension) the extension, and the server as well
    /// ([`CallError::Unavailable`] otherwise), whatever the protocol has under the same name. It is not sent again after its answer was lost, unless
    /// it is marked as [repeatable](Call::repeatable).
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::{ListToolsRequest, PaginatedRequestParams};
    ///
    /// // One page of the list, where `list_tools` fetches them all.
    /// let page = client.request::<ListToolsRequest>(PaginatedRequestParams::new()).await?;
    /// println!("{} tools, then {:?}", page.tools.len(), page.next_cursor);
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<R: Request>(&self, params: R::Params) -> Call<R> {
        Call::new(self, Ok(params), |result, _| Ok(result))
    }

    /// Sends a `ping`, and waits for the answer.
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] in the stateless era, which has no `ping`; otherwise why there
    /// is no answer.
    pub async fn ping(&self) -> Result<(), CallError> {
        self.request::<PingRequest>(RequestParams::new()).await?;
        Ok(())
    }

    /// The tools of the server, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing; [`CallError::Result`] when the list has more pages than
    /// [`max_pages`](super::ClientBuilder::max_pages).
    pub async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        self.list(self.pages::<ListToolsRequest>()).await
    }

    /// The same, also if the answer is cached.
    pub(super) async fn list_tools_again(&self) -> Result<Vec<Tool>, CallError> {
        self.list(self.pages::<ListToolsRequest>().fresh()).await
    }

    async fn list(&self, pages: Pages<ListToolsRequest>) -> Result<Vec<Tool>, CallError> {
        let tools = pages.all().await?;
        let known = tools.iter().map(|tool| (tool.name.clone(), tool.clone()));
        self.state().session().tools = known.collect();
        Ok(tools)
    }

    /// A tool as it was last listed on this connection.
    #[must_use]
    pub fn known_tool(&self, name: &str) -> Option<Tool> {
        self.state().session().tools.get(name).cloned()
    }

    /// Calls a tool; await it to send it. `arguments` must serialize to an object, or to nothing
    /// (`()`, `None`) for a tool that takes none. Others, such as text and lists, fail with
    /// [`CallError::Params`], and nothing is sent.
    ///
    /// A tool whose server asks for arguments in headers (`x-mcp-header`) and refuses the call because
    /// they are missing, as one does that was not listed yet, is called once more after the tools were
    /// listed (2026-07-28, "Streamable HTTP", section Client Behavior).
    ///
    /// A tool that fails has a result as well, with `is_error` set, for the model to read;
    /// [`call`](Self::call) turns it into an error.
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<CallToolRequest> {
        let result = |result, _: Option<&RawJson>| Ok(result);
        self.tool_call(name.into(), &arguments, result, false)
    }

    /// Calls a tool and decodes its output; await it to send it.
    ///
    /// The value comes from the structured content, or from the text of a tool that has none. No content
    /// is nothing: `()`, `None`, or an empty text.
    /// Structured content whose only member is `result` may be the wrapper of another value, as
    /// revisions before 2026-07-28 need one for values that are no objects. It is unwrapped where the
    /// output schema of the tool is that of such an object, unless `Out` itself has a member `result`
    /// and fits only the whole; tools are listed for that if the tool was not yet. Where there is no schema, it is unwrapped if the whole
    /// does not fit.
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

    /// The prompts of the server, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, CallError> {
        self.pages::<ListPromptsRequest>().all().await
    }

    /// The resources that the server lists, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, CallError> {
        self.pages::<ListResourcesRequest>().all().await
    }

    /// The resource templates of the server, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, CallError> {
        self.pages::<ListResourceTemplatesRequest>().all().await
    }

    /// A prompt, filled in with `arguments`; await it to send the request. Arguments are pairs of a name
    /// and a text; anything else does not compile:
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

    /// The contents of a resource; await it to send the request.
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

    /// The contents of a resource whose URI is made from `template` (RFC 6570); await it to send the
    /// request. Variables are pairs of a name and a text; those that are missing stand for nothing.
    /// Letters outside ASCII are percent-encoded, in the template
    /// as well as in values. A string that is not a template fails with [`CallError::Params`], and
    /// nothing is sent.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let page = client.read_template("book://{isbn}{?page}", [("isbn", "978 0"), ("page", "7")]);
    /// println!("{:?}", page.await?.contents); // of `book://978%200?page=7`
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

    /// Values for the argument `name` of a prompt or template that begin like `value`; await it to
    /// send the request.
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

    /// A list of the server, page by page.
    ///
    /// The list ends when the server repeats a cursor, with the pages that came until then.
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
    pub fn pages<R: ListRequest>(&self) -> Pages<R> {
        Pages::new(self)
    }

    /// A list of the server as a stream of its items; each page is fetched when it is
    /// needed.
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
    pub fn items<R: ListRequest>(
        &self,
    ) -> impl futures_core::Stream<Item = Result<R::Item, CallError>> + Send + Unpin + use<R> {
        super::stream::items(self.pages::<R>())
    }

    /// Subscribes to the changes that `filter` names, in any revision, and waits until the server
    /// has agreed. The [accepted](Subscription::accepted) filter has those that the server offers.
    ///
    /// In revisions with a handshake, resources are subscribed to one by one, changes of lists are
    /// announced anyway, and what extensions add to the filter (`extra`) is not accepted; in those
    /// without, this is [`listen`](Self::listen).
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
    /// [`CallError::Timeout`] where the server does not agree in time, or why it refuses.
    pub async fn subscribe_to(
        &self,
        filter: SubscriptionFilter,
    ) -> Result<Subscription, CallError> {
        Subscription::open(self, filter, true).await
    }

    /// Subscribes to the changes that `filter` names, in revisions without a handshake, and waits
    /// until the server has agreed (2026-07-28, "Subscriptions").
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] where the revision has no such subscriptions,
    /// [`CallError::Timeout`] where the server does not agree in time, or why it refuses.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription, CallError> {
        Subscription::open(self, filter, false).await
    }

    /// Subscribes to changes of a resource, also after a reconnection. For revisions with
    /// a handshake.
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] where the revision or the server has no such subscriptions;
    /// otherwise why there is no answer.
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
    /// As [`subscribe`](Self::subscribe).
    pub async fn unsubscribe(&self, uri: impl Into<String>) -> Result<(), CallError> {
        let uri = uri.into();
        self.state().session().resources.remove(&uri);
        let params = UnsubscribeRequestParams::new(uri);
        let _: EmptyResult = self.request::<UnsubscribeRequest>(params).await?;
        Ok(())
    }

    /// Sets the least severe log messages that the server is to send, also after a reconnection.
    /// They arrive as [notifications](Self::notifications).
    ///
    /// # Errors
    ///
    /// Why the level was not set; a server that reads it from each request is not asked.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), CallError> {
        if self.connection(true).await?.has_session() {
            let params = SetLevelRequestParams::new(level.clone());
            let _: EmptyResult = self.request::<SetLevelRequest>(params).await?;
        }
        if self.server_capabilities().logging.is_none() {
            crate::log::warn!("the server declares no `logging`: it may send no log messages");
        }
        self.state().session().log_level = Some(level);
        Ok(())
    }
}

/// Arguments of a prompt: pairs of a name and a text, in a list or a map.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no arguments of a prompt",
    label = "no pairs of texts",
    note = "the arguments of prompts are texts: write `[(\"title\", \"Emma\")]`"
)]
pub trait PromptArguments {
    /// The pairs.
    fn pairs(self) -> impl Iterator<Item = (String, String)>;
}

#[diagnostic::do_not_recommend]
impl<K: Into<String>, V: Into<String>, I: IntoIterator<Item = (K, V)>> PromptArguments for I {
    fn pairs(self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.into_iter();
        pairs.map(|(name, value)| (name.into(), value.into()))
    }
}

/// Percent-encodes the letters outside ASCII in the literal parts of a URI template, as its expansion
/// has them (RFC 6570, sections 2.1 and 3.1). [`Client::read_template`] does it as well.
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
