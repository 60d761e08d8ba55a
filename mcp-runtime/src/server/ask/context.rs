//! What a handler asks through its context.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{ElicitationCompleteNotification, ElicitationCompleteNotificationParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::asking::Memory;
use super::required::{Answers, Asked, InputRequired};
use super::sample::{IntoConversation, Sample};
use super::{AskAll, AskError, Asking, Elicit, ListRoots, once};
use crate::error::CallError;
use crate::limits::ANSWER_TIMEOUT;
use crate::server::Context;

impl Context {
    /// Asks the user to fill in a form with the fields of `T`, which
    /// [`JsonSchema`](schemars::JsonSchema) describes.
    ///
    /// Await it for the answer. In the handshake era the handler waits. In the stateless era the
    /// call is answered with the question, the handler is dropped, and it runs again from its
    /// beginning when the client comes back: then this returns the answer at once. What must not
    /// happen twice belongs into [`once`](Self::once).
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Trip {
    ///     /// Where to go.
    ///     city: String,
    ///     /// For how many nights.
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
    ///         let trip: Trip = cx.elicit("Where do you want to go?").await?;
    ///         Ok(format!("{} nights in {}", trip.nights, trip.city))
    ///     }
    /// }
    /// ```
    ///
    /// The fields stand in the order of the struct. A form is flat: text, numbers, `bool`, enums without values, lists of such enums, and
    /// `Option`s of all these for what may be left out. Titles, bounds, formats and defaults are
    /// what schemars reads from its attributes; enums take the names of their choices from
    /// `#[schemars(title = "…")]` or from what is written about them. A type that is itself a
    /// field, such as `bool`, makes a form of that one field. A type that is no form fails when it is
    /// asked for, or before with [`#[derive(Elicit)]`](derive@crate::Elicit) or
    /// [`ServerBuilder::form`](crate::ServerBuilder::form). Follows 2026-07-28, "Elicitation".
    pub fn elicit<T>(&self, message: impl Into<String>) -> Elicit<T> {
        Elicit::form(self.clone(), message.into())
    }

    /// Asks the user to open a web page, for what the client must not see: passwords, payments,
    /// permissions. The answer says whether the user is willing, not whether it is done.
    ///
    /// For clients that declared `elicitation.url`, from 2025-11-25 on.
    pub fn elicit_url(&self, message: impl Into<String>, url: impl Into<String>) -> Elicit<()> {
        Elicit::page(self.clone(), message.into(), url.into())
    }

    /// Tells the client that what the user had to do on a web page is done
    /// ([`Elicit::id`] made the id known). Revisions without this notification are not told; over
    /// HTTP it travels with the answer to this call, so say it before the call ends.
    ///
    /// # Errors
    ///
    /// When the connection is over.
    pub fn elicitation_complete(&self, id: impl Into<String>) -> Result<(), CallError> {
        let method = mcp_types::methods::NOTIFICATIONS_ELICITATION_COMPLETE;
        if !self.revision().allows(method, mcp_types::Side::Server) {
            return Ok(());
        }
        let params = ElicitationCompleteNotificationParams::new(id);
        self.peer()
            .notify::<ElicitationCompleteNotification>(Some(&params))
    }

    /// Asks the client's language model to go on with a session: a text that the user says,
    /// or messages of both sides.
    ///
    /// Await it for the answer; what is said of [`elicit`](Self::elicit) holds here as well.
    /// Follows 2026-07-28, "Sampling", which deprecates it.
    pub fn sample(&self, session: impl IntoConversation) -> Sample {
        Sample::new(self.clone(), session.into_conversation())
    }

    /// Asks which folders and files the client wants the server to work on.
    ///
    /// Await it for the answer; what is said of [`elicit`](Self::elicit) holds here as well.
    /// Follows 2026-07-28, "Roots", which deprecates it.
    pub fn roots(&self) -> ListRoots {
        ListRoots::new(self.clone())
    }

    /// Asks several questions in one round: a tuple of two to six, such as
    /// `cx.ask_all((cx.elicit::<Name>("…"), cx.roots()))`.
    ///
    /// # Errors
    ///
    /// The first of the questions that failed; [`Elicit::outcome`] keeps a user's refusal from
    /// being a failure.
    pub async fn ask_all<Q: AskAll>(&self, questions: Q) -> Result<Q::Answers, AskError> {
        questions.ask_all().await
    }

    /// Runs `future` once, even if the handler runs several times because it asks: later runs get
    /// what came of it the first time. `key` tells it from others of the same handler.
    ///
    /// What came of it travels through the client, sealed. A client that repeats an old round
    /// makes it happen again: what must never happen twice needs a record of its own.
    ///
    /// # Errors
    ///
    /// [`AskError::Value`] when the value can't be written or read as JSON.
    pub async fn once<F>(&self, key: impl Into<String>, future: F) -> Result<F::Output, AskError>
    where
        F: Future<Output: Serialize + DeserializeOwned>,
    {
        let asking = self.asking_slot().get().cloned();
        once::once(asking, key.into(), future).await
    }

    /// Ends the call with questions that are asked by hand: return what this returns as an error.
    /// When the client has answered, the handler runs again and finds the
    /// [`answers`](Self::answers).
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::server::ask::{Elicited, InputRequired};
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
        self.asking_or_new(ANSWER_TIMEOUT).require(wanted);
        Asked(())
    }

    /// What the client answered to questions that were asked by hand.
    #[must_use]
    pub fn answers(&self) -> Answers<'_> {
        Answers {
            asking: self.asking(),
        }
    }

    /// The questions of this call, made if there were none yet.
    pub(super) fn asking_or_new(&self, patience: Duration) -> Arc<Asking> {
        let new = || Arc::new(Asking::new(patience, Memory::default()));
        Arc::clone(self.asking_slot().get_or_init(new))
    }

    pub(super) fn set_asking(&self, asking: Asking) {
        // The context was made just before, and has none.
        let _ = self.asking_slot().set(Arc::new(asking));
    }

    pub(super) fn asking(&self) -> Option<&Asking> {
        self.asking_slot().get().map(|asking| &**asking)
    }
}
