//! Answers questions of servers: on a terminal, or with `--answer`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inquire::InquireError;
use inquire::error::InquireResult;
use mcp_auth::client::browser;
use mcp_runtime::CallError;
use mcp_runtime::client::{ClientBuilder, ElicitReply, Form, Page};
use mcp_runtime::nearest::nearest;
use mcp_runtime::types::{OrderedMap, RawJson};
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

use crate::failure::{Failure, Kind};
use crate::form::{agree, fill};
use crate::output::{is_interactive, note};
use crate::progress::Progress;
use crate::schema::{Schema, exact};
use crate::tool_arguments::{Given, Input, unknown};

/// The answers to questions of the server, and the questions that were not answered.
pub(crate) struct Questions {
    answers: Vec<(String, String)>,
    /// The progress, which is hidden while a question is asked.
    pub(crate) progress: Progress,
    unanswered: Mutex<Vec<String>>,
    /// Log lines that arrived during a question, or `None` if no question is open.
    held: Mutex<Option<Vec<String>>>,
    /// Signals that the user pressed Ctrl-C at a question. The terminal sends no signal then.
    interrupted: Notify,
}

impl Questions {
    pub(crate) fn new(answers: Vec<(String, String)>) -> Arc<Self> {
        Arc::new(Self {
            answers,
            progress: Progress::default(),
            unanswered: Mutex::default(),
            held: Mutex::default(),
            interrupted: Notify::new(),
        })
    }

    pub(crate) fn answer(self: &Arc<Self>, builder: ClientBuilder) -> ClientBuilder {
        let forms = Arc::clone(self);
        let pages = Arc::clone(self);
        builder
            .on_form(move |form| {
                let questions = Arc::clone(&forms);
                async move { questions.form(form).await.unwrap_or_else(|reply| reply) }
            })
            .on_page(move |page| {
                let questions = Arc::clone(&pages);
                async move { questions.page(page).await.unwrap_or_else(|reply| reply) }
            })
    }

    /// Waits for the result of a request, during which the server may ask questions.
    ///
    /// # Errors
    ///
    /// Fails if there is no result, if a question was not answered (even if the server returned a
    /// result), or if the user pressed Ctrl-C at a question.
    pub(crate) async fn during<T>(
        &self,
        request: impl IntoFuture<Output = Result<T, CallError>>,
    ) -> Result<T, Failure> {
        let result = tokio::select! {
            result = request.into_future() => Some(result),
            () = self.interrupted.notified() => None,
            never = self.progress.draw() => match never {},
        };
        let result = result.ok_or_else(Failure::cancelled)?;
        let list = lock(&self.unanswered).join("\n  ");
        if list.is_empty() {
            return Ok(result?);
        }
        let message = format!("the server asked, and got no answer:\n  {list}");
        Err(Failure::new(Kind::InputRequired, message))
    }

    /// Cancels a question that can't be answered, and remembers it.
    fn cancelled(&self, question: String) -> ElicitReply {
        lock(&self.unanswered).push(question);
        ElicitReply::cancel()
    }

    /// Writes a line of the server's log, or keeps it until the open question is answered.
    pub(crate) fn log(&self, line: String) {
        match &mut *lock(&self.held) {
            Some(lines) => lines.push(line),
            None => self.progress.log(&line),
        }
    }

    /// Asks the user, who may decline (`None`). Returns the reply as an error if there is no
    /// answer.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce() -> InquireResult<Option<T>> + Send + 'static,
    ) -> Result<T, ElicitReply> {
        self.progress.pause(true);
        lock(&self.held).get_or_insert_default();
        let answer = spawn_blocking(question).await;
        let held = lock(&self.held).take();
        held.iter().flatten().for_each(|line| note(line));
        self.progress.pause(false);
        match answer {
            Ok(Ok(Some(answer))) => return Ok(answer),
            Ok(Ok(None)) => return Err(ElicitReply::decline()),
            Ok(Err(InquireError::OperationInterrupted)) => self.interrupted.notify_one(),
            _ => {}
        }
        Err(ElicitReply::cancel())
    }

    async fn form(&self, form: Form) -> Result<ElicitReply, ElicitReply> {
        let document = serde_json::to_value(form.schema()).unwrap_or_default();
        let schema = Schema::new(&document);
        let (content, mut faults) = self.given(&schema);
        let suggested = form.suggestions();
        let mut open = schema.names();
        open.retain(|it| !content.contains_key(*it));
        let is_missing = |it| open.contains(&it) && !suggested.contains_key(it);
        let is_answered = !self.answers.is_empty() && faults.is_empty();
        let is_answered = is_answered && !schema.required().into_iter().any(is_missing);
        if is_answered {
            match form.check(&content) {
                Ok(()) => return Ok(form.accept(content)),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() && !is_interactive() {
            faults.extend(open.iter().map(|it| format!("--answer {it}=…")));
        }
        if !faults.is_empty() || !is_interactive() {
            let question = format!("“{}”: {}", form.message(), faults.join(" "));
            return Err(self.cancelled(question));
        }
        let asked = form.clone();
        let content = self.ask(move || fill(&asked, &document, content)).await?;
        Ok(form.accept(content))
    }

    /// The fields of a form that `--answer` fills in, and the mistakes in the answers.
    fn given(&self, schema: &Schema<'_>) -> (Map<String, Value>, Vec<String>) {
        let mut content = Map::new();
        let mut given = Given::new();
        let mut faults = Vec::new();
        let names = schema.names();
        for (key, text) in &self.answers {
            let text = Input::Text(text.clone());
            if names.contains(&&**key) {
                faults.extend(given.add(schema, key, text).err());
            } else if nearest(key, names.clone()).is_some() {
                // Other answers may belong to another form.
                faults.push(unknown(key, key, &names));
            }
        }
        let values = given.read(schema, "", &mut faults);
        let values = values.and_then(|it| it.parse::<OrderedMap<RawJson>>().ok());
        for (name, value) in values.unwrap_or_default() {
            let field = schema.member(&name).into_iter();
            faults.extend(field.flat_map(|it| it.check(&value, &name)));
            match exact(&value) {
                Ok(value) => drop(content.insert(name, value)),
                Err(fault) => faults.push((name, fault)),
            }
        }
        let text = |(field, fault)| format!("--answer: `{field}` {fault}");
        (content, faults.into_iter().map(text).collect())
    }

    async fn page(&self, page: Page) -> Result<ElicitReply, ElicitReply> {
        let message = page.message().to_owned();
        let url = page.url().to_owned();
        if !browser::is_allowed(&url) {
            let reason =
                "only URLs with `https` or on this machine are opened, and none with a user name";
            return Err(self.cancelled(format!("{url} is not opened: {reason}")));
        }
        if !is_interactive() {
            return Err(self.cancelled(format!("“{message}”: open {url}")));
        }
        let host = url.split('/').nth(2).unwrap_or_default().to_owned();
        let asked = url.clone();
        self.ask(move || {
            note(&format!("{message}\n{asked}"));
            let question = format!("Open this page of {host}?");
            Ok(agree(&question, ["Yes", "No"])?.then_some(()))
        })
        .await?;
        let opened = browser::open(&url).await;
        opened.map_err(|error| self.cancelled(format!("{url} can't be opened: {error}")))?;
        Ok(page.accept())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_log_waits_for_the_end_of_a_question() {
        let questions = Questions::new(Vec::new());
        let asked = Arc::clone(&questions);
        let held = questions.ask(move || {
            asked.log("a line".to_owned());
            Ok(lock(&asked.held).clone())
        });
        assert_eq!(held.await.unwrap(), ["a line"]);
        assert_eq!(*lock(&questions.held), None);
    }
}
