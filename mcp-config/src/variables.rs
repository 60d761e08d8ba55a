//! References to variables in the texts of an entry, and their expansion.

use crate::source::References;

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
    #[must_use]
    pub fn from_env(&self) -> Option<String> {
        match self {
            Self::Environment(name) => std::env::var(name).ok(),
            Self::Input(_) => None,
        }
    }
}

/// A value that VS Code asks the user for, as its files define it under `inputs`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// The name by which entries refer to it: `${input:id}`.
    pub id: String,
    /// The question.
    pub description: Option<String>,
    /// True if the value must not be shown while it is typed.
    pub password: bool,
    /// The value if the user gives none.
    pub default: Option<String>,
    /// The only values to choose from; empty for any text.
    pub options: Vec<String>,
}

/// What a reference in a text stands for.
#[derive(Debug, PartialEq)]
pub(crate) enum Reference<'a> {
    Environment {
        name: &'a str,
        default: Option<&'a str>,
    },
    Input(&'a str),
    WorkspaceFolder,
    WorkspaceFolderBasename,
    UserHome,
    PathSeparator,
}

/// Replaces the references in a text by what `resolve` returns for them and their spelling. What has
/// the form of a reference but is none stays as it is, as in the clients.
pub(crate) fn expand<E>(
    text: &str,
    references: References,
    mut resolve: impl FnMut(Reference<'_>, &str) -> Result<String, E>,
) -> Result<String, E> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('$') {
        expanded += &rest[..start];
        rest = &rest[start..];
        let end = match reference(rest, references) {
            Some((reference, end)) => {
                expanded += &resolve(reference, &rest[..end])?;
                end
            }
            None => {
                expanded.push('$');
                1
            }
        };
        rest = &rest[end..];
    }
    Ok(expanded + rest)
}

/// The reference at the beginning of a text that begins with `$`, and its length in bytes.
fn reference(text: &str, references: References) -> Option<(Reference<'_>, usize)> {
    let after = &text[1..];
    if let Some(inner) = after.strip_prefix('{') {
        let inner = &inner[..inner.find('}')?];
        let end = inner.len() + "${}".len();
        let found = match references {
            References::None => None,
            References::Braces | References::Shell => shell(inner),
            References::Editor => editor(inner),
        };
        return found.map(|found| (found, end));
    }
    let end = after.find(|c: char| !is_name(c)).unwrap_or(after.len());
    let name = &after[..end];
    let is_reference = references == References::Shell && is_variable(name);
    let default = None;
    is_reference.then_some((Reference::Environment { name, default }, end + 1))
}

fn shell(inner: &str) -> Option<Reference<'_>> {
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    is_variable(name).then_some(Reference::Environment { name, default })
}

fn editor(inner: &str) -> Option<Reference<'_>> {
    Some(match (inner, inner.split_once(':')) {
        (_, Some(("env", name))) => Reference::Environment {
            name,
            default: None,
        },
        (_, Some(("input", id))) => Reference::Input(id),
        ("workspaceFolder", _) => Reference::WorkspaceFolder,
        ("workspaceFolderBasename", _) => Reference::WorkspaceFolderBasename,
        ("userHome", _) => Reference::UserHome,
        ("pathSeparator" | "/", _) => Reference::PathSeparator,
        _ => return None,
    })
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(is_name)
}
