//! Calls that take several rounds (2026-07-28, "Multi Round-Trip Requests").

use mcp_types::{InputRequiredResult, OrderedMap, RawJson, Revision};
use serde::Serialize;

use super::Handlers;
use crate::error::CallError;
use crate::join_all::join_all;

/// What a call says beside its parameters when it is sent once more: the answers, and the server's
/// state as it came.
#[derive(Debug, Serialize)]
pub(in crate::client) struct Retry {
    #[serde(rename = "inputResponses", skip_serializing_if = "Option::is_none")]
    responses: Option<OrderedMap<RawJson>>,
    #[serde(rename = "requestState", skip_serializing_if = "Option::is_none")]
    state: Option<String>,
}

impl Retry {
    /// Finds the answers that a server wants, all at the same time.
    ///
    /// # Errors
    ///
    /// When nobody answers such a question, or who does fails.
    pub(in crate::client) async fn answering(
        handlers: &Handlers,
        method: &'static str,
        wanted: InputRequiredResult,
        revision: Revision,
    ) -> Result<Self, CallError> {
        let Some(requests) = &wanted.input_requests else {
            return Ok(Self {
                responses: None,
                state: wanted.request_state,
            });
        };
        let answering: Option<Vec<_>> = requests
            .values()
            .map(|request| handlers.answer(request.clone(), revision))
            .collect();
        let Some(answering) = answering else {
            return Err(CallError::InputRequired {
                method: method.to_owned(),
                wanted: Box::new(wanted),
            });
        };
        let answers = join_all(answering).await;
        let mut responses = OrderedMap::new();
        for (name, answer) in requests.keys().zip(answers) {
            let answer = answer.map_err(|error| CallError::Unanswered {
                method: method.to_owned(),
                error,
            })?;
            responses.insert(name.clone(), answer);
        }
        Ok(Self {
            responses: Some(responses),
            state: wanted.request_state,
        })
    }
}
