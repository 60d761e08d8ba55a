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
