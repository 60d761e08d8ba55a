//! Tools of a server: listing and calling them.

use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::time::Duration;

use mcp_types::{
    CallToolRequest, CallToolRequestParams, ListToolsRequest, ProgressNotificationParams, RawJson,
    Tool,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::output::typed;
use super::{Call, Client};
use crate::connection::BoxFuture;
use crate::error::CallError;

impl Client {
    /// Every tool that the server offers, all pages of the list together.
    ///
    /// # Errors
    ///
    /// Why a page is missing; [`CallError::Result`] when the list has more pages than
    /// [`max_pages`](super::ClientBuilder::max_pages).
    pub async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        let tools = self.all_pages::<ListToolsRequest>().await?;
        self.memory().learn(&tools);
        Ok(tools)
    }

    /// What the server said of a tool when tools were last listed on this connection.
    #[must_use]
    pub fn known_tool(&self, name: &str) -> Option<Tool> {
        self.memory().tool(name)
    }

    /// Calls a tool; await it to send it. `arguments` must serialise to an object, or to nothing
    /// (`()`, `None`) for a tool that takes none.
    ///
    /// A tool that fails has a result as well, with `is_error` set, for the model to read;
    /// [`call`](Self::call) turns it into an error.
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<CallToolRequest> {
        let name = name.into();
        let repeatable = self.memory().is_repeatable(&name);
        let params = RawJson::new(&arguments).map(|arguments| {
            let params = CallToolRequestParams::new(name);
            match arguments.get() {
                "null" => params,
                _ => params.with_arguments(arguments),
            }
        });
        Call::new(self, params).repeatable(repeatable)
    }

    /// Calls a tool and decodes what it returns; await it to send it.
    ///
    /// The value comes from the structured content, or from the text of a tool that has none.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let sum: i64 = client.call("add", serde_json::json!({"a": 2, "b": 3})).await?;
    /// assert_eq!(sum, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<Out: DeserializeOwned>(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> TypedCall<Out> {
        TypedCall {
            call: self.call_tool(name, arguments),
            output: PhantomData,
        }
    }
}

/// A call of a tool whose result is decoded; await it to send it.
#[must_use = "nothing is sent until this is awaited"]
pub struct TypedCall<Out> {
    call: Call<CallToolRequest>,
    output: PhantomData<fn() -> Out>,
}

impl<Out> TypedCall<Out> {
    /// How long to wait for the answer, in all; see [`Call::timeout`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.call = self.call.timeout(timeout);
        self
    }

    /// The call may be sent again when the connection is lost before its answer came, or may not;
    /// see [`Call::repeatable`].
    pub fn repeatable(mut self, repeatable: bool) -> Self {
        self.call = self.call.repeatable(repeatable);
        self
    }

    /// Fails at once while the connection is being restored, instead of waiting for it.
    pub fn fail_fast(mut self) -> Self {
        self.call = self.call.fail_fast();
        self
    }

    /// Asks for news of progress, and calls `observer` with each.
    pub fn on_progress(
        mut self,
        observer: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.call = self.call.on_progress(observer);
        self
    }
}

impl<Out: DeserializeOwned + 'static> IntoFuture for TypedCall<Out> {
    /// [`CallError::Tool`] when the tool reports an error.
    type Output = Result<Out, CallError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { typed(&self.call.await?) })
    }
}

impl<Out> fmt::Debug for TypedCall<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt(f)
    }
}
