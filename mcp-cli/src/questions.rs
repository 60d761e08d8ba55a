//! Questions of servers: asked on a terminal, or answered by `--answer`.

use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::ProgressBar;
use inquire::validator::{ErrorMessage, Validation};
use inquire::{InquireError, MultiSelect, Select, Text};
use mcp_auth::client::browser;
use mcp_runtime::CallError;
use mcp_runtime::client::{ClientBuilder, ElicitReply, Form, Page};
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

use crate::failure::{Failure, Kind};
use crate::output::{note, visible};
use crate::schema::Schema;
use crate::session::Session;

/// How questions are answered, and which were not.
pub(crate) struct Questions {
    answers: Vec<(String, String)>,
    is_terminal: bool,
    /// Hidden while a question is asked.
    pub(crate) bar: ProgressBar,
    unanswered: Mutex<Vec<String>>,
    /// A person has pressed Ctrl-C at a question, which the terminal hands to nobody else then.
    interrupted: Notify,
}

/// The way in which a person leaves a question.
enum Left {
    Declined,
    Cancelled,
    Interrupted,
}

impl From<InquireError> for Left {
    fn from(error: InquireError) -> Self {
        match error {
            InquireError::OperationInterrupted => Self::Interrupted,
            _ => Self::Cancelled,
        }
    }
}

impl Questions {
    /// Questions with answers for the fields of forms.
    pub(crate) fn new(answers: Vec<(String, String)>) -> Arc<Self> {
        Arc::new(Self {
            answers,
            is_terminal: io::stdin().is_terminal() && io::stderr().is_terminal(),
            bar: ProgressBar::hidden(),
            unanswered: Mutex::default(),
            interrupted: Notify::new(),
        })
    }

    /// Lets a client answer questions.
    pub(crate) fn answer(self: &Arc<Self>, builder: ClientBuilder) -> ClientBuilder {
        let (forms, pages) = (Arc::clone(self), Arc::clone(self));
        builder
            .on_form(move |form| {
                let questions = Arc::clone(&forms);
                async move { questions.form(form).await }
            })
            .on_page(move |page| {
                let questions = Arc::clone(&pages);
                async move { questions.page(page).await }
            })
    }

    /// Waits for the result of a call, in which the server may ask.
    ///
    /// # Errors
    ///
    /// Why there is no result; a question that nobody answered, whatever the server made of it; or that
    /// a person has pressed Ctrl-C at one.
    pub(crate) async fn during<T>(
        &self,
        session: &Session,
        call: impl IntoFuture<Output = Result<T, CallError>>,
    ) -> Result<T, Failure> {
        let result = tokio::select! {
            result = call.into_future() => result,
            () = self.interrupted.notified() => {
                return Err(Failure::new(Kind::Cancelled, "cancelled"));
            }
        };
        self.bar.finish_and_clear();
        let unanswered = self
            .unanswered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !unanswered.is_empty() {
            let list = unanswered.join("\n  ");
            let message = format!("the server asks, and got no answer:\n  {list}");
            return Err(Failure::new(Kind::InputRequired, message));
        }
        result.map_err(|error| session.failure(error))
    }

    /// The reply of a person who has left a question.
    fn left(&self, left: &Left) -> ElicitReply {
        match left {
            Left::Declined => ElicitReply::decline(),
            Left::Cancelled => ElicitReply::cancel(),
            Left::Interrupted => {
                self.interrupted.notify_one();
                ElicitReply::cancel()
            }
        }
    }

    fn cancelled(&self, question: String) -> ElicitReply {
        let mut unanswered = self
            .unanswered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        unanswered.push(question);
        ElicitReply::cancel()
    }

    async fn form(&self, form: Form) -> ElicitReply {
        let fields = Field::all(&form);
        let mut content = Map::new();
        let mut faults = Vec::new();
        for field in &fields {
            let given: Vec<_> = self
                .answers
                .iter()
                .filter(|(key, _)| *key == field.name)
                .collect();
            match field.read_all(given.iter().map(|(_, value)| value.as_str())) {
                Ok(Some(value)) => drop(content.insert(field.name.clone(), value)),
                Ok(None) => {}
                Err(fault) => faults.push(format!("--answer: `{}` {fault}", field.name)),
            }
        }
        let open: Vec<_> = fields
            .into_iter()
            .filter(|it| !content.contains_key(&it.name))
            .collect();
        let missing: Vec<_> = open
            .iter()
            .filter(|it| it.is_required && it.default.is_none())
            .collect();
        let is_answered = !self.answers.is_empty() && missing.is_empty();
        if faults.is_empty() && is_answered {
            return match form.check(&content) {
                Ok(()) => form.accept(content),
                Err(fault) => self.cancelled(format!("“{}”: {fault}", form.message())),
            };
        }
        if !faults.is_empty() || !self.is_terminal {
            let names = open.iter().map(|it| format!("--answer {}=…", it.name));
            let names = names.chain(faults).collect::<Vec<_>>().join(" ");
            return self.cancelled(format!("“{}”: {names}", form.message()));
        }
        self.bar.finish_and_clear();
        let asked = form.clone();
        let filled = spawn_blocking(move || fill(&asked, open, content)).await;
        match filled {
            Ok(Ok(content)) => form.accept(content),
            Ok(Err(left)) => self.left(&left),
            Err(_) => form.cancel(),
        }
    }

    async fn page(&self, page: Page) -> ElicitReply {
        if !browser::is_allowed(page.url()) {
            let url = page.url();
            let reason = format!(
                "{url} is not opened: it is neither `https` nor on this machine, or has a user name"
            );
            return self.cancelled(reason);
        }
        if !self.is_terminal {
            return self.cancelled(format!("“{}”: open {}", page.message(), page.url()));
        }
        self.bar.finish_and_clear();
        let (message, url) = (page.message().to_owned(), page.url().to_owned());
        match spawn_blocking(move || confirm(&message, &url)).await {
            Ok(Ok(())) => match browser::open(page.url()).await {
                Ok(()) => page.accept(),
                Err(error) => self.cancelled(format!("{} can't be opened: {error}", page.url())),
            },
            Ok(Err(left)) => self.left(&left),
            Err(_) => page.cancel(),
        }
    }
}

/// Asks whether a page is to be opened.
fn confirm(message: &str, url: &str) -> Result<(), Left> {
    note(message);
    note(url);
    let authority = url.split('/').nth(2).unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    agree(
        &format!("Open this page of {}?", visible(host, true)),
        "Open",
    )
}

/// Asks whether a person does what the server wants.
fn agree(question: &str, agreement: &str) -> Result<(), Left> {
    const DECLINE: &str = "Decline";
    match Select::new(question, vec![agreement, DECLINE, "Cancel"]).prompt() {
        Ok(way) if way == agreement => Ok(()),
        Ok(DECLINE) => Err(Left::Declined),
        Ok(_) => Err(Left::Cancelled),
        Err(error) => Err(error.into()),
    }
}

/// A field of a form.
#[derive(Clone)]
struct Field {
    name: String,
    label: String,
    help: Option<String>,
    is_required: bool,
    default: Option<Value>,
    schema: Value,
}

impl Field {
    fn all(form: &Form) -> Vec<Self> {
        let required = form.schema().required.as_deref().unwrap_or_default();
        let field = |(name, field): (&String, _)| {
            let schema = serde_json::to_value(field).unwrap_or_default();
            let text = |member| schema.get(member).and_then(Value::as_str);
            let text = |member| text(member).map(|it| visible(it, true).into_owned());
            Self {
                label: text("title").unwrap_or_else(|| visible(name, true).into_owned()),
                help: text("description"),
                is_required: required.iter().any(|it| it == name),
                default: schema.get("default").filter(|it| !it.is_null()).cloned(),
                name: name.clone(),
                schema,
            }
        };
        form.schema().properties.iter().map(field).collect()
    }

    /// The values of an enumeration with their titles.
    fn choices(schema: &Value) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let titled = ["oneOf", "anyOf"]
            .into_iter()
            .find_map(|it| schema.get(it)?.as_array());
        if let Some(options) = titled {
            let option = |it: &Value| Some((text(it.get("const")?)?, text(it.get("title")?)?));
            return options.iter().filter_map(option).collect();
        }
        let values = schema.get("enum").and_then(Value::as_array);
        let names = schema.get("enumNames").and_then(Value::as_array);
        let values = values.into_iter().flatten().enumerate();
        let choice = |(index, value): (usize, &Value)| {
            let name = names.and_then(|it| it.get(index)).and_then(text);
            Some((text(value)?, name.or_else(|| text(value))?))
        };
        values.filter_map(choice).collect()
    }

    /// The value that texts stand for; none if there are none.
    fn read_all<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Result<Option<Value>, String> {
        let schema = Schema::new(&self.schema);
        let mut values = texts.map(|text| schema.read(text));
        let Some(first) = values.next().transpose()? else {
            return Ok(None);
        };
        let value = values.try_fold(first, |value, next| match (value, next?) {
            (Value::Array(mut list), Value::Array(more)) => {
                list.extend(more);
                Ok(Value::Array(list))
            }
            _ => Err("is given twice, and is no list".to_owned()),
        })?;
        let mut faults = Vec::new();
        schema.check(&value, &self.name, &mut faults);
        match faults.pop() {
            Some(fault) => Err(fault
                .split_once("` ")
                .map_or(String::new(), |it| it.1.to_owned())),
            None => Ok(Some(value)),
        }
    }

    /// Asks a person; none if the field is left empty.
    fn ask(&self) -> Result<Option<Value>, InquireError> {
        let items = self.schema.get("items");
        let choices = Self::choices(items.unwrap_or(&self.schema));
        let titles: Vec<_> = choices
            .iter()
            .map(|it| visible(&it.1, true).into_owned())
            .collect();
        let value = |index: usize| Value::from(choices[index].0.as_str());
        let position = |it: &Value| choices.iter().position(|(value, _)| *it == **value);
        if items.is_some() {
            let defaults = self.default.as_ref().and_then(Value::as_array);
            let defaults: Vec<_> = defaults
                .into_iter()
                .flatten()
                .filter_map(position)
                .collect();
            let mut question = MultiSelect::new(&self.label, titles).with_default(&defaults);
            question.help_message = self.help.as_deref().or(question.help_message);
            let chosen = question.raw_prompt()?;
            return Ok(Some(chosen.iter().map(|it| value(it.index)).collect()));
        }
        if !choices.is_empty() {
            let chosen = self.ask_choice(titles, self.default.as_ref().and_then(position))?;
            return Ok(chosen.map(value));
        }
        if self.schema.get("type") == Some(&Value::from("boolean")) {
            let default = self.default.as_ref().and_then(Value::as_bool);
            let titles = ["yes", "no"].map(str::to_owned).to_vec();
            let chosen = self.ask_choice(titles, default.map(|it| usize::from(!it)))?;
            return Ok(chosen.map(|index| Value::from(index == 0)));
        }
        self.ask_text()
    }

    /// Asks for one of several choices, by its index; none if the field is left out.
    fn ask_choice(
        &self,
        mut titles: Vec<String>,
        default: Option<usize>,
    ) -> Result<Option<usize>, InquireError> {
        let count = titles.len();
        if !self.is_required && default.is_none() {
            titles.push("(leave out)".to_owned());
        }
        // Without a default, what may be left out is.
        let first = default.unwrap_or(if self.is_required { 0 } else { count });
        let mut question = Select::new(&self.label, titles).with_starting_cursor(first);
        question.help_message = self.help.as_deref().or(question.help_message);
        let index = question.raw_prompt()?.index;
        Ok((index < count).then_some(index))
    }

    fn ask_text(&self) -> Result<Option<Value>, InquireError> {
        let default = self.default.as_ref().map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let field = self.clone();
        let check = move |text: &str| {
            let fault = match text.is_empty() {
                true if field.is_required => Some("an answer is needed".to_owned()),
                true => None,
                false => field.read_all([text].into_iter()).err(),
            };
            Ok(match fault {
                Some(fault) => Validation::Invalid(ErrorMessage::Custom(fault)),
                None => Validation::Valid,
            })
        };
        let mut question = Text::new(&self.label).with_validator(check);
        question.default = default.as_deref();
        question.help_message = self.help.as_deref();
        let text = question.prompt()?;
        Ok(match text.is_empty() {
            true => None,
            false => Schema::new(&self.schema).read(&text).ok(),
        })
    }
}

/// Asks a person for the fields of a form, until they fit.
fn fill(
    form: &Form,
    fields: Vec<Field>,
    given: Map<String, Value>,
) -> Result<Map<String, Value>, Left> {
    let message = visible(form.message(), true);
    agree(&format!("The server asks: {message}"), "Answer")?;
    loop {
        let mut content = given.clone();
        for field in &fields {
            if let Some(value) = field.ask()? {
                content.insert(field.name.clone(), value);
            }
        }
        match form.check(&content) {
            Ok(()) => return Ok(content),
            Err(fault) => note(&fault),
        }
    }
}
