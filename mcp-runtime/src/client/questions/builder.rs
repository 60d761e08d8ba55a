//! What a client's builder is told about answering.

use std::sync::Arc;

use mcp_types::{CreateMessageRequestParams, CreateMessageResult, ErrorObject, Root};

use super::{ElicitReply, Form, Page, Roots};
use crate::client::ClientBuilder;

impl ClientBuilder {
    /// Shows users the forms that servers want to be filled in, and declares that
    /// (`elicitation.form`). It runs beside the connection, which does not wait for it, and is
    /// dropped when the server does not want the answer any more.
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
    pub fn on_form<F>(mut self, handler: impl Fn(Form) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitReply> + Send + 'static,
    {
        self.config.handlers.form = Some(Arc::new(move |form| Box::pin(handler(form))));
        self
    }

    /// Sends users to the web pages that servers want them to open, and declares that
    /// (`elicitation.url`).
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
        self.config.handlers.page = Some(Arc::new(move |page| Box::pin(handler(page))));
        self
    }

    /// Lets a language model go on with the conversations of servers, and declares that
    /// (`sampling`). A person should see what is asked and answered. An error is answered as it
    /// is; a user's refusal has the code -1 (2025-11-25, "Sampling", section Error Handling).
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
    pub fn on_sample<F>(
        mut self,
        handler: impl Fn(CreateMessageRequestParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.config.handlers.model = Some(Arc::new(move |params| Box::pin(handler(params))));
        self
    }

    /// The model of [`on_sample`](Self::on_sample) may be offered tools, which is declared as well
    /// (`sampling.tools`).
    pub fn sample_with_tools(mut self) -> Self {
        self.config.handlers.model_uses_tools = true;
        self
    }

    /// Tells servers which folders and files they should work on, and declares that (`roots`).
    pub fn roots(mut self, roots: impl Into<Roots>) -> Self {
        self.config.handlers.roots = Some(roots.into());
        self
    }

    /// Finds the roots whenever a server asks for them, and declares `roots` without saying that
    /// changes are told. A list of [`roots`](Self::roots) goes before it.
    ///
    /// ```
    /// use mcp_runtime::Client;
    /// use mcp_runtime::types::Root;
    ///
    /// let client = Client::builder("example", "1.0.0")
    ///     .on_roots(async || Ok(vec![Root::new("file:///home/ada/project")]));
    /// # drop(client);
    /// ```
    pub fn on_roots<F>(mut self, handler: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Vec<Root>, ErrorObject>> + Send + 'static,
    {
        self.config.handlers.roots_now = Some(Arc::new(move |()| Box::pin(handler())));
        self
    }

    /// How often one call may come back with questions before it is given up; 10 times unless set.
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.config.max_rounds = rounds;
        self
    }
}
