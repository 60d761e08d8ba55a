//! Checks the content of filled-in forms.

use std::fmt::Display;

use mcp_types::{ElicitSchema, EnumOption, NumberSchemaType, PrimitiveSchemaDefinition as Field};
use serde_json::{Map, Value};

/// Checks the content of a form against its schema (2026-07-28, "Elicitation", section Form Mode
/// Security).
///
/// # Errors
///
/// With the first field that is not valid, and the reason.
pub(crate) fn check(content: &Map<String, Value>, form: &ElicitSchema) -> Result<(), String> {
    for name in form.required.iter().flatten() {
        if !content.contains_key(name) {
            return Err(format!("`{name}` is missing"));
        }
    }
    for (name, value) in content {
        if let Some(field) = form.properties.get(name) {
            fits(value, field).map_err(|reason| format!("`{name}` {reason}"))?;
        }
    }
    Ok(())
}

fn fits(value: &Value, field: &Field) -> Result<(), String> {
    match field {
        Field::String(field) => {
            let text = value.as_str().ok_or("must be text")?;
            let length = i128::try_from(text.chars().count()).unwrap_or(i128::MAX);
            within(length, field.min_length, field.max_length)
                .map_err(|bound| format!("must have {bound} characters"))
        }
        Field::Number(field) => {
            let number = value.as_f64().ok_or("must be a number")?;
            if field.kind == NumberSchemaType::Integer && number.fract() != 0.0 {
                return Err("must be a whole number".to_owned());
            }
            within(number, field.minimum, field.maximum).map_err(|bound| format!("must be {bound}"))
        }
        Field::Boolean(_) => match value {
            Value::Bool(_) => Ok(()),
            _ => Err("must be true or false".to_owned()),
        },
        Field::UntitledSingleSelectEnum(field) => one_of(value, &field.values),
        Field::LegacyTitledEnum(field) => one_of(value, &field.values),
        Field::TitledSingleSelectEnum(field) => one_of(value, values(&field.one_of)),
        Field::UntitledMultiSelectEnum(field) => {
            let count = some_of(value, &field.items.values)?;
            within(count, field.min_items, field.max_items)
                .map_err(|bound| format!("must have {bound} choices"))
        }
        Field::TitledMultiSelectEnum(field) => {
            let count = some_of(value, values(&field.items.any_of))?;
            within(count, field.min_items, field.max_items)
                .map_err(|bound| format!("must have {bound} choices"))
        }
        _ => Ok(()),
    }
}

fn values(options: &[EnumOption]) -> impl Iterator<Item = &String> + Clone {
    options.iter().map(|option| &option.value)
}

fn one_of<'a>(value: &Value, choices: impl IntoIterator<Item = &'a String>) -> Result<(), String> {
    let chosen = value.as_str();
    if choices
        .into_iter()
        .any(|choice| Some(choice.as_str()) == chosen)
    {
        return Ok(());
    }
    Err("must be one of the choices".to_owned())
}

/// Returns the number of values that were chosen.
fn some_of<'a>(
    value: &Value,
    choices: impl IntoIterator<Item = &'a String> + Clone,
) -> Result<i128, String> {
    let chosen = value.as_array().ok_or("must be a list of choices")?;
    for value in chosen {
        one_of(value, choices.clone())?;
    }
    Ok(i128::try_from(chosen.len()).unwrap_or(i128::MAX))
}

/// Checks that a number is within its bounds. The error names the violated bound.
fn within<N: PartialOrd + Display>(
    number: N,
    least: Option<N>,
    most: Option<N>,
) -> Result<(), String> {
    match (least, most) {
        (Some(least), _) if number < least => Err(format!("at least {least}")),
        (_, Some(most)) if number > most => Err(format!("at most {most}")),
        _ => Ok(()),
    }
}
