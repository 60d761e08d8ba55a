//! The builder's handlers for questions of servers. Each one declares the capability to answer.

use std::future::Future;

use mcp_types::{CreateMessageRequestParams, CreateMessageResult, ErrorObject, Root};

use super::builder::ClientBuilder;
use super::input::{ElicitReply, Form, Page, Roots};

impl ClientBuilder {
    /// Handles forms for the user, and declares `elicitation.form`. The handler runs concurrently
    /// with the connection, and its future is dropped if the server cancels the request.
    ///
    /// ```
    /// use mcp_runtime::Client;
    ///
    /// let client = Client::builder("example", "1.0.0").on_form(async |form| {
    ///     println!("{}", form.message());
    ///     form.accept_suggestions()
    /// });
    /// # drop(client);
    /// ```
    ///
    /// The handler is called for each question, so it must clone what its future needs:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use mcp_runtime::Client;
    /// use mcp_runtime::client::{ElicitReply, Form};
    ///
    /// # struct Ui;
    /// impl Ui {
    ///     async fn ask(&self, form: Form) -> ElicitReply {
    ///         // Shows the form.
    /// #       form.decline()
    ///     }
    /// }
    ///
    /// let ui = Arc::new(Ui);
    /// let client = Client::builder("example", "1.0.0").on_form(move |form| {
    ///     let ui = Arc::clone(&ui);
    ///     async move { ui.ask(form).await }
    /// });
    /// # drop(client);
    /// ```
    pub fn on_form<F>(mut self, handler: impl Fn(Form) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitReply> + Send + 'static,
    {
        self.config.input.form = Some(Box::new(move |form| Box::pin(handler(form))));
        self
    }

    /// Handles requests to open a web page for the user, and declares `elicitation.url`.
    ///
    /// ```
    /// use mcp_runtime::Client;
    ///
    /// # fn ask(_: &str, _: &str) -> bool { true }
    /// # fn open_in_browser(_: &str) {}
    /// let client = Client::builder("example", "1.0.0").on_page(async |page| {
    ///     if !ask(page.message(), page.url()) {
    ///         return page.decline();
    ///     }
    ///     open_in_browser(page.url());
    ///     page.accept()
    /// });
    /// # drop(client);
    /// ```
    pub fn on_page<F>(mut self, handler: impl Fn(Page) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitReply> + Send + 'static,
    {
        self.config.input.page = Some(Box::new(move |page| Box::pin(handler(page))));
        self
    }

    /// Handles requests to a language model, and declares `sampling`. A person should review both the
    /// request and the response. An error is sent to the server unchanged. If the user refuses, return
    /// an error with the code -1 (2025-11-25, "Sampling", section Error Handling).
    ///
    /// ```
    /// use mcp_runtime::Client;
    /// use mcp_runtime::types::{
    ///     CreateMessageResult, Role, SamplingMessageContentBlock, TextContent,
    /// };
    ///
    /// # async fn ask_model(_: &[mcp_runtime::types::SamplingMessage]) -> String { String::new() }
    /// let client = Client::builder("example", "1.0.0").on_sample(async |params| {
    ///     let text = ask_model(&params.messages).await;
    ///     let text = SamplingMessageContentBlock::Text(TextContent::new(text));
    ///     Ok(CreateMessageResult::new(Role::Assistant, text, "model-1"))
    /// });
    /// # drop(client);
    /// ```
    #[deprecated(
        note = "sampling is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                call the API of a model provider"
    )]
    pub fn on_sample<F>(
        mut self,
        handler: impl Fn(CreateMessageRequestParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.config.input.sample = Some(Box::new(move |params| Box::pin(handler(params))));
        self
    }

    /// Allows tools in requests for [`on_sample`](Self::on_sample), and declares `sampling.tools`.
    #[deprecated(
        note = "sampling is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                call the API of a model provider"
    )]
    pub fn sample_with_tools(mut self) -> Self {
        self.config.input.sample_with_tools = true;
        self
    }

    /// Sets the folders and files that servers should work on, and declares `roots`.
    #[deprecated(
        note = "roots are deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                use arguments, resource URIs or the configuration of the server"
    )]
    pub fn roots(mut self, roots: impl Into<Roots>) -> Self {
        self.config.input.roots = Some(roots.into());
        self
    }

    /// Calls `handler` whenever a server requests the roots, and declares `roots` without change
    /// notifications. If a list of [`roots`](Self::roots) is set, it is used instead.
    ///
    /// ```
    /// use mcp_runtime::Client;
    /// use mcp_runtime::types::Root;
    ///
    /// let client = Client::builder("example", "1.0.0")
    ///     .on_roots(async || Ok(vec![Root::new("file:///home/ada/project")]));
    /// # drop(client);
    /// ```
    #[deprecated(
        note = "roots are deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                use arguments, resource URIs or the configuration of the server"
    )]
    pub fn on_roots<F>(mut self, handler: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Vec<Root>, ErrorObject>> + Send + 'static,
    {
        self.config.input.find_roots = Some(Box::new(move |()| Box::pin(handler())));
        self
    }
}
