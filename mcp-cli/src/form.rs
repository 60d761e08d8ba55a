//! Forms, asked field by field on a terminal.

use inquire::error::InquireResult;
use inquire::validator::{ErrorMessage, Validation};
use inquire::{InquireError, MultiSelect, Select, Text};
use mcp_runtime::client::Form;
use serde_json::{Map, Value};

use crate::output::{note, visible};
use crate::schema::Schema;

/// Asks whether a person does what the server wants: yes or no, or an error for neither.
pub(crate) fn agree(question: &str, [yes, no]: [&str; 2]) -> InquireResult<bool> {
    let question = Select::new(question, vec![yes, no, "Cancel"]);
    match question.raw_prompt()?.index {
        2 => Err(InquireError::OperationCanceled),
        index => Ok(index == 0),
    }
}

/// Asks a person for the fields of a form that have no value yet, until they fit; `None` if the form
/// is declined. `document` is the schema of the form.
pub(crate) fn fill(
    form: &Form,
    document: &Value,
    given: Map<String, Value>,
) -> InquireResult<Option<Map<String, Value>>> {
    let question = format!("The server asks: {}", visible(form.message(), true));
    if !agree(&question, ["Answer", "No"])? {
        return Ok(None);
    }
    let schema = Schema::new(document);
    loop {
        let mut content = given.clone();
        // In the order of the form.
        for (name, _) in &form.schema().properties {
            if let Some(field) = Field::of(schema, name).filter(|_| !given.contains_key(name)) {
                content.extend(field.ask()?.map(|value| (name.clone(), value)));
            }
        }
        match form.check(&content) {
            Ok(()) => return Ok(Some(content)),
            Err(fault) => note(&fault),
        }
    }
}

/// A field of a form.
struct Field<'a> {
    schema: Schema<'a>,
    label: String,
    help: Option<String>,
    default: Option<&'a Value>,
    is_required: bool,
}

impl<'a> Field<'a> {
    fn of(form: Schema<'a>, name: &str) -> Option<Self> {
        let schema = form.member(name)?;
        let text = |keyword| schema.get(keyword).and_then(Value::as_str);
        Some(Self {
            schema,
            label: visible(text("title").unwrap_or(name), true).into_owned(),
            help: text("description").map(|it| visible(it, true).into_owned()),
            default: schema.get("default").filter(|it| !it.is_null()),
            is_required: form.required().any(|it| it == name),
        })
    }

    /// Asks a person; none if the field is left out.
    fn ask(&self) -> InquireResult<Option<Value>> {
        let choices = self.schema.items().unwrap_or(self.schema).choices();
        let shown = |(value, title): (&Value, Option<&str>)| {
            let title = title.or(value.as_str()).unwrap_or_default();
            (value.clone(), visible(title, true).into_owned())
        };
        let (values, titles): (Vec<_>, Vec<_>) = choices.into_iter().map(shown).unzip();
        match self.schema.kinds()[..] {
            ["array"] => self.ask_several(&values, titles).map(Some),
            ["boolean"] => {
                let titles = ["yes", "no"].map(str::to_owned).to_vec();
                self.ask_choice(vec![true.into(), false.into()], titles)
            }
            _ if values.is_empty() => self.ask_text(),
            _ => self.ask_choice(values, titles),
        }
    }

    fn ask_several(&self, values: &[Value], titles: Vec<String>) -> InquireResult<Value> {
        let defaults = self.default.and_then(Value::as_array).into_iter().flatten();
        let position = |it| values.iter().position(|value| value == it);
        let defaults: Vec<_> = defaults.filter_map(position).collect();
        let mut question = MultiSelect::new(&self.label, titles).with_default(&defaults);
        question.help_message = self.help.as_deref().or(question.help_message);
        let chosen = question.raw_prompt()?;
        Ok(chosen.iter().map(|it| values[it.index].clone()).collect())
    }

    fn ask_choice(
        &self,
        values: Vec<Value>,
        mut titles: Vec<String>,
    ) -> InquireResult<Option<Value>> {
        let default = values.iter().position(|it| self.default == Some(it));
        if default.is_none() && !self.is_required {
            titles.push("(leave out)".to_owned());
        }
        // Without a default, what may be left out is.
        let first = default.unwrap_or(if self.is_required { 0 } else { values.len() });
        let mut question = Select::new(&self.label, titles).with_starting_cursor(first);
        question.help_message = self.help.as_deref().or(question.help_message);
        Ok(values.get(question.raw_prompt()?.index).cloned())
    }

    fn ask_text(&self) -> InquireResult<Option<Value>> {
        let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
        let default = self.default.map(text);
        let (document, is_required) = (self.schema.document(), self.is_required);
        let mut question = Text::new(&self.label).with_validator(move |text: &str| {
            let read = match text.is_empty() {
                true if is_required => Err("an answer is needed".to_owned()),
                true => Ok(Value::Null),
                false => Schema::new(&document).accept(text),
            };
            Ok(match read {
                Ok(_) => Validation::Valid,
                Err(fault) => Validation::Invalid(ErrorMessage::Custom(fault)),
            })
        });
        question.default = default.as_deref();
        question.help_message = self.help.as_deref();
        let text = question.prompt()?;
        Ok(self.schema.accept(&text).ok().filter(|_| !text.is_empty()))
    }
}
