//! Asks for the fields of a form on a terminal.

use inquire::InquireError;
use inquire::error::InquireResult;
use mcp_runtime::client::Form;
use serde_json::{Map, Value};

use crate::output::note;
use crate::prompts;
use crate::schema::{self, Schema, exact};

/// Asks whether the user agrees to a request of the server. Cancelling is an error.
pub(crate) fn agree(question: &str, [yes, no]: [&str; 2]) -> InquireResult<bool> {
    let choices = [yes, no, "Cancel"].map(str::to_owned);
    match prompts::choice(question, None, &choices, 0)? {
        2 => Err(InquireError::OperationCanceled),
        index => Ok(index == 0),
    }
}

/// Asks for the fields of a form that have no value yet, until all values are valid.
///
/// Returns `None` if the user declines the form. `document` is the schema of the form.
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
        // The fields are asked for in the order of the form.
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

/// Asks for a field. Returns `None` if the user leaves it out.
fn ask(field: &Schema<'_>, name: &str, is_required: bool) -> InquireResult<Option<Value>> {
    // The choices of a field may also have titles, so the label is the title of the field itself.
    let own = field.source();
    let label = own["title"].as_str().unwrap_or(name);
    let help = field.get("description").and_then(Value::as_str);
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
    // An optional field without a default is left out by default.
    let first = default.unwrap_or(if is_required { 0 } else { values.len() });
    if first == values.len() {
        titles.push("(leave out)".to_owned());
    }
    let chosen = prompts::choice(label, help, &titles, first)?;
    Ok(values.get(chosen).cloned())
}

/// The possible values of a field, or of the elements of its list, with their titles.
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
    let default = field
        .get("default")
        .filter(|it| !it.is_null())
        .map(schema::text);
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
