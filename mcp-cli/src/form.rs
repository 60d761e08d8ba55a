//! Forms, asked field by field on a terminal.

use inquire::InquireError;
use inquire::error::InquireResult;
use mcp_runtime::client::Form;
use serde_json::{Map, Value};

use crate::output::note;
use crate::prompts;
use crate::schema::{Schema, exact};

/// Asks whether a person does what the server wants: yes or no, or an error for neither.
pub(crate) fn agree(question: &str, [yes, no]: [&str; 2]) -> InquireResult<bool> {
    let choices = [yes, no, "Cancel"].map(str::to_owned);
    match prompts::choice(question, None, &choices, 0)? {
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
    let question = format!("The server asks: {}", form.message());
    if !agree(&question, ["Answer", "No"])? {
        return Ok(None);
    }
    let schema = Schema::new(document);
    loop {
        let mut content = given.clone();
        // In the order of the form.
        for (name, _) in &form.schema().properties {
            if let Some(field) = schema.member(name).filter(|_| !given.contains_key(name)) {
                let is_required = schema.required().contains(&&**name);
                let value = ask(&field, name, is_required)?;
                content.extend(value.map(|value| (name.clone(), value)));
            }
        }
        match form.check(&content) {
            Ok(()) => return Ok(Some(content)),
            Err(fault) => note(&fault),
        }
    }
}

/// Asks for a field; none if it is left out.
fn ask(field: &Schema<'_>, name: &str, is_required: bool) -> InquireResult<Option<Value>> {
    let text = |keyword| field.get(keyword).and_then(Value::as_str);
    let label = text("title").unwrap_or(name);
    let help = text("description");
    let default = field.get("default").filter(|it| !it.is_null());
    let (values, mut titles) = choices(field);
    let position = |it: &Value| values.iter().position(|value| value == it);
    if field.kinds() == ["array"] {
        let defaults = default.and_then(Value::as_array).into_iter().flatten();
        let defaults: Vec<_> = defaults.filter_map(position).collect();
        let chosen = prompts::choices(label, help, &titles, &defaults)?;
        return Ok(Some(chosen.iter().map(|it| values[*it].clone()).collect()));
    }
    if values.is_empty() {
        return ask_text(field, is_required, label, help);
    }
    let default = default.and_then(position);
    // Without a default, what may be left out is.
    let first = default.unwrap_or(if is_required { 0 } else { values.len() });
    if first == values.len() {
        titles.push("(leave out)".to_owned());
    }
    let chosen = prompts::choice(label, help, &titles, first)?;
    Ok(values.get(chosen).cloned())
}

/// The values of a field or of its list's elements, and their titles.
fn choices(field: &Schema<'_>) -> (Vec<Value>, Vec<String>) {
    if field.kinds() == ["boolean"] {
        let titles = ["yes", "no"].map(str::to_owned);
        return (vec![true.into(), false.into()], titles.to_vec());
    }
    let choices = field.item(0).as_ref().unwrap_or(field).choices();
    let shown = |(value, title): (&Value, Option<&str>)| {
        let title = title.or(value.as_str()).unwrap_or_default();
        (value.clone(), title.to_owned())
    };
    choices.into_iter().map(shown).unzip()
}

fn ask_text(
    field: &Schema<'_>,
    is_required: bool,
    label: &str,
    help: Option<&str>,
) -> InquireResult<Option<Value>> {
    let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
    let default = field.get("default").filter(|it| !it.is_null()).map(text);
    let document = field.source();
    let check = |text: &str| {
        if !text.is_empty() {
            answer(&Schema::new(&document), text).map(drop)
        } else if is_required {
            Err("an answer is needed".to_owned())
        } else {
            Ok(())
        }
    };
    let text = prompts::text(label, help, default.as_deref(), check)?;
    Ok(answer(field, &text).ok().filter(|_| !text.is_empty()))
}

fn answer(field: &Schema<'_>, text: &str) -> Result<Value, String> {
    field.accept(text).and_then(|it| exact(&it))
}
