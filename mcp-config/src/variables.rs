//! Variables that entries refer to.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A function that returns the values of variables. If it returns `None`, the default is used.
pub type Variables<'a> = &'a mut dyn FnMut(&Variable<'_>) -> Option<String>;

/// A variable whose value an entry needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable<'a> {
    /// An environment variable, by its name.
    Environment(&'a str),
    /// A value that the user enters.
    Input(&'a Input),
}

impl Variable<'_> {
    /// Returns the value from the environment of this process. Returns `None` for an input, and for
    /// a value that is not UTF-8.
    pub fn from_env(&self) -> Option<String> {
        match self {
            Self::Environment(name) => std::env::var(name).ok(),
            Self::Input(_) => None,
        }
    }
}

/// Replaces `${VAR}` and `${VAR:-default}` in a string that is not from a file, such as an argument of
/// a command. There is no escape: any other `$` is kept.
///
/// ```
/// use mcp_config::Variable;
///
/// let header = mcp_config::expand("Bearer ${TOKEN}, ${SCHEME:-Basic}", &mut |it| match it {
///     Variable::Environment("TOKEN") => Some("secret".to_owned()),
///     _ => None,
/// });
/// assert_eq!(header, Ok("Bearer secret, Basic".to_owned()));
/// assert_eq!(mcp_config::expand("${UNSET}", &mut |_| None), Err("UNSET"));
/// ```
///
/// # Errors
///
/// Returns the name of the first variable that has neither a value nor a default.
pub fn expand<'a>(text: &'a str, variables: Variables<'_>) -> Result<String, &'a str> {
    expanded(text, false, |name| Some(environment(name, variables)))
}

/// Replaces the references in a string. Text that only looks like a reference is kept, as in the
/// clients. If `has_words`, `$VAR` is a reference as well.
///
/// `value` returns `None` for a name that is not a reference, and `Some(None)` for a variable that is
/// not set.
///
/// # Errors
///
/// Returns the name of the first variable that is not set.
pub(crate) fn expanded(
    text: &str,
    has_words: bool,
    mut value: impl FnMut(&str) -> Option<Option<String>>,
) -> Result<String, &str> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded += before;
        let found = match after.strip_prefix('{') {
            Some(after) => after.split_once('}'),
            None if has_words => word(after),
            None => None,
        };
        let value = found.and_then(|(name, _)| value(name));
        (rest, expanded) = match (found, value) {
            (Some((_, after)), Some(Some(value))) => (after, expanded + &value),
            (Some((name, _)), Some(None)) => return Err(name),
            _ => (after, expanded + "$"),
        };
    }
    Ok(expanded + rest)
}

/// Returns the value or the default of the reference `VAR` or `VAR:-default`.
pub(crate) fn environment(reference: &str, variables: Variables<'_>) -> Option<String> {
    let (name, default) = match reference.split_once(":-") {
        Some((name, default)) => (name, Some(default.to_owned())),
        None => (reference, None),
    };
    variables(&Variable::Environment(name)).or(default)
}

/// Splits a string after the name that it begins with.
fn word(text: &str) -> Option<(&str, &str)> {
    let is_end = |c: char| c != '_' && !c.is_ascii_alphanumeric();
    let end = text.find(is_end).unwrap_or(text.len());
    let is_name = end > 0 && !text.starts_with(|c: char| c.is_ascii_digit());
    is_name.then(|| text.split_at(end))
}

/// A value that VS Code asks the user for, defined under `inputs` in its files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Input {
    /// The name by which entries refer to it: `${input:id}`.
    pub id: String,
    /// The question to the user.
    pub description: Option<String>,
    /// Whether the value must be hidden while it is typed.
    #[serde(default)]
    pub password: bool,
    /// The value to use if the user enters none.
    pub default: Option<String>,
    /// The values to choose from. If empty, any string is allowed.
    #[serde(default, deserialize_with = "options")]
    pub options: Vec<String>,
}

/// Reads options, which are strings, or objects with a string and a label.
fn options<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let options = Vec::<Value>::deserialize(deserializer)?.into_iter();
    let text = |it: Value| it.get("value").unwrap_or(&it).as_str().map(str::to_owned);
    Ok(options.filter_map(text).collect())
}
