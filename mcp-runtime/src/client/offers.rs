//! Prompts, resources and whatever else a server offers besides tools.

use mcp_types::{
    CompleteRequest, CompleteRequestParams, CompletionArgument, CompletionReference, EmptyResult,
    GetPromptRequest, GetPromptRequestParams, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, LoggingLevel, Prompt, ReadResourceRequest, ReadResourceRequestParams,
    Resource, ResourceTemplate, SetLevelRequest, SetLevelRequestParams, SubscribeRequest,
    SubscribeRequestParams, UnsubscribeRequest, UnsubscribeRequestParams,
};

use super::{Call, Client};
use crate::error::CallError;

impl Client {
    /// Every prompt that the server offers, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing.
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, CallError> {
        self.all_pages::<ListPromptsRequest>().await
    }

    /// Every resource that the server lists, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing.
    pub async fn list_resources(&self) -> Result<Vec<Resource>, CallError> {
        self.all_pages::<ListResourcesRequest>().await
    }

    /// Every template for resources that the server lists, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing.
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, CallError> {
        self.all_pages::<ListResourceTemplatesRequest>().await
    }

    /// A prompt, filled in with `arguments`; await it to send the request.
    pub fn get_prompt<K: Into<String>, V: Into<String>>(
        &self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = (K, V)>,
    ) -> Call<GetPromptRequest> {
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|(name, value)| (name, value.into()));
        self.request(GetPromptRequestParams::new(name).with_arguments(arguments))
    }

    /// What a resource contains; await it to send the request.
    pub fn read_resource(&self, uri: impl Into<String>) -> Call<ReadResourceRequest> {
        self.request(ReadResourceRequestParams::new(uri))
    }

    /// Values for the argument `name` of a prompt or template that begin like `value`; await it to
    /// send the request.
    pub fn complete(
        &self,
        reference: impl Into<CompletionReference>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Call<CompleteRequest> {
        let argument = CompletionArgument::new(name, value);
        self.request(CompleteRequestParams::new(reference, argument))
    }

    /// Asks to be notified when a resource changes, also after a reconnection. For revisions with
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
        self.memory().subscribed(uri);
        Ok(())
    }

    /// Asks no longer to be notified when a resource changes.
    ///
    /// # Errors
    ///
    /// As [`subscribe`](Self::subscribe).
    pub async fn unsubscribe(&self, uri: impl Into<String>) -> Result<(), CallError> {
        let uri = uri.into();
        self.memory().unsubscribed(&uri);
        let params = UnsubscribeRequestParams::new(uri);
        let _: EmptyResult = self.request::<UnsubscribeRequest>(params).await?;
        Ok(())
    }

    /// The least severe log messages that the server is to send, also after a reconnection. They
    /// arrive as [notifications](Self::notifications).
    ///
    /// # Errors
    ///
    /// Why a server that has to be told was not; one that reads the level from each request need
    /// not be told.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), CallError> {
        if self.connection(true).await?.agreed.meta.is_empty() {
            let params = SetLevelRequestParams::new(level.clone());
            let _: EmptyResult = self.request::<SetLevelRequest>(params).await?;
        }
        self.memory().set_log_level(level);
        Ok(())
    }
}
