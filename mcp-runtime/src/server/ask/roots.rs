//! Asking which folders and files the client wants the server to work on.

use std::future::IntoFuture;

use mcp_types::{InputRequest, ListRootsResult, RawJson, Root};

use super::AskError;
use super::common::{Ask, answer, private};
use super::question::Question;
use crate::connection::BoxFuture;
use crate::server::Context;

/// A question for the client's roots; await it to ask. Made by [`Context::roots`].
#[must_use = "nothing is asked until this is awaited"]
#[derive(Clone, Debug)]
pub struct ListRoots {
    cx: Context,
    key: Option<String>,
}

impl ListRoots {
    pub(super) fn new(cx: Context) -> Self {
        Self { cx, key: None }
    }

    /// Names the question, for clients that look at the names.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl private::Sealed for ListRoots {}

impl Ask for ListRoots {
    type Answer = Vec<Root>;

    fn question(&self) -> Result<Question, AskError> {
        Ok(Question {
            key: self.key.clone(),
            ..Question::new(InputRequest::ListRoots(None))
        })
    }

    fn read(&self, answer: &RawJson) -> Result<Vec<Root>, AskError> {
        read(answer)
    }
}

pub(super) fn read(answer: &RawJson) -> Result<Vec<Root>, AskError> {
    let result: serde_json::Result<ListRootsResult> = answer.parse();
    result
        .map(|result| result.roots)
        .map_err(|fault| AskError::Answer(fault.to_string()))
}

impl IntoFuture for ListRoots {
    type Output = Result<Vec<Root>, AskError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let cx = self.cx.clone();
        answer(self, cx)
    }
}
