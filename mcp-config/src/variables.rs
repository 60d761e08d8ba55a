//! Variables that entries refer to.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Returns the values of variables; `None` leaves one to its default.
pub type Variables<'a> = &'a mut dyn FnMut(&Variable<'_>) -> Option<String>;

/// A variable whose value an entry needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variable<'a> {
    /// A variable of the environment, by its name.
    Environment(&'a str),
    /// A value that the user is asked for.
    Input(&'a Input),
}

impl Variable<'_> {
    /// The value in the environment of this process; `None` for an input, and for a value that is no
    /// UTF-8.
    pub fn from_env(&self) -> Option<String> {
        match self {
            Self::Environment(name) => std::env::var(name).ok(),
            Self::Input(_) => None,
        }
    }
}

/// A value that VS Code asks the user for, as its files define it under `inputs`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Input {
    /// The name by which entries refer to it: `${input:id}`.
    pub id: String,
    /// The question.
    pub description: Option<String>,
    /// True if the value must not be shown while it is typed.
    #[serde(default)]
    pub password: bool,
    /// The value if the user gives none.
    pub default: Option<String>,
    /// The only values to choose from; empty for any text.
    #[serde(default, deserialize_with = "options")]
    pub options: Vec<String>,
}

/// Texts, some of which may have a label beside them.
fn options<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let options = Vec::<Value>::deserialize(deserializer)?.into_iter();
    let text = |it: Value| it.get("value").unwrap_or(&it).as_str().map(str::to_owned);
    Ok(options.filter_map(text).collect())
}
