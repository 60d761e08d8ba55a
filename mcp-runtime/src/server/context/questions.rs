//! Questions to the client, which are asked from inside a handler.

use mcp_types::{
    ElicitSchema, ElicitationCompleteNotification, ElicitationCompleteNotificationParams, RawJson,
    Side, methods,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Context;
use crate::error::CallError;
use crate::server::input::{
    Answers, AskAll, AskError, Asked, ElicitForm, Elicitation, ElicitationRequest, InputRequired,
    IntoConversation, ListRoots, Question, RootsRequest, Sample, SamplingRequest,
};

impl Context {
    /// Asks the user to fill in a form with the fields of `T`, for questions that depend on what the
    /// handler has found out. A question that does not is better a
    /// [parameter](macro@crate::tool), `#[elicit("…")] trip: Trip`: it is asked before the function
    /// is entered, which runs once in every era.
    ///
    /// Await it for the answer. In the handshake era the handler waits. In the stateless era the
    /// call is answered with the question, the handler is dropped, and it runs again from its
    /// beginning when the client retries: then this returns the answer at once. What goes before it
    /// runs again; [`once`](Self::once) keeps it to one time. In debug builds, a handler that waited
    /// for something else before it asked is logged.
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
    /// `T` is a struct or enum under [`#[derive(Elicit)]`](derive@crate::Elicit), text, a number or
    /// `bool`; what a form can have as fields, and their formats, is said there. A type that is no
    /// struct makes a form of one field, `answer` unless [`field`](Elicitation::field) names it.
    /// Follows 2026-07-28, "Elicitation".
    pub fn elicit<T: ElicitForm>(&self, message: impl Into<String>) -> Elicitation<T> {
        Question::new(self, ElicitationRequest::form(message.into()))
    }

    /// Asks the user to fill in a form that is known only at run time. `T` is decoded from the whole
    /// content, and may be a map.
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

    /// Asks the user to open a web page, for data that the client must not see: passwords,
    /// payments, permissions. Accepting means that the user is willing, not that it is done.
    ///
    /// For clients that declared `elicitation.url`, from 2025-11-25 on. As with
    /// [`elicit`](Self::elicit), what goes before it runs again in the stateless era.
    pub fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Elicitation<()> {
        Question::new(self, ElicitationRequest::url(message.into(), url.into()))
    }

    /// Notifies the client that the interaction on a web page with this [id](Elicitation::id) is done,
    /// in revisions that have the notification. Over HTTP it is sent with the answer to this call,
    /// so only before the call ends.
    ///
    /// # Errors
    ///
    /// When the connection is over.
    pub fn elicitation_complete(&self, id: impl Into<String>) -> Result<(), CallError> {
        let method = methods::NOTIFICATIONS_ELICITATION_COMPLETE;
        if !self.revision().allows(method, Side::Server) {
            return Ok(());
        }
        let params = ElicitationCompleteNotificationParams::new(id);
        self.peer()
            .notify::<ElicitationCompleteNotification>(Some(&params))
    }

    /// Asks the client's language model to continue a conversation: a text of the user, or messages
    /// of both sides.
    ///
    /// Await it for the answer, as with [`elicit`](Self::elicit). Follows 2026-07-28, "Sampling",
    /// which deprecates it.
    pub fn sample(&self, conversation: impl IntoConversation) -> Sample {
        Question::new(self, SamplingRequest::new(conversation))
    }

    /// Requests the folders and files that the server may work on.
    ///
    /// Await it for the answer, as with [`elicit`](Self::elicit). Follows 2026-07-28, "Roots",
    /// which deprecates it.
    pub fn roots(&self) -> ListRoots {
        Question::new(self, RootsRequest::new())
    }

    /// Asks several questions in one round: a tuple of up to six, such as
    /// `cx.ask_all((cx.elicit::<Name>("…"), cx.roots()))`.
    ///
    /// # Errors
    ///
    /// The first of the questions that failed; with [`Elicitation::outcome`](Elicitation::outcome) it
    /// is no failure that the user declines.
    pub async fn ask_all<Q: AskAll>(&self, questions: Q) -> Result<Q::Answers, AskError> {
        questions.ask_all().await
    }

    /// Runs `future` once, even if the handler runs again after each question: later runs get the
    /// first output. `key` identifies it among others of the same handler.
    ///
    /// The output is part of the sealed state that the client sends back. A client that repeats an
    /// old round runs `future` again: if that is unacceptable, the server must keep a record.
    ///
    /// # Errors
    ///
    /// [`AskError::Value`] when the value can't be written or read as JSON.
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
            // A call that can't be suspended runs once.
            None => future.await,
        };
        if let Some(call) = self.detached() {
            let json = RawJson::new(&value).map_err(AskError::Value)?;
            call.keep(&key, &json).await.map_err(CallError::Rpc)?;
        }
        Ok(value)
    }

    /// Ends the call with questions that are asked by hand: return the result as an error.
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

    /// The client's answers to questions that were asked by hand.
    #[must_use]
    pub fn answers(&self) -> Answers<'_> {
        Answers::of(self.input())
    }
}
