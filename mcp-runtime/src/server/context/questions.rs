//! Questions that a handler asks the client during a call.

use mcp_types::{
    ElicitSchema, ElicitationCompleteNotification, ElicitationCompleteNotificationParams, RawJson,
    Side, methods,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Context;
use crate::deprecations;
use crate::error::CallError;
use crate::server::input::{
    Answers, AskAll, AskError, Asked, ElicitForm, Elicitation, ElicitationRequest, InputRequired,
    IntoConversation, ListRoots, Question, RootsRequest, Sample, SamplingRequest,
};

impl Context {
    /// Asks the user to fill in a form with the fields of `T`.
    ///
    /// Use this for questions that depend on what the handler has found out. For other questions,
    /// prefer a [parameter](macro@crate::tool) such as `#[elicit("…")] trip: Trip`: it is asked
    /// before the function runs, so the function runs only once in every era.
    ///
    /// Await it for the answer. In the handshake era, the handler waits. In the stateless era, the
    /// call is answered with the question and the handler is dropped. When the client retries, the
    /// handler runs again from its beginning, and this returns the answer immediately. Code before
    /// the question therefore runs again, unless it is wrapped in [`once`](Self::once). Debug
    /// builds log a handler that waited for something else before it asked.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema, Elicit)]
    /// struct Trip {
    ///     /// Destination of the trip.
    ///     city: String,
    ///     /// Number of nights.
    ///     #[schemars(range(min = 1, max = 30))]
    ///     nights: u8,
    /// }
    ///
    /// struct Agency;
    ///
    /// #[mcp_server]
    /// impl Agency {
    ///     /// Books a trip.
    ///     #[tool]
    ///     async fn book(&self, cx: &Context) -> Result<String, ToolError> {
    ///         // Runs once, although the function runs again when the user has answered.
    ///         let offer = cx.once("offer", async { "Oslo".to_owned() }).await?;
    ///         let trip: Trip = cx.elicit(format!("{offer} is cheap. Where to?")).await?;
    ///         Ok(format!("{} nights in {}", trip.nights, trip.city))
    ///     }
    /// }
    /// ```
    ///
    /// `T` is a string, a number, `bool`, or a struct or enum with
    /// [`#[derive(Elicit)]`](derive@crate::Elicit), whose docs list the possible fields and
    /// formats. A type that is not a struct makes a form with one field, which is called `answer`
    /// unless [`field`](Elicitation::field) renames it. See 2026-07-28, "Elicitation".
    pub fn elicit<T: ElicitForm>(&self, message: impl Into<String>) -> Elicitation<T> {
        Question::new(self, ElicitationRequest::form(message.into()))
    }

    /// Asks the user to fill in a form that is known only at run time. `T` is decoded from the
    /// whole content, and may be a map.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::types::ElicitSchema;
    /// use serde_json::json;
    ///
    /// async fn rate(topic: &str, cx: &Context) -> Result<Option<u8>, ToolError> {
    ///     let stars = json!({"type": "integer", "minimum": 1, "maximum": 5});
    ///     let form = json!({"type": "object", "properties": {topic: stars}});
    ///     let form: ElicitSchema = serde_json::from_value(form)?;
    ///     let ratings: BTreeMap<String, u8> = cx.elicit_schema("How was it?", form).await?;
    ///     Ok(ratings.get(topic).copied())
    /// }
    /// ```
    pub fn elicit_schema<T: DeserializeOwned>(
        &self,
        message: impl Into<String>,
        form: ElicitSchema,
    ) -> Elicitation<T> {
        Question::new(self, ElicitationRequest::schema(message.into(), form))
    }

    /// Asks the user to open a web page, for data that the client must not see, such as passwords,
    /// payments and permissions.
    ///
    /// An answer that accepts means that the user agreed to open the page, not that the interaction
    /// there is done. This needs a client that declared `elicitation.url`, which exists since
    /// 2025-11-25. As with [`elicit`](Self::elicit), code before the question runs again in the
    /// stateless era.
    pub fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Elicitation<()> {
        Question::new(self, ElicitationRequest::url(message.into(), url.into()))
    }

    /// Notifies the client that the interaction on the web page with this [id](Elicitation::id) is
    /// done.
    ///
    /// In revisions without this notification, it does nothing. Over HTTP, the notification is part
    /// of the response to this call, so send it before the call ends.
    ///
    /// # Errors
    ///
    /// When the connection has ended.
    pub fn elicitation_complete(&self, id: impl Into<String>) -> Result<(), CallError> {
        let method = methods::NOTIFICATIONS_ELICITATION_COMPLETE;
        if !self.revision().allows(method, Side::Server) {
            return Ok(());
        }
        let params = ElicitationCompleteNotificationParams::new(id);
        self.peer()
            .notify::<ElicitationCompleteNotification>(Some(&params))
    }

    /// Asks the client's language model to continue a conversation: the text of one user message,
    /// or a list of messages.
    ///
    /// Await it for the answer, as with [`elicit`](Self::elicit). Sampling is deprecated since
    /// 2026-07-28 (section "Sampling").
    #[deprecated(
        note = "sampling is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                call the API of a model provider"
    )]
    pub fn sample(&self, conversation: impl IntoConversation) -> Sample {
        deprecations::SAMPLING.warn();
        Question::new(self, SamplingRequest::new(conversation))
    }

    /// Requests the roots: the folders and files that the server may work on.
    ///
    /// Await it for the answer, as with [`elicit`](Self::elicit). Roots are deprecated since
    /// 2026-07-28 (section "Roots").
    #[deprecated(
        note = "roots are deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                use arguments, resource URIs or the configuration of the server"
    )]
    pub fn roots(&self) -> ListRoots {
        deprecations::ROOTS.warn();
        Question::new(self, RootsRequest::new())
    }

    /// Asks up to six questions in one round. Pass them as a tuple, such as
    /// `cx.ask_all((cx.elicit::<Name>("…"), cx.roots()))`.
    ///
    /// # Errors
    ///
    /// The error of the first question that fails. A user who declines is such an error, unless the
    /// question was made by [`Elicitation::outcome`](Elicitation::outcome).
    pub async fn ask_all<Q: AskAll>(&self, questions: Q) -> Result<Q::Answers, AskError> {
        questions.ask_all().await
    }

    /// Runs `future` only once, although the handler runs again after each question. Later runs get
    /// the output of the first run.
    ///
    /// `key` identifies the output among the others of the same handler. The output is part of the
    /// sealed state that the client sends back. A client that repeats an old round can make
    /// `future` run again; if this is unacceptable, keep a record in the server.
    ///
    /// # Errors
    ///
    /// [`AskError::Value`] when the value can't be serialized to JSON or deserialized from it.
    pub async fn once<F>(&self, key: impl Into<String>, future: F) -> Result<F::Output, AskError>
    where
        F: Future<Output: Serialize + DeserializeOwned>,
    {
        let key = key.into();
        if let Some(kept) = self.detached().and_then(|call| call.kept(&key)) {
            return kept.parse().map_err(AskError::Value);
        }
        let value = match self.input() {
            Some(input) => input.once(key.clone(), future).await?,
            // A call that can't be suspended runs only once anyway.
            None => future.await,
        };
        if let Some(call) = self.detached() {
            let json = RawJson::new(&value).map_err(AskError::Value)?;
            call.keep(&key, &json).await.map_err(CallError::Rpc)?;
        }
        Ok(value)
    }

    /// Ends the call with questions that the handler does not await. Return the result as an error.
    ///
    /// When the client has answered, the handler runs again and finds the
    /// [`answers`](Self::answers).
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::input::{Elicited, InputRequired};
    ///
    /// # struct Library;
    /// # #[mcp_server]
    /// # impl Library {
    /// /// Greets the user.
    /// #[tool]
    /// fn greet(&self, cx: &Context) -> Result<String, ToolError> {
    ///     match cx.answers().elicited::<String>("name") {
    ///         Some(answer) => Ok(format!("Hello, {}!", answer?.accepted()?)),
    ///         None => {
    ///             let question = cx.elicit::<String>("What is your name?");
    ///             Err(cx.require(InputRequired::new().ask("name", question)))?
    ///         }
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use = "return it as an error"]
    pub fn require(&self, wanted: InputRequired) -> Asked {
        wanted.require(self.input_or_default())
    }

    /// The client's answers to the questions of [`require`](Self::require).
    #[must_use]
    pub fn answers(&self) -> Answers<'_> {
        Answers::of(self.input())
    }
}
