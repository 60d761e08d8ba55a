//! Roots: asking which folders and files the client wants the server to work on.

use std::future::IntoFuture;

use mcp_types::{InputRequest, ListRootsResult, RawJson, Root};

use super::ask::{Question, answer};
use super::{Ask, AskError};
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
    /// Names the question, see [`Elicit::key`](super::Elicit::key).
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl Ask for ListRoots {
    type Answer = Vec<Root>;

    fn context(&self) -> &Context {
        &self.cx
    }

    fn question(&self) -> Result<Question, AskError> {
        Ok(Question {
            request: InputRequest::ListRoots(None),
            key: self.key.clone(),
            timeout: None,
        })
    }

    fn read(&self, answer: &RawJson) -> Result<Vec<Root>, AskError> {
        read(answer)
    }
}

pub(super) fn read(answer: &RawJson) -> Result<Vec<Root>, AskError> {
    let result = answer.parse().map(|result: ListRootsResult| result.roots);
    result.map_err(|error| AskError::misfit(&error))
}

impl IntoFuture for ListRoots {
    type Output = Result<Vec<Root>, AskError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        answer(self)
    }
}

impl Context {
    /// Asks which folders and files the client wants the server to work on.
    ///
    /// Await it for the answer, as with [`elicit`](Self::elicit). Follows 2026-07-28, "Roots", which deprecates it.
    pub fn roots(&self) -> ListRoots {
        ListRoots {
            cx: self.clone(),
            key: None,
        }
    }
}
